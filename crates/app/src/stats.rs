//! What there is in the vaults, counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::decay::{scored, scoring};
use super::error::Result;
use super::meaning::meaning;
use super::memory::Memory;
use super::playbook;
use super::tags::Tag;
use super::validate::findings_of;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockKind;
use cm_note::finding::Severity;
use cm_note::graph::Graph;
use cm_note::note::Kind;
use cm_note::score::Status;
use cm_playbook::health::health;
pub use cm_playbook::health::{Health, Performer};
use cm_playbook::meaning::Sense;

/// Counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// Notes of every kind.
    pub notes: usize,
    /// Notes by kind.
    pub kinds: BTreeMap<Kind, usize>,
    /// Memories by type; `-` has none.
    pub types: BTreeMap<String, usize>,
    /// Memories by what their decay score means.
    pub status: BTreeMap<Status, usize>,
    /// Edges by type.
    pub edges: BTreeMap<String, usize>,
    /// Notes that no edge touches.
    pub orphans: usize,
    /// Different tags.
    pub tags: usize,
    /// The ten most used tags.
    pub top_tags: Vec<Tag>,
    /// Findings by severity.
    pub findings: BTreeMap<Severity, usize>,
    /// The rules of all open vaults together.
    pub playbook: PlaybookStats,
}

/// How the playbook fares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct PlaybookStats {
    /// Its bullets.
    #[serde(flatten)]
    pub health: Health,
    /// Blocked patterns by how they block.
    pub blocked: BTreeMap<BlockKind, usize>,
}

/// How many notes of each kind the vault has that is written to.
///
/// # Errors
/// Where its index can neither be used nor rebuilt.
pub fn kinds(memory: &Memory) -> Result<BTreeMap<Kind, usize>> {
    let mut kinds = BTreeMap::new();
    for note in &*memory.notes_of(memory.target())? {
        *kinds.entry(note.kind).or_default() += 1;
    }
    Ok(kinds)
}

/// Counts what is in all open vaults.
///
/// # Errors
/// Where an index can neither be used nor rebuilt, or usage cannot be read.
pub fn stats(memory: &Memory) -> Result<Stats> {
    let mut stats = Stats::default();
    for open in &memory.vaults {
        let notes = memory.notes_of(open)?;
        stats.notes += notes.len();
        for note in &*notes {
            *stats.kinds.entry(note.kind).or_default() += 1;
            if note.kind == Kind::Memory {
                let name = note.note_type.clone().unwrap_or_else(|| "-".to_owned());
                *stats.types.entry(name).or_default() += 1;
            }
        }
        let constants = scoring(&open.settings);
        for scored in scored(memory, open)? {
            *stats.status.entry(Status::of(scored.score, &constants)).or_default() += 1;
        }
        let graph = Graph::connect(&notes);
        let shape = graph.shape();
        for (relation, count) in shape.edges_by_type {
            *stats.edges.entry(relation).or_default() += count;
        }
        stats.orphans += shape.orphans;
        for found in findings_of(open, &notes) {
            *stats.findings.entry(found.severity).or_default() += 1;
        }
    }
    let tags = super::tags::tags(memory, None)?;
    stats.tags = tags.total;
    stats.top_tags = tags.tags.into_iter().take(10).collect();
    stats.playbook = playbook_stats(memory)?;
    Ok(stats)
}

fn playbook_stats(memory: &Memory) -> Result<PlaybookStats> {
    let merged = playbook::merged(memory)?;
    let bullets: Vec<Bullet> = merged.bullets.into_iter().map(|shelved| shelved.bullet).collect();
    let settings = &memory.target().settings;
    let merge = playbook::limits(memory.target()).merge();
    let sense = Sense::of(meaning(memory.target()));
    let mut stats = PlaybookStats {
        health: health(&bullets, memory.now(), &scoring(settings), merge, &sense).listed(),
        ..PlaybookStats::default()
    };
    for (_, blocked) in merged.blocked {
        *stats.blocked.entry(blocked.kind).or_default() += 1;
    }
    Ok(stats)
}
