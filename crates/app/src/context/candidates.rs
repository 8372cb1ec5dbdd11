//! What may be in a briefing, asked of the indexes of all open vaults: bullets, memories and blocked patterns.

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

/// A hit whose score is below this share of the best one's fits only by chance.
pub(super) const CHANCE: f32 = 0.2;
/// Hits of memories that are looked at.
const MEMORIES: usize = 40;
/// Hits of unverified memories that are looked at.
const UNVERIFIED: usize = 12;
/// More bullets than are shown, since some of them do not count.
const SPARE: usize = 10;
/// Pinned bullets that are looked at.
const PINNED: usize = 200;
/// Bullets of one maturity that are looked at besides those that fit.
const PROVED: usize = 100;
/// New bullets that are looked at besides those that fit, the latest ones.
const NEW: usize = 50;
/// Deprecated patterns that are looked at.
const DEPRECATED: usize = 2_000;
/// Blocked rules with words of the task that are looked at.
const TOXIC: usize = 20;
/// Edges that say that one note takes another's place.
const SUPERSEDING: usize = 500;
/// Bullets out of use that are looked at.
const REPLACED: usize = 10;
/// The words of a task that are searched for.
const WORDS: usize = 250;

/// A bullet that is in use.
pub(super) struct Candidate {
    pub level: Level,
    pub bullet: Bullet,
    /// How well it fits, where it has words of the task.
    pub score: Option<f32>,
}

/// A memory that has words of the task.
pub(super) struct Recollection<'m> {
    pub open: &'m OpenVault,
    pub note: Note,
    /// How well it fits.
    pub score: f32,
    /// Its passage that is nearest.
    pub passage: Option<PassageKey>,
    /// Whether another note has taken its place.
    pub replaced: bool,
}

/// All of them.
pub(super) struct Candidates<'m> {
    pub bullets: Vec<Candidate>,
    pub memories: Vec<Recollection<'m>>,
    pub blocked: Vec<Blocked>,
    /// The score of the bullet that fits best; 0 where none does.
    pub best_bullet: f32,
    /// The same of memories.
    pub best_memory: f32,
    /// How many bullets fit no less than those that are shown, perhaps, and were not looked at.
    pub unseen: usize,
    pub has_playbook: bool,
    pub notices: Vec<String>,
    task: String,
    words: Vec<Node>,
    only: Only,
    notes: usize,
}

/// What bullets and memories must have besides.
#[derive(Default)]
pub(super) struct Only {
    rules: Vec<Node>,
    memories: Vec<Node>,
}

impl Only {
    /// The category and the priority that somebody named.
    pub fn of(options: &Options) -> Self {
        let rules: Vec<Node> =
            options.category.iter().map(|category| label(Label::Category, category)).collect();
        let priority = options.priority.map(|priority| label(Label::Priority, priority.name()));
        Self { memories: rules.iter().cloned().chain(priority).collect(), rules }
    }
}

/// The notes that a vault gives for the playbook, and how well those fit that have words of the task.
#[derive(Default)]
struct OfVault {
    notes: Vec<Note>,
    scores: HashMap<NotePath, f32>,
    blocked: Vec<Blocked>,
    /// How many bullets have words of the task and were not looked at, and the score that none of them passes.
    unseen: usize,
    least: f32,
}

impl<'m> Candidates<'m> {
    /// Asks all vaults, of bullets for about so many.
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

    /// Scores of two indexes do not compare: a word that is rare in one is common in the other. The best hit of each vault
    /// counts the same.
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

    /// Whether the vaults hold nothing at all.
    pub fn is_empty(&self) -> bool {
        self.notes == 0
    }

    /// The task's words, any of which a note may have.
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

    /// The diaries that fit the task, best first, each with how well.
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

    /// What answers the task of what a query selects, by words and by meaning.
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

    /// Deprecated patterns, which may stand within a word, and blocked rules that have words of the task.
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

    /// Lays the vaults' playbooks on each other and keeps what is in use.
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

    /// Memories with words of the task.
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

    /// Bullets out of use that another has replaced and that have words of the task.
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

    /// What the bullet of that id says.
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

/// Gives each vault the bullets whose ids another vault found, so that the project's words win and the feedback of both
/// counts also where only one of them fits.
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

/// The bullets of a vault with one of these ids.
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

/// Those of the notes with these ids that wait to be confirmed: they take no other note's place.
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

/// The words and identifiers of a task, whatever signs stand between them.
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
