//! Computes the map: communities, regions, and the place of each note.

use std::cmp::Reverse;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::arrange::{Disc, arrange, enclosing, outermost_free};
use crate::label::{TagShares, label_of_unlinked};
use crate::network::Network;
use crate::partition::{RegionPlan, partition};
use crate::slots::{self, SlotOrder};

/// A note to place.
#[derive(Debug, Clone, PartialEq)]
pub struct MapNode<'a> {
    /// Stable and unique id, on which the order of equals depends.
    pub id: &'a str,
    pub title: &'a str,
    pub tags: &'a [String],
    /// Type of a memory, or another kind of note.
    pub kind: &'a str,
    /// Maturity or state; empty if it has none.
    pub state: &'a str,
    /// Time of the last change, in seconds since 1970.
    pub changed: Option<i64>,
}

/// Reason why the notes of a region lie together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// Links between their communities.
    Linked,
    /// Small groups of linked notes, without a link to another group.
    SmallGroups,
    /// Notes without any link.
    Unlinked,
}

/// A part of the map with several communities.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    pub label: String,
    pub kind: RegionKind,
    pub disc: Disc,
    /// Positions in [`VaultMap::communities`].
    pub communities: Range<usize>,
}

/// A group of notes that are linked with each other more than with others.
#[derive(Debug, Clone, PartialEq)]
pub struct Community {
    pub label: String,
    pub disc: Disc,
    /// Position in [`VaultMap::regions`].
    pub region: usize,
    /// Positions in [`VaultMap::order`]. The first note is the best connected one.
    pub notes: Range<usize>,
}

/// Links between two communities or two regions, as a sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapLink {
    pub from: usize,
    pub to: usize,
    /// Sum of the weights of the edges.
    pub weight: f32,
}

/// The map of a vault. Its centre is at 0, 0.
#[derive(Debug, Clone, PartialEq)]
pub struct VaultMap {
    /// The largest regions first; then small groups; then notes without links.
    pub regions: Vec<Region>,
    pub communities: Vec<Community>,
    /// For each place, the index of its note in the input.
    pub order: Vec<u32>,
    /// For each place, its coordinates.
    pub places: Vec<[f64; 2]>,
    /// For each place, the number of notes that its note is linked with.
    pub degrees: Vec<u32>,
    /// The heaviest links of each community.
    pub links: Vec<MapLink>,
    /// The heaviest links of each region.
    pub region_links: Vec<MapLink>,
}

/// Distance between two communities of a region.
const COMMUNITY_GAP: f64 = 1.6;
/// Distance between two regions as a share of their mean radius, and its minimum.
const REGION_GAP: f64 = 0.2;
const MIN_REGION_GAP: f64 = 2.0;
/// Distance between the border of a region and its communities.
const REGION_MARGIN: f64 = 2.4;
/// Number of links that the map shows for each community and region.
const SHOWN_LINKS: usize = 4;

/// Computes the map of notes that are joined by undirected edges: two indexes in `nodes`, and a
/// positive weight. Edges to missing nodes are ignored.
pub fn layout(nodes: &[MapNode<'_>], edges: &[(u32, u32, f32)]) -> VaultMap {
    let mut sorted: Vec<u32> = (0..nodes.len() as u32).collect();
    sorted.sort_by_key(|node| nodes[*node as usize].id);
    let mut rank = vec![u32::MAX; nodes.len()];
    (0..).zip(&sorted).for_each(|(at, node)| rank[*node as usize] = at);
    let rank_of = |node: u32| rank.get(node as usize).copied().unwrap_or(u32::MAX);
    let network =
        Network::of_notes(nodes.len(), edges.iter().map(|(a, b, w)| (rank_of(*a), rank_of(*b), *w)));
    let by_rank: Vec<&MapNode<'_>> = sorted.iter().map(|node| &nodes[*node as usize]).collect();
    let topic = |note: &u32| {
        let node = by_rank[*note as usize];
        (node.tags.first().map_or(node.kind, String::as_str), *note)
    };
    let plans = partition(&network, &|unlinked| unlinked.sort_by_key(&topic));
    Composer::new(&network, by_rank, &plans).compose(plans, &sorted)
}

struct Composer<'a> {
    network: &'a Network,
    nodes: Vec<&'a MapNode<'a>>,
    tags: TagShares<'a>,
    /// Community of each node.
    community_of: Vec<u32>,
    communities: Network,
}

impl<'a> Composer<'a> {
    fn new(network: &'a Network, nodes: Vec<&'a MapNode<'a>>, plans: &[RegionPlan]) -> Self {
        let mut community_of = vec![0; network.len()];
        let all = plans.iter().flat_map(|plan| &plan.communities);
        let count = all.clone().count();
        for (community, notes) in (0..).zip(all) {
            notes.iter().for_each(|note| community_of[*note as usize] = community);
        }
        let communities = network.aggregated(&community_of, count);
        Self { tags: TagShares::of(nodes.iter().copied()), network, nodes, community_of, communities }
    }

    fn compose(&self, plans: Vec<RegionPlan>, sorted: &[u32]) -> VaultMap {
        let links = self.communities.heaviest(SHOWN_LINKS);
        let mut map = VaultMap {
            regions: Vec::new(),
            communities: Vec::new(),
            order: Vec::with_capacity(sorted.len()),
            places: Vec::with_capacity(sorted.len()),
            degrees: Vec::with_capacity(sorted.len()),
            links: links.iter().map(|link| map_link(*link)).collect(),
            region_links: Vec::new(),
        };
        let mut slots = SlotOrder::new(self.network, &self.community_of);
        for plan in plans {
            self.add_region(&mut map, plan, &mut slots, &links);
        }
        let region_of: Vec<u32> = map.communities.iter().map(|community| community.region as u32).collect();
        let regions = self.communities.aggregated(&region_of, map.regions.len()).heaviest(SHOWN_LINKS);
        map.region_links = regions.iter().map(|link| map_link(*link)).collect();
        move_to_places(&mut map, &regions);
        map.degrees.extend(map.order.iter().map(|note| self.network.neighbours(*note as usize).len() as u32));
        map.order.iter_mut().for_each(|note| *note = sorted[*note as usize]);
        map
    }

    /// Adds a region around 0, 0 with its communities and notes.
    fn add_region(
        &self,
        map: &mut VaultMap,
        plan: RegionPlan,
        slots: &mut SlotOrder<'_>,
        links: &[(u32, u32, f32)],
    ) {
        let (region, first) = (map.regions.len(), map.communities.len());
        let all: Vec<u32> = plan.communities.iter().flatten().copied().collect();
        let radii: Vec<f64> = plan.communities.iter().map(|notes| slots::radius(notes.len())).collect();
        let end = first + radii.len();
        let is_inside = |link: &&(u32, u32, f32)| {
            (first..end).contains(&(link.0 as usize)) && (first..end).contains(&(link.1 as usize))
        };
        let inner: Vec<(u32, u32, f32)> = links
            .iter()
            .filter(is_inside)
            .map(|(a, b, w)| (a - first as u32, b - first as u32, *w))
            .collect();
        let centres = arrange(&radii, &inner, COMMUNITY_GAP);
        let disc = |([x, y], radius): (&[f64; 2], &f64)| Disc { x: *x, y: *y, radius: *radius };
        let discs: Vec<Disc> = centres.iter().zip(&radii).map(disc).collect();
        let around = enclosing(&discs);
        for (notes, disc) in plan.communities.iter().zip(discs) {
            let disc = Disc { x: disc.x - around.x, y: disc.y - around.y, ..disc };
            self.add_community(map, region, slots, notes, disc, plan.kind);
        }
        // A single community is a region by itself and needs no second border.
        let margin = if radii.len() > 1 { REGION_MARGIN } else { 0.0 };
        let disc = Disc { x: 0.0, y: 0.0, radius: around.radius + margin };
        let label = if plan.kind == RegionKind::Linked { self.label(&all, plan.kind) } else { String::new() };
        map.regions.push(Region { label, kind: plan.kind, disc, communities: first..end });
    }

    fn add_community(
        &self,
        map: &mut VaultMap,
        region: usize,
        slots: &mut SlotOrder<'_>,
        notes: &[u32],
        disc: Disc,
        kind: RegionKind,
    ) {
        let first = map.order.len();
        map.order.extend(slots.ordered(map.communities.len() as u32, notes));
        for slot in 0..notes.len() {
            let [x, y] = slots::place(slot, notes.len());
            map.places.push([disc.x + x, disc.y + y]);
        }
        let label = self.label(notes, kind);
        map.communities.push(Community { label, disc, region, notes: first..map.order.len() });
    }

    fn label(&self, notes: &[u32], kind: RegionKind) -> String {
        let nodes: Vec<&MapNode<'_>> = notes.iter().map(|note| self.nodes[*note as usize]).collect();
        let degree = |note: u32| self.network.neighbours(note as usize).len();
        let best = notes.iter().min_by_key(|note| (Reverse(degree(**note)), **note));
        match best {
            Some(best) if kind != RegionKind::Unlinked => self.tags.label(&nodes, self.nodes[*best as usize]),
            _ => label_of_unlinked(&nodes),
        }
    }
}

fn map_link((from, to, weight): (u32, u32, f32)) -> MapLink {
    MapLink { from: from as usize, to: to as usize, weight }
}

/// Places the regions, and moves their communities and notes with them. Notes without links come
/// last, outside.
fn move_to_places(map: &mut VaultMap, links: &[(u32, u32, f32)]) {
    let linked = map.regions.iter().take_while(|region| region.kind == RegionKind::Linked).count();
    let radii: Vec<f64> = map.regions[..linked].iter().map(|region| region.disc.radius).collect();
    let inner: Vec<(u32, u32, f32)> =
        links.iter().filter(|(a, b, _)| (*a.max(b) as usize) < linked).copied().collect();
    let mean = radii.iter().sum::<f64>() / radii.len().max(1) as f64;
    let gap = (REGION_GAP * mean).max(MIN_REGION_GAP);
    let centres = arrange(&radii, &inner, gap);
    let mut placed: Vec<Disc> =
        centres.iter().zip(&radii).map(|([x, y], radius)| Disc { x: *x, y: *y, radius: *radius }).collect();
    for region in &map.regions[linked..] {
        let [x, y] = outermost_free(&placed, region.disc.radius, 2.0 * gap);
        placed.push(Disc { x, y, radius: region.disc.radius });
    }
    let around = enclosing(&placed);
    for (region, disc) in map.regions.iter_mut().zip(placed) {
        let [x, y] = [disc.x - around.x, disc.y - around.y];
        region.disc = Disc { x, y, ..disc };
        for community in &mut map.communities[region.communities.clone()] {
            community.disc.x += x;
            community.disc.y += y;
            for place in &mut map.places[community.notes.clone()] {
                *place = [place[0] + x, place[1] + y];
            }
        }
    }
}
