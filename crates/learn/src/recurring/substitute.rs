//! Finds commands that are used in place of another one: it fails, and one of the same purpose passes.

use std::collections::{BTreeMap, BTreeSet};

use super::command::TracedCommand;
use super::pattern::{PatternNote, RecurringPattern};
use super::replacement::{Replacement, does_less, exchanged_value, how};
use super::streak::{FailureStreak, StreakEnd, TraceStreaks};
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind};
use super::wording::{category, code, with_message};

/// A command that failed and the one that passed in its place.
struct SubstitutedCommand<'t> {
    failed: &'t TracedCommand,
    used: &'t TracedCommand,
    how: Replacement,
    streaks: Vec<(&'t SessionTrace, &'t FailureStreak<'t>)>,
    support: PatternSupport,
}

/// Returns a pattern for each command that is better replaced by another one.
pub fn substitutes(traces: &[&SessionTrace], streaks: &[TraceStreaks<'_>]) -> Vec<RecurringPattern> {
    let mut found: BTreeMap<(String, String), SubstitutedCommand<'_>> = BTreeMap::new();
    let mut passing: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for trace in traces {
        for step in &trace.steps {
            if let TracedKind::Passed { command } = &step.kind {
                passing.entry(command.key()).or_default().insert(trace.conversation);
            }
        }
    }
    for TraceStreaks { trace, streaks, .. } in streaks {
        for streak in streaks {
            let Some((used, how)) = replacement(streak) else { continue };
            let failed = streak.command;
            let entry = found.entry((failed.key(), used.key())).or_insert_with(|| SubstitutedCommand {
                failed,
                used,
                how,
                streaks: Vec::new(),
                support: PatternSupport::default(),
            });
            let quote = format!(
                "`{}` failed{}, then `{}` passed",
                failed.key(),
                with_message(streak.failure),
                used.key()
            );
            entry.support.add(trace.conversation, Occurrence::new(trace, streak.first, quote));
            entry.streaks.push((trace, streak));
        }
    }
    let patterns = found.into_values().filter_map(|mut one| {
        let passed = passing.get(&one.failed.key());
        passed.into_iter().flatten().for_each(|conversation| one.support.oppose(*conversation));
        one.pattern()
    });
    patterns.collect()
}

/// Returns the command that passed in place of a failed one, if it was the next to pass, no file had
/// changed, and the failed one did not pass without a change.
pub(super) fn replacement<'t>(streak: &FailureStreak<'t>) -> Option<(&'t TracedCommand, Replacement)> {
    if streak.end == StreakEnd::Passed && streak.is_without_changes() {
        return None;
    }
    let next = streak.between.first().filter(|one| !one.after_change && one.command.reusable)?;
    let how = how(streak.command, next.command)?;
    // Another value is the way out only if the error is about the value.
    if how == Replacement::Value && !names_value(streak, next.command) {
        return None;
    }
    (how == Replacement::Assignments || !streak.failure.judged).then_some((next.command, how))
}

/// Whether the error message has the value that `used` replaces, as a word.
fn names_value(streak: &FailureStreak<'_>, used: &TracedCommand) -> bool {
    let message = streak.failure.message.as_deref().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || ['-', '_', '.'].contains(&c);
    exchanged_value(streak.command, used)
        .filter(|value| value.chars().count() > 1)
        .is_some_and(|value| message.split(|c| !is_part(c)).any(|word| word.trim_matches('.') == value))
}

impl SubstitutedCommand<'_> {
    /// Whether the error message names a flag that was added.
    fn names_flag(&self, streak: &FailureStreak<'_>) -> bool {
        let message = streak.failure.message.as_deref().unwrap_or_default();
        let old = self.failed.words();
        let added =
            self.used.words().into_iter().filter(|word| word.starts_with("--") && !old.contains(word));
        self.how == Replacement::Flags && added.into_iter().any(|flag| message.contains(flag))
    }

    fn pattern(&self) -> Option<RecurringPattern> {
        let order = |one: &&(&SessionTrace, &FailureStreak<'_>)| {
            let (trace, streak) = one;
            (streak.failure.message.is_none(), Occurrence::new(trace, streak.first, String::new()))
        };
        let (_, streak) = self.streaks.iter().min_by_key(order)?;
        let (failed, used) = (self.failed.key(), self.used.key());
        let message = with_message(streak.failure);
        let signatures: BTreeSet<_> =
            self.streaks.iter().map(|(_, streak)| &streak.failure.signature).collect();
        let one_error = signatures.len() == 1 && streak.failure.signature.is_some();
        // A command that also passes by itself needs no replacement.
        if self.support.count_against() >= self.support.count() {
            return None;
        }
        let is_doubtful = streak.failure.judged
            || match self.how {
                Replacement::Flags => !self.names_flag(streak) && does_less(self.failed, self.used),
                Replacement::Other => true,
                Replacement::Assignments | Replacement::Program | Replacement::Value => false,
            };
        let (head, note) = if self.support.count() >= 2 {
            if is_doubtful && !one_error {
                return None;
            }
            let head = match self.how {
                Replacement::Assignments => format!("Run {}, not plain {}", code(&used), code(&failed)),
                _ => format!("Use {}, not {}", code(&used), code(&failed)),
            };
            let text = format!("{head}, which failed{message}");
            (head, PatternNote::Rule { text, category: category(self.used.work) })
        } else {
            if is_doubtful || message.is_empty() {
                return None;
            }
            let head = format!("{} failed{message}", code(&failed));
            let text = format!("{head}; {} worked instead", code(&used));
            (head, PatternNote::Fix { text })
        };
        Some(RecurringPattern { head, note, commands: vec![used, failed], support: self.support.clone() })
    }
}
