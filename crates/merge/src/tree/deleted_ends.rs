//! Keeps a note that one side deleted while the other side made an edge to it: without the note, the edge would
//! lead nowhere.

use std::collections::BTreeMap;

use cm_note::note::read;

use super::MergeResult;
use super::pairing::{FileVersion, MergeItem, id_of};
use crate::Vocabulary;

/// Restores the deleted notes that an edge of the result leads to or starts from. A leftover asks about the deletion.
pub(super) fn restore(results: &mut Vec<MergeResult>, items: &[MergeItem<'_>], vocabulary: &Vocabulary<'_>) {
    let deleted = items.iter().filter_map(|item| match (item.base, item.ours, item.theirs) {
        (Some(base), None, Some(_)) | (Some(base), Some(_), None) => {
            Some((id_of(base.path, base.bytes)?, base))
        }
        _ => None,
    });
    let mut deleted: BTreeMap<String, FileVersion<'_>> = deleted.collect();
    for result in results.iter() {
        deleted.retain(|_, base| base.path != &result.path);
    }
    let mut ends: Vec<String> = Vec::new();
    if !deleted.is_empty() {
        for edge in results.iter().filter(|result| result.path.as_str().starts_with("graph/edges/")) {
            let note = read::read(&edge.path, &edge.bytes, vocabulary.types, vocabulary.relations).note;
            ends.extend(note.edge.into_iter().flat_map(|ends| [ends.from, ends.to]));
        }
    }
    results.extend(ends.iter().filter_map(|end| {
        let base = deleted.remove(end)?;
        Some(MergeResult::despite_deletion(&base, base.path))
    }));
}
