//! Semantic vectors of a vault's notes: which models compute them, and when.
//!
//! The coarse model embeds every note during indexing. The fine model embeds new and changed notes
//! within a command's time limit, and the rest in `cm embed`. Ranking handles notes that have only
//! coarse vectors.

mod background;
mod coarse;
mod fine;
mod reactions;
mod rules;
mod statements;

pub use background::read_in_background;
pub(crate) use coarse::CoarseEmbedder;
pub(crate) use fine::embedded_passages;
pub(crate) use reactions::judge_reactions;
pub(crate) use rules::meaning;
pub(crate) use statements::{embed_requests, judge_statements};

use std::sync::Arc;

use crate::context::models::Models;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_embed::Embedder;
use cm_index::{VectorTable, Vectors};
use cm_note::passage::{Passage, passages};
use cm_note::path::NotePath;
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;

/// Number of attempts to embed passages that the index gained meanwhile; after that the search uses
/// the vectors that exist.
const MAX_EMBED_ATTEMPTS: usize = 3;

/// The embedding of a query, with the vector table to search.
pub(crate) struct VectorQuery {
    pub table: Arc<VectorTable>,
    pub query: Embedding,
    /// Distribution of the query's cosines with unrelated texts; `None` if the model has none.
    pub chance: Option<CosineBaseline>,
}

impl OpenVault {
    /// Vectors of the coarse model; for a past commit, those stored with its own index.
    pub(crate) fn coarse_vectors(&self) -> Vectors {
        match &self.past {
            Some(_) => self.index().vectors(),
            None => self.vectors(),
        }
    }

    /// Splits the note's current file into passages; empty if the file cannot be read.
    pub(crate) fn passages_of(&self, path: &NotePath) -> Vec<Passage> {
        let Ok(bytes) = self.read(path) else { return Vec::new() };
        let reading = self.parse(path, &bytes);
        passages(&reading.note, &reading.outline)
    }
}

impl Context {
    /// Returns the embedding models that the target vault's settings select; created on first use.
    pub fn models(&self) -> &Models {
        self.models.get_or_init(|| {
            let model_cache = self.cache.as_ref().map(|process_cache| process_cache.models());
            Models::of(crate::context::embedding::choice(self, self.target()), model_cache)
        })
    }

    /// Embeds a question with the coarse model; `None` if embeddings are disabled or no vectors
    /// exist.
    pub(crate) fn ask_coarse(&self, open: &OpenVault, question: &str) -> Option<VectorQuery> {
        let model = self.models().coarse()?;
        let query = model.of(question);
        let table = || open.coarse_vectors().table(model.name(), query.dimension()).ok().flatten();
        let mut found = table();
        for _ in 0..MAX_EMBED_ATTEMPTS {
            // Another process may be at it, or may have cleared a past away since it was read, its index with it.
            let version = self.query_index(open, |index| index.version()).ok()?;
            let as_it_is = self.request.no_refresh || open.is_lagging();
            if as_it_is || found.as_ref().is_some_and(|table| table.complete() == Some(&version)) {
                break;
            }
            self.complete(open);
            found = table();
        }
        let table = found?;
        (!table.is_empty()).then(|| VectorQuery { table, query, chance: model.chance(question) })
    }

    /// Embeds a question with the fine model; `None` if it has no vectors for this vault or cannot
    /// be used, which is reported once.
    pub(crate) fn ask_fine(&self, open: &OpenVault, question: &str) -> Result<Option<VectorQuery>> {
        // Another model may be large, or a server.
        if self.is_low_latency() && !self.models().choice().is_builtin() {
            return Ok(None);
        }
        let model = match self.models().fine() {
            None => return Ok(None),
            Some(Ok(model)) => model,
            Some(Err(why)) => {
                self.notice(format!("searched without the larger model: {why}"));
                return Ok(None);
            }
        };
        if open.vectors().dimensions(model.name()).is_empty() {
            return Ok(None);
        }
        let query = match self.models().query(&model, question) {
            Ok(query) => query,
            Err(why) => {
                self.notice(format!("searched without the larger model: {why}"));
                return Ok(None);
            }
        };
        let table = open.vectors().table(model.name(), query.dimension())?;
        let chance = model.chance(question);
        Ok(table.filter(|table| !table.is_empty()).map(|table| VectorQuery { table, query, chance }))
    }

    /// Embeds a task, to be compared with the vectors of the fine model; `None` unless that is MiniLM, which the
    /// model for tasks is a fine-tuning of.
    pub(crate) fn ask_for_task(&self, open: &OpenVault, task: &str) -> Result<Option<VectorQuery>> {
        let Some(Ok(model)) = self.models().fine() else { return Ok(None) };
        let query = match self.models().task_query(&model, task) {
            Some(Ok(query)) => query,
            None => return Ok(None),
            Some(Err(why)) => {
                self.notice(format!("searched without the model for tasks: {why}"));
                return Ok(None);
            }
        };
        let table = open.vectors().table(model.name(), query.dimension())?;
        Ok(table.filter(|table| !table.is_empty()).map(|table| VectorQuery { table, query, chance: None }))
    }
}
