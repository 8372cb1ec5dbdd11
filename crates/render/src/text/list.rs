//! Formats tables. [`layout::fit`](crate::layout::fit) aligns the columns.

use crate::layout::CELL;

/// Formats rows; `paint` may colour a cell, given the number of its column.
pub fn rows(table: &[Vec<String>], paint: impl Fn(usize, &str) -> String) -> String {
    let mut lines = String::new();
    for row in table {
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                lines.push(CELL);
            }
            lines.push_str(&paint(column, cell));
        }
        lines.push('\n');
    }
    lines
}
