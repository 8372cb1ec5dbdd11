//! The commits of the vault, each with a button to take it back.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address};
use cm_app::verbs::log;
use cm_app::{Context, Result};

/// Number of commits on the page.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage {
    shell: Shell,
    commits: Vec<CommitRow>,
}

struct CommitRow {
    id: String,
    short: String,
    subject: String,
    op: Option<String>,
    by: String,
    agent: Option<String>,
    reason: Option<String>,
    at: ShownTime,
    notes: Vec<(String, String)>,
}

pub(in crate::web) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let commits = log::log(memory, &log::Options { limit: SHOWN, ..log::Options::default() })?.commits;
    let now = memory.now();
    let rows = commits.into_iter().map(|commit| CommitRow {
        short: commit.id.chars().take(10).collect(),
        id: commit.id,
        subject: commit.subject,
        op: commit.op,
        by: commit.actor,
        agent: commit.agent,
        reason: commit.reason,
        at: ShownTime::of(commit.at, now),
        notes: commit.ids.into_iter().take(3).map(|id| (note_address(&id), id)).collect(),
    });
    render(&LogPage { commits: rows.collect(), shell: Shell::of(memory, request, "log", "Log") })
}
