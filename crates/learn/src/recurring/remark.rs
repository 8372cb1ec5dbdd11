//! Finds what an agent says after trial and error: why another form of a command works, what the cause was after a first
//! guess was wrong, and what ended an error, if the person agrees that this was found out.

use std::collections::BTreeSet;

use super::command::TracedCommand;
use super::explanation::{LONGEST, explanation, is_certain};
use super::replacement::are_alike;
use super::signature::CommandFailure;
use super::trace::{TracedKind, TracedStep};
use crate::diary::content_word_count;
use crate::outcome::shell::CommandKind;
use crate::prose::{MessageAuthor, cut, pattern, sentences};
use cm_note::instant::Instant;

/// Minimum length of a part of a word that tells two commands apart, in characters.
const PART: usize = 3;
/// Minimum number of content words of a sentence that names a cause.
const WORDS: usize = 4;
/// Minimum number of content words of a sentence about a command that is not repeated beside it.
const ALONE: usize = 2;
/// Maximum length of the quoted begin of an answer, in characters.
const ANSWER: usize = 100;
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

// Answers to something that was found out. Thanks and praise alone say nothing about what the agent explained.
pattern!(
    AGREES = r"(?ix)^(?:(?:oh|ok(?:ay)?|yes|yeah|ja|oui|s[ií]|haha|lol)\b[\s,.!…]*)*(?:
        (?:ah+|aha|oha|wow)[\s,.!] | (?:(?:good|nice|great)\ (?:catch|find|spot|one)|well\ spotted|that['’]?s\ it|that\ was\ it|of\ course
        | makes\ sense|exactly|interesting|good\ to\ know|that\ explains|th(?:at|is)['’]?s\ why
        | genau|stimmt|(?:sehr\ )?stark|gut\ (?:gefunden|gesehen|dass)|daran\ lag|das\ war['’]?s|macht\ sinn
        | exact(?:ement)?|bien\ vu|bien\ joué|c['’](?:est|était)\ (?:ça|logique)|exacto|eso\ (?:es|era)|buena|tiene\ sentido)\b )"
);
// What the agent is about to do or did, rather than how things are.
pattern!(
    OWN_DEED = r"(?i)^(?:so |then |now |ok,? |jetzt |also )?(?:i|i['’](?:ll|m|ve|d)|let me|let['’]s|we|ich|wir|je|j['’]\w+|on va|voy|vamos|déjame|done|fixed|added|erledigt)\b"
);
pattern!(BUT = r"(?i)\b(?:but|however|although|not|n['’]t|no|aber|nicht|kein\w*|nein|pero|no es|mais|pas)\b");

/// A message of the agent, with its line in the log, from 1.
pub(super) struct AgentMessage<'e> {
    pub line: u64,
    pub at: Option<Instant>,
    pub text: &'e str,
    /// The person's prompt after it, if no other message of the agent is between them.
    pub answer: Option<&'e str>,
}

/// Returns what the agent's messages say about the steps of a session before them, in log order.
pub(super) fn remarks(steps: &[TracedStep], messages: &[AgentMessage<'_>]) -> Vec<TracedStep> {
    let mut reader = RemarkReader::default();
    let mut steps = steps.iter().peekable();
    let mut remarks = Vec::new();
    for message in messages {
        while let Some(step) = steps.next_if(|step| step.line <= message.line) {
            reader.follow(step);
        }
        let mended = reader.mended(message);
        let kind = reader.replacement(message).or_else(|| reader.cause(message)).or(mended);
        remarks.extend(kind.map(|kind| TracedStep { line: message.line, at: message.at, kind }));
    }
    remarks
}

#[derive(Default)]
struct RemarkReader<'t> {
    /// Commands that failed since files last changed.
    failed: Vec<(&'t TracedCommand, &'t CommandFailure)>,
    /// The command of the step before, if it passed.
    passed: Option<&'t TracedCommand>,
    /// Number of messages since the agent last said that a guess was wrong.
    since_guess: Option<usize>,
    /// Whether a command succeeded or files changed since then.
    has_tried: bool,
    /// The command that failed last, and how the agent said things are since.
    broken: Option<(&'t TracedCommand, Vec<String>)>,
    /// What the agent had said before the command of the step before no longer failed.
    mended: Vec<String>,
}

impl<'t> RemarkReader<'t> {
    fn follow(&mut self, step: &'t TracedStep) {
        self.passed = None;
        match &step.kind {
            TracedKind::Passed { command } => {
                let mended = self.broken.take_if(|(broken, _)| is_same(broken, command));
                self.mended = mended.map(|(_, said)| said).unwrap_or_default();
                self.failed.retain(|(failed, _)| !is_same(failed, command));
                self.passed = Some(command);
                self.has_tried = true;
            }
            TracedKind::Failed { command, failure } => {
                self.failed.push((command, failure));
                self.broken = Some((command, Vec::new()));
                self.mended.clear();
            }
            TracedKind::Edited { .. } | TracedKind::Changed => {
                self.failed.clear();
                self.has_tried = true;
            }
            TracedKind::Explained { .. }
            | TracedKind::ExplainedReplacement { .. }
            | TracedKind::NamedCause { .. } => {}
        }
    }

    /// What a message says about the command that just passed in place of another one.
    fn replacement(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
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
        let text = about(message.text, &differing(failed, used), least)?;
        self.failed.clear();
        let (failed, failure) = (failed.clone(), failure.clone());
        Some(TracedKind::ExplainedReplacement {
            failed,
            failure,
            used: used.clone(),
            text,
            answer: agreement(message),
        })
    }

    /// What the agent said before and after an error ended, if the person says that it was found out.
    fn mended(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        if let Some((_, said)) = &mut self.broken {
            *said = statements(message.text).collect();
        }
        let mut said = std::mem::take(&mut self.mended);
        let answer = agreement(message)?;
        if said.is_empty() {
            return None;
        }
        said.extend(statements(message.text));
        Some(TracedKind::NamedCause { text: joined(&said), answer: Some(answer) })
    }

    /// The cause that a message names after a guess was wrong and something else was tried.
    fn cause(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        if WRONG_GUESS.is_match(message.text) && !NAMES_CAUSE.is_match(message.text) {
            (self.since_guess, self.has_tried) = (Some(0), false);
            return None;
        }
        let since = self.since_guess.as_mut()?;
        *since += 1;
        if *since > AFTER_GUESS || !self.has_tried {
            return None;
        }
        let all: Vec<String> =
            sentences(message.text, MessageAuthor::Agent).into_iter().map(|one| one.text).collect();
        let at = all.iter().position(|text| {
            NAMES_CAUSE.is_match(text) && is_certain(text) && content_word_count(text) >= WORDS
        })?;
        self.since_guess = None;
        Some(TracedKind::NamedCause { text: joined(&all[at..]), answer: agreement(message) })
    }
}

/// Returns the begin of the person's answer to a message if it says that the message explained something.
fn agreement(message: &AgentMessage<'_>) -> Option<String> {
    let answer = message.answer?.trim();
    let first = sentences(answer, MessageAuthor::Person).into_iter().next()?.text;
    let agrees = AGREES.is_match(answer) && !BUT.is_match(&first) && !first.ends_with('?');
    (agrees && !message.text.trim_end().ends_with('?')).then(|| cut(&first, ANSWER))
}

/// Returns the sentences that say how things are.
fn statements(message: &str) -> impl Iterator<Item = String> {
    let all = sentences(message, MessageAuthor::Agent).into_iter().map(|one| one.text);
    all.filter(|text| is_certain(text) && !OWN_DEED.is_match(text) && content_word_count(text) >= ALONE)
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
