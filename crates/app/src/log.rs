//! The curations, read back from the commits.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::history::here_or_gone;
use super::memory::{Memory, OpenVault};
use cm_note::instant::Instant;
use cm_store::config::CommitMode;
use cm_store::git::{CommitInfo, LogFilter, Repo};

/// Which commits.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Curations of this note.
    pub note: Option<String>,
    /// By this verb.
    pub op: Option<String>,
    /// For this agent.
    pub agent: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// At or after this.
    pub since: Option<Instant>,
    /// At most so many.
    pub limit: usize,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub at: Instant,
    /// The verb; null where no curation made it.
    pub op: Option<String>,
    /// The notes that it is about.
    pub ids: Vec<String>,
    /// Who asked, else its author.
    pub actor: String,
    /// The agent that asked.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Its first line.
    pub subject: String,
}

impl Commit {
    /// A commit as it stands in lists.
    pub fn of(info: &CommitInfo) -> Self {
        let message = info.message.clone();
        let (op, ids) = message.as_ref().map_or((None, Vec::new()), |m| (Some(m.op.clone()), m.ids.clone()));
        Self {
            id: info.id.to_string(),
            at: info.time,
            op,
            ids,
            actor: message.as_ref().and_then(|m| m.actor.clone()).unwrap_or_else(|| info.author.clone()),
            agent: message.as_ref().and_then(|m| m.agent.clone()),
            session: message.as_ref().and_then(|m| m.session.clone()),
            reason: message.and_then(|m| m.reason),
            subject: info.subject.clone(),
        }
    }
}

/// Commits, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Logged {
    /// The commits.
    pub commits: Vec<Commit>,
}

/// The commits of the vault that is written to.
///
/// # Errors
/// No repository, a note that is not found, or a repository that cannot be read.
pub fn log(memory: &Memory, options: &Options) -> Result<Logged> {
    let repo = repository(memory.target())?;
    let ids = match &options.note {
        None => Vec::new(),
        Some(reference) => vec![here_or_gone(memory, reference)?.0],
    };
    let filter = LogFilter {
        since: options.since,
        limit: Some(options.limit),
        ids,
        op: options.op.clone(),
        agent: options.agent.clone(),
        session: options.session.clone(),
        operation: None,
        vault_only: !repo.is_own(),
    };
    let commits: Vec<Commit> = repo.log(&filter)?.iter().map(Commit::of).collect();
    notice_if_manual(memory, commits.is_empty());
    Ok(Logged { commits })
}

/// Says why no commits are found where commits are manual.
pub(super) fn notice_if_manual(memory: &Memory, is_empty: bool) {
    if is_empty && memory.target().settings.commit_mode() == CommitMode::Manual {
        memory.notice("`git.commit` is manual: changes stand in the history once `cm commit` commits them");
    }
}

/// The repository of a vault, or a refusal.
pub(super) fn repository(open: &OpenVault) -> Result<&Repo> {
    open.repo()?.ok_or_else(|| {
        Error::refused("no-repository", "the vault lies in no git repository").hint("`cm init` makes one")
    })
}
