//! Repeats the reflection on one session until a round yields nothing new.

use std::collections::HashSet;

use super::draft::{Draft, MOST, bounded_to};

/// Default maximum number of rounds.
pub const ROUNDS: usize = 3;

/// Drafts of the rounds so far.
#[derive(Debug, Clone)]
pub struct Rounds {
    seen: HashSet<String>,
    drafts: Vec<Draft>,
    done: usize,
    dry: bool,
    rounds: usize,
    most: usize,
}

impl Default for Rounds {
    fn default() -> Self {
        Self::new(ROUNDS, MOST)
    }
}

impl Rounds {
    /// Starts with at most `rounds` rounds and `most` drafts.
    pub fn new(rounds: usize, most: usize) -> Self {
        Self { seen: HashSet::new(), drafts: Vec::new(), done: 0, dry: false, rounds, most: most.min(MOST) }
    }

    /// Adds the drafts of a round and returns the number of new ones.
    pub fn take(&mut self, drafts: Vec<Draft>) -> usize {
        let fresh: Vec<Draft> = drafts.into_iter().filter(|draft| self.seen.insert(draft.key())).collect();
        let count = fresh.len();
        self.drafts.extend(fresh);
        self.done += 1;
        self.dry = count == 0;
        count
    }

    /// Returns `true` if another round is worthwhile.
    pub fn goes_on(&self) -> bool {
        self.done < self.rounds && !self.dry && self.drafts.len() < self.most
    }

    /// Number of completed rounds.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Drafts so far, which the next round must not repeat.
    pub fn so_far(&self) -> &[Draft] {
        &self.drafts
    }

    /// Returns all drafts, only the strongest if there are too many.
    pub fn finish(self) -> Vec<Draft> {
        bounded_to(self.drafts, self.most).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::draft::{Origin, Remembered, What};

    fn draft(text: &str) -> Draft {
        let memory = Remembered {
            note_type: "fact",
            text: text.into(),
            observations: 1,
            confidence: 0.4,
            evidence: Vec::new(),
        };
        let origin = Origin { session: "s".into(), agent: "pi".into(), line: 1 };
        Draft { what: What::Memory(memory), origins: vec![origin], strength: 1 }
    }

    #[test]
    fn a_round_that_brings_nothing_new_is_the_last() {
        let mut rounds = Rounds::default();
        assert!(rounds.goes_on());
        assert_eq!(rounds.take(vec![draft("One thing."), draft("one thing")]), 1);
        assert!(rounds.goes_on());
        assert_eq!(rounds.take(vec![draft("ONE thing!")]), 0);
        assert!(!rounds.goes_on());
        assert_eq!((rounds.done(), rounds.finish().len()), (2, 1));
    }

    #[test]
    fn there_are_at_most_three_rounds() {
        let mut rounds = Rounds::default();
        for n in 0..3 {
            assert!(rounds.goes_on());
            rounds.take(vec![draft(&format!("Thing number {n}"))]);
        }
        assert!(!rounds.goes_on());
    }
}
