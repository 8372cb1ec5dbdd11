//! What the feedback of a bullet comes to: its effective score, and the maturity that follows from it.
//!
//! 03-scoring: (Σ helpful − 4 × Σ harmful) × maturity multiplier, each event fading by its half-life. Showing a bullet
//! moves nothing here; only feedback does.

mod parts;
mod replay;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use super::{Scoring, age, event_value};
use crate::bullet::{Bullet, Maturity};
use crate::instant::Instant;
use crate::note::{Feedback, Signal};

pub use parts::Parts;
pub use replay::{Replay, Track, replay};

/// The effective score of a bullet: finite, ordered, below 0 where harm outweighs help; written with four digits.
#[derive(Debug, Clone, Copy, PartialEq, Default, JsonSchema)]
#[schemars(with = "f64")]
pub struct Effective(f64);

impl Effective {
    /// Takes a number; what is not finite counts as 0.
    pub fn new(value: f64) -> Self {
        // `+ 0.0` makes a negative zero a plain one.
        Self(if value.is_finite() { value + 0.0 } else { 0.0 })
    }

    /// The number, with all its digits.
    pub fn value(self) -> f64 {
        self.0
    }

    fn rounded(self) -> f64 {
        (self.0 * 10_000.0).round() / 10_000.0 + 0.0
    }
}

impl Eq for Effective {}

impl PartialOrd for Effective {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Effective {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Display for Effective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rounded())
    }
}

impl Serialize for Effective {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.rounded())
    }
}

impl<'de> Deserialize<'de> for Effective {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::new)
    }
}

/// How much help and harm of a bullet still counts at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Σ weight × 0.5^(age ÷ half-life) of helpful events.
    pub helpful: f64,
    /// The same of harmful events.
    pub harmful: f64,
    /// Helpful and harmful events of which at least [`LIVE`] is left.
    pub live: usize,
    /// Helpful events of the last [`Scoring::recent_days`].
    pub recent_helpful: usize,
}

impl Tally {
    /// What this feedback comes to. A half-life that makes no sense acts as the default one.
    pub fn of(feedback: &[Feedback], half_life_days: Option<f64>, now: Instant, scoring: &Scoring) -> Self {
        let half_life = half_life(half_life_days, scoring);
        let mut tally = Self::default();
        for event in feedback {
            let value = event_value(event, now, half_life);
            match event.signal {
                Signal::Helpful => {
                    tally.helpful += value;
                    let recent = value > 0.0 && age(Some(event.at), now) <= scoring.recent_days;
                    tally.recent_helpful += usize::from(recent);
                }
                Signal::Harmful => tally.harmful += value,
                Signal::Irrelevant => continue,
            }
            tally.live += usize::from(at_least(value, LIVE));
        }
        tally
    }

    /// Decayed harm ÷ decayed total, 0–1; 0 where nothing counts any more.
    pub fn harmful_ratio(&self) -> f64 {
        let total = self.helpful + self.harmful;
        if total > 0.0 { self.harmful / total } else { 0.0 }
    }

    /// The effective score of a bullet of that maturity.
    pub fn score(&self, maturity: Maturity, scoring: &Scoring) -> Effective {
        let multiplier = scoring.multiplier(maturity);
        Effective::new((self.helpful - scoring.harm_weight() * self.harmful) * multiplier)
    }
}

/// The half-life that counts: the bullet's own, else the vault's, else 90 days.
pub fn half_life(own: Option<f64>, scoring: &Scoring) -> f64 {
    let sound = |days: &f64| days.is_finite() && *days > 0.0;
    own.filter(sound)
        .or(Some(scoring.half_life_days).filter(|days| own.is_none() && sound(days)))
        .unwrap_or(Scoring::default().half_life_days)
}

/// The effective score of a bullet at an instant.
pub fn effective(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Effective {
    tally(bullet, now, scoring).score(bullet.maturity, scoring)
}

/// What the feedback of a bullet comes to at an instant.
pub fn tally(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Tally {
    Tally::of(&bullet.feedback, bullet.fields.half_life_days, now, scoring)
}

/// Why a bullet is deprecated by its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Downfall {
    /// Harm is more than [`Scoring::deprecated_ratio`] of what still counts, after enough events.
    Ratio {
        /// The ratio.
        ratio: f64,
    },
    /// The score is below the threshold.
    Score {
        /// The score.
        score: Effective,
    },
}

/// What the feedback of a bullet makes of its maturity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// It stays.
    Stays,
    /// It rises to this one.
    Rises(Maturity),
    /// It sinks to this one, and is followed still.
    Sinks(Maturity),
    /// It falls to `deprecated`.
    Falls(Downfall),
}

/// The maturity that the events of a note come to, each judged at its own instant; age alone changes none. A deprecated
/// note stays so. A maturity that the events never reached was given by a person or an import, and is kept until harm is
/// reported after it: `harmed` says that it just was.
pub fn verdict(track: Track<'_>, stored: Maturity, harmed: bool, scoring: &Scoring) -> Verdict {
    if stored == Maturity::Deprecated {
        return Verdict::Stays;
    }
    let own = replay(track, Maturity::Candidate, scoring);
    let judged = match own.downfall {
        None if own.peak < stored && harmed => replay(track, stored, scoring),
        _ => own,
    };
    match (judged.downfall, judged.maturity) {
        (Some(why), _) => Verdict::Falls(why),
        (None, maturity) if maturity > stored => Verdict::Rises(maturity),
        (None, maturity) if maturity < stored && judged.peak >= stored => Verdict::Sinks(maturity),
        _ => Verdict::Stays,
    }
}

/// Why a bullet of this maturity falls with the events that it has, judged at an instant.
pub fn downfall(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Option<Downfall> {
    replay::falls(bullet.into(), bullet.maturity, now, scoring)
}

/// Whether harm forbids what a bullet says: its score is below the threshold, and two sessions or persons, or one person
/// who says so, reported harm that speaks against its content. Wasted time, a wrong context and age do not.
pub fn is_forbidden(
    bullet: &Bullet,
    maturity: Maturity,
    said: bool,
    now: Instant,
    scoring: &Scoring,
) -> bool {
    let against = |event: &&Feedback| {
        !matches!(event.reason.as_deref(), Some("wasted_time" | "wrong_context" | "outdated"))
    };
    let voices = replay::voices(bullet.feedback.iter().filter(against));
    let score = tally(bullet, now, scoring).score(maturity, scoring);
    above(-scoring.prune(), score.value()) && (voices >= 2 || said && voices == 1)
}

/// An event of which less is left is no longer live.
pub const LIVE: f64 = 0.25;

/// The next maturity, where the feedback is enough for it.
fn rise(maturity: Maturity, tally: &Tally, scoring: &Scoring) -> Option<Maturity> {
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

/// How close to a threshold is on it: a sum of tenths must not fall short of one, or pass it, by the order of the events.
const EXACT: f64 = 1e-9;

fn at_least(value: f64, least: f64) -> bool {
    value - least >= -EXACT
}

fn above(value: f64, most: f64) -> bool {
    value - most > EXACT
}

/// Days since a bullet last got feedback of any kind; since it was made where it got none. 0 where nothing tells.
pub fn silent_days(bullet: &Bullet, now: Instant) -> f64 {
    let last = bullet.feedback.iter().map(|event| event.at).max();
    age(last.or(bullet.created), now)
}

/// What a bullet counts where the best few are chosen. A bullet that nobody has judged yet counts as if it had been
/// found helpful once when it was made: somebody let it in, and that fades too.
pub fn standing(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Effective {
    let judged = bullet.feedback.iter().any(|event| event.signal != Signal::Irrelevant);
    if judged {
        return effective(bullet, now, scoring);
    }
    let admitted = Feedback::new(bullet.created.unwrap_or(now), Signal::Helpful);
    Tally::of(&[admitted], bullet.fields.half_life_days, now, scoring).score(bullet.maturity, scoring)
}

/// How good a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Above 10.
    Excellent,
    /// Above 5.
    Good,
    /// 0 to 5.
    Neutral,
    /// Below 0.
    AtRisk,
}

impl Band {
    /// The band of a score.
    pub fn of(score: Effective) -> Self {
        match score.value() {
            value if value > 10.0 => Self::Excellent,
            value if value > 5.0 => Self::Good,
            value if value >= 0.0 => Self::Neutral,
            _ => Self::AtRisk,
        }
    }

    /// Its name in words.
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
