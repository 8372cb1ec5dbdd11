//! Follows a command from its first failure to the run in which that failure is gone.

use super::command::TracedCommand;
use super::signature::CommandFailure;
use super::trace::{SessionTrace, TracedKind, TracedStep};

/// Runs of one command that failed with one error, and what happened between them and the next run
/// with another result.
#[derive(Debug)]
pub struct FailureStreak<'t> {
    pub command: &'t TracedCommand,
    pub failure: &'t CommandFailure,
    /// The first failed run.
    pub first: &'t TracedStep,
    /// Other commands that succeeded meanwhile, in order.
    pub between: Vec<CommandBetween<'t>>,
    /// Paths and added line of each edit meanwhile.
    pub edits: Vec<(&'t [String], Option<&'t str>)>,
    /// Whether files changed in a way that cannot be followed.
    pub changed: bool,
    /// Number of commands in `between` after which the command failed again with the same error.
    pub in_vain: usize,
    /// The agent's last explanation, given since the command last failed or right after it passed.
    pub explanation: Option<&'t str>,
    pub end: StreakEnd,
    /// Line of the run that ended the streak, from 1; `None` while it is open.
    pub ended_at: Option<u64>,
}

/// A command that succeeded after another one had failed.
#[derive(Debug, Clone, Copy)]
pub struct CommandBetween<'t> {
    pub command: &'t TracedCommand,
    /// Whether files had changed before it.
    pub after_change: bool,
    /// Line in the log, from 1.
    pub line: u64,
}

/// How a streak of failures ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreakEnd {
    /// The command succeeded.
    Passed,
    /// The command failed with another error.
    OtherError,
    /// The command was not run again.
    Open,
}

impl FailureStreak<'_> {
    /// Returns whether no file changed during the streak.
    pub fn is_without_changes(&self) -> bool {
        self.edits.is_empty() && !self.changed
    }
}

/// A trace with the streaks of its reusable commands, in the order of their first failures.
#[derive(Debug)]
pub struct TraceStreaks<'t> {
    pub trace: &'t SessionTrace,
    pub streaks: Vec<FailureStreak<'t>>,
}

impl<'t> TraceStreaks<'t> {
    /// Finds the streaks of a trace.
    pub fn of(trace: &'t SessionTrace) -> Self {
        Self { trace, streaks: streaks(trace) }
    }
}

fn streaks(trace: &SessionTrace) -> Vec<FailureStreak<'_>> {
    if !trace.steps.iter().any(|step| matches!(step.kind, TracedKind::Failed { .. })) {
        return Vec::new();
    }
    let mut done: Vec<FailureStreak<'_>> = Vec::new();
    let mut open: Vec<FailureStreak<'_>> = Vec::new();
    // The streaks that the step before ended.
    let mut just_done = 0..0;
    for step in &trace.steps {
        if !matches!(step.kind, TracedKind::Explained { .. }) {
            just_done = done.len()..done.len();
        }
        match &step.kind {
            TracedKind::Explained { text } => {
                let mut meant = done[just_done.clone()].iter_mut().chain(&mut open);
                // Of several failures it is not known which one is meant.
                if let (Some(streak), None) = (meant.next(), meant.next()) {
                    streak.explanation = Some(text);
                }
            }
            TracedKind::Passed { command } => {
                let own = open.iter().position(|streak| is_same(streak.command, command));
                if let Some(streak) = own.map(|own| open.remove(own)) {
                    // In another folder it is another command.
                    if streak.command.folder == command.folder {
                        done.push(FailureStreak {
                            end: StreakEnd::Passed,
                            ended_at: Some(step.line),
                            ..streak
                        });
                        just_done = done.len() - 1..done.len();
                    }
                }
                for streak in &mut open {
                    let after_change = !streak.is_without_changes();
                    streak.between.push(CommandBetween { command, after_change, line: step.line });
                }
            }
            TracedKind::Failed { command, failure } if command.reusable => {
                let own = open.iter().position(|streak| is_same(streak.command, command));
                match own {
                    Some(own) if is_same_error(open[own].failure, failure) => {
                        open[own].in_vain = open[own].between.len();
                        open[own].explanation = None;
                        continue;
                    }
                    Some(own) => {
                        let streak = open.remove(own);
                        if streak.command.folder == command.folder {
                            done.push(FailureStreak {
                                end: StreakEnd::OtherError,
                                ended_at: Some(step.line),
                                ..streak
                            });
                        }
                    }
                    None => {}
                }
                open.push(FailureStreak {
                    command,
                    failure,
                    first: step,
                    between: Vec::new(),
                    edits: Vec::new(),
                    changed: false,
                    in_vain: 0,
                    explanation: None,
                    end: StreakEnd::Open,
                    ended_at: None,
                });
            }
            TracedKind::Failed { .. } => {}
            TracedKind::Edited { paths, added } => {
                open.iter_mut().for_each(|streak| streak.edits.push((paths, added.as_deref())));
            }
            TracedKind::Changed => open.iter_mut().for_each(|streak| streak.changed = true),
        }
    }
    done.extend(open);
    done.sort_by_key(|streak| streak.first.line);
    done
}

fn is_same(one: &TracedCommand, other: &TracedCommand) -> bool {
    one.text == other.text && one.env == other.env
}

fn is_same_error(one: &CommandFailure, other: &CommandFailure) -> bool {
    match (&one.signature, &other.signature) {
        (Some(one), Some(other)) => one == other,
        _ => one.message == other.message,
    }
}
