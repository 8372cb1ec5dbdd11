//! What happens to a rule that asks to be let in (04-curation): its form, duplicates, blocks, conflicts, near duplicates,
//! the quota, and the evidence gate, in this order.

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

/// A rule that asks to be let in.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// What it says, as proposed.
    pub content: &'a str,
    /// Its category, as proposed.
    pub category: &'a str,
    /// What to do, or what to avoid.
    pub bullet_type: BulletType,
    /// Where it is to hold. What holds elsewhere neither doubles nor contradicts it.
    pub reach: Reach<'a>,
}

/// What a rule is held against.
#[derive(Clone, Copy)]
pub struct Door<'a> {
    /// The playbook that it would enter.
    pub shelf: &'a Shelf,
    /// The bullets of other vaults that hold beside it.
    pub elsewhere: &'a Shelf,
    /// What is blocked, in any vault.
    pub blocked: &'a [Blocked],
    /// The limits.
    pub limits: &'a Limits,
    /// What past sessions say.
    pub history: &'a dyn History,
    /// What words and rules mean.
    pub sense: &'a Sense<'a>,
    /// Whose word it is.
    pub authority: Authority,
}

/// Where a rule stands against one that there is.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// It cannot be a rule.
    Malformed(NotARule),
    /// Its category cannot be one.
    BadCategory,
    /// The same is there already.
    Duplicate {
        /// Its place on the shelf.
        at: usize,
        /// Whether it is there in other words.
        reworded: bool,
    },
    /// Another vault that holds beside this one has it.
    Elsewhere {
        /// That vault's bullet.
        id: String,
    },
    /// It is blocked.
    Blocked {
        /// The blocked pattern.
        id: String,
        /// Why that is blocked.
        reason: Option<String>,
        /// How near it is, where it is not the same.
        near: Option<Near>,
    },
    /// It was deprecated, and nothing comes back by being proposed again.
    Deprecated {
        /// The bullet that was deprecated.
        at: usize,
    },
    /// Past sessions speak against it.
    Failed(Evidence),
    /// It may enter.
    Admitted(Admitted),
}

/// A rule that may enter.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// Its text as it is written.
    pub rule: String,
    /// Active, or a draft.
    pub state: State,
    /// Why it is a draft; empty for an active one.
    pub because: Vec<String>,
    /// The bullet that it says more than, where there is one.
    pub refines: Option<usize>,
    /// The bullets that are near to it and say something of their own, the nearest first.
    pub neighbours: Vec<(usize, Near)>,
    /// The bullets of the playbook that say the opposite, and why they are taken to.
    pub conflicts: Vec<(usize, String)>,
    /// The bullets of other vaults that say the opposite: their ids and rules, and why.
    pub conflicts_elsewhere: Vec<(String, String, String)>,
    /// What past sessions say.
    pub evidence: Evidence,
    /// What the evidence gate makes of it.
    pub gate: Gate,
}

impl Door<'_> {
    /// What becomes of a rule at this door.
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

    /// The toxic pattern that keeps a rule out.
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

    /// Whether a rule is a blocked one, however it is worded; with how near it is where it is not the same.
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
