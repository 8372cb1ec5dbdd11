//! Positions in a text as people count them.

/// Converts a byte offset to line and column, both from 1; the column counts characters. An offset
/// beyond the text or within a character counts as the end of the text.
///
/// ```
/// use cm_text::position::line_and_column;
/// assert_eq!(line_and_column("a\nbé c", 5), (2, 3));
/// ```
pub fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or(text);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX - 1) + 1;
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    (count(line), count(column))
}
