//! Lists the tags of the vaults with their frequency.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::Memory;
use super::read::Shelf;

/// A tag and its frequency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tag {
    /// Name of the tag, without `#`.
    pub tag: String,
    /// Number of notes with this tag.
    pub notes: usize,
}

/// All tags, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tags {
    /// Tags, ordered by frequency, then by name.
    pub tags: Vec<Tag>,
    /// Number of distinct tags.
    pub total: usize,
}

/// Counts the tags of all open vaults. `under` limits the list to that tag and the tags nested
/// below it.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn tags(memory: &Memory, under: Option<&str>) -> Result<Tags> {
    let shelves = memory.notes()?;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for tag in shelves.iter().flat_map(Shelf::notes).flat_map(|note| &note.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let below = |tag: &str| {
        under.is_none_or(|top| tag == top || tag.strip_prefix(top).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut tags: Vec<Tag> = counts
        .into_iter()
        .filter(|(tag, _)| below(tag))
        .map(|(tag, notes)| Tag { tag: tag.to_owned(), notes })
        .collect();
    tags.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.tag.cmp(&b.tag)));
    let total = tags.len();
    Ok(Tags { tags, total })
}
