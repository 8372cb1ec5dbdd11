//! Lists the notes around a note in the graph.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::AsOf;
use crate::context::find::find;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use crate::paging::next_offset;
use cm_note::graph::{EdgeDirection, EdgeFilter};
use cm_note::note::types::LINKS_TO;
use cm_text::spelling::nearest;

/// Distance, edge types and page of a list of connected notes.
#[derive(Debug, Clone)]
pub struct Options {
    /// Maximum number of edges between the two notes, 1 to 5.
    pub hops: u8,
    /// Follow only edges of these types; empty for all types.
    pub relations: Vec<String>,
    /// Follow only outgoing or only incoming edges; `None` for both.
    pub direction: Option<EdgeDirection>,
    /// Maximum number of notes.
    pub limit: usize,
    /// Number of notes to skip: the `next` of an earlier answer.
    pub offset: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { hops: 1, relations: Vec::new(), direction: None, limit: DEFAULT_LIMIT, offset: 0 }
    }
}

/// A note that a path of edges connects with the start note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkedNote {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Type of the last edge on the path from the start note.
    #[serde(rename = "type")]
    pub relation: String,
    /// Direction in which the path follows its last edge.
    pub direction: EdgeDirection,
    /// Number of edges on the path.
    pub hops: u8,
    /// Product of the strengths of all edges on the path.
    pub strength: f64,
    /// Titles of the notes between start note and this note, in path order.
    pub via: Vec<String>,
}

/// Notes connected with a start note, nearest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelatedNotes {
    /// Id of the start note, or its path if it has none.
    pub id: String,
    /// Title of the start note, from its frontmatter, content or file name.
    pub title: String,
    /// Notes of this page.
    pub notes: Vec<LinkedNote>,
    /// Number of connected notes on all pages.
    pub total: usize,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
    /// Commit that was read; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
}

/// Number of results if no limit is given.
pub const DEFAULT_LIMIT: usize = 50;
/// Maximum value of `hops`.
pub const MAX_HOPS: u8 = 5;

/// Lists the notes within `hops` edges of a note, within its own vault.
///
/// # Errors
/// Returns an error if the note is not found, if `hops` is out of range, or if an edge type does
/// not exist.
pub fn related(context: &Context, reference: &str, options: &Options) -> Result<RelatedNotes> {
    if !(1..=MAX_HOPS).contains(&options.hops) {
        return Err(Error::usage(format!("hops must be between 1 and {MAX_HOPS}")));
    }
    let found = find(context, reference)?;
    let relations = options.relations.iter().map(|typed| relation(typed, context, found.open));
    let route = EdgeFilter { relations: relations.collect::<Result<_>>()?, direction: options.direction };
    let notes = context.notes_around(found.open, &found.note.path, options.hops, &route)?;
    let graph = notes.graph();
    let at = notes.iter().position(|note| note.path == found.note.path);
    let reached = at.map(|at| graph.related(at, options.hops, &route)).unwrap_or_default();
    let neighbour = |reached: cm_note::graph::RelatedNote| {
        let note = &notes[reached.node];
        LinkedNote {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.to_string(),
            relation: reached.relation,
            direction: reached.direction,
            hops: reached.hops,
            strength: reached.strength,
            via: reached.via.into_iter().map(|on_the_way| notes[on_the_way].title.clone()).collect(),
        }
    };
    let total = reached.len();
    let page: Vec<LinkedNote> =
        reached.into_iter().skip(options.offset).take(options.limit).map(neighbour).collect();
    let next = next_offset(options.offset, page.len(), total);
    let id = found.note.key().to_owned();
    let as_of = context.read_at();
    Ok(RelatedNotes { id, title: found.note.title, notes: page, total, next, as_of })
}

/// Normalizes the name of an edge type, which the settings must declare or an edge must have.
fn relation(typed: &str, context: &Context, open: &OpenVault) -> Result<String> {
    let name = typed.trim().to_uppercase().replace('-', "_");
    let declared = &open.settings.relations;
    let occurs = || -> Result<bool> {
        Ok(context.notes_of(open)?.graph().edges().iter().any(|edge| edge.relation == name))
    };
    if declared.contains(&name) || occurs()? {
        return Ok(name);
    }
    let hint = match nearest(&name, declared.iter()) {
        Some(nearest_relation) => format!("did you mean {nearest_relation}?"),
        None => format!("use one of {}, {LINKS_TO}", declared.iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Error::usage(format!("unknown edge type `{name}`")).hint(hint))
}
