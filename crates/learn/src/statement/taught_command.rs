//! Finds what a person says about a command that the agent then runs instead of its own: "you can, but it just sits there; I
//! type `just tank`". Such a sentence is meant to last, in any language.

use super::gone::EVERYDAY;
use super::{KindProbabilities, Statement, StatementContext};
use crate::outcome::steps::{SessionStep, StepKind};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// Probability that such a sentence is meant to last.
const TAUGHT_PROBABILITY: f32 = 0.8;

/// Raises the probabilities of the sentences that name a command which the agent runs next, and which passes, where the agent had
/// proposed another program or one had failed. `judged` has the probabilities of `statements`, in the same order.
pub fn raise_taught_commands(
    statements: &[Statement],
    judged: &mut [KindProbabilities],
    events: &[SessionEvent],
    steps: &[SessionStep],
) {
    for (statement, judged) in statements.iter().zip(judged) {
        let is_reaction = statement.context == StatementContext::After && !statement.is_pasted;
        if is_reaction && judged.lasting() < TAUGHT_PROBABILITY && teaches(statement, events, steps) {
            *judged = KindProbabilities([1.0 - TAUGHT_PROBABILITY, TAUGHT_PROBABILITY, 0.0, 0.0, 0.0]);
        }
    }
}

fn teaches(statement: &Statement, events: &[SessionEvent], steps: &[SessionStep]) -> bool {
    if statement.text.ends_with(['?', '？']) {
        return false;
    }
    let commands = || steps.iter().filter(|step| !step.is_subagent && !program_of(step).is_empty());
    let Some(next) = commands().find(|step| step.line > statement.line) else { return false };
    let program = program_of(next);
    if next.outcome != ToolOutcome::Ok || !names(&statement.text, next) {
        return false;
    }
    let is_other = |other: &str| !other.is_empty() && other != program;
    // A failed command, or one that the agent proposed in its last message.
    let failed = commands().rev().find(|step| step.line < statement.line);
    if failed.is_some_and(|step| step.outcome == ToolOutcome::Error && is_other(&program_of(step))) {
        return true;
    }
    let before = events.iter().rev().filter(|event| !event.side && event.line < statement.line);
    let last = before.map(|event| &event.kind).find_map(|kind| match kind {
        EventKind::AssistantText { text } => Some(text.as_str()),
        _ => None,
    });
    let proposed = last.unwrap_or_default().split('`').skip(1).step_by(2).filter(|code| code.contains(' '));
    let mut programs = proposed.filter_map(|code| code.split_whitespace().next());
    programs.any(|other| other.starts_with(|c: char| c.is_ascii_lowercase() || c == '.') && is_other(other))
}

/// Returns the program of a step's first command as typed; empty for another step.
fn program_of(step: &SessionStep) -> String {
    let StepKind::Command { line, .. } = &step.kind else { return String::new() };
    cm_shell::read(line).commands.first().map(|command| command.program_path.clone()).unwrap_or_default()
}

/// Whether a sentence names the first command of a step: its program with an argument, and that argument if the program is
/// an everyday word.
fn names(sentence: &str, step: &SessionStep) -> bool {
    let StepKind::Command { line, .. } = &step.kind else { return false };
    let script = cm_shell::read(line);
    let Some(command) = script.commands.first() else { return false };
    let is_mark = |c: char| "`'\"«»“”()[],;:!?".contains(c);
    let words: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_matches(is_mark).trim_end_matches('.')).collect();
    let argument = command.args.first().map(|word| word.text.as_str());
    let is_path = command.program_path.contains('/');
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().filter(|next| !next.is_empty());
        let is_exact = argument.is_some() && next == argument;
        *word == command.program_path
            && (is_path || is_exact || next.is_some() && !EVERYDAY.contains(word) && argument.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::super::statements;
    use super::*;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::{agent, log_of, person, ran};

    fn raised(proposal: &str, answer: &str, command: &str) -> bool {
        let mut kinds = vec![person("Start it, please."), agent(proposal), person(answer)];
        kinds.extend(ran("1", command, ToolOutcome::Ok, "ok"));
        let events = log_of(kinds);
        let typed = statements(&events);
        let mut judged = vec![KindProbabilities([0.9, 0.1, 0.0, 0.0, 0.0]); typed.len()];
        raise_taught_commands(&typed, &mut judged, &events, &steps(&events));
        judged.iter().any(|judged| judged.lasting() > 0.5)
    }

    #[test]
    fn a_command_that_takes_the_place_of_the_agents_is_taught() {
        let proposal = "I would start it with `go run ./cmd/api`.";
        assert!(raised(proposal, "Ich tippe morgens tilt up, und alles läuft im kind.", "tilt ci"));
        assert!(raised(
            proposal,
            "Il y a un petit script maintenant : ./bin/livrer recette.",
            "./bin/livrer recette"
        ));
        assert!(!raised(proposal, "Just make it work.", "make test"), "an everyday word");
        assert!(!raised(proposal, "yes, go run ./cmd/api is fine", "go run ./cmd/api"), "its own command");
        assert!(!raised("It is ready.", "now run pytest tests", "pytest tests"), "an order");
        assert!(!raised(proposal, "is tilt up better?", "tilt up"), "a question");
    }
}
