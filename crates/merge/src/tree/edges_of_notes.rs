//! Keeps the edges of a note that stays although one side deleted it: the deletion removed them with it.

use std::collections::BTreeSet;

use cm_note::note::read;

use super::pairing::{MergeItem, id_of};
use super::{HowMerged, MergeResult};
use crate::Vocabulary;

/// Restores the edge files that the side removed which deleted a note that stays. The other end of the edge must be there.
pub(super) fn restore(results: &mut Vec<MergeResult>, items: &[MergeItem<'_>], vocabulary: &Vocabulary<'_>) {
    let id = |result: &MergeResult| id_of(&result.path, &result.bytes);
    let staying = results.iter().filter(|result| result.how == HowMerged::Kept);
    let notes: BTreeSet<String> = staying.filter_map(id).collect();
    if notes.is_empty() {
        return;
    }
    let present: BTreeSet<String> = results.iter().filter_map(id).collect();
    let deleted: BTreeSet<String> = items
        .iter()
        .filter_map(|item| id_of(item.base?.path, item.base?.bytes))
        .filter(|id| !present.contains(id))
        .collect();
    let removed = items.iter().filter(|item| item.ours.is_some() != item.theirs.is_some());
    let edges: Vec<MergeResult> = removed
        .filter_map(|item| item.base)
        .filter(|base| base.path.as_str().starts_with("graph/edges/"))
        .filter(|base| results.iter().all(|result| result.path != *base.path))
        .filter(|base| {
            let ends = read::read(base.path, base.bytes, vocabulary.types, vocabulary.relations).note.edge;
            ends.is_some_and(|edge| {
                let ends = [&edge.from, &edge.to];
                ends.iter().any(|end| notes.contains(*end)) && ends.iter().all(|end| !deleted.contains(*end))
            })
        })
        .map(|base| MergeResult::new(&base, base.bytes.to_vec(), HowMerged::Kept))
        .collect();
    results.extend(edges);
}
