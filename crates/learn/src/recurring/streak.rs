//! Follows a command from its first failure to the run in which that failure is gone.

use super::command::TracedCommand;
use super::explanation::marks_cause;
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
    /// Paths and added lines of each edit meanwhile.
    pub edits: Vec<(&'t [String], &'t [String])>,
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

/// A trace with the streaks of its comparable commands, in the order of their first failures.
#[derive(Debug)]
pub struct TraceStreaks<'t> {
    pub trace: &'t SessionTrace,
    pub streaks: Vec<FailureStreak<'t>>,
    /// Streaks of commands that no other session runs, such as `./convert /tmp/a.csv`.
    pub one_off: Vec<FailureStreak<'t>>,
}

impl<'t> TraceStreaks<'t> {
    /// Finds the streaks of a trace.
    pub fn of(trace: &'t SessionTrace) -> Self {
        let mut one_off = streaks(trace, |_| true);
        one_off.retain(|streak| !streak.command.comparable);
        Self { trace, streaks: streaks(trace, |command| command.comparable), one_off }
    }
}

/// Finds the streaks of the commands that `is_followed` selects, in the order of their first failures.
fn streaks(trace: &SessionTrace, is_followed: fn(&TracedCommand) -> bool) -> Vec<FailureStreak<'_>> {
    if !trace.steps.iter().any(|step| matches!(step.kind, TracedKind::Failed { .. })) {
        return Vec::new();
    }
    let mut follower = StreakFollower { is_followed, done: Vec::new(), open: Vec::new(), just_passed: false };
    trace.steps.iter().for_each(|step| follower.follow(step));
    let StreakFollower { mut done, open, .. } = follower;
    done.extend(open);
    done.sort_by_key(|streak| streak.first.line);
    done
}

/// The streaks of a trace up to a step.
struct StreakFollower<'t> {
    is_followed: fn(&TracedCommand) -> bool,
    done: Vec<FailureStreak<'t>>,
    open: Vec<FailureStreak<'t>>,
    /// Whether the last streak of `done` just passed. Its command may have passed again since.
    just_passed: bool,
}

impl<'t> StreakFollower<'t> {
    fn follow(&mut self, step: &'t TracedStep) {
        match &step.kind {
            TracedKind::Explained { text } => return self.explained(text),
            TracedKind::ExplainedReplacement { .. }
            | TracedKind::NamedCause { .. }
            | TracedKind::TookHint { .. } => return,
            TracedKind::Passed { command } if self.is_last_repaired(command) => {}
            _ => self.just_passed = false,
        }
        match &step.kind {
            TracedKind::Passed { command } => self.passed(command, step.line),
            TracedKind::Failed { command, failure } if (self.is_followed)(command) => {
                self.failed(command, failure, step)
            }
            TracedKind::Edited { paths, added } => {
                self.open.iter_mut().for_each(|streak| streak.edits.push((paths, added)));
            }
            TracedKind::Changed => self.open.iter_mut().for_each(|streak| streak.changed = true),
            _ => {}
        }
    }

    /// Whether a command is that of the last streak of `done`.
    fn is_last_repaired(&self, command: &TracedCommand) -> bool {
        self.done.last().is_some_and(|streak| is_same(streak.command, command))
    }

    /// Adds an explanation to the streak that it is about. Of several it is not known which one is meant.
    fn explained(&mut self, text: &'t str) {
        let passed = if self.just_passed { self.done.last_mut() } else { None };
        let mut meant = passed.into_iter().chain(&mut self.open);
        if let (Some(streak), None) = (meant.next(), meant.next()) {
            // What names a cause counts for more than what is said of it later.
            if !streak.explanation.is_some_and(marks_cause) || marks_cause(text) {
                streak.explanation = Some(text);
            }
        }
    }

    fn passed(&mut self, command: &'t TracedCommand, line: u64) {
        if let Some(streak) = self.take(command) {
            self.just_passed = self.end(streak, command, (StreakEnd::Passed, line));
        }
        for streak in &mut self.open {
            let after_change = !streak.is_without_changes();
            streak.between.push(CommandBetween { command, after_change, line });
        }
    }

    fn failed(&mut self, command: &'t TracedCommand, failure: &'t CommandFailure, step: &'t TracedStep) {
        let again = self.open.iter_mut().find(|streak| is_same(streak.command, command));
        if let Some(streak) = again.filter(|streak| is_same_error(streak.failure, failure)) {
            streak.in_vain = streak.between.len();
            streak.explanation = None;
            return;
        }
        if let Some(streak) = self.take(command) {
            self.end(streak, command, (StreakEnd::OtherError, step.line));
        }
        self.open.push(FailureStreak {
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

    /// Removes the open streak of a command.
    fn take(&mut self, command: &TracedCommand) -> Option<FailureStreak<'t>> {
        let own = self.open.iter().position(|streak| is_same(streak.command, command))?;
        Some(self.open.remove(own))
    }

    /// Ends a streak at a line, and returns whether it counts: in another folder, `command` is another one.
    fn end(
        &mut self,
        streak: FailureStreak<'t>,
        command: &TracedCommand,
        (end, line): (StreakEnd, u64),
    ) -> bool {
        let is_same_folder = streak.command.folder == command.folder;
        if is_same_folder {
            self.done.push(FailureStreak { end, ended_at: Some(line), ..streak });
        }
        is_same_folder
    }
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
