//! Hits of a search.

use super::recent::shown_id;
use super::style::{DIM, ID, STRONG, count, cut, paint};
use crate::ops::search::Searched;

/// As text: a line with the title, a line with the place in the text that fits.
pub fn searched(outcome: &Searched) -> String {
    if outcome.hits.is_empty() {
        return "nothing found\n".to_owned();
    }
    let mut lines = String::new();
    for hit in &outcome.hits {
        let note_type = hit.note_type.as_deref().unwrap_or(hit.kind.name());
        lines.push_str(&format!(
            "{}  {}  {}\n",
            paint(ID, &shown_id(&hit.id)),
            paint(STRONG, &cut(&hit.title, 80)),
            paint(DIM, &format!("{}{}", cut(note_type, 20), score(hit.score))),
        ));
        if !hit.snippet.is_empty() {
            lines.push_str(&format!("          {}\n", cut(&hit.snippet, 200)));
        }
    }
    if outcome.total > outcome.hits.len() {
        let more = match outcome.next {
            Some(next) => format!("; go on with --offset {next}"),
            None => String::new(),
        };
        lines.push_str(&format!(
            "{}\n",
            paint(DIM, &format!("{} of {}{more}", outcome.hits.len(), count(outcome.total, "hit")))
        ));
    }
    lines
}

/// The score behind a dot; nothing where the query only selects.
fn score(score: f64) -> String {
    if score > 0.0 { format!(" · {score:.2}") } else { String::new() }
}
