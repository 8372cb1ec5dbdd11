//! The cause of a problem as a session states it: recognized by its lead, and worded for a note. It
//! is fixed afterwards, so it is not a lasting fact.

use crate::prose::{cut, pattern};

/// Maximum length of a cause in the text of a note, in characters.
const MAX_CAUSE_CHARS: usize = 400;

pattern!(
    NAMED_LEAD = r"(?i)^(?:(?:the|this|that)\s+)?(?:(?:real|actual|root|main)\s+)?(?:issue|problem|bug|cause|root cause)\s+(?:here\s+)?(?:is|was)\s+(?:that\s+)?"
);

/// Returns `true` if a sentence names the cause of a problem.
pub(crate) fn names_a_cause(text: &str) -> bool {
    NAMED_LEAD.is_match(text)
}

/// Words the cause of a problem that was fixed afterwards.
pub(crate) fn fixed_since(cause: &str) -> String {
    format!("Fixed since: {}", lower_first(without_lead(cause)))
}

/// Removes the words that introduce a cause, such as "the problem is".
pub(crate) fn without_lead(text: &str) -> &str {
    let lead = NAMED_LEAD.find(text).map_or(0, |found| found.end());
    if text[lead..].chars().filter(|c| c.is_whitespace()).count() > 2 { &text[lead..] } else { text }
}

/// Puts the first letter in lower case, except of an acronym, and cuts the text to
/// 400 characters.
pub(crate) fn lower_first(text: &str) -> String {
    let acronym = text.chars().nth(1).is_some_and(|c| !c.is_lowercase());
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().collect::<String>()).unwrap_or_default();
    let lower = format!("{first}{}", chars.as_str());
    cut(if acronym { text } else { &lower }, MAX_CAUSE_CHARS)
}
