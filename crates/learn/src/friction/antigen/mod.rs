//! Antigen candidates: the steps around the worst signals of a session, and clusters of similar
//! candidates.
//!
//! This module does not propose rules: a person or a model writes them, and the ledger tracks
//! whether they help.

pub mod by_pattern;
pub mod by_words;
mod window;

use schemars::JsonSchema;
use serde::Serialize;

use super::config::FrictionRules;
use super::observed::is_reaction;
use super::record::{SessionLog, stamp};
use super::signal::{FrictionSignal, SignalKind};
use window::StepWindow;

/// Placeholder for the instruction of a candidate until a person or agent writes it.
const UNWRITTEN: &str = "# TODO: describe how to prevent this";

/// The steps around one signal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AntigenCandidate {
    /// Id of the session; empty until the sessions are combined.
    pub session_id: String,
    /// Signal around which the steps were taken.
    pub anchor_signal: SignalKind,
    /// Time of the signal, RFC 3339 with milliseconds.
    pub anchor_ts: String,
    /// Peak friction of the session; 0 until the sessions are combined.
    pub peak_friction: f64,
    /// Number of steps in the window, including the one with the signal.
    pub turns_in_window: usize,
    /// Files that the steps mention, sorted; at most 10.
    pub files: Vec<String>,
    /// Called tools, suffixed with `:ok` or `:error` where the result is available; at most 15.
    pub tool_sequence: Vec<String>,
    /// One line of each failure; at most 5.
    pub errors: Vec<String>,
    /// Last actions of the agent; observed rules only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preceding: Option<PrecedingActions>,
    /// Whether the user seems to correct themselves; observed rules only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_suspect: Option<bool>,
    /// Keywords of the user messages; at most 15.
    pub keywords: Vec<String>,
    /// User messages; at most 3, each cut to 500 characters.
    pub user_context: Vec<String>,
    /// Instruction that would prevent the problem; a placeholder until it is written.
    pub inhibitory_instruction: String,
    /// Index of the record with the signal; `None` for a signal of the whole session.
    #[serde(skip)]
    pub record: Option<usize>,
}

/// Actions of the agent before a signal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PrecedingActions {
    /// The last two tool calls, or `none`.
    pub action: String,
    /// `error`, `claimed success` or `unknown`.
    pub result: String,
    /// Line of the last failure.
    pub error: Option<String>,
}

/// Returns `true` if the rule set collects candidates around signals of this kind.
pub(crate) fn is_anchor(rules: FrictionRules, kind: SignalKind) -> bool {
    match rules {
        FrictionRules::Classic => matches!(
            kind,
            SignalKind::UserIntervention
                | SignalKind::SessionAbandoned
                | SignalKind::FalseSuccess
                | SignalKind::InterruptCascade
        ),
        FrictionRules::Observed => is_reaction(kind),
    }
}

/// Returns the candidates of one session, one per anchor signal, in log order. `session_id` and
/// `peak_friction` are filled in later.
pub fn candidates(
    log: &SessionLog,
    signals: &[FrictionSignal],
    rules: FrictionRules,
) -> Vec<AntigenCandidate> {
    let mut anchors: Vec<&FrictionSignal> =
        signals.iter().filter(|signal| is_anchor(rules, signal.kind)).collect();
    if anchors.is_empty() && rules == FrictionRules::Classic {
        anchors.extend(signals.last());
    }
    anchors.into_iter().filter_map(|anchor| candidate(log, anchor, rules)).collect()
}

fn candidate(log: &SessionLog, anchor: &FrictionSignal, rules: FrictionRules) -> Option<AntigenCandidate> {
    let window = match rules {
        FrictionRules::Classic => StepWindow::by_time(log, anchor.at)?,
        FrictionRules::Observed => StepWindow::by_record(log, anchor.record?)?,
    };
    let observed = rules == FrictionRules::Observed;
    let messages = window.messages(observed);
    let mut errors = window.errors();
    let preceding = observed.then(|| window.preceding(errors.last()));
    errors.truncate(5);
    Some(AntigenCandidate {
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

/// Returns the median of some values: the upper one for an even count, and 0 for an empty slice.
fn median(peaks: &[f64]) -> f64 {
    let mut sorted = peaks.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Returns the `most` names that occur most often; ties are in order of appearance.
fn most_frequent<'n>(names: impl Iterator<Item = &'n String>, most: usize) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for name in names {
        match counted.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => counted.push((name, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().take(most).map(|(name, _)| name.clone()).collect()
}

/// Appends `text` unless it is already in the list or the list has `most` entries.
fn add_new(texts: &mut Vec<String>, text: &str, most: usize) {
    if texts.len() < most && !texts.iter().any(|other| other == text) {
        texts.push(text.to_owned());
    }
}
