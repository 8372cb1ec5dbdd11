//! Lets the links of one side follow the notes that the other side moved.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use cm_note::markdown::rewrite::rewrite_targets;
use cm_note::note::LinkForm;
use cm_note::path::NotePath;

use super::pairing::{FileVersion, MergeItem};
use super::{MergeResult, Side, merged_path};
use crate::Vocabulary;

/// For the base, our and their version of a vault, where their notes are after the merge.
pub(super) struct LinksOfVersions([Moves; 3]);

impl LinksOfVersions {
    pub fn of(items: &[MergeItem<'_>], vocabulary: &Vocabulary<'_>) -> Self {
        let mut placed: Vec<([Option<&NotePath>; 3], &NotePath)> = Vec::new();
        for item in items {
            let path = match (item.ours, item.theirs) {
                (Some(ours), Some(theirs)) => merged_path(item.base.as_ref(), &ours, &theirs, vocabulary),
                (Some(only), None) | (None, Some(only)) => only.path,
                (None, None) => continue,
            };
            let versions = [item.base, item.ours, item.theirs];
            placed.push((versions.map(|version| version.map(|version| version.path)), path));
        }
        let taken: HashSet<&NotePath> = placed.iter().map(|(_, path)| *path).collect();
        let moves = |version: usize| {
            let moved = placed.iter().filter_map(|(versions, path)| {
                let old = versions[version].filter(|old| old != path && old.is_markdown())?;
                (!taken.contains(old)).then(|| (old.clone(), (*path).clone()))
            });
            Moves::of(moved.collect())
        };
        Self([moves(0), moves(1), moves(2)])
    }

    /// Returns the bytes of the three versions of a file with links that lead to the notes where they are after the merge:
    /// a link that followed a renamed note is no change of its sentence.
    pub fn followed<'b>(&self, versions: [Option<&FileVersion<'b>>; 3]) -> [Option<Cow<'b, [u8]>>; 3] {
        let mut followed = versions.map(|version| version.map(|version| Cow::Borrowed(version.bytes)));
        for (at, version) in versions.into_iter().enumerate() {
            if let Some(version) = version
                && let Some(bytes) = self.0[at].rewritten(version.path, version.bytes)
            {
                followed[at] = Some(Cow::Owned(bytes));
            }
        }
        followed
    }
}

/// Rewrites the links of each side that lead to a path at which that side has a note and the merged vault has
/// none.
pub(super) fn follow_moves(results: &mut [MergeResult]) {
    for side in [Side::Ours, Side::Theirs] {
        let taken: HashSet<&NotePath> = results.iter().map(|result| &result.path).collect();
        let moved = results.iter().filter_map(|result| {
            let old = &result.version(side)?.path;
            let is_moved = *old != result.path && old.is_markdown() && !taken.contains(old);
            is_moved.then(|| (old.clone(), result.path.clone()))
        });
        let moves = Moves::of(moved.collect());
        if moves.by_path.is_empty() {
            continue;
        }
        for result in results.iter_mut().filter(|result| result.is_changed_by(side)) {
            moves.follow(result);
        }
    }
}

/// Rewrites the links that one side alone wrote to a new file of its own that is at another path now, because the other
/// side has a file at that path.
pub(super) fn follow_copies(results: &mut [MergeResult]) {
    for side in [Side::Ours, Side::Theirs] {
        let other = if side == Side::Ours { Side::Theirs } else { Side::Ours };
        let copied = results.iter().filter_map(|result| {
            let (from, old) = result.copied_from.as_ref()?;
            (*from == side).then(|| (old.clone(), result.path.clone()))
        });
        let moves = Moves::of(copied.collect());
        if moves.by_path.is_empty() {
            continue;
        }
        let is_own = |result: &&mut MergeResult| result.is_changed_by(side) && !result.is_changed_by(other);
        for result in results.iter_mut().filter(is_own) {
            moves.follow(result);
        }
    }
}

/// Notes and other files that moved: new paths by old ones, without their endings.
pub(super) struct Moves {
    by_path: HashMap<String, NotePath>,
    /// Old paths by their last part; none where several share it.
    by_name: HashMap<String, Option<String>>,
}

impl Moves {
    pub fn of(moved: Vec<(NotePath, NotePath)>) -> Self {
        let mut moves = Self { by_path: HashMap::new(), by_name: HashMap::new() };
        for (old, new) in moved {
            let path = without_ending(old.as_str()).to_owned();
            let entry = moves.by_name.entry(old.stem().to_owned());
            entry.and_modify(|several| *several = None).or_insert_with(|| Some(path.clone()));
            moves.by_path.insert(path, new);
        }
        moves
    }

    /// Rewrites the links of a file that lead to a note that moved.
    pub fn follow(&self, file: &mut MergeResult) {
        if let Some(bytes) = self.rewritten(&file.path, &file.bytes) {
            file.bytes = bytes;
        }
    }

    /// Returns the bytes of a file with links that lead to the notes that moved; `None` if it has none.
    fn rewritten(&self, path: &NotePath, bytes: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(bytes).ok().filter(|_| !self.by_path.is_empty())?;
        if !path.is_markdown() || !(text.contains("[[") || text.contains("](") || text.contains("]:")) {
            return None;
        }
        let written = rewrite_targets(text, |target, form| self.target(target, form, path));
        (written != text).then(|| written.into_bytes())
    }

    /// The target that leads to the moved note, for a link in this file; `None` if it leads to no such note.
    fn target(&self, target: &str, form: LinkForm, file: &NotePath) -> Option<String> {
        let bare = without_ending(target);
        let ending = &target[bare.len()..];
        let (slash, bare) = bare.strip_prefix('/').map_or(("", bare), |rest| ("/", rest));
        let moved = if let Some(new) = self.by_path.get(bare) {
            without_ending(new.as_str()).to_owned()
        } else if form == LinkForm::Markdown {
            let new = self.by_path.get(file.resolve(bare)?.as_str())?;
            without_ending(&new.relative_to(file.folder())).to_owned()
        } else {
            let name = bare.rsplit_once('/').map_or(bare, |(_, name)| name);
            let old = self.by_name.get(name)?.as_deref()?;
            let new = self.by_path.get(old)?;
            match name == bare {
                true => new.stem().to_owned(),
                false if old.ends_with(&format!("/{bare}")) => without_ending(new.as_str()).to_owned(),
                false => return None,
            }
        };
        Some(format!("{slash}{moved}{ending}"))
    }
}

fn without_ending(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
