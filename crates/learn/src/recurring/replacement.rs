//! Decides from their words whether a command can stand for another one.

use super::command::TracedCommand;
use crate::outcome::shell::CommandKind;

/// Minimum number of arguments that show that two subcommands are for one purpose.
const MIN_SHARED_ARGUMENTS: usize = 2;

/// How a command replaces another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Replacement {
    /// The same command with further assignments.
    Assignments,
    /// Another program, or the same one run by another, for the same purpose.
    Program,
    /// The same command with additional flags; each may have a value.
    Flags,
    /// The same command with another value of one option, such as another device or region.
    Value,
    /// Another program with an operand of the failed command, such as the same folder.
    Other,
}

/// Whether two commands are forms of one: the same one with other words, or another one for the same purpose.
pub(super) fn are_alike(failed: &TracedCommand, used: &TracedCommand) -> bool {
    let has_purpose = failed.work == used.work && failed.work != CommandKind::Other;
    failed.name == used.name || has_purpose || shares_arguments(failed, used) || how(failed, used).is_some()
}

/// Whether two commands of one program differ in the subcommand only, such as `cargo build` and `cargo zigbuild`, and have
/// at least [`MIN_SHARED_ARGUMENTS`] arguments.
fn shares_arguments(failed: &TracedCommand, used: &TracedCommand) -> bool {
    match (failed.words().as_slice(), used.words().as_slice()) {
        ([old_program, _, old @ ..], [program, _, new @ ..]) => {
            old_program == program && old.len() >= MIN_SHARED_ARGUMENTS && old == new
        }
        _ => false,
    }
}

/// Returns how a command replaces another one; `None` if it does not.
pub(super) fn how(failed: &TracedCommand, used: &TracedCommand) -> Option<Replacement> {
    if [failed.work, used.work].iter().any(|work| matches!(work, CommandKind::Commit | CommandKind::Push)) {
        return None;
    }
    if failed.text == used.text {
        let adds = failed.env.iter().all(|pair| used.env.contains(pair)) && used.env.len() > failed.env.len();
        return adds.then_some(Replacement::Assignments);
    }
    let (old, new) = (failed.words(), used.words());
    let (Some((_, old_rest)), Some((_, new_rest))) = (old.split_first(), new.split_first()) else {
        return None;
    };
    let wraps = new.ends_with(&old) || old.ends_with(&new);
    if failed.name == used.name && !wraps {
        let is_exchanged = || exchanged_value(failed, used).map(|_| Replacement::Value);
        return adds_flags(&old, &new).then_some(Replacement::Flags).or_else(is_exchanged);
    }
    let task = |rest: &[&'_ str]| -> Vec<String> {
        rest.iter()
            .filter(|word| !matches!(**word, "run" | "run-script"))
            .map(|word| (*word).to_owned())
            .collect()
    };
    let renamed = !task(old_rest).is_empty() && task(old_rest) == task(new_rest);
    let joined = old.concat().replace('-', "") == new.concat().replace('-', "");
    let same_kind = failed.work == used.work && failed.work != CommandKind::Other;
    // A check that names files covers less than one that does not.
    let narrows = |words: &[&str]| words.iter().skip(1).filter(|word| word.contains(['/', '.'])).count();
    let as_wide = narrows(&new) <= narrows(&old);
    if wraps || renamed || joined || (same_kind && as_wide) {
        return Some(Replacement::Program);
    }
    let is_shared = |word: &&str| word.len() > 2 && failed.operands().contains(word);
    let is_unlike = old.first() != new.first() && used.operands().iter().any(is_shared);
    is_unlike.then_some(Replacement::Other)
}

/// Returns the value of an option that `used` replaces, if the commands differ in nothing else and the option does not
/// choose what is run.
pub(super) fn exchanged_value<'c>(failed: &'c TracedCommand, used: &TracedCommand) -> Option<&'c str> {
    let (old, new) = (failed.words(), used.words());
    let mut differing = old.iter().zip(&new).enumerate().filter(|(_, (old, new))| old != new);
    let (Some((at, (was, is))), None) = (differing.next(), differing.next()) else { return None };
    if old.len() != new.len() {
        return None;
    }
    let flag = old[..at].iter().rev().find(|word| word.starts_with('-'));
    let value = match (was.split_once('='), is.split_once('=')) {
        (Some((key, value)), Some((same, _))) if key == same && !chooses(key) => value,
        (None, None)
            if flag.is_some_and(|flag| !flag.contains('=') && !chooses(flag)) && !was.starts_with('-') =>
        {
            was
        }
        _ => return None,
    };
    Some(value.rsplit(['=', ',']).next().unwrap_or(value).trim_matches(['\'', '"']))
}

/// Whether an option names which part of the project is run.
fn chooses(flag: &str) -> bool {
    const CHOOSING: [&str; 12] =
        ["-p", "-e", "-c", "-f", "-n", "-C", "--package", "--test", "--bin", "--example", "--file", "--run"];
    CHOOSING.contains(&flag) || NARROWING.contains(&flag)
}

/// Returns the words of `used` that `failed` does not have at this place, in order.
pub(super) fn added_words(failed: &TracedCommand, used: &TracedCommand) -> Vec<String> {
    let words = failed.words();
    let mut old = words.iter().peekable();
    let is_new = |word: &&'_ str| old.next_if(|old_word| *old_word == word).is_none();
    used.words().into_iter().filter(is_new).map(str::to_owned).collect()
}

/// Whether `new` is the command `old` with additional flags, each with or without a value.
fn adds_flags(old: &[&str], new: &[&str]) -> bool {
    let mut old = old.iter().peekable();
    let mut adds = false;
    let mut may_be_value = false;
    let mut before = &"";
    for word in new {
        if old.peek() == Some(&word) {
            old.next();
            may_be_value = false;
        } else if word.starts_with('-') {
            (adds, may_be_value) = (true, !word.contains('='));
            before = word;
        } else if may_be_value && can_be_value(before, word) {
            may_be_value = false;
        } else {
            return false;
        }
    }
    adds && old.next().is_none()
}

/// Whether a word can be the value of the flag before it; else it may be an operand, with which the command does less.
fn can_be_value(flag: &str, word: &str) -> bool {
    let names_place = flag.starts_with("--")
        && ["dir", "path", "file", "config", "root"].iter().any(|part| flag.contains(part));
    !matches!(flag, "-x" | "-v" | "-q") && (names_place || !word.contains(['/', '.']))
}

/// Flags with which a command does less, so that it may pass without what failed.
const NARROWING: [&str; 12] = [
    "-k",
    "-t",
    "-m",
    "-run",
    "--grep",
    "--filter",
    "--only",
    "--ignore",
    "--skip",
    "--exclude",
    "--lf",
    "--offline",
];

/// Whether a command with flags added to a failed one may pass only because it does less.
pub(super) fn does_less(failed: &TracedCommand, used: &TracedCommand) -> bool {
    let is_narrowing = |word: &String| {
        let flag = word.split('=').next().unwrap_or(word);
        NARROWING.contains(&flag) || flag.starts_with("--no-") || flag.starts_with("--skip-")
    };
    failed.work == CommandKind::Test || added_words(failed, used).iter().any(is_narrowing)
}
