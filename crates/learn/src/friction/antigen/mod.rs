//! Candidates for what to avoid: the steps around the worst signs of a session, and clusters of those that are alike.
//!
//! Nothing here says what to do about it; that is written by a person or a model, and judged by the ledger.

pub mod by_pattern;
pub mod by_words;
mod window;

use schemars::JsonSchema;
use serde::Serialize;

use super::config::Rules;
use super::observed::is_reaction;
use super::record::{Log, stamp};
use super::signal::{Kind, Signal};
use window::Window;

/// What stands in a candidate for what is still to be written.
const UNWRITTEN: &str = "# TODO: write what prevents this";

/// The steps around one sign.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Candidate {
    /// The session.
    pub session_id: String,
    /// The sign.
    pub anchor_signal: Kind,
    /// When it was seen.
    pub anchor_ts: String,
    /// The session's friction.
    pub peak_friction: f64,
    /// How many steps were looked at, the sign's own among them.
    pub turns_in_window: usize,
    /// Files that they name; at most 10.
    pub files: Vec<String>,
    /// Tools that they call, and how these ended; at most 15.
    pub tool_sequence: Vec<String>,
    /// A line of each failure; at most 5.
    pub errors: Vec<String>,
    /// What the agent did last; only among the observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preceding: Option<Preceding>,
    /// Whether the person seems to correct themselves; only among the observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_suspect: Option<bool>,
    /// Words that the person used; at most 15.
    pub keywords: Vec<String>,
    /// What the person said; at most 3 messages of 500 characters.
    pub user_context: Vec<String>,
    /// What would prevent it; still to be written.
    pub inhibitory_instruction: String,
    /// The record of the sign; a session's own sign has none.
    #[serde(skip)]
    pub record: Option<usize>,
}

/// What the agent did before the sign.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Preceding {
    /// The last calls of tools.
    pub action: String,
    /// How they ended.
    pub result: String,
    /// The last failure.
    pub error: Option<String>,
}

/// Whether a sign is one around which candidates are looked for.
pub fn is_anchor(rules: Rules, kind: Kind) -> bool {
    match rules {
        Rules::Classic => matches!(
            kind,
            Kind::UserIntervention | Kind::SessionAbandoned | Kind::FalseSuccess | Kind::InterruptCascade
        ),
        Rules::Observed => is_reaction(kind),
    }
}

/// The candidates of one session, in the order of its signs. Who they are of and how bad it was is filled in later.
pub fn candidates(log: &Log, signals: &[Signal], rules: Rules) -> Vec<Candidate> {
    let mut anchors: Vec<&Signal> = signals.iter().filter(|signal| is_anchor(rules, signal.kind)).collect();
    if anchors.is_empty() && rules == Rules::Classic {
        anchors.extend(signals.last());
    }
    anchors.into_iter().filter_map(|anchor| candidate(log, anchor, rules)).collect()
}

fn candidate(log: &Log, anchor: &Signal, rules: Rules) -> Option<Candidate> {
    let window = match rules {
        Rules::Classic => Window::by_time(log, anchor.at)?,
        Rules::Observed => Window::by_record(log, anchor.record?)?,
    };
    let observed = rules == Rules::Observed;
    let messages = window.messages(observed);
    let mut errors = window.errors();
    let preceding = observed.then(|| window.preceding(errors.last()));
    errors.truncate(5);
    Some(Candidate {
        session_id: String::new(),
        anchor_signal: anchor.kind,
        anchor_ts: stamp(anchor.at),
        peak_friction: 0.0,
        turns_in_window: window.len(),
        files: window.files(observed),
        tool_sequence: window.tools(),
        errors,
        preceding,
        self_suspect: observed.then(|| messages.iter().any(|message| by_words::is_self_correction(message))),
        keywords: window::keywords(&messages),
        user_context: messages.into_iter().take(3).collect(),
        inhibitory_instruction: UNWRITTEN.to_owned(),
        record: anchor.record,
    })
}

/// The middle one of some numbers, the upper of two.
fn median(peaks: &[f64]) -> f64 {
    let mut sorted = peaks.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// The names that occur most, at most so many; those that occur as often in the order in which they were first seen.
fn most_frequent<'n>(names: impl Iterator<Item = &'n String>, most: usize) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for name in names {
        match counted.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counted.push((name, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().take(most).map(|(name, _)| name.clone()).collect()
}

/// Adds a text, if it is new and there is room.
fn add_new(texts: &mut Vec<String>, text: &str, most: usize) {
    if texts.len() < most && !texts.iter().any(|known| known == text) {
        texts.push(text.to_owned());
    }
}
