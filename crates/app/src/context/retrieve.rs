//! Ranks the notes of all open vaults for a query: by words and by meaning, raised along the graph,
//! then weighted by age and use.
//!
//! Search, briefings and similarity use this module; every stage can be disabled.

mod candidates;
mod hit;
mod linked;
mod options;
mod question_name;
mod relevance;

use std::collections::HashMap;

use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::error::Result;
use candidates::{AllCandidates, VaultCandidate, has_all_words};
use cm_note::note::Note;
use cm_note::rank::confidence::Confidence;
pub use hit::{FoundBy, HitScore};
pub(crate) use hit::{RankedNote, rounded};
pub use options::RankingStages;
pub(crate) use options::{Retrieval, SemanticThreshold};
use question_name::QuestionName;
use relevance::Relevance;

/// Ranked notes, best first, and the number of matching notes.
#[derive(Default)]
pub(crate) struct RetrievalResult<'m> {
    pub ranked: Vec<RankedNote<'m>>,
    pub total: usize,
    /// Confidence that one of the best notes answers the question; `None` if nothing tells.
    pub confidence: Option<Confidence>,
}

/// Number of notes that are ranked in addition to the requested ones, because multipliers for
/// recency and usefulness can move a later note forward.
const EXTRA_RANKED_NOTES: usize = 30;
/// Number of notes, best first, that may answer a question.
const MAX_ANSWERS: usize = 10;
/// Score of a note without the word of a question of one word, as a share of the least score of a note with it.
const WITHOUT_WORD: f64 = 0.99;
/// Maximum score of an edge, as a share of the better score of the notes that it joins.
const MAX_EDGE_SHARE: f64 = 0.99;

impl Context {
    /// Returns the best `wanted` notes of all open vaults.
    ///
    /// # Errors
    /// Returns an error if an index can be neither used nor rebuilt.
    pub(crate) fn retrieve<'m>(
        &'m self,
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<RetrievalResult<'m>> {
        self.retrieve_from(&self.vaults, question, wanted)
    }

    /// Returns the best `wanted` notes of the given vaults.
    ///
    /// # Errors
    /// Returns an error if an index can be neither used nor rebuilt.
    pub(crate) fn retrieve_from<'m>(
        &'m self,
        vaults: &'m [OpenVault],
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<RetrievalResult<'m>> {
        let gathered = self.gather(vaults, question, wanted)?;
        let fits = self.relevance(question, &gathered);
        let AllCandidates { candidates: vault_candidates, found, mut total, .. } = gathered;
        // Where not all notes with words were looked at, others may have been counted among them.
        let all_words: Vec<bool> = vault_candidates.iter().map(has_all_words).collect();
        total +=
            found.iter().filter(|found| found.candidate.bm25 == 0.0 && all_words[found.vault_index]).count();
        let mut order: Vec<(Relevance, &VaultCandidate<'m>)> = fits.into_iter().zip(&found).collect();
        order.sort_by(|(a, one), (b, other)| {
            let key = |found: &VaultCandidate<'_>| (found.candidate.updated, found.candidate.order);
            b.total().total_cmp(&a.total()).then_with(|| key(other).cmp(&key(one)))
        });
        let mut ranked = Vec::new();
        for (fit, found) in order {
            if ranked.len() >= wanted + EXTRA_RANKED_NOTES {
                break;
            }
            let note = vault_candidates[found.vault_index].note(&found.candidate)?;
            if self.is_hidden(found.open, &note) {
                total = total.saturating_sub(1);
                continue;
            }
            let (open, evidence) = (found.open, found.evidence());
            let mut one = self.score_note(open, fit, evidence, note, found.passage(), question.stages);
            if one.found_by == Some(FoundBy::Meaning) && !all_words[found.vault_index] {
                one.found_by = None;
            }
            if !found.matches {
                one.found_by = Some(FoundBy::Relation);
            }
            ranked.push(one);
        }
        if question.stages.graph {
            for open in vaults {
                total += self.expand_graph(open, question, &mut ranked)?;
            }
        }
        if let Some(name) = QuestionName::of(question.meaning).filter(|_| question.stages.words) {
            if name.is_word() {
                let with_word = ranked.iter_mut().filter(|one| one.found_by == Some(FoundBy::Words));
                with_word.for_each(|one| one.confidence = one.confidence.map(Confidence::with_word));
                lower_notes_without_word(&mut ranked);
            }
            name.raise(&mut ranked);
        }
        lower_edges(&mut ranked);
        ranked.sort_by(|a, b| {
            let key = |ranked: &RankedNote<'_>| ranked.note.updated.or(ranked.note.created);
            let by_score = b.score.total_cmp(&a.score).then_with(|| b.is_named.cmp(&a.is_named));
            by_score.then_with(|| key(b).cmp(&key(a)))
        });
        let confidences = ranked.iter().take(MAX_ANSWERS).filter_map(|ranked| ranked.confidence);
        let confidence = confidences.max_by(|a, b| a.value().total_cmp(&b.value()));
        ranked.truncate(wanted);
        Ok(RetrievalResult { ranked, total, confidence })
    }

    /// Returns whether the note is in the global vault while a project note has the same id and
    /// takes precedence.
    pub(crate) fn is_hidden(&self, open: &OpenVault, note: &Note) -> bool {
        let Some(id) = note.id.as_ref().filter(|_| open.level == VaultLevel::Global) else { return false };
        self.vaults.iter().filter(|other| other.level == VaultLevel::Project).any(|project| {
            project
                .index()
                .lookup(id.as_str())
                .is_ok_and(|matches| matches.iter().any(|(other, _)| other == id))
        })
    }
}

/// Lowers the notes that are found by meaning alone below those with the word of a question of one word. The
/// points of a word depend on the number of notes, so that a small vault has too few for it to outweigh meaning.
fn lower_notes_without_word(ranked: &mut [RankedNote<'_>]) {
    let with_word = ranked.iter().filter(|one| one.found_by == Some(FoundBy::Words));
    let Some(least) = with_word.map(|one| one.score).reduce(f64::min) else { return };
    for one in ranked.iter_mut().filter(|one| one.found_by == Some(FoundBy::Meaning) && one.score >= least) {
        one.score = least * WITHOUT_WORD;
    }
}

/// Lowers edges below the better of the notes that they join: an edge has no other words than their titles.
fn lower_edges(ranked: &mut [RankedNote<'_>]) {
    let notes = ranked.iter().filter(|one| one.note.edge.is_none());
    let scores: HashMap<String, f64> = notes.map(|one| (one.note.key().to_owned(), one.score)).collect();
    for one in ranked.iter_mut().filter(|one| !one.is_named) {
        let Some(edge) = &one.note.edge else { continue };
        let ends = [&edge.from, &edge.to].into_iter().filter_map(|end| scores.get(end)).copied();
        if let Some(best) = ends.reduce(f64::max) {
            one.score = one.score.min(best * MAX_EDGE_SHARE);
        }
    }
}
