//! Detects git commands that discard uncommitted work, commits, or commits of others on the remote.

use super::shape::verbs;
use super::{Danger, DangerClass, DangerSeverity};
use cm_shell::SimpleCommand;

use DangerClass::{ForcePush, HardReset, History};
use DangerSeverity::{Block, Warn};

/// Returns the danger of a git command.
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
        "push" => push(command, operands)?,
        "reset" => reset(command, operands)?,
        "clean" => clean(command)?,
        "checkout" | "restore" | "switch" => discard(command, verb, operands)?,
        "stash" => match operands.first() {
            Some(&("drop" | "clear")) => (HardReset, Warn, "throws stashed work away"),
            _ => return None,
        },
        "branch"
            if command.has(&["-D"])
                || command.has(&["-d", "--delete"]) && command.has(&["-f", "--force"]) =>
        {
            (History, Warn, "deletes a branch whether it is merged or not")
        }
        "rebase" if !command.has(&["--continue", "--abort", "--quit", "--skip", "--edit-todo"]) => {
            (History, Warn, "rewrites commits; what is pushed must stay")
        }
        "filter-branch" | "filter-repo" => (History, Block, "rewrites every commit"),
        "update-ref" if command.has(&["-d"]) => (History, Warn, "deletes a reference and with it commits"),
        "reflog" => match operands.first() {
            Some(&("expire" | "delete")) => {
                (History, Block, "deletes the reflog, by which lost commits are found again")
            }
            _ => return None,
        },
        "gc" | "prune"
            if has_text(command, "--prune=now")
                || has_text(command, "--prune=all")
                || *verb == "prune" && command.has(&["--expire"]) =>
        {
            (History, Warn, "deletes lost commits for good")
        }
        "rm" => untracked(command, operands)?,
        "worktree" if operands.first() == Some(&"remove") && command.has(&["-f", "--force"]) => {
            (HardReset, Warn, "deletes a work tree with what is not committed in it")
        }
        "submodule" if operands.first() == Some(&"deinit") && command.has(&["-f", "--force"]) => {
            (HardReset, Warn, "throws away what is not committed in a submodule")
        }
        _ => return None,
    };
    Some(Danger::of(command, class, severity, reason))
}

fn has_text(command: &SimpleCommand, flag: &str) -> bool {
    command.args.iter().any(|word| word.text == flag)
}

type Found = Option<(DangerClass, DangerSeverity, &'static str)>;

fn push(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["-n"]) {
        return None;
    }
    let plus = operands.iter().skip(1).any(|refspec| refspec.starts_with('+'));
    if command.has(&["-f", "--force"]) || plus {
        return Some((
            ForcePush,
            Block,
            "overwrites what is on the remote, also what others pushed; use --force-with-lease",
        ));
    }
    if command.has(&["--mirror"]) {
        return Some((
            ForcePush,
            Block,
            "makes the remote equal to this repository and deletes what is only there",
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

fn reset(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["--merge"]) {
        return Some((HardReset, Warn, "throws away what is staged, and a merge that is under way"));
    }
    if !command.has(&["--hard"]) {
        return None;
    }
    match operands.first() {
        None | Some(&("HEAD" | "@")) => Some((HardReset, Warn, "throws away all work that is not committed")),
        Some(name) if is_remote(name) => Some((
            HardReset,
            Warn,
            "throws away all work that is not committed, and commits that were not pushed",
        )),
        Some(_) => Some((
            HardReset,
            Block,
            "throws away all work that is not committed, and moves the branch off its commits; stash or branch first",
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

/// Judges `git rm`, which also deletes files from the working tree.
fn untracked(command: &SimpleCommand, operands: &[&str]) -> Found {
    if command.has(&["--cached", "-n"]) {
        return None;
    }
    let all = operands.iter().any(|path| matches!(*path, "." | "*" | ":/" | "./" | "./*" | ":/*"));
    let forced = command.has(&["-f", "--force"]);
    match (all, forced, command.has(&["-r"])) {
        (true, true, _) => {
            Some((HardReset, Block, "deletes every file, with changes that are not committed"))
        }
        (true, false, _) => Some((HardReset, Warn, "deletes every file of the working folder")),
        (false, true, _) => Some((HardReset, Warn, "deletes files, with changes that are not committed")),
        (false, false, true) => Some((HardReset, Warn, "deletes a folder of the working folder")),
        _ => None,
    }
}

fn clean(command: &SimpleCommand) -> Found {
    let forced = command.has(&["-f", "--force"]);
    if !forced || command.has(&["-n"]) {
        return None;
    }
    if command.has(&["-x", "-X"]) {
        return Some((
            HardReset,
            Block,
            "deletes every file that git does not track, ignored ones (settings, data) too; look with -n first",
        ));
    }
    Some((HardReset, Warn, "deletes files that git does not track"))
}

fn discard(command: &SimpleCommand, verb: &str, operands: &[&str]) -> Found {
    let all = operands.iter().any(|path| matches!(*path, "." | ":/" | "*" | "./"))
        || command.args.iter().any(|word| word.text == ".");
    let staged = verb == "restore" && command.has(&["-S", "--staged"]) && !command.has(&["-W", "--worktree"]);
    let forced = command.has(&["-f", "--force", "--discard-changes"]) && verb != "restore";
    (all && verb != "switch" && !staged || forced).then_some((
        HardReset,
        Warn,
        "throws away changes that are not committed",
    ))
}
