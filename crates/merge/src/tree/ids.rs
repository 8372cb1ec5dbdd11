//! Gives a note one ID where both sides gave it an ID of their own, such as by `cm adopt` in two clones.

use std::collections::{BTreeMap, BTreeSet};

use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;

use super::SideChange;
use super::pairing::id_of;

/// Returns the changes of both sides, ours first, with one ID for each such note: the lesser one. It replaces the other ID
/// in the texts of both sides. An ID that one side alone changed is replaced likewise. `None` if nothing is replaced.
pub(super) fn with_common_ids(ours: &[SideChange], theirs: &[SideChange]) -> Option<[Vec<SideChange>; 2]> {
    let by_path: BTreeMap<_, _> = theirs.iter().map(|change| (&change.path, change)).collect();
    let mut replaced: BTreeMap<String, String> = BTreeMap::new();
    for our in ours {
        if let Some((one, other)) = by_path.get(&our.path).and_then(|their| ids_of_both(our, their)) {
            replaced.insert(other, one);
        }
    }
    let both = || ours.iter().chain(theirs);
    // A copy of the note may have kept the ID.
    let in_use: BTreeSet<String> = both().filter_map(new_id).collect();
    replaced.extend(both().filter_map(changed_id).filter(|(before, _)| !in_use.contains(before)));
    if replaced.is_empty() {
        return None;
    }
    let apply = |changes: &[SideChange]| changes.iter().map(|change| replace(change, &replaced)).collect();
    Some([apply(ours), apply(theirs)])
}

/// The IDs that both sides gave to a file that had text and no ID, the lesser one first.
fn ids_of_both(our: &SideChange, their: &SideChange) -> Option<(String, String)> {
    let old = our.old.as_deref()?;
    let has_text = body(old).is_some_and(|body| !body.trim().is_empty());
    if !has_text || id_of(&our.path, old).is_some() {
        return None;
    }
    let (our, their) = (new_id(our)?, new_id(their)?);
    (our != their).then(|| (our.clone().min(their.clone()), our.max(their)))
}

/// The old and the new ID of a note that changed its ID and not its text.
fn changed_id(change: &SideChange) -> Option<(String, String)> {
    let (old, new) = (change.old.as_deref()?, change.new.as_deref()?);
    let before = id_of(&change.path, old).filter(|id| is_unique(id))?;
    let after = new_id(change).filter(|after| *after != before)?;
    (body(old)? == body(new)?).then_some((before, after))
}

fn new_id(change: &SideChange) -> Option<String> {
    id_of(&change.path, change.new.as_deref()?).filter(|id| is_unique(id))
}

/// Whether an ID is a UUID: other IDs may be ordinary words, which must not be replaced in a text.
fn is_unique(id: &str) -> bool {
    NoteId::parse(id).is_ok_and(|id| id.is_uuid())
}

fn body(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().map(|text| &text[Split::of(text).body_start()..])
}

fn replace(change: &SideChange, replaced: &BTreeMap<String, String>) -> SideChange {
    let mut change = change.clone();
    if let Some(text) = change.new.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        let mentioned = replaced.iter().filter(|(old, _)| text.contains(old.as_str()));
        let text = mentioned.fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
        change.new = Some(text.into_bytes());
    }
    change
}
