//! Answers of a shape: asked for, read, checked, and asked for once more where they are not good.
//!
//! A model's JSON is never corrected here; what it meant is for it to say.

use std::fmt;

use serde::de::DeserializeOwned;

use super::Llm;
use super::error::Error;
use super::request::{Reply, Request, Stop, Usage};
use super::{fault, found};

/// How often a model may put an answer right.
const REPAIRS: usize = 1;
/// How much of a bad answer a model is shown again, in bytes.
const SHOWN_AGAIN: usize = 20_000;
/// How many faults are told at once.
const TOLD: usize = 20;

/// An answer that is as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<T> {
    /// What was answered.
    pub value: T,
    /// What all tries together took.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
    /// The answers before it that were not good.
    pub before: Vec<Attempt>,
}

/// An answer that is not good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The answer, as it came.
    pub text: String,
    /// What is wrong with it.
    pub faults: Vec<String>,
    /// Whether it was cut off for its length.
    pub is_cut: bool,
}

/// Why there is no answer that could be used, and what was spent on it.
#[derive(Debug)]
pub struct Unanswered {
    /// Why the model was asked no further, where it could not be.
    pub error: Option<Box<Error>>,
    /// The answers that were not good.
    pub attempts: Vec<Attempt>,
    /// What they took.
    pub usage: Usage,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<_> = self.attempts.iter().map(|attempt| attempt.faults.join("; ")).collect();
        match (faults.as_slice(), &self.error) {
            ([], Some(error)) => write!(f, "{error}"),
            ([], None) => f.write_str("the model was not asked"),
            ([first], Some(error)) => {
                write!(f, "the model's answer cannot be used ({first}), and it put nothing right: {error}")
            }
            ([only], None) => write!(f, "the model's answer cannot be used: {only}"),
            ([first, others @ ..], _) => {
                write!(f, "the model's answer cannot be used: {first}; nor after it was told: ")?;
                f.write_str(&others.join("; nor: "))
            }
        }
    }
}

impl std::error::Error for Unanswered {}

impl Unanswered {
    /// What the person can do, where there is something that always helps.
    pub fn hint(&self) -> Option<String> {
        match &self.error {
            Some(error) => error.hint(),
            None if self.attempts.iter().any(|attempt| attempt.is_cut) => {
                Some("raise `llm.max_tokens`: what a model thinks counts too".to_owned())
            }
            None => Some("another model may do better: `llm.model`".to_owned()),
        }
    }
}

/// Asks a model for a value of a type that also passes the check, which says all that is wrong with one.
///
/// # Errors
/// Why there is none: the model cannot be asked, declines, or answers twice what cannot be used.
pub fn ask<T: DeserializeOwned>(
    llm: &(impl Llm + ?Sized),
    request: &Request,
    check: impl Fn(&T) -> Result<(), Vec<String>>,
) -> Result<Answered<T>, Unanswered> {
    let mut usage = Usage::default();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut next = request.clone();
    loop {
        let reply = match llm.complete(&next) {
            Ok(reply) => reply,
            Err(error) => return Err(Unanswered { error: Some(error.into()), attempts, usage }),
        };
        usage = usage.and(reply.usage);
        let faults = match read(&reply, request, &check) {
            Ok(value) => return Ok(Answered { value, usage, model: reply.model, before: attempts }),
            Err(faults) => faults,
        };
        let (declined, is_cut) = (matches!(reply.stop, Stop::Declined(_)), reply.stop == Stop::Length);
        next = request.again(shown_again(&reply.text), &wrong(request, &faults));
        attempts.push(Attempt { text: reply.text, faults, is_cut });
        if declined || attempts.len() > REPAIRS {
            return Err(Unanswered { error: None, attempts, usage });
        }
    }
}

/// The value that an answer holds, or all that is wrong with the answer.
fn read<T: DeserializeOwned>(
    reply: &Reply,
    request: &Request,
    check: &impl Fn(&T) -> Result<(), Vec<String>>,
) -> Result<T, Vec<String>> {
    if let Stop::Declined(why) = &reply.stop {
        let why = if why.is_empty() { "no reason given" } else { why };
        return Err(vec![format!("the model declines: {why}")]);
    }
    if reply.text.trim().is_empty() && reply.stop == Stop::Done {
        return Err(vec!["the answer is empty".to_owned()]);
    }
    let value = fault::read(found::json(&reply.text)).map_err(|fault| match reply.stop {
        Stop::Length => {
            let cut = format!("it was cut off at {} tokens; be shorter", request.max_tokens);
            vec![cut, fault]
        }
        Stop::Done | Stop::Declined(_) => vec![fault],
    })?;
    check(&value)?;
    Ok(value)
}

/// What a model is told about a bad answer.
fn wrong(request: &Request, faults: &[String]) -> String {
    let mut told = String::from("That answer cannot be used:\n");
    for fault in faults.iter().take(TOLD) {
        told.push_str(&format!("- {fault}\n"));
    }
    if faults.len() > TOLD {
        told.push_str(&format!("- and {} more of the kind\n", faults.len() - TOLD));
    }
    told.push_str("Answer the question above again, all of it, with that put right.");
    if let Some(schema) = &request.schema {
        told.push(' ');
        told.push_str(&schema.in_words());
    }
    told
}

fn shown_again(text: &str) -> &str {
    &text[..text.floor_char_boundary(SHOWN_AGAIN)]
}
