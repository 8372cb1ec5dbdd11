//! The graph around a note as a drawing: the note in the middle, its neighbours on two rings.

use std::f64::consts::TAU;

use crate::web::words::note_address;
use cm_app::verbs::related::{self, LinkedNote};
use cm_app::{Context, Result};

/// Maximum number of notes on the inner and on the outer ring.
const MOST: [usize; 2] = [14, 22];
/// Half the width and half the height of the drawing, in its own units.
const HALF: (f64, f64) = (320.0, 210.0);
/// Radii of the rings, as fractions of the halves.
const RINGS: [f64; 2] = [0.48, 0.9];
/// Maximum length of a label, in characters.
const LABEL: usize = 22;

/// A drawing of the notes around one note.
pub(super) struct LocalGraph {
    pub(super) nodes: Vec<Node>,
    pub(super) lines: Vec<Line>,
    /// Number of notes within two edges that are not drawn.
    pub(super) left_out: usize,
}

pub(super) struct Node {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) label: String,
    pub(super) title: String,
    pub(super) address: String,
    pub(super) relation: String,
    /// 1 or 2.
    pub(super) hops: u8,
}

pub(super) struct Line {
    pub(super) from: (i32, i32),
    pub(super) to: (i32, i32),
}

/// Draws the notes within two edges; `None` if there are none.
pub(super) fn of(memory: &Context, id: &str) -> Result<Option<LocalGraph>> {
    let limit = MOST[0] + MOST[1] * 4;
    let around = related::related(memory, id, &related::Options { hops: 2, limit, ..Default::default() })?;
    let near: Vec<&LinkedNote> = around.notes.iter().filter(|note| note.hops == 1).take(MOST[0]).collect();
    if near.is_empty() {
        return Ok(None);
    }
    let far = around.notes.iter().filter(|note| note.hops == 2);
    let mut branches: Vec<Vec<&LinkedNote>> = vec![Vec::new(); near.len()];
    for note in far.take(MOST[1]) {
        let parent = near.iter().position(|parent| note.via.last() == Some(&parent.title));
        if let Some(parent) = parent {
            branches[parent].push(note);
        }
    }
    let drawn = near.len() + branches.iter().map(Vec::len).sum::<usize>();
    Ok(Some(LocalGraph { left_out: around.total - drawn, ..draw(&near, &branches) }))
}

/// Gives each neighbour a sector as wide as the number of notes behind it.
fn draw(near: &[&LinkedNote], branches: &[Vec<&LinkedNote>]) -> LocalGraph {
    let weights = branches.iter().map(|branch| branch.len().max(1) as f64);
    let whole: f64 = weights.clone().sum();
    let (mut nodes, mut lines) = (Vec::new(), Vec::new());
    let mut begin = -TAU / 4.0;
    for ((note, branch), weight) in near.iter().zip(branches).zip(weights) {
        let sector = TAU * weight / whole;
        let inner = place(begin + sector / 2.0, RINGS[0]);
        lines.push(Line { from: (0, 0), to: inner });
        for (at, other) in branch.iter().enumerate() {
            let angle = begin + sector * (at as f64 + 0.5) / branch.len() as f64;
            let outer = place(angle, RINGS[1]);
            lines.push(Line { from: inner, to: outer });
            nodes.push(node(other, outer));
        }
        nodes.push(node(note, inner));
        begin += sector;
    }
    LocalGraph { nodes, lines, left_out: 0 }
}

fn place(angle: f64, radius: f64) -> (i32, i32) {
    let rounded = |value: f64| value.round() as i32;
    (rounded(angle.cos() * HALF.0 * radius), rounded(angle.sin() * HALF.1 * radius))
}

fn node(note: &LinkedNote, (x, y): (i32, i32)) -> Node {
    let short: String = note.title.chars().take(LABEL).collect();
    let label = if short.len() < note.title.len() { format!("{}…", short.trim_end()) } else { short };
    Node {
        x,
        y,
        label,
        title: note.title.clone(),
        address: note_address(&note.id),
        relation: note.relation.replace('_', " ").to_lowercase(),
        hops: note.hops,
    }
}
