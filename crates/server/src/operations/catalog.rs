//! The catalog for agents: operations to call, resources to read, and values to complete.

use super::OperationSpec;
use cm_app::{Context, Result};

/// The catalog of a server.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    pub operations: &'static [OperationSpec],
    /// Resources with a fixed URI, in display order.
    pub resources: &'static [Resource],
    /// Reads a note by its id.
    pub note: fn(&Context, &str) -> Result<Contents>,
    /// The few most recently changed notes, which are listed in addition to the resources.
    pub recent: fn(&Context) -> Result<Vec<ListedNote>>,
    /// Completions of a prefix, most likely first; clients show at most a hundred.
    pub complete: fn(&Context, CompletionKind, &str) -> Result<Vec<String>>,
}

/// A resource with a fixed URI.
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    /// URI, such as `cm://core`.
    pub uri: &'static str,
    /// Name for programs.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// One-sentence description.
    pub description: &'static str,
    /// Media type.
    pub mime: &'static str,
    /// Whether a change of the file with this path, relative to the vault, changes the resource.
    pub changes_with: fn(&str) -> bool,
    pub read: fn(&Context) -> Result<Contents>,
}

/// Contents of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub mime: &'static str,
    pub text: String,
}

/// A note in the list of resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNote {
    pub id: String,
    pub title: String,
}

/// Kinds of values that can be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// IDs of notes.
    Id,
    /// Categories of the playbook.
    Category,
    /// Types of memories.
    Type,
}
