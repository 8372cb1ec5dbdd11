//! Merges the changes that two sides made to the files of a vault since their common base.
//!
//! Notes are followed by their id, so that a rename on one side and an edit on the other both
//! happen. The result does not depend on which side is ours, generated files apart.

mod collisions;
mod deleted_ends;
mod edges_of_notes;
mod ids;
mod links;
mod pairing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use cm_note::frontmatter::edit::{Edit, apply};
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::note::NoteKind;
use cm_note::path::NotePath;
use rayon::prelude::*;
use yaml_serde::Value;

use crate::{
    ChangeStamp, Clash, Leftover, Merged, Versions, Vocabulary, is_note, merge_stamped, same_text,
    with_leftover,
};
use links::LinksOfVersions;
use pairing::{FileVersion, MergeItem};

/// Change of one file on one side, against the common base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideChange {
    pub path: NotePath,
    /// Content in the base; `None` if the base has no such file.
    pub old: Option<Vec<u8>>,
    /// Content on this side; `None` if this side removed the file.
    pub new: Option<Vec<u8>>,
    /// Whether the new file is executable.
    pub executable: bool,
    /// The newest commit that changed the file on this side; `None` if that is unknown.
    pub stamp: Option<ChangeStamp>,
}

/// How the merged version of a file came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HowMerged {
    /// Only the other side changed the file.
    Taken,
    /// Both sides changed the file.
    Merged,
    /// One side changed the file, the other deleted it; the change stands.
    Kept,
    /// Another note has the same path or the same id, so that this one got another.
    Renamed,
    /// Both sides changed a file that cannot be merged; both versions are kept, one at a path of its own.
    Copied,
}

/// A file that has to change on our side, or that stays although the other side deleted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFile {
    pub path: NotePath,
    /// New content; `None` removes the file.
    pub new: Option<Vec<u8>>,
    pub executable: bool,
    pub how: HowMerged,
    /// Whether a leftover waits for a person's decision.
    pub open: bool,
}

/// Merges the changes of both sides. Returns the files that have to change on ours and those that stay although the
/// other side deleted them, sorted by path.
/// `exists` tells whether the base or a side has a file at a path.
pub fn merge_changes(
    ours: &[SideChange],
    theirs: &[SideChange],
    vocabulary: &Vocabulary<'_>,
    exists: &dyn Fn(&NotePath) -> bool,
) -> Vec<MergedFile> {
    let with_common_ids = ids::with_common_ids(ours, theirs);
    let items = match &with_common_ids {
        Some([ours, theirs]) => pairing::pair(ours, theirs, vocabulary),
        None => pairing::pair(ours, theirs, vocabulary),
    };
    let links = LinksOfVersions::of(&items, vocabulary);
    let mut results: Vec<MergeResult> =
        items.par_iter().flat_map_iter(|item| MergeResult::of(item, &links, vocabulary)).collect();
    deleted_ends::restore(&mut results, &items, vocabulary);
    edges_of_notes::restore(&mut results, &items, vocabulary);
    collisions::settle_ids(&mut results, vocabulary);
    collisions::settle_paths(&mut results, vocabulary, exists);
    links::follow_moves(&mut results);
    links::follow_copies(&mut results);
    let merged: BTreeMap<&NotePath, &MergeResult> =
        results.iter().map(|result| (&result.path, result)).collect();
    let here = versions_of(ours, theirs);
    let paths: BTreeSet<&NotePath> = here.keys().chain(merged.keys()).copied().collect();
    let mut files = Vec::new();
    for path in paths {
        let (before, after) = (here.get(path).copied().flatten(), merged.get(path));
        let same = match (before, after) {
            (Some((bytes, executable)), Some(after)) => {
                bytes == after.bytes.as_slice() && executable == after.executable
            }
            (None, None) => true,
            _ => false,
        };
        // A deletion by the other side is reported even if nothing changes here.
        let stays = after.is_some_and(|after| after.how == HowMerged::Kept);
        if !same || stays {
            files.push(MergedFile {
                path: path.clone(),
                new: after.map(|after| after.bytes.clone()),
                executable: after.is_some_and(|after| after.executable),
                how: after.map_or(HowMerged::Taken, |after| after.how),
                open: after.is_some_and(|after| after.open),
            });
        }
    }
    files
}

/// The files of our side at all paths that a side changed.
fn versions_of<'a>(
    ours: &'a [SideChange],
    theirs: &'a [SideChange],
) -> BTreeMap<&'a NotePath, Option<(&'a [u8], bool)>> {
    let base = theirs.iter().map(|change| {
        // Their mode is not known to be ours; a differing mode alone is written again.
        (&change.path, change.old.as_deref().map(|bytes| (bytes, false)))
    });
    let own = ours
        .iter()
        .map(|change| (&change.path, change.new.as_deref().map(|bytes| (bytes, change.executable))));
    base.chain(own).collect()
}

/// The merged version of one file.
pub(crate) struct MergeResult {
    pub path: NotePath,
    pub bytes: Vec<u8>,
    pub executable: bool,
    pub how: HowMerged,
    pub open: bool,
    /// The only side that has the file, if the base does not.
    pub side: Option<Side>,
    /// Of the new file of one side that gave way to one of the other side: the side, and its path there.
    copied_from: Option<(Side, NotePath)>,
    /// The version of each side that has the file, ours first.
    versions: [Option<SideVersion>; 2],
}

/// The version of a file on one side.
#[derive(Debug, Clone)]
pub(crate) struct SideVersion {
    pub path: NotePath,
    /// Whether it differs from that of the base.
    pub is_changed: bool,
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Theirs,
}

impl MergeResult {
    fn version(&self, side: Side) -> Option<&SideVersion> {
        self.versions[side as usize].as_ref()
    }

    fn is_changed_by(&self, side: Side) -> bool {
        self.version(side).is_some_and(|version| version.is_changed)
    }

    fn new(version: &FileVersion<'_>, bytes: Vec<u8>, how: HowMerged) -> Self {
        Self {
            path: version.path.clone(),
            bytes,
            executable: version.executable,
            how,
            open: false,
            side: None,
            copied_from: None,
            versions: [None, None],
        }
    }

    /// Merges the versions of one file; the result is empty if it is deleted, and has both versions if
    /// they cannot be merged.
    fn of(item: &MergeItem<'_>, links: &LinksOfVersions, vocabulary: &Vocabulary<'_>) -> Vec<Self> {
        let one_sided = |version: &FileVersion<'_>, side| match item.base {
            Some(base) => Self::edit_or_delete(version, &base).into_iter().collect(),
            None => {
                let added = Self::new(version, version.bytes.to_vec(), HowMerged::Taken);
                vec![Self { side: Some(side), ..added }]
            }
        };
        let emptied = |version: Option<FileVersion<'_>>, other: Option<FileVersion<'_>>| {
            let base = item.base.filter(|base| is_note(base.path) && !is_blank(base.bytes));
            let is_edited = |base: &FileVersion<'_>| other.is_some_and(|other| other.bytes != base.bytes);
            version.is_some_and(|version| is_blank(version.bytes)) && base.as_ref().is_some_and(is_edited)
        };
        // A note without any text was deleted by all but its name; an edit of it stands like one of a deleted note.
        let mut results = match (item.ours, item.theirs) {
            (Some(ours), theirs) if emptied(theirs, item.ours) => one_sided(&ours, Side::Ours),
            (ours, Some(theirs)) if emptied(ours, item.theirs) => one_sided(&theirs, Side::Theirs),
            (None, None) => Vec::new(),
            (Some(ours), None) => one_sided(&ours, Side::Ours),
            (None, Some(theirs)) => one_sided(&theirs, Side::Theirs),
            (Some(ours), Some(theirs)) => Self::both(item.base, &ours, &theirs, links, vocabulary),
        };
        if let [result] = results.as_mut_slice() {
            result.versions = [item.ours, item.theirs].map(|version| {
                let version = version?;
                let is_changed = item.base.is_none_or(|base| base.bytes != version.bytes);
                Some(SideVersion { path: version.path.clone(), is_changed })
            });
        }
        results
    }

    /// The version of the only side that still has the file: deleted if it is as in the base and at
    /// its path.
    fn edit_or_delete(version: &FileVersion<'_>, base: &FileVersion<'_>) -> Option<Self> {
        let is_changed = version.bytes != base.bytes || version.path != base.path;
        (is_changed && !version.path.is_generated()).then(|| Self::despite_deletion(version, base.path))
    }

    /// Keeps a version although the other side deleted the file, with a leftover that asks about the deletion.
    fn despite_deletion(version: &FileVersion<'_>, deleted: &NotePath) -> Self {
        let bytes = with_leftover(version.path, version.bytes, &Leftover::deleted(deleted));
        // Only a note has a place for the question.
        let open = bytes != version.bytes;
        Self { open, ..Self::new(version, bytes, HowMerged::Kept) }
    }

    fn both(
        base: Option<FileVersion<'_>>,
        ours: &FileVersion<'_>,
        theirs: &FileVersion<'_>,
        links: &LinksOfVersions,
        vocabulary: &Vocabulary<'_>,
    ) -> Vec<Self> {
        let changed = |version: &FileVersion<'_>| base.is_none_or(|base| base.bytes != version.bytes);
        let path = merged_path(base.as_ref(), ours, theirs, vocabulary);
        let is_both = changed(ours) && changed(theirs) && ours.bytes != theirs.bytes;
        let bytes = [base.as_ref(), Some(ours), Some(theirs)];
        let followed = base.filter(|_| is_both).map(|_| links.followed(bytes));
        let [base_bytes, our_bytes, their_bytes] =
            followed.unwrap_or_else(|| bytes.map(|version| version.map(|version| version.bytes.into())));
        let versions = Versions {
            base: base_bytes.as_deref(),
            ours: our_bytes.as_deref().unwrap_or(ours.bytes),
            theirs: their_bytes.as_deref().unwrap_or(theirs.bytes),
        };
        let stamps = [ours.stamp, theirs.stamp];
        let merged = merge_stamped(path, &versions, stamps, vocabulary, Clash::Leftover);
        let other_name = base.and_then(|base| other_name(&base, ours, theirs, path));
        let merged = match other_name.filter(|_| !merged.markers) {
            Some(other) => Merged { bytes: with_alias(path, merged.bytes, &other, vocabulary), ..merged },
            None => merged,
        };
        let may_be_two = base.is_none() && same_text::may_be_two(path, ours.bytes, theirs.bytes);
        let merged = match may_be_two && !merged.markers {
            true => {
                let bytes = with_leftover(path, &merged.bytes, &Leftover::added_twice(path));
                Merged { bytes, ..merged }
            }
            false => merged,
        };
        let leftovers = pairing::leftovers(&merged.bytes);
        let known = pairing::leftovers(ours.bytes).max(pairing::leftovers(theirs.bytes));
        let executable = match base {
            Some(base) if base.executable == ours.executable => theirs.executable,
            Some(_) => ours.executable,
            None => ours.executable || theirs.executable,
        };
        if merged.markers {
            return Self::copies(path, base.is_none(), ours.bytes, theirs.bytes, executable);
        }
        let how = if is_both && !path.is_generated() { HowMerged::Merged } else { HowMerged::Taken };
        let version = FileVersion { path, bytes: &merged.bytes, executable, stamp: None };
        vec![Self { open: leftovers > known, ..Self::new(&version, merged.bytes.clone(), how) }]
    }

    /// Both versions of a file: a well-formed note, else the greater by bytes, at its path, the other one
    /// at a path with a hash. The note gets a leftover that names the copy, and the copy an ID of its own.
    fn copies(path: &NotePath, is_new: bool, ours: &[u8], theirs: &[u8], executable: bool) -> Vec<Self> {
        let rank = |bytes: &[u8]| is_note(path) && is_well_formed(bytes);
        let (stands, other, copied) = match (rank(ours), ours) > (rank(theirs), theirs) {
            true => (ours, theirs, Side::Theirs),
            false => (theirs, ours, Side::Ours),
        };
        let copy = |path: &NotePath, bytes: Vec<u8>, open: bool| {
            let version = FileVersion { path, bytes: &[], executable, stamp: None };
            Self { open, ..Self::new(&version, bytes, HowMerged::Copied) }
        };
        let Some(other_path) = copy_path(path, other) else {
            return vec![copy(path, stands.to_vec(), false)];
        };
        let with_leftover = with_leftover(path, stands, &Leftover::copied(path, &other_path));
        let has_leftover = with_leftover != stands;
        let mut other = copy(&other_path, collisions::with_own_id(&other_path, other), false);
        other.copied_from = is_new.then(|| (copied, path.clone()));
        vec![other, copy(path, with_leftover, has_leftover)]
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// Whether the frontmatter of a note can be read.
fn is_well_formed(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        let split = Split::of(text);
        split.fault().is_none() && parse(&split).faults.is_empty()
    })
}

/// Returns the path for another version of a file, which every clone derives from its content.
fn copy_path(path: &NotePath, bytes: &[u8]) -> Option<NotePath> {
    let name = path.file_name();
    let (stem, ending) = match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let hash = blake3::hash(bytes).to_hex();
    NotePath::below(path.folder(), &format!("{stem}-{}{ending}", &hash[..6]))
}

/// The path of a file that at most one side moved, or the one of the side whose note was updated
/// later; on equal times the greater path.
fn merged_path<'a>(
    base: Option<&FileVersion<'a>>,
    ours: &FileVersion<'a>,
    theirs: &FileVersion<'a>,
    vocabulary: &Vocabulary<'_>,
) -> &'a NotePath {
    if ours.path == theirs.path || base.is_some_and(|base| base.path == theirs.path) {
        return ours.path;
    }
    if base.is_some_and(|base| base.path == ours.path) {
        return theirs.path;
    }
    let rank = |version: &FileVersion<'a>| {
        let committed = version.stamp.map(|stamp| stamp.at);
        (version.note(vocabulary).updated.max(committed), version.path)
    };
    if rank(ours) > rank(theirs) { ours.path } else { theirs.path }
}

/// The version of a note whose new name lost against that of the other side.
fn other_name<'a>(
    base: &FileVersion<'_>,
    ours: &FileVersion<'a>,
    theirs: &FileVersion<'a>,
    path: &NotePath,
) -> Option<FileVersion<'a>> {
    let paths = [base.path, ours.path, theirs.path].map(NotePath::stem);
    let is_renamed_twice = paths[0] != paths[1] && paths[0] != paths[2] && paths[1] != paths[2];
    let is_titled = matches!(NoteKind::of(path), NoteKind::Memory | NoteKind::Plain) && is_note(path);
    (is_renamed_twice && is_titled).then_some(if ours.path == path { *theirs } else { *ours })
}

/// Adds the title of another version to the aliases of a note, so that links by that name lead to it.
fn with_alias(
    path: &NotePath,
    bytes: Vec<u8>,
    other: &FileVersion<'_>,
    vocabulary: &Vocabulary<'_>,
) -> Vec<u8> {
    let title = other.note(vocabulary).title;
    let note = FileVersion { path, bytes: &bytes, executable: false, stamp: None }.note(vocabulary);
    let names = note.aliases.iter().chain([&note.title]);
    let is_known = names.into_iter().any(|name| *name == title) || path.stem() == title;
    let all = note.aliases.iter().chain([&title]).cloned().map(Value::String).collect();
    let push = Edit::Push { key: "aliases".to_owned(), item: Value::String(title) };
    // Aliases that are one text become a list.
    let set = Edit::Set { key: "aliases".to_owned(), value: Value::Sequence(all) };
    let edited = std::str::from_utf8(&bytes).ok().filter(|_| !is_known);
    edited
        .and_then(|text| apply(text, &[push]).or_else(|_| apply(text, &[set])).ok())
        .map_or(bytes, String::into_bytes)
}
