//! The search page: hits while typing, with the parts of each score on demand.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, count, marked, note_address, type_words};
use cm_app::verbs::search::{self, SearchHit};
use cm_app::{Context, Result};

/// Number of hits on a page.
const HITS_PER_PAGE: usize = 20;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    shell: Shell,
    query: String,
    explains: bool,
    /// `None` before a question was asked.
    found: Option<Found>,
}

struct Found {
    summary: String,
    hits: Vec<Hit>,
    notices: Vec<String>,
    /// Address of the next page.
    next: Option<String>,
}

struct Hit {
    title: String,
    /// Path of the note, if another hit on the page has the same title.
    path: Option<String>,
    address: String,
    kind: String,
    snippet: String,
    state: Option<String>,
    tags: Vec<String>,
    changed: Option<ShownTime>,
    weak: bool,
    by_meaning: bool,
    parts: Vec<(&'static str, String)>,
    vault: &'static str,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let query = request.query.get("q").unwrap_or_default().to_owned();
    let explains = request.query.has("explain");
    let found = if query.is_empty() { None } else { Some(find(context, request, &query, explains)?) };
    let mut shell = Shell::of(context, request, "search", if query.is_empty() { "Search" } else { &query });
    shell.query.clone_from(&query);
    render(&SearchPage { shell, query, explains, found })
}

fn find(context: &Context, request: &PageRequest, query: &str, explains: bool) -> Result<Found> {
    let options = search::Options {
        query: query.to_owned(),
        limit: Some(HITS_PER_PAGE),
        offset: request.query.number("offset").unwrap_or(0),
        explain: explains,
        ..search::Options::default()
    };
    let result = search::search(context, &options)?;
    let titles: Vec<String> = result.hits.iter().map(|hit| hit.title.clone()).collect();
    let mut again = form_urlencoded::Serializer::new(String::new());
    again.append_pair("q", query);
    if explains {
        again.append_pair("explain", "1");
    }
    Ok(Found {
        summary: if result.hits.is_empty() {
            "Nothing found".to_owned()
        } else if result.answered == Some(false) {
            "Nothing here clearly answers this. The nearest notes:".to_owned()
        } else {
            count(result.total, "note")
        },
        next: result.next.map(|next| format!("/search?{}&offset={next}", again.finish())),
        hits: result
            .hits
            .into_iter()
            .map(|one| {
                let is_ambiguous = titles.iter().filter(|title| **title == one.title).count() > 1;
                hit(one, is_ambiguous, context)
            })
            .collect(),
        notices: result.notices,
    })
}

fn hit(hit: SearchHit, is_ambiguous: bool, context: &Context) -> Hit {
    let parts = hit.parts.map_or_else(Vec::new, |parts| {
        let shown = |value: f64| format!("{value:.3}");
        let meaning = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), shown);
        vec![
            ("words", shown(parts.words)),
            ("coverage", shown(parts.coverage)),
            ("coarse meaning", meaning(parts.coarse)),
            ("fine meaning", meaning(parts.fine)),
            ("relevance", shown(parts.relevance)),
            ("conversation", shown(parts.conversation)),
            ("graph", shown(parts.graph)),
            ("time", shown(parts.time)),
            ("recency", shown(parts.recency)),
            ("usefulness", shown(parts.usefulness)),
            ("scale", shown(parts.scale)),
        ]
    });
    Hit {
        path: is_ambiguous.then_some(hit.path),
        title: marked(&hit.title, &hit.title_matches),
        address: note_address(&hit.id),
        kind: type_words(hit.note_type.as_deref(), hit.kind),
        snippet: marked(&hit.snippet, &hit.matches),
        state: hit.state,
        tags: hit.tags,
        changed: ShownTime::maybe(hit.updated, context.now()),
        weak: hit.weak,
        by_meaning: hit.found_by == Some(cm_app::context::retrieve::FoundBy::Meaning),
        parts,
        vault: hit.vault.name(),
    }
}
