//! Lists the tags of the vaults with their frequency.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::refresh::VaultNotes;
use crate::error::Result;

/// A tag and its frequency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagCount {
    /// Name of the tag, without `#`.
    pub tag: String,
    /// Number of notes with this tag.
    pub notes: usize,
}

/// All tags, most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagList {
    /// Tags, ordered by frequency, then by name.
    pub tags: Vec<TagCount>,
    /// Number of distinct tags.
    pub total: usize,
}

/// Counts the tags of all open vaults. `under` limits the list to that tag and the tags nested
/// below it.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn tags(memory: &Context, under: Option<&str>) -> Result<TagList> {
    let shelves = memory.notes()?;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for tag in shelves.iter().flat_map(VaultNotes::notes).flat_map(|note| &note.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    let below = |tag: &str| {
        under.is_none_or(|top| tag == top || tag.strip_prefix(top).is_some_and(|rest| rest.starts_with('/')))
    };
    let mut tags: Vec<TagCount> = counts
        .into_iter()
        .filter(|(tag, _)| below(tag))
        .map(|(tag, notes)| TagCount { tag: tag.to_owned(), notes })
        .collect();
    tags.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.tag.cmp(&b.tag)));
    let total = tags.len();
    Ok(TagList { tags, total })
}
