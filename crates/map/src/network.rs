//! A weighted undirected graph as adjacency lists.

/// Adjacency lists of an undirected graph, sorted by node. Nodes of an aggregated graph stand for
/// several notes.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    /// For each node, the index in `ends` of its first neighbour; last, the length of `ends`.
    starts: Vec<u32>,
    ends: Vec<(u32, f32)>,
    /// Number of notes that each node stands for.
    sizes: Vec<u32>,
    /// Weight of the edges inside each node.
    inner: Vec<f64>,
}

/// Weight of an edge whose weight is not a positive number.
const FALLBACK_WEIGHT: f32 = 1e-3;

impl Network {
    /// Builds the graph of single notes. Drops loops, and adds the weights of parallel edges.
    pub fn of_notes(count: usize, edges: impl Iterator<Item = (u32, u32, f32)>) -> Self {
        let weight = |w: f32| if w.is_finite() && w > 0.0 { w } else { FALLBACK_WEIGHT };
        let valid = edges.filter(|(a, b, _)| a != b && (*a as usize) < count && (*b as usize) < count);
        let pairs = valid.map(|(a, b, w)| (a.min(b), a.max(b), weight(w))).collect();
        Self::of_pairs(vec![1; count], vec![0.0; count], pairs)
    }

    /// Builds the graph from edges whose first node is less than their second.
    fn of_pairs(sizes: Vec<u32>, inner: Vec<f64>, mut pairs: Vec<(u32, u32, f32)>) -> Self {
        // By weight too: a sum of floats depends on its order.
        pairs.sort_unstable_by_key(|(a, b, w)| (*a, *b, w.to_bits()));
        pairs.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            first.2 += if same { next.2 } else { 0.0 };
            same
        });
        let mut starts = vec![0_u32; sizes.len() + 1];
        for (a, b, _) in &pairs {
            starts[*a as usize + 1] += 1;
            starts[*b as usize + 1] += 1;
        }
        for node in 0..sizes.len() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut ends = vec![(0, 0.0); pairs.len() * 2];
        for (a, b, w) in pairs {
            for (from, to) in [(a, b), (b, a)] {
                ends[next[from as usize] as usize] = (to, w);
                next[from as usize] += 1;
            }
        }
        Self { starts, ends, sizes, inner }
    }

    /// Joins the nodes of each group to one node. `groups` has a number below `count` for each
    /// node.
    pub fn aggregated(&self, groups: &[u32], count: usize) -> Self {
        let (mut sizes, mut inner) = (vec![0; count], vec![0.0; count]);
        let mut pairs = Vec::new();
        for node in 0..self.len() {
            let group = groups[node];
            sizes[group as usize] += self.sizes[node];
            inner[group as usize] += self.inner[node];
            for (other, w) in self.neighbours(node).iter().filter(|(other, _)| *other as usize > node) {
                let to = groups[*other as usize];
                if to == group {
                    inner[group as usize] += f64::from(*w);
                } else {
                    pairs.push((group.min(to), group.max(to), *w));
                }
            }
        }
        Self::of_pairs(sizes, inner, pairs)
    }

    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Number of notes that a node stands for.
    pub fn size(&self, node: usize) -> u32 {
        self.sizes[node]
    }

    /// Neighbours of a node with the weights of the edges, sorted by node.
    pub fn neighbours(&self, node: usize) -> &[(u32, f32)] {
        &self.ends[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Sum of the weights of a node's edges; edges inside it count twice.
    pub fn strength(&self, node: usize) -> f64 {
        self.neighbours(node).iter().map(|(_, w)| f64::from(*w)).sum::<f64>() + 2.0 * self.inner[node]
    }

    /// For each node its `most` heaviest edges, each edge once, as nodes `a < b` and weight, sorted.
    pub fn heaviest(&self, most: usize) -> Vec<(u32, u32, f32)> {
        let mut chosen = Vec::new();
        for node in 0..self.len() {
            let mut ends = self.neighbours(node).to_vec();
            ends.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let here = node as u32;
            chosen.extend(ends.into_iter().take(most).map(|(to, w)| (here.min(to), here.max(to), w)));
        }
        chosen.sort_unstable_by_key(|(a, b, _)| (*a, *b));
        chosen.dedup_by_key(|(a, b, _)| (*a, *b));
        chosen
    }
}
