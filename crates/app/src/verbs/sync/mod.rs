//! Synchronizes the vault with a remote: commits manual edits, fetches, merges by note, regenerates
//! what is derived, and pushes.
//!
//! Nothing is ever overwritten: neither are commits forced on the remote nor is the local history
//! rewritten. An interrupted run leaves a committed state or a journal entry that the next writer
//! completes.

mod incoming;
mod target;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::last_run;
use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::context::secrets::BlockedSecret;
use crate::context::write::{self, JoinedChange, WriteResult};
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::hand_edits::hand_edits;
use crate::verbs::{commit, generate, merge_driver, project};
use cm_merge::tree::HowMerged;
use cm_note::finding::Finding;
use cm_note::note::conflict::conflict_marker;
use cm_note::path::{GENERATED, NotePath};
use cm_store::config::keys;
use cm_store::git::{self, CommitId, Fetch, PushResult, Repo, TransferOptions};
use cm_store::vault::layout;
use cm_text::named_enum;

pub use target::SyncTarget;
pub(crate) use target::{KEEP_COMMITS, on_no_branch};

/// Name of the job in the record of last runs.
pub const JOB: &str = "sync";
/// Maximum number of attempts after other clones pushed at the same moment.
const MAX_ATTEMPTS: u32 = 12;
/// Number of lost races from which on the wait for another fetch grows no longer.
const MAX_WAIT: u32 = 2;

/// Which way commits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    #[default]
    Both,
    /// Fetch and merge only.
    Pull,
    /// Push only.
    Push,
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the remote; by default the one that the branch follows, else `origin`, else the only
    /// one.
    pub remote: Option<String>,
    /// Branch on the remote; by default the one that the branch follows, else the same name.
    pub branch: Option<String>,
    pub direction: Direction,
    /// Fetch and report what would happen, and change nothing here or there.
    pub dry_run: bool,
    /// Whether Git may ask for credentials at the terminal.
    pub asks: bool,
}

named_enum! {
    /// Kind of change of a file in this clone.
    pub enum SyncedChange {
        Added = "added",
        Modified = "modified",
        Deleted = "deleted",
        /// The file is at another path now; it may have changed as well.
        Moved = "moved",
        /// The file stays as it is, although the other side deleted it.
        Unchanged = "unchanged",
    }
}

/// Sides from which the new version of a file comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeOrigin {
    /// Only the remote changed the file.
    Taken,
    /// Both sides changed the file.
    Merged,
    /// One side changed the file, the other deleted it.
    Kept,
    /// Another note has the path or the id.
    Renamed,
    /// Both sides changed a file that cannot be merged, so that both versions are kept.
    Copied,
}

impl From<HowMerged> for MergeOrigin {
    fn from(how: HowMerged) -> Self {
        match how {
            HowMerged::Taken => Self::Taken,
            HowMerged::Merged => Self::Merged,
            HowMerged::Kept => Self::Kept,
            HowMerged::Renamed => Self::Renamed,
            HowMerged::Copied => Self::Copied,
        }
    }
}

/// A file of the vault that the other side changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncedFile {
    pub path: String,
    /// Former path of a moved file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Change in this clone.
    pub change: SyncedChange,
    pub how: MergeOrigin,
    /// Whether something in the file waits for a person's decision.
    pub open: bool,
}

/// Result of a synchronization.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SyncResult {
    pub remote: String,
    /// Branch on the remote.
    pub branch: String,
    /// Commit of the manual edits; null if there were none.
    pub committed: Option<String>,
    /// Number of files with manual edits that were committed, or would be.
    pub edits: usize,
    /// Likely secrets; their files were not committed.
    pub stopped: Vec<BlockedSecret>,
    /// Unresolved merge conflicts; their files were not committed.
    pub conflicts: Vec<Finding>,
    /// Number of commits that came from the remote.
    pub received: usize,
    /// Number of commits that went to the remote.
    pub sent: usize,
    /// Whether the remote had other branches and not this one, so that it was created there.
    pub created: bool,
    /// Files that changed in this clone.
    pub files: Vec<SyncedFile>,
    /// Merge commit; null if one side had no new commits.
    pub merge: Option<String>,
    /// For each value that lost in `cm.toml`, what the other side set or removed.
    pub lost_settings: Vec<String>,
    /// Generated files that were written anew after the merge.
    pub regenerated: Vec<String>,
    /// Newest commit of the branch.
    pub head: Option<String>,
    /// Whether anything changed here or on the remote, or would change.
    pub changed: bool,
    pub dry_run: bool,
}

impl SyncResult {
    /// Returns the number of files that both sides changed, without the copies that a merge added.
    pub fn changed_on_both_sides(&self) -> usize {
        let is_of_both =
            |file: &&SyncedFile| file.how != MergeOrigin::Taken && file.change != SyncedChange::Added;
        self.files.iter().filter(is_of_both).count()
    }
}

/// Synchronizes the target vault.
///
/// # Errors
/// No repository or remote; a state in which Git cannot merge (`detached`, `shallow`, `in-progress`);
/// an `unrelated` or `rewritten` history; a branch that is `gone` from the remote; changes
/// `outside-vault`; a file `in-the-way` of a folder, or a folder of a file; `offline`, `credentials`,
/// `remote-refused`, `push-hook` and `raced`; and the errors of [`commit::commit`] and of writing.
pub fn sync(context: &Context, options: &Options) -> Result<SyncResult> {
    let open = context.target();
    open.writable()?;
    if !options.dry_run {
        write::recover(context)?;
    }
    let repo = repository(open)?;
    let target = SyncTarget::of(repo, options)?;
    if !options.dry_run {
        // For the merges that a person makes with Git. `cm doctor` reports a failure.
        let _ = merge_driver::register(repo);
    }
    let mut result = SyncResult {
        remote: target.remote.clone(),
        branch: target.branch.clone(),
        dry_run: options.dry_run,
        ..SyncResult::default()
    };
    let transfer = TransferOptions {
        silence: Duration::from_secs_f64(open.settings.number(keys::SYNC_TIMEOUT_S)),
        asks: options.asks,
        is_cancelled: &|| context.request.watch.is_cancelled(),
    };
    let run = SyncRun { context, repo, target, options, transfer };
    // Git fetches while the vault is searched for edits, unless both may ask the user for something.
    let early = (!options.asks).then(|| run.start_fetch());
    let committed = commit_edits(context, repo, options, &mut result);
    // Also if that failed: a fetch that is ended early can leave a lock.
    let early = early.map(|fetch| run.finish_fetch(fetch));
    committed?;
    let fetched = early.unwrap_or_else(|| run.finish_fetch(run.start_fetch()));
    let outcome = fetched.and_then(|fetched| run.transfer_all(fetched, &mut result));
    result.head = repo.head()?.commit.map(|head| head.to_string());
    result.changed = result.committed.is_some() || result.received + result.sent > 0;
    outcome.map_err(|error| match error.is_hand_edited() && !result.stopped.is_empty() {
        // What a secret keeps out of a commit cannot be committed first.
        true => error.hint("`cm commit` shows what looks like a secret; remove it, then run `cm sync` again"),
        false if error.is_hand_edited() && !result.conflicts.is_empty() => error.hint(
            "`cm commit` shows the merge conflicts; keep one of the versions, then run `cm sync` again",
        ),
        false => error,
    })?;
    if !options.dry_run {
        run.target.move_bookmark(repo)?;
        run.target.follow(repo, options);
        last_run::done(context, JOB, context.request.now)?;
        context.ensure_fresh(open)?;
    }
    Ok(result)
}

/// Commits manual edits, or counts them in a dry run.
fn commit_edits(context: &Context, repo: &Repo, options: &Options, result: &mut SyncResult) -> Result<()> {
    if options.dry_run {
        result.edits = hand_edits(context.target(), repo)?.ours.len();
        return Ok(());
    }
    if let Some(broken) = write::settings_broken_in_head(context.target())? {
        let edits = hand_edits(context.target(), repo)?.ours.len();
        if edits > 0 {
            context.notice(format!(
                "manual edits of {edits} files are not committed while {} cannot be read",
                broken.path
            ));
        }
        return Ok(());
    }
    let edits = commit::commit(context, None)?;
    result.edits = edits.files.len();
    result.committed = edits.commit;
    result.stopped = edits.stopped;
    result.conflicts = edits.conflicts;
    Ok(())
}

/// One synchronization with what it needs.
struct SyncRun<'a> {
    context: &'a Context,
    repo: &'a Repo,
    target: SyncTarget,
    options: &'a Options,
    transfer: TransferOptions<'a>,
}

impl SyncRun<'_> {
    fn start_fetch(&self) -> Result<Fetch> {
        Ok(self.repo.start_fetch(&self.target.remote, &self.target.branch, &self.transfer)?)
    }

    /// Waits for a fetch, and repeats it while another process fetches into this clone.
    fn finish_fetch(&self, fetch: Result<Fetch>) -> Result<Option<CommitId>> {
        let mut fetch = fetch?;
        for lost in 1..MAX_ATTEMPTS {
            match self.repo.finish_fetch(fetch, &self.transfer) {
                Err(git::Error::Busy { .. }) => git::wait_after_race(lost.min(MAX_WAIT), self.random()),
                ended => return Ok(ended?),
            }
            fetch = self.start_fetch()?;
        }
        Ok(self.repo.finish_fetch(fetch, &self.transfer)?)
    }

    fn random(&self) -> u64 {
        self.context.new_uuid().as_u64_pair().0
    }

    /// Fetches, merges and pushes until both sides have the same commits. `fetched` is the newest
    /// commit of the remote branch; `None` if there is no such branch.
    fn transfer_all(&self, mut fetched: Option<CommitId>, result: &mut SyncResult) -> Result<()> {
        let (remote, branch) = (&self.target.remote, &self.target.branch);
        if let (None, Some(head)) = (fetched, self.repo.head()?.commit)
            && self.options.direction != Direction::Pull
        {
            let others = self.repo.branches_on(remote, &self.transfer)?;
            self.target.refuse_new_branch(self.repo, head, &others, self.options)?;
            result.created = !others.is_empty();
        }
        let agreed = self.repo.reference(&self.target.synced_reference())?.or(fetched);
        for lost in 0..MAX_ATTEMPTS {
            if lost > 0 {
                git::wait_after_race(lost, self.random());
                fetched = self.finish_fetch(self.start_fetch())?;
            }
            let theirs = fetched;
            if let Some(theirs) = theirs {
                self.target.refuse_rewritten(self.repo, theirs)?;
                if self.options.direction != Direction::Push {
                    self.integrate(theirs, result)?;
                }
            }
            if lost == 0 && self.options.direction != Direction::Push && !self.options.dry_run {
                self.repair_generated(agreed, result)?;
            }
            if self.options.direction == Direction::Pull {
                if theirs.is_none() {
                    return Err(Error::not_found(format!("{remote} has no branch `{branch}`"))
                        .hint("`git branch --remotes` lists those that were fetched before"));
                }
                return self.remember(theirs);
            }
            match self.push(theirs, result)? {
                PushResult::Done => return Ok(()),
                PushResult::Raced if self.options.direction == Direction::Push => {
                    let message = format!("{remote}/{branch} has commits that are not here");
                    return Err(Error::refused("behind", message)
                        .hint("run `cm sync` without `--push` to merge them"));
                }
                PushResult::Raced => {}
                PushResult::Hooked(why) => {
                    let message = format!("the `pre-push` hook of this repository refused: {why}");
                    return Err(Error::refused("push-hook", message)
                        .hint("everything is committed here; run `cm sync` again when the hook accepts it"));
                }
                PushResult::Refused(why) => {
                    return Err(Error::refused(
                        "remote-refused",
                        format!("{remote} refused the push: {why}"),
                    )
                    .hint("everything is committed here; run `cm sync` again when the remote accepts it"));
                }
            }
        }
        let message = format!("other clones pushed to {remote}/{branch} during all {MAX_ATTEMPTS} attempts");
        Err(Error::new(ErrorKind::Locked, "raced", message)
            .hint("everything is committed here; run `cm sync` again"))
    }

    /// Merges the commits of the remote.
    fn integrate(&self, theirs: CommitId, result: &mut SyncResult) -> Result<()> {
        let mut planned = None;
        let edits: Vec<NotePath> = match self.options.dry_run {
            true => {
                hand_edits(self.context.target(), self.repo)?.ours.into_iter().map(|(path, _)| path).collect()
            }
            false => Vec::new(),
        };
        let plan = |head: Option<CommitId>| {
            incoming::plan(self.context, self.repo, &self.target, head, theirs, &edits)
        };
        if self.options.dry_run {
            planned = plan(self.repo.head()?.commit)?;
        }
        let written = match self.options.dry_run {
            true => WriteResult::default(),
            false => write::join(self.context, |_, repo| {
                planned = plan(repo.head()?.commit)?;
                Ok(planned.as_ref().map(|planned| planned.change()))
            })?,
        };
        let Some(planned) = planned else { return Ok(()) };
        result.received += planned.received;
        result.files.extend(incoming::reported(self.context, &planned.files));
        for (file, line) in planned.files.iter().filter_map(|file| Some((file, file.new_conflict()?))) {
            self.context
                .notice(format!("{}:{line}: the remote has a merge conflict in this note", file.path));
        }
        if self.options.dry_run {
            return Ok(());
        }
        let reopened = match planned.files.iter().any(|file| file.path.as_str() == layout::SETTINGS) {
            true => self.with_new_settings()?,
            false => None,
        };
        if planned.is_merge {
            result.merge = written.commit;
            let merged = planned.files.iter().filter(|file| file.how == HowMerged::Merged);
            let context = reopened.as_ref().unwrap_or(self.context);
            if write::settings_broken_in_head(context.target())?.is_none() {
                result.regenerated.extend(self.regenerate(context, merged.map(|file| &file.path))?);
            }
            result.lost_settings.extend(planned.files.iter().flat_map(incoming::PlannedFile::lost_settings));
        }
        Ok(())
    }

    /// Opens the vault with the settings that came; `None` if nothing depends on them. Settings that cannot be read are
    /// reported.
    fn with_new_settings(&self) -> Result<Option<Context>> {
        let open = self.context.target();
        let bytes = open.vault.read_own(layout::SETTINGS)?.unwrap_or_default();
        if let Some(broken) = write::unreadable_settings(bytes.as_bytes()) {
            self.context.notice(format!(
                "{} that came from {} cannot be read: {}; nothing is written here until it is repaired, there or here",
                broken.path, self.target.remote, broken.message
            ));
            return Ok(None);
        }
        let was_broken = open.settings.broken().is_some();
        was_broken.then(|| self.context.for_vault(open)).transpose()
    }

    /// Regenerates what is derived if Git merged by itself since `agreed`: it takes such files from a
    /// side, or merges their lines.
    fn repair_generated(&self, agreed: Option<CommitId>, result: &mut SyncResult) -> Result<()> {
        let (Some(agreed), Some(head)) = (agreed, self.repo.head()?.commit) else { return Ok(()) };
        let is_broken = || write::settings_broken_in_head(self.context.target());
        if agreed == head || !self.repo.has_merge_by_hand(head, agreed)? || is_broken()?.is_some() {
            return Ok(());
        }
        let changed = self.repo.changed_between(Some(agreed), head)?;
        result.regenerated.extend(self.regenerate(self.context, changed.iter().map(|change| &change.path))?);
        Ok(())
    }

    /// Writes the generated files anew that Git tracks, and the marked sections of these files.
    fn regenerate<'p>(
        &self,
        context: &Context,
        files: impl Iterator<Item = &'p NotePath>,
    ) -> Result<Vec<String>> {
        let mut written = Vec::new();
        let Some(head) = self.repo.head()?.commit else { return Ok(written) };
        let is_tracked = |name: &str| match NotePath::parse(name) {
            Ok(path) => self.repo.has_at(head, &path),
            Err(_) => Ok(false),
        };
        if is_tracked(layout::CORE)? && generate::core(context, false)?.changed {
            written.push(layout::CORE.to_owned());
        }
        if is_tracked(layout::REFLECTION)? && generate::reflection(context, false)?.changed {
            written.push(layout::REFLECTION.to_owned());
        }
        for path in files.filter(|path| path.file_name() != path.stem()) {
            match project::rewrite_section(context, path) {
                Ok(true) => written.push(path.to_string()),
                Ok(false) => {}
                // The rules of an untrusted vault stay as they came.
                Err(error) => context.notice(format!("{path} was not regenerated: {error}")),
            }
        }
        if written.iter().any(|path| !GENERATED.contains(&path.as_str())) {
            commit::commit(context, Some("Regenerate the rules in rule files"))?;
        }
        Ok(written)
    }

    /// Pushes the branch if the remote lacks commits of it.
    fn push(&self, theirs: Option<CommitId>, result: &mut SyncResult) -> Result<PushResult> {
        let Some(head) = self.repo.head()?.commit else { return Ok(PushResult::Done) };
        if let Some(theirs) = theirs
            && self.repo.contains(theirs, head)?
        {
            return self.remember(Some(theirs)).map(|()| PushResult::Done);
        }
        let base = match theirs {
            Some(theirs) => self.repo.merge_bases(head, theirs)?.first().copied(),
            None => None,
        };
        self.target.refuse_outside(self.repo, base, head)?;
        self.refuse_broken_settings(head)?;
        refuse_conflict_markers(self.repo, base, head)?;
        let sent = self.repo.count_commits(head, theirs)?;
        if self.options.dry_run {
            result.sent += sent;
            return Ok(PushResult::Done);
        }
        let push = self.repo.start_push(&self.target.remote, &self.target.branch, head, &self.transfer)?;
        // Meanwhile the index takes in the changes. If it fails, the refresh at the end reports it.
        let _ = self.context.ensure_fresh(self.context.target());
        let pushed = self.repo.finish_push(push, &self.transfer)?;
        if pushed == PushResult::Done {
            result.sent += sent;
            self.remember(Some(head))?;
        }
        Ok(pushed)
    }

    /// Refuses to publish commits while the settings of the vault cannot be read.
    fn refuse_broken_settings(&self, head: CommitId) -> Result<()> {
        let Ok(path) = NotePath::parse(layout::SETTINGS) else { return Ok(()) };
        let settings = self.repo.read_at(head, &path)?;
        let Some(broken) = settings.and_then(|bytes| write::unreadable_settings(&bytes)) else {
            return Ok(());
        };
        let message = format!("nothing is sent while {} cannot be read", broken.path);
        Err(Error::refused("invalid-setting", message).at(&broken.path, broken.line, broken.column).hint(
            format!("{}: repair it and run `cm sync` again; `cm sync --pull` only receives", broken.message),
        ))
    }

    /// Records the commit at which both sides last agreed.
    fn remember(&self, commit: Option<CommitId>) -> Result<()> {
        match commit.filter(|_| !self.options.dry_run) {
            Some(commit) => Ok(self.repo.set_reference(&self.target.synced_reference(), commit)?),
            None => Ok(()),
        }
    }
}

/// Refuses to publish a note with conflict markers that the commits since `base` brought in.
fn refuse_conflict_markers(repo: &Repo, base: Option<CommitId>, head: CommitId) -> Result<()> {
    let marker = |commit, path: &NotePath| -> Result<Option<u32>> {
        let bytes = repo.read_at(commit, path)?;
        Ok(bytes.and_then(|bytes| conflict_marker(&String::from_utf8_lossy(&bytes))))
    };
    for path in repo.paths_between(base, Some(head))?.iter().filter(|path| path.is_markdown()) {
        let Some(line) = marker(head, path)? else { continue };
        let is_published = base.map(|base| marker(base, path)).transpose()?.flatten().is_some();
        if !is_published {
            let hint = "keep one of the versions, remove the conflict markers and run `cm sync` again; nothing was sent";
            return Err(write::conflict_marker_error(path, line).hint(hint));
        }
    }
    Ok(())
}
