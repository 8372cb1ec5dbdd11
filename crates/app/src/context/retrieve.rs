//! Ranks the notes of all open vaults for a query: by words and by meaning, raised along the graph,
//! then weighted by age and use.
//!
//! Search, briefings and similarity use this module; every stage can be disabled.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::meaning::VectorQuery;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::scoring::scoring;
use crate::error::Result;
use cm_index::{Candidate, CandidateRequest, Candidates, SimilarityScan};
use cm_note::graph::Edge;
use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_note::note::turn::Turn;
use cm_note::note::types::SUPERSEDES;
use cm_note::passage::PassageKey;
use cm_note::query::Query;
use cm_note::query::time_range::{self, time_ranges};
use cm_note::rank::conversation::{SpokenNote, asks_agent, in_conversation};
use cm_note::rank::fusion::{Coverage, FusedScore, FusionWeights, NoteScores, fuse};
use cm_note::rank::graph_expansion::spread;
use cm_note::rank::similarity_threshold::{CosineBaseline, SimilarityThreshold};
use cm_note::rank::tie_breakers;
use cm_store::config::keys;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankingStages {
    /// Score the words of the query (BM25).
    pub words: bool,
    /// Score the cosine similarity by the small built-in embedding model.
    pub coarse: bool,
    /// Score the cosine similarity by the large embedding model.
    pub fine: bool,
    /// Raise turns of a conversation that has good hits, and lower what an agent said.
    pub conversation: bool,
    /// Raise notes from the time that the question names.
    pub time: bool,
    /// Raise notes that are linked to good hits.
    pub graph: bool,
    /// Multiply scores by a factor for the time of the last change.
    pub recency: bool,
    /// Multiply scores by a factor for feedback and importance.
    pub usefulness: bool,
}

impl Default for RankingStages {
    fn default() -> Self {
        Self::ALL
    }
}

impl RankingStages {
    pub const ALL: Self = Self {
        words: true,
        coarse: true,
        fine: true,
        conversation: true,
        time: true,
        graph: true,
        recency: true,
        usefulness: true,
    };
    /// Ranking by words only; all other stages are off.
    pub const WORDS: Self = Self {
        words: true,
        coarse: false,
        fine: false,
        conversation: false,
        time: false,
        graph: false,
        recency: false,
        usefulness: false,
    };
}

/// Query and ranking options of a retrieval.
#[derive(Clone, Copy)]
pub(crate) struct Retrieval<'a> {
    pub query: &'a Query,
    /// Text that is embedded and compared with the notes by meaning.
    pub meaning: &'a str,
    pub stages: RankingStages,
    /// Minimum similarity of notes that contain no word of the query.
    pub by_meaning: SemanticThreshold,
}

/// How similar a note without any word of the query must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SemanticThreshold {
    /// Relative to the most similar notes of this query; for searches that were requested.
    Relative,
    /// A cosine of at least [`NEAR`]; for automatically injected context and duplicate checks.
    Near,
    /// The nearest note, and all with a cosine of at least [`RULE_FINE`] or [`RULE_COARSE`]; for the
    /// rules of a briefing, which are short, so that related ones have small cosines.
    Rules,
}

/// How a note was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// The note contains words of the query.
    Words,
    /// The note contains none of the words, only a similar meaning; a weak match.
    Meaning,
    /// The note is related to another hit.
    Relation,
}

/// Components of a hit's score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct HitScore {
    /// BM25 over title, headings, tags and text; comparable only within one answer.
    pub bm25: f64,
    /// `bm25` divided by the best hit's, 0–1.
    pub words: f64,
    /// Cosine of the nearest passage by the small built-in model, −1 to 1.
    pub coarse: Option<f64>,
    /// Cosine by the large model, −1 to 1; null if it has not embedded the note.
    pub fine: Option<f64>,
    /// Similarity relative to the nearest hit, 0–1.
    pub meaning: f64,
    /// Combined points for words and meaning, relative to a note that is best in both, 0–1.
    pub relevance: f64,
    /// Points that the neighbours in a conversation add to the relevance; negative for an agent's words.
    pub conversation: f64,
    /// Points that linked hits add to the score.
    pub graph: f64,
    /// Multiplier for the time that the question names.
    pub time: f64,
    /// Multiplier for the time of the last change.
    pub recency: f64,
    /// Multiplier for feedback and importance.
    pub usefulness: f64,
}

pub(crate) struct RankedNote<'m> {
    pub open: &'m OpenVault,
    pub note: Note,
    pub score: f64,
    pub parts: HitScore,
    /// Passage of the note that is most similar to the query; `None` if vectors were not used.
    pub passage: Option<PassageKey>,
    /// Id of the linked hit that added most to this note's score.
    pub raised_by: Option<String>,
    /// How the note was found; `None` if it was selected without ranking.
    pub found_by: Option<FoundBy>,
}

impl HitScore {
    /// Relevance in the context of the conversation.
    fn in_context(&self) -> f64 {
        self.relevance + self.conversation
    }

    fn total(&self) -> f64 {
        (self.in_context() + self.graph) * self.time * self.recency * self.usefulness
    }

    /// Returns the components rounded to four decimals.
    pub(crate) fn rounded(self) -> Self {
        Self {
            bm25: rounded(self.bm25),
            words: rounded(self.words),
            coarse: self.coarse.map(rounded),
            fine: self.fine.map(rounded),
            meaning: rounded(self.meaning),
            relevance: rounded(self.relevance),
            conversation: rounded(self.conversation),
            graph: rounded(self.graph),
            time: rounded(self.time),
            recency: rounded(self.recency),
            usefulness: rounded(self.usefulness),
        }
    }
}

impl<'m> RankedNote<'m> {
    /// Creates a result for a note that was selected without ranking.
    pub fn unranked(open: &'m OpenVault, note: Note) -> Self {
        Self {
            open,
            note,
            score: 0.0,
            parts: HitScore::default(),
            passage: None,
            raised_by: None,
            found_by: None,
        }
    }
}

/// Ranked notes, best first, and the number of matching notes.
#[derive(Default)]
pub(crate) struct RetrievalResult<'m> {
    pub ranked: Vec<RankedNote<'m>>,
    pub total: usize,
}

/// Minimum number of candidates that the word search returns per vault.
const POOL: usize = 200;
/// Minimum number of candidates per embedding model and vault; notes beyond these are too
/// dissimilar to matter.
const NEAREST: usize = 60;
/// Number of notes that are ranked in addition to the requested ones, because multipliers for
/// recency and usefulness can move a later note forward.
const SPARE: usize = 30;
/// Minimum cosine with [`SemanticThreshold::Near`].
const NEAR: f32 = 0.35;
/// Minimum cosine with [`SemanticThreshold::Rules`] by the large model.
const RULE_FINE: f32 = 0.1;
/// The same by the small model, for notes that the large one has not embedded.
const RULE_COARSE: f32 = 0.2;

/// Largest bonus of a note from the time that the question names, as a share of its relevance.
const TIME: f64 = 0.5;

/// Graph expansion: number of seed hits and maximum number of hops.
const SEEDS: usize = 10;
const HOPS: u8 = 2;

struct VaultCandidate<'m> {
    open: &'m OpenVault,
    vault_index: usize,
    candidate: Candidate,
    coarse: Option<usize>,
    fine: Option<usize>,
    /// Whether the note matches by itself, and not only as the neighbour of another.
    matches: bool,
}

impl VaultCandidate<'_> {
    fn evidence(&self) -> NoteScores {
        let near = |at: Option<usize>| Some(self.candidate.near.get(at?)?.as_ref()?.cosine);
        NoteScores { bm25: self.candidate.bm25, coarse: near(self.coarse), fine: near(self.fine) }
    }

    fn passage(&self) -> Option<PassageKey> {
        let near = |at: Option<usize>| Some(self.candidate.near.get(at?)?.as_ref()?.passage);
        near(self.fine).or_else(|| near(self.coarse))
    }
}

struct VaultCandidates {
    candidates: Candidates,
    /// Per embedding model: index into [`Candidate::near`], and the similarity by chance of the
    /// query.
    coarse: Option<(usize, Option<CosineBaseline>)>,
    fine: Option<(usize, Option<CosineBaseline>)>,
}

/// Candidates of all open vaults before they are ranked.
#[derive(Default)]
struct AllCandidates<'m> {
    /// Candidates per vault, in the order of the vaults.
    candidates: Vec<Candidates>,
    found: Vec<VaultCandidate<'m>>,
    /// Number of notes that contain words of the query, in all vaults.
    total: usize,
    /// How much of the question's words the best note of any vault has.
    coverage: Coverage,
}

/// Returns whether the list contains every note with words of the query, so that the total is
/// exact.
fn has_all_words(candidates: &Candidates) -> bool {
    candidates.total <= candidates.list.iter().filter(|candidate| candidate.bm25 > 0.0).count()
}

/// Removes candidates that neither contain words of the query nor are similar enough in meaning.
fn retain_matches(
    found: &mut Vec<VaultCandidate<'_>>,
    by_meaning: SemanticThreshold,
    chances: [Option<CosineBaseline>; 2],
) {
    let evidence: Vec<NoteScores> = found.iter().map(VaultCandidate::evidence).collect();
    let [coarse, fine] = chances;
    let cut = SimilarityThreshold::of(&evidence, coarse, fine);
    let cosine = |note: &NoteScores| note.fine.or(note.coarse).unwrap_or(0.0);
    let nearest = evidence.iter().map(cosine).fold(0.0, f32::max);
    for (found, note) in found.iter_mut().zip(&evidence) {
        found.matches = note.bm25 > 0.0
            || match by_meaning {
                SemanticThreshold::Relative => cut.passes(note),
                SemanticThreshold::Near => note.fine.or(note.coarse) >= Some(NEAR),
                SemanticThreshold::Rules => {
                    let least = if note.fine.is_some() { RULE_FINE } else { RULE_COARSE };
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
        let AllCandidates { candidates: kept, found, mut total, coverage } =
            self.gather(vaults, question, wanted)?;
        // Where not all notes with words were looked at, others may have been counted among them.
        let all_words: Vec<bool> = kept.iter().map(has_all_words).collect();
        total +=
            found.iter().filter(|found| found.candidate.bm25 == 0.0 && all_words[found.vault_index]).count();
        let fits = self.relevance(question, &found, coverage);
        let mut order: Vec<(Relevance, &VaultCandidate<'m>)> = fits.into_iter().zip(&found).collect();
        order.sort_by(|(a, one), (b, other)| {
            let key = |found: &VaultCandidate<'_>| (found.candidate.updated, found.candidate.order);
            b.total().total_cmp(&a.total()).then_with(|| key(other).cmp(&key(one)))
        });
        let mut ranked = Vec::new();
        for (fit, found) in order {
            if ranked.len() >= wanted + SPARE {
                break;
            }
            let note = kept[found.vault_index].note(&found.candidate)?;
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
        ranked.sort_by(|a, b| {
            let key = |ranked: &RankedNote<'_>| ranked.note.updated.or(ranked.note.created);
            b.score.total_cmp(&a.score).then_with(|| key(b).cmp(&key(a)))
        });
        ranked.truncate(wanted);
        Ok(RetrievalResult { ranked, total })
    }

    /// Collects the candidates of the vaults that have words of the query or are similar enough in
    /// meaning.
    fn gather<'m>(
        &'m self,
        vaults: &'m [OpenVault],
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<AllCandidates<'m>> {
        let mut gathered = AllCandidates::default();
        let mut chances = [None; 2];
        for (open, of) in vaults.iter().zip(0..) {
            self.ensure_fresh(open)?;
            let VaultCandidates { candidates, coarse, fine } = self.candidates(open, question, wanted)?;
            let [coarse_at, fine_at] = [coarse, fine].map(|model| model.map(|(at, _)| at));
            let list = candidates.list.iter().cloned();
            let of_vault = |candidate| VaultCandidate {
                open,
                vault_index: of,
                candidate,
                coarse: coarse_at,
                fine: fine_at,
                matches: true,
            };
            gathered.found.extend(list.map(of_vault));
            for (chance, model) in chances.iter_mut().zip([coarse, fine]) {
                *chance = chance.or(model.and_then(|(_, chance)| chance));
            }
            gathered.total += candidates.total;
            let best = candidates.list.iter().map(|candidate| candidate.bm25).fold(0.0, f32::max);
            gathered.coverage = gathered.coverage.max(Coverage::of(best, candidates.highest_score));
            gathered.candidates.push(candidates);
        }
        retain_matches(&mut gathered.found, question.by_meaning, chances);
        Ok(gathered)
    }

    /// Adds notes that are linked to the best hits of a vault; returns the number of added notes.
    fn expand_graph<'m>(
        &'m self,
        open: &'m OpenVault,
        question: Retrieval<'_>,
        ranked: &mut Vec<RankedNote<'m>>,
    ) -> Result<usize> {
        let own = |one: &RankedNote<'_>| one.open.level == open.level;
        let mut hits: Vec<usize> = (0..ranked.len()).filter(|at| own(&ranked[*at])).collect();
        hits.truncate(SEEDS);
        let notes: Vec<Note> = hits.iter().map(|at| ranked[*at].note.clone()).collect();
        let mut neighbours =
            self.query_index(open, |index| index.neighbours(&notes.iter().collect::<Vec<_>>()))?;
        let waiting: Vec<bool> = notes.iter().chain(&neighbours.notes).map(Note::is_waiting).collect();
        let is_early = |edge: &Edge| edge.relation == SUPERSEDES && waiting.get(edge.from) == Some(&true);
        neighbours.edges.retain(|edge| !is_early(edge));
        let bounds = question.query.bounds();
        let mut places: Vec<Option<usize>> = hits.into_iter().map(Some).collect();
        let known = ranked.len();
        for note in neighbours.notes {
            let place = ranked.iter().position(|one| own(one) && one.note.path == note.path);
            let fits = || bounds.as_ref().is_none_or(|bounds| cm_index::admits(bounds, &note));
            places.push(match place {
                Some(place) => Some(place),
                None if fits() && !self.is_hidden(open, &note) => {
                    let unfit = NoteScores::default();
                    ranked.push(self.score_note(
                        open,
                        Relevance::default(),
                        unfit,
                        note,
                        None,
                        question.stages,
                    ));
                    Some(ranked.len() - 1)
                }
                None => None,
            });
        }
        let relevance = |place: &Option<usize>| place.map_or(0.0, |at| ranked[at].parts.in_context());
        let scores: Vec<f64> = places.iter().map(relevance).collect();
        let share = self.target().settings.number(keys::SEARCH_GRAPH_SHARE);
        let spread = spread(&scores, &neighbours.edges, &neighbours.degrees, share, HOPS);
        for (place, spread) in places.iter().zip(&spread) {
            let by = spread.by.and_then(|by| places[by]).map(|by| ranked[by].note.key().to_owned());
            if let Some(one) = place.map(|at| &mut ranked[at]) {
                one.raised_by = by;
                one.parts.graph = spread.score - one.parts.in_context();
                one.score = one.parts.total();
            }
        }
        ranked.retain(|one| one.score > 0.0);
        Ok(ranked.len().saturating_sub(known))
    }

    fn candidates(
        &self,
        open: &OpenVault,
        question: Retrieval<'_>,
        wanted: usize,
    ) -> Result<VaultCandidates> {
        let Retrieval { query, meaning, stages, by_meaning } = question;
        let mut scans: Vec<SimilarityScan> = Vec::new();
        let mut scan = |asking: Option<VectorQuery>| {
            let asking = asking?;
            let mut scan = asking.table.scan(&asking.query);
            let chance = asking.chance.map(|chance| chance.stretch(&mut scan.cosines));
            scans.push(scan);
            Some((scans.len() - 1, chance))
        };
        let asks = !meaning.trim().is_empty();
        let coarse = if stages.coarse && asks { scan(self.ask_coarse(open, meaning)) } else { None };
        let fine = if stages.fine && asks { scan(self.ask_fine(open, meaning)?) } else { None };
        let twice = wanted.saturating_mul(2);
        let (nearest, least) = match by_meaning {
            SemanticThreshold::Relative => (NEAREST.max(twice), 0.0),
            SemanticThreshold::Near => (POOL.max(twice), NEAR),
            SemanticThreshold::Rules => (POOL.max(twice), 0.0),
        };
        let pool = POOL.max(twice);
        let asked = CandidateRequest { query, words: stages.words, scans: &scans, pool, nearest, least };
        let candidates = self.query_index(open, |index| index.candidates(asked))?;
        Ok(VaultCandidates { candidates, coarse, fine })
    }

    fn score_note<'m>(
        &self,
        open: &'m OpenVault,
        relevance: Relevance,
        evidence: NoteScores,
        note: Note,
        passage: Option<PassageKey>,
        stages: RankingStages,
    ) -> RankedNote<'m> {
        let changed = note.updated.or(note.created);
        let recency = if stages.recency { tie_breakers::recency(changed, self.now()) } else { 1.0 };
        let usefulness = match stages.usefulness {
            true => tie_breakers::usefulness_factor(&note, self.now(), &scoring(&open.settings)),
            false => 1.0,
        };
        let parts = HitScore {
            bm25: f64::from(evidence.bm25),
            words: relevance.fit.words,
            coarse: evidence.coarse.map(f64::from),
            fine: evidence.fine.map(f64::from),
            meaning: relevance.fit.similarity,
            relevance: relevance.fit.relevance,
            conversation: relevance.conversation,
            graph: 0.0,
            time: relevance.time,
            recency,
            usefulness,
        };
        let score = parts.total();
        let found_by = Some(match evidence {
            NoteScores { bm25, .. } if bm25 > 0.0 => FoundBy::Words,
            NoteScores { coarse: None, fine: None, .. } => FoundBy::Relation,
            _ => FoundBy::Meaning,
        });
        RankedNote { open, note, score, parts, passage, raised_by: None, found_by }
    }

    /// Returns whether the note is in the global vault while a project note has the same id and
    /// takes precedence.
    pub(crate) fn is_hidden(&self, open: &OpenVault, note: &Note) -> bool {
        let Some(id) = note.id.as_ref().filter(|_| open.level == VaultLevel::Global) else { return false };
        self.vaults.iter().filter(|other| other.level == VaultLevel::Project).any(|project| {
            project.index().lookup(id.as_str()).is_ok_and(|known| known.iter().any(|(other, _)| other == id))
        })
    }

    fn weights(&self) -> FusionWeights {
        let settings = &self.target().settings;
        FusionWeights {
            coarse: settings.number(keys::SEARCH_WEIGHT_COARSE),
            fine: settings.number(keys::SEARCH_WEIGHT_FINE),
            blend: settings.number(keys::SEARCH_WEIGHT_BLEND),
        }
    }
}

/// How a note answers a question by itself, in its conversation and by its time.
#[derive(Clone, Copy)]
struct Relevance {
    fit: FusedScore,
    /// Points that the conversation adds.
    conversation: f64,
    /// Multiplier for the time that the question names.
    time: f64,
}

impl Default for Relevance {
    fn default() -> Self {
        Self { fit: FusedScore::default(), conversation: 0.0, time: 1.0 }
    }
}

impl Relevance {
    fn total(&self) -> f64 {
        (self.fit.relevance + self.conversation) * self.time
    }
}

impl Context {
    /// Computes the relevance of candidates, in order.
    fn relevance(
        &self,
        question: Retrieval<'_>,
        found: &[VaultCandidate<'_>],
        coverage: Coverage,
    ) -> Vec<Relevance> {
        let evidence: Vec<NoteScores> = found.iter().map(VaultCandidate::evidence).collect();
        let fits = fuse(&evidence, &self.weights(), coverage);
        let in_context: Vec<f64> = if question.stages.conversation {
            let spoken = |(fit, found): (&FusedScore, &VaultCandidate<'_>)| SpokenNote {
                relevance: fit.relevance,
                turn: found.candidate.turn,
                speaker: found.candidate.speaker,
            };
            let notes: Vec<SpokenNote> = fits.iter().zip(found).map(spoken).collect();
            in_conversation(&notes, asks_agent(question.meaning))
        } else {
            fits.iter().map(|fit| fit.relevance).collect()
        };
        let ranges = match question.stages.time {
            true => time_ranges(question.meaning, self.now()),
            false => Vec::new(),
        };
        let time = |found: &VaultCandidate<'_>| match ranges.is_empty() {
            true => 1.0,
            false => 1.0 + TIME * time_range::fit(&ranges, Instant::from_unix(found.candidate.updated)),
        };
        let relevance = |((fit, in_context), found): ((FusedScore, f64), &VaultCandidate<'_>)| Relevance {
            conversation: in_context - fit.relevance,
            time: time(found),
            fit,
        };
        fits.into_iter().zip(in_context).zip(found).map(relevance).collect()
    }
}

/// Rounds a score to four decimals.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
