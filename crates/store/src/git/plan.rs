//! Plans a commit: the new content of each path in the tree and, once the index is locked, in the
//! index.
//!
//! In notes with manual edits only the operation's own lines are committed, by applying its change
//! to the versions in HEAD and in the index.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Mode;
use gix::objs::tree::{EntryKind, EntryMode};

use crate::git::blobs::Blobs;
use crate::git::commit::{PathChange, PathChangeKind, Reapply};
use crate::git::error::{Doing, Error, InPath, Result};
use crate::git::repo::Repo;
use crate::git::staging::{IndexSlot, Staging};
use crate::git::trees::{GitTreeEntry, TreeCache};
use cm_note::message::CommitMessage;
use cm_note::path::NotePath;

/// One path, planned against a parent commit.
pub(super) struct PlannedPath<'c> {
    pub path: &'c NotePath,
    pub place: BString,
    /// Earlier paths, which are removed from commit and index.
    from: Vec<BString>,
    /// Entry in HEAD, at this path or an earlier one.
    head: Option<GitTreeEntry>,
    /// Whether HEAD has no entry at this path.
    new: bool,
    mode: EntryMode,
    /// Whether the mode comes from another history and holds for the file too.
    sets_mode: bool,
    ignored: bool,
    /// Whether Git leaves the file out of the work tree.
    left_out: bool,
    pub content: Option<PlannedContent<'c>>,
}

/// New content of a written path.
pub(super) struct PlannedContent<'c> {
    before: Option<ObjectId>,
    after: ObjectId,
    bytes: &'c [u8],
    /// Blob that is committed: `after`, or a version with the operation's own lines only.
    pub committed_blob: ObjectId,
    /// Whether the complete file is committed, including manual edits.
    is_whole_file: bool,
    /// Whether the complete file is committed although the caller did not request it.
    is_unrequested_whole_file: bool,
    reapply: Option<Reapply<'c>>,
}

/// A planned commit.
pub(super) struct CommitPlan<'c> {
    pub parent: Option<ObjectId>,
    pub tree: ObjectId,
    /// Whether the tree differs from that of the parent.
    pub needed: bool,
    pub message: String,
    pub items: Vec<PlannedPath<'c>>,
}

impl CommitPlan<'_> {
    /// Returns the notes that are committed with manual edits although the caller did not request
    /// it.
    pub fn unrequested_whole_files(&self) -> Vec<NotePath> {
        unrequested_whole_files(&self.items)
    }

    /// Returns a note with manual edits that would stay out of the commit.
    pub fn partial(&self) -> Option<&NotePath> {
        let is_partial = |item: &&PlannedPath<'_>| {
            item.content.as_ref().is_some_and(|content| content.committed_blob != content.after)
        };
        self.items.iter().find(is_partial).map(|item| item.path)
    }

    /// Returns all paths of the commit from the root of the work tree, with those that it removes.
    pub fn places(&self) -> impl Iterator<Item = &BString> {
        self.items.iter().flat_map(|item| item.from.iter().chain([&item.place]))
    }
}

fn unrequested_whole_files(items: &[PlannedPath<'_>]) -> Vec<NotePath> {
    let is_unrequested = |item: &&PlannedPath<'_>| {
        item.content.as_ref().is_some_and(|content| content.is_unrequested_whole_file)
    };
    items.iter().filter(is_unrequested).map(|item| item.path.clone()).collect()
}

/// Returns the message, with a list of the notes that are committed as a whole.
fn message_with_whole_notes(message: &CommitMessage, whole: &[NotePath]) -> String {
    if whole.is_empty() {
        return message.to_string();
    }
    let list: Vec<String> = whole.iter().map(|path| format!("- {path}")).collect();
    let note = format!("Committed as a whole, including manual edits:\n{}", list.join("\n"));
    let body = format!("{}\n\n{note}", message.body.trim()).trim().to_owned();
    CommitMessage { body, ..message.clone() }.to_string()
}

impl Repo {
    /// Writes the blobs and trees of the planned commit.
    pub(super) fn plan<'c>(
        &self,
        changes: &'c [PathChange<'c>],
        message: &CommitMessage,
        whole: &BTreeSet<NotePath>,
    ) -> Result<CommitPlan<'c>> {
        let parent = self.head_id()?;
        let base = parent.map(|parent| self.tree_of(parent)).transpose()?;
        let mut items = self.items(changes, base, whole)?;
        // A file of another history is tracked there, whatever the ignore rules say here.
        if changes.iter().any(|change| !matches!(change.kind, PathChangeKind::Joined { .. })) {
            self.mark_ignored(&mut items)?;
        }
        let tree = self.edit(base, &items)?;
        let needed = match base {
            Some(base) => base != tree,
            None => items.iter().any(|item| item.content.is_some()),
        };
        Ok(CommitPlan {
            parent,
            tree,
            needed,
            message: message_with_whole_notes(message, &unrequested_whole_files(&items)),
            items,
        })
    }

    fn items<'c>(
        &self,
        changes: &'c [PathChange<'c>],
        base: Option<ObjectId>,
        whole: &BTreeSet<NotePath>,
    ) -> Result<Vec<PlannedPath<'c>>> {
        let removals = changes.iter().filter(|change| matches!(change.kind, PathChangeKind::Remove));
        let move_origins = changes.iter().flat_map(|change| &change.from);
        let removed =
            removals.map(|change| &change.path).chain(move_origins).map(|path| self.place(path)).collect();
        let (mut blobs, mut trees) = (Blobs::new(self)?, TreeCache::new(self));
        let items = changes.iter().map(|change| {
            let place = self.place(&change.path);
            check_path(&change.path, &place)?;
            let from: Vec<BString> = change.from.iter().map(|path| self.place(path)).collect();
            let here = tracked(&mut trees, base, change, &place, &removed)?;
            let head = match here {
                Some(here) => Some(here),
                None => first_file(&mut trees, base, &from)?,
            };
            let content = self.content(change, &place, head, &mut blobs, whole)?;
            let mode = match change.kind {
                PathChangeKind::Joined { executable: true, .. } => EntryKind::BlobExecutable.into(),
                PathChangeKind::Joined { .. } => EntryKind::Blob.into(),
                _ => head.map_or_else(|| self.mode_of(&change.path), |leaf| leaf.mode),
            };
            let (new, ignored) = (here.is_none(), false);
            let sets_mode = matches!(change.kind, PathChangeKind::Joined { .. });
            let left_out = matches!(change.kind, PathChangeKind::Joined { left_out: true, .. });
            Ok(PlannedPath {
                path: &change.path,
                place,
                from,
                head,
                new,
                mode,
                sets_mode,
                ignored,
                left_out,
                content,
            })
        });
        items.collect()
    }

    /// Whether all files in a folder of the parent commit are removed.
    fn is_removed(&self, tree: ObjectId, folder: &BString, removed: &BTreeSet<BString>) -> Result<bool> {
        let mut files = Vec::new();
        self.compare(Some(tree), None, folder, &mut files)?;
        Ok(files.iter().all(|(place, ..)| removed.contains(place)))
    }

    fn content<'c>(
        &self,
        change: &'c PathChange<'c>,
        place: &BString,
        head: Option<GitTreeEntry>,
        blobs: &mut Blobs<'_>,
        whole: &BTreeSet<NotePath>,
    ) -> Result<Option<PlannedContent<'c>>> {
        let stored = head.map(|leaf| leaf.id);
        let (before, bytes, reapply, is_requested) = match &change.kind {
            PathChangeKind::Remove => return Ok(None),
            PathChangeKind::Whole { bytes } | PathChangeKind::Joined { bytes, .. } => {
                (None, bytes, None, true)
            }
            PathChangeKind::Write { before, after, reapply } => (before.as_ref(), after, *reapply, false),
        };
        let before = match before {
            Some(before) => Some(self.blob_id(&blobs.clean(place.as_ref(), before, stored)?)?),
            None => None,
        };
        let after = self.write_blob(&blobs.clean(place.as_ref(), bytes, stored)?)?;
        let mut content = PlannedContent {
            before,
            after,
            bytes,
            committed_blob: after,
            is_whole_file: is_requested,
            is_unrequested_whole_file: false,
            reapply,
        };
        if !is_requested {
            let own = match whole.contains(&change.path) {
                true => None,
                false => self.own_lines(&content, place, stored, blobs)?,
            };
            content.is_whole_file = own.is_none();
            content.is_unrequested_whole_file = own.is_none();
            content.committed_blob = own.unwrap_or(after);
        }
        Ok(Some(content))
    }

    /// Returns a version of the note with only the operation's lines changed, or `None` if the
    /// change does not apply.
    fn own_lines(
        &self,
        content: &PlannedContent<'_>,
        place: &BString,
        version: Option<ObjectId>,
        blobs: &mut Blobs<'_>,
    ) -> Result<Option<ObjectId>> {
        if version == content.before || version == Some(content.after) {
            return Ok(Some(content.after));
        }
        let (Some(version), Some(reapply)) = (version, content.reapply) else { return Ok(None) };
        let text = blobs.read(place.as_ref(), version)?;
        let Some(changed) = std::str::from_utf8(&text).ok().and_then(reapply) else { return Ok(None) };
        let stored = blobs.clean(place.as_ref(), changed.as_bytes(), Some(version))?;
        self.write_blob(&stored).map(Some)
    }

    /// Returns the mode of a new note: executable if the file is and `core.fileMode` is set.
    fn mode_of(&self, path: &NotePath) -> EntryMode {
        let cares = self.inner.config_snapshot().boolean("core.fileMode").unwrap_or(cfg!(unix));
        let file = gix::index::fs::Metadata::from_path_no_follow(&self.file(path));
        match cares && file.is_ok_and(|file| file.is_executable()) {
            true => EntryKind::BlobExecutable.into(),
            false => EntryKind::Blob.into(),
        }
    }

    fn mark_ignored(&self, items: &mut [PlannedPath<'_>]) -> Result<()> {
        let mut new: Vec<_> = items.iter_mut().filter(|item| item.new && item.content.is_some()).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut ignores = self.ignores()?;
        for item in &mut new {
            let path = gix::path::from_bstr(item.place.as_bstr()).doing("reading a path", self.git_dir())?;
            let entry =
                ignores.at_path(path, Some(Mode::FILE)).doing("reading .gitignore", self.git_dir())?;
            item.ignored = entry.is_excluded();
        }
        Ok(())
    }

    /// Returns the current ignore rules (`.gitignore` and other sources).
    pub(super) fn ignores(&self) -> Result<gix::AttributeStack<'_>> {
        let none = gix::index::State::new(self.inner.object_hash());
        self.inner
            .excludes(
                &none,
                None,
                gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped,
            )
            .doing("reading .gitignore", self.git_dir())
    }

    /// Writes the trees of the parent with these paths changed.
    fn edit(&self, base: Option<ObjectId>, items: &[PlannedPath<'_>]) -> Result<ObjectId> {
        const DOING: &str = "writing a tree";
        let place = self.git_dir();
        let base = base.unwrap_or_else(|| ObjectId::empty_tree(self.inner.object_hash()));
        let mut editor = self.inner.edit_tree(base).doing(DOING, place)?.detach();
        let parts = |path: &BString| path.split(|byte| *byte == b'/').map(BString::from).collect::<Vec<_>>();
        for item in items.iter().filter(|item| !item.new && item.content.is_none()) {
            editor.remove(parts(&item.place)).doing(DOING, place)?;
        }
        let mut trees = TreeCache::new(self);
        for left in items.iter().flat_map(|item| &item.from) {
            if trees.trail(Some(base), left.as_ref())?.file().is_some() {
                editor.remove(parts(left)).doing(DOING, place)?;
            }
        }
        for item in items {
            if let Some(content) = &item.content {
                editor
                    .upsert(parts(&item.place), item.mode.kind(), content.committed_blob)
                    .doing(DOING, place)?;
            }
        }
        editor.write(|tree| self.inner.write_object(tree).map(gix::Id::detach)).doing(DOING, place)
    }

    /// Updates the index to the commit. Returns a note if the change does not apply to its staged
    /// version.
    pub(super) fn stage(&self, staging: &mut Staging<'_>, plan: &CommitPlan<'_>) -> Result<Option<NotePath>> {
        let mut blobs = Blobs::new(self)?;
        let mut moved = Vec::with_capacity(plan.items.len());
        for item in &plan.items {
            moved.push(leave(staging, item)?);
        }
        for item in plan.items.iter().filter(|item| item.content.is_none()) {
            if staging.slot(item.place.as_ref())? == IndexSlot::Conflict {
                return Err(Error::Unmerged { path: item.path.clone() });
            }
            staging.remove(item.place.as_ref());
        }
        for (item, moved) in plan.items.iter().zip(moved) {
            if let Some(content) = &item.content
                && !self.stage_content(staging, item, content, moved, &mut blobs)?
            {
                return Ok(Some(item.path.clone()));
            }
        }
        Ok(None)
    }

    /// Stages one written path. Returns `false` if the change does not apply to the staged version.
    fn stage_content(
        &self,
        staging: &mut Staging<'_>,
        item: &PlannedPath<'_>,
        content: &PlannedContent<'_>,
        moved: IndexSlot,
        blobs: &mut Blobs<'_>,
    ) -> Result<bool> {
        let path = || item.path.clone();
        let slot = match staging.slot(item.place.as_ref())? {
            IndexSlot::Empty if item.ignored => return Err(Error::Ignored { path: path() }),
            IndexSlot::Empty => moved,
            slot => slot,
        };
        let (staged, mode) = match slot {
            IndexSlot::Conflict => return Err(Error::Unmerged { path: path() }),
            IndexSlot::Empty => (None, Mode::from(item.mode)),
            IndexSlot::Staged { mode: Mode::SYMLINK | Mode::COMMIT, .. } => {
                return Err(Error::NotAFile { path: path() });
            }
            IndexSlot::Staged { id, .. } if item.sets_mode => (Some(id), Mode::from(item.mode)),
            IndexSlot::Staged { id, mode } => (Some(id), mode),
        };
        if item.sets_mode && !item.left_out {
            self.set_executable(item)?;
        }
        if let Some(tracked) = staging.collision(item.place.as_ref()) {
            return Err(Error::Collision { path: path(), tracked: tracked.to_string() });
        }
        let target = match staged {
            _ if content.is_whole_file => content.after,
            staged if staged == item.head.map(|leaf| leaf.id) => content.committed_blob,
            // Taken out of the index by hand: what is staged is the removal, and it stays staged.
            None if item.head.is_some() => return Ok(true),
            staged => match self.own_lines(content, &item.place, staged, blobs)? {
                Some(id) => id,
                None => return Ok(false),
            },
        };
        let stat = match target == content.after && !item.left_out {
            true => self.stat_of(&self.file(item.path), content.bytes)?,
            false => None,
        };
        staging.put(item.place.as_ref(), target, mode, stat);
        if item.left_out {
            staging.leave_out(item.place.as_ref());
        }
        Ok(true)
    }
}

impl Repo {
    /// Makes the file of a path executable or not, as its mode says, where the file system and
    /// `core.fileMode` know such a thing.
    #[cfg(unix)]
    fn set_executable(&self, item: &PlannedPath<'_>) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let should_be_executable = item.mode.is_executable();
        let file = self.file(item.path);
        let cares = self.inner.config_snapshot().boolean("core.fileMode").unwrap_or(true);
        let Ok(stat) = file.symlink_metadata() else { return Ok(()) };
        let mode = stat.permissions().mode();
        if !cares || !stat.is_file() || (mode & 0o100 != 0) == should_be_executable {
            return Ok(());
        }
        // Whoever may read the file may run it.
        let mode = if should_be_executable { mode | (mode & 0o444) >> 2 } else { mode & !0o111 };
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).in_path(&file)
    }

    #[cfg(not(unix))]
    fn set_executable(&self, _item: &PlannedPath<'_>) -> Result<()> {
        Ok(())
    }
}

/// Returns the first existing file among these paths.
fn first_file(
    trees: &mut TreeCache<'_>,
    base: Option<ObjectId>,
    places: &[BString],
) -> Result<Option<GitTreeEntry>> {
    for place in places {
        if let Some(leaf) = trees.trail(base, place.as_ref())?.file() {
            return Ok(Some(leaf));
        }
    }
    Ok(None)
}

/// Returns the entry of the parent commit at a path, after checking that the change is possible
/// there.
fn tracked(
    trees: &mut TreeCache<'_>,
    base: Option<ObjectId>,
    change: &PathChange<'_>,
    place: &BString,
    removed: &BTreeSet<BString>,
) -> Result<Option<GitTreeEntry>> {
    let trail = trees.trail(base, place.as_ref())?;
    let collision = |tracked: String| Err(Error::Collision { path: change.path.clone(), tracked });
    if let Some(leaf) = trail.leaf() {
        return match leaf {
            leaf if leaf.mode.is_tree() => {
                let folder = BString::from([place.as_slice(), b"/"].concat());
                match trees.repo().is_removed(leaf.id, &folder, removed)? {
                    true => Ok(None),
                    false => collision(folder.to_string()),
                }
            }
            leaf if !leaf.is_file() => Err(Error::NotAFile { path: change.path.clone() }),
            leaf => Ok(Some(leaf)),
        };
    }
    let Some((depth, _)) = trail.furthest().filter(|(_, leaf)| !leaf.mode.is_tree()) else {
        return Ok(None);
    };
    let ends = place.find_iter(b"/").nth(depth - 1).unwrap_or(place.len());
    let blocking: BString = place[..ends].into();
    let blocks = !removed.contains(&blocking) && !matches!(change.kind, PathChangeKind::Remove);
    if blocks { collision(blocking.to_string()) } else { Ok(None) }
}

/// Removes the earlier paths of a note from the index. Returns the first entry that was staged at
/// one of them, or [`IndexSlot::Empty`].
fn leave(staging: &mut Staging<'_>, item: &PlannedPath<'_>) -> Result<IndexSlot> {
    let mut staged = IndexSlot::Empty;
    for place in &item.from {
        match staging.slot(place.as_ref())? {
            IndexSlot::Conflict => return Err(Error::Unmerged { path: item.path.clone() }),
            slot if staged == IndexSlot::Empty => staged = slot,
            _ => {}
        }
    }
    for place in &item.from {
        staging.remove(place.as_ref());
    }
    Ok(staged)
}

/// Rejects a path that Git would refuse to check out.
fn check_path(path: &NotePath, place: &BString) -> Result<()> {
    let options =
        gix::validate::path::component::Options { protect_windows: cfg!(windows), ..Default::default() };
    let sound = place
        .split(|byte| *byte == b'/')
        .all(|part| gix::validate::path::component(part.into(), None, options).is_ok());
    if sound { Ok(()) } else { Err(Error::UnsafePath { path: path.clone() }) }
}
