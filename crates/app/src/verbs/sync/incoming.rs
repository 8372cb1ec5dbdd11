//! Plans how the commits of a remote enter the vault: as a move of the branch if this clone has no
//! commits of its own, else as a merge.

use std::collections::{BTreeMap, HashSet};

use super::{JoinedChange, SyncTarget, SyncedChange, SyncedFile};
use crate::context::open::Context;
use crate::context::scoring::scoring;
use crate::context::write::{self, JoinedFile};
use crate::error::{Error, Result};
use crate::verbs::moved_files::moved_files;
use cm_merge::tree::{HowMerged, MergedFile, SideChange, merge_changes};
use cm_merge::{ChangeStamp, Vocabulary, lost_values};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::conflict::conflict_marker;
use cm_note::path::NotePath;
use cm_store::git::{CommitId, Join, Repo, TreeChange};
use cm_store::vault::layout;

/// Maximum number of notes that the message of a merge commit names.
const MAX_IDS: usize = 50;

/// The commits of a remote, and what they change here.
pub(super) struct IncomingPlan {
    /// Number of commits that come.
    pub received: usize,
    pub files: Vec<PlannedFile>,
    /// Whether a merge commit is made.
    pub is_merge: bool,
    message: CommitMessage,
    join: Join,
}

/// One file that changes here.
#[derive(Clone)]
pub(super) struct PlannedFile {
    pub path: NotePath,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    executable: bool,
    pub how: HowMerged,
    open: bool,
}

impl IncomingPlan {
    pub fn change(&self) -> JoinedChange {
        let changed = self.files.iter().filter(|file| file.change() != SyncedChange::Unchanged).cloned();
        let files = changed.map(|file| JoinedFile {
            path: file.path,
            before: file.before,
            after: file.after,
            executable: file.executable,
        });
        JoinedChange { message: self.message.clone(), files: files.collect(), join: self.join }
    }
}

/// Lists the files that change; a moved file is one entry.
pub(super) fn reported(context: &Context, files: &[PlannedFile]) -> Vec<SyncedFile> {
    let of = |kind: SyncedChange| files.iter().filter(move |file| file.change() == kind);
    let removed = of(SyncedChange::Deleted).map(|file| (&file.path, file.before.clone().unwrap_or_default()));
    let added = of(SyncedChange::Added).map(|file| (&file.path, file.after.clone().unwrap_or_default()));
    let moved = moved_files(context.target(), removed, added);
    let gone: HashSet<&NotePath> = moved.values().collect();
    let listed = files.iter().filter(|file| !gone.contains(&file.path)).map(|file| {
        let entry = file.reported();
        match moved.get(&file.path) {
            Some(from) => SyncedFile { from: Some(from.to_string()), change: SyncedChange::Moved, ..entry },
            None => entry,
        }
    });
    listed.collect()
}

impl PlannedFile {
    fn change(&self) -> SyncedChange {
        match (&self.before, &self.after) {
            (None, _) => SyncedChange::Added,
            (_, None) => SyncedChange::Deleted,
            // A mode can change alone; that of a kept file does not.
            (before, after) if self.how == HowMerged::Kept && before == after => SyncedChange::Unchanged,
            _ => SyncedChange::Modified,
        }
    }

    /// Returns the comments that the merge of `cm.toml` added about settings whose other value was not used; empty for
    /// other files.
    pub fn lost_settings(&self) -> Vec<String> {
        let lost = |bytes: &Option<Vec<u8>>| -> Vec<String> {
            let text = bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
            lost_values(text).map(str::to_owned).collect()
        };
        if self.path.as_str() != layout::SETTINGS {
            return Vec::new();
        }
        let before = lost(&self.before);
        lost(&self.after).into_iter().filter(|value| !before.contains(value)).collect()
    }

    /// Returns the line of a conflict marker that came with the note, and was not in it before.
    pub fn new_conflict(&self) -> Option<u32> {
        let marker = |bytes: &Option<Vec<u8>>| conflict_marker(&String::from_utf8_lossy(bytes.as_deref()?));
        marker(&self.after).filter(|_| self.path.is_markdown() && marker(&self.before).is_none())
    }

    fn reported(&self) -> SyncedFile {
        let (path, change) = (self.path.to_string(), self.change());
        SyncedFile { path, from: None, change, how: self.how.into(), open: self.open }
    }
}

/// Plans the change that brings `theirs` into the branch at `head`; `None` if it is there. In a dry run, `edits` are the
/// files with manual edits, which would be committed first.
///
/// # Errors
/// `unrelated` histories, changes outside of the vault or to links and submodules.
pub(super) fn plan(
    context: &Context,
    repo: &Repo,
    target: &SyncTarget,
    head: Option<CommitId>,
    theirs: CommitId,
    edits: &[NotePath],
) -> Result<Option<IncomingPlan>> {
    let bases = match head {
        Some(head) if repo.contains(head, theirs)? => return Ok(None),
        Some(head) => repo.merge_bases(head, theirs)?,
        None => Vec::new(),
    };
    let (base, own) = match (head, bases.as_slice()) {
        (None, _) => (None, None),
        (Some(head), [base, ..]) => (Some(*base), (head != *base || !edits.is_empty()).then_some(head)),
        (Some(_), []) => {
            let message =
                format!("{}/{} has no common history with this branch", target.remote, target.branch);
            return Err(Error::refused("unrelated", message).hint(format!(
                "check the URL with `git remote -v`; `git merge --allow-unrelated-histories {}` joins both",
                theirs.short()
            )));
        }
    };
    target.refuse_outside(repo, base, theirs)?;
    refuse_special(repo, base, theirs)?;
    let received = repo.count_commits(theirs, head)?;
    let Some(head) = own else {
        let files = repo.changed_between(base, theirs)?.into_iter().map(taken).collect();
        let (message, join) = (CommitMessage::new(CommitOp::Sync, "Fast-forward"), Join::FastForward(theirs));
        return Ok(Some(IncomingPlan { received, files, is_merge: false, message, join }));
    };
    let files = merged(context, repo, &bases, head, theirs, edits)?;
    let message = message(context, target, &files);
    Ok(Some(IncomingPlan { received, files, is_merge: true, message, join: Join::Merge(theirs) }))
}

/// Refuses symbolic links and submodules, which only Git itself can check out, and paths at which cm
/// writes no file, such as those in `.jj` and those that are not UTF-8.
fn refuse_special(repo: &Repo, base: Option<CommitId>, theirs: CommitId) -> Result<()> {
    let foreign = repo.foreign_paths(base, theirs)?;
    let special = foreign.special.first().map(|path| (path, "which is a symbolic link or a submodule"));
    let unusable = foreign.outside.first().map(|path| (path, "a path that cm does not write to"));
    let Some((path, reason)) = special.or(unusable) else { return Ok(()) };
    let message = format!("the remote changed {path}, {reason}");
    Err(Error::refused("not-a-file", message)
        .hint("if it is wanted, take it over with `git pull`, then run `cm sync`"))
}

fn taken(change: TreeChange) -> PlannedFile {
    PlannedFile {
        path: change.path,
        before: change.old,
        after: change.new,
        executable: change.executable,
        how: HowMerged::Taken,
        open: false,
    }
}

/// Merges the files of both sides. If there are several common ancestors, they are merged first.
fn merged(
    context: &Context,
    repo: &Repo,
    bases: &[CommitId],
    head: CommitId,
    theirs: CommitId,
    edits: &[NotePath],
) -> Result<Vec<PlannedFile>> {
    let settings = &context.target().settings;
    let scoring = scoring(settings);
    let vocabulary = Vocabulary { types: &settings.types, relations: &settings.relations, scoring: &scoring };
    let base = BaseTree::of(repo, bases, &vocabulary)?;
    let their_head = theirs;
    let (mut ours, mut theirs) = (base.changes_to(repo, head)?, base.changes_to(repo, their_head)?);
    for path in edits {
        let new = write::content_or_none(context.target(), path)?;
        let place = ours.iter().position(|change| change.path == *path);
        let old = match place.map(|place| ours.remove(place)) {
            Some(change) => change.old,
            None => repo.read_at(base.commit, path)?,
        };
        if new != old {
            let at = context.now();
            let stamp = Some(ChangeStamp { at, author: String::new() });
            ours.push(SideChange { path: path.clone(), old, new, executable: false, stamp });
        }
    }
    let wanted = changed_by_both(&ours, &theirs);
    stamp(repo, base.commit, head, &mut ours, &wanted)?;
    stamp(repo, base.commit, their_head, &mut theirs, &wanted)?;
    let exists = |path: &NotePath| repo.has_at(head, path).unwrap_or(true);
    let files = merge_changes(&ours, &theirs, &vocabulary, &exists);
    // Where only the remote changed a file, it is here as in the base.
    let their_old = theirs.into_iter().map(|change| (change.path, change.old));
    let own_new = ours.into_iter().map(|change| (change.path, change.new));
    let mut here: BTreeMap<NotePath, Option<Vec<u8>>> = their_old.chain(own_new).collect();
    let planned = files.into_iter().map(|MergedFile { path, new, executable, how, open }| {
        let before = match here.remove(&path) {
            Some(before) => before,
            None => repo.read_at(head, &path)?,
        };
        Ok(PlannedFile { path, before, after: new, executable, how, open })
    });
    planned.collect()
}

/// Returns the paths that both sides changed, and if either removed one of them, the paths of the new files, which may be
/// the removed ones at other paths.
fn changed_by_both(ours: &[SideChange], theirs: &[SideChange]) -> HashSet<NotePath> {
    let of_theirs: BTreeMap<&NotePath, &SideChange> =
        theirs.iter().map(|change| (&change.path, change)).collect();
    let both = ours.iter().filter_map(|change| Some((change, *of_theirs.get(&change.path)?)));
    let both: Vec<_> = both.filter(|(ours, theirs)| ours.new != theirs.new || ours.new.is_none()).collect();
    let is_moved = both.iter().any(|(ours, theirs)| ours.new.is_none() || theirs.new.is_none());
    let added = ours.iter().chain(theirs).filter(|change| is_moved && change.old.is_none());
    both.iter().map(|(ours, _)| &ours.path).chain(added.map(|change| &change.path)).cloned().collect()
}

/// Sets the newest commit of the changes at some paths.
fn stamp(
    repo: &Repo,
    base: CommitId,
    tip: CommitId,
    changes: &mut [SideChange],
    wanted: &HashSet<NotePath>,
) -> Result<()> {
    let own: HashSet<NotePath> =
        changes.iter().map(|change| &change.path).filter(|path| wanted.contains(path)).cloned().collect();
    if own.is_empty() {
        return Ok(());
    }
    let mut newest = repo.newest_changes(base, tip, &own)?;
    for change in changes {
        if let Some(commit) = newest.remove(&change.path).filter(|_| change.stamp.is_none()) {
            change.stamp = Some(ChangeStamp { at: commit.time, author: commit.author });
        }
    }
    Ok(())
}

/// The common ancestor of both sides: a commit, and the files that differ from it because several
/// ancestors were merged.
struct BaseTree {
    commit: CommitId,
    merged: BTreeMap<NotePath, Option<Vec<u8>>>,
}

impl BaseTree {
    fn of(repo: &Repo, bases: &[CommitId], vocabulary: &Vocabulary<'_>) -> Result<Self> {
        let Some((first, others)) = bases.split_first() else {
            return Err(Error::refused("unrelated", "the histories have no common commit"));
        };
        let mut tree = Self { commit: *first, merged: BTreeMap::new() };
        for other in others {
            // One level down is enough in practice; a deeper one would only change what counts as old.
            let Some(lower) = repo.merge_bases(*first, *other)?.first().copied() else { continue };
            let lower = Self { commit: lower, merged: BTreeMap::new() };
            let mut ours = lower.changes_to(repo, *first)?;
            for (path, bytes) in &tree.merged {
                let old = repo.read_at(lower.commit, path)?;
                ours.retain(|change| change.path != *path);
                let (path, new) = (path.clone(), bytes.clone());
                ours.push(SideChange { path, old, new, executable: false, stamp: None });
            }
            let mut theirs = lower.changes_to(repo, *other)?;
            // The merges of these commits knew the times of the changes.
            let both = changed_by_both(&ours, &theirs);
            stamp(repo, lower.commit, *first, &mut ours, &both)?;
            stamp(repo, lower.commit, *other, &mut theirs, &both)?;
            let exists = |path: &NotePath| repo.has_at(*first, path).unwrap_or(true);
            for file in merge_changes(&ours, &theirs, vocabulary, &exists) {
                tree.merged.insert(file.path, file.new);
            }
        }
        Ok(tree)
    }

    /// Returns the files that differ between this state and a commit.
    fn changes_to(&self, repo: &Repo, commit: CommitId) -> Result<Vec<SideChange>> {
        let changes = repo.changed_between(Some(self.commit), commit)?;
        let mut changes: BTreeMap<NotePath, SideChange> = changes
            .into_iter()
            .map(|TreeChange { path, old, new, executable }| {
                (path.clone(), SideChange { path, old, new, executable, stamp: None })
            })
            .collect();
        for (path, old) in &self.merged {
            let new = match changes.remove(path) {
                Some(change) => change.new,
                None => repo.read_at(commit, path)?,
            };
            if new != *old {
                let (at, old) = (path.clone(), old.clone());
                let change = SideChange { path: at, old, new, executable: false, stamp: None };
                changes.insert(path.clone(), change);
            }
        }
        Ok(changes.into_values().collect())
    }
}

fn message(context: &Context, target: &SyncTarget, files: &[PlannedFile]) -> CommitMessage {
    let open = context.target();
    let merged: Vec<&PlannedFile> = files.iter().filter(|file| file.how != HowMerged::Taken).collect();
    let subject = match merged.as_slice() {
        [] => format!("Merge {}/{}", target.remote, target.branch),
        [one] => format!("Merge {}/{}: both sides changed {}", target.remote, target.branch, one.path),
        all => format!("Merge {}/{}: both sides changed {} files", target.remote, target.branch, all.len()),
    };
    let ids = merged.into_iter().take(MAX_IDS).filter_map(|file| {
        let bytes = file.after.as_deref().or(file.before.as_deref())?;
        open.parse(&file.path, bytes).note.id
    });
    ids.fold(CommitMessage::new(CommitOp::Sync, subject), |message, id| message.id(id))
}
