//! Commits an operation's own changes: exactly its paths, and within them exactly its lines.
//!
//! Objects are written first, without a lock. Then the index is locked, read, changed for these
//! paths and written to the lock file. The branch is moved if it has not changed meanwhile, and the
//! lock file becomes the index. Staged, edited and untracked changes of the user are not committed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant as Moment};

use gix::ObjectId;
use gix::refs::Target;
use gix::refs::transaction::{PreviousValue, RefEdit};

use crate::git::error::{Doing, Error, Result};
use crate::git::identity::Signatures;
use crate::git::lock::IndexLock;
use crate::git::plan::CommitPlan;
use crate::git::repo::{CommitId, Programs, Repo};
use crate::git::staging::Staging;
use cm_note::instant::Instant;
use cm_note::message::CommitMessage;
use cm_note::path::NotePath;

/// Applies the operation's change to another version of the note. Returns `None` if it does not
/// apply cleanly.
pub type Reapply<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One changed path of an operation.
pub struct PathChange<'a> {
    pub path: NotePath,
    /// Earlier paths of a moved note: in the work tree, in the index, and in HEAD. All of them are
    /// removed.
    pub from: Vec<NotePath>,
    pub kind: PathChangeKind<'a>,
}

/// Kind of change to a path. The work tree already has the change.
pub enum PathChangeKind<'a> {
    /// The file was written. Only the lines changed by the operation are committed.
    Write {
        /// Content before the operation; `None` if the file did not exist.
        before: Option<Vec<u8>>,
        /// Content after the operation.
        after: Vec<u8>,
        /// Applies the change to the version in HEAD or in the index if that differs from `before`.
        /// If `None`, such a note is committed as a whole.
        reapply: Option<Reapply<'a>>,
    },
    /// The complete file is committed, including manual edits.
    Whole { bytes: Vec<u8> },
    /// The complete file comes from another history. It is committed even if it is ignored.
    Joined {
        bytes: Vec<u8>,
        /// Whether the file is executable.
        executable: bool,
        /// Whether Git leaves it out of the work tree.
        left_out: bool,
    },
    /// The file was removed.
    Remove,
}

/// How commits of another history enter the branch, once its files are in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// A merge commit whose second parent is this commit.
    Merge(CommitId),
    /// The branch moves to this commit, which has exactly these files.
    FastForward(CommitId),
}

/// Options of a commit.
#[derive(Debug, Clone)]
pub struct Options {
    /// Time of the commit.
    pub at: Instant,
    /// Whether to run Git's hooks, in which case the `git` program creates the commit.
    pub hooks: bool,
    /// Whether to sign commits; `None` uses `commit.gpgsign`.
    pub sign: Option<bool>,
    /// Maximum time to wait for locks of other programs.
    pub wait: Duration,
    /// Another history that the commit joins.
    pub join: Option<Join>,
}

impl Options {
    /// Default options: no hooks, signing as configured in Git, and five seconds for locks.
    pub fn new(at: Instant) -> Self {
        Self { at, hooks: false, sign: None, wait: Duration::from_secs(5), join: None }
    }
}

/// Hash of a created commit, and what it contains besides the requested changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommit {
    pub id: CommitId,
    /// Notes that were committed with manual edits, because these could not be separated. The
    /// commit message lists them.
    pub whole: Vec<NotePath>,
}

/// Result of one attempt to commit.
pub(super) enum CommitAttempt {
    Done(Option<NewCommit>),
    /// The change does not apply to the staged version of this note, which must be committed as a
    /// whole.
    Whole(NotePath),
    /// Another process changed the branch or held a lock; the attempt can be repeated.
    Again(Option<Error>),
}

impl Repo {
    /// Commits exactly these paths. Returns `None` if the branch already contains all changes. The
    /// index is updated in both cases, so that repeating a commit after a crash repairs it.
    pub fn commit(
        &self,
        changes: &[PathChange<'_>],
        message: &CommitMessage,
        options: &Options,
    ) -> Result<Option<NewCommit>> {
        let begun = Moment::now();
        let mut whole = BTreeSet::new();
        let mut attempts = 0;
        loop {
            match self.attempt(changes, message, options, &whole, attempts)? {
                CommitAttempt::Done(committed) => return Ok(committed),
                CommitAttempt::Whole(path) => {
                    whole.insert(path);
                }
                CommitAttempt::Again(reason) => {
                    attempts += 1;
                    if attempts >= 3 && begun.elapsed() >= options.wait {
                        let git_dir = self.git_dir().to_owned();
                        return Err(reason.unwrap_or(Error::Moved { git_dir, attempts }));
                    }
                    std::thread::sleep(Duration::from_millis(u64::from(attempts.min(20))));
                }
            }
        }
    }

    fn attempt(
        &self,
        changes: &[PathChange<'_>],
        message: &CommitMessage,
        options: &Options,
        whole: &BTreeSet<NotePath>,
        attempts: u32,
    ) -> Result<CommitAttempt> {
        if let Some(operation) = self.state() {
            return Err(Error::InProgress { workdir: self.workdir.clone(), operation });
        }
        // The lock is taken late, because git never waits for it; but one who lost a race takes it early,
        // so that the next race cannot be lost to another of us.
        let mut early = match attempts {
            0 => None,
            _ => Some(IndexLock::take(self, options.wait)?),
        };
        self.without_denied_filters()?;
        let mut plan = self.plan(changes, message, whole)?;
        let signatures = self.signatures(options.at, message.actor.as_deref())?;
        plan.needed |= matches!(options.join, Some(Join::Merge(_)));
        let has_edits = (plan.needed || options.join.is_some()) && self.has_jujutsu_edits()?;
        if plan.needed && options.hooks && options.join.is_none() && self.programs == Programs::Allowed {
            drop(early);
            return self.commit_with_hooks(plan, &signatures, options);
        }
        if has_edits && options.join.is_none() {
            drop(early.take());
            if let Some(attempt) = self.commit_with_jujutsu(&plan, &signatures.author)? {
                return Ok(attempt);
            }
        }
        let commit = match options.join {
            Some(Join::FastForward(target)) => self.forward(&plan, target)?,
            _ if plan.needed => Some(self.write_commit(&plan, &signatures, options)?),
            _ => None,
        };
        if let Some(commit) = commit.filter(|_| has_edits && options.join.is_some()) {
            drop(early.take());
            if self.rebase_with_jujutsu(commit)? {
                return Ok(CommitAttempt::Done(Some(NewCommit {
                    id: CommitId(commit),
                    whole: plan.unrequested_whole_files(),
                })));
            }
        }
        let lock = match early {
            Some(lock) => lock,
            None => IndexLock::take(self, options.wait)?,
        };
        self.update_branch_and_index(&plan, commit, lock, &signatures)
    }

    /// Moves the branch to the commit, if there is one, and updates the index. Returns
    /// [`CommitAttempt::Again`] if the branch moved since planning.
    fn update_branch_and_index(
        &self,
        plan: &CommitPlan<'_>,
        commit: Option<ObjectId>,
        mut lock: IndexLock,
        signatures: &Signatures,
    ) -> Result<CommitAttempt> {
        if self.head_id()? != plan.parent {
            return Ok(CommitAttempt::Again(None));
        }
        let mut staging = Staging::open(self)?;
        if let Some(path) = self.stage(&mut staging, plan)? {
            return Ok(CommitAttempt::Whole(path));
        }
        if staging.is_changed() {
            staging.write(&lock)?;
        }
        if let Some(id) = commit {
            if staging.is_changed() {
                lock.announce(id)?;
            }
            if let Some(lost) = self.move_head(plan, id, signatures)? {
                return Ok(lost);
            }
        }
        if staging.is_changed() {
            lock.publish()?;
        }
        Ok(CommitAttempt::Done(
            commit.map(|id| NewCommit { id: CommitId(id), whole: plan.unrequested_whole_files() }),
        ))
    }

    fn write_commit(
        &self,
        plan: &CommitPlan<'_>,
        signatures: &Signatures,
        options: &Options,
    ) -> Result<ObjectId> {
        let joined = match options.join {
            Some(Join::Merge(theirs)) => Some(theirs.0),
            _ => None,
        };
        let commit = gix::objs::Commit {
            tree: plan.tree,
            parents: plan.parent.into_iter().chain(joined).collect(),
            author: signatures.author.clone(),
            committer: signatures.committer.clone(),
            encoding: None,
            message: plan.message.as_str().into(),
            extra_headers: Vec::new(),
        };
        let signing = match options.sign {
            Some(false) => Ok(None),
            Some(true) => self.inner.commit_signing_options().map(Some),
            None => self.inner.commit_signing_options_if_enabled(),
        };
        let signing = signing.doing("reading how to sign commits", self.git_dir())?;
        let commit = match signing {
            Some(options) => commit.sign(options).doing("signing the commit", self.git_dir())?,
            None => commit,
        };
        Ok(self.inner.write_object(commit).doing("writing a commit", self.git_dir())?.detach())
    }

    /// Returns the commit to which the branch moves; `None` if it is there already.
    ///
    /// # Errors
    /// [`Error::OtherTree`] if the planned files are not those of the commit.
    fn forward(&self, plan: &CommitPlan<'_>, target: CommitId) -> Result<Option<ObjectId>> {
        if plan.parent == Some(target.0) {
            return Ok(None);
        }
        if self.tree_of(target.0)? != plan.tree {
            return Err(Error::OtherTree { workdir: self.workdir.clone(), commit: target.short() });
        }
        Ok(Some(target.0))
    }

    /// Moves the branch of HEAD, or a detached HEAD, from the parent to the commit.
    fn move_head(
        &self,
        plan: &CommitPlan<'_>,
        commit: ObjectId,
        signatures: &Signatures,
    ) -> Result<Option<CommitAttempt>> {
        use gix::refs::file::transaction::prepare::{MustNotExist, ReferenceOutOfDate};
        let expected = match plan.parent {
            Some(parent) => PreviousValue::MustExistAndMatch(Target::Object(parent)),
            None => PreviousValue::MustNotExist,
        };
        let parents = usize::from(plan.parent.is_some());
        let log = gix::reference::log::message("commit", plan.message.as_str().into(), parents);
        let head = self.inner.head().doing("reading HEAD", self.git_dir())?.name().to_owned();
        let edit = RefEdit::update(head, commit, expected, log).with_deref(true);
        let mut time = gix::date::parse::TimeBuf::default();
        let committer = signatures.committer.to_ref(&mut time);
        match self.inner.edit_references_as(Some(edit), Some(committer)) {
            Ok(_) => Ok(None),
            Err(err) => {
                let moved = err.downcast_any_ref::<ReferenceOutOfDate>().is_some()
                    || err.downcast_any_ref::<MustNotExist>().is_some();
                let locked = err.classify().is_retryable();
                match (Err::<(), _>(err)).doing("moving the branch", self.git_dir()) {
                    Err(_) if moved => Ok(Some(CommitAttempt::Again(None))),
                    Err(err) if locked => Ok(Some(CommitAttempt::Again(Some(err)))),
                    other => other.map(|()| None),
                }
            }
        }
    }
}
