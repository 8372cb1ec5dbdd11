//! Text output of `cm tags`.

use super::list::rows;
use super::style::{DIM, paint, safe};
use cm_app::verbs::tags::TagList;

pub fn tags(outcome: &TagList) -> String {
    if outcome.tags.is_empty() {
        return "no tags\n".to_owned();
    }
    let table: Vec<Vec<String>> =
        outcome.tags.iter().map(|tag| vec![format!("{:>5}", tag.notes), safe(&tag.tag)]).collect();
    rows(&table, |column, cell| if column == 0 { paint(DIM, cell) } else { cell.to_owned() })
}
