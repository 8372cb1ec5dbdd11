//! Formats tables: each column is as wide as its widest cell; the last column is not padded.

use unicode_width::UnicodeWidthStr as _;

use super::style::pad;

/// Formats rows. `paint` may colour a cell after padding.
pub fn rows(table: &[Vec<String>], paint: impl Fn(usize, &str) -> String) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut lines = String::new();
    for row in table {
        let last = row.len().saturating_sub(1);
        for (column, cell) in row.iter().enumerate() {
            if column == last {
                lines.push_str(&paint(column, cell));
            } else {
                lines.push_str(&paint(column, &pad(cell, widths[column])));
                lines.push_str("  ");
            }
        }
        lines.push('\n');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_what_the_eye_sees() {
        let table = [["日本", "a"], ["x", "b"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(rows(&table, |_, cell| cell.to_owned()), "日本  a\nx     b\n");
    }
}
