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
    /// Name of the tag, without `#`, in the letter case of its first use.
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

/// Counts the tags of all open vaults, ignoring letter case. `under` limits the list to that tag
/// and the tags nested below it.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub fn tags(context: &Context, under: Option<&str>) -> Result<TagList> {
    let vaults = context.notes()?;
    let mut counts: Vec<(String, TagCount)> = Vec::new();
    let mut folded: HashMap<String, usize> = HashMap::new();
    // By the tag as it is written, because most notes share their tags.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for note in vaults.iter().flat_map(VaultNotes::notes) {
        let mut of_note: Vec<usize> = Vec::with_capacity(note.tags.len());
        for tag in &note.tags {
            let number = *numbers.entry(tag).or_insert_with(|| {
                let key = tag.to_lowercase();
                *folded.entry(key.clone()).or_insert_with(|| {
                    counts.push((key, TagCount { tag: tag.clone(), notes: 0 }));
                    counts.len() - 1
                })
            });
            if !of_note.contains(&number) {
                of_note.push(number);
                counts[number].1.notes += 1;
            }
        }
    }
    let under = under.map(str::to_lowercase);
    let below = |tag: &str| {
        let rest = under.as_deref().map(|top| tag.strip_prefix(top));
        rest.is_none_or(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let mut tags: Vec<TagCount> =
        counts.into_iter().filter(|(key, _)| below(key)).map(|(_, count)| count).collect();
    tags.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.tag.cmp(&b.tag)));
    let total = tags.len();
    Ok(TagList { tags, total })
}
