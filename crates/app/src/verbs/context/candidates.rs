//! Collects candidate bullets, memories and blocked patterns for a briefing from the indexes of all
//! open vaults.

use std::collections::{HashMap, HashSet};

use super::Options;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::retrieve::{HitScore, RankingStages, Retrieval, RetrievalResult, SemanticThreshold};
use crate::context::superseded::SupersededNotes;
use crate::error::Result;
use crate::verbs::playbook;
use cm_index::NoteHit;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::note::{Note, NoteKind};
use cm_note::passage::PassageKey;
use cm_note::path::NotePath;
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode, TextCondition};
use cm_note::rank::need::Need;
use cm_playbook::curation::Playbook;
use cm_text::similarity;
use cm_text::tokens::Tokenizer;

/// Hits below this fraction of the best score count as accidental matches.
pub(super) const MIN_SHARE_OF_BEST: f32 = 0.2;
/// Maximum number of confirmed memories to retrieve.
const MAX_RETRIEVED_MEMORIES: usize = 40;
/// Maximum number of unverified memories to retrieve.
const MAX_RETRIEVED_UNVERIFIED: usize = 12;
/// Number of bullets to retrieve in addition to the limit, because some are filtered out later.
const EXTRA_RULES: usize = 10;
/// Maximum number of pinned bullets to retrieve.
const MAX_PINNED_RULES: usize = 200;
/// Maximum number of bullets of each maturity to retrieve that do not match the task.
const MAX_UNMATCHED_RULES: usize = 100;
/// Maximum number of new bullets, latest first, to retrieve that do not match the task.
const MAX_NEW_RULES: usize = 50;
/// Maximum number of deprecated patterns to retrieve.
const MAX_DEPRECATED_PATTERNS: usize = 2_000;
/// Maximum number of toxic blocks to retrieve that match the task.
const MAX_TOXIC_BLOCKS: usize = 20;
/// Maximum number of deprecated bullets with a replacement to retrieve.
const MAX_REPLACED_RULES: usize = 10;
/// Minimum cosine by the fine model of a task and a discouraged rule for a warning.
const MIN_FINE_COSINE: f64 = 0.7;
/// Minimum cosine by the coarse model, which counts where the fine model has not embedded the rule.
const MIN_COARSE_COSINE: f64 = 0.8;
/// Minimum number of words of a blocked pattern that has a meaning.
const MIN_PATTERN_WORDS: usize = 3;
/// Maximum number of search terms taken from a task.
const MAX_TASK_WORDS: usize = 250;

/// A bullet that is in use and may become part of the briefing.
pub(super) struct BulletCandidate {
    pub level: VaultLevel,
    pub bullet: Bullet,
    /// Search score; `None` if the bullet does not match the task.
    pub score: Option<f32>,
    /// How much an agent needs the bullet for the task; `None` if that is unknown.
    pub need: Option<Need>,
}

/// A memory that matches the task and may become part of the briefing.
pub(super) struct MemoryCandidate<'m> {
    pub open: &'m OpenVault,
    pub note: Note,
    pub score: f32,
    /// The best-matching passage.
    pub passage: Option<PassageKey>,
    /// Whether another note supersedes the memory.
    pub replaced: bool,
    /// Whether the note by itself hardly matches the task.
    pub is_weak: bool,
    /// How much an agent needs the memory for the task; `None` if that is unknown.
    pub need: Option<Need>,
}

/// Condition under which a note without a word of the task is retrieved.
#[derive(Clone, Copy)]
enum Fit {
    /// A similarity to the task.
    Similar(SemanticThreshold),
    /// Nothing: how much an agent needs it decides later. Where that is unknown, a similarity.
    Needed(SemanticThreshold),
}

/// Bullets, memories and blocked patterns of all open vaults that may become part of a briefing.
pub(super) struct BriefingCandidates<'m> {
    pub bullets: Vec<BulletCandidate>,
    pub memories: Vec<MemoryCandidate<'m>>,
    pub blocked: Vec<BlockedNote>,
    /// IDs of the blocked patterns whose meaning is near to the task's.
    pub near_blocked: HashSet<String>,
    /// Highest score of a bullet; 0 if none matches.
    pub best_bullet: f32,
    /// Highest score of a memory; 0 if none matches.
    pub best_memory: f32,
    /// Number of matching bullets that were not retrieved although they may score as high as
    /// retrieved ones.
    pub unseen: usize,
    pub has_playbook: bool,
    pub notices: Vec<String>,
    task: String,
    words: Vec<QueryNode>,
    pub(super) only: BriefingFilter,
    notes: usize,
}

/// Index queries that restrict the bullets and memories of a briefing.
#[derive(Default)]
pub(super) struct BriefingFilter {
    rules: Vec<QueryNode>,
    pub memories: Vec<QueryNode>,
}

impl BriefingFilter {
    /// Restricts bullets by category, and memories by category and priority.
    pub fn of(options: &Options) -> Self {
        let rules: Vec<QueryNode> =
            options.category.iter().map(|category| label(LabelField::Category, category)).collect();
        let priority = options.priority.map(|priority| label(LabelField::Priority, priority.name()));
        Self { memories: rules.iter().cloned().chain(priority).collect(), rules }
    }
}

/// Playbook notes of one vault and the scores of those that match the task.
#[derive(Default)]
struct VaultPlaybookHits {
    notes: Vec<Note>,
    scores: HashMap<NotePath, f32>,
    needs: HashMap<NotePath, Need>,
    blocked: Vec<BlockedNote>,
    /// Number of matching bullets that were not retrieved; none of them scores more than `least`.
    unseen: usize,
    least: f32,
}

impl<'m> BriefingCandidates<'m> {
    /// Retrieves the candidates for a task from all open vaults, about `limit` bullets; for an empty one those
    /// that apply to any work.
    pub fn ask(context: &'m Context, task: &str, limit: usize, only: BriefingFilter) -> Result<Self> {
        let words = words(task);
        let mut found = Self {
            bullets: Vec::new(),
            memories: Vec::new(),
            blocked: Vec::new(),
            near_blocked: HashSet::new(),
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
        let mut hits_by_vault = Vec::new();
        for open in &context.vaults {
            context.ensure_fresh(open)?;
            found.notes += count(context, open, QueryNode::Everything)?;
            hits_by_vault.push(found.playbook_hits(context, open, limit)?);
            match task.is_empty() {
                true => found.recall_standing(context, open)?,
                false => found.recall(context, open)?,
            }
        }
        found.even_out(context, &mut hits_by_vault);
        add_twins(context, &mut hits_by_vault)?;
        found.merge_playbooks(context, hits_by_vault);
        // What nobody has confirmed does not decide how well anything else fits.
        let best_of = |unverified: bool| {
            let of = found.memories.iter().filter(|it| it.note.is_unverified() == unverified && !it.is_weak);
            of.map(|it| it.score).fold(0.0, f32::max)
        };
        let (confirmed, unverified) = (best_of(false), best_of(true));
        found.best_memory = if confirmed > 0.0 { confirmed } else { unverified };
        let fitting = found.bullets.iter().filter_map(|candidate| candidate.score);
        found.best_bullet = fitting.fold(0.0, f32::max);
        found.has_playbook = !found.bullets.is_empty() || {
            let mut bullets = 0;
            for open in &context.vaults {
                bullets += count(context, open, label(LabelField::Kind, NoteKind::Bullet.name()))?;
            }
            bullets > 0
        };
        Ok(found)
    }

    /// Scales each vault's scores to the same maximum. Scores of different indexes are not
    /// comparable, because a word that is rare in one may be common in the other.
    fn even_out(&mut self, context: &Context, hits_by_vault: &mut [VaultPlaybookHits]) {
        let best_of = |open: &OpenVault, hits: &VaultPlaybookHits, memories: &[MemoryCandidate<'_>]| {
            let own =
                memories.iter().filter(|it| it.open.level == open.level && !it.is_weak).map(|it| it.score);
            own.chain(hits.scores.values().copied()).fold(0.0, f32::max)
        };
        let bests: Vec<f32> = context
            .vaults
            .iter()
            .zip(&*hits_by_vault)
            .map(|(open, hits)| best_of(open, hits, &self.memories))
            .collect();
        let best = bests.iter().copied().fold(0.0, f32::max);
        for ((open, hits), own) in context.vaults.iter().zip(hits_by_vault).zip(bests) {
            // Needs can be compared as they are.
            let factor = if own > 0.0 && hits.needs.is_empty() { best / own } else { 1.0 };
            hits.scores.values_mut().for_each(|score| *score *= factor);
            if hits.least * factor >= MIN_SHARE_OF_BEST * best {
                self.unseen += hits.unseen;
            }
            let memories = self.memories.iter_mut().filter(|it| it.open.level == open.level);
            memories.for_each(|it| it.score *= factor);
        }
    }

    /// Whether no vault contains a note.
    pub fn is_empty(&self) -> bool {
        self.notes == 0
    }

    /// Returns a query that matches any word of the task.
    pub fn words(&self) -> QueryNode {
        QueryNode::Group(self.wish())
    }

    fn wish(&self) -> BooleanGroup {
        BooleanGroup { should: self.words.clone(), ..BooleanGroup::default() }
    }

    fn playbook_hits(
        &mut self,
        context: &Context,
        open: &OpenVault,
        limit: usize,
    ) -> Result<VaultPlaybookHits> {
        let mut hits = VaultPlaybookHits::default();
        let mut in_use = vec![
            label(LabelField::Kind, NoteKind::Bullet.name()),
            label(LabelField::State, BulletState::Active.name()),
        ];
        in_use.extend(self.only.rules.iter().cloned());
        let not = vec![label(LabelField::Maturity, Maturity::Deprecated.name())];
        let with = |more: QueryNode| BooleanGroup {
            filter: in_use.iter().cloned().chain([more]).collect(),
            not: not.clone(),
            ..BooleanGroup::default()
        };
        if !self.words.is_empty() {
            let fitting = BooleanGroup { filter: in_use.clone(), not: not.clone(), ..self.wish() };
            let query = Query { root: QueryNode::Group(fitting), notices: Vec::new() };
            let found = self.answers(
                context,
                open,
                &query,
                Fit::Needed(SemanticThreshold::Rules),
                limit + EXTRA_RULES,
            )?;
            hits.unseen = found.total.saturating_sub(found.ranked.len());
            for ranked in found.ranked {
                hits.least = ranked.score as f32;
                hits.scores.insert(ranked.note.path.clone(), ranked.score as f32);
                hits.needs.extend(ranked.need.map(|need| (ranked.note.path.clone(), need)));
                hits.notes.push(ranked.note);
            }
        }
        let mut more = index_hits(context, open, with(label(LabelField::Pinned, "true")), MAX_PINNED_RULES)?;
        let proven = index_hits(
            context,
            open,
            with(label(LabelField::Maturity, Maturity::Proven.name())),
            MAX_UNMATCHED_RULES,
        )?;
        let few = MAX_UNMATCHED_RULES - proven.len();
        more.extend(proven);
        more.extend(index_hits(
            context,
            open,
            with(label(LabelField::Maturity, Maturity::Established.name())),
            few,
        )?);
        more.extend(index_hits(
            context,
            open,
            with(label(LabelField::Maturity, Maturity::Candidate.name())),
            MAX_NEW_RULES,
        )?);
        hits.add(more);
        hits.blocked = self.blocked_in(context, open)?;
        Ok(hits)
    }

    /// Diaries that match the task, each with its score, best first.
    pub fn diaries<'v>(
        &self,
        context: &'v Context,
        open: &'v OpenVault,
        limit: usize,
    ) -> Result<Vec<(Note, f64)>> {
        if self.words.is_empty() {
            return Ok(Vec::new());
        }
        let kind = label(LabelField::Kind, NoteKind::Diary.name());
        let query = Query {
            root: QueryNode::Group(BooleanGroup { filter: vec![kind], ..self.wish() }),
            notices: Vec::new(),
        };
        let found = self.answers(context, open, &query, Fit::Similar(SemanticThreshold::Rules), limit)?;
        Ok(found.ranked.into_iter().map(|ranked| (ranked.note, ranked.score)).collect())
    }

    /// Retrieves the notes that `query` selects and that match the task by words or by meaning.
    fn answers<'v>(
        &self,
        context: &'v Context,
        open: &'v OpenVault,
        query: &Query,
        fit: Fit,
        limit: usize,
    ) -> Result<RetrievalResult<'v>> {
        let stages = RankingStages { recency: false, usefulness: false, ..RankingStages::default() };
        let (by_meaning, is_task) = match fit {
            Fit::Similar(least) => (least, false),
            Fit::Needed(otherwise) => (otherwise, true),
        };
        let question = Retrieval { query, meaning: &self.task, stages, by_meaning, is_task };
        context.retrieve_from(std::slice::from_ref(open), question, limit)
    }

    /// Returns all deprecated patterns, which can also match within a word, and the toxic blocks
    /// that match the task by words or meaning.
    fn blocked_in(&mut self, context: &Context, open: &OpenVault) -> Result<Vec<BlockedNote>> {
        let kind = label(LabelField::Kind, NoteKind::Blocked.name());
        let deprecated = label(LabelField::Type, BlockKind::Deprecated.name());
        let only = BooleanGroup { filter: vec![kind.clone(), deprecated], ..BooleanGroup::default() };
        let hits = index_hits(context, open, only, MAX_DEPRECATED_PATTERNS)?;
        let mut found: Vec<BlockedNote> = hits.iter().filter_map(|hit| BlockedNote::of(&hit.note)).collect();
        for (note, is_near) in self.discouraged(context, open, vec![kind], MAX_TOXIC_BLOCKS)? {
            let Some(blocked) = BlockedNote::of(&note) else { continue };
            // A word or a piece of code has no meaning of its own that a task could be near to.
            if is_near && similarity::words(blocked.text()).len() >= MIN_PATTERN_WORDS {
                self.near_blocked.insert(blocked.id.to_string());
            }
            if found.iter().all(|other| other.id != blocked.id) {
                found.push(blocked);
            }
        }
        Ok(found)
    }

    /// Returns the notes that `filter` selects and that match the task, and whether their meaning is
    /// near to the task's.
    fn discouraged(
        &self,
        context: &Context,
        open: &OpenVault,
        filter: Vec<QueryNode>,
        limit: usize,
    ) -> Result<Vec<(Note, bool)>> {
        if self.words.is_empty() {
            return Ok(Vec::new());
        }
        let group = BooleanGroup { filter, ..self.wish() };
        let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
        let found = self.answers(context, open, &query, Fit::Similar(SemanticThreshold::Near), limit)?;
        let is_near = |parts: &HitScore| match (parts.fine, parts.coarse) {
            (Some(fine), _) => fine >= MIN_FINE_COSINE,
            (None, coarse) => coarse.is_some_and(|coarse| coarse >= MIN_COARSE_COSINE),
        };
        Ok(found.ranked.into_iter().map(|ranked| (ranked.note, is_near(&ranked.parts))).collect())
    }

    /// Merges the playbooks of all vaults; retains the bullets in use.
    fn merge_playbooks(&mut self, context: &Context, hits_by_vault: Vec<VaultPlaybookHits>) {
        let mut scores = HashMap::new();
        let mut needs = HashMap::new();
        let mut playbooks = Vec::new();
        let mut notes = Vec::new();
        for (open, hits) in context.vaults.iter().zip(hits_by_vault) {
            let level = open.level;
            scores.extend(hits.scores.into_iter().map(|(path, score)| ((level, path), score)));
            needs.extend(hits.needs.into_iter().map(|(path, need)| ((level, path), need)));
            let bullets = playbook::of_notes(&hits.notes).bullets;
            playbooks.push((level, Playbook { bullets, blocked: hits.blocked }));
            notes.push((level, hits.notes));
        }
        let merged = playbook::merge(playbooks);
        self.blocked = merged.blocked.into_iter().map(|(_, blocked)| blocked).collect();
        let notes: Vec<(VaultLevel, &[Note])> =
            notes.iter().map(|(level, notes)| (*level, &**notes)).collect();
        let (shown, notice) = playbook::showable(merged.bullets, &notes);
        for vault_bullet in shown {
            let key = (vault_bullet.level, vault_bullet.bullet.path.clone());
            self.bullets.push(BulletCandidate {
                level: vault_bullet.level,
                bullet: vault_bullet.bullet,
                score: scores.get(&key).copied(),
                need: needs.get(&key).copied(),
            });
        }
        self.notices.extend(notice);
    }

    /// Adds the memories of one vault that match the task.
    fn recall(&mut self, context: &'m Context, open: &'m OpenVault) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        // A note of a vault that was never adopted has no kind, and is knowledge all the same.
        let kinds = [NoteKind::Memory, NoteKind::Plain].map(|kind| label(LabelField::Kind, kind.name()));
        let group = BooleanGroup {
            filter: [QueryNode::Group(BooleanGroup { should: kinds.into(), ..BooleanGroup::default() })]
                .into_iter()
                .chain(self.only.memories.iter().cloned())
                .collect(),
            not: [Note::DRAFT, Note::RETIRED, Note::UNVERIFIED]
                .map(|state| label(LabelField::State, state))
                .into(),
            ..self.wish()
        };
        // Asked apart, so that many of them displace nothing that is confirmed.
        let mut unverified = group.clone();
        unverified.not.clear();
        unverified.filter.push(label(LabelField::State, Note::UNVERIFIED));
        let mut hits = Vec::new();
        for (group, most) in [(group, MAX_RETRIEVED_MEMORIES), (unverified, MAX_RETRIEVED_UNVERIFIED)] {
            let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
            hits.extend(
                self.answers(context, open, &query, Fit::Needed(SemanticThreshold::NearOrNeeded), most)?
                    .ranked,
            );
        }
        if hits.is_empty() {
            return Ok(());
        }
        let superseded = SupersededNotes::of(context, open, hits.iter().map(|hit| &hit.note))?;
        let is_usable = |note: &Note| note.staleness().is_none() && !note.has_conflict();
        let needs: HashMap<String, Need> =
            hits.iter().filter_map(|hit| Some((hit.note.key().to_owned(), hit.need?))).collect();
        let hits = hits.into_iter().filter(|hit| is_usable(&hit.note));
        self.memories.extend(hits.map(|hit| {
            let replaced = superseded.contains(&hit.note);
            // A note that was found by a link is needed if the note with the link is.
            let need_of_source = || needs.get(hit.raised_by.as_ref()?).copied();
            let is_weak = match hit.need.or_else(need_of_source) {
                Some(need) => !need.is_worth_showing(),
                None => hit.confidence.is_some_and(|confidence| confidence.is_weak()),
            };
            MemoryCandidate {
                open,
                score: hit.score as f32,
                passage: hit.passage,
                note: hit.note,
                replaced,
                is_weak,
                need: hit.need,
            }
        }));
        Ok(())
    }

    /// Returns deprecated bullets that match the task and name a replacement, and whether their
    /// meaning is near to the task's.
    pub fn replaced(&self, context: &Context) -> Result<Vec<(Bullet, bool)>> {
        let kind = label(LabelField::Kind, NoteKind::Bullet.name());
        let filter = vec![kind, label(LabelField::Maturity, Maturity::Deprecated.name())];
        let mut found = Vec::new();
        for open in &context.vaults {
            let notes = self.discouraged(context, open, filter.clone(), MAX_REPLACED_RULES)?;
            let notes = notes.into_iter().filter(|(note, _)| !context.is_hidden(open, note));
            let bullets = notes.filter_map(|(note, is_near)| Some((Bullet::of(&note)?, is_near)));
            found.extend(bullets.filter(|(bullet, _)| bullet.fields.replaced_by.is_some()));
        }
        Ok(found)
    }

    /// Returns the rule text of the bullet with this ID, from any open vault.
    pub fn content_of(&self, context: &Context, id: &str) -> Result<Option<String>> {
        if let Some(candidate) = self.bullets.iter().find(|candidate| candidate.bullet.id.as_str() == id) {
            return Ok(Some(candidate.bullet.content().to_owned()));
        }
        for open in &context.vaults {
            let ids = [id.to_owned()];
            if let Some(bullet) = with_ids(context, open, &ids)?.iter().find_map(Bullet::of) {
                return Ok(Some(bullet.content().to_owned()));
            }
        }
        Ok(None)
    }
}

impl VaultPlaybookHits {
    fn add(&mut self, hits: Vec<NoteHit>) {
        let mut paths: HashSet<NotePath> = self.notes.iter().map(|note| note.path.clone()).collect();
        for note in hits.into_iter().map(|hit| hit.note) {
            if paths.insert(note.path.clone()) {
                self.notes.push(note);
            }
        }
    }
}

/// Loads, for each vault, the bullets whose ID another vault found. The project's text then takes
/// precedence and the feedback of both vaults counts.
fn add_twins(context: &Context, hits_by_vault: &mut [VaultPlaybookHits]) -> Result<()> {
    let ids = |hits: &VaultPlaybookHits| -> Vec<String> {
        hits.notes.iter().filter_map(|note| note.id.as_ref().map(ToString::to_string)).collect()
    };
    let ids_by_vault: Vec<Vec<String>> = hits_by_vault.iter().map(ids).collect();
    for (at, open) in context.vaults.iter().enumerate() {
        for (_, ids) in ids_by_vault.iter().enumerate().filter(|(other, ids)| *other != at && !ids.is_empty())
        {
            let twins = with_ids(context, open, ids)?;
            hits_by_vault[at].add(twins.into_iter().map(|note| NoteHit { note, score: 0.0 }).collect());
        }
    }
    Ok(())
}

/// Returns the bullets of a vault that have one of these IDs.
fn with_ids(context: &Context, open: &OpenVault, ids: &[String]) -> Result<Vec<Note>> {
    let any = BooleanGroup {
        should: ids.iter().map(|id| label(LabelField::Id, id)).collect(),
        ..BooleanGroup::default()
    };
    let filter = vec![label(LabelField::Kind, NoteKind::Bullet.name()), QueryNode::Group(any)];
    let hits = index_hits(
        context,
        open,
        BooleanGroup { filter, ..BooleanGroup::default() },
        ids.len().saturating_mul(2),
    )?;
    Ok(hits.into_iter().map(|hit| hit.note).collect())
}

/// Returns at most `limit` notes of the index that the query selects.
pub(super) fn index_hits(
    context: &Context,
    open: &OpenVault,
    group: BooleanGroup,
    limit: usize,
) -> Result<Vec<NoteHit>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
    Ok(context.query_index(open, |index| index.search(&query, 0, limit))?.hits)
}

fn count(context: &Context, open: &OpenVault, root: QueryNode) -> Result<usize> {
    let query = Query { root, notices: Vec::new() };
    Ok(context.query_index(open, |index| index.search(&query, 0, 0))?.total)
}

pub(super) fn label(label: LabelField, value: &str) -> QueryNode {
    QueryNode::Label { label, value: label.folded(value), prefix: false }
}

/// Splits a task into words and identifiers as search terms, ignoring punctuation.
pub(crate) fn words(task: &str) -> Vec<QueryNode> {
    let mut tokenizer = Tokenizer::default();
    let (mut at, mut words) = (0, Vec::new());
    while let Some(unit) = tokenizer.next_unit(task, &mut at) {
        let from = unit.tokens().map(|token| token.from).min();
        let to = unit.tokens().map(|token| token.to).max();
        if let (Some(from), Some(to)) = (from, to) {
            words.push(QueryNode::Text { field: None, text: TextCondition::Word(task[from..to].to_owned()) });
        }
        if words.len() == MAX_TASK_WORDS {
            break;
        }
    }
    words
}
