//! Finds commands that successful sessions run as a matter of course: before each commit, or to check
//! the work.

use std::collections::{BTreeMap, BTreeSet};

use super::command::TracedCommand;
use super::pattern::{PatternNote, RecurringPattern};
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind, TracedStep};
use super::wording::code;
use crate::outcome::shell::CommandKind;
use cm_session::status::SessionStatus;

/// Minimum number of conversations with a routine.
const MIN_CONVERSATIONS: usize = 3;
/// Minimum share of the conversations with a commit in which a command runs before it, 0–1.
const MIN_COMMIT_SHARE: f64 = 0.8;
/// Minimum share of the conversations with a passed check of a kind in which the command is used, 0–1.
const MIN_CHECK_SHARE: f64 = 0.34;

/// Returns a pattern for each command that regularly runs between the last edit and the commit of a
/// successful session.
pub fn before_commits(traces: &[&SessionTrace]) -> Vec<RecurringPattern> {
    let mut with_commit: BTreeSet<u64> = BTreeSet::new();
    let mut found: BTreeMap<String, PatternSupport> = BTreeMap::new();
    for &trace in traces.iter().filter(|trace| trace.status == SessionStatus::Success) {
        for (commit, run) in commits(trace) {
            with_commit.insert(trace.conversation);
            for command in run.iter().filter(|command| is_candidate(command)) {
                let quote = format!("`{}` ran between the last edit and the commit", command.key());
                let occurrence = Occurrence::new(trace, commit, quote);
                found.entry(command.key()).or_default().add(trace.conversation, occurrence);
            }
        }
    }
    let share = |support: &PatternSupport| support.count() as f64 / with_commit.len().max(1) as f64;
    let regular = |(_, support): &(String, PatternSupport)| {
        support.count() >= MIN_CONVERSATIONS && share(support) >= MIN_COMMIT_SHARE
    };
    let patterns = found.into_iter().filter(regular).map(|(command, support)| {
        let head = format!("Run {} before each commit", code(&command));
        let text = format!("{head}: nearly every successful session here does");
        RecurringPattern {
            head,
            note: PatternNote::Rule { text, category: "git" },
            commands: vec![command],
            support,
        }
    });
    patterns.collect()
}

/// Returns a rule for each command that nearly every successful session runs. Checks, commands that
/// failed, and commands that another pattern names are left out.
pub fn in_every_session(
    traces: &[&SessionTrace],
    covered_commands: &BTreeSet<String>,
) -> Vec<RecurringPattern> {
    let mut successful: BTreeSet<u64> = BTreeSet::new();
    let mut found: BTreeMap<String, PatternSupport> = BTreeMap::new();
    let mut failed: BTreeSet<String> = BTreeSet::new();
    for &trace in traces.iter().filter(|trace| trace.status == SessionStatus::Success) {
        for step in &trace.steps {
            if let TracedKind::Failed { command, .. } = &step.kind {
                failed.insert(command.key());
            }
            let TracedKind::Passed { command } = &step.kind else { continue };
            successful.insert(trace.conversation);
            if command.work == CommandKind::Other && is_candidate(command) {
                let occurrence = Occurrence::new(trace, step, format!("`{}` passed", command.key()));
                found.entry(command.key()).or_default().add(trace.conversation, occurrence);
            }
        }
    }
    let is_regular = |command: &str, support: &PatternSupport| {
        let share = support.count() as f64 / successful.len().max(1) as f64;
        support.count() >= MIN_CONVERSATIONS
            && share >= MIN_COMMIT_SHARE
            && !covered_commands.contains(command)
            && !failed.contains(command)
    };
    let regular = found.into_iter().filter(|(command, support)| is_regular(command, support));
    let pattern = |(command, support): (String, PatternSupport)| {
        let head = format!("Run {} in each session", code(&command));
        let text = format!("{head}: nearly every successful session here does");
        RecurringPattern {
            head,
            note: PatternNote::Rule { text, category: "workflow" },
            commands: vec![command],
            support,
        }
    };
    regular.map(pattern).collect()
}

fn is_candidate(command: &TracedCommand) -> bool {
    let own = command.words().first().is_some_and(|program| *program != "git" && *program != "gh");
    own && command.reusable
}

/// Returns the commits after an edit, each with the commands that passed between the two.
fn commits(trace: &SessionTrace) -> Vec<(&TracedStep, Vec<&TracedCommand>)> {
    let mut since_edit: Option<Vec<&TracedCommand>> = None;
    let mut found = Vec::new();
    for step in &trace.steps {
        match &step.kind {
            TracedKind::Edited { .. } | TracedKind::Changed => since_edit = Some(Vec::new()),
            TracedKind::Passed { command } if command.work == CommandKind::Commit => {
                found.extend(since_edit.take().map(|run| (step, run)));
            }
            TracedKind::Passed { command } => since_edit.iter_mut().for_each(|run| run.push(command)),
            _ => {}
        }
    }
    found
}

/// Returns a fact for the command with which the sessions run their tests, and the like for builds and
/// linters. Commands that another pattern names are left out.
pub fn checks(traces: &[&SessionTrace], covered_commands: &BTreeSet<String>) -> Vec<RecurringPattern> {
    let kinds = [
        (CommandKind::Test, "The tests of this project run with"),
        (CommandKind::Build, "The build of this project runs with"),
        (CommandKind::Lint, "The linter of this project runs with"),
    ];
    let one = |(kind, head): (CommandKind, &str)| {
        let mut of_kind: BTreeSet<u64> = BTreeSet::new();
        let mut found: BTreeMap<String, PatternSupport> = BTreeMap::new();
        for &trace in traces.iter().filter(|trace| trace.status != SessionStatus::Failure) {
            for step in &trace.steps {
                let TracedKind::Passed { command } = &step.kind else { continue };
                if command.work != kind {
                    continue;
                }
                of_kind.insert(trace.conversation);
                if command.reusable {
                    let occurrence = Occurrence::new(trace, step, format!("`{}` passed", command.key()));
                    found.entry(command.key()).or_default().add(trace.conversation, occurrence);
                }
            }
        }
        let most =
            found.values().map(PatternSupport::count).max().filter(|most| *most >= MIN_CONVERSATIONS)?;
        let mut best = found.into_iter().filter(|(_, support)| support.count() == most);
        let (command, support) = best.next().filter(|_| best.next().is_none())?;
        let share = most as f64 / of_kind.len().max(1) as f64;
        let head = format!("{head} {}", code(&command));
        (share >= MIN_CHECK_SHARE && !covered_commands.contains(&command)).then(|| RecurringPattern {
            note: PatternNote::Fact { text: head.clone() },
            head,
            commands: vec![command],
            support,
        })
    };
    kinds.into_iter().filter_map(one).collect()
}
