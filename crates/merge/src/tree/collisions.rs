//! Gives another id or path to a note where the two sides gave one to two notes.

use std::collections::{BTreeMap, HashSet};

use cm_note::frontmatter::edit::{self, Edit};
use cm_note::id::NoteId;
use cm_note::markdown::rewrite::{LinkRewrite, rewrite_links};
use cm_note::note::read;
use cm_note::path::NotePath;
use yaml_serde::Value;

use super::pairing::id_of;
use super::{HowMerged, MergeResult, Side};
use crate::Vocabulary;

/// Gives the later of two new notes with one id another id.
pub(super) fn settle_ids(results: &mut [MergeResult], vocabulary: &Vocabulary<'_>) {
    for group in groups(results, |result| id_of(&result.path, &result.bytes)) {
        for at in later(results, group, vocabulary) {
            let Some(result) = results.get_mut(at).filter(|result| result.side.is_some()) else { continue };
            let bytes = with_own_id(&result.path, &result.bytes);
            if bytes != result.bytes {
                result.bytes = bytes;
                result.how = HowMerged::Renamed;
            }
        }
    }
}

/// Gives a note an ID that follows from its ID and its path. Bytes without a readable ID stay.
pub(super) fn with_own_id(path: &NotePath, bytes: &[u8]) -> Vec<u8> {
    let set = |old: String| {
        let text = std::str::from_utf8(bytes).ok()?;
        let id = derived_id(&old, path.as_str());
        let set = Edit::Set { key: "id".to_owned(), value: Value::String(id.clone()) };
        // Of malformed frontmatter, the line can still be changed.
        edit::apply(text, &[set]).ok().or_else(|| {
            let line = text.lines().find(|line| line.starts_with("id:"))?.to_owned();
            let edit = Edit::ReplaceLine { line, nth: 0, with: format!("id: {id}") };
            edit::apply(text, &[edit]).ok()
        })
    };
    id_of(path, bytes).and_then(set).map_or_else(|| bytes.to_vec(), String::into_bytes)
}

/// Gives the later of two new notes at one path another path, and lets the links of its side follow.
pub(super) fn settle_paths(
    results: &mut [MergeResult],
    vocabulary: &Vocabulary<'_>,
    exists: &dyn Fn(&NotePath) -> bool,
) {
    // File systems that ignore case see one path in `A.md` and `a.md`.
    let folded = |result: &MergeResult| Some(result.path.as_str().to_lowercase());
    let mut taken: HashSet<String> = results.iter().filter_map(folded).collect();
    for group in groups(results, folded) {
        for at in later(results, group, vocabulary) {
            let Some(result) = results.get(at) else { continue };
            let id = id_of(&result.path, &result.bytes).unwrap_or_else(|| result.path.to_string());
            let Some(path) = free_path(&result.path, &id, |path| {
                taken.contains(&path.as_str().to_lowercase()) || exists(path)
            }) else {
                continue;
            };
            taken.insert(path.as_str().to_lowercase());
            let side = result.side;
            let Some(result) = results.get_mut(at) else { continue };
            let old = std::mem::replace(&mut result.path, path.clone());
            result.how = HowMerged::Renamed;
            if let Some(side) = side {
                relink(results, side, &old, &path);
            }
        }
    }
}

/// Returns the positions of the results that have one key, where there is more than one.
fn groups(results: &[MergeResult], key: impl Fn(&MergeResult) -> Option<String>) -> Vec<Vec<usize>> {
    let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, result) in results.iter().enumerate() {
        if let Some(key) = key(result) {
            by_key.entry(key).or_default().push(at);
        }
    }
    by_key.into_values().filter(|group| group.len() > 1).collect()
}

/// Returns the members of a group without the one that was created first.
fn later(results: &[MergeResult], mut group: Vec<usize>, vocabulary: &Vocabulary<'_>) -> Vec<usize> {
    let rank = |at: &usize| {
        let result = results.get(*at)?;
        let note = read::read(&result.path, &result.bytes, vocabulary.types, vocabulary.relations).note;
        // A note that one side alone made gives way to one that both have.
        Some((result.side.is_some(), note.created, result.bytes.clone()))
    };
    group.sort_by_cached_key(rank);
    group.split_off(1)
}

/// Returns an id that every clone derives from the old one.
fn derived_id(old: &str, path: &str) -> String {
    let hash = blake3::hash(format!("{old}\n{path}").as_bytes());
    match old.split_once('-').filter(|(kind, _)| *kind == "b") {
        Some(_) => format!("{old}-{}", &hash.to_hex()[..6]),
        None => {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&hash.as_bytes()[..16]);
            uuid::Builder::from_random_bytes(bytes).into_uuid().hyphenated().to_string()
        }
    }
}

/// Returns a free path that ends in digits of the id.
fn free_path(path: &NotePath, id: &str, is_taken: impl Fn(&NotePath) -> bool) -> Option<NotePath> {
    // A file without an ID is named by its path, which may be too long for one.
    let digits = NoteId::parse(id)
        .map_or_else(|_| blake3::hash(id.as_bytes()).to_hex()[..6].to_owned(), |id| id.short());
    let (stem, name) = (path.stem(), path.file_name());
    let ending = name.strip_prefix(stem).unwrap_or_default();
    let names = std::iter::once(format!("{stem}-{digits}{ending}"))
        .chain((2..1000).map(|number| format!("{stem}-{digits}-{number}{ending}")));
    names.filter_map(|name| NotePath::below(path.folder(), &name)).find(|path| !is_taken(path))
}

/// Rewrites the links to a moved note in the other new notes of its side.
fn relink(results: &mut [MergeResult], side: Side, old: &NotePath, new: &NotePath) {
    for result in results.iter_mut().filter(|result| result.side == Some(side) && result.path != *new) {
        let Ok(text) = std::str::from_utf8(&result.bytes) else { continue };
        if !text.contains(old.stem()) {
            continue;
        }
        let written = rewrite_links(text, |link, _| {
            let (folder, name) = link.target.rsplit_once('/').map_or(("", link.target.as_str()), |pair| pair);
            let bare = name.strip_suffix(".md").unwrap_or(name);
            if bare != old.stem() {
                return None;
            }
            let stem = new.stem();
            let ending = name.strip_prefix(bare).unwrap_or_default();
            let slash = if folder.is_empty() { "" } else { "/" };
            let target = Some(format!("{folder}{slash}{stem}{ending}"));
            Some(LinkRewrite { target, ..LinkRewrite::default() })
        });
        result.bytes = written.into_bytes();
    }
}
