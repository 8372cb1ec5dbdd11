//! All that an agent is offered: operations to call, resources to read, and values to complete.

use super::Operation;
use cm_app::{Memory, Result};

/// What a server offers, as tables.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// What can be called.
    pub operations: &'static [Operation],
    /// What can be read by a fixed address, in the order in which it is listed.
    pub resources: &'static [Resource],
    /// A note by its id.
    pub note: fn(&Memory, &str) -> Result<Contents>,
    /// The notes that are listed beside the resources: those that changed last, few.
    pub recent: fn(&Memory) -> Result<Vec<Found>>,
    /// Values that begin with what was typed, the likeliest first. At most a hundred of them are shown.
    pub suggest: fn(&Memory, Suggest, &str) -> Result<Vec<String>>,
}

/// Something to read by a fixed address.
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    /// Its address, such as `cm://core`.
    pub uri: &'static str,
    /// Its name for programs.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What is in it, in a sentence.
    pub description: &'static str,
    /// Its media type.
    pub mime: &'static str,
    /// Whether a change of the file with this path, relative to the vault, changes it.
    pub changes_with: fn(&str) -> bool,
    /// Reads it.
    pub read: fn(&Memory) -> Result<Contents>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Its media type.
    pub mime: &'static str,
    /// Its text.
    pub text: String,
}

/// A note that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// What is to be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suggest {
    /// The id of a note.
    Id,
    /// A category of the playbook.
    Category,
    /// A type of memory.
    Type,
}
