//! Finds what an agent says after trial and error: why another form of a command works, or what the cause was after a
//! first guess was wrong.

use std::collections::BTreeSet;

use super::command::TracedCommand;
use super::explanation::{LONGEST, explanation, is_certain};
use super::pattern::{PatternNote, RecurringPattern};
use super::signature::CommandFailure;
use super::substitute::are_alike;
use super::support::{Occurrence, PatternSupport};
use super::trace::{SessionTrace, TracedKind, TracedStep};
use super::wording::{code, with_message};
use crate::diary::content_word_count;
use crate::outcome::shell::CommandKind;
use crate::prose::{MessageAuthor, pattern, sentences};
use cm_note::instant::Instant;

/// Minimum length of a part of a word that tells two commands apart, in characters.
const PART: usize = 3;
/// Minimum number of content words of a sentence that names a cause.
const WORDS: usize = 4;
/// Minimum number of content words of a sentence about a command that is not repeated beside it.
const ALONE: usize = 2;
/// Number of agent's messages after a wrong guess in which the cause may be named.
const AFTER_GUESS: usize = 6;

pattern!(
    NAMES_CAUSE = r"(?ix)^(?:so\s+|ah,?\s+|ok,?\s+)?(?:
        found(?:\ it|\ the\ \w+)?\s*[:!.] | (?:confirmed|gefunden|bestätigt|encontrado|trouvé)\s*[:!.,] | ursache\ gefunden
        | that\ explains | das\ erklärt | eso\ (?:lo\ )?explica | (?:cela|ça)\ explique
        | (?:the|die|la)\ (?:real\ |actual\ |root\ |eigentliche\ )?(?:cause|ursache|causa)\b
        | it\ was\b | es\ lag\b | c['’]était\b | era\b | turns\ out\b )
    | \bthe\ (?:real\ |actual\ )?cause\ was\b | \broot\ cause\b"
);
pattern!(
    WRONG_GUESS = r"(?ix)\b(?:that\ was(?:n['’]t|\ not)\ it | (?:was|is)\ not\ (?:it|the\ (?:cause|reason|problem)) | that\ was\ wrong
        | (?:has|had)\ nothing\ to\ do | did(?:n['’]t|\ not)\ help | still\ (?:fails?|the\ same) | no\ change\b | same\ error
        | das\ war\ es\ nicht | war(?:en)?\ es\ nicht | ist\ es\ nicht | daran\ liegt\ es\ nicht | hat\ nichts\ (?:gebracht|damit) | half\ nicht
        | no\ era\ eso | no\ fue\ eso | ce\ n['’](?:est|était)\ pas )\b"
);

/// A message of the agent, with its line in the log, from 1.
pub(super) struct AgentMessage<'e> {
    pub line: u64,
    pub at: Option<Instant>,
    pub text: &'e str,
}

/// Returns what the agent's messages tell about the steps of a session before them, in log order.
pub(super) fn told(steps: &[TracedStep], messages: &[AgentMessage<'_>]) -> Vec<TracedStep> {
    let mut reader = ToldReader::default();
    let mut steps = steps.iter().peekable();
    let mut told = Vec::new();
    for message in messages {
        while let Some(step) = steps.next_if(|step| step.line <= message.line) {
            reader.follow(step);
        }
        let kind = reader.replacement(message.text).or_else(|| reader.cause(message.text));
        told.extend(kind.map(|kind| TracedStep { line: message.line, at: message.at, kind }));
    }
    told
}

#[derive(Default)]
struct ToldReader<'t> {
    /// Commands that failed since files last changed.
    failed: Vec<(&'t TracedCommand, &'t CommandFailure)>,
    /// The command of the step before, if it passed.
    passed: Option<&'t TracedCommand>,
    /// Number of messages since the agent last said that a guess was wrong.
    since_guess: Option<usize>,
    /// Whether a command succeeded or files changed since then.
    has_tried: bool,
}

impl<'t> ToldReader<'t> {
    fn follow(&mut self, step: &'t TracedStep) {
        self.passed = None;
        match &step.kind {
            TracedKind::Passed { command } => {
                self.failed.retain(|(failed, _)| !is_same(failed, command));
                self.passed = Some(command);
                self.has_tried = true;
            }
            TracedKind::Failed { command, failure } => self.failed.push((command, failure)),
            TracedKind::Edited { .. } | TracedKind::Changed => {
                self.failed.clear();
                self.has_tried = true;
            }
            TracedKind::Explained { .. } | TracedKind::Told { .. } | TracedKind::Found { .. } => {}
        }
    }

    /// What a message says about the command that just passed in place of another one.
    fn replacement(&mut self, message: &str) -> Option<TracedKind> {
        let used = self.passed.take()?;
        let is_replaced = |(failed, failure): &&(&TracedCommand, &CommandFailure)| {
            let is_shared = |work| matches!(work, CommandKind::Commit | CommandKind::Push);
            // Fewer tests pass more easily; other settings do not change what is tested.
            let is_judged = failure.judged && failed.text != used.text;
            !is_judged && ![failed.work, used.work].into_iter().any(is_shared) && are_alike(failed, used)
        };
        let (failed, failure) = *self.failed.iter().rev().find(is_replaced)?;
        // Where the commands tell what to do, one word is enough.
        let least = if failed.reusable && used.reusable { 1 } else { ALONE };
        let text = about(message, &differing(failed, used), least)?;
        self.failed.clear();
        let (failed, failure) = (failed.clone(), failure.clone());
        Some(TracedKind::Told { failed, failure, used: used.clone(), text })
    }

    /// The cause that a message names after a guess was wrong and something else was tried.
    fn cause(&mut self, message: &str) -> Option<TracedKind> {
        if WRONG_GUESS.is_match(message) && !NAMES_CAUSE.is_match(message) {
            (self.since_guess, self.has_tried) = (Some(0), false);
            return None;
        }
        let since = self.since_guess.as_mut()?;
        *since += 1;
        if *since > AFTER_GUESS || !self.has_tried {
            return None;
        }
        let all: Vec<String> =
            sentences(message, MessageAuthor::Agent).into_iter().map(|one| one.text).collect();
        let at = all.iter().position(|text| {
            NAMES_CAUSE.is_match(text) && is_certain(text) && content_word_count(text) >= WORDS
        })?;
        self.since_guess = None;
        Some(TracedKind::Found { text: joined(&all[at..]) })
    }
}

fn is_same(one: &TracedCommand, other: &TracedCommand) -> bool {
    one.key() == other.key() && one.folder == other.folder
}

/// Parts of words that only the second command has.
fn differing(failed: &TracedCommand, used: &TracedCommand) -> BTreeSet<String> {
    let words = |command: &TracedCommand| {
        parts(&format!("{} {}", command.key(), command.folder.as_deref().unwrap_or_default()))
    };
    words(used).difference(&words(failed)).cloned().collect()
}

fn parts(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.chars().count() >= PART);
    parts.map(str::to_lowercase).collect()
}

/// Returns the sentence of at least `least` content words that names one of these parts as code, with the cause that the
/// message names.
fn about(message: &str, differing: &BTreeSet<String>, least: usize) -> Option<String> {
    let names = |text: &String| {
        let is_code = |word: &&str| {
            word.contains(|c: char| c.is_numeric() || "_@/=".contains(c)) || word.starts_with("--")
        };
        let quoted = text.split('`').skip(1).step_by(2);
        let words = text.split_whitespace().filter(is_code);
        quoted.chain(words).any(|code| parts(code).iter().any(|part| differing.contains(part)))
    };
    let is_telling = |text: &String| {
        names(text)
            && is_certain(text)
            && content_word_count(text) >= least
            && text.chars().count() <= LONGEST
    };
    let all: Vec<String> = sentences(message, MessageAuthor::Agent).into_iter().map(|one| one.text).collect();
    let told = all.iter().position(is_telling)?;
    let cause = explanation(message).and_then(|cause| all.iter().position(|text| *text == cause));
    let (first, last) = cause.map_or((told, told), |cause| (told.min(cause), told.max(cause)));
    let both = [all[first].as_str(), all[last].as_str()];
    let text = if first == last { all[told].clone() } else { both.join(" ") };
    Some(if text.chars().count() <= LONGEST { text } else { all[told].clone() })
}

/// Joins the first sentence with those after it, up to the length of an explanation.
fn joined(sentences: &[String]) -> String {
    let mut text = sentences.first().cloned().unwrap_or_default();
    for next in sentences.iter().skip(1).take_while(|next| is_certain(next)) {
        if text.chars().count() + 1 + next.chars().count() > LONGEST {
            break;
        }
        text.push(' ');
        text.push_str(next);
    }
    text
}

/// Adds what the agents told to the patterns of the same commands, and returns a fix for all else.
pub(super) fn fixes(traces: &[&SessionTrace], found: &mut [RecurringPattern]) -> Vec<RecurringPattern> {
    let mut fixes: Vec<RecurringPattern> = Vec::new();
    for trace in traces {
        for step in &trace.steps {
            let (head, text, commands, quote) = match &step.kind {
                TracedKind::Told { failed, failure, used, text } => {
                    let commands = vec![used.key(), failed.key()];
                    if let Some(known) = found.iter_mut().find(|one| one.commands == commands) {
                        known.explain(text);
                        continue;
                    }
                    let head = format!("{} failed{}", code(&commands[1]), with_message(failure));
                    let told = text.trim_end_matches('.');
                    let quote = format!(
                        "`{}` failed{}, then `{}` passed. The agent: \"{text}\"",
                        commands[1],
                        with_message(failure),
                        commands[0]
                    );
                    match failed.reusable && used.reusable && failure.message.is_some() {
                        true => (
                            head.clone(),
                            format!("{head}; {} worked instead: {told}", code(&commands[0])),
                            commands,
                            quote,
                        ),
                        false => (told.to_owned(), told.to_owned(), Vec::new(), quote),
                    }
                }
                TracedKind::Found { text } => {
                    let told = text.trim_end_matches('.').to_owned();
                    (told.clone(), told, Vec::new(), format!("After a wrong guess, the agent: \"{text}\""))
                }
                _ => continue,
            };
            let occurrence = Occurrence::new(trace, step, quote);
            match fixes.iter_mut().find(|one| one.head == head && one.commands == commands) {
                Some(known) => known.support.add(trace.conversation, occurrence),
                None => {
                    let mut support = PatternSupport::default();
                    support.add(trace.conversation, occurrence);
                    fixes.push(RecurringPattern { head, note: PatternNote::Fix { text }, commands, support });
                }
            }
        }
    }
    fixes.sort_by(|one, other| one.head.cmp(&other.head));
    fixes
}
