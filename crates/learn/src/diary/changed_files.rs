//! Collects the files that a session changed and the commands that it ran, each with the first line
//! that mentions it.

use std::collections::HashMap;

use super::{DiaryItem, StatementAuthor};
use crate::outcome::shell::CommandKind;
use crate::outcome::steps::{SessionStep, StepKind};
use cm_text::path::last_component;

/// Maximum number of files in a diary, and of commands.
const MAX_LISTED_ITEMS: usize = 20;

/// Returns the last component of a path; the path itself if it has none.
pub(super) fn base_name(path: &str) -> &str {
    last_component(path).unwrap_or(path)
}

/// Returns the files that the agent changed, most frequently changed first. Paths inside the
/// workspace are relative to it.
pub(super) fn files(steps: &[SessionStep], workspace: Option<&str>) -> Vec<DiaryItem> {
    let mut seen = Vec::new();
    for step in steps.iter().filter(|step| step.edited()) {
        let StepKind::Edit { paths, .. } = &step.kind else { continue };
        let own = paths.iter().filter(|path| !is_aside(path));
        seen.extend(own.map(|path| (within(path, workspace).to_owned(), step.line)));
    }
    by_frequency(seen)
}

/// Returns `true` if a path is in a folder for temporary files or for the plans of coding agents.
fn is_aside(path: &str) -> bool {
    let folders = ["/.claude/plans/", "/.cursor/plans/", "/.codex/", "/.gemini/", "/var/folders/"];
    path.starts_with("/tmp/")
        || path.starts_with("/private/tmp/")
        || folders.iter().any(|folder| path.contains(folder))
}

fn within<'a>(path: &'a str, workspace: Option<&str>) -> &'a str {
    let rest = workspace.and_then(|folder| path.strip_prefix(folder.trim_end_matches(['/', '\\'])));
    rest.and_then(|rest| rest.strip_prefix(['/', '\\'])).filter(|rest| !rest.is_empty()).unwrap_or(path)
}

/// Programs that only inspect or arrange files, so that a diary does not list them.
const LOOKING: [&str; 46] = [
    "ls", "cat", "cd", "pwd", "echo", "grep", "rg", "head", "tail", "find", "sed", "awk", "wc", "which",
    "true", "sort", "uniq", "tree", "less", "more", "stat", "file", "test", "[", "export", "sleep", "printf",
    "cut", "xargs", "diff", "fd", "if", "for", "while", "fi", "done", "else", "tee", "jq", "nl", "type",
    "set", "mkdir", "touch", "cp", "mv",
];

/// Returns the commands that were run, as program and subcommand such as `cargo build`, most
/// frequent first. Commands that only inspect files are left out, unless they are checks.
pub(super) fn commands(steps: &[SessionStep]) -> Vec<DiaryItem> {
    let mut seen = Vec::new();
    for step in steps {
        for part in step.parts() {
            let name = part.name();
            let program = part.program();
            let plain =
                program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'));
            let begins = program.starts_with(|c: char| c.is_ascii_lowercase());
            let looks = LOOKING.contains(&program)
                || matches!(name.as_str(), "git status" | "git diff" | "git log" | "git show");
            if plain && begins && program.len() <= 30 && (!looks || part.work() != CommandKind::Other) {
                seen.push((name, step.line));
            }
        }
    }
    by_frequency(seen)
}

fn by_frequency(seen: Vec<(String, u64)>) -> Vec<DiaryItem> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (name, _) in &seen {
        *counts.entry(name.clone()).or_default() += 1;
    }
    let mut items: Vec<(usize, DiaryItem)> = Vec::new();
    for (name, line) in seen {
        let count = counts.remove(&name).unwrap_or(0);
        if count > 0 {
            items.extend(DiaryItem::new(&name, line, StatementAuthor::Log).map(|item| (count, item)));
        }
    }
    items.sort_by(|(a, x), (b, y)| b.cmp(a).then(x.line.cmp(&y.line)));
    items.into_iter().take(MAX_LISTED_ITEMS).map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;
    use cm_session::event::ToolOutcome;

    #[test]
    fn files_are_listed_from_the_workspace_on_the_most_changed_first() {
        let kinds = [
            edited("1", "/w/a.rs"),
            edited("2", "/w/src/b.rs"),
            edited("3", "/w/src/b.rs"),
            edited("4", "/other/c.rs"),
            edited("5", "/tmp/d.rs"),
        ];
        let files = files(&steps(&log_of(kinds.concat())), Some("/w/"));
        let listed: Vec<_> = files.iter().map(|item| (item.text.as_str(), item.line)).collect();
        assert_eq!(listed, [("src/b.rs", 3), ("a.rs", 1), ("/other/c.rs", 7)]);
    }

    #[test]
    fn commands_that_only_look_around_are_left_out() {
        let kinds = [
            ran("1", "cd x && ls -la | grep y", ToolOutcome::Ok, ""),
            ran("2", "cargo test --lib && git status", ToolOutcome::Ok, ""),
            ran("3", "$WEIRD Foo; Bar", ToolOutcome::Ok, ""),
        ];
        let commands = commands(&steps(&log_of(kinds.concat())));
        assert_eq!(commands.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["cargo test"]);
    }
}
