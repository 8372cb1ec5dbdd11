//! Scores the signals of one session: its friction over time, by source, and the quality of the
//! session.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::config::{FrictionConfig, FrictionRules};
use super::observed::is_reaction;
use super::signal::{FrictionSignal, SignalKind, SignalSource};
use cm_text::named_enum;

/// Friction at the end of a session below which the session has recovered.
const MAX_RECOVERED_FRICTION: f64 = 5.0;

named_enum! {
    /// Quality of a session, the worst first.
    pub enum SessionQuality {
        /// The user gave up, with a stash or by abandoning the session, or a destructive command did harm.
        Bad = "BAD",
        /// The user was annoyed or, in the classic rules, the agent wrongly claimed success.
        Friction = "FRICTION",
        /// High friction, or more than half of the commands failed.
        Rough = "ROUGH",
        /// No notable friction.
        Ok = "OK",
        /// At most one user message.
        OneShot = "ONE-SHOT",
    }
}

/// Metrics computed from the signals of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionScore {
    pub friction: FrictionTotals,
    /// Number of commands that succeeded and failed.
    pub momentum: CommandCounts,
    pub quality: SessionQuality,
    pub by_source: BTreeMap<SignalSource, SourceFriction>,
    /// Cumulative friction after each signal; never decreases.
    pub trajectory: Vec<f64>,
    /// Notable sequences of signals.
    pub patterns: Vec<SignalPattern>,
}

/// Friction totals of a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FrictionTotals {
    /// Highest cumulative friction.
    pub peak: f64,
    /// Cumulative friction at the end of the session; equal to `peak`, because it never decreases.
    pub r#final: f64,
    /// Number of signals.
    pub total_signals: usize,
    /// Number of recoveries from high friction; always 0, because friction never decreases.
    pub learning_moments: usize,
}

/// Number of commands that succeeded and failed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CommandCounts {
    /// Number of successful commands.
    pub success_count: u32,
    /// Number of failed commands.
    pub error_count: u32,
    /// Share of failed commands, 0–1, rounded to hundredths.
    pub error_ratio: f64,
}

/// Number and weight of the signals of one source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct SourceFriction {
    /// Total weight of the signals.
    pub total_friction: f64,
    pub signal_count: u32,
    pub signals: BTreeMap<SignalKind, KindFriction>,
}

/// Number and weight of the signals of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct KindFriction {
    pub count: u32,
    /// Total weight of the signals.
    pub total_weight: f64,
}

/// Notable sequence of signals.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SignalPattern {
    /// A failure, a false claim of success, and swearing.
    FalseSuccessLoop {
        /// Kinds of the three signals.
        sequence: [SignalKind; 3],
        /// Number of occurrences.
        count: u32,
    },
    /// High friction that was overcome.
    LearningMoment {
        /// Friction at its peak.
        friction_before: f64,
        /// Friction at the end.
        friction_after: f64,
    },
}

/// Computes the friction of a session from its signals and its number of user messages.
pub fn score(signals: &[FrictionSignal], turns: usize, config: &FrictionConfig) -> FrictionScore {
    let mut by_source: BTreeMap<SignalSource, SourceFriction> = BTreeMap::new();
    let mut trajectory = Vec::with_capacity(signals.len());
    let mut running = 0.0;
    for signal in signals {
        let weight = config.weight(signal.kind).max(0.0);
        running += weight;
        trajectory.push(running);
        let source = by_source.entry(signal.source).or_default();
        source.total_friction += weight;
        source.signal_count += 1;
        let kind = source.signals.entry(signal.kind).or_default();
        kind.count += 1;
        kind.total_weight += weight;
    }
    let peak = running;
    let momentum = momentum(signals);
    let patterns = patterns(signals, peak, running, config);
    let learning_moments =
        patterns.iter().filter(|pattern| matches!(pattern, SignalPattern::LearningMoment { .. })).count();
    FrictionScore {
        quality: quality(signals, turns, peak, config),
        friction: FrictionTotals { peak, r#final: running, total_signals: signals.len(), learning_moments },
        momentum,
        by_source,
        trajectory,
        patterns,
    }
}

fn counted(signals: &[FrictionSignal], kind: SignalKind) -> u32 {
    u32::try_from(signals.iter().filter(|signal| signal.kind == kind).count()).unwrap_or(u32::MAX)
}

fn error_ratio(successes: u32, errors: u32) -> f64 {
    let all = f64::from(successes) + f64::from(errors);
    if all > 0.0 { f64::from(errors) / all } else { 0.0 }
}

fn momentum(signals: &[FrictionSignal]) -> CommandCounts {
    let success_count = counted(signals, SignalKind::ExitSuccess);
    let error_count = counted(signals, SignalKind::ExitError);
    CommandCounts {
        success_count,
        error_count,
        error_ratio: rounded(error_ratio(success_count, error_count), 100.0),
    }
}

fn quality(signals: &[FrictionSignal], turns: usize, peak: f64, config: &FrictionConfig) -> SessionQuality {
    let has = |kind: SignalKind| signals.iter().any(|signal| signal.kind == kind);
    let errors = counted(signals, SignalKind::ExitError);
    let annoyed = match config.rules {
        FrictionRules::Classic => has(SignalKind::UserCurse) || has(SignalKind::FalseSuccess),
        // A claim that a later failure belies is mostly no false one; only what people did is certain.
        FrictionRules::Observed => signals.iter().any(|signal| is_reaction(signal.kind)),
    };
    if has(SignalKind::HarmDone) || has(SignalKind::UserIntervention) || has(SignalKind::SessionAbandoned) {
        SessionQuality::Bad
    } else if annoyed {
        SessionQuality::Friction
    } else if peak >= config.thresholds.friction_peak
        || (error_ratio(counted(signals, SignalKind::ExitSuccess), errors) > 0.5 && errors > 3)
    {
        SessionQuality::Rough
    } else if turns <= 1 {
        SessionQuality::OneShot
    } else {
        SessionQuality::Ok
    }
}

fn patterns(signals: &[FrictionSignal], peak: f64, last: f64, config: &FrictionConfig) -> Vec<SignalPattern> {
    const LOOP: [SignalKind; 3] = [SignalKind::ExitError, SignalKind::FalseSuccess, SignalKind::UserCurse];
    let mut found = Vec::new();
    if peak >= config.thresholds.friction_peak && last < MAX_RECOVERED_FRICTION {
        found.push(SignalPattern::LearningMoment { friction_before: peak, friction_after: last });
    }
    let kinds: Vec<SignalKind> = signals.iter().map(|signal| signal.kind).collect();
    let loops = kinds.windows(3).filter(|three| *three == LOOP).count();
    found.extend((0..loops).map(|_| SignalPattern::FalseSuccessLoop { sequence: LOOP, count: 1 }));
    found
}

/// Rounds a value to multiples of 1/`parts`, for example to hundredths; ties round up.
pub(super) fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts + 0.5).floor() / parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn signs(kinds: &[SignalKind]) -> Vec<FrictionSignal> {
        kinds.iter().map(|kind| FrictionSignal::new(*kind, None, None, "")).collect()
    }

    fn judged(rules: FrictionRules, kinds: &[SignalKind], turns: usize) -> SessionQuality {
        score(&signs(kinds), turns, &FrictionConfig::of(rules)).quality
    }

    #[test]
    fn the_first_rule_that_fits_makes_the_quality() {
        use SignalKind::*;
        for (kinds, turns, expected) in [
            (&[UserIntervention, UserCurse][..], 2, SessionQuality::Bad),
            (&[SessionAbandoned], 2, SessionQuality::Bad),
            (&[UserCurse], 1, SessionQuality::Friction),
            (&[FalseSuccess], 2, SessionQuality::Friction),
            (&[ToolLoop, ToolLoop, RequestInterrupted, UserNegation], 2, SessionQuality::Rough),
            (&[ToolLoop, ToolLoop, RequestInterrupted], 2, SessionQuality::Ok),
            (&[ExitError; 4], 2, SessionQuality::Rough),
            (&[ExitError; 3], 2, SessionQuality::Ok),
            (
                &[
                    ExitError,
                    ExitError,
                    ExitError,
                    ExitError,
                    ExitSuccess,
                    ExitSuccess,
                    ExitSuccess,
                    ExitSuccess,
                ],
                2,
                SessionQuality::Ok,
            ),
            (&[], 1, SessionQuality::OneShot),
            (&[], 2, SessionQuality::Ok),
        ] {
            assert_eq!(judged(FrictionRules::Classic, kinds, turns), expected, "{kinds:?}");
        }
        assert_eq!(judged(FrictionRules::Observed, &[FalseSuccess], 2), SessionQuality::Ok);
        assert_eq!(judged(FrictionRules::Observed, &[UserCorrection], 2), SessionQuality::Friction);
    }

    #[test]
    fn a_failure_a_false_success_and_swearing_in_a_row_are_a_pattern() {
        use SignalKind::*;
        let config = FrictionConfig::of(FrictionRules::Classic);
        assert_eq!(score(&signs(&[ExitError, FalseSuccess, UserCurse]), 2, &config).patterns.len(), 1);
        assert!(
            score(&signs(&[ExitError, FalseSuccess, UserNegation, UserCurse]), 2, &config)
                .patterns
                .is_empty()
        );
    }

    #[test]
    fn the_ratio_of_errors_is_rounded_to_the_hundredth() {
        use SignalKind::*;
        let momentum = momentum(&signs(&[ExitError, ExitError, ExitSuccess]));
        assert_eq!((momentum.error_count, momentum.success_count, momentum.error_ratio), (2, 1, 0.67));
    }

    proptest! {
        #[test]
        fn friction_never_falls_and_its_parts_are_the_whole(kinds in prop::collection::vec(prop::sample::select(SignalKind::ALL.to_vec()), 0..40)) {
            for rules in [FrictionRules::Classic, FrictionRules::Observed] {
                let score = score(&signs(&kinds), 3, &FrictionConfig::of(rules));
                prop_assert!(score.trajectory.is_sorted());
                prop_assert_eq!(score.friction.peak, score.trajectory.last().copied().unwrap_or(0.0));
                let parts: f64 = score.by_source.values().map(|source| source.total_friction).sum();
                prop_assert_eq!(parts, score.friction.peak);
            }
        }
    }
}
