//! Finds assignments, flags and runners that a program needs here: without them it fails, with them it passes, and later
//! sessions use them from the start.

use std::collections::{BTreeMap, BTreeSet};

use super::command::TracedCommand;
use super::pattern::{PatternNote, RecurringPattern};
use super::replacement::{Replacement, added_words};
use super::signature::CommandFailure;
use super::streak::TraceStreaks;
use super::substitute::replacement;
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind, TracedStep};
use super::wording::{category, code, with_message};
use cm_note::instant::Instant;

/// The addition to a command, such as `JAVA_HOME=/opt/jdk-17`, `--profiles-dir .` or the runner `mise exec --`, by the
/// program that needs it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NeededOption {
    program: String,
    how: Replacement,
    words: Vec<String>,
}

/// A command that failed without an option and the one that passed with it.
struct Need<'t> {
    trace: &'t SessionTrace,
    step: &'t TracedStep,
    failed: &'t TracedCommand,
    used: &'t TracedCommand,
    failure: &'t CommandFailure,
}

/// An option that a program no longer needs: without it the command passes now.
pub struct OutlivedOption {
    /// Beginning of the rule that recommends the option.
    pub head: String,
    /// The conversations since the last one with the option, each with the first command that passed without it.
    pub since: PatternSupport,
}

/// Number of conversations in which a command passes without an option, after the last one with it, that end the need
/// for it.
const MIN_CONVERSATIONS_WITHOUT: usize = 2;

/// Returns the options that are no longer needed.
pub fn outlived_options(traces: &[&SessionTrace], streaks: &[TraceStreaks<'_>]) -> Vec<OutlivedOption> {
    needs_by_option(streaks).iter().filter_map(|(option, needs)| option.outlived(needs, traces)).collect()
}

/// Adds a pattern for each option that was needed once and is used in another session, too. It takes the place of
/// those of single commands with the option.
pub fn add_needed_options(
    traces: &[&SessionTrace],
    streaks: &[TraceStreaks<'_>],
    patterns: &mut Vec<RecurringPattern>,
) {
    for (option, needs) in needs_by_option(streaks) {
        if option.outlived(&needs, traces).is_some() {
            continue;
        }
        let Some(pattern) = option.pattern(&needs, traces) else { continue };
        let is_of_option = |one: &RecurringPattern| {
            needs.iter().any(|need| one.commands == [need.used.key(), need.failed.key()])
        };
        patterns.retain(|one| !is_of_option(one));
        patterns.push(pattern);
    }
}

/// Returns the commands that failed without an option and passed with it, by option.
fn needs_by_option<'t>(streaks: &'t [TraceStreaks<'_>]) -> BTreeMap<NeededOption, Vec<Need<'t>>> {
    let mut found: BTreeMap<NeededOption, Vec<Need<'_>>> = BTreeMap::new();
    for TraceStreaks { trace, streaks, .. } in streaks {
        for streak in streaks {
            let Some((used, how)) = replacement(streak) else { continue };
            let Some(option) = NeededOption::of(streak.command, used, how) else { continue };
            let (step, failed, failure) = (streak.first, streak.command, streak.failure);
            found.entry(option).or_default().push(Need { trace, step, failed, used, failure });
        }
    }
    found
}

impl NeededOption {
    fn of(failed: &TracedCommand, used: &TracedCommand, how: Replacement) -> Option<Self> {
        let program = own_words(failed).first().map(|word| (*word).to_owned())?;
        let words = match how {
            Replacement::Assignments => {
                used.env.iter().filter(|pair| !failed.env.contains(pair)).cloned().collect()
            }
            Replacement::Flags => added_words(failed, used),
            Replacement::Program => {
                let (old, new) = (failed.words(), used.words());
                let before = new.strip_suffix(old.as_slice()).filter(|before| !before.is_empty())?;
                before.iter().map(|word| (*word).to_owned()).collect()
            }
            Replacement::Value | Replacement::Other => return None,
        };
        Some(Self { program, how, words })
    }

    /// Returns the words of a command of the program that has the option, from the program on; `None` for other
    /// commands.
    fn words_with<'c>(&self, command: &'c TracedCommand) -> Option<Vec<&'c str>> {
        let (words, length) = (command.words(), self.words.len());
        let (has_option, own) = match self.how {
            Replacement::Program => {
                (words.len() > length && words[..length] == self.words, words.get(length..)?.to_vec())
            }
            Replacement::Assignments => {
                (self.words.iter().all(|pair| command.env.contains(pair)), own_words(command))
            }
            _ => (words.windows(length).any(|part| part == self.words), own_words(command)),
        };
        (has_option && own.first().is_some_and(|word| *word == self.program)).then_some(own)
    }

    /// Returns the order to use the option: "Add `--profiles-dir .` to".
    fn order(&self) -> String {
        let (before, between) = match self.how {
            Replacement::Assignments => ("Set", "for"),
            Replacement::Program => ("Put", "before"),
            _ => ("Add", "to"),
        };
        format!("{before} {} {between}", code(&self.words.join(" ")))
    }

    /// Returns the beginning of a rule with the program alone, because further sessions may show that other subcommands
    /// need the option, too.
    fn head(&self) -> String {
        format!("{} `{}", self.order(), self.program)
    }

    /// Returns the option with the conversations after the last one that used or needed it, if the command passed without
    /// it in at least [`MIN_CONVERSATIONS_WITHOUT`] of them.
    fn outlived(&self, needs: &[Need<'_>], traces: &[&SessionTrace]) -> Option<OutlivedOption> {
        let mut forms: Vec<Vec<&str>> = needs.iter().map(|need| own_words(need.failed)).collect();
        let mut last: Option<Instant> = needs.iter().filter_map(|need| time(need.trace, need.step)).max();
        for (trace, step, command) in passed(traces) {
            let Some(words) = self.words_with(command) else { continue };
            last = last.max(time(trace, step));
            forms.push(words);
        }
        let (common, last) = (common_beginning(&forms)?, last?);
        let mut since = PatternSupport::default();
        for (trace, step, command) in passed(traces) {
            let is_later = time(trace, step).is_some_and(|at| at > last);
            if is_later && self.words_with(command).is_none() && own_words(command).starts_with(&common) {
                let quote = format!("`{}` passed without {}", command.key(), code(&self.words.join(" ")));
                since.add(trace.conversation, Occurrence::new(trace, step, quote));
            }
        }
        (since.count() >= MIN_CONVERSATIONS_WITHOUT).then(|| OutlivedOption { head: self.head(), since })
    }

    fn pattern(&self, needs: &[Need<'_>], traces: &[&SessionTrace]) -> Option<RecurringPattern> {
        let order = |need: &&Need<'_>| {
            (need.failure.message.is_none(), Occurrence::new(need.trace, need.step, String::new()))
        };
        let first = needs.iter().min_by_key(order)?;
        let pairs: BTreeSet<(String, String)> =
            needs.iter().map(|need| (need.failed.key(), need.used.key())).collect();
        let conversations: BTreeSet<u64> = needs.iter().map(|need| need.trace.conversation).collect();
        let mut support = PatternSupport::default();
        for need in needs {
            let (failed, used) = (need.failed.key(), need.used.key());
            let quote = format!("`{failed}` failed{}, then `{used}` passed", with_message(need.failure));
            support.add(need.trace.conversation, Occurrence::new(need.trace, need.step, quote));
        }
        let mut forms: Vec<Vec<&str>> = needs.iter().map(|need| own_words(need.failed)).collect();
        for (trace, step, command) in passed(traces).filter(|(.., command)| command.reusable) {
            let Some(words) = self.words_with(command) else { continue };
            forms.push(words);
            let quote = format!("`{}` passed", command.key());
            support.add(trace.conversation, Occurrence::new(trace, step, quote));
        }
        let common = common_beginning(&forms)?;
        for (trace, _, command) in passed(traces).filter(|(.., command)| self.words_with(command).is_none()) {
            if own_words(command).starts_with(&common) {
                support.oppose(trace.conversation);
            }
        }
        // One command that failed in several sessions has a better replacement: the whole other command.
        let is_substitute = pairs.len() == 1 && conversations.len() > 1;
        if support.count() < 2 || support.count_against() >= support.count() || is_substitute {
            return None;
        }
        let text = format!(
            "{} {}: without it, it failed{}",
            self.order(),
            code(&common.join(" ")),
            with_message(first.failure)
        );
        Some(RecurringPattern {
            head: self.head(),
            note: PatternNote::Rule { text, category: category(first.used.work) },
            commands: vec![first.used.key(), first.failed.key()],
            support,
        })
    }
}

/// Returns the words of a command without what prepares for it, such as `module load R/4.4.2 &&`.
fn own_words(command: &TracedCommand) -> Vec<&str> {
    let words = command.words();
    let from = words.iter().rposition(|word| *word == "&&").map_or(0, |at| at + 1);
    words[from..].to_vec()
}

/// Time of a step, else the end of its session.
fn time(trace: &SessionTrace, step: &TracedStep) -> Option<Instant> {
    step.at.or(trace.ended)
}

fn passed<'t>(
    traces: &[&'t SessionTrace],
) -> impl Iterator<Item = (&'t SessionTrace, &'t TracedStep, &'t TracedCommand)> {
    let steps = traces.iter().flat_map(|trace| trace.steps.iter().map(move |step| (*trace, step)));
    steps.filter_map(|(trace, step)| match &step.kind {
        TracedKind::Passed { command } => Some((trace, step, command)),
        _ => None,
    })
}

/// Returns the words with which all commands begin, up to the first flag; `None` if there are none.
fn common_beginning<'c>(commands: &[Vec<&'c str>]) -> Option<Vec<&'c str>> {
    let (first, others) = commands.split_first()?;
    let is_common = |at: &usize| others.iter().all(|words| words.get(*at) == first.get(*at));
    let length = (0..first.len()).take_while(is_common).count();
    let length = first[..length].iter().position(|word| word.starts_with('-')).unwrap_or(length);
    (length > 0).then(|| first[..length].to_vec())
}
