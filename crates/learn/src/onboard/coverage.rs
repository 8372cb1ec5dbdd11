//! Measures how well a playbook covers each category.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::category::{Category, of_bullet};
use cm_note::bullet::{Bullet, BulletState};

/// Level of coverage of a category, by its number of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverageLevel {
    /// No rule.
    Critical,
    /// One or two rules.
    Underrepresented,
    /// Three to ten rules.
    Adequate,
    /// More than ten rules.
    WellCovered,
}

impl CoverageLevel {
    /// Returns the level of coverage that this number of rules gives.
    pub fn of(rules: usize) -> Self {
        match rules {
            0 => Self::Critical,
            1..=2 => Self::Underrepresented,
            3..=10 => Self::Adequate,
            _ => Self::WellCovered,
        }
    }

    /// Describes the level of coverage for reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Underrepresented => "underrepresented",
            Self::Adequate => "adequate",
            Self::WellCovered => "well covered",
        }
    }

    /// Returns `true` if a category with this coverage needs more rules.
    pub fn lacks(self) -> bool {
        matches!(self, Self::Critical | Self::Underrepresented)
    }

    /// Returns how valuable another rule is in a category with this coverage, 0–1.
    pub fn need(self) -> f64 {
        match self {
            Self::Critical => 1.0,
            Self::Underrepresented => 0.6,
            Self::Adequate => 0.2,
            Self::WellCovered => 0.0,
        }
    }
}

/// Number of rules from which a category has adequate coverage.
const MIN_ADEQUATE_RULES: usize = 3;

/// Coverage of one category, with its number of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CategoryCoverage {
    pub category: Category,
    pub coverage: CoverageLevel,
    /// Number of rules and anti-patterns, including drafts.
    pub rules: usize,
    /// Number of drafts, which are waiting for review by a person.
    pub drafts: usize,
}

impl CategoryCoverage {
    /// Returns the number of rules missing until the category is adequately covered.
    pub fn missing_rules(&self) -> usize {
        MIN_ADEQUATE_RULES.saturating_sub(self.rules)
    }
}

/// Returns the coverage of each category, in the order of [`Category::ALL`], and the number of
/// bullets without a category.
pub fn coverage<'a>(bullets: impl IntoIterator<Item = &'a Bullet>) -> (Vec<CategoryCoverage>, usize) {
    let mut counted = [(0, 0); Category::ALL.len()];
    let mut elsewhere = 0;
    for bullet in bullets.into_iter().filter(|bullet| bullet.is_standing()) {
        let of = of_bullet(bullet);
        elsewhere += usize::from(of.is_empty());
        for (category, (rules, drafts)) in Category::ALL.iter().zip(&mut counted) {
            if of.contains(category) {
                *rules += 1;
                *drafts += usize::from(bullet.state == BulletState::Draft);
            }
        }
    }
    let covered = Category::ALL.into_iter().zip(counted).map(|(category, (rules, drafts))| {
        CategoryCoverage { category, coverage: CoverageLevel::of(rules), rules, drafts }
    });
    (covered.collect(), elsewhere)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::test_bullets;
    use super::*;
    use cm_note::bullet::Maturity;

    fn bullet(category: &str, state: BulletState, maturity: Maturity) -> Bullet {
        Bullet { state, maturity, ..test_bullets::bullet(category, "Say nothing.") }
    }

    #[test]
    fn the_four_degrees_begin_where_they_are_stated_to() {
        let degrees = [0, 1, 2, 3, 10, 11].map(|n| CoverageLevel::of(n).words());
        let expected =
            ["critical", "underrepresented", "underrepresented", "adequate", "adequate", "well covered"];
        assert_eq!(degrees, expected);
    }

    #[test]
    fn drafts_count_and_what_is_retired_or_deprecated_does_not() {
        let bullets = [
            bullet("git", BulletState::Active, Maturity::Candidate),
            bullet("git", BulletState::Draft, Maturity::Candidate),
            bullet("git", BulletState::Retired, Maturity::Proven),
            bullet("git", BulletState::Active, Maturity::Deprecated),
            bullet("cooking", BulletState::Active, Maturity::Candidate),
        ];
        let (covered, elsewhere) = coverage(&bullets);
        let git = covered.iter().find(|covered| covered.category == Category::Git).unwrap();
        assert_eq!((git.rules, git.drafts, git.missing_rules(), elsewhere), (2, 1, 1, 1));
        assert_eq!(covered.iter().map(|covered| covered.category).collect::<Vec<_>>(), Category::ALL);
    }

    proptest! {
        #[test]
        fn a_further_rule_never_makes_a_category_less_covered(
            names in prop::collection::vec("(git|docs|tests|perf|other)", 0..30), more in "(git|docs|other)"
        ) {
            let all: Vec<Bullet> =
                names.iter().map(|name| bullet(name, BulletState::Active, Maturity::Candidate)).collect();
            let added = bullet(&more, BulletState::Active, Maturity::Candidate);
            let before = coverage(&all).0;
            let after = coverage(all.iter().chain([&added])).0;
            prop_assert!(before.iter().zip(&after).all(|(a, b)| a.coverage <= b.coverage && a.rules <= b.rules));
        }
    }
}
