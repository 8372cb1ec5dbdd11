//! Vectors for what the notes of a vault mean: which models make them, and when.
//!
//! The coarse model reads every note the moment it is indexed; the fine one reads new and changed notes as far as a
//! command's time allows, and the rest in `cm embed`. Ranking knows what to do while both are there.

mod background;
mod coarse;
mod fine;
mod models;
mod rules;

pub use background::read_in_background;
pub(super) use coarse::Filling;
pub use fine::Progress;
pub(super) use fine::known;
pub use models::{KeptModels, Model, Models};
pub(super) use rules::meaning;

use std::sync::Arc;

use super::error::Result;
use super::memory::{Memory, OpenVault};
use cm_embed::Embedder;
use cm_index::{Table, Vectors};
use cm_note::note::read;
use cm_note::passage::{Passage, passages};
use cm_note::path::NotePath;
use cm_note::rank::cut::Chance;
use cm_text::embedding::Embedding;

/// How often vectors that are behind the index are made up for before they are taken as they are.
const TRIES: usize = 3;

/// A question as a model understands it, and the vectors of a vault that it is compared with.
pub(super) struct Asking {
    pub table: Arc<Table>,
    pub query: Embedding,
    /// The cosines that the question has with unrelated texts, where that is known.
    pub chance: Option<Chance>,
}

impl OpenVault {
    /// Where those of the coarse model are kept, which has read exactly what is indexed: of a past, with its index.
    pub(super) fn coarse_vectors(&self) -> Vectors {
        match &self.past {
            Some(_) => self.index().vectors(),
            None => self.vectors(),
        }
    }

    /// The passages of a note as its file is now; none where it cannot be read.
    pub(super) fn passages_of(&self, path: &NotePath) -> Vec<Passage> {
        let Ok(bytes) = self.read(path) else { return Vec::new() };
        let reading = read::read(path, &bytes, &self.settings.types, &self.settings.relations);
        passages(&reading.note, &reading.outline)
    }
}

impl Memory {
    /// A question for the coarse model; none where vectors are switched off, or there are none.
    pub(super) fn ask_coarse(&self, open: &OpenVault, question: &str) -> Option<Asking> {
        let model = self.models().coarse()?;
        let query = model.of(question);
        let table = || open.coarse_vectors().table(model.name(), query.dimension()).ok().flatten();
        let mut found = table();
        for _ in 0..TRIES {
            // Another process may be at it, or may have cleared a past away since it was read, its index with it.
            let version = self.ask(open, |index| index.version()).ok()?;
            if self.call.no_refresh || found.as_ref().is_some_and(|table| table.complete() == Some(&version))
            {
                break;
            }
            self.complete(open);
            found = table();
        }
        let table = found?;
        (!table.is_empty()).then(|| Asking { table, query, chance: model.chance(question) })
    }

    /// A question for the fine model; none where it has read nothing of this vault, or is out of reach, which is told once.
    pub(super) fn ask_fine(&self, open: &OpenVault, question: &str) -> Result<Option<Asking>> {
        if self.is_in_haste() {
            return Ok(None);
        }
        let model = match self.models().fine() {
            None => return Ok(None),
            Some(Ok(model)) => model,
            Some(Err(why)) => {
                self.notice(format!("searched without the finer model: {why}"));
                return Ok(None);
            }
        };
        if open.vectors().dimensions(model.name()).is_empty() {
            return Ok(None);
        }
        let query = match self.models().query(&model, question) {
            Ok(query) => query,
            Err(why) => {
                self.notice(format!("searched without the finer model: {why}"));
                return Ok(None);
            }
        };
        let table = open.vectors().table(model.name(), query.dimension())?;
        let chance = model.chance(question);
        Ok(table.filter(|table| !table.is_empty()).map(|table| Asking { table, query, chance }))
    }
}
