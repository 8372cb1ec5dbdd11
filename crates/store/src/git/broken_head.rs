//! A HEAD that git cannot follow, as a full disk or a power cut leaves it, and the way out.
//!
//! It reads the files of the repository's folder as they are, since no library opens such a repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of a repository that keeps git from finding the newest commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenHead {
    /// The file.
    pub file: PathBuf,
    /// What mends it, as a command or in words.
    pub remedy: String,
}

/// Why HEAD of the repository around a folder cannot be followed; `None` where it can, or there is no repository.
pub fn unreadable_head(vault_root: &Path) -> Option<BrokenHead> {
    let git_dir =
        vault_root.ancestors().map(|folder| folder.join(".git")).find(|git_dir| is_git_dir(git_dir))?;
    let head = git_dir.join("HEAD");
    let text = fs::read_to_string(&head).unwrap_or_default();
    let Some(reference) = text.trim().strip_prefix("ref: refs/").filter(|name| !name.is_empty()) else {
        let branch = only_branch(&git_dir).unwrap_or_else(|| "main".to_owned());
        let remedy = format!("write `ref: refs/heads/{branch}` and a line break into {}", head.display());
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
                "write {commit}, the newest commit that git's own log names, and a line break into {}",
                file.display()
            )
        }
        None => {
            format!("`git fsck --lost-found` names the newest commit; write its id into {}", file.display())
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

/// The branch, where the repository has one; of several, the usual ones first.
fn only_branch(git_dir: &Path) -> Option<String> {
    let entries = fs::read_dir(git_dir.join("refs/heads")).ok()?.flatten();
    let names = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_key(|name| (!matches!(name.as_str(), "main" | "master"), name.clone()));
    names.into_iter().next()
}

/// The newest commit that git's log of HEAD names.
fn last_known(git_dir: &Path) -> Option<String> {
    let log = fs::read_to_string(git_dir.join("logs/HEAD")).ok()?;
    let ids = log.lines().rev().filter_map(|line| line.split(' ').nth(1));
    ids.filter(|id| is_id(id)).map(str::to_owned).next()
}
