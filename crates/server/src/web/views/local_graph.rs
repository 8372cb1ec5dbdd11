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
const MAX_LABEL_CHARS: usize = 22;
/// Width of a character and height of a line, in units of the drawing.
const CHARACTER: (i32, i32) = (6, 12);
/// Distance of a label's base line above and below its node.
const LABEL_OFFSET_ABOVE: i32 = 10;
const LABEL_OFFSET_BELOW: i32 = 19;

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
    /// Height of the label's base line.
    pub(super) label_y: i32,
    /// Where the label stands: its `middle`, `start` or `end` is at the node.
    pub(super) anchor: &'static str,
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
pub(super) fn of(context: &Context, id: &str) -> Result<Option<LocalGraph>> {
    let limit = MOST[0] + MOST[1] * 4;
    let around = related::related(context, id, &related::Options { hops: 2, limit, ..Default::default() })?;
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
    place_labels(&mut nodes);
    LocalGraph { nodes, lines, left_out: 0 }
}

/// Places each label, those of near notes first, where it is within the drawing and covers neither a
/// node nor an earlier label. If there is no such place, it stays above its node.
fn place_labels(nodes: &mut [Node]) {
    nodes.sort_by_key(|node| node.hops);
    let mut taken: Vec<Area> = nodes.iter().map(|node| Area::around(node.x, node.y)).collect();
    taken.push(Area::around(0, 0));
    for node in nodes {
        let places = ["middle", "start", "end"]
            .map(|anchor| [-LABEL_OFFSET_ABOVE, LABEL_OFFSET_BELOW].map(|below| (anchor, below)));
        let free = places.into_iter().flatten().find(|(anchor, below)| {
            let area = Area::of_label(node, anchor, node.y + below);
            area.is_drawn() && !taken.iter().any(|other| other.overlaps(&area))
        });
        if let Some((anchor, below)) = free {
            (node.anchor, node.label_y) = (anchor, node.y + below);
        }
        taken.push(Area::of_label(node, node.anchor, node.label_y));
    }
}

/// A rectangle of the drawing: left, top, right and bottom.
struct Area(i32, i32, i32, i32);

impl Area {
    fn around(x: i32, y: i32) -> Self {
        Self(x - 6, y - 6, x + 6, y + 6)
    }

    fn of_label(node: &Node, anchor: &str, base: i32) -> Self {
        let width = i32::try_from(node.label.chars().count()).unwrap_or(i32::MAX / 8) * CHARACTER.0;
        let left = match anchor {
            "start" => node.x,
            "end" => node.x - width,
            _ => node.x - width / 2,
        };
        Self(left, base - CHARACTER.1 + 2, left + width, base + 2)
    }

    /// Whether it is within the drawing.
    fn is_drawn(&self) -> bool {
        let (x, y) = (HALF.0 as i32, HALF.1 as i32 + 2 * CHARACTER.1);
        -x <= self.0 && self.2 <= x && -y <= self.1 && self.3 <= y
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }
}

fn place(angle: f64, radius: f64) -> (i32, i32) {
    let rounded = |value: f64| value.round() as i32;
    (rounded(angle.cos() * HALF.0 * radius), rounded(angle.sin() * HALF.1 * radius))
}

fn node(note: &LinkedNote, (x, y): (i32, i32)) -> Node {
    let short: String = note.title.chars().take(MAX_LABEL_CHARS).collect();
    let label = if short.len() < note.title.len() { format!("{}…", short.trim_end()) } else { short };
    Node {
        x,
        y,
        label,
        label_y: y - LABEL_OFFSET_ABOVE,
        anchor: "middle",
        title: note.title.clone(),
        address: note_address(&note.id),
        relation: note.relation.replace('_', " ").to_lowercase(),
        hops: note.hops,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(title: &str, place: (i32, i32)) -> Node {
        Node {
            x: place.0,
            y: place.1,
            label: title.to_owned(),
            label_y: place.1 - LABEL_OFFSET_ABOVE,
            anchor: "middle",
            title: title.to_owned(),
            address: String::new(),
            relation: String::new(),
            hops: 1,
        }
    }

    #[test]
    fn labels_are_within_the_drawing_and_cover_no_other() {
        let long = "x".repeat(MAX_LABEL_CHARS);
        let mut nodes =
            [(-288, 0), (288, 40), (0, -189), (40, -60), (90, -60), (0, 189)].map(|place| at(&long, place));
        place_labels(&mut nodes);
        let areas = nodes.each_ref().map(|node| Area::of_label(node, node.anchor, node.label_y));
        for (number, area) in areas.iter().enumerate() {
            assert!(area.is_drawn(), "{number}");
            assert!(!areas[..number].iter().any(|other| other.overlaps(area)), "{number}");
        }
        assert_eq!((nodes[0].anchor, nodes[1].anchor, nodes[2].anchor), ("start", "end", "middle"));
    }
}
