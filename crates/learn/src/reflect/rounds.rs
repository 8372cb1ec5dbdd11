//! Repeats the reflection on one session until a round yields nothing new.

use std::collections::HashSet;

use super::draft::{MAX_DRAFTS, ReflectionDraft, strongest_of};

/// Default maximum number of times that a model is asked for drafts of one session.
pub const DEFAULT_MAX_ROUNDS: usize = 3;

/// Drafts from repeated requests to a model about one session; stops when no new drafts come.
#[derive(Debug, Clone)]
pub struct ReflectionRounds {
    seen: HashSet<String>,
    drafts: Vec<ReflectionDraft>,
    done: usize,
    exhausted: bool,
    rounds: usize,
    most: usize,
}

impl Default for ReflectionRounds {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_ROUNDS, MAX_DRAFTS)
    }
}

impl ReflectionRounds {
    /// Allows at most `rounds` rounds, and `most` drafts in total.
    pub fn new(rounds: usize, most: usize) -> Self {
        Self {
            seen: HashSet::new(),
            drafts: Vec::new(),
            done: 0,
            exhausted: false,
            rounds,
            most: most.min(MAX_DRAFTS),
        }
    }

    /// Adds the drafts of a round, and returns how many of them are new.
    pub fn take(&mut self, drafts: Vec<ReflectionDraft>) -> usize {
        let fresh: Vec<ReflectionDraft> =
            drafts.into_iter().filter(|draft| self.seen.insert(draft.key())).collect();
        let count = fresh.len();
        self.drafts.extend(fresh);
        self.done += 1;
        self.exhausted = count == 0;
        count
    }

    /// Returns `true` if another round may find new drafts.
    pub fn should_continue(&self) -> bool {
        self.done < self.rounds && !self.exhausted && self.drafts.len() < self.most
    }

    /// Number of completed rounds.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Drafts of all rounds so far, which the next round should not repeat.
    pub fn so_far(&self) -> &[ReflectionDraft] {
        &self.drafts
    }

    /// Returns the drafts of all rounds; if there are too many, only the strongest.
    pub fn finish(self) -> Vec<ReflectionDraft> {
        strongest_of(self.drafts, self.most).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reflect::draft::{DraftChange, DraftOrigin, ProposedMemory};

    fn draft(text: &str) -> ReflectionDraft {
        let memory = ProposedMemory {
            note_type: "fact",
            text: text.into(),
            observations: 1,
            confidence: 0.4,
            evidence: Vec::new(),
            is_acknowledged: false,
        };
        let origin = DraftOrigin { session: "s".into(), agent: "pi".into(), line: 1 };
        ReflectionDraft::new(DraftChange::Memory(memory), vec![origin], 1)
    }

    #[test]
    fn a_round_that_brings_nothing_new_is_the_last() {
        let mut rounds = ReflectionRounds::default();
        assert!(rounds.should_continue());
        assert_eq!(rounds.take(vec![draft("One thing."), draft("one thing")]), 1);
        assert!(rounds.should_continue());
        assert_eq!(rounds.take(vec![draft("ONE thing!")]), 0);
        assert!(!rounds.should_continue());
        assert_eq!((rounds.done(), rounds.finish().len()), (2, 1));
    }

    #[test]
    fn there_are_at_most_three_rounds() {
        let mut rounds = ReflectionRounds::default();
        for n in 0..3 {
            assert!(rounds.should_continue());
            rounds.take(vec![draft(&format!("Thing number {n}"))]);
        }
        assert!(!rounds.should_continue());
    }
}
