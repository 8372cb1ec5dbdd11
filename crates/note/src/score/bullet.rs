//! Effective score of a bullet from its feedback, and the resulting maturity.
//!
//! Score: (Σ helpful − 4 × Σ harmful) × maturity multiplier, where events decay by their half-life.
//! Only feedback affects the score; showing a bullet does not.

mod breakdown;
mod history;
mod replay;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use super::{Scoring, age, event_value};
use crate::bullet::{Bullet, Maturity};
use crate::instant::Instant;
use crate::note::{Feedback, FeedbackSignal};
use crate::rounding::round_to_four_decimals;

pub use breakdown::ScoreBreakdown;
pub use history::{PastScore, past_scores};
pub use replay::{MaturityInput, Replay, replay};

/// Effective score of a bullet: finite, ordered, negative if harm outweighs help; serialized with
/// four decimal places.
#[derive(Debug, Clone, Copy, PartialEq, Default, JsonSchema)]
#[schemars(with = "f64")]
pub struct EffectiveScore(f64);

impl EffectiveScore {
    /// Creates a score; a value that is not finite becomes 0.
    pub fn new(value: f64) -> Self {
        // `+ 0.0` makes a negative zero a plain one.
        Self(if value.is_finite() { value + 0.0 } else { 0.0 })
    }

    /// Returns the unrounded value.
    pub fn value(self) -> f64 {
        self.0
    }

    fn rounded(self) -> f64 {
        round_to_four_decimals(self.0) + 0.0
    }
}

impl Eq for EffectiveScore {}

impl PartialOrd for EffectiveScore {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EffectiveScore {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for EffectiveScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rounded())
    }
}

impl Serialize for EffectiveScore {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.rounded())
    }
}

impl<'de> Deserialize<'de> for EffectiveScore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::new)
    }
}

/// Decayed feedback of a bullet at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FeedbackTally {
    /// Σ weight × 0.5^(age ÷ half-life) of helpful events.
    pub helpful: f64,
    /// Σ weight × 0.5^(age ÷ half-life) of harmful events.
    pub harmful: f64,
    /// Number of helpful and harmful events with a decayed value of at least [`MIN_LIVE_VALUE`].
    pub live: usize,
    /// Number of helpful events of the last [`Scoring::recent_days`] days.
    pub recent_helpful: usize,
}

impl FeedbackTally {
    /// Sums up feedback at an instant. An invalid half-life acts as the default.
    pub fn of(feedback: &[Feedback], half_life_days: Option<f64>, now: Instant, scoring: &Scoring) -> Self {
        let half_life = half_life(half_life_days, scoring);
        let mut tally = Self::default();
        for event in feedback {
            let value = event_value(event, now, half_life);
            match event.signal {
                FeedbackSignal::Helpful => {
                    tally.helpful += value;
                    let recent = value > 0.0 && age(Some(event.at), now) <= scoring.recent_days;
                    tally.recent_helpful += usize::from(recent);
                }
                FeedbackSignal::Harmful => tally.harmful += value,
                FeedbackSignal::Irrelevant | FeedbackSignal::Ignored => continue,
            }
            tally.live += usize::from(at_least(value, MIN_LIVE_VALUE));
        }
        tally
    }

    /// Decayed harm divided by the decayed total, 0–1; 0 if the total is 0.
    pub fn harmful_ratio(&self) -> f64 {
        let total = self.helpful + self.harmful;
        if total > 0.0 { self.harmful / total } else { 0.0 }
    }

    /// Effective score of a bullet with this maturity.
    pub fn score(&self, maturity: Maturity, scoring: &Scoring) -> EffectiveScore {
        let multiplier = scoring.multiplier(maturity);
        EffectiveScore::new((self.helpful - scoring.harm_weight() * self.harmful) * multiplier)
    }
}

/// Effective half-life in days: the bullet's own, else the vault's. An invalid value acts as the
/// default of 90 days.
pub fn half_life(own: Option<f64>, scoring: &Scoring) -> f64 {
    let sound = |days: &f64| days.is_finite() && *days > 0.0;
    own.filter(sound)
        .or(Some(scoring.half_life_days).filter(|days| own.is_none() && sound(days)))
        .unwrap_or(Scoring::default().half_life_days)
}

pub fn effective(bullet: &Bullet, now: Instant, scoring: &Scoring) -> EffectiveScore {
    tally(bullet, now, scoring).score(bullet.maturity, scoring)
}

pub fn tally(bullet: &Bullet, now: Instant, scoring: &Scoring) -> FeedbackTally {
    FeedbackTally::of(&bullet.feedback, bullet.fields.half_life_days, now, scoring)
}

/// Reason why a bullet is deprecated by its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DeprecationReason {
    /// The harmful ratio exceeds [`Scoring::deprecated_ratio`], with at least
    /// [`Scoring::deprecated_events`] events.
    Ratio { ratio: f64 },
    /// The score is below the negative of [`Scoring::prune_harmful_threshold`].
    Score { score: EffectiveScore },
}

impl DeprecationReason {
    /// States the reason for `deprecation_reason`, with the number of harmful events.
    pub fn sentence(self, feedback: &[Feedback]) -> String {
        let events = feedback.iter().filter(|event| event.signal == FeedbackSignal::Harmful).count();
        match self {
            Self::Ratio { ratio } => {
                format!("{:.0} % of its feedback is harm ({events} harmful)", ratio * 100.0)
            }
            Self::Score { score } => format!("score {score} after {events} harmful"),
        }
    }
}

/// Effect of feedback on the maturity of a bullet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaturityChange {
    Unchanged,
    /// The maturity rises to this level.
    Promoted(Maturity),
    /// The maturity falls to this level; the bullet stays in use.
    Lowered(Maturity),
    Deprecated(DeprecationReason),
}

/// Computes the maturity from all events, each judged at its own time; age alone changes nothing.
/// Deprecated bullets stay deprecated. A maturity higher than the events justify was set by a
/// person or an import; it remains until harm is reported later (`harmed`).
pub fn verdict(
    track: MaturityInput<'_>,
    stored: Maturity,
    harmed: bool,
    scoring: &Scoring,
) -> MaturityChange {
    if stored == Maturity::Deprecated {
        return MaturityChange::Unchanged;
    }
    let own = replay(track, Maturity::Candidate, scoring);
    let judged = match own.downfall {
        None if own.peak < stored && harmed => replay(track, stored, scoring),
        _ => own,
    };
    match (judged.downfall, judged.maturity) {
        (Some(why), _) => MaturityChange::Deprecated(why),
        (None, maturity) if maturity > stored => MaturityChange::Promoted(maturity),
        (None, maturity) if maturity < stored && judged.peak >= stored => MaturityChange::Lowered(maturity),
        _ => MaturityChange::Unchanged,
    }
}

/// Returns why a bullet with this maturity is deprecated by its events at an instant; `None` if it
/// is not.
pub fn deprecation_reason(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Option<DeprecationReason> {
    replay::deprecation_of(bullet.into(), bullet.maturity, now, scoring)
}

/// Whether harm rules out the content of a bullet: its score is below the threshold, and harm was
/// reported by two sessions or persons, or a person states that the opposite is true. Reports of
/// wasted time, wrong context or outdated content do not count.
pub fn is_forbidden(bullet: &Bullet, maturity: Maturity, now: Instant, scoring: &Scoring) -> bool {
    let against = |event: &&Feedback| {
        !matches!(event.reason.as_deref(), Some("wasted_time" | "wrong_context" | "outdated"))
    };
    let voices = replay::distinct_reporters(bullet.feedback.iter().filter(against));
    let score = tally(bullet, now, scoring).score(maturity, scoring);
    let is_stated = bullet.feedback.iter().any(replay::states_opposite);
    above(-scoring.prune(), score.value()) && (voices >= 2 || is_stated)
}

/// Minimum decayed value of an event that counts as live.
pub const MIN_LIVE_VALUE: f64 = 0.25;

/// Returns the next maturity if the feedback suffices.
fn rise(maturity: Maturity, tally: &FeedbackTally, scoring: &Scoring) -> Option<Maturity> {
    let score = tally.score(maturity, scoring).value();
    let enough = match maturity {
        Maturity::Candidate => at_least(score, scoring.established_score) && tally.recent_helpful >= 1,
        Maturity::Established => {
            at_least(score, scoring.proven_score)
                && tally.recent_helpful >= 2
                && above(scoring.proven_ratio, tally.harmful_ratio())
        }
        Maturity::Proven | Maturity::Deprecated => false,
    };
    match maturity {
        Maturity::Candidate if enough => Some(Maturity::Established),
        Maturity::Established if enough => Some(Maturity::Proven),
        _ => None,
    }
}

/// Tolerance of comparisons with thresholds, so that the summation order of events cannot matter.
const TOLERANCE: f64 = 1e-9;

fn at_least(value: f64, least: f64) -> bool {
    value - least >= -TOLERANCE
}

fn above(value: f64, most: f64) -> bool {
    value - most > TOLERANCE
}

/// Days since the last feedback of any kind, or since creation if there is none; 0 if both are
/// unknown.
pub fn silent_days(bullet: &Bullet, now: Instant) -> f64 {
    let last = bullet.feedback.iter().map(|event| event.at).max();
    age(last.or(bullet.created), now)
}

/// Score for selecting the best bullets. A bullet without a rating counts as rated helpful once at
/// its creation, which decays too.
pub fn selection_score(bullet: &Bullet, now: Instant, scoring: &Scoring) -> EffectiveScore {
    let judged = bullet.feedback.iter().any(|event| event.signal.is_rating());
    if judged {
        return effective(bullet, now, scoring);
    }
    let admitted = Feedback::new(bullet.created.unwrap_or(now), FeedbackSignal::Helpful);
    FeedbackTally::of(&[admitted], bullet.fields.half_life_days, now, scoring).score(bullet.maturity, scoring)
}

/// Quality band of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Above 10.
    Excellent,
    /// Above 5.
    Good,
    /// 0 to 5.
    Neutral,
    /// Score below 0.
    AtRisk,
}

impl Band {
    pub fn of(score: EffectiveScore) -> Self {
        match score.value() {
            value if value > 10.0 => Self::Excellent,
            value if value > 5.0 => Self::Good,
            value if value >= 0.0 => Self::Neutral,
            _ => Self::AtRisk,
        }
    }

    /// Name of the band, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Excellent => "excellent",
            Self::Good => "good",
            Self::Neutral => "neutral",
            Self::AtRisk => "at risk",
        }
    }
}

#[cfg(test)]
mod tests;
