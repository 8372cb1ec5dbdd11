//! Notes that contradict each other, both sides beside each other.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address, type_name};
use cm_app::verbs::inbox::{self, InboxKind};
use cm_app::{Context, Result};

/// Maximum number of rows on the page.
const MAX_ROWS: usize = 200;

#[derive(Template)]
#[template(path = "conflicts.html")]
struct ConflictsPage {
    shell: Shell,
    conflicts: Vec<Conflict>,
}

struct Conflict {
    why: String,
    since: Option<ShownTime>,
    sides: Vec<Side>,
}

struct Side {
    title: String,
    address: String,
    kind: String,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let options = inbox::Options { section: Some(InboxKind::Conflicts), limit: MAX_ROWS };
    let inbox = inbox::inbox(context, &options)?;
    let items = inbox.sections.into_iter().flat_map(|section| section.items);
    let conflicts = items.map(|item| Conflict {
        why: item.why,
        since: ShownTime::maybe(item.since, context.now()),
        sides: item
            .notes
            .into_iter()
            .map(|note| Side {
                address: note_address(&note.id),
                title: note.title,
                kind: type_name(&note.note_type),
            })
            .collect(),
    });
    render(&ConflictsPage {
        conflicts: conflicts.collect(),
        shell: Shell::of(context, request, "conflicts", "Contradictions"),
    })
}
