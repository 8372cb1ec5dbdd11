//! Collects candidate bullets, memories and blocked patterns for a briefing from the indexes of all
//! open vaults.

use std::collections::{HashMap, HashSet};

use super::Options;
use crate::error::Result;
use crate::memory::{Level, Memory, OpenVault};
use crate::playbook;
use crate::retrieve::{ByMeaning, Question, Retrieved, Stages};
use cm_index::Hit;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::Blocked;
use cm_note::note::types::SUPERSEDES;
use cm_note::note::{Kind, Note};
use cm_note::passage::PassageKey;
use cm_note::path::NotePath;
use cm_note::query::{Group, Label, Node, Query, Text};
use cm_playbook::curation::Playbook;
use cm_text::tokens::Tokenizer;

/// Hits with a score below this fraction of the best score count as accidental matches.
pub(super) const CHANCE: f32 = 0.2;
/// Maximum number of memory hits.
const MEMORIES: usize = 40;
/// Maximum number of unverified memory hits.
const UNVERIFIED: usize = 12;
/// Additional bullets to fetch beyond the limit, because some are filtered out later.
const SPARE: usize = 10;
/// Maximum number of pinned bullets.
const PINNED: usize = 200;
/// Maximum number of bullets per maturity that are added without matching the task.
const PROVED: usize = 100;
/// Maximum number of new bullets, latest first, that are added without matching the task.
const NEW: usize = 50;
/// Maximum number of deprecated patterns.
const DEPRECATED: usize = 2_000;
/// Maximum number of blocked rules that match the task.
const TOXIC: usize = 20;
/// Maximum number of supersedes edges.
const SUPERSEDING: usize = 500;
/// Maximum number of replaced bullets.
const REPLACED: usize = 10;
/// Maximum number of search terms taken from a task.
const WORDS: usize = 250;

/// A bullet that is in use.
pub(super) struct Candidate {
    pub level: Level,
    pub bullet: Bullet,
    /// Search score; `None` if the bullet does not match the task.
    pub score: Option<f32>,
}

/// A memory that matches the task.
pub(super) struct Recollection<'m> {
    pub open: &'m OpenVault,
    pub note: Note,
    /// Search score.
    pub score: f32,
    /// The best-matching passage.
    pub passage: Option<PassageKey>,
    /// Whether another note supersedes the memory.
    pub replaced: bool,
}

/// The candidates of all open vaults.
pub(super) struct Candidates<'m> {
    pub bullets: Vec<Candidate>,
    pub memories: Vec<Recollection<'m>>,
    pub blocked: Vec<Blocked>,
    /// Highest score of a bullet; 0 if none matches.
    pub best_bullet: f32,
    /// Highest score of a memory; 0 if none matches.
    pub best_memory: f32,
    /// Number of matching bullets that were not fetched and may score as high as fetched ones.
    pub unseen: usize,
    pub has_playbook: bool,
    pub notices: Vec<String>,
    task: String,
    words: Vec<Node>,
    only: Only,
    notes: usize,
}

/// Additional filters for bullets and memories.
#[derive(Default)]
pub(super) struct Only {
    rules: Vec<Node>,
    memories: Vec<Node>,
}

impl Only {
    /// Builds the filters from the requested category and priority.
    pub fn of(options: &Options) -> Self {
        let rules: Vec<Node> =
            options.category.iter().map(|category| label(Label::Category, category)).collect();
        let priority = options.priority.map(|priority| label(Label::Priority, priority.name()));
        Self { memories: rules.iter().cloned().chain(priority).collect(), rules }
    }
}

/// Playbook notes of one vault, with the scores of those that match the task.
#[derive(Default)]
struct OfVault {
    notes: Vec<Note>,
    scores: HashMap<NotePath, f32>,
    blocked: Vec<Blocked>,
    /// Number of matching bullets that were not fetched; `least` is an upper bound of their scores.
    unseen: usize,
    least: f32,
}

impl<'m> Candidates<'m> {
    /// Queries all vaults for about `limit` bullets.
    pub fn ask(memory: &'m Memory, task: &str, limit: usize, only: Only) -> Result<Self> {
        let words = words(task);
        let mut found = Self {
            bullets: Vec::new(),
            memories: Vec::new(),
            blocked: Vec::new(),
            best_bullet: 0.0,
            best_memory: 0.0,
            unseen: 0,
            has_playbook: false,
            notices: Vec::new(),
            task: task.to_owned(),
            words,
            only,
            notes: 0,
        };
        let mut shelves = Vec::new();
        for open in &memory.vaults {
            memory.freshen(open)?;
            found.notes += count(memory, open, Node::Everything)?;
            shelves.push(found.shelf(memory, open, limit)?);
            found.recall(memory, open)?;
        }
        found.even_out(memory, &mut shelves);
        add_twins(memory, &mut shelves)?;
        found.lay(memory, shelves);
        // What nobody has confirmed does not decide how well anything else fits.
        let best_of = |unverified: bool| {
            let of = found.memories.iter().filter(|it| it.note.is_unverified() == unverified);
            of.map(|it| it.score).fold(0.0, f32::max)
        };
        let (confirmed, unverified) = (best_of(false), best_of(true));
        found.best_memory = if confirmed > 0.0 { confirmed } else { unverified };
        let fitting = found.bullets.iter().filter_map(|candidate| candidate.score);
        found.best_bullet = fitting.fold(0.0, f32::max);
        found.has_playbook = !found.bullets.is_empty() || {
            let mut bullets = 0;
            for open in &memory.vaults {
                bullets += count(memory, open, label(Label::Kind, Kind::Bullet.name()))?;
            }
            bullets > 0
        };
        Ok(found)
    }

    /// Scales each vault's scores to the same maximum. Scores of different indexes are not
    /// comparable, because a word that is rare in one may be common in the other.
    fn even_out(&mut self, memory: &Memory, shelves: &mut [OfVault]) {
        let best_of = |open: &OpenVault, shelf: &OfVault, memories: &[Recollection<'_>]| {
            let own = memories.iter().filter(|it| it.open.level == open.level).map(|it| it.score);
            own.chain(shelf.scores.values().copied()).fold(0.0, f32::max)
        };
        let bests: Vec<f32> = memory
            .vaults
            .iter()
            .zip(&*shelves)
            .map(|(open, shelf)| best_of(open, shelf, &self.memories))
            .collect();
        let best = bests.iter().copied().fold(0.0, f32::max);
        for ((open, shelf), own) in memory.vaults.iter().zip(shelves).zip(bests) {
            let factor = if own > 0.0 { best / own } else { 1.0 };
            shelf.scores.values_mut().for_each(|score| *score *= factor);
            if shelf.least * factor >= CHANCE * best {
                self.unseen += shelf.unseen;
            }
            let memories = self.memories.iter_mut().filter(|it| it.open.level == open.level);
            memories.for_each(|it| it.score *= factor);
        }
    }

    /// Whether no vault contains a note.
    pub fn is_empty(&self) -> bool {
        self.notes == 0
    }

    /// The task's words as an any-of group.
    pub fn words(&self) -> Node {
        Node::Group(self.wish())
    }

    fn wish(&self) -> Group {
        Group { should: self.words.clone(), ..Group::default() }
    }

    fn shelf(&self, memory: &Memory, open: &OpenVault, limit: usize) -> Result<OfVault> {
        let mut shelf = OfVault::default();
        let mut in_use = vec![label(Label::Kind, Kind::Bullet.name()), label(Label::State, "active")];
        in_use.extend(self.only.rules.iter().cloned());
        let not = vec![label(Label::Maturity, "deprecated")];
        let with = |more: Node| Group {
            filter: in_use.iter().cloned().chain([more]).collect(),
            not: not.clone(),
            ..Group::default()
        };
        if !self.words.is_empty() {
            let fitting = Group { filter: in_use.clone(), not: not.clone(), ..self.wish() };
            let query = Query { root: Node::Group(fitting), notices: Vec::new() };
            let found = self.answers(memory, open, &query, limit + SPARE)?;
            shelf.unseen = found.total.saturating_sub(found.ranked.len());
            for ranked in found.ranked {
                shelf.least = ranked.score as f32;
                shelf.scores.insert(ranked.note.path.clone(), ranked.score as f32);
                shelf.notes.push(ranked.note);
            }
        }
        let mut more = ask(memory, open, with(label(Label::Pinned, "true")), PINNED)?;
        let proven = ask(memory, open, with(label(Label::Maturity, "proven")), PROVED)?;
        let few = PROVED - proven.len();
        more.extend(proven);
        more.extend(ask(memory, open, with(label(Label::Maturity, "established")), few)?);
        more.extend(ask(memory, open, with(label(Label::Maturity, "candidate")), NEW)?);
        shelf.add(more);
        shelf.blocked = self.blocked_in(memory, open)?;
        Ok(shelf)
    }

    /// Diaries that match the task, each with its score, best first.
    pub fn diaries<'v>(
        &self,
        memory: &'v Memory,
        open: &'v OpenVault,
        limit: usize,
    ) -> Result<Vec<(Note, f64)>> {
        if self.words.is_empty() {
            return Ok(Vec::new());
        }
        let kind = label(Label::Kind, Kind::Diary.name());
        let query =
            Query { root: Node::Group(Group { filter: vec![kind], ..self.wish() }), notices: Vec::new() };
        let found = self.answers(memory, open, &query, limit)?;
        Ok(found.ranked.into_iter().map(|ranked| (ranked.note, ranked.score)).collect())
    }

    /// Retrieves notes selected by `query` that match the task by words or by meaning.
    fn answers<'v>(
        &self,
        memory: &'v Memory,
        open: &'v OpenVault,
        query: &Query,
        limit: usize,
    ) -> Result<Retrieved<'v>> {
        let stages = Stages { recency: false, usefulness: false, ..Stages::default() };
        let question = Question { query, meaning: &self.task, stages, by_meaning: ByMeaning::Near };
        memory.retrieve_from(std::slice::from_ref(open), question, limit)
    }

    /// All deprecated patterns, which may match inside a word, and the blocked rules that match the
    /// task.
    fn blocked_in(&self, memory: &Memory, open: &OpenVault) -> Result<Vec<Blocked>> {
        let kind = label(Label::Kind, Kind::Blocked.name());
        let deprecated = label(Label::Type, "deprecated");
        let only = Group { filter: vec![kind.clone(), deprecated.clone()], ..Group::default() };
        let mut hits = ask(memory, open, only, DEPRECATED)?;
        if !self.words.is_empty() {
            let others = Group { filter: vec![kind], not: vec![deprecated], ..self.wish() };
            hits.extend(ask(memory, open, others, TOXIC)?);
        }
        Ok(hits.iter().filter_map(|hit| Blocked::of(&hit.note)).collect())
    }

    /// Merges the playbooks of the vaults and keeps the bullets in use.
    fn lay(&mut self, memory: &Memory, shelves: Vec<OfVault>) {
        let mut scores = HashMap::new();
        let mut playbooks = Vec::new();
        let mut notes = Vec::new();
        for (open, shelf) in memory.vaults.iter().zip(shelves) {
            let level = open.level;
            scores.extend(shelf.scores.into_iter().map(|(path, score)| ((level, path), score)));
            let bullets = playbook::of_notes(&shelf.notes).bullets;
            playbooks.push((level, Playbook { bullets, blocked: shelf.blocked }));
            notes.push((level, shelf.notes));
        }
        let merged = playbook::merge(playbooks);
        self.blocked = merged.blocked.into_iter().map(|(_, blocked)| blocked).collect();
        let notes: Vec<(Level, &[Note])> = notes.iter().map(|(level, notes)| (*level, &**notes)).collect();
        let (shown, notice) = playbook::showable(merged.bullets, &notes);
        for shelved in shown {
            let score = scores.get(&(shelved.level, shelved.bullet.path.clone())).copied();
            self.bullets.push(Candidate { level: shelved.level, bullet: shelved.bullet, score });
        }
        self.notices.extend(notice);
    }

    /// Collects the memories that match the task.
    fn recall(&mut self, memory: &'m Memory, open: &'m OpenVault) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        // A note of a vault that was never adopted has no kind, and is knowledge all the same.
        let kinds = [Kind::Memory, Kind::Plain].map(|kind| label(Label::Kind, kind.name()));
        let group = Group {
            filter: [Node::Group(Group { should: kinds.into(), ..Group::default() })]
                .into_iter()
                .chain(self.only.memories.iter().cloned())
                .collect(),
            not: ["draft", "retired", Note::UNVERIFIED].map(|state| label(Label::State, state)).into(),
            ..self.wish()
        };
        // Asked apart, so that many of them displace nothing that is confirmed.
        let mut unverified = group.clone();
        unverified.not.clear();
        unverified.filter.push(label(Label::State, Note::UNVERIFIED));
        let mut hits = Vec::new();
        for (group, most) in [(group, MEMORIES), (unverified, UNVERIFIED)] {
            let query = Query { root: Node::Group(group), notices: Vec::new() };
            hits.extend(self.answers(memory, open, &query, most)?.ranked);
        }
        if hits.is_empty() {
            return Ok(());
        }
        let edges = Group {
            filter: vec![label(Label::Kind, Kind::Edge.name()), label(Label::Type, SUPERSEDES)],
            ..Group::default()
        };
        let edges = ask(memory, open, edges, SUPERSEDING)?;
        let edges: Vec<_> = edges.into_iter().filter_map(|hit| hit.note.edge).collect();
        let waiting = waiting(memory, open, edges.iter().map(|ends| ends.from.as_str()))?;
        let confirmed = edges.into_iter().filter(|ends| !waiting.contains(&ends.from));
        let mut old: HashSet<String> = confirmed.map(|ends| ends.to).collect();
        for note in hits.iter().map(|hit| &hit.note).filter(|note| !note.is_waiting()) {
            for relation in note.relations.iter().filter(|relation| relation.relation == SUPERSEDES) {
                old.insert(if relation.outgoing { relation.target.clone() } else { note.key().to_owned() });
            }
            let links = note.links.iter().filter(|link| link.relation.as_deref() == Some(SUPERSEDES));
            old.extend(links.map(|link| link.target.clone()));
        }
        let hits = hits.into_iter().filter(|hit| hit.note.staleness().is_none());
        self.memories.extend(hits.map(|hit| {
            let named = [hit.note.key(), &hit.note.title, hit.note.path.stem()];
            let replaced =
                !hit.note.condensed_into.is_empty() || named.iter().any(|name| old.contains(*name));
            Recollection { open, score: hit.score as f32, passage: hit.passage, note: hit.note, replaced }
        }));
        Ok(())
    }

    /// Deprecated bullets that match the task and have a replacement.
    pub fn replaced(&self, memory: &Memory) -> Result<Vec<Bullet>> {
        let mut found = Vec::new();
        if self.words.is_empty() {
            return Ok(found);
        }
        let kind = label(Label::Kind, Kind::Bullet.name());
        let group = Group { filter: vec![kind, label(Label::Maturity, "deprecated")], ..self.wish() };
        for open in &memory.vaults {
            let hits = ask(memory, open, group.clone(), REPLACED)?;
            let hits = hits.iter().filter(|hit| !memory.is_hidden(open, &hit.note));
            let bullets = hits.filter_map(|hit| Bullet::of(&hit.note));
            found.extend(bullets.filter(|bullet| bullet.fields.replaced_by.is_some()));
        }
        Ok(found)
    }

    /// Text of the bullet with this ID, in any open vault.
    pub fn content_of(&self, memory: &Memory, id: &str) -> Result<Option<String>> {
        if let Some(known) = self.bullets.iter().find(|candidate| candidate.bullet.id.as_str() == id) {
            return Ok(Some(known.bullet.content().to_owned()));
        }
        for open in &memory.vaults {
            let named = [id.to_owned()];
            if let Some(bullet) = with_ids(memory, open, &named)?.iter().find_map(Bullet::of) {
                return Ok(Some(bullet.content().to_owned()));
            }
        }
        Ok(None)
    }
}

impl OfVault {
    fn add(&mut self, hits: Vec<Hit>) {
        let mut known: HashSet<NotePath> = self.notes.iter().map(|note| note.path.clone()).collect();
        for note in hits.into_iter().map(|hit| hit.note) {
            if known.insert(note.path.clone()) {
                self.notes.push(note);
            }
        }
    }
}

/// Adds to each vault the bullets that another vault found under the same ID, so that the project's
/// text wins and the feedback of both vaults counts.
fn add_twins(memory: &Memory, shelves: &mut [OfVault]) -> Result<()> {
    let ids = |shelf: &OfVault| -> Vec<String> {
        shelf.notes.iter().filter_map(|note| note.id.as_ref().map(ToString::to_string)).collect()
    };
    let known: Vec<Vec<String>> = shelves.iter().map(ids).collect();
    for (at, open) in memory.vaults.iter().enumerate() {
        for (_, ids) in known.iter().enumerate().filter(|(other, ids)| *other != at && !ids.is_empty()) {
            let twins = with_ids(memory, open, ids)?;
            shelves[at].add(twins.into_iter().map(|note| Hit { note, score: 0.0 }).collect());
        }
    }
    Ok(())
}

/// The bullets of a vault with one of these IDs.
fn with_ids(memory: &Memory, open: &OpenVault, ids: &[String]) -> Result<Vec<Note>> {
    let any = Group { should: ids.iter().map(|id| label(Label::Id, id)).collect(), ..Group::default() };
    let filter = vec![label(Label::Kind, Kind::Bullet.name()), Node::Group(any)];
    let hits = ask(memory, open, Group { filter, ..Group::default() }, ids.len().saturating_mul(2))?;
    Ok(hits.into_iter().map(|hit| hit.note).collect())
}

fn ask(memory: &Memory, open: &OpenVault, group: Group, limit: usize) -> Result<Vec<Hit>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let query = Query { root: Node::Group(group), notices: Vec::new() };
    Ok(memory.ask(open, |index| index.search(&query, 0, limit))?.hits)
}

/// The subset of `ids` that await confirmation; such notes do not supersede others.
fn waiting<'i>(
    memory: &Memory,
    open: &OpenVault,
    ids: impl Iterator<Item = &'i str>,
) -> Result<HashSet<String>> {
    let any = |should: Vec<Node>| Node::Group(Group { should, ..Group::default() });
    let ids: Vec<Node> = ids.map(|id| label(Label::Id, id)).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let limit = ids.len();
    let states = ["draft", Note::UNVERIFIED].map(|state| label(Label::State, state));
    let group = Group { filter: vec![any(ids), any(states.into())], ..Group::default() };
    Ok(ask(memory, open, group, limit)?.into_iter().map(|hit| hit.note.key().to_owned()).collect())
}

fn count(memory: &Memory, open: &OpenVault, root: Node) -> Result<usize> {
    let query = Query { root, notices: Vec::new() };
    Ok(memory.ask(open, |index| index.search(&query, 0, 0))?.total)
}

fn label(label: Label, value: &str) -> Node {
    Node::Label { label, value: label.folded(value), prefix: false }
}

/// Splits a task into words and identifiers as search terms, ignoring punctuation.
pub(crate) fn words(task: &str) -> Vec<Node> {
    let mut tokenizer = Tokenizer::default();
    let (mut at, mut words) = (0, Vec::new());
    while let Some(unit) = tokenizer.next_unit(task, &mut at) {
        let from = unit.tokens().map(|token| token.from).min();
        let to = unit.tokens().map(|token| token.to).max();
        if let (Some(from), Some(to)) = (from, to) {
            words.push(Node::Text { field: None, text: Text::Word(task[from..to].to_owned()) });
        }
        if words.len() == WORDS {
            break;
        }
    }
    words
}
