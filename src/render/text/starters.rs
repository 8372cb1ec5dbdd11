//! Sets of rules that come with the program.

use super::list::rows;
use super::style::{DIM, STRONG, count, paint};
use crate::ops::starters::Starters;

/// As text: a line a set.
pub fn list(outcome: &Starters) -> String {
    let row = |set: &crate::ops::starters::Set| {
        let present =
            if set.present > 0 { format!(", {} already there", set.present) } else { String::new() };
        vec![set.name.clone(), format!("{}{present}", count(set.rules, "rule")), set.about.clone()]
    };
    let table: Vec<Vec<String>> = outcome.starters.iter().map(row).collect();
    rows(&table, |column, cell| match column {
        0 => paint(STRONG, cell),
        1 => paint(DIM, cell),
        _ => cell.to_owned(),
    })
}
