//! Finds errors that come back, with the command or the file that ended them each time.

use std::collections::{BTreeMap, BTreeSet};

use super::pattern::{PatternNote, RecurringPattern};
use super::prerequisite::is_plausible;
use super::streak::{FailureStreak, StreakEnd, TraceStreaks};
use super::support::{Occurrence, PatternSupport};
use super::trace::SessionTrace;
use super::wording::{code, with_message};

/// What ended an error.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ErrorRemedy {
    Command(String),
    File(String),
    /// A line that was added to a file.
    Line(String),
}

/// Minimum number of letters of an added line that may end an error: `end` and `}` are in any change.
const MIN_ADDED_LINE_LETTERS: usize = 8;

/// Everything that was seen of one error and one remedy.
#[derive(Default)]
struct RecurringError<'t> {
    support: PatternSupport,
    streaks: Vec<(&'t SessionTrace, &'t FailureStreak<'t>, Option<&'t str>)>,
}

/// Programs that run tasks which the project defines.
const TASK_RUNNERS: [&str; 14] = [
    "make", "just", "task", "npm", "pnpm", "yarn", "bun", "rake", "mise", "gradle", "gradlew", "mvn",
    "composer", "mix",
];

/// Ends of the names of files with settings of build tools.
const SETTINGS_EXTENSIONS: [&str; 8] =
    [".properties", ".toml", ".yml", ".yaml", ".ini", ".cfg", ".conf", ".env"];

/// Returns a pattern for each error that one remedy ended, in several sessions or once without doubt.
pub fn error_fixes(traces: &[TraceStreaks<'_>]) -> Vec<RecurringPattern> {
    let mut found: BTreeMap<(String, ErrorRemedy), RecurringError<'_>> = BTreeMap::new();
    for TraceStreaks { trace, streaks, .. } in traces {
        for streak in streaks {
            let Some(signature) = streak.failure.signature.clone() else { continue };
            for (remedy, added) in remedy(streak).into_iter().chain(added_lines(streak)) {
                let one = found.entry((signature.clone(), remedy.clone())).or_default();
                let occurrence = Occurrence::new(trace, streak.first, quote(streak, &remedy));
                one.support.add(trace.conversation, occurrence);
                one.streaks.push((trace, streak, added));
            }
        }
    }
    let mut patterns: Vec<RecurringPattern> = Vec::new();
    let mut with_line: BTreeSet<String> = BTreeSet::new();
    for ((signature, remedy), one) in found {
        // Of several lines that ended an error together, one tells enough.
        let is_line = matches!(remedy, ErrorRemedy::Line(_));
        if is_line && with_line.contains(&signature) {
            continue;
        }
        let pattern = one.pattern(&remedy);
        if is_line && pattern.is_some() {
            with_line.insert(signature);
        }
        patterns.extend(pattern);
    }
    patterns
}

/// Returns the lines that were added between a failure and the run that passed, each as a remedy.
fn added_lines<'t>(streak: &FailureStreak<'t>) -> Vec<(ErrorRemedy, Option<&'t str>)> {
    if streak.end != StreakEnd::Passed || streak.changed || streak.failure.judged {
        return Vec::new();
    }
    let is_telling = |line: &&String| {
        line.chars().filter(|c| c.is_alphabetic()).count() >= MIN_ADDED_LINE_LETTERS
            && !line.starts_with(['#', '*', '<'])
            && !line.starts_with("//")
            && !line.starts_with("--")
    };
    let lines: BTreeSet<&String> =
        streak.edits.iter().flat_map(|(_, added)| *added).filter(is_telling).collect();
    lines.into_iter().map(|line| (ErrorRemedy::Line(line.clone()), None)).collect()
}

/// Returns the only command or the only file between a failure and the run that passed, with the line
/// that was added to the file.
fn remedy<'t>(streak: &FailureStreak<'t>) -> Option<(ErrorRemedy, Option<&'t str>)> {
    if streak.end == StreakEnd::Open || streak.changed {
        return None;
    }
    if streak.edits.is_empty() {
        let [only] = streak.between.as_slice() else { return None };
        let fits = is_plausible(only.command, streak.command);
        return fits.then(|| (ErrorRemedy::Command(only.command.key()), None));
    }
    let files: BTreeSet<&String> = streak.edits.iter().flat_map(|(paths, _)| *paths).collect();
    let added = match streak.edits.as_slice() {
        [(_, [added])] => Some(added.as_str()),
        _ => None,
    };
    let only = files.first().filter(|_| files.len() == 1 && streak.end == StreakEnd::Passed)?;
    Some((ErrorRemedy::File((*only).clone()), added))
}

fn quote(streak: &FailureStreak<'_>, remedy: &ErrorRemedy) -> String {
    let failed = format!("`{}` failed{}", streak.command.key(), with_message(streak.failure));
    match remedy {
        ErrorRemedy::Command(command) => format!("{failed}, and no longer after `{command}`"),
        ErrorRemedy::File(file) => format!("{failed}, and passed after a change of `{file}`"),
        ErrorRemedy::Line(line) => format!("{failed}, and passed after `{line}` was added"),
    }
}

fn is_settings(file: &str) -> bool {
    SETTINGS_EXTENSIONS.iter().any(|extension| file.ends_with(extension))
}

impl RecurringError<'_> {
    fn pattern(&self, remedy: &ErrorRemedy) -> Option<RecurringPattern> {
        let order = |one: &&(&SessionTrace, &FailureStreak<'_>, Option<&str>)| {
            (one.1.failure.message.is_none(), Occurrence::new(one.0, one.1.first, String::new()))
        };
        let (_, streak, added) = self.streaks.iter().min_by_key(order)?;
        let message = streak.failure.message.as_deref()?;
        let commands: BTreeSet<String> = self.streaks.iter().map(|(_, one, _)| one.command.key()).collect();
        let category = "debugging";
        let (head, note, mut commands) = match remedy {
            // One command that needs another one is a prerequisite.
            ErrorRemedy::Command(command) => {
                if self.support.count() < 2 || commands.len() < 2 {
                    return None;
                }
                let head = format!("When a command fails with \"{message}\"");
                let text = format!("{head}, run {}: it ended the error each time", code(command));
                (head, PatternNote::Rule { text, category }, vec![command.clone()])
            }
            // In one file, it is the file that is to be looked at.
            ErrorRemedy::Line(line) => {
                let files: BTreeSet<&[String]> =
                    self.streaks.iter().flat_map(|(_, one, _)| &one.edits).map(|(paths, _)| *paths).collect();
                if self.support.count() < 2 || files.len() < 2 {
                    return None;
                }
                let head = format!("When {} fails with \"{message}\"", code(&streak.command.key()));
                let text = format!("{head}, add {}: that ended the error each time", code(line));
                (head, PatternNote::Rule { text, category }, Vec::new())
            }
            ErrorRemedy::File(file) if self.support.count() >= 2 => {
                let head = format!("When {} fails with \"{message}\"", code(&streak.command.key()));
                let text =
                    format!("{head}, look at {} first: a change there ended the error each time", code(file));
                (head, PatternNote::Rule { text, category }, Vec::new())
            }
            ErrorRemedy::File(file) => {
                let program = streak.command.words().first().map_or("", |word| word.trim_start_matches("./"));
                // A check that fails because of the code is mended by the code.
                let is_of_code = streak.command.work.is_check() && !is_settings(file);
                let is_task = TASK_RUNNERS.contains(&program) && !is_of_code;
                let added = added.filter(|_| is_task && !streak.failure.judged)?;
                let head = format!("{} failed{}", code(&streak.command.key()), with_message(streak.failure));
                let text = format!("{head} until {} was added to {}", code(added), code(file));
                (head, PatternNote::Fix { text }, Vec::new())
            }
        };
        commands.push(streak.command.key());
        Some(RecurringPattern { head, note, commands, support: self.support.clone() })
    }
}
