//! History of a single note across renames.
//!
//! A rename is detected by an identical blob, by the note's id or, for notes without an id, by
//! similarity.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::BString;

use crate::git::blobs::Blobs;
use crate::git::error::Result;
use crate::git::history::{CommitInfo, CommitLinks};
use crate::git::repo::Repo;
use crate::git::trees::{GitTreeEntry, TreePath};
use cm_note::path::NotePath;
use cm_text::word_diff;

/// Minimum similarity, 0–1, of a removed and a created file to count as a rename.
const MIN_RENAME_SIMILARITY: f32 = 0.6;
/// Maximum number of removed files that are compared by similarity.
const MAX_CANDIDATES: usize = 200;

/// One change in the history of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteHistoryEntry {
    pub commit: CommitInfo,
    /// Path after the change, or before it if the note was removed.
    pub path: NotePath,
    /// Path before the change, if it was different.
    pub moved_from: Option<NotePath>,
    /// Content before; `None` if the note was created. Of a merge, the content in the first parent.
    pub old: Option<Vec<u8>>,
    /// Contents in the further parents of a merge that differs from all of them.
    pub merged: Vec<Vec<u8>>,
    /// Content after; `None` if the note was removed.
    pub new: Option<Vec<u8>>,
}

/// Returns whether the content of a file is a version of the note, judged by the id in it.
type IsSame<'a> = &'a dyn Fn(&[u8]) -> bool;

/// A commit to visit, and the note's path in it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct HistoryStep {
    time: i64,
    order: Reverse<u64>,
    commit: ObjectId,
    place: BString,
    /// Whether a later commit created the note, so that an older file at this path may be another
    /// note.
    born: bool,
}

struct Follower<'r, 'a> {
    repo: &'r Repo,
    blobs: Blobs<'r>,
    is_same: IsSame<'a>,
    /// Whether the note has no id, so that its path identifies it.
    by_path: bool,
    queue: BinaryHeap<HistoryStep>,
    seen: HashSet<(ObjectId, BString)>,
    /// Commits that were read, because each is read as a parent first.
    links: HashMap<ObjectId, Rc<CommitLinks>>,
    is_shallow: bool,
    /// Tree entries along the path that was looked up last, reused for the next commit.
    trail: TreePath,
    trail_place: BString,
    count: u64,
}

impl Repo {
    /// Returns the commits that changed the note at `path`, newest first. `is_same` decides by its
    /// id whether some content is a version of the note.
    pub fn history_of(&self, path: &NotePath, is_same: IsSame<'_>) -> Result<Vec<NoteHistoryEntry>> {
        self.history_with(path, is_same, false)
    }

    /// Like [`Self::history_of`] for a note without id: what the same path held before it was deleted
    /// and created again is its history too.
    pub fn history_of_path(&self, path: &NotePath) -> Result<Vec<NoteHistoryEntry>> {
        self.history_with(path, &|_| false, true)
    }

    fn history_with(
        &self,
        path: &NotePath,
        is_same: IsSame<'_>,
        by_path: bool,
    ) -> Result<Vec<NoteHistoryEntry>> {
        let mut versions = Vec::new();
        let Some(head) = self.head_id()? else { return Ok(versions) };
        let repo = &self.for_walks();
        let mut follower = Follower {
            repo,
            blobs: Blobs::new(repo)?,
            is_same,
            by_path,
            queue: BinaryHeap::new(),
            seen: HashSet::new(),
            links: HashMap::new(),
            is_shallow: self.is_shallow(),
            trail: TreePath::default(),
            trail_place: BString::default(),
            count: 0,
        };
        follower.push(head, self.place(path), false)?;
        while let Some(step) = follower.queue.pop() {
            versions.extend(follower.visit(step)?);
        }
        Ok(versions)
    }
}

impl Follower<'_, '_> {
    fn push(&mut self, commit: ObjectId, place: BString, born: bool) -> Result<()> {
        if self.seen.insert((commit, place.clone())) {
            let time = self.links(commit)?.time;
            self.count += 1;
            self.queue.push(HistoryStep { time, order: Reverse(self.count), commit, place, born });
        }
        Ok(())
    }

    fn links(&mut self, commit: ObjectId) -> Result<Rc<CommitLinks>> {
        if let Some(links) = self.links.get(&commit) {
            return Ok(Rc::clone(links));
        }
        let links = Rc::new(self.repo.links(commit, self.is_shallow)?);
        self.links.insert(commit, Rc::clone(&links));
        Ok(links)
    }

    /// Returns the file at a path in a commit.
    fn file(&mut self, commit: ObjectId, place: &BString) -> Result<Option<GitTreeEntry>> {
        let root = self.links(commit)?.tree;
        let last_trail = (self.trail_place == *place).then_some(&self.trail);
        self.trail = self.repo.trail(Some(root), place.as_ref(), last_trail)?;
        self.trail_place.clone_from(place);
        Ok(self.trail.file())
    }

    fn visit(&mut self, step: HistoryStep) -> Result<Option<NoteHistoryEntry>> {
        let parents = &self.links(step.commit)?.parents;
        let here = self.file(step.commit, &step.place)?.map(|leaf| leaf.id);
        let mut before = Vec::with_capacity(parents.len());
        for parent in parents {
            let id = self.file(*parent, &step.place)?.map(|leaf| leaf.id);
            if id == here {
                // As git's own log does: a side that changed nothing explains everything.
                self.push(*parent, step.place.clone(), step.born)?;
                return Ok(None);
            }
            before.push((*parent, step.place.clone(), id));
        }
        let mut sides = Vec::with_capacity(before.len());
        for (parent, mut place, mut id) in before {
            if let (Some(new), None) = (here, id) {
                if let Some((from, old)) = self.origin(parent, step.commit, &step.place, new)? {
                    (place, id) = (from, Some(old));
                }
            } else if let (None, Some(old)) = (here, id)
                && step.born
                && !self.by_path
                && !(self.is_same)(&self.blobs.read(place.as_ref(), old)?)
            {
                continue;
            }
            self.push(parent, place.clone(), id.is_none())?;
            sides.push((place, id));
        }
        if sides.is_empty() && parents.is_empty() && here.is_some() {
            sides.push((step.place.clone(), None));
        }
        self.version(step.commit, (step.place, here), &sides)
    }

    /// Builds the entry of a commit from the file in it and in its parents; `None` without parents.
    fn version(
        &mut self,
        commit: ObjectId,
        (new_place, new): (BString, Option<ObjectId>),
        sides: &[(BString, Option<ObjectId>)],
    ) -> Result<Option<NoteHistoryEntry>> {
        let (Some(path), [(old_place, old), others @ ..]) = (self.repo.note_path(&new_place), sides) else {
            return Ok(None);
        };
        let moved_from = self.repo.note_path(old_place).filter(|from| *from != path);
        let mut read = |place: &BString, id: Option<ObjectId>| {
            id.map(|id| self.blobs.read(place.as_ref(), id)).transpose()
        };
        let (old, new) = (read(old_place, *old)?, read(&new_place, new)?);
        let merged = others.iter().filter_map(|(place, id)| read(place, *id).transpose());
        let merged = merged.collect::<Result<_>>()?;
        let commit = self.repo.info(commit)?;
        Ok(Some(NoteHistoryEntry { commit, path, moved_from, old, merged, new }))
    }

    /// Returns the origin of a file created in a commit: a file that the same commit removed.
    fn origin(
        &mut self,
        parent: ObjectId,
        commit: ObjectId,
        place: &BString,
        new: ObjectId,
    ) -> Result<Option<(BString, ObjectId)>> {
        let differences = self.repo.differences(Some(parent), Some(commit))?;
        let removed_files: Vec<(BString, ObjectId)> = differences
            .into_iter()
            .filter_map(|(place, old, new)| match (old.filter(GitTreeEntry::is_file), new) {
                (Some(old), None) => Some((place, old.id)),
                _ => None,
            })
            .collect();
        if let Some(same) = removed_files.iter().find(|(.., id)| *id == new) {
            return Ok(Some(same.clone()));
        }
        let bytes = self.blobs.read(place.as_ref(), new)?;
        // A note with an id is never mistaken for one that merely looks like it.
        let by_id = (self.is_same)(&bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut best: Option<(f32, (BString, ObjectId))> = None;
        let most = if by_id { usize::MAX } else { MAX_CANDIDATES };
        for (place, id) in removed_files.into_iter().take(most) {
            let old = self.blobs.read(place.as_ref(), id)?;
            if by_id {
                if (self.is_same)(&old) {
                    return Ok(Some((place, id)));
                }
                continue;
            }
            let likeness = word_diff::line_similarity(&String::from_utf8_lossy(&old), &text);
            if likeness >= MIN_RENAME_SIMILARITY && best.as_ref().is_none_or(|(most, ..)| likeness > *most) {
                best = Some((likeness, (place, id)));
            }
        }
        Ok(best.map(|(.., found)| found))
    }
}
