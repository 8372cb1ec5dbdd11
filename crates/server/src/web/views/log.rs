//! The commits of the vault, each with a button to take it back.

use std::collections::{HashMap, HashSet};

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address};
use cm_app::verbs::log;
use cm_app::{Context, Result};
use cm_text::shorten::short_line;

/// Number of commits on the page.
const COMMITS_PER_PAGE: usize = 100;
/// Maximum number of notes of a commit that are listed.
const MAX_COMMIT_NOTES: usize = 3;
/// Maximum length of their titles, in characters.
const MAX_TITLE_CHARS: usize = 60;

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
    can_undo: bool,
    by: String,
    agent: Option<String>,
    reason: Option<String>,
    at: ShownTime,
    /// The first notes of the commit: title, and address unless the note is gone.
    notes: Vec<(String, Option<String>)>,
    /// Number of further notes.
    more: usize,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let commits =
        log::log(context, &log::Options { limit: COMMITS_PER_PAGE, ..log::Options::default() })?.commits;
    let now = context.now();
    let listed = |ids: &[String]| ids.iter().take(MAX_COMMIT_NOTES).cloned().collect::<Vec<_>>();
    let listed_ids: HashSet<String> = commits.iter().flat_map(|commit| listed(&commit.ids)).collect();
    let notes = context.notes_of(context.target())?;
    let listed_notes = notes.iter().filter(|note| listed_ids.contains(note.key()));
    let titles: HashMap<&str, String> =
        listed_notes.map(|note| (note.key(), short_line(&note.title, MAX_TITLE_CHARS))).collect();
    let link = |id: &String| match titles.get(id.as_str()) {
        Some(title) => (title.clone(), Some(note_address(id))),
        None => (id.clone(), None),
    };
    let rows = commits.into_iter().map(|commit| CommitRow {
        short: commit.id.chars().take(10).collect(),
        id: commit.id,
        subject: commit.subject,
        can_undo: commit.can_undo,
        op: commit.op,
        by: commit.actor,
        agent: commit.agent,
        reason: commit.reason,
        at: ShownTime::of(commit.at, now),
        notes: commit.ids.iter().take(MAX_COMMIT_NOTES).map(link).collect(),
        more: commit.ids.len().saturating_sub(MAX_COMMIT_NOTES),
    });
    render(&LogPage { commits: rows.collect(), shell: Shell::of(context, request, "log", "Log") })
}
