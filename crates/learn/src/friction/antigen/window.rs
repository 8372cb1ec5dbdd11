//! The steps of a session before a signal, with their files, tools, failures and keywords.

use std::collections::BTreeSet;

use serde_json::Value;

use super::PrecedingActions;
use crate::friction::patterns::{
    FAILURE, FILE, FILE_WHOLE, KEYWORD, MARKS_FAILURE, SUCCEEDED, is_terminal_paste,
};
use crate::friction::record::{LogRecord, RecordPart, RecordRole, SessionLog, head};
use cm_note::instant::Instant;
use cm_session::event::ToolOutcome;

/// Number of steps before the signal's step that belong to the window.
const STEPS_BEFORE_SIGNAL: usize = 5;
/// Stop words that are not used as keywords.
const COMMON: [&str; 43] = [
    "about", "after", "also", "been", "before", "being", "code", "could", "doing", "file", "from", "have",
    "here", "into", "just", "like", "made", "make", "more", "need", "only", "other", "should", "some",
    "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "very", "want",
    "were", "what", "when", "where", "which", "with", "would",
];
/// Tags at the start of messages that the agent's program sends in the user's name.
const MARKUP: [&str; 5] = [
    "<local-command-caveat>",
    "<command-message>",
    "<command-name>",
    "<system-reminder>",
    "<local-command-stdout>",
];

/// The step with a friction signal and up to five steps before it.
pub struct StepWindow<'l> {
    steps: Vec<&'l LogRecord>,
}

impl<'l> StepWindow<'l> {
    /// Returns the window that ends with the first step at time `at`. If no step has this time, the
    /// window ends with the last step before it.
    pub(crate) fn by_time(log: &'l SessionLog, at: Option<Instant>) -> Option<Self> {
        let steps: Vec<&LogRecord> = log.records.iter().filter(|record| record.role.is_step()).collect();
        let exact = steps.iter().position(|step| step.at == at);
        let before = || steps.iter().rposition(|step| step.at.is_some() && step.at <= at);
        Some(Self::up_to(&steps, exact.or_else(before)?))
    }

    /// Returns the window that ends with the record at index `record` or, if that is not a step,
    /// with the last step before it.
    pub(crate) fn by_record(log: &'l SessionLog, record: usize) -> Option<Self> {
        let steps: Vec<&LogRecord> =
            log.records.iter().take(record + 1).filter(|record| record.role.is_step()).collect();
        let last = steps.len().checked_sub(1)?;
        Some(Self::up_to(&steps, last))
    }

    fn up_to(steps: &[&'l LogRecord], last: usize) -> Self {
        Self { steps: steps[last.saturating_sub(STEPS_BEFORE_SIGNAL)..=last].to_vec() }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    fn parts(&self) -> impl Iterator<Item = &'l RecordPart> {
        self.steps.iter().flat_map(|step| step.parts.iter())
    }

    /// Returns the file paths that the steps mention, sorted; at most 10. `whole` also finds the
    /// file types of the observed rules.
    pub fn files(&self, whole: bool) -> Vec<String> {
        let mut files = BTreeSet::new();
        let expression = if whole { &FILE_WHOLE } else { &FILE };
        let mut find = |text: &str| {
            files.extend(expression.find_iter(text).map(|file| file.as_str().to_owned()));
        };
        let mut paths = Vec::new();
        for part in self.parts() {
            match part {
                RecordPart::Text(text) | RecordPart::Result { text, .. } => find(text),
                RecordPart::Call { input, .. } => {
                    paths.extend(
                        ["file_path", "path"]
                            .iter()
                            .filter_map(|key| input[key].as_str())
                            .filter(|path| !path.is_empty()),
                    );
                    if let Value::String(command) = &input["command"] {
                        find(command);
                    }
                }
                RecordPart::Interrupt | RecordPart::Compaction(_) => {}
            }
        }
        files.extend(paths.into_iter().map(str::to_owned));
        files.into_iter().take(10).collect()
    }

    /// Returns the called tools, each with the suffix `:ok` or `:error` if its result is available;
    /// at most 15.
    pub fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for part in self.parts() {
            match part {
                RecordPart::Call { tool, .. } => tools.push(tool.clone()),
                RecordPart::Result { outcome, exit_code, text, .. } => {
                    if let (Some(last), Some(mark)) = (tools.last_mut(), mark(*outcome, *exit_code, text)) {
                        last.push_str(mark);
                    }
                }
                RecordPart::Text(_) | RecordPart::Interrupt | RecordPart::Compaction(_) => {}
            }
        }
        tools.truncate(15);
        tools
    }

    /// Returns one line for each failed tool call: the first of its five leading lines that
    /// contains an error keyword. If the log states the outcome of a call, the log decides what
    /// failed, not the text.
    pub fn errors(&self) -> Vec<String> {
        let lines = self.parts().filter_map(|part| {
            let RecordPart::Result { outcome, text, .. } = part else { return None };
            let telling = text.lines().take(5).find(|line| FAILURE.is_match(line));
            match outcome {
                ToolOutcome::Ok => None,
                ToolOutcome::Unknown => telling,
                ToolOutcome::Error => telling.or_else(|| text.lines().find(|line| !line.trim().is_empty())),
            }
        });
        lines.map(|line| head(line.trim(), 200).to_owned()).collect()
    }

    /// Returns the user's messages in the window, each cut to 500 characters. `without_pastes`
    /// leaves out pasted terminal output.
    pub fn messages(&self, without_pastes: bool) -> Vec<String> {
        let prompts = self.steps.iter().filter(|step| step.role == RecordRole::Person);
        let texts = prompts.filter_map(|step| {
            step.parts.iter().find_map(|part| match part {
                RecordPart::Text(text) => Some(text.as_str()),
                _ => None,
            })
        });
        let texts = texts.filter(|text| !(is_markup(text) || without_pastes && is_terminal_paste(text)));
        texts.map(|text| head(text, 500).to_owned()).collect()
    }

    /// Returns the last two tool calls in the window with their result and the given error line.
    pub fn preceding(&self, error: Option<&String>) -> PrecedingActions {
        let calls: Vec<&str> = self
            .parts()
            .filter_map(|part| match part {
                RecordPart::Call { tool, .. } => Some(tool.as_str()),
                _ => None,
            })
            .collect();
        let marks: Vec<&str> = self
            .parts()
            .filter_map(|part| match part {
                RecordPart::Result { outcome, exit_code, text, .. } => mark(*outcome, *exit_code, text),
                _ => None,
            })
            .collect();
        let last_two = &calls[calls.len().saturating_sub(2)..];
        let result = match (marks.contains(&":error"), marks.contains(&":ok")) {
            (true, _) => "error",
            (false, true) => "claimed success",
            (false, false) => "unknown",
        };
        PrecedingActions {
            action: if last_two.is_empty() { "none".to_owned() } else { last_two.join(" → ") },
            result: result.to_owned(),
            error: error.cloned(),
        }
    }
}

/// Returns `true` if a message is blank or was sent by the agent's program instead of the user.
fn is_markup(text: &str) -> bool {
    let trimmed = text.trim();
    trimmed.is_empty()
        || MARKUP.iter().any(|markup| trimmed.starts_with(markup))
        || text.starts_with("[Request interrupted")
}

/// Returns the suffix `:ok` or `:error` for the result of a tool call; `None` if the outcome is
/// unknown.
fn mark(outcome: ToolOutcome, exit_code: Option<i32>, text: &str) -> Option<&'static str> {
    match outcome {
        ToolOutcome::Ok => Some(":ok"),
        ToolOutcome::Error => Some(":error"),
        ToolOutcome::Unknown if exit_code == Some(0) || SUCCEEDED.is_match(text) => Some(":ok"),
        ToolOutcome::Unknown if exit_code.is_some() || MARKS_FAILURE.is_match(text) => Some(":error"),
        ToolOutcome::Unknown => None,
    }
}

/// Returns the distinct keywords in the first 20 words of each message, sorted; at most 15 in
/// total.
pub fn keywords(messages: &[String]) -> Vec<String> {
    let mut words = BTreeSet::new();
    for message in messages {
        let lower = message.to_lowercase();
        words.extend(KEYWORD.find_iter(&lower).take(20).map(|word| word.as_str().to_owned()));
    }
    words.into_iter().filter(|word| !COMMON.contains(&word.as_str())).take(15).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::claude_lines;

    fn lines(lines: &[&str]) -> SessionLog {
        claude_lines::log("p", "s", lines.join("\n").as_bytes())
    }

    #[test]
    fn a_sequence_marks_calls_by_the_answers_that_follow() {
        let log = lines(&[
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"cat a.py src/b.ts"}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"Exit code 2\nboom"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"/w/x.rs"}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"text"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"Exit code 0"}]}}"#,
        ]);
        let window = StepWindow::by_record(&log, 5).unwrap();
        assert_eq!(window.tools(), ["Bash:error", "Read", "Bash:ok"]);
        assert_eq!(window.files(false), ["/w/x.rs", "a.py", "src/b.ts"]);
        assert_eq!(window.errors(), ["Exit code 2"]);
        assert_eq!(window.preceding(None).action, "Read → Bash");
    }

    #[test]
    fn a_window_is_the_step_and_the_five_before_it() {
        let log = lines(&[r#"{"type":"user","message":{"content":"a"}}"#; 9]);
        assert_eq!(StepWindow::by_record(&log, 8).unwrap().len(), 6);
        assert_eq!(StepWindow::by_record(&log, 2).unwrap().len(), 3);
        assert!(StepWindow::by_record(&SessionLog::default(), 2).is_none());
    }

    #[test]
    fn what_programs_wrote_is_no_message() {
        let log = lines(&[
            r#"{"type":"user","message":{"content":"<command-name>/stash</command-name>"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#,
            r#"{"type":"user","message":{"content":"Please keep the Config of the parser"}}"#,
        ]);
        let messages = StepWindow::by_record(&log, 2).unwrap().messages(false);
        assert_eq!(messages, ["Please keep the Config of the parser"]);
        assert_eq!(keywords(&messages), ["config", "keep", "parser", "please"]);
    }

    #[test]
    fn the_classic_rules_cut_an_ending_that_begins_with_another() {
        let log = lines(&[r#"{"type":"user","message":{"content":"see package.json"}}"#]);
        let window = StepWindow::by_record(&log, 0).unwrap();
        assert_eq!(window.files(false), ["package.js"]);
        assert_eq!(window.files(true), ["package.json"]);
    }
}
