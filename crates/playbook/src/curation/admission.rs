//! Checks whether a proposed rule may enter the playbook: form, duplicates, blocks,
//! conflicts, near duplicates, the quota, and the evidence gate, in this order.

use super::bullet_index::BulletIndex;
use super::delta::ExcludedRule;
use super::history::{GateDecision, RuleEvidenceSource, SessionCounts};
use super::{Authority, CurationLimits, later_word};
use crate::conflict::{EmbeddedStatement, RuleStatement, Similarity};
use crate::embedding_model::WordVectors;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::content::{self, InvalidRule, RuleHash};
use cm_note::bullet::{Bullet, BulletState, BulletType, RuleScope};
use cm_note::note::check::is_category;
use cm_note::note::suspicion::{payload, suspicion};

/// Indices of bullets, each with the reason for display.
type BulletReasons = Vec<(usize, String)>;

#[derive(Debug, Clone, Copy)]
pub struct ProposedRule<'a> {
    /// Text of the rule, as proposed.
    pub content: &'a str,
    pub category: &'a str,
    pub bullet_type: BulletType,
    /// Scope of the rule. Only rules whose scopes overlap can be duplicates or conflict.
    pub rule_scope: RuleScope<'a>,
    /// Rules that cannot hold together with this one, if a person stated it.
    pub excludes: &'a [ExcludedRule],
}

/// The existing rules, patterns and evidence that a proposed rule is checked against.
#[derive(Clone, Copy)]
pub struct AdmissionCheck<'a> {
    /// The playbook that would contain the rule.
    pub bullet_index: &'a BulletIndex,
    /// Bullets of other vaults that apply in the same workspace.
    pub other_vaults: &'a BulletIndex,
    /// Blocked patterns of this and all other vaults.
    pub blocked: &'a [BlockedNote],
    /// Limits and thresholds of curation.
    pub limits: &'a CurationLimits,
    /// Lookup of past sessions that support or refute the rule.
    pub history: &'a dyn RuleEvidenceSource,
    /// Embedding model for comparing words and rules by meaning.
    pub word_vectors: &'a WordVectors<'a>,
    /// On whose authority the rule is proposed; decides whether it may be active at once.
    pub authority: Authority,
}

/// Result of the admission check.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// The text is not a valid rule.
    Malformed(InvalidRule),
    /// The category is invalid.
    BadCategory,
    /// An equal bullet exists.
    Duplicate {
        /// Index of the existing bullet in the playbook.
        at: usize,
        /// Whether the existing bullet has a different wording.
        reworded: bool,
    },
    /// Another vault already has an equal bullet.
    Elsewhere {
        /// ID of that bullet.
        id: String,
    },
    /// A blocked pattern forbids the rule.
    Blocked {
        /// ID of the blocked pattern.
        id: String,
        /// Reason why the pattern is blocked, if recorded.
        reason: Option<String>,
        /// Similarity between the rule and the blocked pattern; `None` if they are equal.
        near: Option<Similarity>,
    },
    /// An equal bullet exists but is deprecated; proposing the rule again does not revive it.
    Deprecated {
        /// Index of the deprecated bullet.
        at: usize,
    },
    /// The rule failed in past sessions, with their counts.
    Failed(SessionCounts),
    /// The rule may enter the playbook, as an active bullet or as a draft.
    Admitted(AdmittedRule),
}

/// A bullet of another vault that contradicts a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictElsewhere {
    /// ID of the bullet.
    pub id: String,
    /// Text of the bullet.
    pub content: String,
    /// Reason for display.
    pub reason: String,
}

/// A rule that may enter the playbook.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittedRule {
    /// Text of the rule with folded white space.
    pub rule: String,
    /// Whether the rule becomes active or a draft for review.
    pub state: BulletState,
    /// Reasons why the rule is only a draft; empty if it is active.
    pub because: Vec<String>,
    /// Index of an existing bullet of which the new rule is a more precise form.
    pub refines: Option<usize>,
    /// Indices of similar bullets that are not duplicates, most similar first.
    pub neighbours: Vec<(usize, Similarity)>,
    /// Indices of bullets that contradict the rule, with the reason for display.
    pub conflicts: Vec<(usize, String)>,
    /// Indices of bullets that the rule replaces, with the reason for display; empty for a draft.
    pub replaced: Vec<(usize, String)>,
    /// Bullets of other vaults that contradict the rule.
    pub conflicts_elsewhere: Vec<ConflictElsewhere>,
    /// Numbers of past sessions that support or refute the rule.
    pub evidence: SessionCounts,
    /// Level of support that the past sessions give the rule.
    pub gate: GateDecision,
}

impl AdmittedRule {
    /// Adds the replaced bullets to an admitted rule; to a draft as contradictions, because it replaces
    /// nothing.
    fn replacing(mut self, replaced: BulletReasons) -> Self {
        match self.state {
            BulletState::Active => self.replaced = replaced,
            _ => self.conflicts.extend(replaced),
        }
        self
    }
}

impl AdmissionCheck<'_> {
    pub fn admit(&self, candidate: ProposedRule<'_>) -> Admission {
        let rule = match content::rule(candidate.content) {
            Ok(rule) => rule,
            Err(error) => return Admission::Malformed(error),
        };
        if !is_category(candidate.category) {
            return Admission::BadCategory;
        }
        let agent_text = content::agent_text(&rule, candidate.bullet_type);
        let rule_scope = candidate.rule_scope;
        let meets = |bullet: &Bullet| bullet.rule_scope().overlaps(&rule_scope);
        let standing = |bullet: &Bullet| bullet.is_standing() && meets(bullet);
        if let Some(at) = self.bullet_index.exact(&agent_text, standing) {
            return Admission::Duplicate { at, reworded: false };
        }
        let statement = self.word_vectors.embed(&agent_text);
        let embedded = statement.embedded();
        if let Some(blocked) = self.blocked(&rule, embedded) {
            return blocked;
        }
        let (replaced, excluded) = self.excluded(&candidate);
        let is_stated = self.history.is_admitted(&rule);
        let returns = |bullet: &Bullet| later_word::returns(self.bullet_index, bullet, &replaced, is_stated);
        let given_up = |bullet: &Bullet| !bullet.is_standing() && meets(bullet) && !returns(bullet);
        if let Some(at) = self.bullet_index.exact(&agent_text, given_up) {
            return Admission::Deprecated { at };
        }
        // A program's proposals come from the project's sessions: what its vault learns does not depend on
        // what the person's own vault has.
        let is_elsewhere = |bullet: &Bullet| self.authority == Authority::Person && standing(bullet);
        if let Some(at) = self.other_vaults.exact(&agent_text, is_elsewhere) {
            return Admission::Elsewhere { id: self.other_vaults.get(at).id.to_string() };
        }
        // What says the same as a rule that is followed contradicts nothing that the rule does not.
        if let Some(at) = self.bullet_index.same(embedded, self.word_vectors, standing) {
            return Admission::Duplicate { at, reworded: true };
        }
        if let Some(at) = self.bullet_index.same(embedded, self.word_vectors, given_up) {
            return Admission::Deprecated { at };
        }
        if let Some(at) = self.other_vaults.same(embedded, self.word_vectors, is_elsewhere) {
            return Admission::Elsewhere { id: self.other_vaults.get(at).id.to_string() };
        }
        let mut conflicts = self.bullet_index.opposed(embedded, self.word_vectors, standing);
        conflicts.retain(|(at, _)| replaced.iter().chain(&excluded).all(|(other, _)| at != other));
        conflicts.extend(excluded);
        let conflicts_elsewhere = self.opposed_elsewhere(embedded, &rule_scope);
        let refines = self.bullet_index.refined(embedded, self.word_vectors, standing);
        let mut neighbours =
            self.bullet_index.neighbours(embedded, self.limits.duplicate(), self.word_vectors, standing);
        neighbours.retain(|(at, _)| Some(*at) != refines);
        neighbours.retain(|(at, _)| replaced.iter().all(|(other, _)| at != other));
        let refines = refines.filter(|at| replaced.iter().all(|(other, _)| at != other));
        match self.judge(rule, candidate, conflicts, conflicts_elsewhere) {
            Admission::Admitted(admitted) => {
                Admission::Admitted(AdmittedRule { refines, neighbours, ..admitted }.replacing(replaced))
            }
            other => other,
        }
    }

    /// Returns [`Admission::Blocked`] if a blocked pattern matches the rule by its text or meaning.
    pub fn blocked(&self, rule: &str, meant: EmbeddedStatement<'_>) -> Option<Admission> {
        let hash = RuleHash::of(rule);
        let toxic = || self.blocked.iter().filter(|blocked| blocked.kind == BlockKind::Toxic);
        let found = |blocked: &BlockedNote, near: Option<Similarity>| Admission::Blocked {
            id: blocked.id.to_string(),
            reason: blocked.fields.reason.clone(),
            near,
        };
        if let Some(same) = toxic().find(|blocked| blocked.hash() == Some(hash)) {
            return Some(found(same, None));
        }
        toxic().find_map(|blocked| Some(found(blocked, self.evades(meant, blocked.text())?)))
    }

    /// Returns `Some` if a rule rewords a blocked one. The inner value is their similarity, or
    /// `None` if both are equal.
    fn evades(&self, rule: EmbeddedStatement<'_>, blocked: &str) -> Option<Option<Similarity>> {
        let statement = RuleStatement::of(blocked);
        let embedding = self.word_vectors.text(blocked);
        let other = EmbeddedStatement { statement: &statement, embedding: embedding.as_ref() };
        rule.evades(&other, self.limits.block(), self.word_vectors)
    }

    fn opposed_elsewhere(
        &self,
        rule: EmbeddedStatement<'_>,
        rule_scope: &RuleScope<'_>,
    ) -> Vec<ConflictElsewhere> {
        let of = |(at, reason): (usize, String)| {
            let bullet = self.other_vaults.get(at);
            ConflictElsewhere { id: bullet.id.to_string(), content: bullet.content().to_owned(), reason }
        };
        self.other_vaults
            .opposed(rule, self.word_vectors, |bullet| {
                bullet.is_live() && bullet.rule_scope().overlaps(rule_scope)
            })
            .into_iter()
            .map(of)
            .collect()
    }

    fn judge(
        &self,
        rule: String,
        candidate: ProposedRule<'_>,
        conflicts: Vec<(usize, String)>,
        conflicts_elsewhere: Vec<ConflictElsewhere>,
    ) -> Admission {
        let evidence = self.history.evidence(&rule);
        let category = candidate.category;
        let gate = match (GateDecision::of(&evidence), candidate.bullet_type) {
            // Sessions that failed with what is to be avoided do not speak against avoiding it.
            (GateDecision::Refused, BulletType::AntiPattern) => GateDecision::Draft,
            (gate, _) => gate,
        };
        let mut because = Vec::new();
        // A draft holds nowhere: a rule that contradicts one is not a draft by that.
        let contradicts = conflicts.iter().any(|(at, _)| self.bullet_index.get(*at).is_live());
        if contradicts || !conflicts_elsewhere.is_empty() {
            because.push("it contradicts another rule".to_owned());
        }
        let active = self.bullet_index.live_in(category);
        if active >= self.limits.max_per_category {
            because.push(format!("`{category}` already has {active} active rules"));
        }
        let doubt = match self.authority {
            Authority::Person => suspicion(&rule),
            Authority::Automation => payload(&rule),
        };
        because.extend(doubt.map(str::to_owned));
        match (self.authority, gate) {
            (Authority::Automation, GateDecision::Refused) if !self.history.is_admitted(&rule) => {
                return Admission::Failed(evidence);
            }
            (Authority::Automation, GateDecision::Draft) if !self.history.is_admitted(&rule) => {
                because.push(match evidence.sessions {
                    0 => "no session supports it".to_owned(),
                    1 => "only one session mentions it".to_owned(),
                    _ => format!(
                        "{} sessions succeeded with it and {} failed",
                        evidence.successes, evidence.failures
                    ),
                });
            }
            _ => {}
        }
        let state = if because.is_empty() { BulletState::Active } else { BulletState::Draft };
        Admission::Admitted(AdmittedRule {
            rule,
            state,
            because,
            refines: None,
            neighbours: Vec::new(),
            conflicts,
            replaced: Vec::new(),
            conflicts_elsewhere,
            evidence,
            gate,
        })
    }

    /// Returns the bullets that an admitted rule replaces, and those that it contradicts and cannot
    /// replace. A rule that is only proposed has none.
    pub(super) fn excluded(&self, candidate: &ProposedRule<'_>) -> (BulletReasons, BulletReasons) {
        let rule = content::fold_whitespace(candidate.content);
        if self.authority == Authority::Automation && !self.history.is_admitted(&rule) {
            return (Vec::new(), Vec::new());
        }
        let (mut replaced, mut contradicted) = (Vec::new(), Vec::new());
        for one in candidate.excludes {
            let Some(at) = self.bullet_index.find(&one.id) else { continue };
            let bullet = self.bullet_index.get(at);
            if one.is_older && later_word::is_replaceable(bullet, &candidate.rule_scope) {
                replaced.push((at, one.reason.clone()));
            } else if bullet.is_standing() && bullet.rule_scope().overlaps(&candidate.rule_scope) {
                contradicted.push((at, one.reason.clone()));
            }
        }
        (replaced, contradicted)
    }
}
