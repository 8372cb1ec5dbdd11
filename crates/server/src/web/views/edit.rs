//! Editing a note as text, with the revision that was read; and writing a new one.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::edit::{self, NoteText};
use cm_app::{Context, Result, RevisionConflict};
use cm_note::frontmatter::split::Split;
use cm_render::html;

#[derive(Template)]
#[template(path = "edit.html")]
struct EditPage {
    shell: Shell,
    id: String,
    title: String,
    path: String,
    address: String,
    text: String,
    revision: String,
    /// The stored text after a conflict.
    theirs: Option<String>,
    problem: Option<String>,
    /// Whether saving can accept the draft as well, and the address to return to then.
    accepts: bool,
    back: String,
    /// The text as HTML.
    preview: Option<String>,
}

pub(in crate::web) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    page(memory, request, edit::text(memory, &request.reference)?, None, None)
}

/// The page after a conflict: the person's text beside the stored one.
pub(in crate::web) fn conflict(
    memory: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    conflict: RevisionConflict,
) -> Result<String> {
    let note = NoteText { text, revision: conflict.revision, ..edit::text(memory, id)? };
    let problem = "Somebody changed this note while you were editing it. Nothing was saved yet.".to_owned();
    page(memory, request, note, Some(conflict.current), Some(problem))
}

/// The page after a text with errors: nothing was saved.
pub(in crate::web) fn refused(
    memory: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    problem: String,
) -> Result<String> {
    page(memory, request, NoteText { text, ..edit::text(memory, id)? }, None, Some(problem))
}

/// The page with a preview of a text that is not saved.
pub(in crate::web) fn preview(
    memory: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    revision: String,
) -> Result<String> {
    let note = NoteText { text, revision, ..edit::text(memory, id)? };
    let preview = html::note(Split::of(&note.text).body(), &note.path);
    render(&EditPage { preview: Some(preview), ..filled(memory, request, note, None, None) })
}

fn page(
    memory: &Context,
    request: &PageRequest,
    note: NoteText,
    theirs: Option<String>,
    problem: Option<String>,
) -> Result<String> {
    render(&filled(memory, request, note, theirs, problem))
}

fn filled(
    memory: &Context,
    request: &PageRequest,
    note: NoteText,
    theirs: Option<String>,
    problem: Option<String>,
) -> EditPage {
    let accepts = request.query.get("then") == Some("accept");
    EditPage {
        accepts,
        preview: None,
        back: if accepts { "/review".to_owned() } else { request.address.clone() },
        address: note_address(&note.id),
        theirs,
        problem,
        text: note.text,
        revision: note.revision,
        shell: Shell::of(memory, request, "", format!("Edit {}", note.title)),
        id: note.id,
        title: note.title,
        path: note.path,
    }
}

#[derive(Template)]
#[template(path = "new.html")]
struct NewPage {
    shell: Shell,
    text: String,
    types: Vec<String>,
}

pub(in crate::web) fn new(memory: &Context, request: &PageRequest) -> Result<String> {
    let types = memory.target().settings.types.iter().map(|one| one.name.clone()).collect();
    let text = request.query.get("text").unwrap_or_default().to_owned();
    render(&NewPage { text, types, shell: Shell::of(memory, request, "", "New note") })
}
