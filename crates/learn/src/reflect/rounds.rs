//! Rounds of reflection on one session: each may bring something new, and the first that does not is the last.

use std::collections::HashSet;

use super::draft::{Draft, MOST, bounded_to};

/// The most rounds, where nothing else is set.
pub const ROUNDS: usize = 3;

/// What the rounds have brought so far.
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
    /// None yet, of at most so many, for at most so many drafts.
    pub fn new(rounds: usize, most: usize) -> Self {
        Self { seen: HashSet::new(), drafts: Vec::new(), done: 0, dry: false, rounds, most: most.min(MOST) }
    }

    /// Takes in what a round brought; how many of its drafts are new.
    pub fn take(&mut self, drafts: Vec<Draft>) -> usize {
        let fresh: Vec<Draft> = drafts.into_iter().filter(|draft| self.seen.insert(draft.key())).collect();
        let count = fresh.len();
        self.drafts.extend(fresh);
        self.done += 1;
        self.dry = count == 0;
        count
    }

    /// Whether another round is worth it.
    pub fn goes_on(&self) -> bool {
        self.done < self.rounds && !self.dry && self.drafts.len() < self.most
    }

    /// How many rounds there were.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The drafts so far, for the next round to leave alone.
    pub fn so_far(&self) -> &[Draft] {
        &self.drafts
    }

    /// All that came of them, the strongest where they are too many.
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
