//! Converts the tool calls of a session to steps: commands that were run and files that were
//! changed.
//!
//! The names of tools and arguments differ between agents; a call of an unknown tool becomes
//! [`StepKind::Other`].

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::effect::CommandEffect;
use super::shell::{CommandKind, ParsedCommand, simple_commands};
use crate::tool_call::{command_of, file_path, text};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// A tool call of the agent, or a command that the user ran.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionStep {
    /// Index of the call's event in the session.
    pub at: usize,
    /// Line of the call in the log, from 1.
    pub line: u64,
    /// Line of the result in the log, from 1; `None` if there is no result.
    pub result_line: Option<u64>,
    /// Index of the result's event; the same as `at` if there is no result.
    pub done_at: usize,
    pub kind: StepKind,
    /// Outcome from the log; an error if the output of a check reports a failure.
    pub outcome: ToolOutcome,
    /// Whether a subagent made the call.
    pub is_subagent: bool,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// A shell command.
    Command {
        /// Command line, as the agent passed it; empty for commits that the agent's program reports
        /// without one.
        line: String,
        /// The commands that the line runs, in order.
        parts: Vec<ParsedCommand>,
    },
    /// A change of one or more files.
    Edit {
        /// Paths of the files, as the agent passed them.
        paths: Vec<String>,
        /// Pairs of replaced and new text; empty if the call does not contain them.
        texts: Vec<(String, String)>,
    },
    /// Any other tool call.
    Other,
}

impl SessionStep {
    /// Returns `true` if the step changed files and did not fail.
    pub fn edited(&self) -> bool {
        matches!(self.kind, StepKind::Edit { .. }) && self.outcome != ToolOutcome::Error
    }

    /// Returns the commands that the step runs; empty unless it is a shell command.
    pub fn parts(&self) -> &[ParsedCommand] {
        match &self.kind {
            StepKind::Command { parts, .. } => parts,
            StepKind::Edit { .. } | StepKind::Other => &[],
        }
    }

    /// Returns the first command of the step whose kind of work `wanted` accepts.
    pub(crate) fn find_command(&self, wanted: impl Fn(CommandKind) -> bool) -> Option<&ParsedCommand> {
        self.parts().iter().find(|simple| wanted(simple.work()))
    }

    /// Returns the last command of the step that is a check, because the step's result comes from
    /// the last command.
    pub fn check(&self) -> Option<&ParsedCommand> {
        self.parts().iter().rev().find(|simple| simple.work().is_check())
    }
}

/// Matches failure messages of test runners and compilers. They count regardless of the exit code,
/// which a pipe through `tail` hides.
#[allow(clippy::expect_used, reason = "the pattern is a constant, and every test compiles it")]
static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^--- FAIL|^FAIL\b|^FAILED\b|^\s*test result: FAILED|^error(\[E\d+\])?: |\b[1-9]\d* (tests? )?(failed|failing|failures?)\b|^Tests:\s+[1-9]\d* failed|Failures: [1-9]|^npm ERR!|^make: \*\*\*|^Traceback \(most recent|error TS\d+:|\b[Ee]xit (code|status):? [1-9]|\b[1-9]\d* (errors?|problems?) \(|^Found [1-9]\d* errors?",
    )
    .expect("the pattern is a constant that tests compile")
});

/// Returns the steps of a session, in call order.
pub fn steps(events: &[SessionEvent]) -> Vec<SessionStep> {
    let mut steps: Vec<SessionStep> = Vec::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut nameless: Vec<usize> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match &event.kind {
            EventKind::ToolCall { id, name, input } => {
                match id {
                    Some(id) => drop(open.insert(id.as_str(), steps.len())),
                    None => nameless.push(steps.len()),
                }
                steps.push(step_of(at, event, step_kind(name, input)));
            }
            EventKind::ToolResult { id, outcome, exit_code, text } => {
                let of = match id {
                    Some(id) => open.remove(id.as_str()),
                    None if nameless.is_empty() => None,
                    None => Some(nameless.remove(0)),
                };
                if let Some(step) = of.and_then(|of| steps.get_mut(of)) {
                    step.result_line = Some(event.line);
                    step.done_at = at;
                    step.outcome = outcome_of(step, *outcome, *exit_code, text);
                }
            }
            EventKind::ToolRejected { id, .. } => {
                let of = match id {
                    Some(id) => open.remove(id.as_str()),
                    // Without an id, the rejection is of the call directly before it.
                    None => nameless.pop().or_else(|| steps.iter().rposition(|step| step.at + 1 == at)),
                };
                if let Some(step) = of.and_then(|of| steps.get_mut(of)) {
                    step.kind = StepKind::Other;
                    step.outcome = ToolOutcome::Error;
                }
            }
            EventKind::PersonCommand { command, output, exit_code } => {
                if output.is_none() {
                    // The result may be a record of its own.
                    nameless.push(steps.len());
                }
                let mut of = step_of(at, event, command_line(command));
                of.outcome =
                    outcome_of(&of, ToolOutcome::Unknown, *exit_code, output.as_deref().unwrap_or(""));
                steps.push(of);
            }
            EventKind::System { text } => steps.extend(
                program_actions(text)
                    .map(|action| SessionStep { outcome: ToolOutcome::Ok, ..step_of(at, event, action) }),
            ),
            _ => {}
        }
    }
    steps
}

fn step_of(at: usize, event: &SessionEvent, kind: StepKind) -> SessionStep {
    SessionStep {
        at,
        line: event.line,
        result_line: None,
        done_at: at,
        kind,
        outcome: ToolOutcome::Unknown,
        is_subagent: event.side,
    }
}

/// Returns the outcome of a step: failed if it is a check whose output reports a failure, else the
/// outcome from the log.
fn outcome_of(step: &SessionStep, outcome: ToolOutcome, exit_code: Option<i32>, text: &str) -> ToolOutcome {
    let logged = match outcome {
        ToolOutcome::Unknown => ToolOutcome::of_exit(exit_code),
        outcome => outcome,
    };
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(8_000))..];
    match step.check() {
        Some(_) if logged != ToolOutcome::Error && FAILED.is_match(tail) => ToolOutcome::Error,
        _ => logged,
    }
}

/// Returns the edits and commits that an agent program's own messages report, as aider does.
fn program_actions(text: &str) -> impl Iterator<Item = StepKind> + '_ {
    text.lines().filter_map(|line| {
        if let Some(path) = line.strip_prefix("Applied edit to ") {
            return Some(StepKind::Edit { paths: vec![path.trim().to_owned()], texts: Vec::new() });
        }
        let (hash, subject) = line.strip_prefix("Commit ")?.split_once(' ')?;
        let is_hash = (7..=40).contains(&hash.len()) && hash.chars().all(|c| c.is_ascii_hexdigit());
        let words = ["git", "commit", "-m", subject].map(str::to_owned).to_vec();
        is_hash.then(|| StepKind::Command {
            line: String::new(),
            parts: vec![ParsedCommand { words, effect: CommandEffect::Acts }],
        })
    })
}

const EDITORS: [&str; 20] = [
    "edit",
    "write",
    "multiedit",
    "notebookedit",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "apply_patch",
    "create_file",
    "write_file",
    "write_to_file",
    "replace_in_file",
    "replace",
    "edit_file",
    "search_replace",
    "apply_diff",
    "insert_content",
    "insert_edit_into_file",
    "newfileCreated",
    "editedExistingFile",
];
const NEW: [&str; 8] =
    ["content", "new_string", "newText", "newString", "new_str", "text", "contents", "file_text"];
const OLD: [&str; 4] = ["old_string", "oldText", "oldString", "old_str"];

fn step_kind(name: &str, input: &Value) -> StepKind {
    let name = name.rsplit("__").next().unwrap_or(name);
    let edits = EDITORS.iter().any(|editor| editor.eq_ignore_ascii_case(name));
    if !edits && let Some(line) = command_of(name, input) {
        return patch_argument(input).map_or_else(|| command_line(&line), patch_edit);
    }
    if !edits || matches!(text(input, &["command"]), Some("view" | "undo_edit")) {
        return StepKind::Other;
    }
    if let Some(patch) = patch_of(input) {
        return patch_edit(patch);
    }
    let inner = input.get("edits").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = std::iter::once(input).chain(inner).filter_map(|edit| {
        let new = text(edit, &NEW)?;
        Some((text(edit, &OLD).unwrap_or_default().to_owned(), new.to_owned()))
    });
    StepKind::Edit {
        paths: file_path(input).map(str::to_owned).into_iter().collect(),
        texts: texts.collect(),
    }
}

/// Returns the patch in the arguments of a command such as `["apply_patch", PATCH]`.
fn patch_argument(input: &Value) -> Option<&str> {
    let last = ["command", "cmd"].iter().find_map(|key| input.get(key)?.as_array()?.last())?.as_str()?;
    last.contains("*** Begin Patch").then_some(last)
}

fn command_line(line: &str) -> StepKind {
    if line.contains("*** Begin Patch") {
        return patch_edit(line);
    }
    StepKind::Command { line: line.to_owned(), parts: simple_commands(line) }
}

fn patch_of(input: &Value) -> Option<&str> {
    let patch = input.as_str().or_else(|| text(input, &["patch", "input", "diff", "patchText"]))?;
    patch.contains("*** ").then_some(patch)
}

fn patch_edit(patch: &str) -> StepKind {
    let (mut paths, mut old, mut new) = (Vec::new(), String::new(), String::new());
    for line in patch.lines() {
        let headers = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        if let Some(path) = headers.iter().find_map(|head| line.strip_prefix(head)) {
            paths.push(path.trim().to_owned());
        } else if let Some(line) = line.strip_prefix('+') {
            new.push_str(line);
            new.push('\n');
        } else if let Some(line) = line.strip_prefix('-') {
            old.push_str(line);
            old.push('\n');
        }
    }
    StepKind::Edit { paths, texts: vec![(old, new)] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::outcome::test_events::*;

    #[test]
    fn a_call_and_its_result_are_one_step() {
        let events = log_of([
            call("1", "Bash", json!({"command": "cargo test"})),
            call("2", "Edit", json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"})),
            result("2", ToolOutcome::Ok, "done"),
            result("1", ToolOutcome::Error, "Exit code 101"),
        ]);
        let steps = steps(&events);
        assert_eq!(steps.len(), 2);
        assert_eq!((steps[0].outcome, steps[0].line, steps[0].result_line), (ToolOutcome::Error, 1, Some(4)));
        assert!(steps[1].edited());
        assert_eq!(
            steps[1].kind,
            StepKind::Edit { paths: vec!["a.rs".into()], texts: vec![("x".into(), "y".into())] }
        );
    }

    #[test]
    fn what_a_checker_printed_counts_more_than_the_code_of_a_pipe() {
        let ended = |command: &str, output: &str| {
            let events = log_of([
                call("1", "Bash", json!({"command": command})),
                result("1", ToolOutcome::Ok, output),
            ]);
            steps(&events)[0].outcome
        };
        for output in [
            "test result: FAILED. 3 passed; 1 failed;",
            "--- FAIL: TestX (0.00s)",
            "Tests:       2 failed, 3 passed",
            "=== 1 failed, 9 passed in 0.1s ===",
            "error[E0502]: cannot borrow",
        ] {
            assert_eq!(ended("cargo test 2>&1 | tail", output), ToolOutcome::Error, "{output}");
            assert_eq!(ended("cat log.txt", output), ToolOutcome::Ok, "{output}");
        }
        for output in ["test result: ok. 3 passed; 0 failed;", "test login_failed ... ok", "0 errors"] {
            assert_eq!(ended("cargo test", output), ToolOutcome::Ok, "{output}");
        }
    }

    #[test]
    fn agents_spell_commands_and_edits_differently() {
        let of = |name: &str, input: Value| steps(&log_of([call("1", name, input)])).remove(0).kind;
        for (name, input) in [
            ("shell", json!({"command": ["bash", "-lc", "go test ./..."]})),
            ("run_shell_command", json!({"command": "go test ./..."})),
            ("exec_command", json!({"cmd": "go test ./..."})),
            ("shell_command", json!("go test ./...")),
        ] {
            assert!(
                matches!(of(name, input), StepKind::Command { line, .. } if line == "go test ./..."),
                "{name}"
            );
        }
        let patch = "*** Begin Patch\n*** Update File: a.go\n-x\n+y\n*** End Patch";
        for kind in [of("apply_patch", json!(patch)), of("shell", json!({"command": ["apply_patch", patch]}))]
        {
            assert_eq!(
                kind,
                StepKind::Edit { paths: vec!["a.go".into()], texts: vec![("x\n".into(), "y\n".into())] }
            );
        }
        assert_eq!(of("str_replace_editor", json!({"command": "view", "path": "a"})), StepKind::Other);
        assert_eq!(of("Read", json!({"file_path": "a"})), StepKind::Other);
    }

    #[test]
    fn a_rejected_edit_is_no_edit() {
        let events = log_of([
            call("1", "Edit", json!({"file_path": "a", "new_string": "y"})),
            EventKind::ToolRejected { id: Some("1".into()), text: "no".into() },
        ]);
        assert!(!steps(&events)[0].edited());
    }

    #[test]
    fn a_rejection_without_an_id_is_of_the_call_directly_before_it() {
        let rejected = EventKind::ToolRejected { id: None, text: "no".into() };
        let edit = || call("1", "Edit", json!({"file_path": "a", "new_string": "y"}));
        assert!(!steps(&log_of([edit(), rejected.clone()]))[0].edited());
        assert!(steps(&log_of([edit(), result("1", ToolOutcome::Ok, "done"), rejected]))[0].edited());
    }

    #[test]
    fn what_a_person_ran_is_judged_by_the_record_that_follows() {
        let events = log_of([
            EventKind::PersonCommand { command: "pytest -q".into(), output: None, exit_code: None },
            EventKind::ToolResult {
                id: None,
                outcome: ToolOutcome::Unknown,
                exit_code: None,
                text: "1 failed, 3 passed".into(),
            },
        ]);
        assert_eq!((steps(&events)[0].outcome, steps(&events)[0].result_line), (ToolOutcome::Error, Some(2)));
    }

    #[test]
    fn messages_of_aider_are_edits_and_commits() {
        let events = log_of([EventKind::System {
            text: "Applied edit to src/a.py\nCommit 3f2a9cd feat: Add x\nCommit message follows".into(),
        }]);
        let steps = steps(&events);
        assert_eq!(steps.len(), 2);
        assert!(steps[0].edited());
        assert_eq!(steps[1].parts()[0].commit_subject(), Some("feat: Add x"));
    }
}
