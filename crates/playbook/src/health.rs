//! Statistics of a playbook: counts, best and worst rules, merge candidates and contradictions.
//!
//! It proposes no changes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conflict::{ConflictReason, RuleContradiction, RuleStatement, Similarity};
use crate::rule_pairs::{PairFinder, RulePairs};
use cm_note::bullet::{Bullet, BulletState, BulletType, Maturity, Scope};
use cm_note::instant::Instant;
use cm_note::rounding::round_to_four_decimals;
use cm_note::score::Scoring;
use cm_note::score::bullet::{Band, EffectiveScore, effective, silent_days};

/// Maximum number of best rules that are listed; `MAX_LISTED_PAIRS` limits merge candidates and conflicts.
const MAX_BEST_RULES: usize = 5;
const MAX_LISTED_PAIRS: usize = 20;

/// Statistics of a playbook. Scores, merge candidates and conflicts cover only live rules: active
/// and not deprecated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlaybookHealth {
    /// All rules, including drafts and retired ones.
    pub bullets: usize,
    /// Rules that are shown to agents.
    pub live: usize,
    /// Counts by scope.
    pub by_scope: BTreeMap<Scope, usize>,
    /// Counts by maturity.
    pub by_maturity: BTreeMap<Maturity, usize>,
    /// Counts of rules and anti-patterns.
    pub by_type: BTreeMap<BulletType, usize>,
    /// Counts by state.
    pub by_state: BTreeMap<BulletState, usize>,
    /// Counts of live rules by score band.
    pub bands: BTreeMap<Band, usize>,
    /// The five live rules with the best scores above 0.
    pub top: Vec<ScoredRule>,
    /// Live rules with a score below 0, worst first.
    pub at_risk: Vec<ScoredRule>,
    /// Number of live rules without recent feedback.
    pub stale: usize,
    /// Pairs of similar live rules, most similar first.
    pub merge_candidates: Vec<MergeCandidate>,
    /// Number of such pairs; at most 20 are listed.
    pub merge_candidates_total: usize,
    /// Pairs of live rules that contradict each other.
    pub conflicts: Vec<ContradictingRules>,
    /// Number of such pairs; `cm stats` lists at most 20.
    pub conflicts_total: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredRule {
    pub id: String,
    /// Text of the rule.
    pub content: String,
    pub score: EffectiveScore,
}

/// Two similar rules that could be merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergeCandidate {
    /// IDs of the two rules.
    pub ids: [String; 2],
    /// Texts of the two rules.
    pub contents: [String; 2],
    /// Similarity, 0–1: share of common words or, for differently worded rules, the cosine of their
    /// meanings.
    pub likeness: f64,
    /// Why the rules could be merged.
    pub reason: String,
}

/// Two rules that cannot both be followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContradictingRules {
    /// IDs of the two rules.
    pub ids: [String; 2],
    /// Texts of the two rules.
    pub contents: [String; 2],
    /// Kind of contradiction.
    #[serde(rename = "ground")]
    pub reason_kind: ConflictReason,
    /// The opposed words.
    pub reason: String,
}

/// Computes the statistics of a playbook at `now`. `pairs` compares the live rules.
pub fn health(bullets: &[Bullet], now: Instant, scoring: &Scoring, pairs: &PairFinder<'_>) -> PlaybookHealth {
    let live: Vec<&Bullet> = bullets.iter().filter(|bullet| bullet.is_live()).collect();
    let pairs = pairs(&live);
    let mut health = PlaybookHealth { bullets: bullets.len(), live: live.len(), ..PlaybookHealth::default() };
    health.count(bullets);
    health.judge(&live, now, scoring);
    health.merges(&live, &pairs);
    health.conflicts(&live, &pairs);
    health
}

/// Parses the text of a rule, as agents see it, for comparison.
pub fn statement(bullet: &Bullet) -> RuleStatement {
    RuleStatement::of(&bullet.agent_text())
}

impl PlaybookHealth {
    fn count(&mut self, bullets: &[Bullet]) {
        for bullet in bullets {
            *self.by_scope.entry(bullet.scope).or_default() += 1;
            *self.by_maturity.entry(bullet.maturity).or_default() += 1;
            *self.by_type.entry(bullet.bullet_type).or_default() += 1;
            *self.by_state.entry(bullet.state).or_default() += 1;
        }
    }

    fn judge(&mut self, live: &[&Bullet], now: Instant, scoring: &Scoring) {
        let mut scored: Vec<(EffectiveScore, &Bullet)> =
            live.iter().map(|bullet| (effective(bullet, now, scoring), *bullet)).collect();
        scored.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.id.as_str().cmp(other.id.as_str())));
        for (score, _) in &scored {
            *self.bands.entry(Band::of(*score)).or_default() += 1;
        }
        let performer = |(score, bullet): &(EffectiveScore, &Bullet)| ScoredRule {
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            score: *score,
        };
        let zero = EffectiveScore::default();
        self.top =
            scored.iter().filter(|(score, _)| *score > zero).take(MAX_BEST_RULES).map(performer).collect();
        self.at_risk = scored.iter().rev().filter(|(score, _)| *score < zero).map(performer).collect();
        self.stale = live.iter().filter(|bullet| silent_days(bullet, now) >= scoring.stale_days).count();
    }

    fn merges(&mut self, live: &[&Bullet], pairs: &RulePairs) {
        let pairs = pairs.merge_candidates(live);
        self.merge_candidates_total = pairs.len();
        let candidate = |(a, b, near): (usize, usize, Similarity)| MergeCandidate {
            ids: ids(live[a], live[b]),
            contents: contents(live[a], live[b]),
            likeness: round_to_four_decimals(near.value()),
            reason: near.to_string(),
        };
        self.merge_candidates = pairs.into_iter().take(MAX_LISTED_PAIRS).map(candidate).collect();
    }

    fn conflicts(&mut self, live: &[&Bullet], pairs: &RulePairs) {
        let contradiction = |(a, b, found): &(usize, usize, RuleContradiction)| ContradictingRules {
            ids: ids(live[*a], live[*b]),
            contents: contents(live[*a], live[*b]),
            reason_kind: found.reason_kind,
            reason: found.reason.clone(),
        };
        self.conflicts = pairs.contradictions(live).into_iter().map(contradiction).collect();
        self.conflicts_total = self.conflicts.len();
    }

    /// Shortens the list of conflicts to 20; `conflicts_total` keeps the full number.
    pub fn truncated(mut self) -> Self {
        self.conflicts.truncate(MAX_LISTED_PAIRS);
        self
    }
}

fn ids(one: &Bullet, other: &Bullet) -> [String; 2] {
    [one.id.to_string(), other.id.to_string()]
}

fn contents(one: &Bullet, other: &Bullet) -> [String; 2] {
    [one.content().to_owned(), other.content().to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conflict::MinSimilarity;
    use crate::embedding_model::{NoEmbeddings, WordVectors};
    use cm_note::note::{RelationTable, TypeTable, read};
    use cm_note::path::NotePath;

    fn bullet(name: &str, keys: &str, rule: &str) -> Bullet {
        let path = NotePath::parse(&format!("playbook/testing/{name}.md")).unwrap();
        let text =
            format!("---\nid: b-mt2ssunl-{name}\ncategory: testing\nstate: active\n{keys}---\n\n{rule}\n");
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        Bullet::of(&note).unwrap()
    }

    fn of(bullets: &[Bullet]) -> PlaybookHealth {
        let least = MinSimilarity { jaccard: 0.7, cosine: 0.85 };
        let now = Instant::parse("2026-06-01").unwrap();
        let word_vectors = WordVectors::of(&NoEmbeddings);
        health(bullets, now, &Scoring::default(), &|rules| RulePairs::of(rules, least, &word_vectors))
    }

    const HELPED: &str = "feedback:\n- at: 2026-06-01T00:00:00Z\n  signal: helpful\n";
    const HARMED: &str = "feedback:\n- at: 2026-06-01T00:00:00Z\n  signal: harmful\n";

    #[test]
    fn an_empty_playbook_has_nothing() {
        assert_eq!(of(&[]), PlaybookHealth::default());
    }

    #[test]
    fn the_best_lead_and_those_below_zero_are_at_risk() {
        let bullets = [
            bullet("000001", HELPED, "Run the tests."),
            bullet("000002", HARMED, "Mock the database."),
            bullet("000003", "created: 2026-01-01\n", "Name the branch after the issue."),
            bullet("000004", "maturity: deprecated\n", "Print to debug."),
        ];
        let health = of(&bullets);
        assert_eq!((health.bullets, health.live, health.stale), (4, 3, 1));
        let rows = |list: &[ScoredRule]| -> Vec<(String, f64)> {
            list.iter().map(|one| (one.content.clone(), one.score.value())).collect()
        };
        assert_eq!(rows(&health.top), [("Run the tests.".to_owned(), 0.5)]);
        assert_eq!(rows(&health.at_risk), [("Mock the database.".to_owned(), -2.0)]);
        assert_eq!(health.bands, BTreeMap::from([(Band::Neutral, 2), (Band::AtRisk, 1)]));
        assert_eq!(health.by_maturity, BTreeMap::from([(Maturity::Candidate, 3), (Maturity::Deprecated, 1)]));
    }

    #[test]
    fn rules_of_one_category_that_say_nearly_the_same_are_worth_merging_and_opposite_ones_conflict() {
        let mut bullets = vec![
            bullet("000001", "", "Always mock the system clock in tests."),
            bullet("000002", "", "Mock the system clock in the tests."),
            bullet("000003", "", "Never mock the system clock in tests."),
        ];
        let health = of(&bullets);
        assert_eq!(health.merge_candidates_total, 1);
        assert_eq!(health.merge_candidates[0].ids, ["b-mt2ssunl-000001", "b-mt2ssunl-000002"]);
        assert_eq!((health.conflicts_total, health.conflicts[0].reason_kind), (2, ConflictReason::Polarity));
        bullets[1].category = "time".to_owned();
        assert_eq!(of(&bullets).merge_candidates_total, 0);
    }

    #[test]
    fn an_anti_pattern_agrees_with_the_rule_that_forbids_the_same() {
        let avoided = bullet("000001", "type: anti_pattern\n", "Mock the system clock in tests.");
        let forbidden = bullet("000002", "", "Never mock the system clock in tests.");
        let wanted = bullet("000003", "", "Mock the system clock in tests.");
        assert_eq!(of(&[avoided.clone(), forbidden]).conflicts_total, 0);
        assert_eq!(of(&[avoided, wanted]).conflicts_total, 1);
    }

    #[test]
    fn rules_of_two_projects_do_not_conflict() {
        let one = bullet("000001", "workspace: north\n", "Use tabs for indentation.");
        let other = bullet("000002", "workspace: south\n", "Use spaces for indentation.");
        assert_eq!(of(&[one, other]).conflicts_total, 0);
    }
}
