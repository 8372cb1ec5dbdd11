//! One curation, one commit: exactly its paths, and of each exactly its lines.
//!
//! Objects are written first, without a lock. Then the index is locked, read, changed for these paths and
//! written into the lock; the branch moves if it still is where it was; the lock becomes the index. What
//! the person has staged, edited or left untracked is never read as the curation's own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant as Moment};

use gix::ObjectId;
use gix::refs::Target;
use gix::refs::transaction::{PreviousValue, RefEdit};

use crate::git::error::{Doing, Error, Result};
use crate::git::identity::Signatures;
use crate::git::lock::IndexLock;
use crate::git::plan::Plan;
use crate::git::repo::{CommitId, Programs, Repo};
use crate::git::staging::Staging;
use cm_note::instant::Instant;
use cm_note::message::Message;
use cm_note::path::NotePath;

/// Makes the curation's change in another version of the same note; `None` where it cannot be made cleanly.
pub type Reapply<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One path of a curation.
pub struct PathChange<'a> {
    /// Where.
    pub path: NotePath,
    /// Where a note that moved lay before: in the work tree, in what is staged, in HEAD. None of these paths stays.
    pub from: Vec<NotePath>,
    /// What was done to it.
    pub kind: Kind<'a>,
}

/// What was done to a path. The work tree has it already.
pub enum Kind<'a> {
    /// The file was written, and only the lines that the curation changed are to be committed.
    Write {
        /// The file before the curation; `None` where there was none.
        before: Option<Vec<u8>>,
        /// The file after it.
        after: Vec<u8>,
        /// How to make the same change in a version that is neither; without it, such a note is committed whole.
        reapply: Option<Reapply<'a>>,
    },
    /// The file is to be committed as it is, hand edits and all.
    Whole {
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// The file was removed.
    Remove,
}

/// How to commit.
#[derive(Debug, Clone)]
pub struct Options {
    /// The time of the commit.
    pub at: Instant,
    /// Whether git's hooks run, which takes git itself to commit.
    pub hooks: bool,
    /// Whether commits are signed; `None` leaves that to git's `commit.gpgsign`.
    pub sign: Option<bool>,
    /// How long to wait for other programs' locks.
    pub wait: Duration,
}

impl Options {
    /// No hooks, signatures as git has them, and five seconds of patience.
    pub fn new(at: Instant) -> Self {
        Self { at, hooks: false, sign: None, wait: Duration::from_secs(5) }
    }
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Its name.
    pub id: CommitId,
    /// Notes whose hand edits could not be told from the curation and went in with it; the message says so.
    pub whole: Vec<NotePath>,
}

/// What came of one attempt.
pub(super) enum Outcome {
    Done(Option<Committed>),
    /// The staged version of this note does not take the change: it must go in whole.
    Whole(NotePath),
    /// Somebody else was faster.
    Again(Option<Error>),
}

impl Repo {
    /// Commits these paths and nothing else; `None` where the branch has all of it already. The index
    /// follows in either case, so that committing once more after a crash repairs it.
    pub fn commit(
        &self,
        changes: &[PathChange<'_>],
        message: &Message,
        options: &Options,
    ) -> Result<Option<Committed>> {
        let begun = Moment::now();
        let mut whole = BTreeSet::new();
        let mut attempts = 0;
        loop {
            match self.attempt(changes, message, options, &whole, attempts)? {
                Outcome::Done(committed) => return Ok(committed),
                Outcome::Whole(path) => {
                    whole.insert(path);
                }
                Outcome::Again(reason) => {
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
        message: &Message,
        options: &Options,
        whole: &BTreeSet<NotePath>,
        attempts: u32,
    ) -> Result<Outcome> {
        if let Some(operation) = self.state() {
            return Err(Error::InProgress { workdir: self.workdir.clone(), operation });
        }
        // The lock is taken late, because git never waits for it; but one who lost a race takes it early,
        // so that the next race cannot be lost to another of us.
        let early = match attempts {
            0 => None,
            _ => Some(IndexLock::take(self, options.wait)?),
        };
        self.without_denied_filters()?;
        let plan = self.plan(changes, message, whole)?;
        if plan.needed && options.hooks && self.programs == Programs::Allowed {
            drop(early);
            return self.commit_with_hooks(plan, options);
        }
        let signatures = self.signatures(options.at)?;
        let commit = match plan.needed {
            true => Some(self.write_commit(&plan, &signatures, options.sign)?),
            false => None,
        };
        let lock = match early {
            Some(lock) => lock,
            None => IndexLock::take(self, options.wait)?,
        };
        self.land(&plan, commit, lock, &signatures)
    }

    /// Moves branch and index to the commit, or the index alone where there is none, if the branch still is
    /// where the plan began.
    fn land(
        &self,
        plan: &Plan<'_>,
        commit: Option<ObjectId>,
        mut lock: IndexLock,
        signatures: &Signatures,
    ) -> Result<Outcome> {
        if self.head_id()? != plan.parent {
            return Ok(Outcome::Again(None));
        }
        let mut staging = Staging::open(self)?;
        if let Some(path) = self.stage(&mut staging, plan)? {
            return Ok(Outcome::Whole(path));
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
        Ok(Outcome::Done(commit.map(|id| Committed { id: CommitId(id), whole: plan.whole() })))
    }

    fn write_commit(&self, plan: &Plan<'_>, signatures: &Signatures, sign: Option<bool>) -> Result<ObjectId> {
        let commit = gix::objs::Commit {
            tree: plan.tree,
            parents: plan.parent.into_iter().collect(),
            author: signatures.author.clone(),
            committer: signatures.committer.clone(),
            encoding: None,
            message: plan.message.as_str().into(),
            extra_headers: Vec::new(),
        };
        let signing = match sign {
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

    /// Moves the branch that HEAD names, or HEAD itself, from the parent to the commit.
    fn move_head(
        &self,
        plan: &Plan<'_>,
        commit: ObjectId,
        signatures: &Signatures,
    ) -> Result<Option<Outcome>> {
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
                    Err(_) if moved => Ok(Some(Outcome::Again(None))),
                    Err(err) if locked => Ok(Some(Outcome::Again(Some(err)))),
                    other => other.map(|()| None),
                }
            }
        }
    }
}
