//! Editing a note as text, with the revision that was read; and writing a new one.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::note_address;
use cm_app::verbs::{edit, get};
use cm_app::{Context, Result, RevisionConflict};

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
}

pub(in crate::web) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let note = edit::text(memory, &request.reference)?;
    render(&EditPage {
        address: note_address(&note.id),
        theirs: None,
        problem: None,
        text: note.text,
        revision: note.revision,
        shell: Shell::of(memory, request, "", format!("Edit {}", note.title)),
        id: note.id,
        title: note.title,
        path: note.path,
    })
}

/// The page after a conflict: the person's text beside the stored one.
pub(in crate::web) fn conflict(
    memory: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    conflict: RevisionConflict,
) -> Result<String> {
    let note = get::get(memory, id, None)?;
    render(&EditPage {
        address: note_address(&note.id),
        theirs: Some(conflict.current),
        problem: Some(
            "Somebody changed this note while you were editing it. Nothing was saved yet.".to_owned(),
        ),
        text,
        revision: conflict.revision,
        shell: Shell::of(memory, request, "", format!("Edit {}", note.title)),
        id: note.id,
        title: note.title,
        path: note.path,
    })
}

/// The page after a text with errors: nothing was saved.
pub(in crate::web) fn refused(
    memory: &Context,
    request: &PageRequest,
    id: &str,
    text: String,
    (revision, problem): (String, String),
) -> Result<String> {
    let note = get::get(memory, id, None)?;
    render(&EditPage {
        address: note_address(&note.id),
        theirs: None,
        problem: Some(problem),
        text,
        revision,
        shell: Shell::of(memory, request, "", format!("Edit {}", note.title)),
        id: note.id,
        title: note.title,
        path: note.path,
    })
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
