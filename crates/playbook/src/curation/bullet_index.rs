//! The index of a playbook during curation: lookup by id and rule, and cached data for comparisons.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::Playbook;
use super::left_out::LeftOutRules;
use crate::conflict::{
    EmbeddedStatement, MinSimilarity, RuleStatement, Similarity, StatementRelation, likeness, opposed,
};
use crate::embedding_model::WordVectors;
use cm_note::bullet::Bullet;
use cm_note::bullet::content::RuleHash;
use cm_text::canonical::CanonicalForm;
use cm_text::embedding::Embedding;

/// Bullets of a playbook with lookup by id, id prefix and text.
pub struct BulletIndex {
    bullets: Vec<IndexedBullet>,
    by_id: HashMap<String, usize>,
    by_rule: HashMap<RuleHash, Vec<usize>>,
    doubles: HashSet<String>,
    left_out: LeftOutRules,
}

struct IndexedBullet {
    bullet: Bullet,
    statement: OnceCell<RuleStatement>,
    embedding: OnceCell<Option<Embedding>>,
}

/// Minimum length of an id prefix that identifies a bullet, in characters.
const MIN_PREFIX_CHARS: usize = 6;
/// Maximum number of similar bullets that are reported for a new rule.
const MAX_NEIGHBOURS: usize = 3;
/// Maximum number of bullets that a new rule is compared with in detail.
pub(super) const MAX_CANDIDATES: usize = 24;
/// Minimum cosine or share of common words, 0–1, of these.
pub(super) const MIN_CANDIDATE_SIMILARITY: f64 = 0.25;

impl BulletIndex {
    pub fn of(playbook: &Playbook) -> Self {
        let mut index = Self {
            bullets: Vec::new(),
            by_id: HashMap::new(),
            by_rule: HashMap::new(),
            doubles: HashSet::new(),
            left_out: LeftOutRules::default(),
        };
        playbook.bullets.iter().for_each(|bullet| {
            index.push(bullet.clone());
        });
        index
    }

    /// Adds the rules of the playbook that are not among its bullets.
    pub(super) fn with_left_out(self, left_out: &LeftOutRules) -> Self {
        Self { left_out: left_out.clone(), ..self }
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
        self.by_rule.entry(RuleHash::of(&bullet.agent_text())).or_default().push(at);
        self.bullets.push(IndexedBullet { bullet, statement: OnceCell::new(), embedding: OnceCell::new() });
        at
    }

    /// Finds the bullet with this id or unique id prefix of at least 6 characters.
    pub fn find(&self, id: &str) -> Option<usize> {
        let id = id.trim();
        if let Some(at) = self.by_id.get(id) {
            return Some(*at);
        }
        if id.len() < MIN_PREFIX_CHARS {
            return None;
        }
        let mut fitting = self.by_id.iter().filter(|(candidate, _)| candidate.starts_with(id));
        match (fitting.next(), fitting.next()) {
            (Some((_, at)), None) => Some(*at),
            _ => None,
        }
    }

    /// Whether another bullet has the same id as the one at this index.
    pub(crate) fn is_double(&self, at: usize) -> bool {
        self.doubles.contains(self.get(at).id.as_str())
    }

    /// Whether a bullet has exactly this id, also one that was left out.
    pub(crate) fn contains_id(&self, id: &str) -> bool {
        self.by_id.contains_key(id) || self.left_out.ids.iter().any(|other| other == id)
    }

    /// The number of live bullets of a category, with those that were left out.
    pub(super) fn live_in(&self, category: &str) -> usize {
        let own = self.bullets().filter(|bullet| bullet.is_live() && bullet.category == category).count();
        own + self.left_out.live.get(category).copied().unwrap_or_default()
    }

    pub fn get(&self, at: usize) -> &Bullet {
        &self.bullets[at].bullet
    }

    /// Returns a bullet for modification. Use [`reword`](Self::reword) to change the text, which is
    /// indexed.
    pub fn get_mut(&mut self, at: usize) -> &mut Bullet {
        &mut self.bullets[at].bullet
    }

    /// Replaces the text of a bullet, and updates the index by text.
    pub fn reword(&mut self, at: usize, rule: String) {
        let old = RuleHash::of(&self.get(at).agent_text());
        if let Some(places) = self.by_rule.get_mut(&old) {
            places.retain(|place| *place != at);
        }
        self.bullets[at].bullet.fields.content = rule;
        self.bullets[at].statement = OnceCell::new();
        self.bullets[at].embedding = OnceCell::new();
        self.by_rule.entry(RuleHash::of(&self.get(at).agent_text())).or_default().push(at);
    }

    /// The indices of all bullets.
    pub fn places(&self) -> std::ops::Range<usize> {
        0..self.bullets.len()
    }

    pub fn bullets(&self) -> impl Iterator<Item = &Bullet> {
        self.bullets.iter().map(|indexed| &indexed.bullet)
    }

    pub(crate) fn into_bullets(self) -> Vec<Bullet> {
        self.bullets.into_iter().map(|indexed| indexed.bullet).collect()
    }

    /// Finds the first bullet with exactly this text for which `passes` returns true.
    pub fn exact(&self, rule: &str, passes: impl Fn(&Bullet) -> bool) -> Option<usize> {
        let places = self.by_rule.get(&RuleHash::of(rule))?;
        // In lower case `-k` is `-K`.
        let form = CanonicalForm::of(rule);
        let same = |at: &usize| *self.bullets[*at].statement().canonical() == form;
        places.iter().copied().find(|at| passes(self.get(*at)) && same(at))
    }

    /// Finds the first bullet that states the same in any wording and for which `passes` returns
    /// true.
    pub fn same(
        &self,
        rule: EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<usize> {
        let equal = self
            .bullets
            .iter()
            .position(|indexed| passes(&indexed.bullet) && rule.statement.is_same(indexed.statement()));
        equal.or_else(|| {
            let candidates = self.candidates(rule, word_vectors, passes).into_iter();
            candidates
                .map(|(at, _)| at)
                .find(|at| rule.says_same(&self.bullets[*at].meant(word_vectors), word_vectors))
        })
    }

    /// Returns similar but not equal bullets for which `passes` returns true, most similar first.
    /// Contradictory bullets are excluded.
    pub fn neighbours(
        &self,
        rule: EmbeddedStatement<'_>,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Vec<(usize, Similarity)> {
        let near = |at: usize| match rule.verdict(&self.bullets[at].meant(word_vectors), least, word_vectors)
        {
            StatementRelation::Near(near) => Some(near),
            StatementRelation::Same | StatementRelation::Contradicts(_) | StatementRelation::Different => {
                None
            }
        };
        let candidates = self.candidates(rule, word_vectors, passes).into_iter();
        let mut found: Vec<(usize, Similarity)> =
            candidates.filter_map(|(at, _)| Some((at, near(at)?))).collect();
        found.sort_by(|(_, one), (_, other)| other.value().total_cmp(&one.value()));
        found.truncate(MAX_NEIGHBOURS);
        found
    }

    /// Returns the bullets that are most similar to a rule by words or meaning, most similar first.
    fn candidates(
        &self,
        rule: EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Vec<(usize, f64)> {
        let passing = self.bullets.iter().enumerate().filter(|(_, indexed)| passes(&indexed.bullet));
        let alike = |indexed: &IndexedBullet| {
            let embedded = indexed.meant(word_vectors);
            rule.cosine(&embedded).max(likeness(rule.statement, embedded.statement))
        };
        let mut found: Vec<(usize, f64)> = passing
            .map(|(at, indexed)| (at, alike(indexed)))
            .filter(|(_, alike)| *alike >= MIN_CANDIDATE_SIMILARITY)
            .collect();
        found.sort_by(|(a, one), (b, other)| other.total_cmp(one).then_with(|| a.cmp(b)));
        found.truncate(MAX_CANDIDATES);
        found
    }

    /// Returns the most similar near duplicate for which `passes` returns true: by words, else by
    /// meaning; the first one on ties. Contradictory bullets are excluded.
    pub fn near(
        &self,
        rule: EmbeddedStatement<'_>,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<(usize, Similarity)> {
        let rank = |near: &Similarity| (matches!(near, Similarity::Words(_)), near.value());
        let mut best: Option<(usize, Similarity)> = None;
        for (at, indexed) in self.bullets.iter().enumerate().filter(|(_, indexed)| passes(&indexed.bullet)) {
            let Some(near) = rule.near(&indexed.meant(word_vectors), least, word_vectors) else { continue };
            if best.is_none_or(|(_, candidate)| rank(&near) > rank(&candidate)) {
                best = Some((at, near));
            }
        }
        best
    }

    /// Finds the first bullet of which the new rule is a more precise form and for which `passes`
    /// returns true.
    pub fn refined(
        &self,
        rule: EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Option<usize> {
        let refines = |indexed: &IndexedBullet| {
            passes(&indexed.bullet) && rule.refines(&indexed.meant(word_vectors), word_vectors)
        };
        self.bullets.iter().position(refines)
    }

    /// Returns the bullets that contradict a rule and for which `passes` returns true, each with
    /// the reason for display.
    pub fn opposed(
        &self,
        rule: EmbeddedStatement<'_>,
        word_vectors: &WordVectors<'_>,
        passes: impl Fn(&Bullet) -> bool,
    ) -> Vec<(usize, String)> {
        let candidates: HashSet<usize> =
            self.candidates(rule, word_vectors, &passes).into_iter().map(|(at, _)| at).collect();
        let is_compared = |at: usize, indexed: &IndexedBullet| {
            candidates.contains(&at)
                || passes(&indexed.bullet)
                    && opposed(rule.statement, indexed.statement(), word_vectors).is_some()
        };
        let compared = self.bullets.iter().enumerate().filter(|(at, indexed)| is_compared(*at, indexed));
        compared
            .filter_map(|(at, indexed)| {
                Some((at, rule.contradiction(&indexed.meant(word_vectors), word_vectors)?.reason))
            })
            .collect()
    }
}

impl IndexedBullet {
    fn statement(&self) -> &RuleStatement {
        self.statement.get_or_init(|| RuleStatement::of(&self.bullet.agent_text()))
    }

    fn meant(&self, word_vectors: &WordVectors<'_>) -> EmbeddedStatement<'_> {
        let embedding = self.embedding.get_or_init(|| word_vectors.statement(self.statement()));
        EmbeddedStatement { statement: self.statement(), embedding: embedding.as_ref() }
    }
}
