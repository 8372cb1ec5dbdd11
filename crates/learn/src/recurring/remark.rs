//! Finds what agents explain: why another form of a command works, the cause of a problem after a wrong guess, how an
//! error ended or what led to a change, if the person confirms or accepts it, and what they say after a hint.

use std::collections::BTreeSet;

use super::command::TracedCommand;
use super::explanation::{
    MAX_EXPLANATION_CHARS, confirmed, connects, explanation, is_certain, is_guess, needs_error, stated,
};
use super::hint::taken_hint;
use super::replacement::are_alike;
use super::signature::CommandFailure;
use super::trace::{TracedKind, TracedStep};
use super::wording::failed;
use crate::content_words::content_word_count;
use crate::outcome::shell::CommandKind;
use crate::prose::{MessageAuthor, cut, pattern, sentences};
use cm_note::instant::Instant;

/// Minimum length of a part of a word that tells two commands apart, in characters.
const MIN_WORD_PART_CHARS: usize = 3;
/// Minimum number of content words of a sentence that names a cause.
const MIN_CAUSE_WORDS: usize = 4;
/// Minimum number of content words of a sentence about a command that is not repeated beside it.
const MIN_COMMAND_REMARK_WORDS: usize = 2;
/// Minimum number of content words of an explanation that does not say that it is one.
const MIN_UNMARKED_EXPLANATION_WORDS: usize = 8;
/// Minimum number of content words of a sentence that names something of an error message.
const MIN_ERROR_REMARK_WORDS: usize = 5;
/// Number of characters that tell whether two words are forms of one.
const STEM_CHARS: usize = 7;
/// Maximum length of a quoted answer, in characters; a longer one is cut.
const MAX_ANSWER_CHARS: usize = 100;
/// Maximum number of messages between the one that rejects a guess and the one that names the cause.
const MAX_MESSAGES_AFTER_GUESS: usize = 6;

pattern!(
    NAMES_CAUSE = r"(?ix)^(?:so\s+|ah,?\s+|ok,?\s+)?(?:
        found(?:\ it|\ the\ \w+)?\s*[:!.] | (?:confirmed|gefunden|bestätigt|encontrado|trouvé)\s*[:!.,] | ursache\ gefunden
        | that\ explains | das\ erklärt | eso\ (?:lo\ )?explica | (?:cela|ça)\ explique
        | (?:the|die|la)\ (?:real\ |actual\ |root\ |eigentliche\ )?(?:cause|ursache|causa)\b
        | it\ was\b | es\ lag\b | c['’]était\b | era\b | turns\ out\b )
    | \bthe\ (?:real\ |actual\ )?cause\ was\b | \bwas\ the\ (?:\w+\ )?(?:cause|culprit)\b | \broot\ cause\b"
);
pattern!(
    WRONG_GUESS = r"(?ix)\b(?:that\ was(?:n['’]t|\ not)\ it | (?:was|is)\ not\ (?:it|the\ (?:cause|reason|problem)) | (?:that|i)\ was\ (?:wrong|mistaken) | (?:then|so)\ (?:it|that)(?:['’]s|\ is|\ was)\ not
        | (?:has|had)\ nothing\ to\ do | did(?:n['’]t|\ not)\ help | still\ (?:fails?|the\ same) | no\ change\b | same\ error
        | das\ war\ es\ nicht | war(?:en)?\ es\ nicht | ist\ es\ nicht | daran\ liegt\ es\ nicht | hat\ nichts\ (?:gebracht|damit) | half\ nicht
        | no\ era\ eso | no\ fue\ eso | ce\ n['’](?:est|était)\ pas )\b"
);

// Answers that confirm an explanation. Thanks and praise alone do not.
pattern!(
    AGREES = r"(?ix)^(?:(?:oh|ok(?:ay)?|yes|yeah|ja|oui|s[ií]|haha|lol)\b[\s,.!…]*)*(?:
        (?:a+h+|aha|oha|wow|o+h{2,})[\s,.!] | (?:that|it|this)\ (?:(?:would|does|could|must)\ (?:fit|explain\ (?:it|that|a\ lot)|be\ it)|fits)\s*(?:[.!…]|$)
        | (?:(?:that|this|it)\ )?(?:sounds|seems)\ (?:right|plausible|sensible|reasonable|convincing|logical)\s*(?:[.!…]|$) | (?:this|that)\ is\ an?\ (?:satisfying|good|convincing|plausible)\ explanation\b
        | (?:das\ passt|logisch)\s*(?:[.!…,]|$) | (?:(?:good|nice|great)\ (?:catch|find|spot|one)|well\ spotted|that['’]?s\ it|that\ was\ it|of\ course
        | makes\ sense|exactly|yup|yep|correct|interesting|good\ to\ know|(?:that|this)\ explains|th(?:at|is)['’]?s\ why
        | genau|stimmt|(?:sehr\ )?stark|gut\ (?:gefunden|gesehen|dass)|daran\ lag|das\ war['’]?s|macht\ sinn
        | exact(?:ement)?|bien\ vu|bien\ joué|c['’](?:est|était)\ (?:ça|logique)|exacto|eso\ (?:es|era|s[ií])|eso$|buena|tiene\ sentido
        | (?:right\ and\ |please\ )?keep\ (?:that|this)\ in\ mind|would\ you\ look\ at\ that
        | confirmed|bestätigt|confirmado|confirmé)\b )"
);
// Answers from which it follows that the work is done, or is to be done as proposed.
pattern!(
    ACCEPTS = r"(?ix)^(?:yes|ja|s[ií]|oui)\s*!{2} | ^(?:(?:oh|ok(?:ay)?|yes|yeah|ja|oui|s[ií]+|y|und|et|and)\b[\s,.!…]*)*(?:
        (?:(?:very\ |so\ )?(?:great|nice|good|well\ done)|perfect|super|awesome|lovely|sweet|brilliant|excellent|wonderful|beautiful|bravo|yay|hurray|cheers|classic|finally|thanks|thank\ you|love\ (?:it|you)|(?:it\ )?works|do\ (?:it|that)|go\ ahead
        | how\ (?:satisfying|nice|lovely|wonderful|clever|neat|good|kind) | marvellous | splendid | delightful
        | please\ do | happy\ days | grand | makes?\ sense | fair\ enough
        | th(?:at|is)(?:['’]s|s|\ is)\ more\ like\ it | i(?:['’]m|\ am)\ (?:\w+\ )?(?:impressed|grateful) | you(?:['’]re|\ are)\ (?:a\ )?(?:star|legend|genius|hero)
        | klasse|prima|perfekt|spitze|wunderbar|sehr\ (?:gut|schön)|endlich|danke|läuft|mach\ (?:das|es|so|mal)|passt
        | genial|perfecto|guapo|te\ quiero|muy\ bien|ol[eé]|estupendo|buen[ií]simo|gracias|por\ fin|funciona|dale|hazlo|adelante
        | parfait|génial|nickel|très\ bien|chouette|merci|enfin|ça\ marche|vas-y|fais\ (?:ça|le|comme))\b | (?:cool|top|keep\ it|ship\ it)\s*(?:[,.!]|$) | [👍👌🎉🙌🙏✅❤💪🫶😌🥳🤩😍] | $ )"
);
// Sentences about the agent's own actions, which explain nothing.
pattern!(
    OWN_DEED = r"(?i)^(?:so |then |now |ok,? |jetzt |also )?(?:i|i['’](?:ll|m|ve|d)|let me|let['’]s|we|ich|wir|je|j['’]\w+|on va|voy|vamos|déjame|done|fixed|added|erledigt)\b"
);
// What the cause is not.
pattern!(
    DENIAL = r"(?i)^(?:so |así que )?(?:it(?:['’]s| is| was)(?:n['’]t| not)|that (?:is|was)(?:n['’]t| not)|es ist nicht|das (?:ist|war) nicht|no (?:es|son|era|eran)|ce n['’])"
);
pattern!(
    BUT = r"(?i)\b(?:but|if|worse|slow|slower|red|broken|fails|still|however|although|not|n['’]t|no|aber|nicht|kein\w*|nein|pero|no es|mais|pas)\b"
);

// Words of any error message.
pattern!(
    OF_ERRORS = r"^(?:argument|because|cannot|command|configur|connect|could|direct|error|exception|execut|exist|expect|expir|fail|general|import|instal|invalid|locat|message|missing|module|operation|option|package|permission|problem|process|program|project|reques|require|return|server|service|should|specif|support|undefined|unexpect|unknown|version|warning|without)"
);

pattern!(IDENTIFIER = r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z]\d");
// "The board now builds", "Checking what the struct offers".
pattern!(
    REPORTS_STATE = r"(?i)^\w+ing\s|\b(?:now|passe[sd]?|green|builds?|works?|renders?|shows?|fine|done|läuft|grün|funktioniert|pasa[n]?|verde|passe(?:nt)?|vert)\b"
);

/// A message of the agent, with its line in the log, from 1.
pub(super) struct AgentMessage<'e> {
    pub line: u64,
    pub at: Option<Instant>,
    pub text: &'e str,
    /// The prompt before the message, if it points to what the agent overlooked; empty if a command that the person ran
    /// does so; `None` for other messages.
    pub hint: Option<&'e str>,
    /// The next prompt of the person; `None` if the agent writes another message before it.
    pub answer: Option<&'e str>,
}

/// Returns the explanations in the agent's messages as steps of kind `ExplainedReplacement`, `NamedCause` or `TookHint`, in
/// log order.
/// `steps` and `messages` are sorted by line.
pub(super) fn remarks(steps: &[TracedStep], messages: &[AgentMessage<'_>]) -> Vec<TracedStep> {
    let mut reader = RemarkReader::default();
    let mut steps = steps.iter().peekable();
    let mut remarks = Vec::new();
    for message in messages {
        while let Some(step) = steps.next_if(|step| step.line <= message.line) {
            reader.follow(step);
        }
        let resolution = reader.resolution(message);
        let explained = reader.explained(message);
        let tested = reader.tested(message);
        let cause = reader.replacement(message).or_else(|| reader.cause(message)).or(tested);
        let kind = message
            .hint
            .and_then(|hint| taken_hint(message.text, hint, agreement(message)))
            .or(cause)
            .or(resolution)
            .or(explained);
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
    /// Whether a command succeeded or files changed since the agent guessed; `None` without a guess.
    tested_guess: Option<bool>,
    /// The command that failed last, and the statements of the agent's last message since then.
    open_failure: Option<(&'t TracedCommand, Vec<String>)>,
    /// The statements of an open failure whose command passed in the step before; empty otherwise.
    resolved: Vec<String>,
    /// The last command that failed since the person's last prompt.
    last_failure: Option<(&'t TracedCommand, &'t CommandFailure)>,
    /// The explanations since the person's last prompt, in log order.
    explained: Vec<TurnExplanation>,
}

/// Sentences of an agent's message that explain a problem.
struct TurnExplanation {
    text: String,
    /// Whether a word of the text, such as "because", marks a cause.
    names_cause: bool,
    /// Whether files changed after the message.
    has_edited: bool,
}

impl<'t> RemarkReader<'t> {
    fn follow(&mut self, step: &'t TracedStep) {
        self.passed = None;
        match &step.kind {
            TracedKind::Passed { command } => {
                let resolved = self.open_failure.take_if(|(failed, _)| is_same(failed, command));
                self.resolved = resolved.map(|(_, statements)| statements).unwrap_or_default();
                self.failed.retain(|(failed, _)| !is_same(failed, command));
                self.passed = Some(command);
                self.try_out();
            }
            TracedKind::Failed { command, failure } => {
                self.failed.push((command, failure));
                self.last_failure = Some((command, failure));
                self.open_failure = Some((command, Vec::new()));
                self.resolved.clear();
            }
            TracedKind::Edited { .. } | TracedKind::Changed => {
                self.failed.clear();
                self.try_out();
                self.explained.iter_mut().for_each(|explained| explained.has_edited = true);
            }
            TracedKind::Explained { .. }
            | TracedKind::ExplainedReplacement { .. }
            | TracedKind::NamedCause { .. }
            | TracedKind::TookHint { .. } => {}
        }
    }

    fn try_out(&mut self) {
        self.has_tried = true;
        self.tested_guess = self.tested_guess.map(|_| true);
    }

    /// Returns the explanation of the command in the step before, if it passed and a similar command had failed.
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
        let least = if failed.reusable && used.reusable { 1 } else { MIN_COMMAND_REMARK_WORDS };
        let text = sentences_about(message.text, &differing_parts(failed, used), least)?;
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

    /// Returns the agent's statements before and after a failed command passed, if the person confirms them.
    fn resolution(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        if let Some((_, latest)) = &mut self.open_failure {
            *latest = statements(message.text).collect();
        }
        let mut explanation = std::mem::take(&mut self.resolved);
        let answer = agreement(message)?;
        if explanation.is_empty() {
            return None;
        }
        explanation.extend(statements(message.text));
        Some(TracedKind::NamedCause { text: join_sentences(&explanation), answer: Some(answer) })
    }

    /// Returns the explanation of the turn that ends with a message, if the person confirms or accepts what came of it.
    fn explained(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        let explanation = TurnExplanation::of(message.text);
        let is_answered = explanation.is_some();
        self.explained.extend(explanation);
        let answer = message.answer?;
        let all = std::mem::take(&mut self.explained);
        let last_failure = self.last_failure.take();
        let agreement = agreement(message);
        let first = sentences(answer, MessageAuthor::Person).into_iter().next()?.text;
        let accepts = ACCEPTS.is_match(answer.trim()) && !BUT.is_match(&first) && !first.ends_with('?');
        let last = all.len().checked_sub(1)?;
        let is_confirmed = agreement.is_some() && is_answered;
        // What led to a change comes before what only says so, unless that is what the person confirms.
        let at = if is_confirmed && all[last].names_cause {
            last
        } else {
            let of = |is_meant: fn(&TurnExplanation) -> bool| all.iter().rposition(is_meant);
            let cause = of(|one| one.has_edited && one.names_cause).or_else(|| of(|one| one.names_cause));
            let stated = || of(|one| one.has_edited).or(Some(last)).filter(|_| agreement.is_some());
            cause.or_else(stated)?
        };
        let answer = agreement.clone().filter(|_| is_confirmed && at == last);
        let explained = all.into_iter().nth(at)?.text;
        let text = match last_failure.filter(|_| needs_error(&explained)) {
            Some((command, failure)) => format!("{}: {}", failed(command, failure), stated(&explained)),
            None => explained,
        };
        (agreement.is_some() || accepts).then_some(TracedKind::NamedCause { text, answer })
    }

    /// Returns the cause that a message names, if the agent rejected a guess before and then tried something else.
    fn cause(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        if WRONG_GUESS.is_match(message.text) && !NAMES_CAUSE.is_match(message.text) {
            (self.since_guess, self.has_tried) = (Some(0), false);
            return None;
        }
        let since = self.since_guess.as_mut()?;
        *since += 1;
        if *since > MAX_MESSAGES_AFTER_GUESS || !self.has_tried {
            return None;
        }
        let all: Vec<String> = sentence_texts(message.text).collect();
        let at = all.iter().position(|text| {
            NAMES_CAUSE.is_match(text) && is_certain(text) && content_word_count(text) >= MIN_CAUSE_WORDS
        })?;
        self.since_guess = None;
        Some(TracedKind::NamedCause { text: join_sentences(&all[at..]), answer: agreement(message) })
    }

    /// Returns what a message says was confirmed, if the agent guessed before and then tried something.
    fn tested(&mut self, message: &AgentMessage<'_>) -> Option<TracedKind> {
        let all: Vec<String> = sentence_texts(message.text).collect();
        let Some(at) = confirmed(&all) else {
            if is_guess(message.text) {
                self.tested_guess = Some(false);
            }
            return None;
        };
        let is_tested = self.tested_guess.take() == Some(true);
        let text = join_sentences(&all[at..]);
        is_tested.then(|| TracedKind::NamedCause { text, answer: agreement(message) })
    }
}

impl TurnExplanation {
    /// Reads an explanation from a message; without a word that marks a cause, one of at least
    /// [`MIN_UNMARKED_EXPLANATION_WORDS`] content words.
    fn of(message: &str) -> Option<Self> {
        let all: Vec<String> = statements(message).filter(|text| !DENIAL.is_match(text)).collect();
        let cause = explanation(message).and_then(|cause| all.iter().position(|text| *text == cause));
        let text = join_sentences(&all[cause.unwrap_or_default()..]);
        let is_telling = content_word_count(&text) >= MIN_UNMARKED_EXPLANATION_WORDS && connects(&text);
        let names_cause = cause.is_some();
        (names_cause || is_telling).then_some(Self { text, names_cause, has_edited: false })
    }
}

/// Returns the first sentence of the person's answer if it confirms the message; `None` if the message asks a question.
fn agreement(message: &AgentMessage<'_>) -> Option<String> {
    let answer = message.answer?.trim();
    let first = sentences(answer, MessageAuthor::Person).into_iter().next()?.text;
    let agrees = AGREES.is_match(answer) && !BUT.is_match(&first) && !first.ends_with('?');
    (agrees && !message.text.trim_end().ends_with('?')).then(|| cut(&first, MAX_ANSWER_CHARS))
}

/// Returns the statements of a message, joined, from the first one on that has a word of an error message; `None` without one.
/// Reports of the state of the work do not count. Once the error `is_repaired`, the first one must also have an identifier of
/// the error, or connect a condition or cause with what follows.
pub(super) fn statements_about(message: &str, failure: &CommandFailure, is_repaired: bool) -> Option<String> {
    let error = failure.message.as_deref()?;
    let (stems, names) = (word_stems(error), identifiers(error));
    let shares_name = |text: &str| identifiers(text).iter().any(|name| names.contains(name));
    let names_error = |text: &String| {
        content_word_count(text) >= MIN_ERROR_REMARK_WORDS
            && !REPORTS_STATE.is_match(text)
            && word_stems(text).iter().any(|stem| stems.contains(stem))
            && (!is_repaired || shares_name(text) || connects(text))
    };
    let all: Vec<String> = statements(message).filter(|text| !DENIAL.is_match(text)).collect();
    let at = all.iter().position(names_error)?;
    Some(join_sentences(&all[at..]))
}

/// Returns the words of a text that are spelled like identifiers, such as `alreadyAuthenticated` and `utf8_bin`.
fn identifiers(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= STEM_CHARS && IDENTIFIER.is_match(word)).collect()
}

/// Returns the beginnings of the words that name something in particular, in lower case.
fn word_stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let is_particular = |word: &String| word.chars().count() >= STEM_CHARS && !OF_ERRORS.is_match(word);
    words.filter(is_particular).map(|word| word.chars().take(STEM_CHARS).collect()).collect()
}

/// Returns the statements of a message that are long enough to explain something, joined.
pub(super) fn statements_of(message: &str) -> Option<String> {
    TurnExplanation::of(message).map(|explained| explained.text)
}

fn sentence_texts(message: &str) -> impl Iterator<Item = String> {
    sentences(message, MessageAuthor::Agent).into_iter().map(|sentence| sentence.text)
}

/// Returns the sentences of a message that are certain and not about the agent's own actions.
pub(super) fn statements(message: &str) -> impl Iterator<Item = String> {
    sentence_texts(message).filter(|text| {
        is_certain(text) && !OWN_DEED.is_match(text) && content_word_count(text) >= MIN_COMMAND_REMARK_WORDS
    })
}

fn is_same(one: &TracedCommand, other: &TracedCommand) -> bool {
    one.key() == other.key() && one.folder == other.folder
}

/// Returns the parts of words, in lower case, that occur in `used` and not in `failed`.
fn differing_parts(failed: &TracedCommand, used: &TracedCommand) -> BTreeSet<String> {
    let words = |command: &TracedCommand| {
        word_parts(&format!("{} {}", command.key(), command.folder.as_deref().unwrap_or_default()))
    };
    words(used).difference(&words(failed)).cloned().collect()
}

/// Returns the longer parts of words in lower case, and short flags such as `-O` as they are.
fn word_parts(text: &str) -> BTreeSet<String> {
    let parts =
        text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.chars().count() >= MIN_WORD_PART_CHARS);
    let is_flag = |word: &&str| {
        word.strip_prefix('-')
            .is_some_and(|flag| flag.len() < MIN_WORD_PART_CHARS && flag.chars().all(char::is_alphanumeric))
    };
    let flags = text.split_whitespace().filter(|word| word.len() > 1).filter(is_flag);
    parts.map(str::to_lowercase).chain(flags.map(str::to_owned)).collect()
}

/// Returns the first sentence with at least `least` content words that names one of the parts as code, joined with the
/// sentence that names a cause, if the message has one.
fn sentences_about(message: &str, differing: &BTreeSet<String>, least: usize) -> Option<String> {
    let names = |text: &String| {
        let is_code = |word: &&str| {
            word.contains(|c: char| c.is_numeric() || "_@/=".contains(c)) || word.starts_with("--")
        };
        let quoted = text.split('`').skip(1).step_by(2);
        let words = text.split_whitespace().filter(is_code);
        quoted.chain(words).any(|code| word_parts(code).iter().any(|part| differing.contains(part)))
    };
    let is_telling = |text: &String| {
        names(text)
            && is_certain(text)
            && content_word_count(text) >= least
            && text.chars().count() <= MAX_EXPLANATION_CHARS
    };
    let all: Vec<String> = sentence_texts(message).collect();
    let telling = all.iter().position(is_telling)?;
    let cause = explanation(message).and_then(|cause| all.iter().position(|text| *text == cause));
    let (first, last) = cause.map_or((telling, telling), |cause| (telling.min(cause), telling.max(cause)));
    let both = [all[first].as_str(), all[last].as_str()];
    let text = if first == last { all[telling].clone() } else { both.join(" ") };
    Some(if text.chars().count() <= MAX_EXPLANATION_CHARS { text } else { all[telling].clone() })
}

/// Joins the first sentence with the certain ones that follow it, up to [`MAX_EXPLANATION_CHARS`] characters.
fn join_sentences(sentences: &[String]) -> String {
    let mut text = sentences.first().cloned().unwrap_or_default();
    for next in sentences.iter().skip(1).take_while(|next| is_certain(next)) {
        if text.chars().count() + 1 + next.chars().count() > MAX_EXPLANATION_CHARS {
            break;
        }
        text.push(' ');
        text.push_str(next);
    }
    text
}
