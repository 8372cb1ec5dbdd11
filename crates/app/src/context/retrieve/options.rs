//! Options of a retrieval: the question, the stages of ranking, and how similar a note must be.

use cm_note::query::Query;

/// Stages of ranking that are in use.
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
    /// Whether `meaning` is a task. Notes are then ranked by how much an agent needs them for it, and those
    /// for which that is known need no similarity.
    pub is_task: bool,
}

/// How similar a note without any word of the query must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SemanticThreshold {
    /// Relative to the most similar notes of this query; for searches that were requested.
    Relative,
    /// A cosine that unrelated texts do not reach; for automatically injected context and duplicate checks.
    Near,
    /// Like [`Self::Near`], but no minimum for notes whose need for the task is known, because the caller tests that.
    NearOrNeeded,
    /// The nearest note, and all with a smaller minimum cosine; for the rules of a briefing, which are
    /// short, so that related ones have small cosines.
    Rules,
}
