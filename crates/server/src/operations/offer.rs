//! The catalog for agents: operations to call, resources to read, and values to complete.

use super::Operation;
use cm_app::{Memory, Result};

/// The catalog of a server.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// Operations.
    pub operations: &'static [Operation],
    /// Resources with a fixed URI, in display order.
    pub resources: &'static [Resource],
    /// Reads a note by its id.
    pub note: fn(&Memory, &str) -> Result<Contents>,
    /// The few most recently changed notes, which are listed in addition to the resources.
    pub recent: fn(&Memory) -> Result<Vec<Found>>,
    /// Completions of a prefix, most likely first; clients show at most a hundred.
    pub suggest: fn(&Memory, Suggest, &str) -> Result<Vec<String>>,
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
    /// Reads the resource.
    pub read: fn(&Memory) -> Result<Contents>,
}

/// Contents of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub mime: &'static str,
    pub text: String,
}

/// A note in the list of resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub id: String,
    pub title: String,
}

/// Kinds of values that can be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggest {
    /// IDs of notes.
    Id,
    /// Categories of the playbook.
    Category,
    /// Types of memories.
    Type,
}
