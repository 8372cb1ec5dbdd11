//! Words by which a sentence withdraws nothing: doubts, conditions and wishes, and what holds for a while.

use crate::prose::pattern;

/// Maximum length of a sentence that says that a rule or tool is no longer in use, in characters.
pub(super) const MAX_WITHDRAWAL_CHARS: usize = 160;

pattern!(
    UNSURE = r"(?i)\b(?:if|whether|until|unless|when|think|guess|maybe|perhaps|wish|hope|never|wenn|falls|ob|bis|vielleicht|glaub\w*|si|cuando|hasta|quiz[aá]s?|creo|quand|jusqu|peut-être|crois)\b|如果|是否|直到|希望|也许|可能"
);
pattern!(
    CONDITION = r"(?i)\b(?:if|whether|until|unless|when|wenn|falls|ob|bis|si|cuando|hasta|quand|jusqu)\b|如果|是否|直到"
);
pattern!(
    FOR_NOW = r"(?i)\b(?:for now|for the moment|today|this time|in this (?:pr|branch|session|task)|for this (?:pr|branch|task)|vorerst|heute|diesmal|por ahora|hoy|por el momento|pour l['’]instant|aujourd['’]hui)\b|暂时|今天|这次"
);
/// Whether a text has doubts, conditions or wishes.
pub(super) fn is_unsure(text: &str) -> bool {
    UNSURE.is_match(text)
}

/// Whether a text has a condition or an end in time.
pub(super) fn has_condition(text: &str) -> bool {
    CONDITION.is_match(text)
}

/// Whether a sentence sets something aside for a while.
pub(super) fn is_for_now(sentence: &str) -> bool {
    FOR_NOW.is_match(sentence)
}
