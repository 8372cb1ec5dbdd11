//! Finds when notes were last edited by hand. An editor leaves the key `updated` as it was.

use std::collections::{HashMap, HashSet};

use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::message::CommitOp;
use cm_note::path::NotePath;
use cm_store::git::{EditKind, LogFilter, Repo};

/// Maximum number of commits that are searched for edits.
const MAX_SEARCHED_COMMITS: usize = 100;

/// Returns the times of edits by hand of `candidates` since `since`, by path: of uncommitted ones the time of the file,
/// of others that of their commit, if it is among the last [`MAX_SEARCHED_COMMITS`]. Other commits of cm are left out,
/// because they set `updated` where it changes, and so are new files, whose own dates count.
///
/// # Errors
/// Returns an error if the repository or the index cannot be read.
pub(super) fn edit_times(
    open: &OpenVault,
    since: Option<Instant>,
    candidates: &HashSet<&NotePath>,
    time_of_file: impl Fn(&NotePath) -> Option<Instant>,
) -> Result<HashMap<NotePath, Instant>> {
    let mut times = HashMap::new();
    let Some(repo) = open.repo()?.filter(|_| open.past.is_none()) else { return Ok(times) };
    for (path, kind) in repo.hand_edits()? {
        if kind == EditKind::Modified && candidates.contains(&path) {
            times.extend(time_of_file(&path).map(|at| (path, at)));
        }
    }
    if let Some(since) = since {
        add_committed(repo, since, candidates, &mut times)?;
    }
    Ok(times)
}

/// Adds the times of committed edits of candidates that have no later one.
fn add_committed(
    repo: &Repo,
    since: Instant,
    candidates: &HashSet<&NotePath>,
    times: &mut HashMap<NotePath, Instant>,
) -> Result<()> {
    let filter = LogFilter { since: Some(since), limit: Some(MAX_SEARCHED_COMMITS), ..LogFilter::default() };
    for commit in repo.log(&filter)? {
        if times.len() == candidates.len() {
            break;
        }
        let is_by_hand = commit.message.as_ref().is_none_or(|message| message.is_of(&[CommitOp::Commit]));
        let ([parent], true) = (commit.parents.as_slice(), is_by_hand) else { continue };
        for path in repo.paths_between(Some(*parent), Some(commit.id))? {
            if candidates.contains(&path) && !times.contains_key(&path) && repo.has_at(*parent, &path)? {
                times.insert(path, commit.time);
            }
        }
    }
    Ok(())
}
