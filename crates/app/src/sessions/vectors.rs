//! Vectors of sessions' passages, by which past sessions are found without sharing a word.
//!
//! Always the built-in models: what was said in a session is not sent to an embedding server. The
//! small model embeds every passage when logs are read; the large one embeds them within a time
//! limit, in servers, and in `cm embed`.

use std::sync::Arc;

use crate::context::embedding::budget;
use crate::context::models::shared;
use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::error::Result;
use crate::sessions::folder;
use cm_embed::builtin::StaticModel;
use cm_embed::{Embedder, EmbeddingProvider};
use cm_index::sessions::{ModelScan, SessionMeaning, SessionPassage, Sessions};
use cm_index::{VectorTable, Vectors};
use cm_note::passage::PassageSet;
use cm_text::embedding::Embedding;

/// Number of passages per thread that the large model embeds between two checks of the time limit.
const PASSAGES_PER_CHECK: usize = 4;
/// A command that shows sessions embeds missing passages only if there are at most this many, about
/// half a minute of work. A larger backlog is left to servers and `cm embed`.
const CATCH_UP: usize = 1_500;
/// Number of passages whose texts are in memory at once.
const PASSAGES_IN_MEMORY: usize = 1_000;
/// Number of vectors of deleted passages that are tolerated, in addition to a quarter of the rest.
const SPARE_VECTORS: usize = 100;

/// Vectors of the passages in one session index.
pub(crate) struct SessionVectors<'m> {
    context: &'m Context,
    sessions: Sessions,
    vectors: Vectors,
}

impl<'m> SessionVectors<'m> {
    /// Opens the vectors of the session index; `None` if embeddings are disabled.
    pub fn open(context: &'m Context) -> Option<Self> {
        let folder = folder(context);
        (*context.models().choice() != EmbeddingProvider::None).then(|| Self {
            context,
            sessions: Sessions::open(&folder),
            vectors: Vectors::open(&folder.join("vectors")),
        })
    }

    /// Compares a question with the passages of all sessions; `None` if there are none or their
    /// vectors cannot be read.
    pub fn compare(&self, question: &str) -> Option<SessionMeaning> {
        if question.trim().is_empty() {
            return None;
        }
        if !self.context.request.no_refresh && !self.context.is_low_latency() {
            self.embed_coarse().ok()?;
            self.catch_up();
        }
        let coarse = StaticModel::shipped();
        let coarse = self.scan(coarse, &coarse.of(question), question)?;
        let fine = if self.context.is_low_latency() { None } else { self.compare_fine(question) };
        Some(SessionMeaning { coarse, fine })
    }

    /// Embeds missing passages with the large model within the time limit of a command, unless there
    /// are too many. What fails or is left is done by a later command.
    fn catch_up(&self) {
        let target = self.context.target();
        let limit = budget(&target.settings).as_millis() as u64;
        if target.cached().is_some() {
            // A long-lived process embeds in the background, because a client waits for each answer.
            return;
        }
        let deadline = (self.context.request.clock)() + limit;
        let _ = self.embed_fine(&mut |progress| {
            limit > 0
                && progress.total - progress.done <= CATCH_UP
                && (self.context.request.clock)() < deadline
        });
    }

    fn compare_fine(&self, question: &str) -> Option<ModelScan> {
        let model = self.context.models().builtin();
        self.table(model)?;
        let query = if self.context.models().choice().is_builtin() {
            // The same question is asked of the notes, and embedded once.
            self.context.models().query(&shared(model), question).ok()?
        } else {
            model.embed_query(question).ok()?
        };
        self.scan(model, &query, question)
    }

    fn scan(&self, model: &dyn Embedder, query: &Embedding, question: &str) -> Option<ModelScan> {
        let chance = model.chance(question)?;
        let is_known = query.parts().iter().any(|part| *part != 0.0);
        let table = self.table(model).filter(|table| is_known && !table.is_empty())?;
        Some(ModelScan { scan: table.scan(query), chance })
    }

    /// Embeds every passage with the small model, and drops the vectors of deleted passages.
    ///
    /// # Errors
    /// The index cannot be read, or the disk is full.
    pub fn embed_coarse(&self) -> Result<()> {
        let model = StaticModel::shipped();
        let Ok(version) = self.sessions.version().map(|version| version.to_string()) else { return Ok(()) };
        let table = self.table(model);
        if table.as_ref().is_some_and(|table| table.complete() == Some(&version)) {
            return Ok(());
        }
        let embedded_keys = table.as_ref().map_or_else(PassageSet::default, |table| table.keys());
        let missing = self.sessions.passages_without(&embedded_keys)?;
        // Another process is at it, and will have done it.
        let Some(mut writer) = self.vectors.writer(model.name(), dimension(model))? else { return Ok(()) };
        for passages in missing.chunks(PASSAGES_IN_MEMORY) {
            for (passage, text) in passages.iter().zip(self.sessions.passage_texts(passages)?) {
                writer.push(passage.key, &model.of(&text))?;
            }
        }
        let live = self.sessions.passage_keys()?;
        let rows = embedded_keys.len() + missing.len();
        if rows > live.len() + live.len() / 4 + SPARE_VECTORS {
            writer.keep(&|key| live.contains(&key), Some(&version))?;
            let fine = self.context.models().builtin();
            if let Some(fine) = self.vectors.writer(fine.name(), dimension(fine))? {
                fine.keep(&|key| live.contains(&key), None)?;
            }
        } else {
            writer.finish(Some(&version))?;
        }
        Ok(())
    }

    /// Embeds missing passages with the large model while `go_on` returns true, those of the latest
    /// sessions first. Returns how many were missing and how many are embedded now.
    ///
    /// # Errors
    /// The index cannot be read, or the disk is full. Vectors stored before the error are
    /// preserved.
    pub fn embed_fine(&self, go_on: &mut dyn FnMut(Progress) -> bool) -> Result<Progress> {
        let model = self.context.models().builtin();
        let nothing = Progress { done: 0, total: 0 };
        let Ok(version) = self.sessions.version().map(|version| version.to_string()) else {
            return Ok(nothing);
        };
        let table = self.table(model);
        if table.as_ref().is_some_and(|table| table.complete() == Some(&version)) {
            return Ok(nothing);
        }
        let embedded_keys = table.map_or_else(PassageSet::default, |table| table.keys());
        let missing = self.sessions.passages_without(&embedded_keys)?;
        let mut progress = Progress { done: 0, total: missing.len() };
        let step = PASSAGES_PER_CHECK * self.context.request.threads.max(1);
        for passages in missing.chunks(step) {
            if !go_on(progress) || !self.embed_some(model, passages)? {
                return Ok(progress);
            }
            progress.done += passages.len();
        }
        if let Some(writer) = self.vectors.writer(model.name(), dimension(model))? {
            writer.finish(Some(&version))?;
        }
        go_on(progress);
        Ok(progress)
    }

    /// Embeds passages and stores their vectors. Returns false if another process holds the writer.
    fn embed_some(
        &self,
        model: &'static (dyn Embedder + Send + Sync),
        passages: &[SessionPassage],
    ) -> Result<bool> {
        let texts = self.sessions.passage_texts(passages)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embeddings = self.context.embed_texts(&shared(model), &texts)?;
        let Some(mut writer) = self.vectors.writer(model.name(), dimension(model))? else { return Ok(false) };
        for (passage, embedding) in passages.iter().zip(&embeddings) {
            writer.push(passage.key, embedding)?;
        }
        writer.finish(None)?;
        Ok(true)
    }

    fn table(&self, model: &dyn Embedder) -> Option<Arc<VectorTable>> {
        self.vectors.table(model.name(), dimension(model)).ok().flatten()
    }
}

fn dimension(model: &dyn Embedder) -> usize {
    model.embed(&[""]).ok().and_then(|vectors| vectors.first().map(Embedding::dimension)).unwrap_or_default()
}
