//! Finds a command with the same purpose as a destructive one that loses nothing.

use super::shape::verbs;
use cm_shell::{ShellWord, SimpleCommand, line_of};

/// Returns the safe form of a command; `None` if none is known. It keeps the command's arguments,
/// and may itself be dangerous, which the caller checks.
pub fn safe_form(command: &SimpleCommand) -> Option<String> {
    // The form would run on this machine.
    if command.is_remote {
        return None;
    }
    let words: Vec<String> = command.args.iter().map(shell_text).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let verbs: Vec<&str> = verbs(command).take(2).collect();
    let verb = verbs.first().copied().unwrap_or_default();
    let of = |words: Vec<String>| format!("{} {}", command.program, words.join(" "));
    match (command.program.as_str(), verb) {
        ("git", "push") => push_with_lease(command, &words).map(of),
        ("git", "reset") if command.has(&["--hard"]) => match verbs.get(1) {
            None | Some(&("HEAD" | "@")) => Some("git stash push --include-untracked".to_owned()),
            Some(_) => Some(of(with_word_replaced(&words, "--hard", "--keep"))),
        },
        ("git", "checkout" | "restore") => Some("git stash push".to_owned()),
        ("git", "clean") => Some(of(words.iter().map(|word| shown_only(word)).collect())),
        ("git", "branch") if command.has(&["-D"]) => Some(of(with_word_replaced(&words, "-D", "-d"))),
        ("git", "worktree" | "submodule") => {
            Some(of(without_words(&words, |word| matches!(word, "-f" | "--force"))))
        }
        ("rm", _) if command.operands().next().is_some() => moved(command),
        ("find", _) => Some(of(with_word_replaced(&words, "-delete", "-print"))),
        ("rsync" | "npm" | "pnpm" | "cargo", _) => Some(of(with_flag(&words, "--dry-run"))),
        ("kubectl", "delete") => Some(of(with_flag(&words, "--dry-run=server"))),
        ("helm", "uninstall" | "delete") => Some(of(with_flag(&words, "--dry-run"))),
        ("aws", "s3") => Some(of(with_flag(&words, "--dryrun"))),
        ("terraform" | "tofu", "destroy") => Some(format!("{} plan -destroy", command.program)),
        _ => None,
    }
}

/// Returns an argument as a shell takes it; a pattern is quoted if it was.
fn shell_text(word: &ShellWord) -> String {
    if word.quoted && word.text.contains(['*', '?', '[', '{', '~', '$', '!']) && !word.text.contains('\'') {
        return format!("'{}'", word.text);
    }
    line_of(&[&word.text])
}

/// Returns the arguments of a forced push with a lease instead of the force.
fn push_with_lease(command: &SimpleCommand, words: &[&str]) -> Option<Vec<String>> {
    let plus = words.iter().any(|word| word.starts_with('+'));
    let forced = command.has(&["-f", "--force"]) || plus;
    if !forced
        || command.has(&["--mirror", "-d", "--delete"])
        || words.iter().any(|word| word.starts_with(':'))
    {
        return None;
    }
    let lease = "--force-with-lease";
    let unforced = without_words(words, |word| word == "--force" || word.starts_with(lease));
    let unforced = unforced.iter().filter_map(|word| {
        let is_short = word.starts_with('-') && !word.starts_with("--");
        let word = if is_short { word.replace('f', "") } else { word.trim_start_matches('+').to_owned() };
        (word != "-").then_some(word)
    });
    let mut safe: Vec<String> = unforced.collect();
    let at = safe.iter().position(|word| word == "push")?;
    safe.insert(at + 1, lease.to_owned());
    Some(safe)
}

/// Returns the move of the deleted paths to a temporary folder; `None` if a path is a pattern or
/// names no file.
fn moved(command: &SimpleCommand) -> Option<String> {
    let paths: Vec<&str> = command.operands().map(|word| word.text.as_str()).collect();
    let is_named = |path: &&str| {
        path.contains(|c: char| c.is_alphanumeric()) && !path.contains(['*', '?', '[', '$', '~', '{'])
    };
    paths.iter().all(is_named).then(|| format!("mv {} /tmp", line_of(&paths)))
}

/// Converts a flag of `git clean` so that it only shows what it would delete.
fn shown_only(word: &str) -> String {
    match word {
        "--force" => "--dry-run".to_owned(),
        _ if word.starts_with('-') && !word.starts_with("--") => word.replace('f', "n"),
        _ => word.to_owned(),
    }
}

fn with_word_replaced(words: &[&str], from: &str, to: &str) -> Vec<String> {
    words.iter().map(|word| if *word == from { to } else { word }.to_owned()).collect()
}

fn without_words(words: &[&str], dropped: impl Fn(&str) -> bool) -> Vec<String> {
    words.iter().filter(|word| !dropped(word)).map(|word| (*word).to_owned()).collect()
}

fn with_flag(words: &[&str], flag: &str) -> Vec<String> {
    words.iter().copied().chain([flag]).map(str::to_owned).collect()
}
