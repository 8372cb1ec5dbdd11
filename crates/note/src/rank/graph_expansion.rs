//! Graph expansion: hits pass a share of their score along edges, so that the solution linked to a
//! problem ranks with it.
//!
//! A note's score only moves towards that of connected hits and never above the best of them. A
//! note that supersedes a hit takes the hit's place. The module finds neither hits nor edges.

use std::collections::BTreeMap;

use crate::graph::Edge;
use crate::note::types::{CONTRADICTS, DERIVED_FROM, LINKS_TO, SUPERSEDES};

/// Score of a note after spreading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadScore {
    /// New score.
    pub score: f64,
    /// Position of the note that raised the score most, if any.
    pub by: Option<usize>,
}

/// Weight of each edge type, along the edge and against it. A problem leads to its solution rather
/// than the reverse, and an effect to its cause; contradicting notes hardly support each other.
/// SUPERSEDES passes nothing, because [`apply_supersedes`] handles it.
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
/// Weight of any other edge type, in both directions.
const OTHER_WEIGHT: f64 = 0.5;
/// Maximum share of the gap between its score and a note's that a single hit closes.
const MAX_GAP_SHARE: f64 = 0.9;
/// Maximum number of hops.
const MAX_HOPS: u8 = 3;
/// Score of a successor relative to the note that it supersedes.
const SUCCESSOR_SHARE: f64 = 0.98;
/// Maximum score of a superseded note relative to its successor.
const MAX_REPLACED_SHARE: f64 = 0.7;
/// Maximum length of a chain of successors.
const MAX_SUCCESSORS: usize = 4;

/// Spreads scores along edges, up to `hops` away; `share` scales the amount. Ends of edges are
/// positions in `scores`, and notes that are not hits have the score 0. `degrees` is the total
/// number of edges of each note, which may exceed those given: a well-connected note passes less on
/// each edge.
///
/// Each hit closes part of the gap between a note and itself, lower hits first. Thus a score only
/// decreases for a superseded note, the order of edges does not matter, and a higher hit never
/// lowers another note.
pub fn spread(scores: &[f64], edges: &[Edge], degrees: &[usize], share: f64, hops: u8) -> Vec<SpreadScore> {
    let score = |at: usize| scores.get(at).copied().filter(|score| score.is_finite()).unwrap_or(0.0);
    let mut spread: Vec<SpreadScore> =
        scores.iter().map(|score| SpreadScore { score: *score, by: None }).collect();
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
    apply_supersedes(&mut spread, &within);
    spread
}

/// Raises a score towards each of the hits, in ascending order of score. A hit is its score, the
/// share of the gap that it closes, and its position.
fn towards(own: f64, hits: &[(f64, f64, usize)]) -> SpreadScore {
    let mut now = SpreadScore { score: own, by: None };
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

/// Returns, for each pair of notes at most `hops` edges apart, the largest product of edge weights
/// along a path.
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
        let part = (share * weight * gentle).clamp(0.0, MAX_GAP_SHARE);
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
    for _ in 1..hops.min(MAX_HOPS) {
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
    let listed = WEIGHTS.iter().find(|(name, ..)| *name == relation);
    listed.map_or((OTHER_WEIGHT, OTHER_WEIGHT), |(_, along, against)| (*along, *against))
}

/// Moves superseded notes below their successors, which take their place. Two notes that supersede
/// each other are ignored.
fn apply_supersedes(spread: &mut [SpreadScore], edges: &[&Edge]) {
    let all: Vec<(usize, usize)> = edges
        .iter()
        .filter(|edge| edge.relation == SUPERSEDES && edge.strength > 0.0 && edge.from != edge.to)
        .map(|edge| (edge.from, edge.to))
        .collect();
    let rows: Vec<(usize, usize)> =
        all.iter().copied().filter(|(new, old)| !all.contains(&(*old, *new))).collect();
    for _ in 0..MAX_SUCCESSORS {
        let before = spread.to_vec();
        for (new, old) in &rows {
            let place = before[*old].score * SUCCESSOR_SHARE;
            if place > spread[*new].score {
                spread[*new] = SpreadScore { score: place, by: Some(*old) };
            }
        }
    }
    for _ in 0..MAX_SUCCESSORS {
        let before = spread.to_vec();
        for (new, old) in &rows {
            spread[*old].score = spread[*old].score.min((before[*new].score * MAX_REPLACED_SHARE).max(0.0));
        }
    }
}

#[cfg(test)]
mod tests;
