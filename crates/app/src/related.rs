//! The notes around a note.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::find::find;
use super::memory::Memory;
use cm_note::graph::{Direction, Graph, Route};
use cm_note::note::RelationTable;
use cm_note::note::types::LINKS_TO;
use cm_text::spelling::nearest;

/// How far, and along which edges.
#[derive(Debug, Clone)]
pub struct Options {
    /// Edges on the way, 1 to 5.
    pub hops: u8,
    /// Only edges of these types; all where empty.
    pub relations: Vec<String>,
    /// Only this way.
    pub direction: Option<Direction>,
    /// At most so many.
    pub limit: usize,
    /// Leave out so many at the front: the `next` of an earlier answer.
    pub offset: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { hops: 1, relations: Vec::new(), direction: None, limit: USUAL, offset: 0 }
    }
}

/// A note that was reached.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbour {
    /// What it answers to.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// The type of the last edge on the way.
    #[serde(rename = "type")]
    pub relation: String,
    /// Which way that edge was walked.
    pub direction: Direction,
    /// How many edges away.
    pub hops: u8,
    /// The product of the strengths on the way.
    pub strength: f64,
    /// The titles of the notes on the way.
    pub via: Vec<String>,
}

/// The notes around a note, the nearest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Related {
    /// What the note answers to.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The others.
    pub notes: Vec<Neighbour>,
    /// How many there are in all.
    pub total: usize,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// So many notes where nothing is said.
pub const USUAL: usize = 50;
/// The most edges on the way.
pub const FARTHEST: u8 = 5;

/// Lists the notes up to so many edges away, within the note's own vault.
///
/// # Errors
/// Not found, too many hops, or a type of edge that does not exist.
pub fn related(memory: &Memory, reference: &str, options: &Options) -> Result<Related> {
    if !(1..=FARTHEST).contains(&options.hops) {
        return Err(Error::usage(format!("hops are 1 to {FARTHEST}")));
    }
    let found = find(memory, reference)?;
    let notes = memory.notes_of(found.open)?;
    let graph = Graph::connect(&notes);
    let known = &found.open.settings.relations;
    let relations =
        options.relations.iter().map(|typed| relation(typed, known, &graph)).collect::<Result<_>>()?;
    let at = notes.iter().position(|note| note.path == found.note.path);
    let route = Route { relations, direction: options.direction };
    let reached = at.map(|at| graph.related(at, options.hops, &route)).unwrap_or_default();
    let neighbour = |reached: cm_note::graph::Related| {
        let note = &notes[reached.node];
        Neighbour {
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
    let page: Vec<Neighbour> =
        reached.into_iter().skip(options.offset).take(options.limit).map(neighbour).collect();
    let end = options.offset.saturating_add(page.len());
    let next = (end < total && !page.is_empty()).then_some(end);
    Ok(Related { id: found.note.key().to_owned(), title: found.note.title, notes: page, total, next })
}

/// A type of edge as it was typed, which must be declared or occur.
fn relation(typed: &str, known: &RelationTable, graph: &Graph<'_>) -> Result<String> {
    let name = typed.trim().to_uppercase().replace('-', "_");
    if known.knows(&name) || graph.edges().iter().any(|edge| edge.relation == name) {
        return Ok(name);
    }
    let hint = match nearest(&name, known.iter()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("it is one of {}, {LINKS_TO}", known.iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Error::usage(format!("there is no type of edge `{name}`")).hint(hint))
}
