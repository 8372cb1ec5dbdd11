//! The inbox: everything that waits for a person, with what they need to decide.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address};
use cm_app::verbs::review::{self, InboxEntry, InboxKind, InboxNote};
use cm_app::verbs::{get, why};
use cm_app::{Context, Result};
use cm_render::html;

/// Maximum number of entries of a section on the page.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    shell: Shell,
    total: usize,
    sections: Vec<Section>,
}

struct Section {
    kind: &'static str,
    heading: &'static str,
    explanation: &'static str,
    total: usize,
    entries: Vec<InboxRow>,
}

struct InboxRow {
    why: String,
    since: Option<ShownTime>,
    sides: Vec<Side>,
    can_accept: bool,
    can_merge: bool,
    can_confirm: bool,
    /// Suggested text of a merge.
    merged: String,
}

/// A note to decide on.
struct Side {
    id: String,
    address: String,
    title: String,
    kind: String,
    body: String,
    quotes: Vec<String>,
    score: Option<String>,
}

/// The heading of a section.
pub(super) fn heading(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Drafts => "Drafts",
        InboxKind::Conflicts => "Contradictions",
        InboxKind::Quarantined => "Quarantined",
        InboxKind::Merges => "Nearly the same",
        InboxKind::Due => "Due for another look",
        InboxKind::Inversions => "Harmful without an opposite",
        InboxKind::NotFollowed => "Not followed",
    }
}

fn explanation(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Drafts => "Agents do not see a draft until it is accepted or enough evidence admits it.",
        InboxKind::Conflicts => "Both cannot be followed. Reject the one that does not hold.",
        InboxKind::Quarantined => {
            "Kept away from agents: drafts of memories, and notes with hidden characters."
        }
        InboxKind::Merges => {
            "Two rules that nearly say the same become one, which keeps the evidence of both."
        }
        InboxKind::Due => "Confirm what still holds; reject what does not.",
        InboxKind::Inversions => "Retired because they caused harm.",
        InboxKind::NotFollowed => "People repeated these rules although the agent had been shown them.",
    }
}

pub(super) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let inbox = review::inbox(memory, &review::Options { section: None, limit: SHOWN })?;
    let mut sections = Vec::new();
    for section in inbox.sections.into_iter().filter(|section| section.total > 0) {
        let kind = section.kind;
        let entries = section.items.into_iter().map(|item| entry(memory, kind, item));
        sections.push(Section {
            kind: kind.name(),
            heading: heading(kind),
            explanation: explanation(kind),
            total: section.total,
            entries: entries.collect::<Result<_>>()?,
        });
    }
    render(&ReviewPage { shell: Shell::of(memory, request, "review", "Inbox"), total: inbox.total, sections })
}

fn entry(memory: &Context, kind: InboxKind, item: InboxEntry) -> Result<InboxRow> {
    let offers = |word: &str| item.commands.iter().any(|command| command.contains(&format!("--{word} ")));
    let (can_accept, can_confirm) = (offers("accept"), offers("confirm"));
    let sides: Vec<Side> = item.notes.into_iter().map(|note| side(memory, note)).collect::<Result<_>>()?;
    Ok(InboxRow {
        why: item.why,
        since: ShownTime::maybe(item.since, memory.now()),
        can_accept,
        can_merge: kind == InboxKind::Merges && sides.len() == 2,
        can_confirm,
        merged: sides
            .iter()
            .map(|side| side.title.as_str())
            .max_by_key(|text| text.len())
            .unwrap_or_default()
            .to_owned(),
        sides,
    })
}

fn side(memory: &Context, note: InboxNote) -> Result<Side> {
    let evidence = why::why(memory, &note.id, 0)?;
    let body = get::get(memory, &note.id, None)?.body;
    Ok(Side {
        address: note_address(&note.id),
        body: html::note(&body, &note.path),
        quotes: evidence.derived_from.quotes,
        score: evidence.score.map(|score| format!("{:.2}", score.score.value())),
        id: note.id,
        title: note.title,
        kind: note.note_type,
    })
}
