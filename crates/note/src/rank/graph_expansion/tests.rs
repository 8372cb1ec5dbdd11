//! Properties of spreading on arbitrary graphs.

use proptest::prelude::*;

use super::*;

fn edge(from: usize, relation: &str, to: usize, strength: f64) -> Edge {
    Edge { from, to, relation: relation.to_owned(), strength, sources: Vec::new() }
}

fn scores(before: &[f64], edges: &[Edge], hops: u8) -> Vec<f64> {
    spread(before, edges, &[], 0.5, hops).into_iter().map(|spread| spread.score).collect()
}

#[test]
fn what_solves_the_best_hit_comes_up_and_stays_below_it() {
    let edges = [edge(2, "SOLVES", 0, 1.0)];
    let after = spread(&[1.0, 0.3, 0.0], &edges, &[], 0.5, 1);
    assert_eq!(after[0], SpreadScore { score: 1.0, by: None });
    assert_eq!(after[1].score, 0.3);
    assert_eq!(after[2], SpreadScore { score: 0.5, by: Some(0) });
}

#[test]
fn a_stronger_and_a_more_telling_edge_hands_on_more_and_a_hub_less() {
    let drawn = |relation, strength| scores(&[1.0, 0.0], &[edge(0, relation, 1, strength)], 1)[1];
    assert!(drawn("REQUIRES", 1.0) > drawn("REQUIRES", 0.5));
    assert!(drawn("REQUIRES", 1.0) > drawn("DECLARED_HERE", 1.0));
    assert!(drawn("DECLARED_HERE", 1.0) > drawn(CONTRADICTS, 1.0) * 4.0);
    assert_eq!(drawn(SUPERSEDES, 1.0), 0.0);
    let hub = spread(&[1.0, 0.0], &[edge(0, "REQUIRES", 1, 1.0)], &[900, 1], 0.5, 1)[1].score;
    assert!(hub < drawn("REQUIRES", 1.0) / 5.0 && hub > 0.0);
}

#[test]
fn the_second_hop_hands_on_a_share_of_a_share() {
    let edges = [edge(0, "FOLLOWS", 1, 1.0), edge(1, "FOLLOWS", 2, 1.0)];
    let one = scores(&[1.0, 0.0, 0.0], &edges, 1);
    let two = scores(&[1.0, 0.0, 0.0], &edges, 2);
    assert_eq!((one[2], two[1]), (0.0, one[1]));
    assert!(two[2] > 0.0 && two[2] < two[1] / 2.0);
    assert_eq!(scores(&[1.0, 0.0, 0.0], &edges, 0), [1.0, 0.0, 0.0]);
}

#[test]
fn a_superseded_note_sinks_below_its_successor_along_the_row() {
    let edges = [edge(1, SUPERSEDES, 0, 1.0), edge(2, SUPERSEDES, 1, 1.0)];
    let after = scores(&[1.0, 0.4, 0.0, 0.95], &edges, 2);
    assert!(after[2] > after[3] && after[2] < 1.0, "{after:?}");
    assert!(after[0] < after[1] && after[1] < after[2], "{after:?}");
    let both = [edge(1, SUPERSEDES, 0, 1.0), edge(0, SUPERSEDES, 1, 1.0)];
    assert_eq!(scores(&[1.0, 0.4], &both, 2), [1.0, 0.4]);
}

#[test]
fn numbers_that_are_none_and_ends_that_are_nowhere_do_no_harm() {
    let edges = [edge(0, "SOLVES", 7, 1.0), edge(1, "SOLVES", 0, f64::NAN), edge(0, "SOLVES", 0, 1.0)];
    assert_eq!(scores(&[1.0, 0.5], &edges, 2), [1.0, 0.5]);
    let after = spread(&[f64::INFINITY, 0.5], &[edge(0, "SOLVES", 1, 1.0)], &[], f64::NAN, 2);
    assert_eq!(after[1].score, 0.5);
    assert_eq!(scores(&[f64::INFINITY, 0.5], &[edge(0, "SOLVES", 1, 1.0)], 2)[1], 0.5);
}

const NOTES: usize = 7;

fn relation() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["SOLVES", "CAUSES", "RELATED_TO", CONTRADICTS, LINKS_TO, "OWN"])
}

fn any_edges(succession: bool) -> impl Strategy<Value = Vec<Edge>> {
    let types =
        if succession { prop_oneof![relation(), Just(SUPERSEDES)].boxed() } else { relation().boxed() };
    let one = (0..NOTES, types, 0..NOTES, 0.0..=1.0)
        .prop_map(|(from, relation, to, strength)| edge(from, relation, to, strength));
    prop::collection::vec(one, 0..14)
}

fn any_scores() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), 0.0..=1.0], NOTES)
}

proptest! {
    #[test]
    fn without_edges_or_share_nothing_changes(before in any_scores(), edges in any_edges(true)) {
        prop_assert_eq!(&scores(&before, &[], 2), &before);
        let unshared: Vec<f64> = spread(&before, &edges, &[], 0.0, 2).iter().map(|after| after.score).collect();
        prop_assert_eq!(unshared, before);
    }

    #[test]
    fn nothing_falls_and_nothing_passes_the_best_that_drew_it(
        before in any_scores(), edges in any_edges(false), share in 0.0..2.0, hops in 0u8..4,
    ) {
        let best = before.iter().copied().fold(0.0, f64::max);
        for (own, after) in before.iter().zip(spread(&before, &edges, &[], share, hops)) {
            prop_assert!(after.score >= *own && after.score <= best);
            prop_assert_eq!(after.by.is_some(), after.score > *own);
            if after.score > *own {
                prop_assert!(after.score < best, "drawn level with the best");
            }
        }
    }

    #[test]
    fn one_hit_alone_never_draws_a_note_level_with_itself(
        own in 0.0..1.0, strength in 0.0..=1.0, relation in relation(), share in 0.0..9.0,
    ) {
        let after = spread(&[1.0, own], &[edge(0, relation, 1, strength)], &[], share, 2);
        prop_assert!(after[1].score < after[0].score);
    }

    #[test]
    fn a_higher_hit_lowers_no_note(
        before in any_scores(), edges in any_edges(true), raised in 0..NOTES, by in 0.0..1.0, hops in 1u8..3,
    ) {
        let low = scores(&before, &edges, hops);
        let mut higher = before.clone();
        higher[raised] += by;
        for (low, high) in low.iter().zip(scores(&higher, &edges, hops)) {
            prop_assert!(*low <= high + 1e-12, "{low} {high}");
        }
    }

    #[test]
    fn the_order_of_notes_and_edges_makes_no_difference(
        before in any_scores(), edges in any_edges(true), places in Just((0..NOTES).collect::<Vec<_>>()).prop_shuffle(), hops in 1u8..3,
    ) {
        let moved: Vec<Edge> = edges.iter().rev().map(|known| {
            edge(places[known.from], &known.relation, places[known.to], known.strength)
        }).collect();
        let mut elsewhere = vec![0.0; NOTES];
        before.iter().zip(&places).for_each(|(score, place)| elsewhere[*place] = *score);
        let (here, there) = (scores(&before, &edges, hops), scores(&elsewhere, &moved, hops));
        for (at, place) in places.iter().enumerate() {
            prop_assert_eq!(here[at].to_bits(), there[*place].to_bits());
        }
    }

    #[test]
    fn a_successor_that_is_reached_stands_above_what_it_replaced(before in any_scores(), strength in 0.01..=1.0) {
        let after = scores(&before, &[edge(1, SUPERSEDES, 0, strength)], 1);
        prop_assert!(after[0] < after[1] || after[0] == 0.0);
    }
}
