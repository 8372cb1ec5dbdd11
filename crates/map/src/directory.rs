//! The notes of a map by community and by id, with their edges, as bytes for a cache.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::layout::{MapNode, RegionKind, VaultMap};

/// Ids, titles and edges of the notes of a map, in the order of their places.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct MapDirectory<'a> {
    /// Names of the types, each once.
    #[serde(borrow)]
    pub kinds: Vec<&'a str>,
    #[serde(borrow)]
    pub notes: Vec<PlacedNote<'a>>,
    #[serde(borrow)]
    pub communities: Vec<CommunityEntry<'a>>,
    #[serde(borrow)]
    pub regions: Vec<RegionEntry<'a>>,
    /// Places, sorted by the ids of their notes.
    by_id: Vec<u32>,
    /// For each place, the index in `ends` of its first neighbour; last, the length of `ends`.
    starts: Vec<u32>,
    /// Places of the linked notes, sorted for each note.
    ends: Vec<u32>,
}

/// A note at its place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlacedNote<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// Position in [`MapDirectory::kinds`].
    pub kind: u32,
}

/// A community of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommunityEntry<'a> {
    pub label: &'a str,
    /// Places of its notes, the best connected one first.
    pub places: Range<u32>,
}

/// A region of a directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionEntry<'a> {
    /// Empty for small groups and for notes without links.
    pub label: &'a str,
    pub kind: RegionKind,
    /// Positions in [`MapDirectory::communities`].
    pub communities: Range<u32>,
}

impl<'a> MapDirectory<'a> {
    /// Builds the directory of a map from the input of the map.
    pub fn of(map: &'a VaultMap, nodes: &[MapNode<'a>], edges: &[(u32, u32, f32)]) -> Self {
        let placed: Vec<&MapNode<'a>> = map.order.iter().map(|node| &nodes[*node as usize]).collect();
        let mut kinds: Vec<&str> = placed.iter().map(|node| node.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = |name: &str| kinds.binary_search(&name).unwrap_or_default() as u32;
        let notes =
            placed.iter().map(|node| PlacedNote { id: node.id, title: node.title, kind: kind(node.kind) });
        let mut by_id: Vec<u32> = (0..placed.len() as u32).collect();
        by_id.sort_by_key(|place| placed[*place as usize].id);
        let (starts, ends) = adjacency(&map.order, nodes.len(), edges);
        let range = |range: &Range<usize>| range.start as u32..range.end as u32;
        Self {
            notes: notes.collect(),
            communities: map
                .communities
                .iter()
                .map(|one| CommunityEntry { label: &one.label, places: range(&one.notes) })
                .collect(),
            regions: map
                .regions
                .iter()
                .map(|one| RegionEntry {
                    label: &one.label,
                    kind: one.kind,
                    communities: range(&one.communities),
                })
                .collect(),
            kinds,
            by_id,
            starts,
            ends,
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` if the bytes are no consistent directory.
    pub fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        let directory: Self = postcard::from_bytes(bytes).ok()?;
        directory.is_consistent().then_some(directory)
    }

    /// Whether all positions are within their lists.
    fn is_consistent(&self) -> bool {
        let count = self.notes.len();
        let within =
            |range: &Range<u32>, length: usize| range.start <= range.end && range.end as usize <= length;
        self.by_id.len() == count
            && self.starts.len() == count + 1
            && self.starts.is_sorted()
            && self.starts.last().is_some_and(|last| *last as usize == self.ends.len())
            && self.by_id.iter().chain(&self.ends).all(|place| (*place as usize) < count)
            && self.notes.iter().all(|note| (note.kind as usize) < self.kinds.len())
            && self.communities.iter().all(|one| within(&one.places, count))
            && self.regions.iter().all(|one| within(&one.communities, self.communities.len()))
    }

    /// Returns the place of the note with this id.
    pub fn place(&self, id: &str) -> Option<u32> {
        let found = self.by_id.binary_search_by_key(&id, |place| self.notes[*place as usize].id);
        found.ok().map(|at| self.by_id[at])
    }

    /// Places of the notes that a note is linked with, sorted. The note must be in the directory.
    pub fn neighbours(&self, place: u32) -> &[u32] {
        &self.ends[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }

    /// Edges between these places, which must be sorted, each as two indexes in the list.
    pub fn edges_among(&self, places: &[u32]) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for (from, place) in (0..).zip(places) {
            let later = self.neighbours(*place).iter().filter(|other| *other > place);
            edges.extend(later.filter_map(|other| Some((from, places.binary_search(other).ok()? as u32))));
        }
        edges
    }
}

/// Returns the neighbours of all places as `starts` and `ends`.
fn adjacency(order: &[u32], count: usize, edges: &[(u32, u32, f32)]) -> (Vec<u32>, Vec<u32>) {
    let mut place_of = vec![u32::MAX; count];
    (0..).zip(order).for_each(|(place, node)| place_of[*node as usize] = place);
    let places = |(a, b, _): &(u32, u32, f32)| {
        Some((*place_of.get(*a as usize)?, *place_of.get(*b as usize)?)).filter(|(a, b)| a != b)
    };
    let mut pairs: Vec<(u32, u32)> =
        edges.iter().filter_map(places).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0; order.len() + 1];
    pairs.iter().for_each(|(from, _)| starts[*from as usize + 1] += 1);
    for place in 0..order.len() {
        starts[place + 1] += starts[place];
    }
    (starts, pairs.into_iter().map(|(_, to)| to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::layout;
    use crate::sample::planted;

    #[test]
    fn what_was_written_is_read_and_any_cut_is_refused() {
        let sample = planted(300, 9);
        let nodes = sample.nodes();
        let map = layout(&nodes, &sample.edges);
        let directory = MapDirectory::of(&map, &nodes, &sample.edges);
        let bytes = directory.to_bytes();
        assert_eq!(MapDirectory::from_bytes(&bytes).as_ref(), Some(&directory));
        assert!(
            (0..bytes.len()).step_by(97).all(|length| MapDirectory::from_bytes(&bytes[..length]).is_none())
        );
        for (place, note) in (0..).zip(&directory.notes) {
            assert_eq!(directory.place(note.id), Some(place));
            let degree = map.degrees[place as usize] as usize;
            assert_eq!(directory.neighbours(place).len(), degree);
        }
        assert_eq!(directory.place("absent"), None);
    }

    #[test]
    fn positions_outside_the_lists_are_refused() {
        let sample = planted(50, 10);
        let nodes = sample.nodes();
        let map = layout(&nodes, &sample.edges);
        let mut directory = MapDirectory::of(&map, &nodes, &sample.edges);
        directory.by_id[3] = 50;
        assert_eq!(MapDirectory::from_bytes(&directory.to_bytes()), None);
    }

    #[test]
    fn edges_among_places_are_those_of_the_input() {
        let nodes: Vec<MapNode<'_>> = ["a", "b", "c"]
            .map(|id| MapNode { id, title: id, tags: &[], kind: "fix", state: "", changed: None })
            .to_vec();
        let edges = [(0, 1, 1.0), (1, 0, 0.5), (1, 2, 1.0)];
        let map = layout(&nodes, &edges);
        let directory = MapDirectory::of(&map, &nodes, &edges);
        assert_eq!(directory.edges_among(&[0, 1, 2]).len(), 2);
        assert_eq!(directory.edges_among(&[]), []);
    }
}
