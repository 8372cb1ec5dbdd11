//! Text output of `cm add`.

use super::committed;
use super::style::{ID, WARN, paint, safe};
use cm_app::verbs::add::AddedNote;

/// Share of equal words from which two titles have the same ones.
const SAME_WORDS: f64 = 0.995;

pub fn added(outcome: &AddedNote) -> String {
    if !outcome.added {
        let place = format!("{}  {}", paint(ID, &outcome.id), safe(&outcome.path));
        return format!("{place}  already exists with this title and text; nothing was stored\n");
    }
    let mut lines =
        format!("{}  {}  {}\n", paint(ID, &outcome.id), outcome.path, committed(outcome.commit.as_deref()));
    for near in &outcome.similar {
        lines.push_str(&format!(
            "{} {} {} ({:.0} % of the words)\n",
            paint(WARN, "similar:"),
            paint(ID, &near.id),
            safe(&near.title),
            near.score * 100.0
        ));
    }
    if outcome.similar.iter().any(|near| near.score >= SAME_WORDS) {
        lines.push_str("the vault had a note with this title; `cm undo` takes the new one back\n");
    }
    lines
}
