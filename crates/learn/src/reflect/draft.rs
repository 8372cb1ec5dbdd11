//! A draft: a proposed change with its origin.

use std::collections::HashSet;

use super::neighbour::Verdict;
use crate::content_words::words;
use crate::statement::Certainty;
use cm_playbook::curation::apply::MAX_DELTAS_PER_SESSION;
use cm_playbook::curation::delta::CurationDelta;

/// Maximum number of drafts that one reflection proposes.
pub const MAX_DRAFTS: usize = MAX_DELTAS_PER_SESSION;

/// A change that a reflection proposes, with the session lines that support it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReflectionDraft {
    pub what: DraftChange,
    /// Session lines that support the change; never empty. Curation receives only the first one.
    pub origins: Vec<DraftOrigin>,
    /// How well the change is supported. If there are too many drafts, those with the lowest
    /// strength are dropped.
    pub strength: u32,
    /// How certain it is without further evidence, by the user's words; `None` if only further
    /// evidence can tell.
    pub certainty: Option<Certainty>,
    /// Words of the session that it is taken from, verbatim; `None` if it was counted.
    pub quote: Option<String>,
    /// What its reader says of existing notes.
    pub verdicts: Vec<Verdict>,
}

/// A proposed change of the playbook or the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftChange {
    /// A change of the playbook, as input for curation.
    Delta(CurationDelta),
    Memory(ProposedMemory),
}

/// A decision, fact, preference or fix that a reflection proposes to remember.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedMemory {
    /// Type of the new note: `decision`, `fact`, `preference` or `fix`.
    pub note_type: &'static str,
    /// Statement to remember, on one line.
    pub text: String,
    /// Number of sessions in which the statement was made.
    pub observations: usize,
    /// Confidence in the statement: 0.4 low, 0.6 medium (from 3 observations on), 0.8 high (from 5
    /// on).
    pub confidence: f64,
    /// Quotes from sessions that support the statement.
    pub evidence: Vec<String>,
    /// Whether the person confirmed the agent's explanation in the session, so that the note is not unverified.
    pub is_acknowledged: bool,
}

/// Location of a line in a session log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DraftOrigin {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: String,
    /// Line in the log, from 1.
    pub line: u64,
}

impl ReflectionDraft {
    /// Creates a draft that needs further evidence.
    pub fn new(what: DraftChange, origins: Vec<DraftOrigin>, strength: u32) -> Self {
        Self { what, origins, strength, certainty: None, quote: None, verdicts: Vec::new() }
    }

    /// Returns the text of a proposed rule or memory; `None` for any other change.
    pub fn new_text(&self) -> Option<&str> {
        match &self.what {
            DraftChange::Memory(memory) => Some(&memory.text),
            DraftChange::Delta(CurationDelta::Add(add)) => Some(&add.bullet.content),
            DraftChange::Delta(_) => None,
        }
    }

    /// Returns a key that is equal for drafts that propose the same change.
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
                format!("{} {}", delta.kind().name(), ids.join(" "))
            }
        }
    }
}

/// Drops duplicates and all but the [`MAX_DRAFTS`] strongest drafts. Returns the others in their original
/// order, and how many were over the limit.
pub fn strongest(drafts: Vec<ReflectionDraft>) -> (Vec<ReflectionDraft>, usize) {
    strongest_of(drafts, MAX_DRAFTS)
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
        ReflectionDraft::new(DraftChange::Delta(CurationDelta::Helpful(judge)), vec![origin], 1)
    }

    #[test]
    fn a_word_of_two_sessions_on_one_bullet_is_two_words_and_twice_in_one_is_one() {
        let drafts = vec![helpful("b-1", "pi", "s1"), helpful("b-1", "pi", "s2"), helpful("b-1", "pi", "s1")];
        assert_eq!(strongest(drafts).0.len(), 2);
    }
}
