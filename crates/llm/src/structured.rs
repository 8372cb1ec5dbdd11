//! Structured answers: requests, parses and validates them, and asks again once if an answer is
//! invalid.
//!
//! The model's JSON is never corrected here; the model itself has to do that.

use std::fmt;

use serde::de::DeserializeOwned;

use super::Llm;
use super::error::LlmError;
use super::request::{ModelReply, ModelRequest, StopReason, TokenUsage};
use super::{extract_json, json_error};

/// Maximum number of times that a model is asked to repair an invalid answer.
const MAX_REPAIRS: usize = 1;
/// Maximum size of an invalid answer that is sent back to the model for repair, in bytes.
const MAX_REPAIRED_ANSWER_BYTES: usize = 20_000;
/// Maximum number of faults reported to the model at once.
const MAX_REPORTED_FAULTS: usize = 20;

/// A value that a model returned, with the usage and the invalid answers before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredAnswer<T> {
    /// The parsed and checked value.
    pub value: T,
    /// Token usage of all attempts together.
    pub usage: TokenUsage,
    pub model: String,
    /// Invalid answers before this one.
    pub invalid_answers: Vec<InvalidAnswer>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAnswer {
    pub text: String,
    /// What is wrong with the answer.
    pub faults: Vec<String>,
    /// Whether the answer was truncated at the token limit.
    pub is_cut: bool,
}

/// Why a model returned no valid value, with the tokens spent.
#[derive(Debug)]
pub struct StructuredAnswerError {
    /// Error of the request that ended the attempts; `None` if no request failed.
    pub error: Option<Box<LlmError>>,
    pub attempts: Vec<InvalidAnswer>,
    /// Token usage of all attempts together.
    pub usage: TokenUsage,
}

impl fmt::Display for StructuredAnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<_> = self.attempts.iter().map(|attempt| attempt.faults.join("; ")).collect();
        match (faults.as_slice(), &self.error) {
            ([], Some(error)) => write!(f, "{error}"),
            ([], None) => f.write_str("the model was not called"),
            ([first], Some(error)) => {
                write!(f, "the model's answer is not usable ({first}), and its second answer failed: {error}")
            }
            ([only], None) => write!(f, "the model's answer is not usable: {only}"),
            ([first, others @ ..], _) => {
                write!(
                    f,
                    "the model's answer is not usable: {first}; its second answer is not usable either: "
                )?;
                f.write_str(&others.join("; nor: "))
            }
        }
    }
}

impl std::error::Error for StructuredAnswerError {}

impl StructuredAnswerError {
    /// Suggests to the user how to solve the problem, if there is a generally useful suggestion.
    pub fn hint(&self) -> Option<String> {
        match &self.error {
            Some(error) => error.hint(),
            None if self.attempts.iter().any(|attempt| attempt.is_cut) => {
                Some("raise `llm.max_tokens`; reasoning counts too".to_owned())
            }
            None => Some("try another model (`llm.model`)".to_owned()),
        }
    }
}

/// Asks a model for a value of type `T` that passes `check`, which returns all problems with a
/// value.
///
/// # Errors
/// Returns an error if the request fails, if the model refuses, or if the second answer is invalid
/// too.
pub fn request_structured<T: DeserializeOwned>(
    llm: &(impl Llm + ?Sized),
    request: &ModelRequest,
    check: impl Fn(&T) -> Result<(), Vec<String>>,
) -> Result<StructuredAnswer<T>, StructuredAnswerError> {
    let mut usage = TokenUsage::default();
    let mut attempts: Vec<InvalidAnswer> = Vec::new();
    let mut next = request.clone();
    loop {
        let reply = match llm.complete(&next) {
            Ok(reply) => reply,
            Err(error) => return Err(StructuredAnswerError { error: Some(error.into()), attempts, usage }),
        };
        usage = usage.plus(reply.usage);
        let faults = match read(&reply, request, &check) {
            Ok(value) => {
                return Ok(StructuredAnswer { value, usage, model: reply.model, invalid_answers: attempts });
            }
            Err(faults) => faults,
        };
        let (declined, is_cut) =
            (matches!(reply.stop, StopReason::Refused(_)), reply.stop == StopReason::Length);
        next = request.repair(truncate(&reply.text), &repair_message(request, &faults));
        attempts.push(InvalidAnswer { text: reply.text, faults, is_cut });
        if declined || attempts.len() > MAX_REPAIRS {
            return Err(StructuredAnswerError { error: None, attempts, usage });
        }
    }
}

/// Parses and checks an answer; returns all problems if it is invalid.
fn read<T: DeserializeOwned>(
    reply: &ModelReply,
    request: &ModelRequest,
    check: &impl Fn(&T) -> Result<(), Vec<String>>,
) -> Result<T, Vec<String>> {
    if let StopReason::Refused(why) = &reply.stop {
        let why = if why.is_empty() { "no reason given" } else { why };
        return Err(vec![format!("the model declined: {why}")]);
    }
    if reply.text.trim().is_empty() && reply.stop == StopReason::Done {
        return Err(vec!["the answer is empty".to_owned()]);
    }
    let value = json_error::read(extract_json::extract(&reply.text)).map_err(|fault| match reply.stop {
        StopReason::Length => {
            let cut = format!("it was cut off at {} tokens; use a shorter answer", request.max_tokens);
            vec![cut, fault]
        }
        StopReason::Done | StopReason::Refused(_) => vec![fault],
    })?;
    check(&value)?;
    Ok(value)
}

/// Builds the message that tells a model what is wrong with its answer and asks for a corrected
/// one.
fn repair_message(request: &ModelRequest, faults: &[String]) -> String {
    let mut prompt = String::from("Your answer is not usable:\n");
    for fault in faults.iter().take(MAX_REPORTED_FAULTS) {
        prompt.push_str(&format!("- {fault}\n"));
    }
    if faults.len() > MAX_REPORTED_FAULTS {
        prompt.push_str(&format!("- and {} more like this\n", faults.len() - MAX_REPORTED_FAULTS));
    }
    prompt.push_str("Answer the question above again, completely, with these problems fixed.");
    if let Some(schema) = &request.schema {
        prompt.push(' ');
        prompt.push_str(&schema.instructions());
    }
    prompt
}

fn truncate(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_REPAIRED_ANSWER_BYTES)]
}
