//! Text output of `cm search`.

use super::recent::shown_id;
use super::short;
use super::style::{DIM, ID, STRONG, count, cut, paint};
use cm_app::context::as_of::AsOf;
use cm_app::context::retrieve::{FoundBy, HitScore};
use cm_app::verbs::search::SearchResult;

/// The commit that was searched, if not the current state; then the title and the best snippet of
/// each hit.
pub fn searched(outcome: &SearchResult) -> String {
    let mut lines = outcome.as_of.as_ref().map(as_of_line).unwrap_or_default();
    if outcome.hits.is_empty() {
        return format!("{lines}nothing found\n");
    }
    for hit in &outcome.hits {
        let note_type = hit.note_type.as_deref().unwrap_or(hit.kind.name());
        lines.push_str(&format!(
            "{}  {}  {}\n",
            paint(ID, &shown_id(&hit.id)),
            paint(STRONG, &cut(&hit.title, 80)),
            paint(
                DIM,
                &format!(
                    "{}{}{}{}",
                    cut(note_type, 20),
                    state(hit.state.as_deref()),
                    score(hit.score),
                    by_meaning_only(hit.found_by)
                )
            ),
        ));
        if let Some(parts) = &hit.parts {
            lines
                .push_str(&format!("          {}\n", paint(DIM, &explained(parts, hit.drawn_by.as_deref()))));
        }
        if !hit.snippet.is_empty() {
            lines.push_str(&format!("          {}\n", cut(&hit.snippet, 200)));
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

/// A line with the commit that was searched.
fn as_of_line(as_of: &AsOf) -> String {
    let AsOf { commit, date, subject } = as_of;
    let line =
        format!("as of {} {}, commit {}  {}", date.day(), date.minute(), short(commit), cut(subject, 60));
    format!("{}\n", paint(DIM, &line))
}

/// The formula of a score with its values.
fn explained(parts: &HitScore, drawn_by: Option<&str>) -> String {
    let cosine = match (parts.fine, parts.coarse) {
        (Some(fine), _) => format!(" (cosine {fine:.2}, larger model)"),
        (None, Some(coarse)) => format!(" (cosine {coarse:.2}, small model)"),
        (None, None) => String::new(),
    };
    let by = drawn_by.map(|by| format!(" by {}", shown_id(by))).unwrap_or_default();
    format!(
        "words {:.2} (BM25 {:.1}), meaning {:.2}{cosine}: relevance {:.2}; graph {:+.2}{by}, age ×{:.2}, use ×{:.2}",
        parts.words, parts.bm25, parts.meaning, parts.relevance, parts.graph, parts.recency, parts.usefulness
    )
}

/// The state of a note that is not active.
fn state(state: Option<&str>) -> String {
    state.map(|state| format!(", {}", cut(state, 20))).unwrap_or_default()
}

/// A label for hits that were found only by meaning.
fn by_meaning_only(found_by: Option<FoundBy>) -> &'static str {
    if found_by == Some(FoundBy::Meaning) { " · by meaning only" } else { "" }
}

/// The score after a dot; empty if the query has no ranking.
fn score(score: f64) -> String {
    if score > 0.0 { format!(" · {score:.2}") } else { String::new() }
}
