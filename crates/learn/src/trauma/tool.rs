//! Judges agent tools that write, edit or delete files, by the paths that they change.

use serde_json::Value;

use super::path_class::{CommandContext, PathClass, PathContext, ScriptVariables};
use super::{Danger, DangerClass, DangerSeverity, GuardDecision, PastIncident, judge, sensitive_path};
use crate::tool_call::FILE_PATHS;
use cm_shell::SimpleCommand;

/// A file change that a tool is about to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFileChange {
    /// Path of the file, as the agent wrote it.
    pub path: String,
    pub deletes: bool,
}

/// Further names of arguments that contain the path of a file, if the tool changes files.
const TARGETS: [&str; 4] = ["target", "destination", "new_path", "uri"];
/// Substrings in the names of tools that change files.
#[rustfmt::skip]
const CHANGES: [&str; 13] = [
    "write", "edit", "create", "replace", "patch", "insert", "append", "delete", "remove", "move", "rename", "save",
    "diff",
];
/// Substrings in the names of tools that do not change files.
const LOOKS: [&str; 10] =
    ["read", "todo", "memory", "search", "list", "issue", "branch", "pull_request", "task", "comment"];

/// Returns the files that a tool call changes; empty for tools that do not change files.
#[must_use]
pub fn changes(tool: &str, input: &Value) -> Vec<ToolFileChange> {
    let lower = tool.to_ascii_lowercase();
    // `mcp__filesystem__write_file` is named by its last part.
    let name = lower.rsplit("__").next().unwrap_or(&lower);
    if !CHANGES.iter().any(|part| name.contains(part)) || LOOKS.iter().any(|part| name.contains(part)) {
        return Vec::new();
    }
    let deletes = name.contains("delete") || name.contains("remove");
    let change = |path: &str| {
        let path = path.strip_prefix("file://").unwrap_or(path);
        ToolFileChange { path: path.to_owned(), deletes }
    };
    let names = || FILE_PATHS.iter().chain(&TARGETS);
    let paths = names().filter_map(|key| input.get(key)?.as_str()).filter(|path| !path.is_empty());
    let mut found: Vec<ToolFileChange> = paths.map(change).collect();
    let lists = ["edits", "files", "changes"].iter().filter_map(|key| input.get(key)?.as_array()).flatten();
    let within = lists.filter_map(|one| names().find_map(|key| one.get(key)?.as_str()));
    found.extend(within.map(change));
    let texts = ["input", "patch", "patchText", "patch_text", "diff", "command"];
    let patch = texts.iter().filter_map(|key| input.get(key)?.as_str()).chain(input.as_str());
    found.extend(patch.flat_map(patched));
    found.truncate(MAX_CHECKED_FILES);
    found
}

/// Maximum number of files per tool call that are checked.
const MAX_CHECKED_FILES: usize = 256;

/// Returns the files that a patch changes, in the `apply_patch` format or as unified diff.
pub(crate) fn patched(text: &str) -> Vec<ToolFileChange> {
    let heads = [
        ("*** Update File: ", false),
        ("*** Add File: ", false),
        ("*** Move to: ", false),
        ("*** Delete File: ", true),
        ("+++ b/", false),
    ];
    let head = |line: &str| {
        let (path, deletes) =
            heads.iter().find_map(|(head, deletes)| Some((line.strip_prefix(head)?, *deletes)))?;
        Some(ToolFileChange { path: path.trim().to_owned(), deletes })
    };
    text.lines().filter_map(head).take(MAX_CHECKED_FILES).collect()
}

/// Decides whether a tool may change these files. `incidents` are past incidents that a person
/// confirmed.
#[must_use]
pub fn decide_change(
    changes: &[ToolFileChange],
    path_context: &PathContext<'_>,
    incidents: &[PastIncident],
) -> GuardDecision {
    judge(changes.iter().filter_map(|change| danger(change, path_context)), path_context, incidents)
}

pub fn danger(change: &ToolFileChange, path_context: &PathContext<'_>) -> Option<Danger> {
    let (command, variables) = (SimpleCommand::default(), ScriptVariables::default());
    let site = CommandContext { path_context, variables: &variables, command: &command };
    let path = change.path.as_str();
    let does = if change.deletes { "deletes" } else { "changes" };
    let of = |severity, reason: &str| {
        Some(Danger {
            class: DangerClass::Persistence,
            severity,
            reason: format!("{does} {path}: {reason}"),
            shape: format!("{does} <power>"),
            instead: None,
        })
    };
    if let Some((severity, reason)) = sensitive_path::sensitivity(&site, path) {
        return of(severity, reason);
    }
    match site.path_class_through_link(path) {
        PathClass::System if !path.starts_with("/dev/") => {
            let own = ["/opt/", "/usr/local/", "/srv/", "/mnt/", "/var/log/"]
                .iter()
                .any(|root| path.starts_with(root));
            of(
                if own { DangerSeverity::Warn } else { DangerSeverity::Block },
                PathClass::System.description(),
            )
        }
        PathClass::Repository => of(DangerSeverity::Warn, PathClass::Repository.description()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_each_agents_tools_write_are_found() {
        for (tool, input, paths) in [
            ("Write", r#"{"file_path":"/h/.bashrc","content":"x"}"#, &["/h/.bashrc"] as &[&str]),
            ("MultiEdit", r#"{"file_path":"a","edits":[{"old_string":"b"}]}"#, &["a"]),
            ("NotebookEdit", r#"{"notebook_path":"a.ipynb"}"#, &["a.ipynb"]),
            ("write_file", r#"{"file_path":"a","content":""}"#, &["a"]),
            ("replace", r#"{"file_path":"a"}"#, &["a"]),
            ("edit", r#"{"filePath":"a"}"#, &["a"]),
            ("StrReplace", r#"{"path":"a"}"#, &["a"]),
            ("edit_file", r#"{"target_file":"a"}"#, &["a"]),
            ("mcp__filesystem__write_file", r#"{"path":"a"}"#, &["a"]),
            (
                "apply_patch",
                r#"{"command":"*** Begin Patch\n*** Update File: a\n*** Delete File: b\n*** End Patch"}"#,
                &["a", "b"],
            ),
            ("Read", r#"{"file_path":"a"}"#, &[]),
            ("TodoWrite", r#"{"file":"a"}"#, &[]),
            ("Grep", r#"{"path":"a"}"#, &[]),
        ] {
            let input: Value = serde_json::from_str(input).unwrap();
            let found: Vec<String> = changes(tool, &input).into_iter().map(|one| one.path).collect();
            assert_eq!(found, paths, "{tool}");
        }
    }
}
