//! Editing a note as text, with the revision that was read; and writing a new one.

use askama::Template;

use crate::operations::worded;
use crate::web::forms::Fields;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::edit::{self, NoteText};
use cm_app::{Context, Error, Result, RevisionConflict};
use cm_note::frontmatter::split::Split;
use cm_note::user_text::Interface;
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

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    page(context, request, edit::text(context, &request.reference)?, None, None)
}

/// The page after a conflict: the person's text beside the stored one.
pub(in crate::web) fn conflict(
    context: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    conflict: RevisionConflict,
) -> Result<String> {
    let note = NoteText { text, revision: conflict.revision, ..edit::text(context, id)? };
    let problem = "Somebody changed this note while you were editing it. Nothing was saved yet.".to_owned();
    page(context, request, note, Some(conflict.current), Some(problem))
}

/// The page after a text with errors: nothing was saved.
pub(in crate::web) fn refused(
    context: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    problem: String,
) -> Result<String> {
    page(context, request, NoteText { text, ..edit::text(context, id)? }, None, Some(problem))
}

/// The page with a preview of a text that is not saved.
pub(in crate::web) fn preview(
    context: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    revision: String,
) -> Result<String> {
    let note = NoteText { text, revision, ..edit::text(context, id)? };
    let preview = html::note(Split::of(&note.text).body(), &note.path);
    render(&EditPage { preview: Some(preview), ..filled(context, request, note, None, None) })
}

fn page(
    context: &Context,
    request: &PageRequest,
    note: NoteText,
    theirs: Option<String>,
    problem: Option<String>,
) -> Result<String> {
    render(&filled(context, request, note, theirs, problem))
}

fn filled(
    context: &Context,
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
        shell: Shell::of(context, request, "", format!("Edit {}", note.title)),
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
    chosen: String,
    tags: String,
    /// Why the text was not added, and what to do.
    problem: Option<(String, Option<String>)>,
}

pub(in crate::web) fn new(context: &Context, request: &PageRequest) -> Result<String> {
    render(&new_page(context, request, &request.query))
}

/// The form for a new note with what was typed, and why it was refused.
pub(in crate::web) fn not_added(
    context: &Context,
    request: &PageRequest,
    form: &Fields,
    error: &Error,
) -> Result<String> {
    let hint = error.hint.as_ref().map(|hint| worded(hint, Interface::Http));
    render(&NewPage { problem: Some((error.message.clone(), hint)), ..new_page(context, request, form) })
}

fn new_page(context: &Context, request: &PageRequest, fields: &Fields) -> NewPage {
    NewPage {
        text: fields.text("text").unwrap_or_default(),
        types: context.target().settings.types.iter().map(|one| one.name.clone()).collect(),
        chosen: fields.get("type").unwrap_or("observation").to_owned(),
        tags: fields.get("tags").unwrap_or_default().to_owned(),
        problem: None,
        shell: Shell::of(context, request, "", "New note"),
    }
}
