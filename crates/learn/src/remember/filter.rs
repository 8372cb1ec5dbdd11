//! Decides whether a sentence is worth remembering: short, complete, and valid beyond the moment.
//!
//! Doubtful sentences are rejected: questions, work steps, errors, code, and references to context
//! that is lost later.

use crate::diary::content_word_count;
use crate::friction::ledger::{FactLength, fit};
use crate::prose::pattern;
use cm_note::markdown::escape::visible;

/// Minimum number of content words in a fact.
const WORDS: usize = 3;
/// Minimum number of content words in a preference.
const WANTS: usize = 2;

pattern!(
    STEP = r"(?i)^(?:ran|run|added|fixed|updated|created|removed|renamed|moved|changed|wrote|tried|checked|read|opened|committed|pushed|merged|tested|refactored|implemented|built|installed|reproduced|started|stopped|next|todo)\b"
);
pattern!(
    POINTS = r"(?i)^(?:this|that|it|its|these|those|they|he|she|here|there|now|then|same|done|ok(?:ay)?)\b"
);
pattern!(
    MACHINE = r"(?i)\bexit code \d|traceback \(|\w(?:error|exception):|^(?:error|warning|fatal|panic)\b|\bat \S+:\d+|^[\w./\\~-]+/[\w./\\-]*$|^[0-9a-f]{7,40}$"
);
pattern!(
    HENCE = r"(?i)^(?:(?:please|and|also|so|but|no|ok(?:ay)?)[,:]?\s+|(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|as a (?:general )?rule)[,:]?\s+)+"
);

/// Why a sentence is not remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectReason {
    /// The sentence has too little content or is only about the current task.
    Slight,
    /// The sentence is longer than facts may be.
    TooLong,
}

/// Returns the text under which a sentence is stored as a fact.
///
/// # Errors
/// Returns the reason if the sentence is rejected.
pub fn fact(text: &str) -> Result<String, RejectReason> {
    let text = plain(text);
    let slight = content_word_count(&text) < WORDS
        || STEP.is_match(&text)
        || POINTS.is_match(&text)
        || is_noise(&text);
    checked(text, slight)
}

/// Returns the text under which a sentence is stored as a preference, without openings such as
/// "from now on".
///
/// # Errors
/// Returns the reason if the sentence is rejected.
pub fn preference(text: &str) -> Result<String, RejectReason> {
    let whole = plain(text);
    let bare = HENCE.replace(&whole, "");
    let text = if bare.trim().is_empty() { whole } else { capital(&bare) };
    let slight = content_word_count(&text) < WANTS || is_noise(&text);
    checked(text, slight)
}

fn checked(text: String, slight: bool) -> Result<String, RejectReason> {
    match fit(&text) {
        _ if slight => Err(RejectReason::Slight),
        FactLength::TooLong => Err(RejectReason::TooLong),
        FactLength::Fits | FactLength::Long => Ok(text),
    }
}

fn is_noise(text: &str) -> bool {
    let code: usize = text.split('`').skip(1).step_by(2).map(str::len).sum();
    text.ends_with(['?', ':', '…']) || text.contains("```") || code * 2 > text.len() || MACHINE.is_match(text)
}

/// Converts a Markdown sentence to one line of plain text; links become their labels.
fn plain(text: &str) -> String {
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let word = text.split_whitespace().next().unwrap_or_default();
    // A name such as `npm` or useState keeps its form.
    if !word.chars().all(|c| c.is_ascii_lowercase()) {
        return text.to_owned();
    }
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_holds_is_retained_and_what_passes_is_not() {
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
        assert_eq!(preference("no").err(), Some(RejectReason::Slight));
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
