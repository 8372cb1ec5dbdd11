//! Text output of `cm search`.

use anstyle::Style;

use super::as_of_line;
use super::short_ids::{ShortIds, shown_id};
use super::style::{DIM, ID, STRONG, count, empty_page, highlight, one_line, pad, paint, safe};
use crate::layout::{ELIDED, columns_of};
use cm_app::context::retrieve::{FoundBy, HitScore};
use cm_app::verbs::search::{SearchHit, SearchResult};

/// The commit that was searched, if not the current state; then the title and the best snippet of
/// each hit.
pub fn searched(outcome: &SearchResult) -> String {
    let mut lines = as_of_line(outcome.as_of.as_ref());
    if outcome.hits.is_empty() {
        return lines + &empty_page(outcome.total, "hit", "nothing found");
    }
    if outcome.answered == Some(false) {
        lines.push_str("Nothing here clearly answers this. The nearest notes:\n\n");
    }
    let short_ids = ShortIds::of(outcome.hits.iter().map(|hit| hit.id.as_str()));
    let ids: Vec<String> = outcome.hits.iter().map(|hit| short_ids.shown(&hit.id)).collect();
    let widest = ids.iter().map(|id| columns_of(id)).filter(|width| *width <= 16).max().unwrap_or(8);
    let indent = " ".repeat(widest + 2);
    for (hit, id) in outcome.hits.iter().zip(&ids) {
        let title = highlight(&hit.title, &hit.title_matches, STRONG);
        lines.push_str(&format!("{}  {title}\n", paint(ID, &pad(id, widest))));
        let facts = [
            Some(format!(
                "{}{}",
                one_line(hit.note_type.as_deref().unwrap_or(hit.kind.name())),
                state(hit.state.as_deref())
            )),
            (hit.score > 0.0).then(|| format!("{:.2}", hit.score)),
            hit.session_hits.map(|hits| session_words(hits, hit)),
            Some(place(&hit.path, hit.line)),
            (hit.found_by == Some(FoundBy::Meaning)).then(|| "by meaning only".to_owned()),
            (hit.weak && outcome.answered == Some(true)).then(|| "weak".to_owned()),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        lines.push_str(&format!("{ELIDED}{indent}{}\n", paint(DIM, &facts.join(" · "))));
        if let Some(parts) = &hit.parts {
            lines.push_str(&format!("{indent}{}\n", paint(DIM, &explained(parts, hit.drawn_by.as_deref()))));
        }
        if !hit.snippet.is_empty() && hit.snippet != hit.title {
            lines.push_str(&format!("{indent}{}\n", highlight(&hit.snippet, &hit.matches, Style::new())));
        }
    }
    if outcome.total > outcome.hits.len() {
        let more = match outcome.next {
            Some(next) => format!("; continue with --offset {next}"),
            None => String::new(),
        };
        lines.push_str(&format!(
            "{}\n",
            paint(DIM, &format!("{} of {}{more}", outcome.hits.len(), count(outcome.total, "hit")))
        ));
    }
    lines
}

/// Says how many passages the larger model has not embedded yet.
pub fn backlog(passages: usize) -> String {
    let passages = count(passages, "passage");
    format!(
        "{passages} not yet embedded by the larger model, which finds more by meaning; `cm embed` does it now"
    )
}

/// The formula of a score with its values.
fn explained(parts: &HitScore, drawn_by: Option<&str>) -> String {
    let cosine = match (parts.fine, parts.coarse) {
        (Some(fine), _) => format!(" (cosine {fine:.2}, larger model)"),
        (None, Some(coarse)) => format!(" (cosine {coarse:.2}, small model)"),
        (None, None) => String::new(),
    };
    let conversation = match parts.conversation {
        0.0 => String::new(),
        points => format!("conversation {points:+.2}, "),
    };
    let time = match parts.time {
        1.0 => String::new(),
        factor => format!("time ×{factor:.2}, "),
    };
    let title = match parts.title {
        0.0 => String::new(),
        points => format!(", title {points:+.2}"),
    };
    let by = drawn_by.map(|by| format!(" by {}", shown_id(by))).unwrap_or_default();
    format!(
        "words {:.2} (BM25 {:.1}), meaning {:.2}{cosine}: relevance {:.2}; {conversation}graph {:+.2}{by}, {time}age ×{:.2}, use ×{:.2}{title}; confidence ×{:.2}",
        parts.words,
        parts.bm25,
        parts.meaning,
        parts.relevance,
        parts.graph,
        parts.recency,
        parts.usefulness,
        parts.scale
    )
}

/// The time of a hit and the number of hits of its session.
fn session_words(hits: usize, hit: &SearchHit) -> String {
    let time = hit.created.or(hit.updated).map(|at| format!("{} · ", at.day())).unwrap_or_default();
    format!("{time}{} in this session", count(hits, "hit"))
}

/// The state of a note that is not active.
fn state(state: Option<&str>) -> String {
    state.map(|state| format!(", {}", one_line(state))).unwrap_or_default()
}

/// `path:line`, which editors and terminals open.
fn place(path: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", safe(path)),
        None => safe(path),
    }
}
