//! Raises notes that are linked to the best hits.

use super::hit::RankedNote;
use super::options::Retrieval;
use super::relevance::Relevance;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_note::graph::Edge;
use cm_note::note::Note;
use cm_note::note::types::SUPERSEDES;
use cm_note::rank::fusion::NoteScores;
use cm_note::rank::graph_expansion::spread;
use cm_store::config::keys;

/// Number of best hits from which links are followed.
const MAX_SEEDS: usize = 10;
/// Maximum number of links from a hit to a note that is raised.
const MAX_HOPS: u8 = 2;

impl Context {
    /// Adds notes that are linked to the best hits of a vault; returns the number of added notes.
    pub(super) fn expand_graph<'m>(
        &'m self,
        open: &'m OpenVault,
        question: Retrieval<'_>,
        ranked: &mut Vec<RankedNote<'m>>,
    ) -> Result<usize> {
        let own = |one: &RankedNote<'_>| one.open.level == open.level;
        let mut hits: Vec<usize> = (0..ranked.len()).filter(|at| own(&ranked[*at])).collect();
        hits.truncate(MAX_SEEDS);
        let notes: Vec<Note> = hits.iter().map(|at| ranked[*at].note.clone()).collect();
        let mut neighbours =
            self.query_index(open, |index| index.neighbours(&notes.iter().collect::<Vec<_>>()))?;
        let waiting: Vec<bool> = notes.iter().chain(&neighbours.notes).map(Note::is_waiting).collect();
        let is_early = |edge: &Edge| edge.relation == SUPERSEDES && waiting.get(edge.from) == Some(&true);
        neighbours.edges.retain(|edge| !is_early(edge));
        let bounds = question.query.bounds();
        let mut places: Vec<Option<usize>> = hits.into_iter().map(Some).collect();
        let direct_hits = ranked.len();
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
        let spread = spread(&scores, &neighbours.edges, &neighbours.degrees, share, MAX_HOPS);
        for (place, spread) in places.iter().zip(&spread) {
            let by = spread.by.and_then(|by| places[by]).map(|by| ranked[by].note.key().to_owned());
            if let Some(one) = place.map(|at| &mut ranked[at]) {
                one.raised_by = by;
                one.parts.graph = spread.score - one.parts.in_context();
                one.score = one.parts.total();
            }
        }
        ranked.retain(|one| one.score > 0.0);
        Ok(ranked.len().saturating_sub(direct_hits))
    }
}
