//! The history of a note: each commit with its difference, and a button to restore its version.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, difference, note_address, session_address};
use cm_app::verbs::log::Commit;
use cm_app::verbs::session_receipts::RecordedSessions;
use cm_app::verbs::{history, why};
use cm_app::{Context, Result};
use cm_note::instant::Instant;
use cm_render::text::short;

/// Maximum number of versions on the page.
const MAX_VERSIONS: usize = 100;
/// Number of commits on the page of a note.
pub(super) const COMMITS_PER_NOTE: usize = 6;

/// The last commits of a note, which its page loads after the rest.
#[derive(Template)]
#[template(path = "commits.html")]
struct NoteCommits {
    commits: Vec<CommitRow>,
}

pub(super) struct CommitRow {
    pub(super) subject: String,
    pub(super) by: String,
    pub(super) at: ShownTime,
}

impl CommitRow {
    pub(super) fn of(commit: Commit, now: Instant) -> Self {
        Self {
            subject: commit.subject,
            by: commit.agent.unwrap_or(commit.actor),
            at: ShownTime::of(commit.at, now),
        }
    }
}

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryPage {
    shell: Shell,
    id: String,
    path: String,
    address: String,
    versions: Vec<Version>,
}

struct Version {
    /// Number of the version, from 1 for the oldest on the page.
    number: usize,
    /// Short hashes of the versions before and after it.
    older: Option<String>,
    newer: Option<String>,
    commit: String,
    short: String,
    subject: String,
    by: String,
    reason: Option<String>,
    /// Address of the session.
    session: Option<String>,
    at: ShownTime,
    moved_from: Option<String>,
    difference: String,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    if request.query.has("commits") {
        return commits(context, request);
    }
    let found = history::history(context, &request.reference, MAX_VERSIONS)?;
    let (now, sessions) = (context.now(), RecordedSessions::of(context));
    let hashes: Vec<String> =
        found.versions.iter().map(|version| short(&version.commit.id).to_owned()).collect();
    let versions = found.versions.into_iter().enumerate().map(|(at, version)| Version {
        number: hashes.len() - at,
        older: hashes.get(at + 1).cloned(),
        newer: at.checked_sub(1).and_then(|newer| hashes.get(newer).cloned()),
        short: hashes[at].clone(),
        subject: version.commit.subject,
        by: version.commit.agent.unwrap_or(version.commit.actor),
        reason: version.commit.reason,
        session: version.commit.session.and_then(|id| session_address(&sessions, &id)),
        at: ShownTime::of(version.commit.at, now),
        moved_from: version.moved_from,
        difference: difference(&version.diff),
        commit: version.commit.id,
    });
    render(&HistoryPage {
        address: note_address(&found.id),
        versions: versions.collect(),
        shell: Shell::of(context, request, "", format!("History of {}", found.path)),
        id: found.id,
        path: found.path,
    })
}

fn commits(context: &Context, request: &PageRequest) -> Result<String> {
    let found = why::note_commits(context, &request.reference, COMMITS_PER_NOTE)?;
    let rows = found.into_iter().map(|commit| CommitRow::of(commit, context.now()));
    render(&NoteCommits { commits: rows.collect() })
}
