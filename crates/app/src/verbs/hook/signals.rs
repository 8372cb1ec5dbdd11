//! Statements at prompts that may be meant to last: the hook asks the agent to record them.
//!
//! They are kept in the user's private state, without secrets, so that a proposal can be checked
//! before the agent's log has the prompt.

use serde::{Deserialize, Serialize};

use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::context::secrets;
use crate::error::Result;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart};
use cm_agents::hook::{HookEvent, HookMessage};
use cm_learn::prose::cut;
use cm_learn::statement::{Statement, StatementClassifier, StatementContext, of_prompt};
use cm_note::bullet::content::fold_whitespace;
use cm_secrets::redact;
use cm_store::config::keys;
use cm_store::vault::json_lines::JsonLinesFile;

/// Minimum probability at which the agent is asked. It misses little; the agent judges.
const ASK: f32 = 0.4;
/// Number of words of a prompt that are judged: those of its most probable sentences.
const WORDS: usize = 40;
/// Length of a session ID in the request; enough to be unique among recent sessions.
const SHORT_ID: usize = 8;

/// A statement that a hook saw at a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Signal {
    /// Time, RFC 3339.
    pub at: String,
    pub session: String,
    /// Words of the prompt, with secrets redacted.
    pub quote: String,
    /// Probability that it is meant to last, 0–1.
    pub lasting: f32,
}

/// The signals of one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignalLog {
    /// Full ID of the session; as given if there is no signal.
    pub session: String,
    signals: Vec<Signal>,
}

impl SignalLog {
    /// Reads the signals of a session, given by its ID or the beginning of it. A log that cannot be
    /// read has none.
    pub fn of(memory: &Context, session: &str) -> Self {
        let vault = &memory.target().vault;
        let read = JsonLinesFile::of_signals(vault).and_then(|file| file.read::<Signal>());
        let (all, _) = read.unwrap_or_default();
        let signals: Vec<Signal> = all
            .into_iter()
            .filter(|signal| !session.is_empty() && signal.session.starts_with(session))
            .collect();
        let session = signals.last().map_or(session, |signal| &signal.session).to_owned();
        Self { session, signals }
    }

    /// Returns the newest signal that contains a quote.
    pub fn find(&self, quote: &str) -> Option<&Signal> {
        let plain = |text: &str| fold_whitespace(&text.replace('`', "")).to_lowercase();
        let wanted = plain(quote);
        self.signals.iter().rev().find(|signal| plain(&signal.quote).contains(&wanted))
    }
}

/// Returns the request to record what the person just typed, if it may be meant to last, and stores
/// the signal.
///
/// # Errors
/// An invalid redaction pattern, or a private state that cannot be written.
pub(super) fn request(memory: &Context, message: &HookMessage) -> Result<Option<InjectionPart>> {
    let open = memory.target();
    let is_prompt = message.event == Some(HookEvent::Prompt) && !message.subagent;
    let (Some(prompt), Some(session), true) = (&message.prompt, &message.session, is_prompt) else {
        return Ok(None);
    };
    if open.settings.flag(keys::HOOKS_PROPOSE) == Some(false) {
        return Ok(None);
    }
    let statements = most_probable(of_prompt(prompt, 0, StatementContext::After, None));
    let judged = judge_statements(open, &statements);
    let lasting = judged.iter().map(|one| one.lasting()).fold(0.0, f32::max);
    if lasting < ASK {
        return Ok(None);
    }
    let (rules, _) = secrets::rules_of_logs(memory, open)?;
    let quote = redact(&cut(&fold_whitespace(prompt), 2_000), &rules).0.into_string();
    let signal = Signal { at: memory.now().to_string(), session: session.clone(), quote, lasting };
    JsonLinesFile::of_signals(&open.vault)?.append(&[signal])?;
    let short: String = session.chars().take(SHORT_ID).collect();
    let text = format!(
        "If that is meant to last, record it: memory_propose (or `cm propose`) with kind, text, quote, session \"{short}\"."
    );
    Ok(Some(InjectionPart { heading: None, entries: vec![InjectionEntry { id: None, text }] }))
}

/// Returns the sentences that are most probably lasting by their words, at most [`WORDS`] words of
/// them, in their order.
fn most_probable(statements: Vec<Statement>) -> Vec<Statement> {
    let classifier = StatementClassifier::builtin();
    let mut ranked: Vec<(usize, f32)> = statements
        .iter()
        .map(|one| classifier.probabilities(&one.text, one.context, None).lasting())
        .enumerate()
        .collect();
    ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut words = 0;
    let mut kept: Vec<usize> = ranked
        .into_iter()
        .map(|(at, _)| at)
        .take_while(|at| {
            words += statements[*at].text.split_whitespace().count();
            words <= WORDS
        })
        .collect();
    kept.sort_unstable();
    statements.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, one)| one).collect()
}
