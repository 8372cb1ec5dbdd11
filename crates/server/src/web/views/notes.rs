//! The list of all notes, which a site of files has in place of a search.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, count, note_address, type_words};
use cm_app::{Context, Result};
use cm_note::note::Note;

/// Number of notes on a page.
const NOTES_PER_PAGE: usize = 500;

#[derive(Template)]
#[template(path = "notes.html")]
struct NotesPage {
    shell: Shell,
    total: String,
    page: usize,
    pages: usize,
    groups: Vec<Group>,
}

struct Group {
    kind: &'static str,
    notes: Vec<Row>,
}

struct Row {
    title: String,
    address: String,
    kind: String,
    changed: Option<ShownTime>,
}

/// Number of pages that a number of notes fills, at least one.
pub(in crate::web) fn pages(notes: usize) -> usize {
    notes.div_ceil(NOTES_PER_PAGE).max(1)
}

/// Shows a page of these notes, which are sorted by kind. Pages begin with 1.
pub(in crate::web) fn show(
    context: &Context,
    request: &PageRequest,
    notes: &[&Note],
    page: usize,
) -> Result<String> {
    let mut groups: Vec<Group> = Vec::new();
    for note in notes.iter().skip((page - 1) * NOTES_PER_PAGE).take(NOTES_PER_PAGE) {
        let kind = note.kind.name();
        let row = Row {
            title: note.title.clone(),
            address: note_address(note.key()),
            kind: type_words(note.note_type.as_deref(), note.kind),
            changed: ShownTime::maybe(note.updated.or(note.created), context.now()),
        };
        match groups.last_mut().filter(|group| group.kind == kind) {
            Some(group) => group.notes.push(row),
            None => groups.push(Group { kind, notes: vec![row] }),
        }
    }
    render(&NotesPage {
        shell: Shell::of(context, request, "search", "Notes"),
        total: count(notes.len(), "note"),
        page,
        pages: pages(notes.len()),
        groups,
    })
}
