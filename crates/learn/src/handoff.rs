//! Summarizes an unfinished session for the agent that continues the work.

use std::fmt::Write as _;

use crate::diary::{DiaryItem, extract};
use crate::outcome::steps::{SessionStep, StepKind, steps};
use crate::prose::{cut, without_injected};
use crate::recurring::CommandFailure;
use cm_note::markdown::escape::visible;
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::harness_text::is_scaffold;

/// Maximum length of a handoff in characters, about 600 tokens.
pub const MAX_HANDOFF_CHARS: usize = 2_400;
/// Maximum length of one statement, in characters.
const MAX_STATEMENT_CHARS: usize = 400;
/// Maximum number of items in a list.
const MAX_LIST_ITEMS: usize = 8;

/// State of unfinished work. All texts are on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handoff {
    /// What the work is for.
    pub goal: Option<String>,
    /// What is done, and what is not.
    pub state: Option<String>,
    /// Unanswered questions and unfinished parts.
    pub open: Vec<String>,
    /// Files that matter for the next step.
    pub files: Vec<String>,
    /// What was tried and failed.
    pub failed: Vec<String>,
    /// What to do next.
    pub next: Option<String>,
}

impl Handoff {
    /// Derives a handoff from a session's log. Secrets must already be removed from the events.
    /// Open ends are what failed last, an interruption and a short request without an answer. The next step is a
    /// longer request without an answer: what the person said on leaving.
    pub fn of_session(meta: &SessionMeta, events: &[SessionEvent]) -> Self {
        let mut prompts: Vec<String> = events.iter().filter(|event| !event.side).filter_map(prompt).collect();
        let next = unanswered(events).filter(|last| prompts.len() > 1 && reports_state(last));
        prompts.truncate(prompts.len() - usize::from(next.is_some()));
        let goal = match prompts.as_slice() {
            [] => meta.title.clone(),
            [only] => Some(only.clone()),
            [first, .., last] => Some(format!("{first} Latest request: {last}")),
        };
        let last_text = events.iter().rev().filter(|event| !event.side).find_map(|event| match &event.kind {
            EventKind::AssistantText { text } => Some(text.as_str()).filter(|text| reports_state(text)),
            _ => None,
        });
        let failed_last = failed_last(events, last_text.unwrap_or_default());
        let state = match (last_text, failed_last.as_slice()) {
            // The report may be a claim that the log contradicts.
            (Some(text), [_, ..]) => Some(format!("unfinished; the agent's last report: {text}")),
            (Some(text), _) => Some(text.to_owned()),
            (None, _) => None,
        };
        let diary = extract("", meta, events);
        let items = |items: &[DiaryItem]| items.iter().map(|item| item.text.clone()).collect();
        Self {
            goal,
            state,
            open: failed_last.into_iter().chain(left_open(events).filter(|_| next.is_none())).collect(),
            files: items(&diary.files),
            failed: items(&diary.challenges),
            next,
        }
        .cleaned()
    }

    /// Fills empty fields from another handoff.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let list = |own: Vec<String>, other| if own.is_empty() { other } else { own };
        Self {
            goal: self.goal.or(other.goal),
            state: self.state.or(other.state),
            open: list(self.open, other.open),
            files: list(self.files, other.files),
            failed: list(self.failed, other.failed),
            next: self.next.or(other.next),
        }
    }

    /// Puts every text on one line, cuts long ones, and drops empty ones.
    #[must_use]
    pub fn cleaned(self) -> Self {
        let line = |text: String| cut(&visible(&text), MAX_STATEMENT_CHARS);
        let text = |text: Option<String>| text.map(line).filter(|text| !text.is_empty());
        let list = |items: Vec<String>| -> Vec<String> {
            items.into_iter().map(line).filter(|item| !item.is_empty()).take(MAX_LIST_ITEMS).collect()
        };
        Self {
            goal: text(self.goal),
            state: text(self.state),
            open: list(self.open),
            files: list(self.files),
            failed: list(self.failed),
            next: text(self.next),
        }
    }

    /// Whether there is nothing to hand over.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lines of the handoff, at most [`MAX_HANDOFF_CHARS`] characters in all. What tells the next agent least,
    /// the end of the longest list, is dropped first.
    pub fn lines(&self) -> Vec<String> {
        let mut shortened = self.clone();
        loop {
            let lines = shortened.all_lines();
            let length: usize = lines.iter().map(|line| line.chars().count() + 1).sum();
            let longest = [&mut shortened.files, &mut shortened.failed, &mut shortened.open]
                .into_iter()
                .max_by_key(|list| list.len())
                .filter(|list| !list.is_empty());
            match longest {
                Some(list) if length > MAX_HANDOFF_CHARS => drop(list.pop()),
                _ => return lines,
            }
        }
    }

    fn all_lines(&self) -> Vec<String> {
        let text = |name: &str, text: &Option<String>| text.as_ref().map(|text| format!("{name}: {text}"));
        let list = |name: &str, items: &[String]| {
            items.iter().map(|item| format!("{name}: {item}")).collect::<Vec<_>>()
        };
        let files = (!self.files.is_empty()).then(|| format!("Files: {}", self.files.join(", ")));
        text("Goal", &self.goal)
            .into_iter()
            .chain(text("State", &self.state))
            .chain(list("Open", &self.open))
            .chain(list("Failed", &self.failed))
            .chain(files)
            .chain(text("Next step", &self.next))
            .collect()
    }

    /// Renders the handoff as a Markdown list.
    pub fn markdown(&self) -> String {
        self.lines().into_iter().fold(String::new(), |mut body, line| {
            let _ = writeln!(body, "- {line}");
            body
        })
    }
}

/// Minimum number of words of an answer that reports the state of the work, unlike "Yes." or "Sorry, I
/// will stop."
const MIN_STATE_WORDS: usize = 5;
/// Minimum number of characters of such an answer in a language that is written without spaces.
const MIN_STATE_CHARS: usize = 30;

fn reports_state(text: &str) -> bool {
    text.split_whitespace().count() >= MIN_STATE_WORDS || text.chars().count() >= MIN_STATE_CHARS
}

/// Returns the commands whose last run failed: checks that no later check of their kind replaces, the session's
/// last command, and those that the agent's last report names.
fn failed_last(events: &[SessionEvent], last_report: &str) -> Vec<String> {
    let steps = steps(events);
    let own: Vec<&SessionStep> =
        steps.iter().filter(|step| !step.is_subagent && !step.parts().is_empty()).collect();
    let is_open = |at: usize| {
        let work = own[at].check().map(|check| check.work());
        let mut later = own[at + 1..].iter();
        own[at].outcome == ToolOutcome::Error
            && match work {
                Some(work) => !later.any(|step| step.check().is_some_and(|check| check.work() == work)),
                None if at + 1 == own.len() => true,
                None => {
                    let line = line_of(own[at]).filter(|line| last_report.contains(*line));
                    line.is_some() && !later.any(|step| line_of(step) == line)
                }
            }
    };
    let describe = |step: &SessionStep| {
        let StepKind::Command { line, .. } = &step.kind else { return None };
        let message = match &events.get(step.done_at)?.kind {
            EventKind::ToolResult { text, .. } => CommandFailure::of(text).message,
            _ => None,
        };
        let message = message.map(|message| format!(": {message}")).unwrap_or_default();
        Some(format!(
            "`{}` failed when it was last run{message}",
            cut(&visible(line), MAX_STATEMENT_CHARS / 4)
        ))
    };
    (0..own.len()).filter(|at| is_open(*at)).filter_map(|at| describe(own[at])).collect()
}

fn line_of(step: &SessionStep) -> Option<&str> {
    match &step.kind {
        StepKind::Command { line, .. } => Some(line.trim()).filter(|line| line.contains(' ')),
        _ => None,
    }
}

/// Returns the request that the session ended with; `None` if the agent did anything after it.
fn unanswered(events: &[SessionEvent]) -> Option<String> {
    let is_turn = |event: &&SessionEvent| {
        !event.side
            && matches!(
                event.kind,
                EventKind::Interrupt
                    | EventKind::AssistantText { .. }
                    | EventKind::ToolCall { .. }
                    | EventKind::UserPrompt { .. }
            )
    };
    prompt(events.iter().rev().find(is_turn)?)
}

/// Returns that the session ended with an interruption or with a request that has no answer.
fn left_open(events: &[SessionEvent]) -> Option<String> {
    let last = events.iter().rev().find(|event| {
        !event.side
            && matches!(
                event.kind,
                EventKind::Interrupt | EventKind::AssistantText { .. } | EventKind::UserPrompt { .. }
            )
    })?;
    match &last.kind {
        EventKind::Interrupt => Some("the person interrupted the agent".to_owned()),
        EventKind::UserPrompt { .. } => prompt(last).map(|text| format!("no answer yet to: {text}")),
        _ => None,
    }
}

fn prompt(event: &SessionEvent) -> Option<String> {
    let EventKind::UserPrompt { text } = &event.kind else { return None };
    let text = visible(&without_injected(text));
    let says = !is_scaffold(&text) && text.chars().any(char::is_alphanumeric);
    says.then(|| cut(&text, MAX_STATEMENT_CHARS / 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::test_events::{agent, log_of, person, ran};
    use cm_session::Agent;

    #[test]
    fn a_session_hands_over_the_first_and_the_latest_request_and_the_last_answer() {
        let meta = SessionMeta::new(Agent::Codex, "s-1".into());
        let events = log_of(vec![
            person("Move the cache to Redis"),
            agent("Which port?"),
            person("6380, and keep the old\nkeys"),
            agent("The client is written, the tests are not."),
            agent("Sorry, I will stop."),
        ]);
        let handoff = Handoff::of_session(&meta, &events);
        assert_eq!(
            handoff.goal.as_deref(),
            Some("Move the cache to Redis Latest request: 6380, and keep the old keys")
        );
        assert_eq!(handoff.state.as_deref(), Some("The client is written, the tests are not."));
        assert!(Handoff::of_session(&meta, &[]).is_empty());
    }

    #[test]
    fn what_failed_last_is_open_and_a_claim_of_success_does_not_hide_it() {
        let meta = SessionMeta::new(Agent::Codex, "s-1".into());
        let failed = || ran("t1", "cargo test", ToolOutcome::Error, "error: no such table: users");
        let passed = || ran("t2", "cargo test", ToolOutcome::Ok, "ok");
        let of = |steps: Vec<EventKind>, text: &str| {
            let mut events = vec![person("Add the users table to the schema")];
            events.extend(steps);
            events.push(agent(text));
            Handoff::of_session(&meta, &log_of(events))
        };
        let open = of(failed().into(), "All done, the migration is complete now.");
        assert_eq!(open.open, ["`cargo test` failed when it was last run: error: no such table: users"]);
        assert_eq!(
            open.state.as_deref(),
            Some("unfinished; the agent's last report: All done, the migration is complete now.")
        );
        let settled = of([failed(), passed()].concat(), "All done, the migration is complete now.");
        assert!(settled.open.is_empty());
        assert_eq!(settled.state.as_deref(), Some("All done, the migration is complete now."));
        let unanswered =
            log_of(vec![person("Add the table"), agent("Which one do you mean?"), person("users")]);
        assert_eq!(Handoff::of_session(&meta, &unanswered).open, ["no answer yet to: users"]);
    }

    #[test]
    fn the_last_words_are_the_next_step_and_a_failed_command_that_the_agent_names_is_open() {
        let meta = SessionMeta::new(Agent::ClaudeCode, "s-1".into());
        let lint = || ran("t1", "make openapi-lint", ToolOutcome::Error, "error: duplicate key holdMinutes");
        let mut events = vec![person("Raise the hold length to 90 minutes")];
        events.extend(lint());
        events.extend(ran("t2", "go test ./...", ToolOutcome::Ok, "ok"));
        events.push(agent("Code is at 90. openapi.yaml has a duplicate key; make openapi-lint fails."));
        events
            .push(person("I have to go. Leave openapi.yaml until Hiro answers, then remove the duplicate."));
        let handoff = Handoff::of_session(&meta, &log_of(events));
        assert_eq!(handoff.goal.as_deref(), Some("Raise the hold length to 90 minutes"));
        assert_eq!(
            handoff.open,
            ["`make openapi-lint` failed when it was last run: error: duplicate key holdMinutes"]
        );
        let next = "I have to go. Leave openapi.yaml until Hiro answers, then remove the duplicate.";
        assert_eq!(handoff.next.as_deref(), Some(next));
    }

    #[test]
    fn what_the_agent_states_wins_over_what_the_log_says() {
        let stated = Handoff { goal: Some("Ship 1.4".into()), ..Handoff::default() };
        let log = Handoff { goal: Some("hi".into()), files: vec!["a.rs".into()], ..Handoff::default() };
        let both = stated.or(log);
        assert_eq!(both.markdown(), "- Goal: Ship 1.4\n- Files: a.rs\n");
    }

    proptest! {
        #[test]
        fn a_handoff_has_at_most_six_hundred_tokens(
            goal in ".{0,900}", state in ".{0,900}", next in ".{0,900}",
            open in prop::collection::vec(".{0,500}", 0..20),
            files in prop::collection::vec("[a-z/]{0,500}", 0..20),
        ) {
            let handoff = Handoff {
                goal: Some(goal), state: Some(state), next: Some(next), failed: open.clone(), open, files,
            }.cleaned();
            let text = handoff.markdown();
            prop_assert!(text.chars().count() <= MAX_HANDOFF_CHARS + 2 * handoff.lines().len());
            prop_assert!(text.lines().all(|line| line.starts_with("- ")));
        }
    }
}
