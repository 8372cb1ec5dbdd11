//! Lists the commits of a vault, with the curations recorded in their messages.

use std::collections::{BTreeSet, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::vault_option;
use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::error::Result;
use crate::paging::next_offset;
use crate::verbs::hand_edits::hand_edits;
use crate::verbs::history::{here_or_gone, versions};
use crate::verbs::undo;
use cm_note::instant::Instant;
use cm_store::config::CommitMode;
use cm_store::git::{CommitInfo, LogFilter, Repo};

/// Filters for a list of commits.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only commits that changed this note, given by ID, path or title.
    pub note: Option<String>,
    /// Only commits of this operation, such as `add`.
    pub op: Option<String>,
    /// Only commits made through this agent.
    pub agent: Option<String>,
    /// Only commits made in this session.
    pub session: Option<String>,
    /// Only commits at or after this instant.
    pub since: Option<Instant>,
    /// Maximum number of commits on a page.
    pub limit: usize,
    /// Number of commits to skip: the `next` of an earlier answer.
    pub offset: usize,
}

/// A commit as shown in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commit {
    pub id: String,
    /// Time of the commit.
    pub at: Instant,
    /// Operation that created the commit, such as `add`; null if cm did not create it.
    pub op: Option<String>,
    /// IDs of the affected notes.
    pub ids: Vec<String>,
    /// Who made the change, as recorded in the message, else the commit's author.
    pub actor: String,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Session ID of the agent.
    pub session: Option<String>,
    /// Reason given for the change.
    pub reason: Option<String>,
    /// First line of the message.
    pub subject: String,
    /// Whether `cm undo` may take it back: neither a merge, nor undone already, nor one that made the vault.
    #[serde(skip)]
    pub can_undo: bool,
}

impl Commit {
    /// Builds the list entry of a commit from Git's data and the fields in its message.
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
            can_undo: info.parents.len() < 2 && undo::is_possible(info.message.as_ref()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitList {
    /// The commits, newest first.
    pub commits: Vec<Commit>,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Lists the commits of the target vault, or those of a note in the vault that has it. A notice names
/// another vault with a newer commit.
///
/// # Errors
/// No repository, a note that is not found, or an unreadable repository.
pub fn log(context: &Context, options: &Options) -> Result<CommitList> {
    let mut open = context.target();
    let (mut ids, mut commits) = (Vec::new(), HashSet::new());
    if let Some(reference) = &options.note {
        let (id, path);
        (open, id, path) = here_or_gone(context, reference)?;
        commits.extend(versions(open, &id, &path)?.into_iter().map(|version| version.commit.id));
        ids.push(id);
    }
    let repo = repository(open)?;
    let filter = LogFilter {
        since: options.since,
        // One more shows whether there is another page.
        limit: Some(options.offset.saturating_add(options.limit).saturating_add(1)),
        ids,
        commits,
        op: options.op.clone(),
        agent: options.agent.clone(),
        session: options.session.clone(),
        operation: None,
        vault_only: !repo.is_own(),
    };
    let found = repo.log(&filter)?;
    let mut undone: HashSet<String> = HashSet::new();
    // Newest first, so that an undo that was undone itself takes nothing back.
    for commit in &found {
        if !undone.contains(&commit.id.to_string()) {
            undone.extend(undo::undone_commit(commit));
        }
    }
    let commits = found.iter().skip(options.offset).take(options.limit).map(Commit::of).map(|commit| {
        let can_undo = commit.can_undo && !undone.contains(&commit.id);
        Commit { can_undo, ..commit }
    });
    let commits: Vec<Commit> = commits.collect();
    let next = next_offset(options.offset, commits.len(), found.len());
    notice_if_manual(context, commits.is_empty());
    if next.is_none() {
        notice_if_shallow(context, repo);
    }
    if !commits.is_empty() && options.note.is_none() {
        notice_uncommitted(context, repo)?;
        if options.offset == 0 {
            notice_newer_elsewhere(context, found[0].time)?;
        }
    }
    if let Some(op) = options.op.as_ref().filter(|_| commits.is_empty()) {
        notice_unknown(context, repo, op)?;
    }
    Ok(CommitList { commits, next })
}

/// Adds a notice with the operations in the history if `op` is none of them.
fn notice_unknown(context: &Context, repo: &Repo, op: &str) -> Result<()> {
    let all = repo.log(&LogFilter::default())?;
    let operations: BTreeSet<&str> =
        all.iter().filter_map(|commit| Some(commit.message.as_ref()?.op.as_str())).collect();
    if !operations.is_empty() && !operations.contains(op) {
        let names: Vec<&str> = operations.into_iter().collect();
        context.notice(format!("the history has no operation `{op}`, only {}", names.join(", ")));
    }
    Ok(())
}

/// Adds a notice with the command that lists the commits of another vault, if it has a newer one.
fn notice_newer_elsewhere(context: &Context, newest: Instant) -> Result<()> {
    for open in &context.vaults[1..] {
        let Some(repo) = open.repo()? else { continue };
        let filter = LogFilter { limit: Some(1), vault_only: !repo.is_own(), ..LogFilter::default() };
        if repo.log(&filter)?.first().is_some_and(|commit| commit.time > newest) {
            context.notice(format!(
                "the newest change is in the global vault: `cm log {}` lists it",
                vault_option(open)
            ));
        }
    }
    Ok(())
}

/// Adds a notice with the number of files whose changes wait for `cm commit`, if automatic commits are off.
fn notice_uncommitted(context: &Context, repo: &Repo) -> Result<()> {
    let open = context.target();
    if open.settings.commit_mode() != CommitMode::Manual {
        return Ok(());
    }
    let count = hand_edits(open, repo)?.ours.len();
    if count > 0 {
        let (files, have) = if count == 1 { ("file", "has") } else { ("files", "have") };
        context.notice(format!(
            "`git.commit` is manual: {count} {files} {have} changes that appear here after `cm commit`"
        ));
    }
    Ok(())
}

/// Adds a notice that older commits are missing if the vault is in a shallow clone.
pub(crate) fn notice_if_shallow(context: &Context, repo: &Repo) {
    if repo.is_shallow() {
        context.notice("this is a shallow clone: `git fetch --unshallow` gets the older history");
    }
}

/// Adds a notice that automatic commits are off if this is why the history is empty.
pub(crate) fn notice_if_manual(context: &Context, is_empty: bool) {
    if is_empty && context.target().settings.commit_mode() == CommitMode::Manual {
        context.notice("`git.commit` is manual: changes appear here after `cm commit`");
    }
}
