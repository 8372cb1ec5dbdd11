//! Decay score of a memory at an instant, and the resulting status.
//!
//! Pure functions of a note, its usage and `now`. Rules have another score, see [`bullet`].

pub mod bullet;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bullet::Maturity;
use crate::instant::Instant;
use crate::note::{Feedback, FeedbackSignal, Note, Priority};
use crate::rounding::round_to_four_decimals;

/// Score of a memory: finite, not negative, ordered; serialized with four decimal places.
#[derive(Debug, Clone, Copy, PartialEq, Default, JsonSchema)]
#[schemars(with = "f64")]
pub struct DecayScore(f64);

impl DecayScore {
    /// Creates a score; a value that is negative or not finite becomes 0.
    pub fn new(value: f64) -> Self {
        // `+ 0.0` makes a negative zero a plain one.
        Self(if value.is_finite() { value.max(0.0) + 0.0 } else { 0.0 })
    }

    /// Returns the unrounded value.
    pub fn value(self) -> f64 {
        self.0
    }

    fn rounded(self) -> f64 {
        round_to_four_decimals(self.0)
    }
}

impl Eq for DecayScore {}

impl PartialOrd for DecayScore {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DecayScore {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for DecayScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rounded())
    }
}

impl Serialize for DecayScore {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.rounded())
    }
}

impl<'de> Deserialize<'de> for DecayScore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::new)
    }
}

/// Access statistics of a note. They are stored outside the notes and can be lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessStatistics {
    /// Number of accesses.
    pub accesses: u64,
    pub last_access: Option<Instant>,
}

/// Constants of scoring, `[scoring]` in `cm.toml`. An invalid value (not a number, or not positive
/// for a divisor) acts as its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scoring {
    /// Decay rate of memories per day.
    pub lambda: f64,
    /// Half-life of a feedback event, in days.
    pub half_life_days: f64,
    /// Weight of harm relative to help in the score of a rule.
    pub harmful_multiplier: f64,
    /// Absolute value of the negative score at which a rule is deprecated.
    pub prune_harmful_threshold: f64,
    /// Score multipliers of candidate, established and proven bullets.
    pub multipliers: [f64; 3],
    /// Minimum score for a candidate to become established.
    pub established_score: f64,
    /// Minimum score for an established bullet to become proven.
    pub proven_score: f64,
    /// Ratio of harm below which a bullet can become proven.
    pub proven_ratio: f64,
    /// Ratio of harm above which a bullet is deprecated.
    pub deprecated_ratio: f64,
    /// Minimum number of events for deprecation by ratio.
    pub deprecated_events: usize,
    /// Number of days that count as recent.
    pub recent_days: f64,
    /// Number of days without feedback after which a bullet is stale.
    pub stale_days: f64,
    /// Factor by which ephemeral observations decay faster and critical ones slower.
    pub priority_factor: f64,
    /// Usage factor of a note without accesses; otherwise it is log2(accesses + 1).
    pub unused: f64,
    /// Importance of a note that has none.
    pub importance: f64,
    /// Score of a pinned note.
    pub pinned: f64,
    /// Minimum score of an active note.
    pub active: f64,
    /// Minimum score of a fading note, and of a note in CORE.md.
    pub fading: f64,
    /// Minimum score of a dormant note.
    pub dormant: f64,
}

impl Default for Scoring {
    fn default() -> Self {
        Self {
            lambda: 0.03,
            half_life_days: 90.0,
            harmful_multiplier: 4.0,
            prune_harmful_threshold: 3.0,
            multipliers: [0.5, 1.0, 1.5],
            established_score: 2.0,
            proven_score: 5.0,
            proven_ratio: 0.1,
            deprecated_ratio: 0.3,
            deprecated_events: 3,
            recent_days: 30.0,
            stale_days: 90.0,
            priority_factor: 4.0,
            unused: 0.5,
            importance: 0.5,
            pinned: 999.0,
            active: 0.5,
            fading: 0.2,
            dormant: 0.05,
        }
    }
}

impl Scoring {
    /// Returns the score multiplier of a maturity; 0 for deprecated bullets.
    pub fn multiplier(&self, maturity: Maturity) -> f64 {
        let default = Self::default().multipliers;
        let at = match maturity {
            Maturity::Candidate => 0,
            Maturity::Established => 1,
            Maturity::Proven => 2,
            Maturity::Deprecated => return 0.0,
        };
        if self.multipliers[at] >= 0.0 { number(self.multipliers[at], default[at]) } else { default[at] }
    }

    fn harm_weight(&self) -> f64 {
        let default = Self::default().harmful_multiplier;
        if self.harmful_multiplier >= 0.0 { number(self.harmful_multiplier, default) } else { default }
    }

    fn prune(&self) -> f64 {
        let default = Self::default().prune_harmful_threshold;
        let threshold = self.prune_harmful_threshold;
        if threshold >= 0.0 { number(threshold, default) } else { default }
    }
}

/// Status of a memory, derived from its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DecayStatus {
    /// Pinned by a person; never decays.
    Pinned,
    /// In use.
    Active,
    /// Used less and less.
    Fading,
    /// Hardly used.
    Dormant,
    /// No longer used.
    Archived,
}

impl DecayStatus {
    /// All statuses, in order of descending score.
    pub const ALL: [Self; 5] = [Self::Pinned, Self::Active, Self::Fading, Self::Dormant, Self::Archived];

    /// Name of the status in JSON, flags and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Active => "active",
            Self::Fading => "fading",
            Self::Dormant => "dormant",
            Self::Archived => "archived",
        }
    }

    pub fn of(score: DecayScore, scoring: &Scoring) -> Self {
        match score.value() {
            value if value >= scoring.pinned => Self::Pinned,
            value if value >= scoring.active => Self::Active,
            value if value >= scoring.fading => Self::Fading,
            value if value >= scoring.dormant => Self::Dormant,
            _ => Self::Archived,
        }
    }

    /// Whether the status is active or pinned.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Pinned | Self::Active)
    }
}

/// Decay score: importance × e^(−λ × days since the last access) × usage × type weight × harm.
///
/// The last access is the latest of usage and helpful feedback, else `updated`, else `created`.
/// Notes without any date, or with one after `now`, have age 0.
pub fn decay(
    note: &Note,
    usage: &AccessStatistics,
    weight: f64,
    now: Instant,
    scoring: &Scoring,
) -> DecayScore {
    if note.pinned {
        return DecayScore::new(scoring.pinned);
    }
    let importance =
        number(note.importance.unwrap_or(scoring.importance), scoring.importance).clamp(0.0, 1.0);
    let weight = if weight.is_finite() && weight >= 0.0 { weight } else { 1.0 };
    let fading = (-lambda(note, scoring) * age(last_access(note, usage), now)).exp();
    DecayScore::new(
        importance * fading * usefulness(note, usage, scoring) * weight * harm(&note.feedback, now, scoring),
    )
}

/// Decayed value of an event: weight × 0.5^(age ÷ half-life).
fn event_value(event: &Feedback, now: Instant, half_life_days: f64) -> f64 {
    let weight = number(event.weight, 0.0).clamp(0.0, 1.0);
    weight * 0.5_f64.powf(age(Some(event.at), now) / half_life_days)
}

/// Harm factor: a harmful event halves the score when new, and its effect decays with the event.
fn harm(feedback: &[Feedback], now: Instant, scoring: &Scoring) -> f64 {
    let default = Scoring::default().half_life_days;
    let half_life =
        if scoring.half_life_days > 0.0 { number(scoring.half_life_days, default) } else { default };
    let harmful = feedback.iter().filter(|event| event.signal == FeedbackSignal::Harmful);
    0.5_f64.powf(harmful.map(|event| event_value(event, now, half_life)).sum())
}

fn helpful(note: &Note) -> impl Iterator<Item = &Feedback> {
    note.feedback.iter().filter(|event| event.signal == FeedbackSignal::Helpful && event.weight > 0.0)
}

fn usefulness(note: &Note, usage: &AccessStatistics, scoring: &Scoring) -> f64 {
    match usage.accesses.saturating_add(helpful(note).count() as u64) {
        0 => number(scoring.unused, Scoring::default().unused),
        accesses => (accesses as f64 + 1.0).log2(),
    }
}

fn last_access(note: &Note, usage: &AccessStatistics) -> Option<Instant> {
    let used = helpful(note).map(|event| event.at).chain(usage.last_access).max();
    used.or(note.updated).or(note.created)
}

fn lambda(note: &Note, scoring: &Scoring) -> f64 {
    let default = Scoring::default();
    let lambda = if scoring.lambda >= 0.0 { number(scoring.lambda, default.lambda) } else { default.lambda };
    let factor = number(scoring.priority_factor, default.priority_factor);
    let factor = if factor > 0.0 { factor } else { default.priority_factor };
    match note.priority {
        Some(Priority::Ephemeral) => lambda * factor,
        Some(Priority::Critical) => lambda / factor,
        Some(Priority::Moderate) | None => lambda,
    }
}

/// Days from an instant to `now`, at least 0; 0 if unknown.
fn age(at: Option<Instant>, now: Instant) -> f64 {
    at.map_or(0.0, |at| at.days_until(now).max(0.0))
}

fn number(value: f64, otherwise: f64) -> f64 {
    if value.is_finite() { value } else { otherwise }
}

#[cfg(test)]
mod tests;
