//! Warns about things that a task or a shown note mentions although they are discouraged:
//! deprecated patterns, replaced rules and blocked rules; and about shown notes that contradict others.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_text::shorten::fold_whitespace;
use cm_text::similarity;
use cm_text::tokens::fold;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// A deprecated pattern.
    Deprecated,
    /// A permanently blocked rule.
    Toxic,
    /// A rule that was replaced by another.
    Replaced,
    /// A note that contradicts a shown one; which of them holds is not decided.
    Contradicted,
}

/// A warning about something that is mentioned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefingWarning {
    pub kind: WarningKind,
    /// ID of the blocked pattern, of the replaced rule or of the contradicting note.
    pub id: String,
    /// The mentioned pattern, or the title of the contradicting note.
    pub pattern: String,
    /// Why it is discouraged.
    pub reason: Option<String>,
    /// What to use instead.
    pub replacement: Option<String>,
    /// Where it is mentioned: `task`, or the ID of a rule or memory.
    #[serde(rename = "where")]
    pub place: String,
}

impl BriefingWarning {
    /// Value of `place` for the task itself.
    pub const TASK: &'static str = "task";

    pub fn of(blocked: &BlockedNote, place: &str) -> Self {
        Self {
            kind: match blocked.kind {
                BlockKind::Toxic => WarningKind::Toxic,
                BlockKind::Deprecated => WarningKind::Deprecated,
            },
            id: blocked.id.to_string(),
            pattern: blocked.text().to_owned(),
            reason: blocked.fields.reason.clone(),
            replacement: blocked.fields.replacement.clone(),
            place: place.to_owned(),
        }
    }
}

/// A text, prepared for finding the discouraged patterns that it mentions.
#[derive(Debug, Clone)]
pub struct MentionIndex {
    /// The text in lower case, with runs of white space replaced by one space.
    folded: String,
    words: BTreeSet<String>,
}

impl MentionIndex {
    pub fn of(text: &str) -> Self {
        Self { folded: evened(text), words: similarity::words(text) }
    }

    /// Whether the text mentions a pattern, ignoring case and spacing. A pattern made of words must
    /// match whole words; any other pattern matches anywhere.
    ///
    /// ```
    /// use cm_playbook::briefing::warning::MentionIndex;
    /// assert!(MentionIndex::of("Use Moment here").mentions("moment"));
    /// assert!(!MentionIndex::of("momentarily").mentions("moment"));
    /// assert!(MentionIndex::of("where at_utc::date = $1").mentions("at_utc::date"));
    /// ```
    pub fn mentions(&self, pattern: &str) -> bool {
        let (pattern, text) = (evened(pattern), &self.folded);
        if pattern.is_empty() {
            return false;
        }
        let of_word = |c: char| c.is_alphanumeric() || c == '_';
        let worded = pattern.chars().all(|c| of_word(c) || c == ' ' || c == '-' || c == '\'');
        let within = |at: usize| {
            let before = text[..at].chars().next_back();
            let after = text[at + pattern.len()..].chars().next();
            before.is_some_and(of_word) || after.is_some_and(of_word)
        };
        text.match_indices(&pattern).any(|(at, _)| !worded || !within(at))
    }

    /// Whether the text contains the rule, or at least five of its words and 85 % of them, in any
    /// order.
    pub fn quotes(&self, rule: &str) -> bool {
        let words = similarity::words(rule);
        let shared = words.intersection(&self.words).count();
        self.mentions(rule.trim_end_matches('.')) || shared >= 5 && shared * 100 >= words.len() * 85
    }
}

/// Whether a task is clearly about a rule: they share at least three words, which are half of the
/// rule's or 60 % of the task's words. Words for which `says_nothing` is true are ignored.
pub fn is_about(rule: &str, task: &str, says_nothing: impl Fn(&str) -> bool) -> bool {
    let telling = |text: &str| -> BTreeSet<String> {
        similarity::words(text).into_iter().filter(|word| word.len() > 1 && !says_nothing(word)).collect()
    };
    let (rule, task) = (telling(rule), telling(task));
    let shared = rule.intersection(&task).count();
    shared >= 3 && (shared * 2 >= rule.len() || shared * 5 >= task.len() * 3)
}

/// Returns a text in lower case, with runs of white space replaced by one space.
fn evened(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold(text, &mut folded);
    fold_whitespace(&folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_code_as_it_stands() {
        for (pattern, text, expected) in [
            ("var", "a var b", true),
            ("var", "variable", false),
            ("var", "my_var", false),
            ("Var", "VAR.", true),
            ("global state", "no global\n  state", true),
            ("unwrap()", "x.unwrap().y", true),
            ("Utc::now().date", "let d = utc::now().date_naive()", true),
            ("", "anything", false),
            ("café", "CAFE", true),
        ] {
            assert_eq!(MentionIndex::of(text).mentions(pattern), expected, "{pattern:?} in {text:?}");
        }
    }

    #[test]
    fn a_quoted_rule_is_recognized_again_with_other_words_around_it() {
        let rule = "Retry a failed gauge request at once, up to five times.";
        assert!(
            MentionIndex::of("please retry a failed gauge request at once, up to five times, as before")
                .quotes(rule)
        );
        assert!(
            MentionIndex::of("up to five times, at once: retry a failed request of the gauge").quotes(rule)
        );
        assert!(!MentionIndex::of("retry a failed gauge request with jitter").quotes(rule));
    }

    #[test]
    fn a_task_is_about_a_rule_when_it_shares_what_matters() {
        let rule = "Retry a failed gauge request at once, up to five times.";
        let nothing = |word: &str| ["a", "at", "up", "to", "the", "with"].contains(&word);
        assert!(is_about(rule, "Let the failed gauge requests retry", nothing));
        assert!(!is_about(rule, "Draw the gauge with five colours", nothing));
    }
}
