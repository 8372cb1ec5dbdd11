//! Promises of the whole layout.

use std::collections::HashMap;

use proptest::prelude::*;

use super::sample::{SampleGraph, planted};
use super::*;

fn map_of(sample: &SampleGraph) -> VaultMap {
    layout(&sample.nodes(), &sample.edges)
}

/// Share of notes that are in the commonest topic of their community.
fn purity(sample: &SampleGraph, map: &VaultMap) -> f64 {
    let (mut pure, mut all) = (0, 0);
    for community in map.communities.iter().filter(|one| map.regions[one.region].kind == RegionKind::Linked) {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for note in &map.order[community.notes.clone()] {
            sample.topics[*note as usize].iter().for_each(|topic| *counts.entry(*topic).or_default() += 1);
        }
        pure += counts.values().max().copied().unwrap_or_default();
        all += community.notes.len();
    }
    pure as f64 / all as f64
}

/// The same graph with its notes and edges in another order.
fn shuffled(sample: &SampleGraph, order: &[usize]) -> SampleGraph {
    let mut new = vec![0; order.len()];
    order.iter().enumerate().for_each(|(to, from)| new[*from] = to as u32);
    let pick = |list: &[String]| order.iter().map(|from| list[*from].clone()).collect();
    let edges = sample.edges.iter().rev().map(|(a, b, w)| (new[*b as usize], new[*a as usize], *w));
    SampleGraph {
        ids: pick(&sample.ids),
        titles: pick(&sample.titles),
        tags: order.iter().map(|from| sample.tags[*from].clone()).collect(),
        topics: order.iter().map(|from| sample.topics[*from]).collect(),
        edges: edges.collect(),
    }
}

fn plain_nodes(sample: &SampleGraph) -> Vec<MapNode<'_>> {
    sample.nodes().into_iter().map(|node| MapNode { kind: "fix", state: "", changed: None, ..node }).collect()
}

#[test]
fn planted_topics_are_found() {
    let sample = planted(6000, 1);
    let found = purity(&sample, &map_of(&sample));
    assert!(found >= 0.8, "{found}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let sample = planted(2000, 2);
    let bytes = || compressed(&encoded(&map_of(&sample), &sample.nodes()));
    assert_eq!(bytes(), bytes());
}

#[test]
fn notes_without_edges_share_one_region() {
    let mut sample = planted(900, 3);
    sample.edges.clear();
    let map = map_of(&sample);
    assert_eq!(map.regions.len(), 1);
    assert_eq!(map.regions[0].kind, RegionKind::Unlinked);
    assert!(map.communities.len() <= 4);
}

#[test]
fn many_pairs_of_notes_share_communities() {
    let mut sample = planted(2000, 4);
    sample.edges = (0..1000).map(|pair| (pair * 2, pair * 2 + 1, 1.0)).collect();
    let map = map_of(&sample);
    assert!(map.communities.len() < 40, "{}", map.communities.len());
    assert!(map.regions.len() < 40, "{}", map.regions.len());
}

#[test]
fn an_empty_vault_has_an_empty_map() {
    let map = layout(&[], &[]);
    assert!(map.regions.is_empty() && map.order.is_empty());
    assert!(!encoded(&map, &[]).is_empty());
}

#[test]
fn a_large_vault_has_some_hundred_regions_at_most() {
    let map = map_of(&planted(20_000, 5));
    assert!(map.regions.len() <= 130, "{}", map.regions.len());
    assert!(map.communities.len() < 400, "{}", map.communities.len());
}

#[test]
fn a_tag_that_sets_a_community_apart_is_its_label() {
    let sample = planted(3000, 6);
    let map = map_of(&sample);
    let linked = map.communities.iter().filter(|one| map.regions[one.region].kind == RegionKind::Linked);
    let tagged = linked.clone().filter(|one| one.label.starts_with("topic-")).count();
    assert!(tagged * 10 >= linked.count() * 8);
}

#[test]
fn the_encoded_columns_fit_the_header() {
    let sample = planted(500, 8);
    let bytes = encoded(&map_of(&sample), &sample.nodes());
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[12..12 + length]).unwrap();
    assert_eq!(header["notes"], 500);
    assert_eq!((12 + length) % 8, 0);
    assert_eq!(bytes.len(), 12 + length + 500 * 8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_order_of_the_input_does_not_matter(
        order in Just((0..400).collect::<Vec<usize>>()).prop_shuffle(),
        seed in 0_u64..99,
    ) {
        let sample = planted(400, seed);
        let other = shuffled(&sample, &order);
        let bytes = |sample: &SampleGraph| {
            let nodes = plain_nodes(sample);
            encoded(&layout(&nodes, &sample.edges), &nodes)
        };
        prop_assert_eq!(bytes(&sample), bytes(&other));
    }

    #[test]
    fn every_note_has_one_place_within_its_disc_and_no_discs_overlap(
        count in 1_usize..1500,
        seed in 0_u64..99,
    ) {
        let map = map_of(&planted(count, seed));
        let mut notes = map.order.clone();
        notes.sort_unstable();
        prop_assert_eq!(notes, (0..count as u32).collect::<Vec<_>>());
        for (at, community) in map.communities.iter().enumerate() {
            prop_assert!(community.notes.len() <= COMMUNITY_CAP as usize);
            prop_assert!(map.communities[..at].iter().all(|other| community.disc.gap(&other.disc) > 0.0));
            for [x, y] in &map.places[community.notes.clone()] {
                let distance = (x - community.disc.x).hypot(y - community.disc.y);
                prop_assert!(distance < community.disc.radius);
            }
            let region = map.regions[community.region].disc;
            let reach = (community.disc.x - region.x).hypot(community.disc.y - region.y);
            prop_assert!(reach + community.disc.radius <= region.radius + 1e-6);
        }
        for (at, region) in map.regions.iter().enumerate() {
            prop_assert!(map.regions[..at].iter().all(|other| region.disc.gap(&other.disc) > 0.0));
        }
    }
}
