//! Finds explanations of agents that a check confirmed: a command fails, the agent says why and edits files, or runs
//! another command and says what has to be done or what made it work, and the command passes.

use super::explanation::{needs_error, requires, stated};
use super::pattern::{PatternNote, RecurringPattern};
use super::streak::{CommandBetween, FailureStreak, StreakEnd, TraceStreaks};
use super::support::{Occurrence, PatternSupport};
use super::wording::{failed, with_message};

/// Returns a fix for each explanation that was not disproved: the command did not fail again with the same error
/// after it.
pub fn diagnoses(traces: &[TraceStreaks<'_>]) -> Vec<RecurringPattern> {
    let mut found: Vec<RecurringPattern> = Vec::new();
    for TraceStreaks { trace, streaks, one_off } in traces {
        for streak in streaks.iter().chain(one_off).filter(|streak| streak.end == StreakEnd::Passed) {
            let names_remedy = |text: &str| requires(text) || needs_error(text);
            let was_prepared = |text: &str| since_failure(streak).next().is_some() && names_remedy(text);
            let is_repaired = |text: &&str| !streak.is_without_changes() || was_prepared(text);
            let Some(explanation) = streak.explanation.filter(is_repaired) else { continue };
            let plain = stated(explanation);
            let head = match needs_error(explanation) {
                true => format!("{}: {plain}", failed(streak.command, streak.failure)),
                false => plain,
            };
            let occurrence = Occurrence::new(trace, streak.first, quote(streak, explanation));
            match found.iter_mut().find(|one| one.head == head) {
                Some(diagnosis) => diagnosis.support.add(trace.conversation, occurrence),
                None => {
                    let mut support = PatternSupport::default();
                    support.add(trace.conversation, occurrence);
                    let note = PatternNote::Fix { text: head.clone() };
                    found.push(RecurringPattern { head, note, commands: Vec::new(), support });
                }
            }
        }
    }
    found.sort_by(|one, other| one.head.cmp(&other.head));
    found
}

/// Returns the commands that passed since the command last failed.
fn since_failure<'s, 't>(streak: &'s FailureStreak<'t>) -> impl Iterator<Item = &'s CommandBetween<'t>> {
    streak.between.iter().skip(streak.in_vain)
}

fn quote(streak: &FailureStreak<'_>, explanation: &str) -> String {
    let command = streak.command.key();
    let failed = with_message(streak.failure);
    let meanwhile = match since_failure(streak).last() {
        Some(between) if streak.is_without_changes() => format!("`{}` passed", between.command.key()),
        _ => "the agent edited files".to_owned(),
    };
    format!("`{command}` failed{failed}, {meanwhile}, and it passed. The agent: \"{explanation}\"")
}
