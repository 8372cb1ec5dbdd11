//! The least length of a statement, in all scripts.

use unicode_width::UnicodeWidthStr as _;

/// Minimum length of a rule, a memory or an observation, in characters.
pub const MIN_STATEMENT_CHARS: usize = 10;

/// Whether a text is too short to state something. A wide character, as those of Chinese, Japanese and
/// Korean, counts as two, because it stands for a syllable or a word.
///
/// ```
/// use cm_note::note::length::is_too_short;
/// assert!(is_too_short("Be quick.") && !is_too_short("Be quicker"));
/// assert!(is_too_short("周五休息") && !is_too_short("周五不部署"));
/// ```
pub fn is_too_short(text: &str) -> bool {
    text.width() < MIN_STATEMENT_CHARS
}
