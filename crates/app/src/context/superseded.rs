//! Finds the notes that others supersede, by edges and relations in the index.

use std::collections::HashSet;

use super::open::Context;
use super::open_vault::OpenVault;
use crate::error::Result;
use cm_index::NoteHit;
use cm_note::note::types::SUPERSEDES;
use cm_note::note::{Note, NoteKind};
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode};

/// Maximum number of `SUPERSEDES` edges that are read.
const MAX_SUPERSEDES_EDGES: usize = 500;

/// The superseded notes among the notes found in a vault.
pub(crate) struct SupersededNotes {
    /// IDs, titles and file stems.
    names: HashSet<String>,
}

impl SupersededNotes {
    /// Finds what the edges of the vault and the relations of `notes` supersede. A note that waits for
    /// confirmation supersedes no other.
    ///
    /// # Errors
    /// Returns an error if the index cannot be read.
    pub fn of<'n>(
        context: &Context,
        open: &OpenVault,
        notes: impl Iterator<Item = &'n Note>,
    ) -> Result<Self> {
        let filter = vec![
            QueryNode::label(LabelField::Kind, NoteKind::Edge.name()),
            QueryNode::label(LabelField::Type, SUPERSEDES),
        ];
        let edges = hits(context, open, filter, MAX_SUPERSEDES_EDGES)?;
        let edges: Vec<_> = edges.into_iter().filter_map(|hit| hit.note.edge).collect();
        let waiting = waiting(context, open, edges.iter().map(|ends| ends.from.as_str()))?;
        let confirmed = edges.into_iter().filter(|ends| !waiting.contains(&ends.from));
        let mut names: HashSet<String> = confirmed.map(|ends| ends.to).collect();
        for note in notes.filter(|note| !note.is_waiting()) {
            for relation in note.relations.iter().filter(|relation| relation.relation == SUPERSEDES) {
                names.insert(if relation.outgoing { relation.target.clone() } else { note.key().to_owned() });
            }
            let links = note.links.iter().filter(|link| link.relation.as_deref() == Some(SUPERSEDES));
            names.extend(links.map(|link| link.target.clone()));
        }
        Ok(Self { names })
    }

    /// Whether another note supersedes this one, or it was condensed into others.
    pub fn contains(&self, note: &Note) -> bool {
        let names = [note.key(), &note.title, note.path.stem()];
        !note.condensed_into.is_empty() || names.iter().any(|name| self.names.contains(*name))
    }
}

/// Returns those of the IDs whose notes await confirmation.
fn waiting<'i>(
    context: &Context,
    open: &OpenVault,
    ids: impl Iterator<Item = &'i str>,
) -> Result<HashSet<String>> {
    let any = |should: Vec<QueryNode>| QueryNode::Group(BooleanGroup { should, ..BooleanGroup::default() });
    let ids: Vec<QueryNode> = ids.map(|id| QueryNode::label(LabelField::Id, id)).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let limit = ids.len();
    let states = [Note::DRAFT, Note::UNVERIFIED].map(|state| QueryNode::label(LabelField::State, state));
    let found = hits(context, open, vec![any(ids), any(states.into())], limit)?;
    Ok(found.into_iter().map(|hit| hit.note.key().to_owned()).collect())
}

fn hits(context: &Context, open: &OpenVault, filter: Vec<QueryNode>, limit: usize) -> Result<Vec<NoteHit>> {
    let group = BooleanGroup { filter, ..BooleanGroup::default() };
    let query = Query { root: QueryNode::Group(group), notices: Vec::new() };
    Ok(context.query_index(open, |index| index.search(&query, 0, limit))?.hits)
}
