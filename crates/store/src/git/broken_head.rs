//! Detects an invalid HEAD, as left by a full disk or a power failure, and suggests a repair.
//!
//! Reads the repository's files directly, because the Git library cannot open such a repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A file that prevents Git from finding the newest commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenHead {
    pub file: PathBuf,
    /// Repair, as a command or an instruction.
    pub remedy: String,
}

/// Returns why HEAD of the repository around a folder is invalid, or `None` if it is valid or there
/// is no repository.
pub fn unreadable_head(vault_root: &Path) -> Option<BrokenHead> {
    let git_dir =
        vault_root.ancestors().map(|folder| folder.join(".git")).find(|git_dir| is_git_dir(git_dir))?;
    let head = git_dir.join("HEAD");
    let text = fs::read_to_string(&head).unwrap_or_default();
    let Some(reference) = text.trim().strip_prefix("ref: refs/").filter(|name| !name.is_empty()) else {
        let branch = only_branch(&git_dir).unwrap_or_else(|| "main".to_owned());
        let remedy = format!("write `ref: refs/heads/{branch}` and a line break to {}", head.display());
        return (!is_id(text.trim())).then_some(BrokenHead { file: head, remedy });
    };
    let file = git_dir.join("refs").join(reference);
    let id = fs::read_to_string(&file).ok()?;
    if is_id(id.trim()) || id.starts_with("ref: ") {
        return None;
    }
    let remedy = match last_known(&git_dir) {
        Some(commit) => {
            format!(
                "write {commit}, the newest commit in Git's own log, and a line break to {}",
                file.display()
            )
        }
        None => {
            format!("`git fsck --lost-found` finds the newest commit; write its ID to {}", file.display())
        }
    };
    Some(BrokenHead { file, remedy })
}

fn is_git_dir(folder: &Path) -> bool {
    folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte != b'0')
}

/// Returns the name of a branch, preferring `main` and `master`, or `None` if there is no branch.
fn only_branch(git_dir: &Path) -> Option<String> {
    let entries = fs::read_dir(git_dir.join("refs/heads")).ok()?.flatten();
    let names = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_key(|name| (!matches!(name.as_str(), "main" | "master"), name.clone()));
    names.into_iter().next()
}

/// Returns the newest commit in the reflog of HEAD.
fn last_known(git_dir: &Path) -> Option<String> {
    let log = fs::read_to_string(git_dir.join("logs/HEAD")).ok()?;
    let ids = log.lines().rev().filter_map(|line| line.split(' ').nth(1));
    ids.filter(|id| is_id(id)).map(str::to_owned).next()
}
