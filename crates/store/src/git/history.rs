//! The commit log, newest first, with commit messages parsed as operations.

use std::collections::{HashMap, HashSet};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder::NewestFirst;

use crate::git::error::{Doing, Result};
use crate::git::repo::{CommitId, Repo};
use cm_note::instant::Instant;
use cm_note::message::CommitMessage;
use cm_note::path::NotePath;

/// Maximum number of commits that are searched for the newest changes of files.
const MAX_DATED_COMMITS: usize = 2_000;

/// Metadata of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    pub id: CommitId,
    /// Parent commits: none for the first commit, several for a merge.
    pub parents: Vec<CommitId>,
    pub time: Instant,
    /// Name of the author.
    pub author: String,
    /// Email address of the author.
    pub email: String,
    /// First line of the message.
    pub subject: String,
    /// The parsed message, if `cm` created the commit.
    pub message: Option<CommitMessage>,
}

/// Time, tree and parents of a commit.
pub(super) struct CommitLinks {
    /// Seconds since 1970.
    pub time: i64,
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
}

/// Filter for the log; the default accepts all commits.
#[derive(Debug, Clone, Default)]
pub struct LogFilter {
    /// Only commits from this time on.
    pub since: Option<Instant>,
    /// Maximum number of commits.
    pub limit: Option<usize>,
    /// Only operations on one of these notes, and the commits in `commits`.
    pub ids: Vec<String>,
    /// Commits that pass `ids` whatever their messages say, such as those with manual edits of the notes.
    pub commits: HashSet<CommitId>,
    /// Only operations with this verb.
    pub op: Option<String>,
    /// Only operations requested by this agent.
    pub agent: Option<String>,
    /// Only operations of this session.
    pub session: Option<String>,
    /// Only the commit of this journal entry.
    pub operation: Option<String>,
    /// Only commits that change the vault's folder.
    pub vault_only: bool,
}

impl LogFilter {
    fn admits(&self, commit: &CommitInfo) -> bool {
        let is_listed = self.ids.is_empty() || self.commits.contains(&commit.id);
        let Some(message) = &commit.message else {
            let filters = [&self.op, &self.agent, &self.session, &self.operation];
            return is_listed && filters.iter().all(|filters| filters.is_none());
        };
        let fits = |filter: &Option<String>, found: Option<&String>| {
            filter.as_ref().is_none_or(|filter| found == Some(filter))
        };
        (is_listed || message.ids.iter().any(|id| self.ids.contains(id)))
            && fits(&self.op, Some(&message.op))
            && fits(&self.agent, message.agent.as_ref())
            && fits(&self.session, message.session.as_ref())
            && fits(&self.operation, message.operation.as_ref())
    }
}

impl Repo {
    /// Returns the commits reachable from HEAD that pass the filter, newest first.
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

    /// Returns the time of the newest commit in HEAD that changed a file accepted by `wanted`. A
    /// merge counts only if it differs from all of its parents.
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

    /// Returns for each of the paths the newest commit that changed it, of those in `tip` and not in `base`. Merges are
    /// left out, and so are all but the newest 2,000.
    pub fn newest_changes(
        &self,
        base: CommitId,
        tip: CommitId,
        paths: &HashSet<NotePath>,
    ) -> Result<HashMap<NotePath, CommitInfo>> {
        let mut newest = HashMap::new();
        for id in self.walk(tip.0, Some(base.0), None)?.take(MAX_DATED_COMMITS) {
            if newest.len() == paths.len() {
                break;
            }
            let commit = self.info(id?)?;
            if commit.parents.len() > 1 {
                continue;
            }
            let changed = self.paths_between(commit.parents.first().copied(), Some(commit.id))?;
            for path in changed.into_iter().filter(|path| paths.contains(path)) {
                newest.entry(path).or_insert_with(|| commit.clone());
            }
        }
        Ok(newest)
    }

    /// Whether the repository has a remote.
    pub fn has_remote(&self) -> bool {
        self.remote().is_some()
    }

    /// Returns the metadata of a commit.
    pub fn commit_info(&self, commit: CommitId) -> Result<CommitInfo> {
        self.info(commit.0)
    }

    /// Walks the commits reachable from `tip`, newest first, without those reachable from `hidden`
    /// and those older than `since`.
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
            parents: self.existing_commits(decoded.parents())?.into_iter().map(CommitId).collect(),
            time: Instant::from_unix(time.seconds),
            author: author.name.to_string(),
            email: author.email.to_string(),
            subject: text.lines().next().unwrap_or_default().trim().to_owned(),
            message: CommitMessage::parse(&text),
        })
    }

    /// Returns what a walk needs of a commit. In a shallow clone, parents that are missing are left
    /// out.
    pub(super) fn links(&self, id: ObjectId, is_shallow: bool) -> Result<CommitLinks> {
        let commit = self.inner.find_commit(id).doing("reading a commit", self.git_dir())?;
        let decoded = commit.decode().doing("reading a commit", self.git_dir())?;
        let parents = decoded.parents().filter(|id| !is_shallow || self.inner.has_object(id));
        Ok(CommitLinks {
            time: decoded.time().doing("reading a commit", self.git_dir())?.seconds,
            tree: decoded.tree(),
            parents: parents.collect(),
        })
    }

    /// Returns the parents that exist locally. In a shallow clone some are missing.
    fn existing_commits(&self, parents: impl Iterator<Item = ObjectId>) -> Result<Vec<ObjectId>> {
        let shallow = self.inner.is_shallow().doing("reading the end of the history", self.git_dir())?;
        Ok(parents.filter(|id| !shallow || self.inner.has_object(id)).collect())
    }

    /// Whether the vault differs from that of every parent.
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
