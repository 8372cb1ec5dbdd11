//! A playbook while it is curated: bullets by id and by rule, with what the comparison of rules needs.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::Playbook;
use crate::curate::conflict::{Statement, likeness, may_be_like, opposition};
use crate::domain::bullet::content::RuleHash;
use crate::domain::bullet::{Bullet, Maturity, State};

/// Bullets that can be found by id and compared by what they say.
pub struct Shelf {
    bullets: Vec<Kept>,
    by_id: HashMap<String, usize>,
    by_rule: HashMap<RuleHash, Vec<usize>>,
    doubles: HashSet<String>,
}

struct Kept {
    bullet: Bullet,
    statement: OnceCell<Statement>,
}

/// The fewest characters of an id that stand for it.
const PREFIX: usize = 6;

impl Shelf {
    /// The bullets of a playbook.
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

    /// Adds a bullet; its place.
    pub fn push(&mut self, bullet: Bullet) -> usize {
        let at = self.bullets.len();
        // Of two notes with one id the first answers to it, and neither is changed.
        let id = bullet.id.to_string();
        match self.by_id.entry(id.clone()) {
            Entry::Occupied(_) => drop(self.doubles.insert(id)),
            Entry::Vacant(place) => drop(place.insert(at)),
        }
        self.by_rule.entry(RuleHash::of(&bullet.told())).or_default().push(at);
        self.bullets.push(Kept { bullet, statement: OnceCell::new() });
        at
    }

    /// The bullet of that id, or of the only id that begins so.
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

    /// Whether another note has the id of this bullet.
    pub fn is_double(&self, at: usize) -> bool {
        self.doubles.contains(self.get(at).id.as_str())
    }

    /// Whether a bullet of exactly that id is there.
    pub fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// A bullet.
    pub fn get(&self, at: usize) -> &Bullet {
        &self.bullets[at].bullet
    }

    /// A bullet that is to change in anything but its rule.
    pub fn get_mut(&mut self, at: usize) -> &mut Bullet {
        &mut self.bullets[at].bullet
    }

    /// Gives a bullet another rule.
    pub fn reword(&mut self, at: usize, rule: String) {
        let old = RuleHash::of(&self.get(at).told());
        if let Some(places) = self.by_rule.get_mut(&old) {
            places.retain(|place| *place != at);
        }
        self.bullets[at].bullet.fields.content = rule;
        self.bullets[at].statement = OnceCell::new();
        self.by_rule.entry(RuleHash::of(&self.get(at).told())).or_default().push(at);
    }

    /// The places of all bullets.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.bullets.len()
    }

    /// The bullets, in order.
    pub fn bullets(&self) -> impl Iterator<Item = &Bullet> {
        self.bullets.iter().map(|kept| &kept.bullet)
    }

    /// All bullets, taken.
    pub fn into_bullets(self) -> Vec<Bullet> {
        self.bullets.into_iter().map(|kept| kept.bullet).collect()
    }

    /// The first bullet that says exactly this and passes.
    pub fn exact(&self, rule: &str, passes: impl Fn(&Bullet) -> bool) -> Option<usize> {
        let places = self.by_rule.get(&RuleHash::of(rule))?;
        places.iter().copied().find(|at| passes(self.get(*at)))
    }

    /// The bullet that says nearly the same, at or above a share of common words, among those that pass; the nearest,
    /// and of equally near ones the first. What says the opposite is never near.
    pub fn near(
        &self,
        statement: &Statement,
        least: f64,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        for (at, kept) in self.bullets.iter().enumerate().filter(|(_, kept)| passes(&kept.bullet)) {
            let other = kept.statement();
            if !may_be_like(statement, other, least) {
                continue;
            }
            let score = likeness(statement, other);
            let better = score >= least && best.is_none_or(|(_, known)| score > known);
            if better && opposition(statement, other).is_none() {
                best = Some((at, score));
            }
        }
        best
    }

    /// The bullets that say the opposite, among those that pass, with the reason.
    pub fn opposed(&self, statement: &Statement, passes: impl Fn(&Bullet) -> bool) -> Vec<(usize, String)> {
        let passing = self.bullets.iter().enumerate().filter(|(_, kept)| passes(&kept.bullet));
        passing.filter_map(|(at, kept)| Some((at, opposition(statement, kept.statement())?.reason))).collect()
    }
}

impl Kept {
    fn statement(&self) -> &Statement {
        self.statement.get_or_init(|| Statement::of(&self.bullet.told()))
    }
}

/// Whether a bullet may still be followed: not deprecated, not retired.
pub fn stands(bullet: &Bullet) -> bool {
    bullet.maturity != Maturity::Deprecated && bullet.state != State::Retired
}
