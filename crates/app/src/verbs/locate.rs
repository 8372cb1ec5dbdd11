//! Finds the file of a note, for programs that open it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find;
use crate::context::open::Context;
use crate::error::Result;

/// Where a note is on this computer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteLocation {
    /// Note id, or its path if it has none.
    pub id: String,
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Absolute path of the note's file.
    pub file: PathBuf,
    /// Whether the vault, or a folder above it, is an Obsidian vault.
    pub is_in_obsidian: bool,
}

/// Finds a note and its file.
///
/// # Errors
/// Returns an error if no note, or more than one, matches the reference.
pub fn locate(context: &Context, reference: &str) -> Result<NoteLocation> {
    let found = find(context, reference)?;
    let file = found.open.vault.file(&found.note.path);
    let is_in_obsidian = file.ancestors().any(|folder| folder.join(".obsidian").is_dir());
    Ok(NoteLocation {
        id: found.note.key().to_owned(),
        title: found.note.title.clone(),
        path: found.note.path.to_string(),
        file,
        is_in_obsidian,
    })
}
