//! Chooses hits of several sessions instead of many of the densest one.

use std::collections::HashMap;
use std::hash::Hash;

/// Factor for the score of a hit for each one of its session that was chosen before.
const SAME_SESSION_FACTOR: f64 = 0.9;

/// Returns the positions of the `wanted` hits to show, given the session and score of each hit, best
/// first. Each chosen hit lowers the others of its session; more than `most` hits of a session follow
/// only after those of all others.
pub fn over_sessions<S: Eq + Hash>(hits: &[(S, f64)], wanted: usize, most: usize) -> Vec<usize> {
    // Hits without scores, of a query that only filters, are alike.
    let is_scored = hits.iter().any(|(_, score)| *score > 0.0);
    let mut chosen: HashMap<&S, i32> = HashMap::new();
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    let mut rest: Vec<usize> = (0..hits.len()).collect();
    let mut order = Vec::new();
    while order.len() < wanted {
        let value = |at: usize| {
            let (session, score) = &hits[at];
            let score = if is_scored { *score } else { 1.0 };
            let of_session = chosen.get(session).copied().unwrap_or_default();
            (of_session < most, score * SAME_SESSION_FACTOR.powi(of_session))
        };
        // Of equals the first, which is the better one.
        let better = |a: usize, b: usize| if value(b) > value(a) { b } else { a };
        let Some(best) = rest.iter().copied().reduce(better) else { break };
        rest.retain(|at| *at != best);
        *chosen.entry(&hits[best].0).or_default() += 1;
        order.push(best);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_session_with_many_hits_leaves_room_for_others() {
        let mut hits: Vec<(&str, f64)> = (0..9).map(|at| ("dense", 1.0 - f64::from(at) / 100.0)).collect();
        hits.extend([("second", 0.3), ("third", 0.2)]);
        let chosen = over_sessions(&hits, 6, 3);
        assert!(chosen.contains(&9) && chosen.contains(&10), "{chosen:?}");
        assert_eq!(chosen[0], 0);
    }

    #[test]
    fn hits_of_sessions_of_their_own_keep_their_order() {
        assert_eq!(over_sessions(&[(1, 0.9), (2, 0.5), (3, 0.5)], 2, 1), [0, 1]);
        assert_eq!(over_sessions(&[("a", 0.0), ("a", 0.0), ("b", 0.0)], 2, 1), [0, 2]);
    }

    proptest! {
        #[test]
        fn each_hit_is_chosen_at_most_once_and_the_best_one_first(
            mut hits in proptest::collection::vec((0u8..4, 0.0f64..1.0), 0..30), wanted in 0usize..40,
        ) {
            hits.sort_by(|a, b| b.1.total_cmp(&a.1));
            let mut chosen = over_sessions(&hits, wanted, 3);
            prop_assert_eq!(chosen.len(), wanted.min(hits.len()));
            prop_assert!(chosen.first().is_none_or(|first| *first == 0));
            chosen.sort_unstable();
            chosen.dedup();
            prop_assert_eq!(chosen.len(), wanted.min(hits.len()));
        }
    }
}
