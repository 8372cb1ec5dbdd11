//! Failures of one session that ended, with the command that ended them. They are what the agent can
//! still explain while the session runs.
//!
//! An edit that ends a failure is ordinary work, and is left out unless a person named the way out.

use super::command::TracedCommand;
use super::prerequisite::is_plausible;
use super::proposal::is_safe;
use super::streak::{FailureStreak, StreakEnd, TraceStreaks};
use super::substitute::replacement;
use super::trace::SessionTrace;
use super::wording::with_message;

/// A command that failed, and what ended its failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedFailure {
    /// Line of the run that passed, from 1.
    pub line: u64,
    /// The command that failed.
    pub failed: String,
    /// Failed command, error message and the command that ended the failure, as one sentence.
    pub text: String,
    /// What a person typed between failure and success that names the way out.
    pub words: Option<String>,
}

/// Minimum length of a word of a command that a person's words must contain, in bytes.
const MIN_WORD_BYTES: usize = 3;

/// Returns the failures that ended, in the order of the runs that passed. `prompts` are the lines and
/// texts of what a person typed, in order.
pub fn ended_failures(trace: &SessionTrace, prompts: &[(u64, &str)]) -> Vec<EndedFailure> {
    let traced = TraceStreaks::of(trace);
    let mut found: Vec<EndedFailure> =
        traced.streaks.iter().filter_map(|streak| ended(streak, prompts)).collect();
    found.sort_by_key(|one| one.line);
    found
}

fn ended(streak: &FailureStreak<'_>, prompts: &[(u64, &str)]) -> Option<EndedFailure> {
    let failed = streak.command;
    let (by, line, how) = remedy(streak, prompts)?;
    let key = by.key();
    if !is_safe(&key) || !is_safe(&failed.key()) {
        return None;
    }
    let words = words_naming(by, failed, prompts, (streak.first.line, line));
    let text = format!("`{}` failed{}, {how} `{key}`", failed.key(), with_message(streak.failure));
    Some(EndedFailure { line, failed: failed.key(), text, words })
}

/// Returns the command that ended a failure, the line of the run that passed, and how the two are
/// joined in a sentence.
fn remedy<'t>(
    streak: &FailureStreak<'t>,
    prompts: &[(u64, &str)],
) -> Option<(&'t TracedCommand, u64, &'static str)> {
    const INSTEAD: &str = "then worked as";
    const AFTER: &str = "and passed after";
    if let Some((used, _)) = replacement(streak) {
        let line = streak.between.first().map(|one| one.line)?;
        return Some((used, line, INSTEAD));
    }
    let passed_at = streak.ended_at.filter(|_| streak.end == StreakEnd::Passed);
    let mut plausible = streak.between.iter().rev().filter(|one| is_plausible(one.command, streak.command));
    if let Some(line) = passed_at.filter(|_| streak.is_without_changes()) {
        return plausible.next().map(|one| (one.command, line, AFTER));
    }
    // Files changed meanwhile, so that only a person's words tell what mattered.
    let is_named_by_person = |command: &TracedCommand, line: u64| {
        words_naming(command, streak.command, prompts, (streak.first.line, line)).is_some()
    };
    let instead = streak.between.iter().find(|one| {
        let same_work = one.command.name == streak.command.name || one.command.work == streak.command.work;
        same_work && one.command.reusable && is_named_by_person(one.command, one.line)
    });
    match passed_at
        .and_then(|line| plausible.find(|one| is_named_by_person(one.command, line)).map(|one| (one, line)))
    {
        Some((one, line)) => Some((one.command, line, AFTER)),
        None => instead.map(|one| (one.command, one.line, INSTEAD)),
    }
}

/// Returns the last prompt between two lines that contains a word of `command` that `failed` lacks.
fn words_naming(
    command: &TracedCommand,
    failed: &TracedCommand,
    prompts: &[(u64, &str)],
    (from, to): (u64, u64),
) -> Option<String> {
    let old = failed.words();
    let new: Vec<&str> = command
        .words()
        .into_iter()
        .chain(command.env.iter().map(String::as_str))
        .filter(|word| word.len() >= MIN_WORD_BYTES && !old.contains(word))
        .collect();
    let between = prompts.iter().rev().filter(|(line, _)| *line > from && *line <= to);
    let mut naming = between.filter(|(_, text)| new.iter().any(|word| text.contains(word)));
    naming.next().map(|(_, text)| (*text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::support::test_traces::script;
    use super::*;

    fn texts(lines: &[&str], prompts: &[(u64, &str)]) -> Vec<String> {
        let shown = |one: EndedFailure| format!("{}{}", one.text, one.words.map_or("", |_| " (named)"));
        ended_failures(&script("s", lines), prompts).into_iter().map(shown).collect()
    }

    #[test]
    fn a_command_that_passes_after_another_one_or_in_another_form_ends_a_failure() {
        let refused = "! make itest | Error: connect ECONNREFUSED 127.0.0.1:5433";
        assert_eq!(
            texts(&[refused, "$ docker compose up -d db", "$ make itest"], &[]),
            [
                "`make itest` failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\", and passed after `docker compose up -d db`"
            ]
        );
        assert_eq!(
            texts(&["! npm run lint | npm ERR! missing script: lint", "$ pnpm lint"], &[(3, "pnpm here")]),
            [
                "`npm run lint` failed with \"npm ERR! missing script: lint\", then worked as `pnpm lint` (named)"
            ]
        );
    }

    #[test]
    fn an_edit_that_ends_a_failure_counts_only_if_a_person_named_the_way_out() {
        let lines = ["! cargo test | error[E0425]: x", "E src/a.rs", "$ cargo sqlx prepare", "$ cargo test"];
        assert!(texts(&lines, &[]).is_empty() && texts(&lines, &[(3, "go on")]).is_empty());
        let named = texts(&lines, &[(3, "after a query changes, run sqlx prepare")]);
        assert_eq!(named.len(), 1, "{named:?}");
        assert!(texts(&lines, &[(1, "run sqlx prepare")]).is_empty(), "before the failure");
    }

    #[test]
    fn a_flaky_command_and_a_dangerous_remedy_are_no_occasion() {
        assert!(texts(&["! make e2e | Error: timed out waiting", "$ make e2e"], &[]).is_empty());
        let lines = ["! make seed | Error: database is locked", "$ rm -rf /", "$ make seed"];
        assert!(texts(&lines, &[]).is_empty());
    }
}
