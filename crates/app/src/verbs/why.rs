//! Shows the evidence for a note: its content and state, and everything that led to them. Reading
//! the evidence does not count as use of the note.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::scoring::scoring;
use crate::context::snippet::NoteSnippets;
use crate::error::Result;
use crate::verbs::history::versions;
use crate::verbs::log::{Commit, notice_if_shallow};
use crate::verbs::playbook::merged;
use cm_learn::evidence_quote::quotes_in_body;
use cm_note::bullet::blocked::{BlockKind, BlockedNote};
use cm_note::bullet::content::{RuleHash, fold_whitespace};
use cm_note::bullet::{Bullet, BulletState, Maturity, SessionSource};
use cm_note::frontmatter::split::Split;
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::types::{CONTRADICTS, DERIVED_FROM};
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_note::query::{BooleanGroup, Query, QueryNode};
use cm_note::score::bullet::{Band, EffectiveScore};
use cm_note::score::{self, DecayScore, DecayStatus};
use cm_playbook::succession;

pub use cm_playbook::succession::{ReplacementField, SuccessionSide};

/// Parts from which a bullet's score is calculated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BulletScore {
    /// (helpful − harm_weight × harmful) × multiplier.
    pub score: EffectiveScore,
    /// Rating of the score in words.
    pub band: Band,
    /// Sum of the helpful feedback after decay.
    pub helpful: f64,
    /// Sum of the harmful feedback after decay.
    pub harmful: f64,
    /// Weight of harmful relative to helpful feedback.
    pub harm_weight: f64,
    /// Harmful share of all decayed feedback, 0–1.
    pub harmful_ratio: f64,
    /// Multiplier for the bullet's maturity.
    pub multiplier: f64,
    /// Time in days after which feedback counts half.
    pub half_life_days: f64,
}

/// Decay state of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayState {
    /// Decay score; 999 for a pinned memory.
    pub score: DecayScore,
    /// Decay status that follows from the score.
    pub status: DecayStatus,
    /// Number of times that the memory was read.
    pub accesses: u64,
    /// Time when it was last read.
    pub last_access: Option<Instant>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackEvent {
    /// Time of the feedback.
    pub at: Instant,
    /// Helpful, harmful or irrelevant.
    pub signal: FeedbackSignal,
    /// 1 for explicit feedback, a fraction for inferred feedback.
    pub weight: f64,
    /// Session in which the feedback was given.
    pub session: Option<String>,
    /// Agent through which the feedback was given.
    pub agent: Option<String>,
    /// Person or agent who gave the feedback.
    pub author: Option<String>,
    /// Reason given for harmful feedback; null if none was given.
    pub reason: Option<String>,
    /// Further remarks on the feedback.
    pub note: Option<String>,
}

/// Reference to a note; title and path are null if it no longer exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteRef {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: Option<String>,
    /// Path of the note's file, relative to the vault.
    pub path: Option<String>,
}

/// Diaries, notes and quotes from which the note was derived.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteSources {
    /// Diaries from which the note was derived.
    pub diaries: Vec<NoteRef>,
    /// Notes to which the note has a `DERIVED_FROM` edge.
    pub notes: Vec<NoteRef>,
    /// Quotes from sessions that support the note.
    pub quotes: Vec<String>,
}

/// A note that precedes or succeeds the note by replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuccessionStep {
    /// Whether the other note is a predecessor or a successor.
    pub side: SuccessionSide,
    /// The field or edge that connects the notes, such as `replaced_by`.
    pub through: ReplacementField,
    /// Number of replacements between the two notes, from 1.
    pub hops: usize,
    /// Id, title and path of the predecessor or successor.
    #[serde(flatten)]
    pub note: NoteRef,
}

/// A note that contradicts the explained note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteConflict {
    /// Id, title and path of the contradicting note.
    #[serde(flatten)]
    pub note: NoteRef,
    /// Time when the edge was created; null if it has no file of its own.
    pub since: Option<Instant>,
}

/// A blocked pattern that matches the note or was made from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedBlock {
    /// Id of the pattern.
    pub id: String,
    /// Text of the pattern.
    pub text: String,
    /// Whether matching rules are refused or only get a warning.
    pub kind: BlockKind,
    pub reason: Option<String>,
    /// Path of the pattern in the vault.
    pub path: String,
    /// Time when the pattern was blocked.
    pub created: Option<Instant>,
}

/// Everything that explains why a note exists and how it is rated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteEvidence {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Kind of the note, such as `memory` or `bullet`.
    pub kind: NoteKind,
    /// Type of the note, such as `fix`; null if it has none.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
    /// Text of a bullet's rule; for other notes, the beginning of the text.
    pub content: String,
    /// Reasons that the note itself gives.
    pub why: Option<String>,
    /// Category, such as `testing`; null if the note has none.
    pub category: Option<String>,
    /// State; only for bullets.
    pub state: Option<BulletState>,
    /// Maturity; only for bullets.
    pub maturity: Option<Maturity>,
    /// Whether the note is protected from automatic changes.
    pub pinned: bool,
    /// Why the note is pinned.
    pub pinned_reason: Option<String>,
    /// Why the bullet was deprecated.
    pub deprecation_reason: Option<String>,
    /// Time when the note was created.
    pub created: Option<Instant>,
    /// Time of the last change.
    pub updated: Option<Instant>,
    /// Time when a person last confirmed that the note holds.
    pub last_checked: Option<Instant>,
    /// Time of the last promotion.
    pub promoted_at: Option<Instant>,
    /// Time of the last validation.
    pub last_validated_at: Option<Instant>,
    /// Score; only for bullets.
    pub score: Option<BulletScore>,
    /// Decay state; only for memories.
    pub decay: Option<DecayState>,
    /// Feedback, oldest first.
    pub feedback: Vec<FeedbackEvent>,
    /// Sessions that the note comes from.
    pub sources: Vec<SessionSource>,
    /// Diaries, notes and quotes from which the note was derived.
    pub derived_from: NoteSources,
    /// Notes that this note replaced or that replaced it.
    pub succession: Vec<SuccessionStep>,
    /// Notes that contradict this note.
    pub conflicts: Vec<NoteConflict>,
    /// Blocked patterns that match this note or were made from it.
    pub blocks: Vec<RelatedBlock>,
    /// Commits that changed the note, newest first.
    pub commits: Vec<Commit>,
}

/// Collects the evidence for a note, with up to `limit` commits.
///
/// # Errors
/// Returns an error if the note is not found or the reference is ambiguous, or if the repository
/// cannot be read.
pub fn why(context: &Context, reference: &str, limit: usize) -> Result<NoteEvidence> {
    let found = find(context, reference)?;
    let note = &found.note;
    let bullet = bullet(context, &found)?;
    let notes = context.notes_of(found.open)?;
    let graph = notes.graph();
    let at = notes.iter().position(|other| other.path == note.path);
    let fields = note.bullet.as_deref().cloned().unwrap_or_default();
    let mut feedback =
        bullet.as_ref().map_or_else(|| note.feedback.clone(), |bullet| bullet.feedback.clone());
    feedback.sort_by_key(|event| event.at);
    Ok(NoteEvidence {
        id: note.key().to_owned(),
        kind: note.kind,
        note_type: note.note_type.clone(),
        title: note.title.clone(),
        path: note.path.to_string(),
        vault: found.open.level,
        content: bullet
            .as_ref()
            .map_or_else(|| beginning(&found), |bullet| fold_whitespace(bullet.content())),
        why: fields.why,
        category: note.category.clone(),
        state: bullet.as_ref().map(|bullet| bullet.state),
        maturity: bullet.as_ref().map(|bullet| bullet.maturity),
        pinned: note.pinned,
        pinned_reason: fields.pinned_reason,
        deprecation_reason: fields.deprecation_reason,
        created: note.created,
        updated: note.updated,
        last_checked: note.last_checked,
        promoted_at: fields.promoted_at,
        last_validated_at: fields.last_validated_at,
        score: bullet.as_ref().map(|bullet| parts(context, &found, bullet)),
        decay: decay_state(context, &found),
        feedback: feedback.into_iter().map(event).collect(),
        sources: sources(note, fields.sources),
        derived_from: NoteSources {
            diaries: fields
                .derived_from
                .diaries
                .iter()
                .map(|id| diary(context, id))
                .collect::<Result<_>>()?,
            notes: at.map_or_else(Vec::new, |at| derived_from(&graph, at)),
            quotes: match note.kind {
                NoteKind::Memory => quotes_in_body(Split::of(&found.text()).body()),
                _ => fields.derived_from.evidence,
            },
        },
        succession: at.map_or_else(Vec::new, |at| succession(&graph, at)),
        conflicts: at.map_or_else(Vec::new, |at| conflicts(&graph, at)),
        blocks: notes
            .iter()
            .filter_map(BlockedNote::of)
            .filter(|block| is_about(block, note, bullet.as_ref()))
            .map(block)
            .collect(),
        commits: commits(context, &found, limit)?,
    })
}

/// Returns up to `limit` commits that changed a note, newest first, as in [`NoteEvidence`]. The
/// history is read commit by commit.
///
/// # Errors
/// The errors of [`why`].
pub fn note_commits(context: &Context, reference: &str, limit: usize) -> Result<Vec<Commit>> {
    commits(context, &find(context, reference)?, limit)
}

/// Returns the beginning of a note's text, without its title, headings and quoted evidence.
fn beginning(found: &ResolvedNote<'_>) -> String {
    let nothing = Query { root: QueryNode::Group(BooleanGroup::default()), notices: Vec::new() };
    NoteSnippets::of(&nothing).of_text(&found.note, &found.text(), None)
}

/// Returns the note as a bullet with the feedback of all open vaults; `None` for other kinds.
fn bullet(context: &Context, found: &ResolvedNote<'_>) -> Result<Option<Bullet>> {
    let Some(mut bullet) = Bullet::of(&found.note) else { return Ok(None) };
    let merged = merged(context)?.bullets;
    let same =
        merged.into_iter().find(|other| other.bullet.path == bullet.path && other.level == found.open.level);
    if let Some(same) = same {
        bullet.feedback = same.bullet.feedback;
    }
    Ok(Some(bullet))
}

fn parts(context: &Context, found: &ResolvedNote<'_>, bullet: &Bullet) -> BulletScore {
    let parts = score::bullet::ScoreBreakdown::of(bullet, context.now(), &scoring(&found.open.settings));
    BulletScore {
        score: parts.score,
        band: parts.band,
        helpful: parts.helpful,
        harmful: parts.harmful,
        harm_weight: parts.harm_weight,
        harmful_ratio: parts.harmful_ratio,
        multiplier: parts.multiplier,
        half_life_days: parts.half_life_days,
    }
}

fn decay_state(context: &Context, found: &ResolvedNote<'_>) -> Option<DecayState> {
    if found.note.kind != NoteKind::Memory {
        return None;
    }
    let scores = MemoryScores::of(context, found.open);
    let (score, used) = (scores.score(&found.note), scores.used(&found.note));
    Some(DecayState { score, status: scores.status(score), accesses: used.accesses, last_access: used.last })
}

fn event(feedback: Feedback) -> FeedbackEvent {
    let Feedback { at, signal, weight, session, agent, author, reason, note, .. } = feedback;
    FeedbackEvent { at, signal, weight, session, agent, author, reason, note }
}

/// Returns the sessions that a bullet lists; for other notes, the session that created them.
fn sources(note: &Note, listed_sources: Vec<SessionSource>) -> Vec<SessionSource> {
    match &note.session {
        Some(session) if listed_sources.is_empty() => {
            vec![SessionSource { session: session.clone(), agent: note.agent.clone(), line: None }]
        }
        _ => listed_sources,
    }
}

fn note_ref(note: &Note) -> NoteRef {
    NoteRef { id: note.key().to_owned(), title: Some(note.title.clone()), path: Some(note.path.to_string()) }
}

/// Finds a diary by its id in all open vaults.
fn diary(context: &Context, id: &str) -> Result<NoteRef> {
    for open in &context.vaults {
        let notes = context.notes_of(open)?;
        if let Some(note) = notes.iter().find(|note| note.key() == id) {
            return Ok(note_ref(note));
        }
    }
    Ok(NoteRef { id: id.to_owned(), title: None, path: None })
}

fn derived_from(graph: &Graph<'_>, at: usize) -> Vec<NoteRef> {
    let edges = graph.outgoing(at).filter(|edge| edge.relation == DERIVED_FROM);
    edges.map(|edge| note_ref(&graph.notes()[edge.to])).collect()
}

fn succession(graph: &Graph<'_>, at: usize) -> Vec<SuccessionStep> {
    let steps = succession::succession(graph, at).into_iter();
    let successor = |step: succession::SuccessionHop| {
        let note = match step.at {
            Some(at) => note_ref(&graph.notes()[at]),
            None => NoteRef { id: step.key, title: None, path: None },
        };
        SuccessionStep { side: step.side, through: step.through, hops: step.hops, note }
    };
    steps.map(successor).collect()
}

fn conflicts(graph: &Graph<'_>, at: usize) -> Vec<NoteConflict> {
    let both = graph
        .outgoing(at)
        .map(|edge| (edge, edge.to))
        .chain(graph.incoming(at).map(|edge| (edge, edge.from)));
    let mut conflicts: Vec<NoteConflict> = Vec::new();
    for (edge, other) in both.filter(|(edge, _)| edge.relation == CONTRADICTS) {
        let note = note_ref(&graph.notes()[other]);
        let since = graph.written(edge);
        if conflicts.iter().all(|conflict| conflict.note != note) {
            conflicts.push(NoteConflict { note, since });
        }
    }
    conflicts
}

/// Returns whether a blocked pattern was created from the note, was inverted into it, or matches
/// its rule.
fn is_about(block: &BlockedNote, note: &Note, bullet: Option<&Bullet>) -> bool {
    let names = |id: &Option<String>| id.as_deref() == Some(note.key());
    names(&block.fields.source_bullet)
        || names(&block.fields.inverted_to)
        || bullet.is_some_and(|bullet| block.hash() == Some(RuleHash::of(bullet.content())))
}

fn block(blocked: BlockedNote) -> RelatedBlock {
    RelatedBlock {
        id: blocked.id.to_string(),
        text: fold_whitespace(blocked.text()),
        kind: blocked.kind,
        path: blocked.path.to_string(),
        created: blocked.created,
        reason: blocked.fields.reason,
    }
}

/// Returns the commits that changed the note; empty, with a notice, if the vault is not in a
/// repository.
fn commits(context: &Context, found: &ResolvedNote<'_>, limit: usize) -> Result<Vec<Commit>> {
    // The history of a note is read commit by commit, which takes longer than all the rest.
    if limit == 0 {
        return Ok(Vec::new());
    }
    let Some(repo) = found.open.repo()? else {
        context.notice(format!("{} is not in a Git repository", found.note.path));
        return Ok(Vec::new());
    };
    let versions = versions(found.open, found.note.key(), &found.note.path)?;
    if versions.len() <= limit {
        notice_if_shallow(context, repo);
    }
    Ok(versions.iter().take(limit).map(|version| Commit::of(&version.commit)).collect())
}
