//! The evidence chain of a note: what it says, how it stands, and everything that led to that. Nothing is written, and
//! asking is no use of the note.

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::{score_of, scoring};
use super::error::Result;
use super::find::{Found, find};
use super::history::versions;
use super::log::Commit;
use super::memory::{Level, Memory};
use super::playbook::merged;
use cm_note::bullet::blocked::{BlockKind, Blocked};
use cm_note::bullet::content::{RuleHash, folded};
use cm_note::bullet::{Bullet, Maturity, Source, State};
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::types::{CONTRADICTS, DERIVED_FROM};
use cm_note::note::{Feedback, Kind, Note, Signal};
use cm_note::score::bullet::{Band, Effective};
use cm_note::score::{self, Score, Status};
use cm_playbook::succession;

pub use cm_playbook::succession::{Side, Through};

/// What a bullet's score is made of.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Parts {
    /// (helpful − harm_weight × harmful) × multiplier.
    pub score: Effective,
    /// How good that is.
    pub band: Band,
    /// What is left of all helpful events.
    pub helpful: f64,
    /// What is left of all harmful events.
    pub harmful: f64,
    /// How much heavier harm weighs.
    pub harm_weight: f64,
    /// Harm ÷ all of it, 0–1.
    pub harmful_ratio: f64,
    /// What its maturity multiplies by.
    pub multiplier: f64,
    /// Days after which an event counts half.
    pub half_life_days: f64,
}

/// How a memory stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fading {
    /// Its decay score; 999 where it is pinned.
    pub score: Score,
    /// What that means.
    pub status: Status,
    /// How often it was read.
    pub accesses: u64,
    /// When it was last read.
    pub last_access: Option<Instant>,
}

/// A word of feedback.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Event {
    /// When.
    pub at: Instant,
    /// What it says.
    pub signal: Signal,
    /// 1 for an explicit word, a fraction for an inferred one.
    pub weight: f64,
    /// In which session.
    pub session: Option<String>,
    /// Through which agent.
    pub agent: Option<String>,
    /// Who gave it.
    pub author: Option<String>,
    /// Why it did harm.
    pub reason: Option<String>,
    /// Anything else about it.
    pub note: Option<String>,
}

/// A note that is named; title and path are null where it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// What it answers to.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its file.
    pub path: Option<String>,
}

/// What the note was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Derived {
    /// Diaries.
    pub diaries: Vec<Named>,
    /// Notes that DERIVED_FROM edges lead to.
    pub notes: Vec<Named>,
    /// Quotes.
    pub quotes: Vec<String>,
}

/// A note that it took the place of, or that took its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Successor {
    /// Whether it came before or after.
    pub side: Side,
    /// How that is said.
    pub through: Through,
    /// How many steps away, from 1.
    pub hops: usize,
    /// The note.
    #[serde(flatten)]
    pub note: Named,
}

/// A note that says the opposite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Conflict {
    /// The note.
    #[serde(flatten)]
    pub note: Named,
    /// When that was written down, where an edge file says so.
    pub since: Option<Instant>,
}

/// A blocked pattern that is about this note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Block {
    /// What it answers to.
    pub id: String,
    /// What is blocked.
    pub text: String,
    /// Kept out, or warned of.
    pub kind: BlockKind,
    /// Why.
    pub reason: Option<String>,
    /// Its file.
    pub path: String,
    /// When it was blocked.
    pub created: Option<Instant>,
}

/// Everything that is known of why a note is as it is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Why {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// Which vault it is from.
    pub vault: Level,
    /// Of a bullet its rule, else the beginning of its text.
    pub content: String,
    /// The reasons that it gives itself.
    pub why: Option<String>,
    /// Its category.
    pub category: Option<String>,
    /// Of a bullet, whether it is in use.
    pub state: Option<State>,
    /// Of a bullet, how far it has proved itself.
    pub maturity: Option<Maturity>,
    /// Whether automation must leave it alone.
    pub pinned: bool,
    /// Why it is pinned.
    pub pinned_reason: Option<String>,
    /// Why it was deprecated.
    pub deprecation_reason: Option<String>,
    /// When it was first written.
    pub created: Option<Instant>,
    /// When it was last changed.
    pub updated: Option<Instant>,
    /// When somebody last confirmed that it holds.
    pub last_checked: Option<Instant>,
    /// When its maturity last rose.
    pub promoted_at: Option<Instant>,
    /// When it was last validated.
    pub last_validated_at: Option<Instant>,
    /// Of a bullet, its score.
    pub score: Option<Parts>,
    /// Of a memory, its score.
    pub decay: Option<Fading>,
    /// What was said of it, the oldest first.
    pub feedback: Vec<Event>,
    /// Sessions that it comes from.
    pub sources: Vec<Source>,
    /// What it was made from.
    pub derived_from: Derived,
    /// What came before and after it.
    pub succession: Vec<Successor>,
    /// Notes that say the opposite.
    pub conflicts: Vec<Conflict>,
    /// Blocked patterns that are about it.
    pub blocks: Vec<Block>,
    /// The commits that touched it, the newest first.
    pub commits: Vec<Commit>,
}

/// Tells why a note is as it is.
///
/// # Errors
/// Not found, ambiguous, or a repository that cannot be read.
pub fn why(memory: &Memory, reference: &str, limit: usize) -> Result<Why> {
    let found = find(memory, reference)?;
    let note = &found.note;
    let bullet = bullet(memory, &found)?;
    let notes = memory.notes_of(found.open)?;
    let graph = Graph::connect(&notes);
    let at = notes.iter().position(|other| other.path == note.path);
    let fields = note.bullet.as_deref().cloned().unwrap_or_default();
    let mut feedback =
        bullet.as_ref().map_or_else(|| note.feedback.clone(), |bullet| bullet.feedback.clone());
    feedback.sort_by_key(|event| event.at);
    Ok(Why {
        id: note.key().to_owned(),
        kind: note.kind,
        note_type: note.note_type.clone(),
        title: note.title.clone(),
        path: note.path.to_string(),
        vault: found.open.level,
        content: bullet.as_ref().map_or_else(|| note.summary.clone(), |bullet| folded(bullet.content())),
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
        score: bullet.as_ref().map(|bullet| parts(memory, &found, bullet)),
        decay: fading(memory, &found),
        feedback: feedback.into_iter().map(event).collect(),
        sources: sources(note, fields.sources),
        derived_from: Derived {
            diaries: fields.derived_from.diaries.iter().map(|id| diary(memory, id)).collect::<Result<_>>()?,
            notes: at.map_or_else(Vec::new, |at| derived_from(&graph, at)),
            quotes: fields.derived_from.evidence,
        },
        succession: at.map_or_else(Vec::new, |at| succession(&graph, at)),
        conflicts: at.map_or_else(Vec::new, |at| conflicts(&graph, at)),
        blocks: notes
            .iter()
            .filter_map(Blocked::of)
            .filter(|block| is_about(block, note, bullet.as_ref()))
            .map(block)
            .collect(),
        commits: commits(memory, &found, limit)?,
    })
}

/// The bullet that a note is, with the feedback of all vaults.
fn bullet(memory: &Memory, found: &Found<'_>) -> Result<Option<Bullet>> {
    let Some(mut bullet) = Bullet::of(&found.note) else { return Ok(None) };
    let merged = merged(memory)?.bullets;
    let same =
        merged.into_iter().find(|other| other.bullet.path == bullet.path && other.level == found.open.level);
    if let Some(same) = same {
        bullet.feedback = same.bullet.feedback;
    }
    Ok(Some(bullet))
}

fn parts(memory: &Memory, found: &Found<'_>, bullet: &Bullet) -> Parts {
    let parts = score::bullet::Parts::of(bullet, memory.now(), &scoring(&found.open.settings));
    Parts {
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

fn fading(memory: &Memory, found: &Found<'_>) -> Option<Fading> {
    if found.note.kind != Kind::Memory {
        return None;
    }
    let (usage, notices) = found.open.usage().load();
    notices.into_iter().for_each(|notice| memory.notice(notice));
    let used = usage.get(found.note.key()).copied().unwrap_or_default();
    let settings = &found.open.settings;
    let constants = scoring(settings);
    let score = score_of(&found.note, used, settings, &constants, memory.now());
    Some(Fading {
        score,
        status: Status::of(score, &constants),
        accesses: used.accesses,
        last_access: used.last,
    })
}

fn event(feedback: Feedback) -> Event {
    let Feedback { at, signal, weight, session, agent, author, reason, note } = feedback;
    Event { at, signal, weight, session, agent, author, reason, note }
}

/// The sessions that a bullet names; of any other note the one that wrote it.
fn sources(note: &Note, named: Vec<Source>) -> Vec<Source> {
    match &note.session {
        Some(session) if named.is_empty() => {
            vec![Source { session: session.clone(), agent: note.agent.clone(), line: None }]
        }
        _ => named,
    }
}

fn named(note: &Note) -> Named {
    Named { id: note.key().to_owned(), title: Some(note.title.clone()), path: Some(note.path.to_string()) }
}

/// The diary of that id, in any vault.
fn diary(memory: &Memory, id: &str) -> Result<Named> {
    for open in &memory.vaults {
        let notes = memory.notes_of(open)?;
        if let Some(note) = notes.iter().find(|note| note.key() == id) {
            return Ok(named(note));
        }
    }
    Ok(Named { id: id.to_owned(), title: None, path: None })
}

fn derived_from(graph: &Graph<'_>, at: usize) -> Vec<Named> {
    let edges = graph.outgoing(at).filter(|edge| edge.relation == DERIVED_FROM);
    edges.map(|edge| named(&graph.notes()[edge.to])).collect()
}

fn succession(graph: &Graph<'_>, at: usize) -> Vec<Successor> {
    let steps = succession::around(graph, at).into_iter();
    let successor = |step: succession::Step| {
        let note = match step.at {
            Some(at) => named(&graph.notes()[at]),
            None => Named { id: step.key, title: None, path: None },
        };
        Successor { side: step.side, through: step.through, hops: step.hops, note }
    };
    steps.map(successor).collect()
}

fn conflicts(graph: &Graph<'_>, at: usize) -> Vec<Conflict> {
    let both = graph
        .outgoing(at)
        .map(|edge| (edge, edge.to))
        .chain(graph.incoming(at).map(|edge| (edge, edge.from)));
    let mut conflicts: Vec<Conflict> = Vec::new();
    for (edge, other) in both.filter(|(edge, _)| edge.relation == CONTRADICTS) {
        let note = named(&graph.notes()[other]);
        let since = graph.written(edge);
        if conflicts.iter().all(|known| known.note != note) {
            conflicts.push(Conflict { note, since });
        }
    }
    conflicts
}

/// Whether a blocked pattern came from the note, was turned into it, or would keep it out.
fn is_about(block: &Blocked, note: &Note, bullet: Option<&Bullet>) -> bool {
    let names = |id: &Option<String>| id.as_deref() == Some(note.key());
    names(&block.fields.source_bullet)
        || names(&block.fields.inverted_to)
        || bullet.is_some_and(|bullet| block.hash() == Some(RuleHash::of(bullet.content())))
}

fn block(blocked: Blocked) -> Block {
    Block {
        id: blocked.id.to_string(),
        text: folded(blocked.text()),
        kind: blocked.kind,
        path: blocked.path.to_string(),
        created: blocked.created,
        reason: blocked.fields.reason,
    }
}

/// The commits of the repository that the note's vault lies in; none where there is no repository.
fn commits(memory: &Memory, found: &Found<'_>, limit: usize) -> Result<Vec<Commit>> {
    if found.open.repo()?.is_none() {
        memory.notice(format!("no git repository keeps {}", found.note.path));
        return Ok(Vec::new());
    }
    let versions = versions(found.open, found.note.key(), &found.note.path)?;
    Ok(versions.iter().take(limit).map(|version| Commit::of(&version.commit)).collect())
}
