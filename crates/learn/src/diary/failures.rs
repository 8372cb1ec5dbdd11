//! Collects the challenges of a session: checks that failed and passed after changes, checks that
//! still failed at the end, and complaints of the user.
//!
//! Tool output is never quoted; a cause is quoted from the agent if it was confirmed.

use super::agent_statements::ConfirmedCause;
use super::changed_files::base_name;
use super::{DiaryItem, StatementAuthor};
use crate::content_words::content_word_count;
use crate::outcome::reaction::{Reaction, reaction};
use crate::outcome::steps::{SessionStep, StepKind};
use crate::prose::{MessageAuthor, cut, pattern, sentences};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// All runs of one check command such as `cargo test`, in log order.
struct CheckRuns<'a> {
    name: String,
    steps: Vec<&'a SessionStep>,
}

/// Returns the problems of a session, in log order: failed checks, and complaints of the user.
pub(super) fn challenges(
    events: &[SessionEvent],
    steps: &[SessionStep],
    causes: &[ConfirmedCause],
) -> Vec<DiaryItem> {
    let mut items: Vec<DiaryItem> = Vec::new();
    let all = runs(steps);
    for runs in &all {
        items.extend(runs.challenges(steps, causes, &all));
    }
    items.extend(complaints(events));
    items.sort_by_key(|item| item.line);
    items
}

fn runs(steps: &[SessionStep]) -> Vec<CheckRuns<'_>> {
    let mut all: Vec<CheckRuns<'_>> = Vec::new();
    for step in steps.iter().filter(|step| !step.is_subagent && step.outcome != ToolOutcome::Unknown) {
        let Some(check) = step.check() else { continue };
        let name = check.name();
        match all.iter_mut().find(|runs| runs.name == name) {
            Some(runs) => runs.steps.push(step),
            None => all.push(CheckRuns { name, steps: vec![step] }),
        }
    }
    all
}

impl CheckRuns<'_> {
    fn challenges(
        &self,
        steps: &[SessionStep],
        causes: &[ConfirmedCause],
        all: &[CheckRuns<'_>],
    ) -> Vec<DiaryItem> {
        let mut items = Vec::new();
        let mut failed: Vec<&SessionStep> = Vec::new();
        for step in &self.steps {
            if step.outcome == ToolOutcome::Error {
                failed.push(step);
                continue;
            }
            if let Some(first) = failed.first() {
                items.extend(self.overcome(first, failed.len(), step, steps, causes));
            }
            failed.clear();
        }
        let settled = |last: &SessionStep| {
            let work = last.check().map(|check| check.work());
            all.iter().flat_map(|runs| &runs.steps).any(|later| {
                later.at > last.at
                    && later.outcome == ToolOutcome::Ok
                    && later.check().map(|check| check.work()) == work
            })
        };
        if let Some(last) = failed.last().filter(|last| !settled(last)) {
            let line = last.result_line.unwrap_or(last.line);
            items.extend(DiaryItem::new(
                &format!("`{}` still failed when it was last run.", self.name),
                line,
                StatementAuthor::Log,
            ));
        }
        items
    }

    /// Describes how a failed check was fixed: changed files and, if known, the cause. `None` if no
    /// file was changed between the failure and the success.
    fn overcome(
        &self,
        first: &SessionStep,
        failures: usize,
        passed: &SessionStep,
        steps: &[SessionStep],
        causes: &[ConfirmedCause],
    ) -> Option<DiaryItem> {
        let between = first.done_at..passed.at;
        let mut files: Vec<&str> = Vec::new();
        for step in steps.iter().filter(|step| between.contains(&step.at) && step.edited()) {
            let StepKind::Edit { paths, .. } = &step.kind else { continue };
            for name in paths.iter().map(|path| base_name(path)) {
                if !files.contains(&name) {
                    files.push(name);
                }
            }
        }
        if files.is_empty() {
            return None;
        }
        let more = files.len().saturating_sub(2);
        let mut file_list =
            files.iter().take(2).map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
        if more > 0 {
            file_list.push_str(&format!(" and {more} more"));
        }
        let times = if failures > 1 { format!(" {failures} times") } else { String::new() };
        let cause = causes.iter().rev().find(|cause| between.contains(&cause.at));
        let why = cause.map_or_else(String::new, |cause| {
            format!(" {}", cut(cause.item.text.trim_end_matches('.'), 120))
        });
        let stop = if why.is_empty() || why.ends_with('…') { "" } else { "." };
        let text =
            format!("`{}` failed{times}, and passed after changes to {file_list}.{why}{stop}", self.name);
        DiaryItem::new(&text, first.result_line.unwrap_or(first.line), StatementAuthor::Log)
    }
}

pattern!(
    BROKEN =
        r"(?i)\b(?:still|doesn'?t|does not|didn'?t|isn'?t|not work\w*|broken|fail\w*|wrong|error|crash\w*)\b"
);

pattern!(ASIDE = r"(?i)^(?:fixed|note|option|if|when|i guess|can you|could you|please|add|make|implement)\b");
/// Maximum number of sentences in a complaint; longer messages are reports.
const MAX_COMPLAINT_SENTENCES: usize = 6;

/// Returns the sentences in which the user complained about the agent's work.
fn complaints(events: &[SessionEvent]) -> Vec<DiaryItem> {
    let mut items = Vec::new();
    let mut worked = false;
    for event in events.iter().filter(|event| !event.side) {
        match &event.kind {
            EventKind::ToolCall { .. } | EventKind::AssistantText { .. } => worked = true,
            EventKind::UserPrompt { text } if worked && reaction(text) == Some(Reaction::Dissatisfied) => {
                let statements = sentences(text, MessageAuthor::Person);
                let short = statements.len() <= MAX_COMPLAINT_SENTENCES;
                let telling = statements.iter().take(2).find(|sentence| {
                    let own = !sentence.listed
                        && !sentence.text.ends_with(['?', ':'])
                        && !ASIDE.is_match(&sentence.text);
                    let bad = reaction(&sentence.text) == Some(Reaction::Dissatisfied);
                    short
                        && own
                        && bad
                        && BROKEN.is_match(&sentence.text)
                        && content_word_count(&sentence.text) >= 3
                });
                items.extend(telling.and_then(|sentence| {
                    DiaryItem::new(&sentence.text, event.line, StatementAuthor::Person)
                }));
            }
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diary::agent_statements::causes;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;

    fn of(parts: Vec<Vec<EventKind>>) -> Vec<(u64, String)> {
        let events = log_of(parts.concat());
        let steps = steps(&events);
        let causes = causes(&events, &steps);
        challenges(&events, &steps, &causes).into_iter().map(|item| (item.line, item.text)).collect()
    }

    fn test(id: &str, outcome: ToolOutcome) -> Vec<EventKind> {
        ran(id, "go test ./...", outcome, "--- secret output").to_vec()
    }

    #[test]
    fn an_error_and_its_fix_are_one_challenge_with_the_cause_that_was_listed() {
        use ToolOutcome::{Error, Ok};
        let cause = vec![agent("The issue is that the push leaves out the upstream flag.")];
        let found = of(vec![test("1", Error), cause, edited("2", "cmd/push.go").to_vec(), test("3", Ok)]);
        assert_eq!(found, [(2, "`go test` failed, and passed after changes to `push.go`. The issue is that the push leaves out the upstream flag.".to_owned())]);
    }

    #[test]
    fn a_failure_without_a_change_before_it_passed_is_none() {
        use ToolOutcome::{Error, Ok};
        assert_eq!(of(vec![test("1", Error), test("2", Ok)]), []);
        assert_eq!(of(vec![edited("1", "a.go").to_vec(), test("2", Ok)]), []);
    }

    #[test]
    fn what_failed_to_the_end_is_reported_unless_a_check_of_its_kind_passed_later() {
        use ToolOutcome::{Error, Ok};
        let failed = of(vec![test("1", Error), test("2", Error)]);
        assert_eq!(failed, [(4, "`go test` still failed when it was last run.".to_owned())]);
        assert_eq!(of(vec![test("1", Error), ran("2", "make test", Ok, "").to_vec()]), []);
    }

    #[test]
    fn a_complaint_is_a_challenge_only_about_work_that_was_done() {
        let statements = || vec![person("The upload button still doesn't work on Safari")];
        assert_eq!(of(vec![statements()]), []);
        assert_eq!(of(vec![vec![agent("Done.")], statements()]).len(), 1);
        assert_eq!(of(vec![vec![agent("Done.")], vec![person("Revert that")]]), []);
    }
}
