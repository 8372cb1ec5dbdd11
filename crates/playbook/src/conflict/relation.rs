//! The relation between two statements, used wherever a statement is credited, stored or refused.
//!
//! Statements are equal if their canonical forms are equal. Similarity only finds neighbours,
//! because contradictions are more similar than duplicates.

use super::similarity::{EmbeddedStatement, MinSimilarity, Similarity, name_differently, opposed};
use super::stance::Stance;
use super::{ConflictReason, RuleContradiction, RuleStatement, StatementVerdict, opposition};
use crate::embedding_model::WordVectors;

/// How a statement relates to another one: equal, contradictory, similar or unrelated.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementRelation {
    /// Both state the same: numbers, units, versions, names, negation and order agree.
    Same,
    /// At most one of the two can be followed or be true.
    Contradicts(RuleContradiction),
    /// Both are about the same subject but differ in content.
    Near(Similarity),
    /// The statements are unrelated.
    Different,
}

impl EmbeddedStatement<'_> {
    /// The relation of this statement to another. Contradiction takes precedence over similarity.
    pub fn verdict(
        &self,
        other: &Self,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
    ) -> StatementRelation {
        if self.statement.is_same(other.statement) || self.statement.is_same_but_for_remark(other.statement) {
            return StatementRelation::Same;
        }
        let verdict = StatementVerdict::of(self, other, word_vectors);
        if let Some(contradiction) = self.contradiction_by(other, verdict.as_ref(), word_vectors) {
            return StatementRelation::Contradicts(contradiction);
        }
        match verdict {
            Some(verdict) if verdict.is_credited() => StatementRelation::Same,
            Some(verdict) if verdict.is_mergeable(false) => {
                StatementRelation::Near(Similarity::Verdict(verdict.same))
            }
            _ => self
                .near(other, least, word_vectors)
                .map_or(StatementRelation::Different, StatementRelation::Near),
        }
    }

    /// Whether one statement may stand for the other, in any words.
    pub fn says_same(&self, other: &Self, word_vectors: &WordVectors<'_>) -> bool {
        self.statement.is_same(other.statement)
            || self.statement.is_same_but_for_remark(other.statement)
            || StatementVerdict::is_one_statement(self, other, word_vectors)
    }

    /// The verdict on two statements that probably say the same and do not contradict each other, by the
    /// fast model and by what was read before.
    pub(super) fn mergeable(
        &self,
        other: &Self,
        is_close: bool,
        word_vectors: &WordVectors<'_>,
    ) -> Option<StatementVerdict> {
        let verdict = StatementVerdict::prepared(self, other, word_vectors)?;
        let contradicts = || opposed(self.statement, other.statement, word_vectors).is_some();
        (verdict.is_mergeable(is_close) && !verdict.is_contradiction() && !contradicts()).then_some(verdict)
    }

    /// The contradiction with another statement, also in other words. Symmetric.
    pub fn contradiction(&self, other: &Self, word_vectors: &WordVectors<'_>) -> Option<RuleContradiction> {
        self.contradiction_by(other, StatementVerdict::of(self, other, word_vectors).as_ref(), word_vectors)
    }

    fn contradiction_by(
        &self,
        other: &Self,
        verdict: Option<&StatementVerdict>,
        word_vectors: &WordVectors<'_>,
    ) -> Option<RuleContradiction> {
        if self.statement.is_same_but_for_remark(other.statement) {
            return None;
        }
        match Stance::of(self.statement, other.statement) {
            Some(Stance::Agree) => return None,
            Some(Stance::Reversed(first, second)) => {
                return Some(RuleContradiction {
                    reason_kind: ConflictReason::Exclusive,
                    reason: format!("“{first}” against “{second}”"),
                    shared: self.statement.overlap(other.statement),
                });
            }
            Some(Stance::Rejected(thing)) => {
                return Some(RuleContradiction {
                    reason_kind: ConflictReason::Exclusive,
                    reason: format!("one demands “{thing}”, the other rejects it"),
                    shared: self.statement.overlap(other.statement),
                });
            }
            None => {}
        }
        let claimed = opposed(self.statement, other.statement, word_vectors);
        let Some(verdict) = verdict else { return claimed };
        match claimed {
            Some(claimed) => (!verdict.outweighs_claims()).then_some(claimed),
            None => {
                verdict.is_contradiction().then(|| verdict.contradiction(self.statement, other.statement))
            }
        }
    }

    /// Whether this statement repeats a blocked one in the same or similar words, or with typos.
    /// The inner `Option` is the similarity, or `None` if both are equal.
    pub fn evades(
        &self,
        blocked: &Self,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
    ) -> Option<Option<Similarity>> {
        let (one, other) = (self.statement, blocked.statement);
        if one.is_same(other) {
            return Some(None);
        }
        let (ours, theirs) = (one.canonical(), other.canonical());
        if opposed(one, other, word_vectors).is_some()
            || ours.numbers() != theirs.numbers()
            || ours.negations() != theirs.negations()
            || ours.differs_in_case(theirs)
            || ours.is_opposite(theirs)
        {
            return None;
        }
        if ours.is_rearranged_or_misspelled(theirs) {
            return Some(Some(Similarity::Words(1.0)));
        }
        // The same words in an order that says something else: "from A to B", "from B to A".
        if ours.has_words_of(theirs) || name_differently(one, other) || one.shape() != other.shape() {
            return None;
        }
        self.near(blocked, least, word_vectors).map(Some)
    }
}

impl RuleStatement {
    /// Whether two statements are equal after normalization of words and spelling.
    pub fn is_same(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }

    /// Whether two similar statements may mean the same: they do not differ in a number, name or
    /// negation, and do not contradict each other.
    pub fn may_be_one_with(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.canonical(), other.canonical());
        ours == theirs
            || ours.numbers() == theirs.numbers()
                && ours.negations() == theirs.negations()
                && !ours.differs_in_case(theirs)
                && !name_differently(self, other)
                && opposition(self, other).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding_model::NoEmbeddings;

    const LEAST: MinSimilarity = MinSimilarity { jaccard: 0.85, cosine: 0.85 };
    const PAIRS: [&str; 2] = [
        include_str!("../../../../tests/golden/same-pairs.tsv"),
        include_str!("../../../../tests/golden/same-pairs-unseen.tsv"),
    ];

    fn verdict(a: &str, b: &str) -> StatementRelation {
        let (a, b) = (RuleStatement::of(a), RuleStatement::of(b));
        let meant = |statement| EmbeddedStatement { statement, embedding: None };
        meant(&a).verdict(&meant(&b), LEAST, &WordVectors::of(&NoEmbeddings))
    }

    fn evades(rule: &str, blocked: &str) -> bool {
        let (a, b) = (RuleStatement::of(rule), RuleStatement::of(blocked));
        let meant = |statement| EmbeddedStatement { statement, embedding: None };
        meant(&a).evades(&meant(&b), LEAST, &WordVectors::of(&NoEmbeddings)).is_some()
    }

    #[test]
    fn no_statement_is_taken_for_one_that_says_something_else_in_either_order() {
        for line in PAIRS.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#')) {
            let [label, a, b] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let found = [verdict(a, b), verdict(b, a)];
            assert!(label == "same" || !found.contains(&StatementRelation::Same), "{line}: {found:?}");
            let are_distinct =
                ["number", "unit", "version", "name", "negation", "contradiction"].contains(&label);
            assert!(!(are_distinct && evades(a, b)), "blocked: {line}");
        }
    }

    #[test]
    fn a_contradiction_is_found_before_a_likeness() {
        for (a, b) in [
            ("The nightly backup job fails", "The nightly backup job succeeds"),
            ("Enable telemetry in CI", "Disable telemetry in CI"),
            (
                "Always run the whole suite before you push to main",
                "Never run the whole suite before you push to main",
            ),
        ] {
            assert!(
                matches!(verdict(a, b), StatementRelation::Contradicts(_)),
                "{a} / {b}: {:?}",
                verdict(a, b)
            );
        }
    }

    #[test]
    fn a_blocked_statement_stays_blocked_in_other_digits_spelling_and_order() {
        let blocked = "Retry a failed gauge request at once, up to five times.";
        for again in [
            "retry a failed gauge request at once, up to 5 times",
            "Up to five times, retry a failed gauge request at once",
            "Retry a failed guage request at once, up to five times",
        ] {
            assert!(evades(again, blocked), "{again}");
        }
        for other in [
            "Retry a failed gauge request at once, up to two times.",
            "Never retry a failed gauge request at once, up to five times.",
            "Retry a failed valve request at once, up to five times.",
        ] {
            assert!(!evades(other, blocked), "{other}");
        }
    }
}
