//! Warns about rules and memories of a briefing that other notes in use contradict.

use std::collections::{HashMap, HashSet};

use super::budget::RankedRule;
use super::builder::BriefingBuilder;
use super::candidates::{index_hits, label};
use super::{BriefingMemory, BriefingRule};
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::types::CONTRADICTS;
use cm_note::note::{Note, NoteKind};
use cm_note::query::{BooleanGroup, LabelField, QueryNode};
use cm_playbook::briefing::warning::{BriefingWarning, WarningKind};
use cm_playbook::inbox::both_hold;

/// Maximum number of `CONTRADICTS` edges to retrieve from a vault.
const MAX_EDGES: usize = 500;

/// A `CONTRADICTS` edge, by the IDs of its ends.
struct Contradiction {
    from: String,
    to: String,
    written: Option<Instant>,
}

impl BriefingBuilder<'_> {
    /// Returns a warning for each pair of notes that contradict each other, of which the briefing shows at least one.
    /// Pairs that a person confirmed and notes that are not in use are left out.
    ///
    /// # Errors
    /// Returns an error if an index can be neither used nor rebuilt.
    pub(super) fn contradictions(
        &self,
        rules: &[RankedRule],
        memories: &[BriefingMemory],
    ) -> Result<Vec<BriefingWarning>> {
        let rules = rules.iter().map(|ranked| &ranked.rule).map(|BriefingRule { id, .. }| id.as_str());
        let shown: HashSet<&str> = rules.chain(memories.iter().map(|memory| memory.id.as_str())).collect();
        let mut warnings = Vec::new();
        for open in &self.context.vaults {
            let edges = self.edges_at(open, &shown)?;
            let ends = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]);
            let notes = self.notes_by_id(open, ends.collect())?;
            let mut pairs = HashSet::new();
            for edge in &edges {
                let (Some(from), Some(to)) = (notes.get(&edge.from), notes.get(&edge.to)) else { continue };
                let is_open = is_in_use(from) && is_in_use(to) && !both_hold(from, to, edge.written);
                let pair = [edge.from.as_str().min(&edge.to), edge.from.as_str().max(&edge.to)];
                if !is_open || !pairs.insert(pair) {
                    continue;
                }
                let (place, other) = if shown.contains(edge.from.as_str()) { (from, to) } else { (to, from) };
                warnings.push(BriefingWarning {
                    kind: WarningKind::Contradicted,
                    id: other.key().to_owned(),
                    pattern: other.title.clone(),
                    reason: None,
                    replacement: None,
                    place: place.key().to_owned(),
                });
            }
        }
        Ok(warnings)
    }

    fn edges_at(&self, open: &OpenVault, shown: &HashSet<&str>) -> Result<Vec<Contradiction>> {
        let filter =
            vec![label(LabelField::Kind, NoteKind::Edge.name()), label(LabelField::Type, CONTRADICTS)];
        let group = BooleanGroup { filter, ..BooleanGroup::default() };
        let edges = index_hits(self.context, open, group, MAX_EDGES)?;
        let edges = edges.into_iter().filter_map(|hit| {
            let ends = hit.note.edge?;
            Some(Contradiction { from: ends.from, to: ends.to, written: hit.note.created })
        });
        Ok(edges
            .filter(|edge| shown.contains(edge.from.as_str()) || shown.contains(edge.to.as_str()))
            .collect())
    }

    fn notes_by_id(&self, open: &OpenVault, ids: HashSet<&str>) -> Result<HashMap<String, Note>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let limit = ids.len() * 2;
        let should: Vec<QueryNode> = ids.into_iter().map(|id| label(LabelField::Id, id)).collect();
        let any = BooleanGroup { should, ..BooleanGroup::default() };
        let group = BooleanGroup { filter: vec![QueryNode::Group(any)], ..BooleanGroup::default() };
        let hits = index_hits(self.context, open, group, limit)?;
        Ok(hits.into_iter().map(|hit| (hit.note.key().to_owned(), hit.note)).collect())
    }
}

fn is_in_use(note: &Note) -> bool {
    match Bullet::of(note) {
        Some(bullet) => bullet.is_live(),
        None => !note.is_waiting() && !note.is_retired() && note.condensed_into.is_empty(),
    }
}
