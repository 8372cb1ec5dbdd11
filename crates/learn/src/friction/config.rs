//! The numbers of both sets of rules, as data: what each sign weighs, and from where on something counts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::signal::Kind;

/// Which rules judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// The fourteen weighted signs that other tools count, as they count them.
    Classic,
    /// The same signs, where what people were seen to do weighs more than what is only inferred.
    #[default]
    Observed,
}

/// How much each kind of sign adds to a session's friction. A kind that is not in it adds nothing.
pub type Weights = BTreeMap<Kind, f64>;

/// From where on something counts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Thresholds {
    /// The friction from which a session counts as one of high friction.
    pub friction_peak: f64,
    /// The share of such sessions that must end in an intervention for the verdict "useful".
    pub intervention_predictability: f64,
    /// How much more must come from people and tools than from agents for the same.
    pub signal_noise_ratio: f64,
    /// Minutes without a word from the person that make a silence.
    pub long_silence_minutes: f64,
    /// Seconds within which two interruptions are a cascade.
    pub cascade_seconds: f64,
    /// How often the same call makes a loop.
    pub loop_count: u32,
    /// The weight of the last five signs from which a session was abandoned.
    pub abandoned: f64,
    /// How many signs before a stash, an end or a silence a reaction may lie to count.
    pub gate: usize,
    /// In how many conversations something must come up to recur.
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

/// Rules with their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Config {
    /// Which rules judge.
    pub rules: Rules,
    /// What each sign weighs.
    pub weights: Weights,
    /// From where on something counts.
    pub thresholds: Thresholds,
}

impl Config {
    /// The numbers that belong to a set of rules.
    pub fn of(rules: Rules) -> Self {
        let table: &[(Kind, f64)] = match rules {
            Rules::Classic => &CLASSIC,
            Rules::Observed => &OBSERVED,
        };
        Self { rules, weights: table.iter().copied().collect(), thresholds: Thresholds::default() }
    }

    /// What a sign weighs.
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

/// What a sign among the last five counts when it is asked whether a session was abandoned; not its weight.
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
