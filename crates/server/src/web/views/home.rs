//! The home page: what changed lately, what waits, and how much there is.

use askama::Template;

use super::history::CommitRow;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, kind_noun, note_address, type_words};
use cm_app::verbs::{inbox, log, recent, stats};
use cm_app::{Context, Result};
use cm_render::text::review::heading;

/// Number of notes and of commits on the page.
const LIST_LENGTH: usize = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    shell: Shell,
    counts: Vec<Count>,
    /// Sections of the inbox that are not empty; `None` until they are asked for.
    waiting: Option<Vec<Count>>,
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

/// The sections of the inbox that are not empty.
fn waiting(context: &Context) -> Result<Vec<Count>> {
    let inbox = inbox::inbox(context, &inbox::Options { section: None, limit: 0 })?;
    let waiting = inbox.sections.iter().filter(|section| section.total > 0).map(|section| Count {
        label: heading(section.kind).to_owned(),
        count: section.total,
        address: format!("/review#{}", section.kind.name()),
    });
    Ok(waiting.collect())
}

/// The last commits; none without a repository, and at an earlier time, because the log begins with the newest commit.
fn commits(context: &Context) -> Result<Vec<log::Commit>> {
    if context.read_at().is_some() {
        return Ok(Vec::new());
    }
    match log::log(context, &log::Options { limit: LIST_LENGTH, ..log::Options::default() }) {
        Ok(list) => Ok(list.commits),
        Err(error) if error.is_no_repository() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let now = context.now();
    let kinds = stats::kinds(context)?;
    let counts = kinds.into_iter().map(|(kind, count)| Count {
        label: kind_noun(kind, count).to_owned(),
        count,
        address: format!("/search?q=kind:{}", kind.name()),
    });
    // The inbox compares all rules with each other, so that an open page shows it when it is ready.
    let waiting = if request.query.has("waiting") { Some(waiting(context)?) } else { None };
    let notes =
        recent::recent(context, &recent::Options { limit: LIST_LENGTH, ..recent::Options::default() })?.notes;
    let commits = commits(context)?;
    render(&HomePage {
        counts: counts.collect(),
        waiting,
        notes: notes
            .into_iter()
            .map(|note| Row {
                address: note_address(&note.id),
                title: note.title,
                kind: type_words(note.note_type.as_deref(), note.kind),
                changed: ShownTime::maybe(note.updated, now),
            })
            .collect(),
        commits: commits.into_iter().map(|commit| CommitRow::of(commit, now)).collect(),
        shell: Shell::of(context, request, "home", "Home"),
    })
}
