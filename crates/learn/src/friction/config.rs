//! Weights and thresholds of both rule sets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::signal::Kind;

/// Rule set that detects and weighs signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// The fourteen weighted signals of the original tools, counted exactly as they count them.
    Classic,
    /// The same signals, but observed user reactions weigh more than inferences from tool output.
    #[default]
    Observed,
}

/// Friction that each kind of signal adds to a session; kinds without an entry add nothing.
pub type Weights = BTreeMap<Kind, f64>;

/// Limits at which observations become signals or change a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Thresholds {
    /// Minimum friction of a high-friction session.
    pub friction_peak: f64,
    /// Minimum number of interventions per high-friction session for the verdict `USEFUL`.
    pub intervention_predictability: f64,
    /// Minimum ratio of user and tool friction to agent friction; below it the verdict is `BLOAT`.
    pub signal_noise_ratio: f64,
    /// A gap between user messages that is longer than this many minutes is a silence.
    pub long_silence_minutes: f64,
    /// Maximum seconds between two interruptions of a cascade.
    pub cascade_seconds: f64,
    /// Number of identical calls from which they are a loop.
    pub loop_count: u32,
    /// Minimum abandonment score of the last five signals for a session to count as abandoned.
    pub abandoned: f64,
    /// Number of preceding signals that must include a reaction for a stash, an abandoned session
    /// or a silence to count; observed rules only.
    pub gate: usize,
    /// Number of conversations from which a topic recurs.
    pub recurring: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            friction_peak: 15.0,
            intervention_predictability: 0.5,
            signal_noise_ratio: 1.5,
            long_silence_minutes: 10.0,
            cascade_seconds: 60.0,
            loop_count: 3,
            abandoned: 8.0,
            gate: 8,
            recurring: 3,
        }
    }
}

/// A rule set with its weights and thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Config {
    pub rules: Rules,
    pub weights: Weights,
    pub thresholds: Thresholds,
}

impl Config {
    /// Returns the defaults of a rule set.
    pub fn of(rules: Rules) -> Self {
        let table: &[(Kind, f64)] = match rules {
            Rules::Classic => &CLASSIC,
            Rules::Observed => &OBSERVED,
        };
        Self { rules, weights: table.iter().copied().collect(), thresholds: Thresholds::default() }
    }

    /// Returns the weight of a kind of signal; 0 if it has none.
    pub fn weight(&self, kind: Kind) -> f64 {
        self.weights.get(&kind).copied().unwrap_or(0.0)
    }
}

const CLASSIC: [(Kind, f64); 16] = [
    (Kind::UserIntervention, 10.0),
    (Kind::SessionAbandoned, 10.0),
    (Kind::FalseSuccess, 8.0),
    (Kind::NoResolution, 8.0),
    (Kind::ToolLoop, 6.0),
    (Kind::RapidExit, 6.0),
    (Kind::InterruptCascade, 5.0),
    (Kind::UserCurse, 5.0),
    (Kind::RequestInterrupted, 2.5),
    (Kind::ExitError, 1.0),
    (Kind::RepeatedQuestion, 1.0),
    (Kind::LongSilence, 0.5),
    (Kind::UserNegation, 0.5),
    (Kind::Compaction, 0.5),
    (Kind::SiblingToolError, 0.5),
    (Kind::ExitSuccess, 0.0),
];

const OBSERVED: [(Kind, f64); 17] = [
    (Kind::UserCorrection, 8.0),
    (Kind::UserCurse, 8.0),
    (Kind::InterruptCascade, 8.0),
    (Kind::ToolLoop, 6.0),
    (Kind::RepeatedQuestion, 5.0),
    (Kind::RequestInterrupted, 3.0),
    (Kind::FalseSuccess, 1.0),
    (Kind::SessionAbandoned, 1.0),
    (Kind::UserIntervention, 1.0),
    (Kind::RapidExit, 1.0),
    (Kind::ExitError, 0.5),
    (Kind::NoResolution, 0.5),
    (Kind::LongSilence, 0.5),
    (Kind::Compaction, 0.5),
    (Kind::SiblingToolError, 0.5),
    (Kind::ExitSuccess, 0.0),
    (Kind::Checkpoint, 0.0),
];

/// Returns the weight of a signal in the abandonment score, which differs from its normal weight.
pub(super) fn at_the_end(kind: Kind) -> f64 {
    match kind {
        Kind::FalseSuccess => 8.0,
        Kind::InterruptCascade => 7.0,
        Kind::ToolLoop => 6.0,
        Kind::UserCurse => 5.0,
        Kind::RequestInterrupted => 4.0,
        Kind::RepeatedQuestion => 3.0,
        Kind::ExitError | Kind::UserNegation | Kind::UserCorrection => 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_weighs_the_signs_that_it_knows() {
        let classic = Config::of(Rules::Classic);
        assert_eq!((classic.weight(Kind::UserCurse), classic.weight(Kind::UserCorrection)), (5.0, 0.0));
        let observed = Config::of(Rules::Observed);
        assert_eq!((observed.weight(Kind::UserCurse), observed.weight(Kind::UserNegation)), (8.0, 0.0));
    }
}
