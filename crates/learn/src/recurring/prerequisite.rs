//! Finds commands that another command needs: it fails, they run, and it passes or fails differently.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::command::TracedCommand;
use super::pattern::{PatternNote, RecurringPattern};
use super::signature::without_names;
use super::streak::{FailureStreak, StreakEnd, TraceStreaks};
use super::support::{Occurrence, PatternSupport};
use super::trace::SessionTrace;
use super::wording::{category, code, with_message};
use crate::outcome::shell::CommandKind;

/// Maximum number of commands that one pattern asks for.
const MAX_PREREQUISITE_COMMANDS: usize = 2;

/// All that was seen of one command that failed with one error.
#[derive(Default)]
struct FailingCommand<'t> {
    /// Support of each command that ran before it passed, by its key.
    before: BTreeMap<String, PatternSupport>,
    /// Sessions in which the command failed and passed without anything in between.
    unstable: BTreeSet<u64>,
    /// Streaks that ended, with their traces.
    ended: Vec<(&'t SessionTrace, &'t FailureStreak<'t>)>,
}

/// Returns a pattern for each command that repeatedly, or once without doubt, needed another one.
pub fn prerequisites(traces: &[TraceStreaks<'_>]) -> Vec<RecurringPattern> {
    // One command may need different things: its errors tell them apart.
    let mut failing: BTreeMap<(String, Option<&str>), FailingCommand<'_>> = BTreeMap::new();
    // What helps against a missing column may help against a missing table: these errors differ in names only.
    let mut failing_alike: BTreeMap<(String, Cow<'_, str>), FailingCommand<'_>> = BTreeMap::new();
    for TraceStreaks { trace, streaks, .. } in traces {
        for streak in streaks {
            let error = streak.failure.signature.as_deref().or(streak.failure.message.as_deref());
            failing.entry((streak.command.key(), error)).or_default().take(trace, streak);
            if let Some(signature) = &streak.failure.signature {
                let kind = (streak.command.key(), without_names(signature));
                failing_alike.entry(kind).or_default().take(trace, streak);
            }
        }
    }
    let alike = failing_alike.into_iter();
    let alike: Vec<RecurringPattern> =
        alike.filter_map(|((key, _), command)| command.recurring(&key)).collect();
    let is_rule = |one: &RecurringPattern| alike.iter().any(|rule| rule.commands == one.commands);
    let found = failing.into_iter().flat_map(|((key, _), command)| command.pattern(&key));
    let found = found.filter(|one| !(matches!(one.note, PatternNote::Fix { .. }) && is_rule(one)));
    let found = found.chain(alike.iter().cloned());
    let mut patterns: Vec<RecurringPattern> = Vec::new();
    for pattern in found {
        match patterns.iter_mut().find(|one| one.head == pattern.head) {
            Some(one) if one.support.count() < pattern.support.count() => *one = pattern,
            Some(_) => {}
            None => patterns.push(pattern),
        }
    }
    patterns
}

/// Returns whether a command could have made another one pass. A test, commit or push makes nothing
/// pass, and neither does the same command with fewer or more operands.
pub(super) fn is_plausible(before: &TracedCommand, command: &TracedCommand) -> bool {
    use CommandKind::{Commit, Push, Revert, Test};
    let (before_words, words) = (before.operands(), command.operands());
    let is_same = before.words().first() == command.words().first()
        && (before_words.is_subset(&words) || words.is_subset(&before_words));
    before.reusable
        && !is_same
        && !matches!(before.work, Test | Commit | Push | Revert)
        && !before.text.ends_with(&command.text)
}

impl<'t> FailingCommand<'t> {
    fn take(&mut self, trace: &'t SessionTrace, streak: &'t FailureStreak<'t>) {
        if !streak.is_without_changes() {
            return;
        }
        let plausible: Vec<String> = distinct_keys(
            streak.between.iter().map(|one| one.command).filter(|one| is_plausible(one, streak.command)),
        );
        if streak.end == StreakEnd::Open {
            let in_vain = streak.between.iter().take(streak.in_vain).map(|one| one.command.key());
            in_vain.for_each(|key| self.before.entry(key).or_default().oppose(trace.conversation));
            return;
        }
        if streak.between.is_empty() {
            self.unstable.insert(trace.conversation);
            return;
        }
        for key in &plausible {
            let occurrence = Occurrence::new(trace, streak.first, quote(streak, key));
            self.before.entry(key.clone()).or_default().add(trace.conversation, occurrence);
        }
        self.ended.push((trace, streak));
    }

    fn pattern(&self, key: &str) -> Option<RecurringPattern> {
        match self.most_support() {
            Some(_) => self.recurring(key),
            None => self.single(key),
        }
    }

    /// Returns the largest number of sessions in which one command helped, if that is two or more.
    fn most_support(&self) -> Option<usize> {
        self.before.values().map(PatternSupport::count).max().filter(|most| *most >= 2)
    }

    /// Returns the pattern of the commands that helped in the most sessions, at least two.
    fn recurring(&self, key: &str) -> Option<RecurringPattern> {
        let most = self.most_support()?;
        let best = self.before.iter().filter(|(_, support)| support.count() == most);
        let (_, first) = best.min_by_key(|(before, _)| self.position(before))?;
        let sessions = first.conversations();
        let together = self.before.iter().filter(|(_, one)| one.conversations() == sessions);
        let mut needed: Vec<&String> = together.map(|(before, _)| before).collect();
        needed.sort_by_key(|before| self.position(before));
        let passed = self.ended.iter().any(|(_, streak)| streak.end == StreakEnd::Passed);
        // A command that as often passes when it is merely run again fails by chance.
        if needed.len() > MAX_PREREQUISITE_COMMANDS || self.unstable.len() >= most || !passed {
            return None;
        }
        let mut support = first.clone();
        self.unstable.iter().for_each(|conversation| support.oppose(*conversation));
        let (_, streak) = self.earliest()?;
        let head = format!("Run {} before {}", join_commands(&needed, ", then "), code(key));
        let text = format!("{head}: without it, it failed{}", with_message(streak.failure));
        Some(RecurringPattern {
            head,
            note: PatternNote::Rule { text, category: category(streak.command.work) },
            commands: needed.iter().map(|one| (*one).clone()).chain([key.to_owned()]).collect(),
            support,
        })
    }

    /// Returns a fix to remember if the command was seen to need another one in one session only.
    fn single(&self, key: &str) -> Option<RecurringPattern> {
        let sure = |streak: &&(&SessionTrace, &FailureStreak<'_>)| {
            let (_, streak) = streak;
            let all = streak.between.iter().all(|one| is_plausible(one.command, streak.command));
            streak.end == StreakEnd::Passed
                && all
                && !streak.failure.judged
                && streak.failure.message.is_some()
        };
        let (trace, streak) = self.ended.iter().find(sure)?;
        let needed = distinct_keys(streak.between.iter().map(|one| one.command));
        let needed: Vec<&String> = needed.iter().collect();
        if needed.len() > MAX_PREREQUISITE_COMMANDS || !self.unstable.is_empty() {
            return None;
        }
        let head = format!("{} failed{}", code(key), with_message(streak.failure));
        let was = if needed.len() == 1 { "was" } else { "were" };
        let text = format!("{head} until {} {was} run", join_commands(&needed, " and "));
        let mut support = PatternSupport::default();
        let quote = quote(streak, &joined_keys(&needed));
        support.add(trace.conversation, Occurrence::new(trace, streak.first, quote));
        Some(RecurringPattern {
            head,
            note: PatternNote::Fix { text },
            commands: needed.iter().map(|one| (*one).clone()).chain([key.to_owned()]).collect(),
            support,
        })
    }

    /// Returns the streak that ended first in time.
    fn earliest(&self) -> Option<&(&'t SessionTrace, &'t FailureStreak<'t>)> {
        let order = |one: &&(&SessionTrace, &FailureStreak<'_>)| {
            let (trace, streak) = one;
            // An error that can be quoted comes before one that cannot.
            (streak.failure.message.is_none(), Occurrence::new(trace, streak.first, String::new()))
        };
        self.ended.iter().min_by_key(order)
    }

    /// Returns the first position at which a command ran between failure and success, in any session.
    fn position(&self, key: &str) -> usize {
        let at = |(_, streak): &(&SessionTrace, &FailureStreak<'_>)| {
            streak.between.iter().position(|one| one.command.key() == key)
        };
        self.ended.iter().filter_map(at).min().unwrap_or(usize::MAX)
    }
}

fn distinct_keys<'c>(commands: impl Iterator<Item = &'c TracedCommand>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in commands.map(TracedCommand::key) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn join_commands(commands: &[&String], by: &str) -> String {
    commands.iter().map(|one| code(one)).collect::<Vec<_>>().join(by)
}

fn joined_keys(commands: &[&String]) -> String {
    commands.iter().map(|one| one.as_str()).collect::<Vec<_>>().join("`, `")
}

fn quote(streak: &FailureStreak<'_>, before: &str) -> String {
    let command = streak.command.key();
    let end = match streak.end {
        StreakEnd::Passed => "passed",
        StreakEnd::OtherError | StreakEnd::Open => "failed for another reason",
    };
    format!("`{command}` failed{}, `{before}` ran, then `{command}` {end}", with_message(streak.failure))
}
