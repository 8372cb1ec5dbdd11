//! The home page: what changed lately, what waits, and how much there is.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address};
use cm_app::verbs::{log, recent, review, stats};
use cm_app::{Context, Result};

/// Number of notes and of commits on the page.
const SHOWN: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    shell: Shell,
    counts: Vec<Count>,
    waiting: Vec<Count>,
    notes: Vec<Row>,
    commits: Vec<CommitRow>,
}

struct Count {
    label: String,
    count: usize,
    address: String,
}

struct Row {
    title: String,
    address: String,
    kind: String,
    changed: Option<ShownTime>,
}

struct CommitRow {
    subject: String,
    actor: String,
    at: ShownTime,
}

pub(super) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let now = memory.now();
    let kinds = stats::kinds(memory)?;
    let counts = kinds.into_iter().map(|(kind, count)| Count {
        label: kind.name().to_owned(),
        count,
        address: format!("/search?q=kind:{}", kind.name()),
    });
    let inbox = review::inbox(memory, &review::Options { section: None, limit: 0 })?;
    let waiting = inbox.sections.iter().filter(|section| section.total > 0).map(|section| Count {
        label: super::review::heading(section.kind).to_owned(),
        count: section.total,
        address: format!("/review#{}", section.kind.name()),
    });
    let notes =
        recent::recent(memory, &recent::Options { limit: SHOWN, ..recent::Options::default() })?.notes;
    let commits = log::log(memory, &log::Options { limit: SHOWN, ..log::Options::default() })
        .map_or_else(|_| Vec::new(), |list| list.commits);
    render(&HomePage {
        counts: counts.collect(),
        waiting: waiting.collect(),
        notes: notes
            .into_iter()
            .map(|note| Row {
                address: note_address(&note.id),
                title: note.title,
                kind: note.note_type.unwrap_or_else(|| note.kind.name().to_owned()),
                changed: ShownTime::maybe(note.updated, now),
            })
            .collect(),
        commits: commits
            .into_iter()
            .map(|commit| CommitRow {
                subject: commit.subject,
                actor: commit.agent.unwrap_or(commit.actor),
                at: ShownTime::of(commit.at, now),
            })
            .collect(),
        shell: Shell::of(memory, request, "home", "Home"),
    })
}
