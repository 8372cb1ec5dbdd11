//! Collects the candidates of a retrieval: notes with words of the question, and notes of similar
//! meaning.

use std::collections::HashSet;

use super::options::{Retrieval, SemanticThreshold};
use crate::context::meaning::VectorQuery;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_index::{Candidate, CandidateRequest, Candidates, SimilarityScan};
use cm_note::note::turn::Turn;
use cm_note::passage::PassageKey;
use cm_note::rank::confidence::ModelBaselines;
use cm_note::rank::fusion::{Coverage, NoteScores};
use cm_note::rank::similarity_threshold::{CosineBaseline, SimilarityThreshold};

/// Minimum number of candidates that the word search returns per vault.
const POOL_NOTES: usize = 200;
/// Minimum number of candidates per embedding model and vault; notes beyond these are too
/// dissimilar to matter.
const NEAREST_NOTES: usize = 60;
/// Minimum cosine with [`SemanticThreshold::Near`], and with [`SemanticThreshold::NearOrNeeded`] where the need is unknown.
const MIN_NEAR_COSINE: f32 = 0.35;
/// Minimum cosine with [`SemanticThreshold::Rules`] by the large model.
const MIN_FINE_RULE_COSINE: f32 = 0.1;
/// Minimum cosine by the small model with [`SemanticThreshold::Rules`], for notes that the large one has not
/// embedded.
const MIN_COARSE_RULE_COSINE: f32 = 0.2;

pub(super) struct VaultCandidate<'m> {
    pub(super) open: &'m OpenVault,
    pub(super) vault_index: usize,
    pub(super) candidate: Candidate,
    coarse: Option<usize>,
    fine: Option<usize>,
    task: Option<usize>,
    /// Whether the note matches by itself, and not only as the neighbour of another.
    pub(super) matches: bool,
}

impl VaultCandidate<'_> {
    pub(super) fn evidence(&self) -> NoteScores {
        let near = |at: Option<usize>| Some(self.candidate.near.get(at?)?.as_ref()?.cosine);
        NoteScores {
            bm25: self.candidate.bm25,
            coarse: near(self.coarse),
            fine: near(self.fine),
            task: near(self.task),
        }
    }

    pub(super) fn passage(&self) -> Option<PassageKey> {
        let near = |at: Option<usize>| Some(self.candidate.near.get(at?)?.as_ref()?.passage);
        near(self.task).or_else(|| near(self.fine)).or_else(|| near(self.coarse))
    }
}

struct VaultCandidates {
    candidates: Candidates,
    /// Per embedding model: index into [`Candidate::near`], and the similarity by chance of the
    /// query.
    coarse: Option<(usize, Option<CosineBaseline>)>,
    fine: Option<(usize, Option<CosineBaseline>)>,
    /// Index into [`Candidate::near`] of the cosines with the task.
    task: Option<usize>,
}

/// Candidates of all open vaults before they are ranked.
#[derive(Default)]
pub(super) struct AllCandidates<'m> {
    /// Candidates per vault, in the order of the vaults.
    pub(super) candidates: Vec<Candidates>,
    pub(super) found: Vec<VaultCandidate<'m>>,
    /// Number of notes that contain words of the query, in all vaults.
    pub(super) total: usize,
    /// How much of the question's words the best note of any vault has.
    pub(super) best_coverage: Coverage,
    pub(super) baselines: ModelBaselines,
}

impl AllCandidates<'_> {
    /// How much of the question's words a candidate has.
    pub(super) fn coverage(&self, of: &VaultCandidate<'_>) -> Coverage {
        Coverage::of(of.candidate.bm25, self.candidates[of.vault_index].highest_score)
    }
}

/// Returns whether the list contains every note with words of the query, so that the total is
/// exact.
pub(super) fn has_all_words(candidates: &Candidates) -> bool {
    candidates.total <= candidates.list.iter().filter(|candidate| candidate.bm25 > 0.0).count()
}

/// Removes candidates that neither contain words of the query nor are similar enough in meaning.
fn retain_matches(
    found: &mut Vec<VaultCandidate<'_>>,
    by_meaning: SemanticThreshold,
    baselines: ModelBaselines,
) {
    let evidence: Vec<NoteScores> = found.iter().map(VaultCandidate::evidence).collect();
    let cut = SimilarityThreshold::of(&evidence, baselines.coarse, baselines.fine);
    let cosine = |note: &NoteScores| note.fine.or(note.coarse).unwrap_or(0.0);
    let nearest = evidence.iter().map(cosine).fold(0.0, f32::max);
    for (found, note) in found.iter_mut().zip(&evidence) {
        found.matches = note.bm25 > 0.0
            || note.task.is_some()
            || match by_meaning {
                SemanticThreshold::Relative => cut.passes(note),
                SemanticThreshold::Near | SemanticThreshold::NearOrNeeded => {
                    note.fine.or(note.coarse) >= Some(MIN_NEAR_COSINE)
                }
                SemanticThreshold::Rules => {
                    let least =
                        if note.fine.is_some() { MIN_FINE_RULE_COSINE } else { MIN_COARSE_RULE_COSINE };
                    cosine(note) >= least.min(nearest) && cosine(note) > 0.0
                }
            };
    }
    let turns: HashSet<Turn> =
        found.iter().filter(|one| one.matches).filter_map(|one| one.candidate.turn).collect();
    let is_neighbour = |turn: Turn| {
        [-1, 1].into_iter().any(|steps| turn.moved(steps).is_some_and(|turn| turns.contains(&turn)))
    };
    let with_neighbours = by_meaning == SemanticThreshold::Relative && !turns.is_empty();
    found.retain(|one| one.matches || with_neighbours && one.candidate.turn.is_some_and(is_neighbour));
}

impl Context {
    /// Collects the candidates of the vaults that have words of the query or are similar enough in
    /// meaning.
    pub(super) fn gather<'m>(
        &'m self,
        vaults: &'m [OpenVault],
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<AllCandidates<'m>> {
        let mut gathered = AllCandidates::default();
        for (open, of) in vaults.iter().zip(0..) {
            self.ensure_fresh(open)?;
            let VaultCandidates { candidates, coarse, fine, task } =
                self.candidates(open, question, wanted)?;
            let [coarse_at, fine_at] = [coarse, fine].map(|model| model.map(|(at, _)| at));
            let list = candidates.list.iter().cloned();
            let of_vault = |candidate| VaultCandidate {
                open,
                vault_index: of,
                candidate,
                coarse: coarse_at,
                fine: fine_at,
                task,
                matches: true,
            };
            gathered.found.extend(list.map(of_vault));
            let baselines = &mut gathered.baselines;
            for (baseline, model) in [(&mut baselines.coarse, coarse), (&mut baselines.fine, fine)] {
                *baseline = baseline.or(model.and_then(|(_, baseline)| baseline));
            }
            gathered.total += candidates.total;
            let best = candidates.list.iter().map(|candidate| candidate.bm25).fold(0.0, f32::max);
            gathered.best_coverage = gathered.best_coverage.max(Coverage::of(best, candidates.highest_score));
            gathered.candidates.push(candidates);
        }
        retain_matches(&mut gathered.found, question.by_meaning, gathered.baselines);
        Ok(gathered)
    }

    fn candidates(
        &self,
        open: &OpenVault,
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<VaultCandidates> {
        let Retrieval { query, meaning, stages, by_meaning, is_task } = question;
        let mut scans: Vec<SimilarityScan> = Vec::new();
        let mut scan = |asking: Option<VectorQuery>| {
            let asking = asking?;
            let mut scan = asking.table.scan(&asking.query);
            let chance = asking.chance.map(|chance| chance.stretch(&mut scan.cosines));
            scans.push(scan);
            // A process that answers once needs the vectors no more, and has the next model or the index in memory.
            if open.cached().is_none() {
                drop(asking.table);
                open.vectors().close();
            }
            Some((scans.len() - 1, chance))
        };
        let asks = !meaning.trim().is_empty();
        let coarse = if stages.coarse && asks { scan(self.ask_coarse(open, meaning)) } else { None };
        let fine = if stages.fine && asks { scan(self.ask_fine(open, meaning)?) } else { None };
        let task = if is_task && fine.is_some() { scan(self.ask_for_task(open, meaning)?) } else { None };
        let task = task.map(|(at, _)| at);
        let twice = wanted.saturating_mul(2);
        let (nearest, least) = match by_meaning {
            SemanticThreshold::Relative => (NEAREST_NOTES.max(twice), 0.0),
            // The need is tested later.
            SemanticThreshold::NearOrNeeded if task.is_some() => (POOL_NOTES.max(twice), 0.0),
            SemanticThreshold::Near | SemanticThreshold::NearOrNeeded => {
                (POOL_NOTES.max(twice), MIN_NEAR_COSINE)
            }
            SemanticThreshold::Rules => (POOL_NOTES.max(twice), 0.0),
        };
        let pool = POOL_NOTES.max(twice);
        let request = CandidateRequest { query, words: stages.words, scans: &scans, pool, nearest, least };
        let candidates = self.query_index(open, |index| index.candidates(request))?;
        Ok(VaultCandidates { candidates, coarse, fine, task })
    }
}
