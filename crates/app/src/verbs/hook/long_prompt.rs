//! Judges a long prompt in a background process, because the agent does not wait for it. What it
//! finds is asked about at the next prompt or at the end of the session.

use serde::{Deserialize, Serialize};

use crate::context::meaning::judge_statements;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::sessions::signals::{Signal, SignalCause, SignalLog};
use cm_learn::prose::cut;
use cm_learn::statement::{Statement, StatementContext, THRESHOLD_ASK, THRESHOLD_MEDIUM, parts_of_prompt};
use cm_secrets::{RedactionRules, redact};

/// Maximum length of a prompt that is judged, in characters. Its UTF-8 form fits into the buffer of a
/// pipe, so that the hook does not wait for the background process.
const MAX_PROMPT_CHARS: usize = 12_000;
/// Maximum number of statements of one prompt that the agent is asked about.
const MAX_STATEMENTS: usize = 2;

/// A prompt for the background process, as JSON on its standard input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LongPrompt {
    session: String,
    /// Text without secrets.
    prompt: String,
}

impl LongPrompt {
    pub fn new(session: &str, prompt: &str, rules: &RedactionRules) -> Self {
        let prompt = redact(&cut(prompt, MAX_PROMPT_CHARS), rules).0.into_string();
        Self { session: session.to_owned(), prompt }
    }

    /// The JSON that [`judge`] reads.
    pub fn to_json(&self) -> String {
        // Two texts always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Judges a prompt, and stores in the session's signals what is most probably meant to last, and what
/// else probably is. The most probable comes last: that is asked about first.
///
/// # Errors
/// Input that [`LongPrompt::to_json`] did not write, or a private state that cannot be written.
pub(super) fn judge(context: &Context, input: &str) -> Result<()> {
    let LongPrompt { session, prompt } = serde_json::from_str(input)
        .map_err(|error| Error::usage(format!("this is not a prompt: {error}")))?;
    let statements = parts_of_prompt(&prompt, StatementContext::After);
    let judged = judge_statements(context.target(), &statements);
    let at = context.now().to_string();
    let signal = |(statement, lasting): (Statement, f32)| Signal {
        at: at.clone(),
        session: session.clone(),
        cause: SignalCause::LongPrompt,
        typed: Some(statement.text.clone()).filter(|_| !statement.is_pasted).into_iter().collect(),
        quote: statement.text,
        lasting,
        ..Signal::default()
    };
    let mut found: Vec<Signal> = statements
        .into_iter()
        .zip(judged.iter().map(|one| one.lasting()))
        .filter(|(_, lasting)| *lasting >= THRESHOLD_ASK)
        .map(signal)
        .collect();
    found.sort_by(|a, b| b.lasting.total_cmp(&a.lasting));
    let is_worth_asking = |(at, one): &(usize, Signal)| *at == 0 || one.lasting >= THRESHOLD_MEDIUM;
    let mut found: Vec<Signal> = found
        .into_iter()
        .take(MAX_STATEMENTS)
        .enumerate()
        .filter(is_worth_asking)
        .map(|(_, one)| one)
        .collect();
    found.reverse();
    SignalLog::of(context, &session).add(context, found)
}
