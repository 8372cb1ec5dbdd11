//! The Louvain method: groups nodes so that modularity grows, with a maximum size of a group.

use std::collections::VecDeque;

use crate::network::Network;

/// Minimum gain in modularity for which a node changes its group, relative to its edge weights.
const MIN_GAIN: f64 = 1e-9;
/// Maximum number of times that a node is examined on one level, on average.
const MAX_VISITS: usize = 24;

/// Returns the group of each node, numbered from 0 by their first nodes, and the number of groups.
/// No group stands for more than `cap` notes, unless a single node does. With 1 as `resolution` the
/// groups have the best modularity; they become smaller as it grows.
pub(crate) fn groups(network: &Network, cap: u32, resolution: f64) -> (Vec<u32>, usize) {
    let mut groups: Vec<u32> = (0..network.len() as u32).collect();
    let mut level = network.clone();
    loop {
        let (moved, count) = renumbered(&local_moves(&level, cap, resolution));
        groups.iter_mut().for_each(|group| *group = moved[*group as usize]);
        if count == level.len() {
            return (groups, count);
        }
        level = level.aggregated(&moved, count);
    }
}

/// Numbers groups by the order of their first members. Returns the new numbers and their count.
pub(crate) fn renumbered(groups: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers = vec![u32::MAX; groups.iter().max().map_or(0, |most| *most as usize + 1)];
    let mut count = 0;
    let number = |group: &u32| {
        let number = &mut numbers[*group as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *number
    };
    let renumbered = groups.iter().map(number).collect();
    (renumbered, count as usize)
}

/// Moves single nodes between groups until no move gains modularity.
fn local_moves(network: &Network, cap: u32, resolution: f64) -> Vec<u32> {
    let count = network.len();
    let mut state = GroupState::of(network, cap, resolution);
    let mut queue: VecDeque<u32> = (0..count as u32).collect();
    let mut queued = vec![true; count];
    let mut visits = count * MAX_VISITS;
    while let Some(node) = queue.pop_front()
        && visits > 0
    {
        visits -= 1;
        queued[node as usize] = false;
        let Some(group) = state.best_move(node as usize) else { continue };
        for (other, _) in network.neighbours(node as usize) {
            if state.group[*other as usize] != group && !queued[*other as usize] {
                queued[*other as usize] = true;
                queue.push_back(*other);
            }
        }
    }
    state.group
}

struct GroupState<'n> {
    network: &'n Network,
    cap: u32,
    group: Vec<u32>,
    /// Strength and size of each group.
    strength: Vec<f64>,
    size: Vec<u32>,
    strengths: Vec<f64>,
    /// Sum of all strengths divided by the resolution, positive.
    total: f64,
    /// Weight of the edges from the examined node to each group, 0 between two calls.
    weight_to: Vec<f64>,
    touched: Vec<u32>,
}

impl<'n> GroupState<'n> {
    fn of(network: &'n Network, cap: u32, resolution: f64) -> Self {
        let strengths: Vec<f64> = (0..network.len()).map(|node| network.strength(node)).collect();
        Self {
            network,
            cap,
            group: (0..network.len() as u32).collect(),
            strength: strengths.clone(),
            size: (0..network.len()).map(|node| network.size(node)).collect(),
            total: (strengths.iter().sum::<f64>() / resolution).max(f64::MIN_POSITIVE),
            strengths,
            weight_to: vec![0.0; network.len()],
            touched: Vec::new(),
        }
    }

    /// Moves a node to the neighbouring group that gains most. Returns the new group; `None` if the
    /// node stays.
    fn best_move(&mut self, node: usize) -> Option<u32> {
        for (other, w) in self.network.neighbours(node) {
            let group = self.group[*other as usize];
            if self.weight_to[group as usize] == 0.0 {
                self.touched.push(group);
            }
            self.weight_to[group as usize] += f64::from(*w);
        }
        let (own, strength, size) = (self.group[node], self.strengths[node], self.network.size(node));
        self.strength[own as usize] -= strength;
        self.size[own as usize] -= size;
        let gain = |state: &Self, group: u32| {
            state.weight_to[group as usize] - strength * state.strength[group as usize] / state.total
        };
        let (mut best, mut most) = (own, gain(self, own));
        for group in self.touched.iter().copied() {
            let fits = self.size[group as usize] + size <= self.cap;
            if fits && gain(self, group) > most + MIN_GAIN * strength {
                (best, most) = (group, gain(self, group));
            }
        }
        self.strength[best as usize] += strength;
        self.size[best as usize] += size;
        self.group[node] = best;
        for group in self.touched.drain(..) {
            self.weight_to[group as usize] = 0.0;
        }
        (best != own).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cliques of `size` nodes in a ring.
    fn ring_of_cliques(cliques: u32, size: u32) -> Network {
        let mut edges = Vec::new();
        for clique in 0..cliques {
            let first = clique * size;
            for a in first..first + size {
                edges.extend((a + 1..first + size).map(|b| (a, b, 1.0)));
            }
            edges.push((first, (first + size) % (cliques * size), 1.0));
        }
        Network::of_notes((cliques * size) as usize, edges.into_iter())
    }

    #[test]
    fn cliques_are_groups() {
        let (found, count) = groups(&ring_of_cliques(8, 6), 6, 1.0);
        assert_eq!(count, 8);
        assert!((0..48).all(|node| found[node] as usize == node / 6));
    }

    #[test]
    fn without_a_tight_cap_neighbouring_cliques_join_but_none_is_split() {
        let (found, count) = groups(&ring_of_cliques(40, 3), u32::MAX, 1.0);
        assert!(count < 40);
        assert!((0..40).all(|clique| found[clique * 3] == found[clique * 3 + 2]));
    }

    #[test]
    fn a_graph_without_edges_has_one_group_a_node() {
        assert_eq!(groups(&Network::of_notes(3, std::iter::empty()), 9, 1.0), (vec![0, 1, 2], 3));
        assert_eq!(groups(&Network::of_notes(0, std::iter::empty()), 9, 1.0), (vec![], 0));
    }
}
