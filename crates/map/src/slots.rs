//! Orders the notes of a community for the places of a sunflower spiral: the best connected note
//! in the middle, others around it near the notes that they are linked with.

use std::cmp::Reverse;

use crate::arrange::GOLDEN_ANGLE;
use crate::network::Network;

/// Distance between a community's border and its outermost place, in units of the map.
const MARGIN: f64 = 1.2;

/// Radius of the disc of a community with this number of notes.
pub(crate) fn radius(notes: usize) -> f64 {
    (notes as f64).sqrt() + MARGIN
}

/// Place of a slot relative to the centre; slots are numbered from the middle outwards.
pub(crate) fn place(slot: usize, notes: usize) -> [f64; 2] {
    if notes == 1 {
        return [0.0, 0.0];
    }
    let (distance, angle) = ((slot as f64 + 0.35).sqrt(), slot as f64 * GOLDEN_ANGLE);
    [distance * angle.cos(), distance * angle.sin()]
}

/// Reusable marks of the nodes that already have a slot.
pub(crate) struct SlotOrder<'n> {
    network: &'n Network,
    community_of: &'n [u32],
    visited: Vec<bool>,
    /// Direction of each placed node from the centre of its community, in radians.
    angles: Vec<f32>,
}

impl<'n> SlotOrder<'n> {
    /// `community_of` has the community of each node.
    pub fn new(network: &'n Network, community_of: &'n [u32]) -> Self {
        let count = network.len();
        Self { network, community_of, visited: vec![false; count], angles: vec![0.0; count] }
    }

    /// Returns the notes of a community in the order of their slots: breadth first from the best
    /// connected note, and each distance is one ring.
    pub fn ordered(&mut self, community: u32, members: &[u32]) -> Vec<u32> {
        let degree = |note: &u32| self.network.neighbours(*note as usize).len();
        let mut roots = members.to_vec();
        roots.sort_by_key(|note| (Reverse(degree(note)), *note));
        let mut ordered = Vec::with_capacity(members.len());
        for root in roots {
            if self.visited[root as usize] {
                continue;
            }
            let mut ring = vec![root];
            self.visited[root as usize] = true;
            while !ring.is_empty() {
                self.assign(&mut ring, &mut ordered);
                ring = self.next_ring(community, &ring);
            }
        }
        ordered
    }

    /// Gives the next slots to a ring: notes in the order of their parents' directions, slots in
    /// the order of their own.
    fn assign(&mut self, ring: &mut [u32], ordered: &mut Vec<u32>) {
        let first = ordered.len();
        let direction = |slot: usize| (slot as f64 * GOLDEN_ANGLE).rem_euclid(std::f64::consts::TAU);
        let mut slots: Vec<usize> = (first..first + ring.len()).collect();
        slots.sort_by(|a, b| direction(*a).total_cmp(&direction(*b)));
        ring.sort_by(|a, b| self.angles[*a as usize].total_cmp(&self.angles[*b as usize]).then(a.cmp(b)));
        ordered.resize(first + ring.len(), 0);
        for (note, slot) in ring.iter().zip(slots) {
            ordered[slot] = *note;
            self.angles[*note as usize] = direction(slot) as f32;
        }
    }

    /// Returns the neighbours of a ring within its community that have no slot yet, each with the
    /// direction of the note that leads to it.
    fn next_ring(&mut self, community: u32, ring: &[u32]) -> Vec<u32> {
        let mut next = Vec::new();
        for note in ring {
            for (other, _) in self.network.neighbours(*note as usize) {
                let at = *other as usize;
                if self.community_of[at] == community && !self.visited[at] {
                    self.visited[at] = true;
                    self.angles[at] = self.angles[*note as usize];
                    next.push(*other);
                }
            }
        }
        next
    }
}
