//! Counts the contents of the vaults.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::scoring::scoring;
use crate::error::Result;
use crate::verbs::playbook;
use crate::verbs::playbook::rule_pairs::rule_pairs;
use crate::verbs::tags::TagCount;
use crate::verbs::validate::findings_of;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockKind;
use cm_note::finding::Severity;
use cm_note::note::{FeedbackSignal, NoteKind};
use cm_note::score::DecayStatus;
use cm_playbook::health::health;
pub use cm_playbook::health::{PlaybookHealth, ScoredRule};

/// Counts of notes, edges, tags and findings in all open vaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct VaultStats {
    /// Number of notes of every kind.
    pub notes: usize,
    /// Number of notes by kind.
    pub kinds: BTreeMap<NoteKind, usize>,
    /// Number of memories by type; `-` for those without a type.
    pub types: BTreeMap<String, usize>,
    /// Number of memories by decay status.
    pub status: BTreeMap<DecayStatus, usize>,
    /// Number of edges by type.
    pub edges: BTreeMap<String, usize>,
    /// Number of notes without an edge.
    pub orphans: usize,
    /// Number of distinct tags.
    pub tags: usize,
    /// The ten most frequent tags.
    pub top_tags: Vec<TagCount>,
    /// Number of findings by severity.
    pub findings: BTreeMap<Severity, usize>,
    /// Statistics of the rules in all open vaults.
    pub playbook: PlaybookStats,
}

/// Statistics of the rules in the playbook.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct PlaybookStats {
    /// Number of bullets by state, maturity, scope and score.
    #[serde(flatten)]
    pub health: PlaybookHealth,
    /// Number of blocked patterns by kind.
    pub blocked: BTreeMap<BlockKind, usize>,
    /// Number of times that a person repeated a rule in a session that had been shown it.
    pub ignored: usize,
}

/// Counts the notes of the target vault by kind.
///
/// # Errors
/// Returns an error if the index can be neither used nor rebuilt.
pub fn kinds(context: &Context) -> Result<BTreeMap<NoteKind, usize>> {
    let mut kinds = BTreeMap::new();
    for note in context.overview_of(context.target())?.iter() {
        *kinds.entry(note.kind).or_default() += 1;
    }
    Ok(kinds)
}

/// Counts the contents of all open vaults.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt, or if the usage counters cannot be
/// read.
pub fn stats(context: &Context) -> Result<VaultStats> {
    let mut stats = VaultStats::default();
    for open in &context.vaults {
        let notes = context.overview_of(open)?;
        stats.notes += notes.len();
        for note in notes.iter() {
            *stats.kinds.entry(note.kind).or_default() += 1;
            if note.kind == NoteKind::Memory {
                let name = note.note_type.clone().unwrap_or_else(|| "-".to_owned());
                *stats.types.entry(name).or_default() += 1;
            }
        }
        let scores = MemoryScores::of(context, open);
        for note in notes.iter().filter(|note| note.kind == NoteKind::Memory) {
            *stats.status.entry(scores.status(scores.score(note))).or_default() += 1;
        }
        let graph = notes.graph();
        let shape = graph.shape();
        for (relation, count) in shape.edges_by_type {
            *stats.edges.entry(relation).or_default() += count;
        }
        stats.orphans += shape.orphans;
        for found in findings_of(context, open)? {
            *stats.findings.entry(found.severity).or_default() += 1;
        }
    }
    let tags = crate::verbs::tags::tags(context, None)?;
    stats.tags = tags.total;
    stats.top_tags = tags.tags.into_iter().take(10).collect();
    stats.playbook = playbook_stats(context)?;
    Ok(stats)
}

fn playbook_stats(context: &Context) -> Result<PlaybookStats> {
    let merged = playbook::merged(context)?;
    let bullets: Vec<Bullet> = merged.bullets.into_iter().map(|vault_bullet| vault_bullet.bullet).collect();
    let settings = &context.target().settings;
    let pairs = |rules: &[&Bullet]| rule_pairs(context.target(), rules);
    let events = bullets.iter().flat_map(|bullet| &bullet.feedback);
    let ignored = events.filter(|event| event.signal == FeedbackSignal::Ignored).count();
    let mut stats = PlaybookStats {
        ignored,
        health: health(&bullets, context.now(), &scoring(settings), &pairs).truncated(),
        ..PlaybookStats::default()
    };
    for (_, blocked) in merged.blocked {
        *stats.blocked.entry(blocked.kind).or_default() += 1;
    }
    Ok(stats)
}
