//! Decides which notes form a community and which communities a region. It places nothing.

use crate::layout::RegionKind;
use crate::louvain;
use crate::network::Network;

/// Maximum number of notes in a community.
pub const COMMUNITY_CAP: u32 = 320;
/// Maximum size while communities grow; the rest is room for leftovers of their surroundings.
const GROWTH_CAP: u32 = 256;
/// Share of a note's links that lead to its community, at least, and the size for which this holds.
const MIN_SHARE: f64 = 0.1;
const USUAL_SIZE: f64 = 128.0;
/// Communities below this size join the community that they are linked with most.
const MIN_COMMUNITY_NOTES: u32 = 6;
/// Number of unconnected groups of fewer than `SMALL_GROUP` notes that are communities of their
/// own; smaller ones share communities.
const SMALL_GROUPS: usize = 24;
const SMALL_GROUP: u32 = 12;
/// Maximum number of regions of linked notes. The smallest ones beyond it share one region.
const MAX_REGIONS: usize = 120;
/// A region has at most this share of all notes, or one full community.
const REGION_SHARE: u32 = 8;

/// A region with the notes of each of its communities, largest communities first.
pub(crate) struct RegionPlan {
    pub kind: RegionKind,
    pub communities: Vec<Vec<u32>>,
}

impl RegionPlan {
    fn notes(&self) -> usize {
        self.communities.iter().map(Vec::len).sum()
    }

    fn first(&self) -> u32 {
        self.communities.iter().flatten().min().copied().unwrap_or_default()
    }
}

/// Groups the notes of a graph. Notes without edges are grouped in the order of `unlinked_order`.
/// Returns the largest regions first, then small groups, then notes without edges.
pub(crate) fn partition(network: &Network, unlinked_order: &dyn Fn(&mut Vec<u32>)) -> Vec<RegionPlan> {
    let (groups, count) = louvain::groups(network, GROWTH_CAP, resolution(network.len()));
    let (groups, count) = absorb_small(network, &groups, count);
    let community_graph = network.aggregated(&groups, count);
    let members = members(&groups, count);
    let is_linked = |community: usize| !network.neighbours(members[community][0] as usize).is_empty();
    let mut unlinked: Vec<u32> = (0..count)
        .filter(|community| !is_linked(*community))
        .map(|community| members[community][0])
        .collect();
    let scattered = scattered(&community_graph, &is_linked);
    let mut is_scattered = vec![false; count];
    scattered.iter().for_each(|community| is_scattered[*community] = true);
    let region_communities: Vec<usize> =
        (0..count).filter(|community| is_linked(*community) && !is_scattered[*community]).collect();
    let mut plans = regions(network.len(), &community_graph, &region_communities, &members);
    let small: Vec<&Vec<u32>> = scattered.iter().map(|community| &members[*community]).collect();
    plans.extend(bundle(RegionKind::SmallGroups, small.into_iter().cloned()));
    unlinked_order(&mut unlinked);
    plans.extend(bundle(RegionKind::Unlinked, unlinked.into_iter().map(|note| vec![note])));
    plans
}

/// Resolution at which a note needs `MIN_SHARE` of its links to join a community of `USUAL_SIZE`.
/// With modularity alone, the communities of large vaults would grow up to their maximum.
fn resolution(notes: usize) -> f64 {
    (MIN_SHARE * notes as f64 / USUAL_SIZE).max(1.0)
}

fn members(groups: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); count];
    for (node, group) in (0..).zip(groups) {
        members[*group as usize].push(node);
    }
    members
}

/// Joins each small community with the linked community of the greatest weight that has room.
fn absorb_small(network: &Network, groups: &[u32], count: usize) -> (Vec<u32>, usize) {
    let graph = network.aggregated(groups, count);
    let mut joined: Vec<u32> = (0..count as u32).collect();
    let mut sizes: Vec<u32> = (0..count).map(|community| graph.size(community)).collect();
    let mut small: Vec<usize> =
        (0..count).filter(|community| sizes[*community] < MIN_COMMUNITY_NOTES).collect();
    small.sort_by_key(|community| (sizes[*community], *community));
    for community in small {
        let own = root(&joined, community);
        if sizes[own] >= MIN_COMMUNITY_NOTES {
            continue;
        }
        let candidates = graph.neighbours(community).iter().map(|(to, w)| (root(&joined, *to as usize), *w));
        let fitting = candidates.filter(|(to, _)| *to != own && sizes[*to] + sizes[own] <= COMMUNITY_CAP);
        let best = fitting.min_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if let Some((to, _)) = best {
            sizes[to] += sizes[own];
            joined[own] = to as u32;
        }
    }
    let whole: Vec<u32> = groups.iter().map(|group| root(&joined, *group as usize) as u32).collect();
    louvain::renumbered(&whole)
}

fn root(joined: &[u32], mut community: usize) -> usize {
    while joined[community] as usize != community {
        community = joined[community] as usize;
    }
    community
}

/// Returns the linked communities that are small, have no edge to another one, and are not among
/// the largest of these.
fn scattered(graph: &Network, is_linked: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let is_small = |community: &usize| {
        graph.size(*community) < SMALL_GROUP
            && graph.neighbours(*community).is_empty()
            && is_linked(*community)
    };
    let mut small: Vec<usize> = (0..graph.len()).filter(is_small).collect();
    small.sort_by_key(|community| (u32::MAX - graph.size(*community), *community));
    small.split_off(small.len().min(SMALL_GROUPS))
}

/// Groups `communities` into regions.
fn regions(notes: usize, graph: &Network, communities: &[usize], members: &[Vec<u32>]) -> Vec<RegionPlan> {
    let cap = (notes as u32 / REGION_SHARE).max(COMMUNITY_CAP);
    let (groups, count) = louvain::groups(graph, cap, 1.0);
    let mut plans: Vec<RegionPlan> =
        (0..count).map(|_| RegionPlan { kind: RegionKind::Linked, communities: Vec::new() }).collect();
    for community in communities {
        plans[groups[*community] as usize].communities.push(members[*community].clone());
    }
    plans.retain(|plan| !plan.communities.is_empty());
    plans.sort_by_key(|plan| (usize::MAX - plan.notes(), plan.first()));
    let rest = plans.split_off(plans.len().min(MAX_REGIONS));
    let rest: Vec<Vec<u32>> = rest.into_iter().flat_map(|plan| plan.communities).collect();
    plans.extend(bundle(RegionKind::SmallGroups, rest.into_iter()));
    for plan in &mut plans {
        plan.communities.sort_by_key(|notes| (usize::MAX - notes.len(), notes[0]));
    }
    plans
}

/// Packs groups of notes, in their order, into communities of one region. `None` without groups.
fn bundle(kind: RegionKind, groups: impl Iterator<Item = Vec<u32>>) -> Option<RegionPlan> {
    let mut communities: Vec<Vec<u32>> = Vec::new();
    for group in groups {
        match communities.last_mut() {
            Some(last) if last.len() + group.len() <= COMMUNITY_CAP as usize => last.extend(group),
            _ => communities.push(group),
        }
    }
    (!communities.is_empty()).then_some(RegionPlan { kind, communities })
}
