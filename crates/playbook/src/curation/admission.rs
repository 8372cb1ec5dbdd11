//! Checks whether a proposed rule may enter the playbook (04-curation): form, duplicates, blocks,
//! conflicts, near duplicates, the quota, and the evidence gate, in this order.

use super::history::{Evidence, Gate, History};
use super::shelf::{Shelf, stands};
use super::{Authority, Limits};
use crate::conflict::{Meant, Near, Statement};
use crate::meaning::Sense;
use cm_note::bullet::blocked::{BlockKind, Blocked};
use cm_note::bullet::content::{self, NotARule, RuleHash};
use cm_note::bullet::{Bullet, BulletType, Reach, State};
use cm_note::note::check::is_category;
use cm_note::note::suspicion::{payload, suspicion};

/// A proposed rule.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Text as proposed.
    pub content: &'a str,
    /// Category as proposed.
    pub category: &'a str,
    /// Rule or anti-pattern.
    pub bullet_type: BulletType,
    /// Scope of the rule. Only rules whose scopes overlap can be duplicates or conflict.
    pub reach: Reach<'a>,
}

/// Everything that a proposed rule is checked against.
#[derive(Clone, Copy)]
pub struct Door<'a> {
    /// The playbook that the rule would enter.
    pub shelf: &'a Shelf,
    /// The bullets of other vaults that apply as well.
    pub elsewhere: &'a Shelf,
    /// Blocked patterns of all vaults.
    pub blocked: &'a [Blocked],
    /// Limits and thresholds of curation.
    pub limits: &'a Limits,
    /// Evidence from past sessions.
    pub history: &'a dyn History,
    /// Meanings of words and rules.
    pub sense: &'a Sense<'a>,
    /// Authority of the proposer.
    pub authority: Authority,
}

/// Result of the admission check.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// The text is not a valid rule.
    Malformed(NotARule),
    /// The category is invalid.
    BadCategory,
    /// An equal bullet exists.
    Duplicate {
        /// Its index in the playbook.
        at: usize,
        /// Whether its wording differs.
        reworded: bool,
    },
    /// Another vault has an equal bullet.
    Elsewhere {
        /// ID of that bullet.
        id: String,
    },
    /// A blocked pattern matches.
    Blocked {
        /// ID of the blocked pattern.
        id: String,
        /// Reason for the block.
        reason: Option<String>,
        /// Similarity to the blocked pattern; `None` if it is equal.
        near: Option<Near>,
    },
    /// An equal bullet was deprecated; proposing it again does not revive it.
    Deprecated {
        /// Index of the deprecated bullet.
        at: usize,
    },
    /// The evidence from past sessions is negative.
    Failed(Evidence),
    /// The rule may enter.
    Admitted(Admitted),
}

/// A rule that may enter the playbook.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// Normalized text.
    pub rule: String,
    /// Active or draft.
    pub state: State,
    /// Reasons for being a draft; empty if active.
    pub because: Vec<String>,
    /// Index of the bullet that this rule states more precisely.
    pub refines: Option<usize>,
    /// Similar bullets with content of their own, most similar first.
    pub neighbours: Vec<(usize, Near)>,
    /// Contradictory bullets of the playbook, with the reason.
    pub conflicts: Vec<(usize, String)>,
    /// Contradictory bullets of other vaults: id, rule and reason.
    pub conflicts_elsewhere: Vec<(String, String, String)>,
    /// Evidence from past sessions.
    pub evidence: Evidence,
    /// Result of the evidence gate.
    pub gate: Gate,
}

impl Door<'_> {
    /// Checks a proposed rule.
    pub fn admit(&self, candidate: Candidate<'_>) -> Admission {
        let rule = match content::rule(candidate.content) {
            Ok(rule) => rule,
            Err(error) => return Admission::Malformed(error),
        };
        if !is_category(candidate.category) {
            return Admission::BadCategory;
        }
        let told = content::told(&rule, candidate.bullet_type);
        let reach = candidate.reach;
        let meets = |bullet: &Bullet| bullet.reach().meets(&reach);
        let standing = |bullet: &Bullet| stands(bullet) && meets(bullet);
        if let Some(at) = self.shelf.exact(&told, standing) {
            return Admission::Duplicate { at, reworded: false };
        }
        let statement = Statement::of(&told);
        let embedding = self.sense.text(&told);
        let meant = Meant { statement: &statement, embedding: embedding.as_ref() };
        if let Some(blocked) = self.blocked(&rule, meant) {
            return blocked;
        }
        if let Some(at) = self.shelf.exact(&told, |bullet| !stands(bullet) && meets(bullet)) {
            return Admission::Deprecated { at };
        }
        if let Some(at) = self.elsewhere.exact(&told, standing) {
            return Admission::Elsewhere { id: self.elsewhere.get(at).id.to_string() };
        }
        // What says the same as a rule that is followed contradicts nothing that the rule does not.
        if let Some(at) = self.shelf.same(&statement, standing) {
            return Admission::Duplicate { at, reworded: true };
        }
        if let Some(at) = self.shelf.same(&statement, meets) {
            return Admission::Deprecated { at };
        }
        if let Some(at) = self.elsewhere.same(&statement, standing) {
            return Admission::Elsewhere { id: self.elsewhere.get(at).id.to_string() };
        }
        let conflicts = self.shelf.opposed(&statement, self.sense, standing);
        let conflicts_elsewhere = self.opposed_elsewhere(&statement, &reach);
        let refines = self.shelf.refined(meant, self.sense, standing);
        let mut neighbours = self.shelf.neighbours(meant, self.limits.duplicate(), self.sense, standing);
        neighbours.retain(|(at, _)| Some(*at) != refines);
        match self.judge(rule, candidate, conflicts, conflicts_elsewhere) {
            Admission::Admitted(admitted) => {
                Admission::Admitted(Admitted { refines, neighbours, ..admitted })
            }
            other => other,
        }
    }

    /// The toxic pattern that matches a rule, as [`Admission::Blocked`].
    pub fn blocked(&self, rule: &str, meant: Meant<'_>) -> Option<Admission> {
        let hash = RuleHash::of(rule);
        let toxic = || self.blocked.iter().filter(|blocked| blocked.kind == BlockKind::Toxic);
        let found = |blocked: &Blocked, near: Option<Near>| Admission::Blocked {
            id: blocked.id.to_string(),
            reason: blocked.fields.reason.clone(),
            near,
        };
        if let Some(same) = toxic().find(|blocked| blocked.hash() == Some(hash)) {
            return Some(found(same, None));
        }
        toxic().find_map(|blocked| Some(found(blocked, self.evades(meant, blocked.text())?)))
    }

    /// Whether a rule rewords a blocked one. The inner value is the similarity, or `None` if they
    /// are equal.
    fn evades(&self, rule: Meant<'_>, blocked: &str) -> Option<Option<Near>> {
        let statement = Statement::of(blocked);
        let embedding = self.sense.text(blocked);
        let other = Meant { statement: &statement, embedding: embedding.as_ref() };
        rule.evades(&other, self.limits.block(), self.sense)
    }

    fn opposed_elsewhere(&self, statement: &Statement, reach: &Reach<'_>) -> Vec<(String, String, String)> {
        let of = |(at, reason): (usize, String)| {
            let bullet = self.elsewhere.get(at);
            (bullet.id.to_string(), bullet.content().to_owned(), reason)
        };
        self.elsewhere
            .opposed(statement, self.sense, |bullet| bullet.is_live() && bullet.reach().meets(reach))
            .into_iter()
            .map(of)
            .collect()
    }

    fn judge(
        &self,
        rule: String,
        candidate: Candidate<'_>,
        conflicts: Vec<(usize, String)>,
        conflicts_elsewhere: Vec<(String, String, String)>,
    ) -> Admission {
        let evidence = self.history.evidence(&rule);
        let category = candidate.category;
        let gate = match (Gate::of(&evidence), candidate.bullet_type) {
            // Sessions that failed with what is to be avoided do not speak against avoiding it.
            (Gate::Refused, BulletType::AntiPattern) => Gate::Draft,
            (gate, _) => gate,
        };
        let mut because = Vec::new();
        // A draft holds nowhere: a rule that contradicts one is not a draft by that.
        let contradicts = conflicts.iter().any(|(at, _)| self.shelf.get(*at).is_live());
        if contradicts || !conflicts_elsewhere.is_empty() {
            because.push("it contradicts another bullet".to_owned());
        }
        let active = self.shelf.bullets().filter(|bullet| bullet.is_live() && bullet.category == category);
        let active = active.count();
        if active >= self.limits.max_per_category {
            because.push(format!("`{category}` holds {active} active bullets already"));
        }
        let doubt = match self.authority {
            Authority::Person => suspicion(&rule),
            Authority::Automation => payload(&rule),
        };
        because.extend(doubt.map(str::to_owned));
        match (self.authority, gate) {
            (Authority::Automation, Gate::Refused) => return Admission::Failed(evidence),
            (Authority::Automation, Gate::Draft) => because.push(match evidence.sessions {
                0 => "no session speaks for it".to_owned(),
                1 => "only one session speaks of it".to_owned(),
                _ => format!(
                    "{} sessions succeeded with it and {} failed",
                    evidence.successes, evidence.failures
                ),
            }),
            _ => {}
        }
        let state = if because.is_empty() { State::Active } else { State::Draft };
        Admission::Admitted(Admitted {
            rule,
            state,
            because,
            refines: None,
            neighbours: Vec::new(),
            conflicts,
            conflicts_elsewhere,
            evidence,
            gate,
        })
    }
}
