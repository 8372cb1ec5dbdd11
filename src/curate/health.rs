//! How a playbook fares: what there is of which kind, what does well and badly, what is worth merging, what contradicts.
//!
//! It counts and lists; it proposes no change.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::conflict::{self, Ground, Statement};
use crate::domain::bullet::{Bullet, BulletType, Maturity, Scope, State};
use crate::domain::instant::Instant;
use crate::domain::score::Scoring;
use crate::domain::score::bullet::{Band, Effective, effective, silent_days};

/// How many best performers, merge candidates and conflicts are listed.
const TOP: usize = 5;
const LISTED: usize = 20;

/// How the bullets of a playbook fare. Scores, merging and conflicts are about live bullets: active and not deprecated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// All bullets, drafts and retired ones too.
    pub bullets: usize,
    /// Those that agents are shown.
    pub live: usize,
    /// By how far they reach.
    pub by_scope: BTreeMap<Scope, usize>,
    /// By how far they have proved themselves.
    pub by_maturity: BTreeMap<Maturity, usize>,
    /// Rules and anti-patterns.
    pub by_type: BTreeMap<BulletType, usize>,
    /// By whether they are in use.
    pub by_state: BTreeMap<State, usize>,
    /// Live bullets by how good their score is.
    pub bands: BTreeMap<Band, usize>,
    /// The five live bullets with the best scores above 0.
    pub top: Vec<Performer>,
    /// Live bullets whose score is below 0, worst first.
    pub at_risk: Vec<Performer>,
    /// Live bullets without any feedback for so long that they should be looked at.
    pub stale: usize,
    /// Pairs of live bullets of one category that say nearly the same, most alike first.
    pub merge_candidates: Vec<MergeCandidate>,
    /// How many such pairs there are; at most 20 are listed.
    pub merge_candidates_total: usize,
    /// Pairs of live bullets that contradict each other.
    pub conflicts: Vec<Contradiction>,
    /// How many such pairs there are; at most 20 are listed.
    pub conflicts_total: usize,
}

/// A bullet and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Performer {
    /// What it answers to.
    pub id: String,
    /// The rule.
    pub content: String,
    /// Its effective score.
    pub score: Effective,
}

/// Two bullets that could be one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergeCandidate {
    /// The two bullets.
    pub ids: [String; 2],
    /// What they say.
    pub contents: [String; 2],
    /// The share of words that both have, 0–1.
    pub likeness: f64,
}

/// Two bullets that cannot both be followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// The two bullets.
    pub ids: [String; 2],
    /// What they say.
    pub contents: [String; 2],
    /// Why they are taken to contradict each other.
    pub ground: Ground,
    /// The opposed words.
    pub reason: String,
}

/// How these bullets fare at an instant. `merge_jaccard` is the share of common words from which two are worth merging.
pub fn health(bullets: &[Bullet], now: Instant, scoring: &Scoring, merge_jaccard: f64) -> Health {
    let live: Vec<&Bullet> = bullets.iter().filter(|bullet| bullet.is_live()).collect();
    let statements: Vec<Statement> = live.iter().map(|bullet| statement(bullet)).collect();
    let mut health = Health { bullets: bullets.len(), live: live.len(), ..Health::default() };
    health.count(bullets);
    health.judge(&live, now, scoring);
    health.merges(&live, &statements, merge_jaccard);
    health.conflicts(&live, &statements);
    health
}

/// A bullet's rule, prepared for comparing; an anti-pattern's as what to avoid.
pub fn statement(bullet: &Bullet) -> Statement {
    match bullet.bullet_type {
        BulletType::Rule => Statement::of(bullet.content()),
        BulletType::AntiPattern => Statement::avoiding(bullet.content()),
    }
}

impl Health {
    fn count(&mut self, bullets: &[Bullet]) {
        for bullet in bullets {
            *self.by_scope.entry(bullet.scope).or_default() += 1;
            *self.by_maturity.entry(bullet.maturity).or_default() += 1;
            *self.by_type.entry(bullet.bullet_type).or_default() += 1;
            *self.by_state.entry(bullet.state).or_default() += 1;
        }
    }

    fn judge(&mut self, live: &[&Bullet], now: Instant, scoring: &Scoring) {
        let mut scored: Vec<(Effective, &Bullet)> =
            live.iter().map(|bullet| (effective(bullet, now, scoring), *bullet)).collect();
        scored.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.id.as_str().cmp(other.id.as_str())));
        for (score, _) in &scored {
            *self.bands.entry(Band::of(*score)).or_default() += 1;
        }
        let performer = |(score, bullet): &(Effective, &Bullet)| Performer {
            id: bullet.id.to_string(),
            content: bullet.content().to_owned(),
            score: *score,
        };
        let zero = Effective::default();
        self.top = scored.iter().filter(|(score, _)| *score > zero).take(TOP).map(performer).collect();
        self.at_risk = scored.iter().rev().filter(|(score, _)| *score < zero).map(performer).collect();
        self.stale = live.iter().filter(|bullet| silent_days(bullet, now) >= scoring.stale_days).count();
    }

    fn merges(&mut self, live: &[&Bullet], statements: &[Statement], least: f64) {
        let mut pairs = conflict::alike(statements, least);
        pairs.retain(|(a, b, _)| {
            live[*a].category == live[*b].category
                && conflict::opposition(&statements[*a], &statements[*b]).is_none()
        });
        pairs.sort_by(|one, other| {
            other.2.total_cmp(&one.2).then_with(|| (one.0, one.1).cmp(&(other.0, other.1)))
        });
        self.merge_candidates_total = pairs.len();
        let candidate = |(a, b, likeness): (usize, usize, f64)| MergeCandidate {
            ids: ids(live[a], live[b]),
            contents: contents(live[a], live[b]),
            likeness: (likeness * 10_000.0).round() / 10_000.0,
        };
        self.merge_candidates = pairs.into_iter().take(LISTED).map(candidate).collect();
    }

    fn conflicts(&mut self, live: &[&Bullet], statements: &[Statement]) {
        let mut found = contradictions(live, statements);
        self.conflicts_total = found.len();
        found.truncate(LISTED);
        self.conflicts = found;
    }
}

/// All pairs of these bullets that contradict each other; the statements stand in the order of the bullets.
pub fn contradictions(bullets: &[&Bullet], statements: &[Statement]) -> Vec<Contradiction> {
    let pairs = conflict::oppositions(statements).into_iter();
    let pairs = pairs.filter(|(a, b, _)| meet(bullets[*a], bullets[*b]));
    let contradiction = |(a, b, found): (usize, usize, conflict::Opposition)| Contradiction {
        ids: ids(bullets[a], bullets[b]),
        contents: contents(bullets[a], bullets[b]),
        ground: found.ground,
        reason: found.reason,
    };
    pairs.map(contradiction).collect()
}

/// Whether there is a place where both hold: rules of two projects, languages or frameworks may well say the opposite.
fn meet(one: &Bullet, other: &Bullet) -> bool {
    let apart = |a: &Option<String>, b: &Option<String>| matches!((a, b), (Some(a), Some(b)) if a != b);
    let keyed = one.scope == other.scope && one.scope != Scope::Global;
    !apart(&one.workspace, &other.workspace)
        && !(keyed && apart(&one.fields.scope_key, &other.fields.scope_key))
}

fn ids(one: &Bullet, other: &Bullet) -> [String; 2] {
    [one.id.to_string(), other.id.to_string()]
}

fn contents(one: &Bullet, other: &Bullet) -> [String; 2] {
    [one.content().to_owned(), other.content().to_owned()]
}
