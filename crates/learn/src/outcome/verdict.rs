//! Determines how a session ended from its log: checks, commits, reverts and the user's last
//! message.
//!
//! Claims of success by the agent are ignored. Without evidence, the verdict is `unknown`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reaction::{Reaction, reaction};
use super::shell::CommandKind;
use super::steps::SessionStep;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::status::SessionStatus;

/// Outcome of a session with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeVerdict {
    pub status: SessionStatus,
    /// Evidence, in log order.
    pub signs: Vec<OutcomeEvidence>,
}

/// A piece of evidence for or against success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeEvidence {
    /// Line of the log, from 1.
    pub line: u64,
    /// Whether it is evidence for success.
    pub good: bool,
    /// Description of the evidence.
    pub what: String,
}

/// Determines the outcome of a session from its checks, commits and the user's last message.
pub fn verdict(events: &[SessionEvent], steps: &[SessionStep]) -> OutcomeVerdict {
    let mut signs = Vec::new();
    let last_edit = steps.iter().filter(|step| step.edited()).map(|step| step.at).max();
    let checks = last_checks(steps);
    signs.extend(checks.iter().map(|(name, step)| check_sign(name, step)));
    let open = checks.iter().any(|(_, step)| step.outcome == ToolOutcome::Error);
    let passed_before =
        open && steps.iter().any(|step| step.check().is_some() && step.outcome == ToolOutcome::Ok);
    signs.extend(commit_sign(steps, last_edit));
    signs.extend(revert_sign(steps, last_edit));
    let word = last_message_evidence(events);
    signs.extend(word.clone());
    let status = combine(&signs, word.as_ref(), passed_before);
    let broken = abort_evidence(events);
    let status = match (&broken, status) {
        (Some(_), SessionStatus::Success) => SessionStatus::Partial,
        (Some(_), SessionStatus::Unknown) if last_edit.is_some() => SessionStatus::Partial,
        (_, status) => status,
    };
    signs.extend(broken);
    signs.sort_by_key(|sign| sign.line);
    OutcomeVerdict { status, signs }
}

/// Returns the last run of each check, with the check's name. A failed run is dropped if a later
/// check of the same kind passed.
fn last_checks(steps: &[SessionStep]) -> Vec<(String, &SessionStep)> {
    let mut last: Vec<(String, &SessionStep)> = Vec::new();
    for step in steps.iter().filter(|step| !step.is_subagent && step.outcome != ToolOutcome::Unknown) {
        let Some(check) = step.check() else { continue };
        let name = check.name();
        last.retain(|(earlier, _)| *earlier != name);
        last.push((name, step));
    }
    // One that failed and was replaced by a passing check of the same kind, such as `go test` by `make test`.
    let settled: Vec<usize> = (0..last.len())
        .filter(|at| {
            let (_, step) = &last[*at];
            let work = step.check().map(|check| check.work());
            step.outcome == ToolOutcome::Error
                && last[at + 1..].iter().any(|(_, later)| {
                    later.outcome == ToolOutcome::Ok && later.check().map(|check| check.work()) == work
                })
        })
        .collect();
    let mut at = 0;
    last.retain(|_| (!settled.contains(&at), at += 1).0);
    last
}

fn check_sign(name: &str, step: &SessionStep) -> OutcomeEvidence {
    let good = step.outcome == ToolOutcome::Ok;
    let how = if good { "passed" } else { "failed" };
    OutcomeEvidence {
        line: step.result_line.unwrap_or(step.line),
        good,
        what: format!("`{name}` {how} when it was last run"),
    }
}

/// Returns evidence for success if the agent committed after its last edit.
fn commit_sign(steps: &[SessionStep], last_edit: Option<usize>) -> Option<OutcomeEvidence> {
    let commit = steps.iter().rev().find(|step| {
        step.outcome == ToolOutcome::Ok && step.find_command(|work| work == CommandKind::Commit).is_some()
    })?;
    let settled = last_edit.is_some_and(|edit| edit < commit.at);
    settled.then(|| OutcomeEvidence {
        line: commit.line,
        good: true,
        what: "the work was committed".to_owned(),
    })
}

/// Returns evidence against success if changes were reverted after the last edit.
fn revert_sign(steps: &[SessionStep], last_edit: Option<usize>) -> Option<OutcomeEvidence> {
    let revert = steps.iter().rev().find(|step| {
        step.outcome != ToolOutcome::Error && step.find_command(|work| work == CommandKind::Revert).is_some()
    })?;
    let last = last_edit.is_some_and(|edit| edit < revert.at);
    last.then(|| OutcomeEvidence { line: revert.line, good: false, what: "the work was reverted".to_owned() })
}

/// Returns evidence from the user's last message if the agent had answered before it. A complaint
/// counts only if the agent made no tool call afterwards.
fn last_message_evidence(events: &[SessionEvent]) -> Option<OutcomeEvidence> {
    let is_prompt = |event: &&SessionEvent| !event.side && matches!(event.kind, EventKind::UserPrompt { .. });
    let at = events.iter().rposition(|event| is_prompt(&event))?;
    if !events[..at].iter().any(|event| matches!(event.kind, EventKind::AssistantText { .. })) {
        return None;
    }
    let reaction = reaction(events[at].kind.text()?)?;
    let acted = events[at..].iter().any(|event| matches!(event.kind, EventKind::ToolCall { .. }));
    match reaction {
        Reaction::Satisfied => Some(OutcomeEvidence {
            line: events[at].line,
            good: true,
            what: "the user was satisfied".to_owned(),
        }),
        // What the agent did about it is judged by the checks after it.
        Reaction::Dissatisfied if acted => None,
        Reaction::Dissatisfied => Some(OutcomeEvidence {
            line: events[at].line,
            good: false,
            what: "the user's last message says that it is wrong".to_owned(),
        }),
    }
}

/// Returns evidence against success if the session ends with an interruption or an error in the
/// middle of the work. An interruption after the agent's final message does not count, because some
/// programs are closed with one.
fn abort_evidence(events: &[SessionEvent]) -> Option<OutcomeEvidence> {
    let is_last = |event: &&SessionEvent| {
        !matches!(
            event.kind,
            EventKind::System { .. } | EventKind::ModelChange { .. } | EventKind::Injected { .. }
        )
    };
    let last = events.iter().rev().find(is_last)?;
    let before = events.iter().rev().filter(is_last).find(|event| {
        !matches!(event.kind, EventKind::Interrupt | EventKind::ToolRejected { .. } | EventKind::Error { .. })
    })?;
    if !matches!(
        before.kind,
        EventKind::ToolCall { .. } | EventKind::ToolResult { .. } | EventKind::Thinking { .. }
    ) {
        return None;
    }
    let what = match last.kind {
        EventKind::Interrupt | EventKind::ToolRejected { .. } => {
            "the user interrupted the agent, and nothing followed"
        }
        EventKind::Error { .. } => "the agent's program failed, and nothing followed",
        _ => return None,
    };
    Some(OutcomeEvidence { line: last.line, good: false, what: what.to_owned() })
}

fn combine(signs: &[OutcomeEvidence], word: Option<&OutcomeEvidence>, passed_before: bool) -> SessionStatus {
    let good = signs.iter().any(|sign| sign.good);
    let bad = signs.iter().any(|sign| !sign.good);
    match (good, bad) {
        (false, false) => SessionStatus::Unknown,
        (true, false) => SessionStatus::Success,
        (false, true) if passed_before => SessionStatus::Partial,
        (false, true) => SessionStatus::Failure,
        // The person's word against what the machine says, or the other way round.
        (true, true) if word.is_some() => SessionStatus::Mixed,
        (true, true) => SessionStatus::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::*;

    fn status(kinds: Vec<EventKind>) -> SessionStatus {
        let events = log_of(kinds);
        verdict(&events, &steps(&events)).status
    }

    fn all<const N: usize>(parts: [Vec<EventKind>; N]) -> Vec<EventKind> {
        parts.concat()
    }

    fn test(id: &str, outcome: ToolOutcome) -> Vec<EventKind> {
        ran(id, "cargo test", outcome, "").to_vec()
    }

    #[test]
    fn the_last_run_of_a_check_decides() {
        use ToolOutcome::{Error, Ok};
        let start = || vec![person("Fix it"), agent("I look.")];
        assert_eq!(
            status(all([start(), test("1", Error), edited("2", "a").to_vec(), test("3", Ok)])),
            SessionStatus::Success
        );
        assert_eq!(
            status(all([start(), test("1", Ok), edited("2", "a").to_vec(), test("3", Error)])),
            SessionStatus::Partial
        );
        assert_eq!(
            status(all([start(), edited("2", "a").to_vec(), test("3", Error)])),
            SessionStatus::Failure
        );
        assert_eq!(status(start()), SessionStatus::Unknown);
        assert_eq!(
            status(all([start(), edited("2", "a").to_vec(), vec![agent("Done! All works.")]])),
            SessionStatus::Unknown
        );
    }

    #[test]
    fn a_check_of_another_name_settles_one_that_failed() {
        use ToolOutcome::{Error, Ok};
        let events =
            all([ran("1", "go test ./...", Error, "").to_vec(), ran("2", "make test", Ok, "").to_vec()]);
        assert_eq!(status(events), SessionStatus::Success);
        let events =
            all([ran("1", "go test ./...", Error, "").to_vec(), ran("2", "make lint", Ok, "").to_vec()]);
        assert_eq!(status(events), SessionStatus::Partial);
    }

    #[test]
    fn work_that_is_taken_back_at_the_end_failed() {
        let revert = || ran("9", "git checkout -- .", ToolOutcome::Ok, "").to_vec();
        assert_eq!(status(all([edited("1", "a").to_vec(), revert()])), SessionStatus::Failure);
        assert_eq!(status(all([revert(), edited("1", "a").to_vec()])), SessionStatus::Unknown);
    }

    #[test]
    fn a_commit_after_the_last_edit_is_a_sign() {
        let commit = || ran("9", "git commit -m x", ToolOutcome::Ok, "").to_vec();
        assert_eq!(status(all([edited("1", "a").to_vec(), commit()])), SessionStatus::Success);
        assert_eq!(status(all([commit(), edited("1", "a").to_vec()])), SessionStatus::Unknown);
    }

    #[test]
    fn the_persons_last_word_counts_next_to_the_checks() {
        use ToolOutcome::{Error, Ok};
        let reaction = |text: &str| vec![agent("Done."), person(text)];
        assert_eq!(status(all([test("1", Ok), reaction("perfect, thanks")])), SessionStatus::Success);
        assert_eq!(status(all([test("1", Ok), reaction("still broken")])), SessionStatus::Mixed);
        assert_eq!(status(all([test("1", Error), reaction("thanks")])), SessionStatus::Mixed);
        assert_eq!(status(reaction("that's wrong")), SessionStatus::Failure);
        assert_eq!(
            status(vec![person("still broken")]),
            SessionStatus::Unknown,
            "the first word judges nothing"
        );
    }

    #[test]
    fn a_session_that_is_broken_off_did_not_reach_its_goal() {
        assert_eq!(
            status(vec![person("Go"), agent("I went."), EventKind::Interrupt]),
            SessionStatus::Unknown
        );
        assert_eq!(
            status(all([edited("1", "a").to_vec(), vec![EventKind::Interrupt]])),
            SessionStatus::Partial
        );
        let events = all([test("1", ToolOutcome::Ok), vec![EventKind::Interrupt]]);
        assert_eq!(status(events), SessionStatus::Partial);
    }
}
