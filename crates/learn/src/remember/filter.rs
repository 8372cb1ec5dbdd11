//! Decides whether a sentence is worth remembering: short, complete, and valid beyond the moment.
//!
//! Doubtful sentences are rejected: questions, work steps, errors, code, anger, and references to
//! context that is lost later.

use crate::content_words::content_word_count;
use crate::prose::{capitalized, pattern};
use cm_note::markdown::escape::visible;

/// Minimum number of content words in a fact.
const MIN_FACT_WORDS: usize = 3;
/// Minimum number of content words in a preference.
const MIN_PREFERENCE_WORDS: usize = 2;
/// Maximum length of a fact, in characters.
const MAX_FACT_CHARS: usize = 180;
/// Maximum number of words of the label in an entry such as `timezone: EST`.
const MAX_LABEL_WORDS: usize = 4;

pattern!(
    STEP = r"(?i)^(?:ran|run|added|fixed|updated|created|removed|renamed|moved|changed|wrote|tried|checked|read|opened|committed|pushed|merged|tested|refactored|implemented|built|installed|reproduced|started|stopped|next|todo)\b"
);
pattern!(
    POINTS = r"(?i)^(?:this|that|it|its|these|those|they|he|she|here|there|now|then|same|done|ok(?:ay)?)\b"
);
// The object of an order, which only its session knows: "don't merge it yet".
pattern!(
    POINTS_BACK = r"(?i)^(?:(?:please|just|now|then|ok(?:ay)?|but|and|so|let'?s|don'?t|dont|do not|never|always|not|stop|quit)[,:]?\s+)*[a-z]+\s+(?:it|this|that|them|those|these)\b"
);
// An order without any object of its own: "stop doing that", "never again".
pattern!(
    VOID = r"(?i)^(?:(?:please|just|again|ever|always|never|don'?t|dont|do|not|stop|quit|no|like|you|to|the|a|and|doing|did|done|try|trying|say|saying|that|this|it|so|them|those|way|thing|things|stuff|wrong|right)\b[\s,.!;:–—-]*)+$"
);
pattern!(
    CURSES = r"(?i)^(?:(?:damn(?:ed|it)?|shit|fuck(?:ing)?|ffs|argh+|ugh+|wtf|verdammt|schei(?:ß|ss)e|mist|joder|mierda|merde|putain)\b[\s,.!:;–—-]*)+"
);
pattern!(
    ANGER = r"(?ix)\b(?:fuck\w*|shit\w*|bullshit|damn\w*|goddamn\w*|ffs|wtf|idiots?|idiotic|morons?|what\ the\ (?:hell|heck)|for\ (?:god|christ|fuck)'?s\ sake
      |you\ (?:are\ )?(?:stupid|useless|dumb|fool)|(?:stupid|useless|dumb)\ (?:bot|ai|thing|machine|agent|model)
      |schei(?:ß|ss)\w*|verdammt\w*|idioten?|arschloch|joder|mierda|coño|pendejo|merde|putain|bordel|connard)\b | 妈的 | 他妈 | 傻逼 | 白痴"
);
// A curse at somebody or something instead of an interjection.
pattern!(DIRECTED = r"(?i)^(?:fuck|damn|screw)\s+(?:this|that|it|you|off)\b");
// What people add to an instruction: that they repeat it, that they ask for it, that it lasts.
pattern!(
    TAIL = r"(?i)(?:[\s,;–—-]+(?:from (?:now|here) on(?: out)?|going forward|in (?:the )?future|(?:as |like )?i(?:'ve| have)? (?:already )?(?:told|said|asked)(?: (?:you|to you))?(?: (?:before|already|so|that|twice|many times))*|please|pls|ok(?:ay)?|thanks?|thank you|remember|got it|will you|damn ?it|ffs))+[.!?]*$"
);
// A short entry of a list of facts, such as `timezone: EST`.
pattern!(ENTRY = r"^([\p{L}][\p{L}\p{N} _./-]{0,40}?)\s*[:=：]\s*(\S.*)$");
// Labels of remarks instead of facts.
pattern!(
    REMARK = r"(?i)^(?:note|notes|nb|warning|caution|todo|tip|hint|example|e\.g|fixed|added|changed|next|next steps?|steps?|question|answer|update|updated|problem|issue|error|result|summary|status|done|reason|see|ps|btw|fix|feat|chore|docs|test|refactor|https?|file|line|output|command|here|also|but|and)$"
);
pattern!(ORDERS = r"(?i)^(?:use|prefer|avoid|never|always|no|don'?t|dont|do not|keep|write)\b");
pattern!(
    MACHINE = r"(?i)\bexit code \d|traceback \(|\w(?:error|exception):|^(?:error|warning|fatal|panic)\b|\bat \S+:\d+|^[\w./\\~-]+/[\w./\\-]*$|^[0-9a-f]{7,40}$|^https?://\S+$"
);
pattern!(
    HENCE = r"(?i)^(?:(?:please|and|also|so|but|ok(?:ay)?)[,:]?\s+|no[,:.]\s+|(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|as a (?:general )?rule)[,:]?\s+)+"
);

/// Why a sentence is not remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectReason {
    /// The sentence has too little content or is only about the current task.
    Slight,
    /// The sentence is longer than facts may be.
    TooLong,
    /// The sentence curses or insults.
    Anger,
}

/// Splits a short entry such as `timezone: EST` into label and value; `None` for other sentences.
pub(super) fn entry(text: &str) -> Option<(&str, &str)> {
    let parts = ENTRY.captures(text)?;
    let (label, value) = (parts.get(1)?.as_str(), parts.get(2)?.as_str());
    let is_entry = label.split_whitespace().count() <= MAX_LABEL_WORDS
        && !REMARK.is_match(label)
        && !value.starts_with("//");
    is_entry.then_some((label, value))
}

/// Returns a message without the curses at its beginning.
pub(super) fn without_curses(text: &str) -> std::borrow::Cow<'_, str> {
    CURSES.replace(text, "")
}

/// Returns the text under which a sentence is stored as a fact.
///
/// # Errors
/// Returns the reason if the sentence is rejected.
pub fn fact(text: &str) -> Result<String, RejectReason> {
    let text = plain_text(text);
    let words = content_word_count(&text);
    let is_figure = || words + 1 == MIN_FACT_WORDS && text.chars().any(|c| c.is_ascii_digit());
    let is_short = words < MIN_FACT_WORDS && entry(&text).is_none() && !is_figure();
    let slight = is_short
        || STEP.is_match(&text)
        || POINTS.is_match(&text)
        || POINTS_BACK.is_match(&text)
        || is_noise(&text);
    check_wording(text, slight)
}

/// Returns the text under which a sentence is stored as a preference, without openings such as
/// "from now on".
///
/// # Errors
/// Returns the reason if the sentence is rejected.
pub fn preference(text: &str) -> Result<String, RejectReason> {
    let whole = plain_text(text);
    let bare = without_curses(&whole);
    let bare = TAIL.replace(&bare, "");
    let bare = HENCE.replace(&bare, "");
    let text = if bare.trim().is_empty() { whole.clone() } else { capitalize(&bare) };
    let words = content_word_count(&text);
    let is_short =
        words < MIN_PREFERENCE_WORDS && !(words + 1 == MIN_PREFERENCE_WORDS && ORDERS.is_match(&text));
    let slight = is_short || VOID.is_match(&text) || POINTS_BACK.is_match(&text) || is_noise(&text);
    if slight && ANGER.is_match(&whole) || DIRECTED.is_match(&whole) {
        return Err(RejectReason::Anger);
    }
    check_wording(text, slight)
}

fn check_wording(text: String, slight: bool) -> Result<String, RejectReason> {
    if ANGER.is_match(&text) {
        Err(RejectReason::Anger)
    } else if slight {
        Err(RejectReason::Slight)
    } else if text.trim().chars().count() > MAX_FACT_CHARS {
        Err(RejectReason::TooLong)
    } else {
        Ok(text)
    }
}

fn is_noise(text: &str) -> bool {
    let code: usize = text.split('`').skip(1).step_by(2).map(str::len).sum();
    text.ends_with(['?', ':', '…']) || text.contains("```") || code * 2 > text.len() || MACHINE.is_match(text)
}

/// Converts a Markdown sentence to one line of plain text; links become their labels.
fn plain_text(text: &str) -> String {
    let mut text = visible(text);
    loop {
        let barer = visible(&stripped(&text));
        // Each turn takes something away, so that this ends.
        if barer == text {
            return text;
        }
        text = barer;
    }
}

fn stripped(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[[") {
        let Some((target, after)) = link.split_once("]]") else { break };
        bare.push_str(before);
        bare.push_str(target.rsplit('|').next().unwrap_or(target));
        rest = after;
    }
    bare.push_str(rest);
    let bare = bare.trim().trim_start_matches(['-', '*', '+', '•']).trim();
    bare.strip_suffix('.').filter(|bare| !bare.ends_with('.')).unwrap_or(bare).trim_end().to_owned()
}

fn capitalize(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    // A name such as `npm` or useState keeps its form.
    if !word.chars().all(|c| c.is_ascii_lowercase()) {
        return text.to_owned();
    }
    capitalized(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lasting_facts_are_kept_and_work_steps_rejected() {
        for text in [
            "The provider's firewall forgets idle connections after 300 seconds",
            "We deploy with `just release` from main only",
            "Three defaults of sqlx had been switched off in October, see [[Pool|the pool]]",
        ] {
            assert!(fact(text).is_ok(), "{text}");
        }
        for text in [
            "Ran the whole suite twice after that",
            "It works again after the restart",
            "error: cannot find value `x` in this scope",
            "src/pool/settings.rs",
            "Is the cache really bounded there?",
            "`cargo test --workspace --all-features -- --nocapture` ran",
            "ok",
        ] {
            assert_eq!(fact(text), Err(RejectReason::Slight), "{text}");
        }
        assert_eq!(
            fact(&format!("The pool {}", "keeps connections ".repeat(20))),
            Err(RejectReason::TooLong)
        );
        assert_eq!(fact("See [[A|the old pool]] for limits.").as_deref(), Ok("See the old pool for limits"));
    }

    #[test]
    fn a_preference_is_retained_without_the_words_around_it() {
        assert_eq!(
            preference("From now on, use pnpm instead of npm.").as_deref(),
            Ok("Use pnpm instead of npm")
        );
        assert_eq!(preference("please never force-push").as_deref(), Ok("Never force-push"));
        assert_eq!(preference("don't add docstrings, I told you!").as_deref(), Ok("don't add docstrings"));
        assert_eq!(preference("damn, use tabs").as_deref(), Ok("Use tabs"));
        assert_eq!(preference("no db mocks, please").as_deref(), Ok("No db mocks"));
        assert_eq!(preference("Use tabs from now on, please!").as_deref(), Ok("Use tabs"));
        assert_eq!(preference("no, use tabs").as_deref(), Ok("Use tabs"));
        assert_eq!(preference("no").err(), Some(RejectReason::Slight));
    }

    #[test]
    fn anger_and_orders_without_an_object_are_no_preferences() {
        for text in [
            "fuck this, you broke it",
            "fuck this, stop changing my files",
            "You idiot, never do that again",
            "stop it, what the hell",
            "das ist doch Scheiße",
        ] {
            assert_eq!(preference(text), Err(RejectReason::Anger), "{text}");
        }
        for text in [
            "stop doing that",
            "never again!",
            "don't do it like that",
            "put it in src/cart.ts and run the tests",
        ] {
            assert_eq!(preference(text), Err(RejectReason::Slight), "{text}");
        }
    }

    #[test]
    fn entries_of_a_list_are_facts_and_remarks_are_none() {
        for text in
            ["timezone: EST", "Reviewer: Ana", "Node version: 22", "Database is Postgres 14", "时区：北京"]
        {
            assert_eq!(fact(text).as_deref(), Ok(text));
        }
        for text in [
            "note: slow",
            "TODO: tests",
            "next: the cart",
            "https://example.com",
            "don't merge it yet, Jonas looks at the cart first",
        ] {
            assert_eq!(fact(text), Err(RejectReason::Slight), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_retained_is_one_short_line_and_stays_as_it_is(text in "([a-zA-Z`\\[\\]|.,?: \n-]){0,220}") {
            for statement in [fact(&text), preference(&text)].into_iter().flatten() {
                prop_assert!(statement.chars().count() <= 180 && !statement.contains('\n'));
            }
            if let Ok(statement) = fact(&text) {
                prop_assert_eq!(fact(&statement), Ok(statement));
            }
        }
    }
}
