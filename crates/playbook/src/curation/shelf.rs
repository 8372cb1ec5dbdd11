//! The index of a playbook during curation: lookup by id and rule, and cached data for comparisons.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::Playbook;
use crate::conflict::{Meant, Near, Nearness, Statement, Verdict, opposed};
use crate::meaning::Sense;
use cm_note::bullet::content::RuleHash;
use cm_note::bullet::{Bullet, Maturity, State};
use cm_text::canonical::Canonical;
use cm_text::embedding::Embedding;

/// Bullets, indexed by id and by the hash of their rule.
pub struct Shelf {
    bullets: Vec<Kept>,
    by_id: HashMap<String, usize>,
    by_rule: HashMap<RuleHash, Vec<usize>>,
    doubles: HashSet<String>,
}

struct Kept {
    bullet: Bullet,
    statement: OnceCell<Statement>,
    embedding: OnceCell<Option<Embedding>>,
}

/// Minimum length of an id prefix, in characters.
const PREFIX: usize = 6;
/// Maximum number of neighbours reported for a new rule.
const NEIGHBOURS: usize = 3;

impl Shelf {
    pub fn of(playbook: &Playbook) -> Self {
        let mut shelf = Self {
            bullets: Vec::new(),
            by_id: HashMap::new(),
            by_rule: HashMap::new(),
            doubles: HashSet::new(),
        };
        playbook.bullets.iter().for_each(|bullet| {
            shelf.push(bullet.clone());
        });
        shelf
    }

    /// Adds a bullet and returns its index.
    pub fn push(&mut self, bullet: Bullet) -> usize {
        let at = self.bullets.len();
        // Of two notes with one id the first answers to it, and neither is changed.
        let id = bullet.id.to_string();
        match self.by_id.entry(id.clone()) {
            Entry::Occupied(_) => drop(self.doubles.insert(id)),
            Entry::Vacant(place) => drop(place.insert(at)),
        }
        self.by_rule.entry(RuleHash::of(&bullet.told())).or_default().push(at);
        self.bullets.push(Kept { bullet, statement: OnceCell::new(), embedding: OnceCell::new() });
        at
    }

    /// The bullet with this id or unique id prefix.
    pub fn find(&self, id: &str) -> Option<usize> {
        let id = id.trim();
        if let Some(at) = self.by_id.get(id) {
            return Some(*at);
        }
        if id.len() < PREFIX {
            return None;
        }
        let mut fitting = self.by_id.iter().filter(|(known, _)| known.starts_with(id));
        match (fitting.next(), fitting.next()) {
            (Some((_, at)), None) => Some(*at),
            _ => None,
        }
    }

    /// Whether another bullet has the same id.
    pub fn is_double(&self, at: usize) -> bool {
        self.doubles.contains(self.get(at).id.as_str())
    }

    /// Whether a bullet has exactly this id.
    pub fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    pub fn get(&self, at: usize) -> &Bullet {
        &self.bullets[at].bullet
    }

    /// A bullet for changes; use `reword` to change its rule.
    pub fn get_mut(&mut self, at: usize) -> &mut Bullet {
        &mut self.bullets[at].bullet
    }

    /// Replaces the rule of a bullet and updates the index.
    pub fn reword(&mut self, at: usize, rule: String) {
        let old = RuleHash::of(&self.get(at).told());
        if let Some(places) = self.by_rule.get_mut(&old) {
            places.retain(|place| *place != at);
        }
        self.bullets[at].bullet.fields.content = rule;
        self.bullets[at].statement = OnceCell::new();
        self.bullets[at].embedding = OnceCell::new();
        self.by_rule.entry(RuleHash::of(&self.get(at).told())).or_default().push(at);
    }

    /// The indices of all bullets.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.bullets.len()
    }

    pub fn bullets(&self) -> impl Iterator<Item = &Bullet> {
        self.bullets.iter().map(|kept| &kept.bullet)
    }

    pub fn into_bullets(self) -> Vec<Bullet> {
        self.bullets.into_iter().map(|kept| kept.bullet).collect()
    }

    /// The first bullet with exactly this rule for which `passes` returns true.
    pub fn exact(&self, rule: &str, passes: impl Fn(&Bullet) -> bool) -> Option<usize> {
        let places = self.by_rule.get(&RuleHash::of(rule))?;
        // In lower case `-k` is `-K`.
        let form = Canonical::of(rule);
        let same = |at: &usize| *self.bullets[*at].statement().canonical() == form;
        places.iter().copied().find(|at| passes(self.get(*at)) && same(at))
    }

    /// The first bullet with an equal statement in any wording for which `passes` returns true.
    pub fn same(&self, statement: &Statement, passes: impl Fn(&Bullet) -> bool) -> Option<usize> {
        self.bullets.iter().position(|kept| passes(&kept.bullet) && statement.is_same(kept.statement()))
    }

    /// Similar but not equal bullets for which `passes` returns true, most similar first;
    /// contradictions are excluded.
    pub fn neighbours(
        &self,
        rule: Meant<'_>,
        least: Nearness,
        sense: &Sense<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Vec<(usize, Near)> {
        let passing = self.bullets.iter().enumerate().filter(|(_, kept)| passes(&kept.bullet));
        let near = |kept: &Kept| match rule.verdict(&kept.meant(sense), least, sense) {
            Verdict::Near(near) => Some(near),
            Verdict::Same | Verdict::Contradicts(_) | Verdict::Different => None,
        };
        let mut found: Vec<(usize, Near)> =
            passing.filter_map(|(at, kept)| Some((at, near(kept)?))).collect();
        found.sort_by(|(_, one), (_, other)| other.value().total_cmp(&one.value()));
        found.truncate(NEIGHBOURS);
        found
    }

    /// The most similar near duplicate for which `passes` returns true: by words, else by meaning;
    /// the first one on ties. Contradictions are excluded.
    pub fn near(
        &self,
        rule: Meant<'_>,
        least: Nearness,
        sense: &Sense<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<(usize, Near)> {
        let rank = |near: &Near| (matches!(near, Near::Words(_)), near.value());
        let mut best: Option<(usize, Near)> = None;
        for (at, kept) in self.bullets.iter().enumerate().filter(|(_, kept)| passes(&kept.bullet)) {
            let Some(near) = rule.near(&kept.meant(sense), least, sense) else { continue };
            if best.is_none_or(|(_, known)| rank(&near) > rank(&known)) {
                best = Some((at, near));
            }
        }
        best
    }

    /// The first bullet that the rule states more precisely and for which `passes` returns true.
    pub fn refined(
        &self,
        rule: Meant<'_>,
        sense: &Sense<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<usize> {
        let refines = |kept: &Kept| passes(&kept.bullet) && rule.refines(&kept.meant(sense), sense);
        self.bullets.iter().position(refines)
    }

    /// Contradictory bullets for which `passes` returns true, with the reason.
    pub fn opposed(
        &self,
        statement: &Statement,
        sense: &Sense<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Vec<(usize, String)> {
        let passing = self.bullets.iter().enumerate().filter(|(_, kept)| passes(&kept.bullet));
        passing
            .filter_map(|(at, kept)| Some((at, opposed(statement, kept.statement(), sense)?.reason)))
            .collect()
    }
}

impl Kept {
    fn statement(&self) -> &Statement {
        self.statement.get_or_init(|| Statement::of(&self.bullet.told()))
    }

    fn meant(&self, sense: &Sense<'_>) -> Meant<'_> {
        let embedding = self.embedding.get_or_init(|| sense.text(&self.bullet.told()));
        Meant { statement: self.statement(), embedding: embedding.as_ref() }
    }
}

/// Whether a bullet is neither deprecated nor retired.
pub fn stands(bullet: &Bullet) -> bool {
    bullet.maturity != Maturity::Deprecated && bullet.state != State::Retired
}
