//! The level of confidence in what sessions show, by the number of observations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of observations from which confidence is high.
const MIN_HIGH_OBSERVATIONS: usize = 5;
/// Number of observations from which confidence is medium.
const MIN_MEDIUM_OBSERVATIONS: usize = 3;
/// Confidence in a note's frontmatter from which it counts as high, 0–1. It is also the one of a
/// repeated statement at most: repetition makes it less certain than observed behaviour.
const MIN_HIGH_VALUE: f64 = 0.8;

/// Confidence by the number of observations or conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Confidence")]
pub enum ConfidenceLevel {
    /// Fewer than three.
    Low,
    /// Three or four.
    Medium,
    /// Five or more.
    High,
}

impl ConfidenceLevel {
    /// Returns the level for a number of observations or conversations.
    pub fn of(observations: usize) -> Self {
        match observations {
            MIN_HIGH_OBSERVATIONS.. => Self::High,
            MIN_MEDIUM_OBSERVATIONS.. => Self::Medium,
            _ => Self::Low,
        }
    }

    /// Converts the `confidence` in a note's frontmatter, 0–1, to a level.
    pub fn of_value(value: f64) -> Self {
        match value {
            value if value >= MIN_HIGH_VALUE => Self::High,
            value if value >= Self::Medium.value() => Self::Medium,
            _ => Self::Low,
        }
    }

    /// Number of observations from which this is the level.
    pub(crate) fn first_observation(self) -> usize {
        match self {
            Self::High => MIN_HIGH_OBSERVATIONS,
            Self::Medium => MIN_MEDIUM_OBSERVATIONS,
            Self::Low => 0,
        }
    }

    /// Confidence in an observed preference for a note's frontmatter, 0–1.
    pub fn value(self) -> f64 {
        match self {
            Self::Low => 0.4,
            Self::Medium => 0.6,
            Self::High => 0.9,
        }
    }
}

/// Confidence, 0–1, in a statement that was made in this number of sessions: as of
/// [`ConfidenceLevel::value`], and at most 0.8.
pub fn statement_confidence(sessions: usize) -> f64 {
    ConfidenceLevel::of(sessions).value().min(MIN_HIGH_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_begins_with_its_first_observation_and_is_that_of_its_value() {
        for level in [ConfidenceLevel::Low, ConfidenceLevel::Medium, ConfidenceLevel::High] {
            assert_eq!(ConfidenceLevel::of(level.first_observation()), level);
            assert_eq!(ConfidenceLevel::of_value(level.value()), level);
            assert_eq!(ConfidenceLevel::of_value(statement_confidence(level.first_observation())), level);
        }
        assert_eq!([0, 2, 3, 4, 5].map(statement_confidence), [0.4, 0.4, 0.6, 0.6, 0.8]);
    }
}
