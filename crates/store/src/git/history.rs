//! The log: commits newest first, read back as the curations that they are.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder::NewestFirst;

use crate::git::error::{Doing, Result};
use crate::git::repo::{CommitId, Repo};
use cm_note::instant::Instant;
use cm_note::message::Message;
use cm_note::path::NotePath;

/// What is known of a commit without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its name.
    pub id: CommitId,
    /// The commits before it: none for the first, several for a merge.
    pub parents: Vec<CommitId>,
    /// When it was made.
    pub time: Instant,
    /// Who wrote it.
    pub author: String,
    /// The author's address.
    pub email: String,
    /// The first line of its message.
    pub subject: String,
    /// The message as data, where a curation made the commit.
    pub message: Option<Message>,
}

/// Which commits the log shows; the default shows all.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    /// Only commits made at this time or later.
    pub since: Option<Instant>,
    /// At most so many.
    pub limit: Option<usize>,
    /// Only curations of one of these notes.
    pub ids: Vec<String>,
    /// Only curations by this verb.
    pub op: Option<String>,
    /// Only curations that this agent asked for.
    pub agent: Option<String>,
    /// Only curations of this session.
    pub session: Option<String>,
    /// Only the commit of this entry of the journal.
    pub operation: Option<String>,
    /// Only commits that touch the vault's folder.
    pub vault_only: bool,
}

impl LogFilter {
    fn admits(&self, commit: &CommitInfo) -> bool {
        let Some(message) = &commit.message else {
            let asked = [&self.op, &self.agent, &self.session, &self.operation];
            return self.ids.is_empty() && asked.iter().all(|asked| asked.is_none());
        };
        let fits = |wanted: &Option<String>, found: Option<&String>| {
            wanted.as_ref().is_none_or(|wanted| found == Some(wanted))
        };
        (self.ids.is_empty() || message.ids.iter().any(|id| self.ids.contains(id)))
            && fits(&self.op, Some(&message.op))
            && fits(&self.agent, message.agent.as_ref())
            && fits(&self.session, message.session.as_ref())
            && fits(&self.operation, message.operation.as_ref())
    }
}

impl Repo {
    /// The commits that led to HEAD, newest first.
    pub fn log(&self, filter: &LogFilter) -> Result<Vec<CommitInfo>> {
        let mut out = Vec::new();
        let Some(head) = self.head_id()? else { return Ok(out) };
        for id in self.walk(head, None, filter.since)? {
            if filter.limit.is_some_and(|limit| out.len() >= limit) {
                break;
            }
            let commit = self.info(id?)?;
            if filter.admits(&commit) && (!filter.vault_only || self.touches_vault(&commit)?) {
                out.push(commit);
            }
        }
        Ok(out)
    }

    /// When the newest commit was made that changed a file that `wanted` takes, as every clone of HEAD sees it. A merge
    /// counts where it differs from all of its parents.
    pub fn last_change(&self, wanted: &dyn Fn(&NotePath) -> bool) -> Result<Option<Instant>> {
        let Some(head) = self.head_id()? else { return Ok(None) };
        for id in self.walk(head, None, None)? {
            let commit = self.info(id?)?;
            let differs = |parent: Option<CommitId>| {
                Ok(self.paths_between(parent, Some(commit.id))?.iter().any(wanted))
            };
            let parents: Vec<Option<CommitId>> = match commit.parents.as_slice() {
                [] => vec![None],
                parents => parents.iter().copied().map(Some).collect(),
            };
            let changed: Vec<bool> = parents.into_iter().map(differs).collect::<Result<_>>()?;
            if changed.into_iter().all(|changed| changed) {
                return Ok(Some(commit.time));
            }
        }
        Ok(None)
    }

    /// Whether others may have this repository too.
    pub fn has_remote(&self) -> bool {
        self.remote().is_some()
    }

    /// One commit.
    pub fn commit_info(&self, commit: CommitId) -> Result<CommitInfo> {
        self.info(commit.0)
    }

    /// Commits from a tip on, newest first; not those that `hidden` has too, nor older ones than `since`.
    pub(super) fn walk(
        &self,
        tip: ObjectId,
        hidden: Option<ObjectId>,
        since: Option<Instant>,
    ) -> Result<impl Iterator<Item = Result<ObjectId>>> {
        let sorting = match since {
            Some(since) => Sorting::ByCommitTimeCutoff { order: NewestFirst, seconds: since.unix() },
            None => Sorting::ByCommitTime(NewestFirst),
        };
        let walk = self
            .inner
            .rev_walk([tip])
            .sorting(sorting)
            .with_hidden(hidden)
            .all()
            .doing("walking the history", self.git_dir())?;
        Ok(walk.map(|info| Ok(info.doing("walking the history", self.git_dir())?.id)))
    }

    pub(super) fn info(&self, id: ObjectId) -> Result<CommitInfo> {
        let commit = self.inner.find_commit(id).doing("reading a commit", self.git_dir())?;
        let decoded = commit.decode().doing("reading a commit", self.git_dir())?;
        let author = decoded.author().doing("reading a commit", self.git_dir())?;
        let time = decoded.time().doing("reading a commit", self.git_dir())?;
        let text = decoded.message.to_str_lossy();
        Ok(CommitInfo {
            id: CommitId(id),
            parents: self.known(decoded.parents())?.into_iter().map(CommitId).collect(),
            time: Instant::from_unix(time.seconds),
            author: author.name.to_string(),
            email: author.email.to_string(),
            subject: text.lines().next().unwrap_or_default().trim().to_owned(),
            message: Message::parse(&text),
        })
    }

    /// The parents that are here: a shallow clone ends where they are not.
    fn known(&self, parents: impl Iterator<Item = ObjectId>) -> Result<Vec<ObjectId>> {
        let shallow = self.inner.is_shallow().doing("reading the history's end", self.git_dir())?;
        Ok(parents.filter(|id| !shallow || self.inner.has_object(id)).collect())
    }

    /// Whether the vault differs from what every parent has.
    fn touches_vault(&self, commit: &CommitInfo) -> Result<bool> {
        let vault = self.vault_tree(commit.id.0)?;
        for parent in &commit.parents {
            if self.vault_tree(parent.0)? == vault {
                return Ok(false);
            }
        }
        Ok(vault.is_some() || !commit.parents.is_empty())
    }
}
