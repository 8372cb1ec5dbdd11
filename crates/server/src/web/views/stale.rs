//! Rules without recent feedback, and observations that are settled.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::stale;
use cm_app::{Context, Result};

/// Maximum number of rows on the page.
const MAX_ROWS: usize = 200;

#[derive(Template)]
#[template(path = "stale.html")]
struct StalePage {
    shell: Shell,
    days: f64,
    total: usize,
    rules: Vec<Rule>,
    observations: Vec<Observation>,
}

struct Rule {
    id: String,
    address: String,
    content: String,
    days: u64,
    score: String,
}

struct Observation {
    address: String,
    title: String,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let found = stale::stale(context, &stale::Options { days: None, limit: MAX_ROWS })?;
    let rules = found.bullets.into_iter().map(|bullet| Rule {
        address: note_address(&bullet.row.id),
        id: bullet.row.id,
        content: bullet.row.content,
        days: bullet.days,
        score: format!("{:.2}", bullet.row.score.value()),
    });
    let observations = found
        .observations
        .into_iter()
        .map(|note| Observation { address: note_address(&note.id), title: note.title });
    render(&StalePage {
        rules: rules.collect(),
        observations: observations.collect(),
        shell: Shell::of(context, request, "stale", "Stale"),
        days: found.days,
        total: found.total,
    })
}
