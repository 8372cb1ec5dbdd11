//! What reading a file gives: the note, and its body's outline.

use crate::domain::markdown::Outline;
use crate::domain::note::Note;

/// A note as read from its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What is kept of it.
    pub note: Note,
    /// What is indexed of its body.
    pub outline: Outline,
}
