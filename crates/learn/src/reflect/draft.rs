//! A draft: a proposed change with its origin.

use std::collections::HashSet;

use crate::diary::words;
use cm_playbook::curation::apply::DELTAS_PER_SESSION;
use cm_playbook::curation::delta::CurationDelta;

/// Maximum number of drafts per reflection.
pub const MOST: usize = DELTAS_PER_SESSION;

/// A proposed change with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflectionDraft {
    pub what: DraftChange,
    /// Lines that support it; never empty. Curation receives the first one.
    pub origins: Vec<DraftOrigin>,
    /// Strength of the support; if there are too many drafts, the weakest are dropped.
    pub strength: u32,
}

/// A proposed change of the playbook or the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftChange {
    /// A change of the playbook.
    Delta(CurationDelta),
    Memory(ProposedMemory),
}

/// A proposed fact, preference or fix.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedMemory {
    /// Type of the memory: `fact`, `preference` or `fix`.
    pub note_type: &'static str,
    /// Text on one line.
    pub text: String,
    /// Number of sessions in which it was observed.
    pub observations: usize,
    /// Confidence: 0.4 low, 0.6 medium (from 3 observations on), 0.8 high (from 5 on).
    pub confidence: f64,
    /// Quotes from sessions that support it.
    pub evidence: Vec<String>,
}

/// A line of a session log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DraftOrigin {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: String,
    /// Line in the log, from 1.
    pub line: u64,
}

/// Returns the confidence in a memory for a number of observations, 0–1.
pub fn confidence(observations: usize) -> f64 {
    match observations {
        0..=2 => 0.4,
        3..=4 => 0.6,
        _ => 0.8,
    }
}

impl ReflectionDraft {
    /// Returns a key that is equal for drafts of the same change.
    pub fn key(&self) -> String {
        match &self.what {
            DraftChange::Memory(memory) => format!("{} {}", memory.note_type, words(&memory.text).join(" ")),
            DraftChange::Delta(CurationDelta::Add(add)) => {
                format!("add {}", words(&add.bullet.content).join(" "))
            }
            DraftChange::Delta(CurationDelta::Replace(replace)) => {
                format!("replace {} {}", replace.id, words(&replace.content).join(" "))
            }
            DraftChange::Delta(delta) => {
                let mut ids: Vec<&str> = delta.ids();
                ids.sort_unstable();
                format!("{} {}", delta.name(), ids.join(" "))
            }
        }
    }
}

/// Returns the strongest drafts, without duplicates, at most [`MOST`], in their original order; and
/// the number of dropped ones.
pub fn strongest(drafts: Vec<ReflectionDraft>) -> (Vec<ReflectionDraft>, usize) {
    strongest_of(drafts, MOST)
}

/// Like [`strongest`], with the limit `most`.
pub(crate) fn strongest_of(drafts: Vec<ReflectionDraft>, most: usize) -> (Vec<ReflectionDraft>, usize) {
    let mut seen = HashSet::new();
    let mut own: Vec<(usize, ReflectionDraft)> = drafts
        .into_iter()
        .filter(|draft| {
            let session = draft.origins.first().map(|origin| origin.session.clone());
            // Feedback of two sessions on one bullet is two words; a rule is one, whoever proposes it.
            let judges = matches!(
                &draft.what,
                DraftChange::Delta(
                    CurationDelta::Helpful(_) | CurationDelta::Harmful(_) | CurationDelta::Irrelevant(_)
                )
            );
            seen.insert((draft.key(), session.filter(|_| judges)))
        })
        .enumerate()
        .collect();
    own.sort_by(|(at, a), (bt, b)| b.strength.cmp(&a.strength).then(at.cmp(bt)));
    let dropped = own.len().saturating_sub(most);
    own.truncate(most);
    own.sort_by_key(|(at, _)| *at);
    (own.into_iter().map(|(_, draft)| draft).collect(), dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_playbook::curation::delta::FeedbackDelta;

    fn helpful(id: &str, agent: &str, session: &str) -> ReflectionDraft {
        let judge =
            FeedbackDelta { id: id.into(), session: Some(session.into()), ..FeedbackDelta::default() };
        let origin = DraftOrigin { session: session.into(), agent: agent.into(), line: 3 };
        ReflectionDraft {
            what: DraftChange::Delta(CurationDelta::Helpful(judge)),
            origins: vec![origin],
            strength: 1,
        }
    }

    #[test]
    fn a_word_of_two_sessions_on_one_bullet_is_two_words_and_twice_in_one_is_one() {
        let drafts = vec![helpful("b-1", "pi", "s1"), helpful("b-1", "pi", "s2"), helpful("b-1", "pi", "s1")];
        assert_eq!(strongest(drafts).0.len(), 2);
    }
}
