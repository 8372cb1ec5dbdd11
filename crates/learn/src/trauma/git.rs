//! Detects git commands that discard uncommitted work, commits, or commits of others on the remote.

use super::shape::verbs;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerClass::{ForcePush, HardReset, History};
use DangerSeverity::{Block, Warn};

pub fn danger(command: &SimpleCommand) -> Option<Danger> {
    if command.program == "git-filter-repo" || command.program == "bfg" {
        return Some(Danger::of(command, History, Block, "rewrites every commit"));
    }
    if command.program != "git" {
        return None;
    }
    let words: Vec<&str> = verbs(command).collect();
    let (verb, operands) = words.split_first()?;
    let (class, severity, reason) = match *verb {
        "push" => rate_push(command, operands)?,
        "reset" => rate_reset(command, operands)?,
        "clean" => rate_clean(command)?,
        "checkout" | "restore" | "switch" => rate_discard(command, verb, operands)?,
        "checkout-index" if command.has(&["-f", "--force"]) && command.has(&["-a", "--all"]) => {
            (HardReset, Warn, "discards uncommitted changes")
        }
        "read-tree" if command.has(&["-u"]) && command.has(&["--reset"]) => {
            (HardReset, Warn, "discards uncommitted changes")
        }
        "stash" => match operands.first() {
            Some(&("drop" | "clear")) => (HardReset, Warn, "discards stashed work"),
            _ => return None,
        },
        "branch"
            if command.has(&["-D"])
                || command.has(&["-d", "--delete"]) && command.has(&["-f", "--force"]) =>
        {
            (History, Warn, "deletes a branch even if it is not merged")
        }
        "rebase" if !command.has(&["--continue", "--abort", "--quit", "--skip", "--edit-todo"]) => {
            (History, Warn, "rewrites commits; pushed commits must not change")
        }
        "filter-branch" | "filter-repo" => (History, Block, "rewrites every commit"),
        "update-ref" if command.has(&["-d"]) => {
            (History, Warn, "deletes a reference and possibly its commits")
        }
        "reflog" => match operands.first() {
            Some(&("expire" | "delete")) => {
                (History, Block, "deletes the reflog, which is needed to recover lost commits")
            }
            _ => return None,
        },
        "gc" | "prune"
            if has_text(command, "--prune=now")
                || has_text(command, "--prune=all")
                || *verb == "prune" && command.has(&["--expire"]) =>
        {
            (History, Warn, "deletes lost commits permanently")
        }
        "rm" => rate_untracked(command, operands)?,
        "worktree" if operands.first() == Some(&"remove") && command.has(&["-f", "--force"]) => {
            (HardReset, Warn, "deletes a worktree with uncommitted changes")
        }
        "submodule" if operands.first() == Some(&"deinit") && command.has(&["-f", "--force"]) => {
            (HardReset, Warn, "discards uncommitted changes in a submodule")
        }
        _ => return None,
    };
    Some(Danger::of(command, class, severity, reason))
}

fn has_text(command: &SimpleCommand, flag: &str) -> bool {
    command.args.iter().any(|word| word.text == flag)
}

type Found = Option<(DangerClass, DangerSeverity, &'static str)>;

fn rate_push(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["-n"]) {
        return None;
    }
    let plus = operands.iter().skip(1).any(|refspec| refspec.starts_with('+'));
    if command.has(&["-f", "--force"]) || plus {
        return Some((
            ForcePush,
            Block,
            "overwrites the remote, including the work of others; use --force-with-lease",
        ));
    }
    if command.has(&["--mirror"]) {
        return Some((
            ForcePush,
            Block,
            "makes the remote equal to this repository and deletes everything that is only there",
        ));
    }
    let deletes =
        command.has(&["-d", "--delete"]) || operands.iter().skip(1).any(|refspec| refspec.starts_with(':'));
    let main = operands.iter().any(|name| {
        matches!(
            name.trim_start_matches(':').trim_start_matches("refs/heads/"),
            "main" | "master" | "develop" | "trunk"
        )
    });
    deletes.then_some((ForcePush, if main { Block } else { Warn }, "deletes a branch on the remote"))
}

fn rate_reset(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["--merge"]) {
        return Some((HardReset, Warn, "discards staged changes and a merge in progress"));
    }
    if !command.has(&["--hard"]) {
        return None;
    }
    match operands.first() {
        None | Some(&("HEAD" | "@")) => Some((HardReset, Warn, "discards all uncommitted changes")),
        Some(name) if is_remote(name) => {
            Some((HardReset, Warn, "discards all uncommitted changes and unpushed commits"))
        }
        Some(_) => Some((
            HardReset,
            Block,
            "discards all uncommitted changes and moves the branch off its commits; stash or branch first",
        )),
    }
}

/// Returns `true` if a name is a remote-tracking branch.
fn is_remote(name: &str) -> bool {
    name.starts_with("origin/")
        || name.starts_with("upstream/")
        || name == "FETCH_HEAD"
        || name.starts_with("@{u")
}

/// Rates `git rm`, which also deletes files from the working tree.
fn rate_untracked(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["--cached", "-n"]) {
        return None;
    }
    let all = operands.iter().any(|path| matches!(*path, "." | "*" | ":/" | "./" | "./*" | ":/*"));
    let forced = command.has(&["-f", "--force"]);
    match (all, forced, command.has(&["-r"])) {
        (true, true, _) => Some((HardReset, Block, "deletes every file, including uncommitted changes")),
        (true, false, _) => Some((HardReset, Warn, "deletes every file in the working folder")),
        (false, true, _) => Some((HardReset, Warn, "deletes files with uncommitted changes")),
        (false, false, true) => Some((HardReset, Warn, "deletes a folder in the working folder")),
        _ => None,
    }
}

fn rate_clean(command: &SimpleCommand) -> Found {
    let forced = command.has(&["-f", "--force"]);
    if !forced || command.has(&["-n"]) {
        return None;
    }
    if command.has(&["-X"]) && !command.has(&["-x"]) {
        return Some((
            HardReset,
            Block,
            "deletes every ignored file, which may be settings and data; run it with -n first",
        ));
    }
    if command.has(&["-x"]) {
        return Some((
            HardReset,
            Block,
            "deletes every untracked file, including ignored settings and data; run it with -n first",
        ));
    }
    Some((HardReset, Warn, "deletes untracked files"))
}

/// Whether a path is spelled like a folder: with a slash at its end, or without an extension in lower case.
fn is_folder(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    path.ends_with('/') || !name.contains('.') && name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn rate_discard(command: &SimpleCommand, verb: &str, operands: &[&str]) -> Found {
    let all = operands.iter().any(|path| matches!(*path, "." | ":/" | "*" | "./"))
        || command.args.iter().any(|word| word.text == ".");
    let staged = verb == "restore" && command.has(&["-S", "--staged"]) && !command.has(&["-W", "--worktree"]);
    let forced = command.has(&["-f", "--force", "--discard-changes"]) && verb != "restore";
    let paths = match verb {
        // The operand after the option is a commit.
        "restore" if command.has(&["-s", "--source"]) => operands.get(1..).unwrap_or_default(),
        "restore" => operands,
        // The first operand may be a branch.
        "checkout" if command.has(&["-b", "-B", "-t", "--track", "--orphan"]) => &[],
        "checkout" if has_text(command, "--") && operands.len() == 1 => operands,
        "checkout" => operands.get(1..).unwrap_or_default(),
        _ => &[],
    };
    let folder = paths.iter().any(|path| is_folder(path));
    ((all || folder) && verb != "switch" && !staged || forced).then_some((
        HardReset,
        Warn,
        "discards uncommitted changes",
    ))
}
