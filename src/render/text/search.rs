//! Hits of a search.

use super::recent::shown_id;
use super::style::{DIM, ID, STRONG, WARN, count, cut, paint, safe};
use crate::ops::search::Searched;

/// As text: a line with the title, a line with the place in the text that fits.
pub fn searched(outcome: &Searched) -> String {
    let mut lines: String =
        outcome.notices.iter().map(|notice| format!("{} {}\n", paint(WARN, "note:"), safe(notice))).collect();
    if outcome.hits.is_empty() {
        lines.push_str("nothing found\n");
        return lines;
    }
    for hit in &outcome.hits {
        let note_type = hit.note_type.as_deref().unwrap_or(hit.kind.name());
        lines.push_str(&format!(
            "{}  {}  {}\n",
            paint(ID, &shown_id(&hit.id)),
            paint(STRONG, &cut(&hit.title, 80)),
            paint(DIM, &format!("{} · {:.2}", cut(note_type, 20), hit.score)),
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
