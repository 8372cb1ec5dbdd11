//! Hits hand on a share of their scores along the edges of the graph, so that the answer that a problem's note leads to
//! comes up with it.
//!
//! A note is only drawn towards the hits that it hangs together with and never past the best of them; what stands in the
//! place of a hit takes that place. It finds neither hits nor edges.

use std::collections::BTreeMap;

use crate::graph::Edge;
use crate::note::types::{CONTRADICTS, DERIVED_FROM, LINKS_TO, SUPERSEDES};

/// What spreading made of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The score now.
    pub score: f64,
    /// The note that drew it furthest, where one did.
    pub by: Option<usize>,
}

/// What each type of edge hands on: along it, and against it. A problem leads to what solves it rather than the other way
/// round, an effect to its cause; of two notes that contradict each other, one hardly speaks for the other. From the
/// newer note to the one that it supersedes nothing goes; the way back is no share but succession.
const WEIGHTS: [(&str, f64, f64); 14] = [
    ("SOLVES", 0.6, 1.0),
    ("CAUSES", 0.6, 0.9),
    ("BUILDS_ON", 0.5, 0.6),
    ("ALTERNATIVE_TO", 0.5, 0.5),
    ("REQUIRES", 0.7, 0.4),
    ("FOLLOWS", 0.5, 0.5),
    ("RELATED_TO", 0.5, 0.5),
    ("EXTENDS", 0.5, 0.7),
    (CONTRADICTS, 0.1, 0.1),
    ("GROUNDS", 0.6, 0.7),
    ("EXEMPLIFIES", 0.5, 0.5),
    (SUPERSEDES, 0.0, 0.0),
    (DERIVED_FROM, 0.4, 0.5),
    (LINKS_TO, 0.5, 0.4),
];
/// What any other type hands on.
const OTHER: f64 = 0.5;
/// No single hit draws a note further than this part of the way.
const FURTHEST: f64 = 0.9;
/// Hops beyond this are not walked.
const MOST_HOPS: u8 = 3;
/// Where a successor stands beside the note that it replaces.
const SUCCESSOR: f64 = 0.98;
/// How far a replaced note sinks beside its successor.
const REPLACED: f64 = 0.7;
/// The longest row of successors that is followed.
const LONGEST_ROW: usize = 4;

/// The scores of notes after each has handed on `share` of its own along the edges, up to `hops` away. The ends of edges
/// are positions in `scores`; a note that is no hit has 0. `degrees` says how many edges each note has in truth, which
/// may be more than are given: much hangs on a hub, and so it hands on less.
///
/// Each hit closes part of the gap between a note and itself, the lower hits first. So nothing falls unless its
/// successor is there, no score depends on the order of edges, and a higher hit never lowers another note.
pub fn spread(scores: &[f64], edges: &[Edge], degrees: &[usize], share: f64, hops: u8) -> Vec<Spread> {
    let score = |at: usize| scores.get(at).copied().filter(|score| score.is_finite()).unwrap_or(0.0);
    let mut spread: Vec<Spread> = scores.iter().map(|score| Spread { score: *score, by: None }).collect();
    if share.is_nan() || share <= 0.0 {
        return spread;
    }
    let within: Vec<&Edge> =
        edges.iter().filter(|edge| edge.from < scores.len() && edge.to < scores.len()).collect();
    let mut drawn: BTreeMap<usize, Vec<(f64, f64, usize)>> = BTreeMap::new();
    for ((hit, note), part) in paths(&within, degrees, scores.len(), share, hops) {
        if score(hit) > score(note) && part > 0.0 {
            drawn.entry(note).or_default().push((score(hit), part, hit));
        }
    }
    for (note, mut hits) in drawn {
        hits.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        spread[note] = towards(score(note), &hits);
    }
    succeed(&mut spread, &within);
    spread
}

/// A score after each hit has drawn it part of the way.
fn towards(own: f64, hits: &[(f64, f64, usize)]) -> Spread {
    let mut now = Spread { score: own, by: None };
    let mut most = 0.0;
    for (score, part, hit) in hits {
        let step = (score - now.score).max(0.0) * part;
        now.score = (now.score + step).min(now.score.max(*score));
        if step > most {
            (most, now.by) = (step, Some(*hit));
        }
    }
    now
}

/// From each note to each within reach, the part that its best way hands on.
fn paths(
    edges: &[&Edge],
    degrees: &[usize],
    notes: usize,
    share: f64,
    hops: u8,
) -> BTreeMap<(usize, usize), f64> {
    let mut counted = vec![0; notes];
    for edge in edges {
        counted[edge.from] += 1;
        counted[edge.to] += 1;
    }
    let degree = |at: usize| degrees.get(at).copied().unwrap_or(0).max(counted[at]).max(1) as f64;
    let mut steps: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut step = |from: usize, to: usize, weight: f64| {
        let gentle = (degree(from) * degree(to)).powf(-0.25);
        let part = (share * weight * gentle).clamp(0.0, FURTHEST);
        let best = steps.entry((from, to)).or_default();
        *best = best.max(part);
    };
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        let (along, against) = weights(&edge.relation);
        let strength = if edge.strength.is_finite() { edge.strength.clamp(0.0, 1.0) } else { 0.0 };
        step(edge.from, edge.to, along * strength);
        step(edge.to, edge.from, against * strength);
    }
    let mut reached = if hops == 0 { BTreeMap::new() } else { steps.clone() };
    for _ in 1..hops.min(MOST_HOPS) {
        for ((from, middle), first) in reached.clone() {
            for ((_, to), second) in
                steps.range((middle, 0)..(middle + 1, 0)).filter(|((_, to), _)| *to != from)
            {
                let best = reached.entry((from, *to)).or_default();
                *best = best.max(first * second);
            }
        }
    }
    reached
}

fn weights(relation: &str) -> (f64, f64) {
    let known = WEIGHTS.iter().find(|(name, ..)| *name == relation);
    known.map_or((OTHER, OTHER), |(_, along, against)| (*along, *against))
}

/// Puts each note that another supersedes below that one, which takes its place. Two that supersede each other do nothing.
fn succeed(spread: &mut [Spread], edges: &[&Edge]) {
    let all: Vec<(usize, usize)> = edges
        .iter()
        .filter(|edge| edge.relation == SUPERSEDES && edge.strength > 0.0 && edge.from != edge.to)
        .map(|edge| (edge.from, edge.to))
        .collect();
    let rows: Vec<(usize, usize)> =
        all.iter().copied().filter(|(new, old)| !all.contains(&(*old, *new))).collect();
    for _ in 0..LONGEST_ROW {
        let before = spread.to_vec();
        for (new, old) in &rows {
            let place = before[*old].score * SUCCESSOR;
            if place > spread[*new].score {
                spread[*new] = Spread { score: place, by: Some(*old) };
            }
        }
    }
    for _ in 0..LONGEST_ROW {
        let before = spread.to_vec();
        for (new, old) in &rows {
            spread[*old].score = spread[*old].score.min((before[*new].score * REPLACED).max(0.0));
        }
    }
}

#[cfg(test)]
mod tests;
