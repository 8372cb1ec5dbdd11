//! Gives another id or path to a note where the two sides gave one to two notes.

use std::collections::{BTreeMap, HashSet};

use cm_note::frontmatter::edit::{self, Edit};
use cm_note::id::NoteId;
use cm_note::note::read;
use cm_note::path::NotePath;
use unicode_normalization::UnicodeNormalization as _;

use super::links::Moves;
use super::pairing::id_of;
use super::{HowMerged, MergeResult};
use crate::{Leftover, Vocabulary, with_leftover};

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
        let set = Edit::set_text("id", &id);
        // Of malformed frontmatter, the line can still be changed.
        edit::apply(text, &[set]).ok().or_else(|| {
            let line = text.lines().find(|line| line.starts_with("id:"))?.to_owned();
            let edit = Edit::ReplaceLine { line, nth: 0, with: format!("id: {id}") };
            edit::apply(text, &[edit]).ok()
        })
    };
    id_of(path, bytes).and_then(set).map_or_else(|| bytes.to_vec(), String::into_bytes)
}

/// Gives the later of two new notes at one path, and a file at the path of a folder, another path, and lets the links
/// of its side follow.
pub(super) fn settle_paths(
    results: &mut [MergeResult],
    vocabulary: &Vocabulary<'_>,
    exists: &dyn Fn(&NotePath) -> bool,
) {
    let mut taken: HashSet<String> = results.iter().map(|result| folded(&result.path)).collect();
    let later_at_one_path = groups(results, |result| Some(folded(&result.path)));
    let later_at_one_path = later_at_one_path.into_iter().map(|group| later(results, group, vocabulary));
    let mut moved: Vec<usize> = later_at_one_path.flatten().collect();
    for at in &moved {
        let Some(result) = results.get_mut(*at).filter(|result| result.side.is_some()) else { continue };
        let marked = with_leftover(&result.path, &result.bytes, &Leftover::added_twice(&result.path));
        result.open |= marked != result.bytes;
        result.bytes = marked;
    }
    moved.extend(at_paths_of_folders(results));
    for at in moved {
        let Some(result) = results.get(at) else { continue };
        let id = id_of(&result.path, &result.bytes).unwrap_or_else(|| result.path.to_string());
        let Some(path) = free_path(&result.path, &id, |path| taken.contains(&folded(path)) || exists(path))
        else {
            continue;
        };
        taken.insert(folded(&path));
        let side = result.side;
        let Some(result) = results.get_mut(at) else { continue };
        let old = std::mem::replace(&mut result.path, path.clone());
        result.how = HowMerged::Renamed;
        if let Some(side) = side {
            let moves = Moves::of(vec![(old, path)]);
            for result in results.iter_mut().filter(|result| result.side == Some(side)) {
                moves.follow(result);
            }
        }
    }
}

/// Returns the positions of the files that have the path of another one's folder.
fn at_paths_of_folders(results: &[MergeResult]) -> Vec<usize> {
    let mut folders = HashSet::new();
    for result in results {
        let mut folder = result.path.folder();
        while !folder.is_empty() && folders.insert(folder) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    let is_folder = |result: &MergeResult| folders.contains(result.path.as_str());
    results.iter().enumerate().filter(|(_, result)| is_folder(result)).map(|(at, _)| at).collect()
}

/// A path as a file system sees it that ignores case, as in `A.md` and `a.md`, and the two ways in which Unicode
/// writes an accented letter.
pub(super) fn folded(path: &NotePath) -> String {
    path.as_str().nfc().collect::<String>().to_lowercase()
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
