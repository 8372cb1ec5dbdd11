//! State of a vault on one screen: branch and remote, manual edits, what waits for a decision, and the
//! last synchronization.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::last_run;
use crate::context::open::Context;
use crate::context::trust::is_trusted;
use crate::error::Result;
use crate::verbs::commit::{CommittedFile, listed_edits};
use crate::verbs::hand_edits::{hand_edits, report_unindexed};
use crate::verbs::inbox::{InboxKind, waiting};
use crate::verbs::merge_driver;
use crate::verbs::sync::{self, SyncTarget};
use cm_index::Index;
use cm_merge::lost_values;
use cm_note::finding::Severity;
use cm_note::instant::Instant;
use cm_store::git::{MergeDriver, Repo};
use cm_store::vault::layout;

/// Maximum number of files with manual edits that are listed.
const MAX_LISTED_FILES: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VaultStatus {
    /// Absolute path of the vault's folder.
    pub vault: String,
    /// State of the repository; null if the vault is in none.
    pub repository: Option<RepositoryStatus>,
    /// For each value that lost in a merge of `cm.toml`, what the other side set or removed.
    pub lost_settings: Vec<String>,
    /// Number of entries in the review inbox, by section; without empty sections.
    pub inbox: BTreeMap<InboxKind, usize>,
    /// Whether the vault is trusted at this place. Agents get nothing from a vault that is not.
    pub trusted: bool,
    /// Number of errors in notes, such as a frontmatter that cannot be read.
    pub errors: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepositoryStatus {
    /// Current branch, or the bookmarks that Jujutsu's working copy builds on; null if HEAD is
    /// detached.
    pub branch: Option<String>,
    /// Number of commits that no branch has; more than 0 only if HEAD is detached.
    pub unreferenced_commits: usize,
    /// Newest commit; null if there is none.
    pub head: Option<String>,
    /// Unfinished operation of Git, such as `a merge`; null if there is none.
    pub in_progress: Option<String>,
    /// Files with an unresolved conflict in Git's index.
    pub conflicts: Vec<String>,
    /// Why no remote can be selected; null if there is one, or none is configured.
    pub remote_problem: Option<String>,
    /// State relative to the remote; null if there is no remote to synchronize with.
    pub remote: Option<RemoteStatus>,
    /// Whether Git runs cm to merge notes in this clone.
    pub has_merge_driver: bool,
    /// Number of files with manual edits.
    pub edits: usize,
    /// The first files with manual edits, by path.
    pub edited: Vec<CommittedFile>,
}

/// State relative to the branch on the remote, as of the last fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteStatus {
    /// Name of the remote.
    pub name: String,
    /// Branch on the remote.
    pub branch: String,
    /// Number of commits that the remote lacks; null if it was never fetched.
    pub ahead: Option<usize>,
    /// Number of commits of the remote that this clone lacks; null if it was never fetched.
    pub behind: Option<usize>,
    /// Whether the remote's history was rewritten since both sides last agreed, so that `cm sync` refuses it.
    pub rewritten: bool,
    /// Whether commits to send or to receive change files outside the vault: `git push` and `git pull` transfer
    /// them, and `cm sync` refuses.
    pub outside_vault: bool,
    /// Time of the last `cm sync` in this clone that succeeded.
    pub last_sync: Option<Instant>,
}

/// Returns the state of the target vault. Contacts no remote.
///
/// # Errors
/// The notes or the repository cannot be read.
pub fn status(context: &Context) -> Result<VaultStatus> {
    let open = context.target();
    let sections = waiting(context, None)?;
    let filled = sections.iter().filter(|(_, entries)| !entries.is_empty());
    let inbox = filled.map(|(kind, entries)| (*kind, entries.len())).collect();
    let repository = open.repo()?.map(|repo| repository_status(context, repo)).transpose()?;
    let vault = open.vault.root().display().to_string();
    let settings = open.vault.read_own(layout::SETTINGS)?.unwrap_or_default();
    let lost_settings = lost_values(&settings).map(str::to_owned).collect();
    let errors = errors(context)?;
    Ok(VaultStatus { vault, repository, lost_settings, inbox, trusted: is_trusted(open)?, errors })
}

/// Returns the number of errors in the notes of the target vault. The notes are only read if the index
/// counts a problem.
fn errors(context: &Context) -> Result<usize> {
    let open = context.target();
    context.ensure_fresh(open)?;
    let of_files = context.walk_findings(open);
    let mut errors = of_files.iter().filter(|found| found.severity == Severity::Error).count();
    if context.query_index(open, Index::note_findings)? > 0 {
        let notes = context.notes_of(open)?;
        let findings = notes.iter().flat_map(|note| &note.findings);
        errors += findings.filter(|found| found.severity == Severity::Error).count();
    }
    Ok(errors)
}

fn repository_status(context: &Context, repo: &Repo) -> Result<RepositoryStatus> {
    let head = repo.head()?;
    let edits = hand_edits(context.target(), repo)?.ours;
    report_unindexed(context, repo, &edits)?;
    let mut edited = listed_edits(context.target(), &edits);
    let edits = edits.len();
    edited.truncate(MAX_LISTED_FILES);
    let bookmarks = match &head.branch {
        None if repo.is_jujutsu() => repo.branches_below_head()?,
        _ => Vec::new(),
    };
    let target = SyncTarget::selected(repo, &sync::Options::default());
    let bookmarks = Some(bookmarks.join(", ")).filter(|names| !names.is_empty());
    Ok(RepositoryStatus {
        branch: head.branch.or(bookmarks),
        unreferenced_commits: repo.count_unreferenced_commits()?,
        head: head.commit.map(|commit| commit.to_string()),
        in_progress: repo.state().map(|operation| operation.to_string()),
        conflicts: repo.unmerged()?.into_iter().map(String::from).collect(),
        remote_problem: target
            .as_ref()
            .err()
            .filter(|_| repo.has_remote())
            .map(|error| error.message.clone()),
        remote: target.ok().map(|target| remote_status(context, repo, target)).transpose()?,
        has_merge_driver: merge_driver::registration(repo)? == MergeDriver::Registered,
        edits,
        edited,
    })
}

fn remote_status(context: &Context, repo: &Repo, target: SyncTarget) -> Result<RemoteStatus> {
    let (remote, branch) = (target.remote.clone(), target.branch.clone());
    let tracked = repo.reference(&format!("refs/remotes/{remote}/{branch}"))?;
    let theirs = match tracked {
        Some(tracked) => Some(tracked),
        None => repo.reference(&format!("refs/cm/fetched/{remote}/{branch}"))?,
    };
    let (ahead, behind) = match (repo.head()?.commit, theirs) {
        (Some(head), Some(theirs)) => {
            (Some(repo.count_commits(head, Some(theirs))?), Some(repo.count_commits(theirs, Some(head))?))
        }
        _ => (None, None),
    };
    let outside_vault = match (repo.head()?.commit, theirs) {
        (Some(head), Some(theirs)) if ahead != Some(0) || behind != Some(0) => {
            target.changes_outside(repo, head, theirs)?
        }
        _ => false,
    };
    let rewritten = theirs.map(|theirs| target.abandoned_head(repo, theirs)).transpose()?.flatten().is_some();
    let last_sync = last_run::recorded(context, sync::JOB);
    Ok(RemoteStatus { name: remote, branch, ahead, behind, rewritten, outside_vault, last_sync })
}
