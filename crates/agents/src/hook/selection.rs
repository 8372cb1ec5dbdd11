//! Selects the rules and memories for a prompt: relevant, not shown yet in this session, and within
//! a budget.

use std::collections::BTreeSet;

use super::injection::InjectionEntry;

/// A note that could be injected.
#[derive(Debug, Clone, PartialEq)]
pub struct InjectionCandidate {
    pub id: String,
    /// Text for the agent, as a line of Markdown.
    pub line: String,
    /// Relevance to the prompt, 0–1.
    pub relevance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectionLimits {
    /// Minimum relevance, 0–1.
    pub threshold: f64,
    /// Maximum number of notes.
    pub notes: usize,
    /// Maximum total length of the lines, in characters.
    pub characters: usize,
}

/// Selects candidates by descending relevance, then by id. Notes in `shown` and duplicates are
/// skipped; a candidate that does not fit is skipped in favor of shorter ones.
#[must_use]
pub fn choose(
    candidates: &[InjectionCandidate],
    shown: &BTreeSet<String>,
    measure: &SelectionLimits,
) -> Vec<InjectionEntry> {
    // A relevance that is no number fits nothing.
    let fits = |candidate: &&InjectionCandidate| {
        candidate.relevance >= measure.threshold && !shown.contains(&candidate.id)
    };
    let mut ranked: Vec<&InjectionCandidate> = candidates.iter().filter(fits).collect();
    ranked
        .sort_by(|one, other| other.relevance.total_cmp(&one.relevance).then_with(|| one.id.cmp(&other.id)));
    let mut chosen: Vec<InjectionEntry> = Vec::new();
    let mut taken = BTreeSet::new();
    let mut room = measure.characters;
    for candidate in ranked {
        let cost = candidate.line.trim_end().chars().count();
        if chosen.len() == measure.notes || cost == 0 || cost > room || !taken.insert(&candidate.id) {
            continue;
        }
        room -= cost;
        chosen.push(InjectionEntry {
            id: Some(candidate.id.clone()),
            text: candidate.line.trim_end().to_owned(),
            relevance: Some(candidate.relevance),
        });
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(id: &str, relevance: f64, length: usize) -> InjectionCandidate {
        InjectionCandidate { id: id.to_owned(), line: "x".repeat(length), relevance }
    }

    fn ids(chosen: &[InjectionEntry]) -> Vec<&str> {
        chosen.iter().filter_map(|entry| entry.id.as_deref()).collect()
    }

    #[test]
    fn the_best_that_are_new_and_fit_are_chosen() {
        let candidates = [
            candidate("low", 0.2, 5),
            candidate("b", 0.7, 5),
            candidate("a", 0.7, 5),
            candidate("seen", 0.9, 5),
            candidate("long", 0.8, 50),
            candidate("best", 0.95, 5),
            candidate("best", 0.6, 5),
            candidate("none", f64::NAN, 5),
        ];
        let shown = BTreeSet::from(["seen".to_owned()]);
        let measure = SelectionLimits { threshold: 0.5, notes: 3, characters: 20 };
        assert_eq!(ids(&choose(&candidates, &shown, &measure)), ["best", "a", "b"]);
        assert_eq!(
            ids(&choose(&candidates, &shown, &SelectionLimits { characters: 11, ..measure })),
            ["best", "a"]
        );
    }

    proptest! {
        #[test]
        fn nothing_is_given_twice_in_a_session(
            prompts in prop::collection::vec(prop::collection::vec((0_u8..8, 0.0_f64..1.0, 1_usize..30), 0..8), 1..6)
        ) {
            let mut shown = BTreeSet::new();
            let measure = SelectionLimits { threshold: 0.3, notes: 3, characters: 60 };
            for prompt in prompts {
                let candidates: Vec<_> =
                    prompt.iter().map(|(id, relevance, length)| candidate(&id.to_string(), *relevance, *length)).collect();
                let chosen = choose(&candidates, &shown, &measure);
                prop_assert!(chosen.len() <= 3);
                prop_assert!(chosen.iter().map(|entry| entry.text.chars().count()).sum::<usize>() <= 60);
                for id in ids(&chosen) {
                    prop_assert!(shown.insert(id.to_owned()), "{id} was given before");
                }
            }
        }
    }
}
