//! The origin of each line of a note: the commit that last changed it, with its session.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address, session_address};
use cm_app::verbs::line_origins::{self, LineOrigin};
use cm_app::verbs::log::Commit;
use cm_app::verbs::session_receipts::RecordedSessions;
use cm_app::{Context, Result};
use cm_render::html;

#[derive(Template)]
#[template(path = "origins.html")]
struct OriginsPage {
    shell: Shell,
    path: String,
    address: String,
    groups: Vec<LineGroup>,
}

/// Consecutive lines with the same commit.
struct LineGroup {
    /// `None` for lines that are not committed.
    commit: Option<CommitOrigin>,
    /// Number of the first line, from 1.
    first: usize,
    lines: Vec<String>,
}

struct CommitOrigin {
    short: String,
    subject: String,
    by: String,
    /// Address of the session.
    session: Option<String>,
    at: ShownTime,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let found = line_origins::line_origins(context, &request.reference)?;
    render(&OriginsPage {
        address: note_address(&found.id),
        groups: groups(context, &found.lines, &found.commits),
        shell: Shell::of(context, request, "", format!("Origin of the lines of {}", found.path)),
        path: found.path,
    })
}

fn groups(context: &Context, lines: &[LineOrigin], commits: &[Commit]) -> Vec<LineGroup> {
    let (mut first, sessions) = (1, RecordedSessions::of(context));
    let group = |lines: &[LineOrigin]| {
        let commit = lines.first().and_then(|line| commits.get(line.commit?));
        let group = LineGroup {
            commit: commit.map(|commit| origin(context, &sessions, commit)),
            first,
            lines: lines.iter().map(|line| html::shown(&line.text).into_owned()).collect(),
        };
        first += lines.len();
        group
    };
    lines.chunk_by(|a, b| a.commit == b.commit).map(group).collect()
}

fn origin(context: &Context, sessions: &RecordedSessions<'_>, commit: &Commit) -> CommitOrigin {
    CommitOrigin {
        short: commit.id.chars().take(10).collect(),
        subject: commit.subject.clone(),
        by: commit.agent.clone().unwrap_or_else(|| commit.actor.clone()),
        session: commit.session.as_deref().and_then(|id| session_address(sessions, id)),
        at: ShownTime::of(commit.at, context.now()),
    }
}
