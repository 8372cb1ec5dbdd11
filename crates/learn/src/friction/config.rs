//! Weights and thresholds of both rule sets.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::signal::SignalKind;

/// Rule set that detects and weighs signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionRules {
    /// The fourteen weighted signals of the original tools, counted exactly as they count them.
    Classic,
    /// The same signals, but observed user reactions weigh more than inferences from tool output.
    #[default]
    Observed,
}

/// Friction that each kind of signal adds to a session; kinds without an entry add nothing.
pub type SignalWeights = BTreeMap<SignalKind, f64>;

/// Limits at which observations become signals or change a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FrictionThresholds {
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
    /// A stash, an abandoned session and a long pause count only if one of this many signals before
    /// them was a reaction of the person, such as a correction. Only with [`FrictionRules::Observed`].
    pub gate: usize,
    /// Number of conversations from which a topic recurs.
    pub recurring: usize,
}

impl Default for FrictionThresholds {
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
pub struct FrictionConfig {
    pub rules: FrictionRules,
    pub weights: SignalWeights,
    pub thresholds: FrictionThresholds,
}

impl FrictionConfig {
    /// Returns the default weights and thresholds of a rule set.
    pub fn of(rules: FrictionRules) -> Self {
        let table: &[(SignalKind, f64)] = match rules {
            FrictionRules::Classic => &CLASSIC,
            FrictionRules::Observed => &OBSERVED,
        };
        Self { rules, weights: table.iter().copied().collect(), thresholds: FrictionThresholds::default() }
    }

    /// Returns the friction that a signal of this kind adds; 0 if no weight is set.
    pub fn weight(&self, kind: SignalKind) -> f64 {
        self.weights.get(&kind).copied().unwrap_or(0.0)
    }
}

const CLASSIC: [(SignalKind, f64); 16] = [
    (SignalKind::UserIntervention, 10.0),
    (SignalKind::SessionAbandoned, 10.0),
    (SignalKind::FalseSuccess, 8.0),
    (SignalKind::NoResolution, 8.0),
    (SignalKind::ToolLoop, 6.0),
    (SignalKind::RapidExit, 6.0),
    (SignalKind::InterruptCascade, 5.0),
    (SignalKind::UserCurse, 5.0),
    (SignalKind::RequestInterrupted, 2.5),
    (SignalKind::ExitError, 1.0),
    (SignalKind::RepeatedQuestion, 1.0),
    (SignalKind::LongSilence, 0.5),
    (SignalKind::UserNegation, 0.5),
    (SignalKind::Compaction, 0.5),
    (SignalKind::SiblingToolError, 0.5),
    (SignalKind::ExitSuccess, 0.0),
];

const OBSERVED: [(SignalKind, f64); 18] = [
    (SignalKind::HarmDone, 15.0),
    (SignalKind::UserCorrection, 8.0),
    (SignalKind::UserCurse, 8.0),
    (SignalKind::InterruptCascade, 8.0),
    (SignalKind::ToolLoop, 6.0),
    (SignalKind::RepeatedQuestion, 5.0),
    (SignalKind::RequestInterrupted, 3.0),
    (SignalKind::FalseSuccess, 1.0),
    (SignalKind::SessionAbandoned, 1.0),
    (SignalKind::UserIntervention, 1.0),
    (SignalKind::RapidExit, 1.0),
    (SignalKind::ExitError, 0.5),
    (SignalKind::NoResolution, 0.5),
    (SignalKind::LongSilence, 0.5),
    (SignalKind::Compaction, 0.5),
    (SignalKind::SiblingToolError, 0.5),
    (SignalKind::ExitSuccess, 0.0),
    (SignalKind::Checkpoint, 0.0),
];

/// Returns the weight of a signal in the score that decides whether a session was abandoned. It
/// differs from the normal weight.
pub(super) fn abandonment_weight(kind: SignalKind) -> f64 {
    match kind {
        SignalKind::FalseSuccess => 8.0,
        SignalKind::InterruptCascade => 7.0,
        SignalKind::ToolLoop => 6.0,
        SignalKind::UserCurse => 5.0,
        SignalKind::RequestInterrupted => 4.0,
        SignalKind::RepeatedQuestion => 3.0,
        SignalKind::ExitError | SignalKind::UserNegation | SignalKind::UserCorrection => 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_weighs_the_signs_that_it_knows() {
        let classic = FrictionConfig::of(FrictionRules::Classic);
        assert_eq!(
            (classic.weight(SignalKind::UserCurse), classic.weight(SignalKind::UserCorrection)),
            (5.0, 0.0)
        );
        let observed = FrictionConfig::of(FrictionRules::Observed);
        assert_eq!(
            (observed.weight(SignalKind::UserCurse), observed.weight(SignalKind::UserNegation)),
            (8.0, 0.0)
        );
    }
}
