//! Vectors of the fine model, computed within a time limit.

use crate::context::embedding::budget;
use crate::context::models::Model;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::parallel::in_parts;
use crate::context::progress::Progress;
use crate::error::{Error, Result};
use crate::sessions::vectors::SessionVectors;
use cm_embed::Embedder as _;
use cm_embed::builtin::StaticModel;
use cm_index::{VectorTable, Vectors};
use cm_note::passage::{Passage, PassageSet};
use cm_note::path::NotePath;
use cm_text::embedding::Embedding;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Number of passages embedded between two checks of the time limit.
const PASSAGES_PER_STEP: usize = 4;
/// Number of notes whose passages are read from the index at once.
const NOTES_PER_READ: usize = 500;
/// A command embeds all missing passages only if there are at most this many, about ten seconds of
/// work. A larger backlog, as after an import, is left to servers and `cm embed`.
const MAX_BACKLOG_PASSAGES: usize = 500;
/// Time for embedding at the end of a command that learned from sessions, unless the setting allows more.
const LEARNING_BUDGET: Duration = Duration::from_secs(10);
/// Maximum number of changed notes that a command embeds while the backlog exceeds [`MAX_BACKLOG_PASSAGES`].
const MAX_CHANGED_NOTES: usize = 20;

impl Context {
    /// Embeds missing passages with the fine model, changed notes first, within the command's time
    /// limit. It never fails; later commands embed the rest.
    ///
    /// A long-lived process embeds only the changed notes, because a client waits for each
    /// response; [`Context::embed_slice`] embeds the rest. A remote model is only used if notes
    /// changed, because it may be slow or unreachable.
    pub(crate) fn refine(&self, open: &OpenVault, changed: &[NotePath]) {
        if self.is_low_latency() {
            return;
        }
        let lives_on = open.cached().is_some();
        if changed.is_empty() && (lives_on || !self.models().choice().is_builtin()) {
            return;
        }
        self.refine_within(open, changed, budget(&open.settings), lives_on);
    }

    /// Brings the index up to date and embeds missing passages until the time is up or `is_stopped`, because the next
    /// briefing needs what was just learned. Failures become notices; later commands embed the rest.
    ///
    /// Does nothing in a long-lived process and with a model outside the program, and embeds nothing with a backlog of more
    /// than [`MAX_BACKLOG_PASSAGES`].
    pub(crate) fn embed_learned(&self, open: &OpenVault, is_stopped: &dyn Fn() -> bool) {
        let own_budget = budget(&open.settings);
        if own_budget.is_zero() || open.cached().is_some() || !self.models().choice().is_builtin() {
            return;
        }
        let embedded = self.ensure_fresh(open).and_then(|()| {
            let Some(Ok(model)) = self.models().fine() else { return Ok(()) };
            if has_embedded_all(open, &model) || missing(open, &model) > MAX_BACKLOG_PASSAGES {
                return Ok(());
            }
            let deadline = (self.request.clock)() + LEARNING_BUDGET.max(own_budget).as_millis() as u64;
            let mut go_on = |_: Progress| (self.request.clock)() < deadline && !is_stopped();
            self.embed_missing(open, &model, &[], PASSAGES_PER_STEP, &mut go_on).map(|_| ())
        });
        if let Err(error) = embedded {
            self.notice(format!("what was learned is not embedded yet: {}", error.message));
        }
    }

    /// Embeds missing passages with the fine model for at most `budget`; with a large backlog, only
    /// those of the `changed` notes. Failures become notices.
    pub(crate) fn refine_within(
        &self,
        open: &OpenVault,
        changed: &[NotePath],
        budget: Duration,
        changed_only: bool,
    ) {
        if budget.is_zero() {
            return;
        }
        let Some(Ok(model)) = self.models().fine() else { return };
        if changed.is_empty() && has_embedded_all(open, &model) {
            return;
        }
        let deadline = (self.request.clock)() + budget.as_millis() as u64;
        let mut go_on = |_: Progress| (self.request.clock)() < deadline;
        let is_behind = missing(open, &model) > MAX_BACKLOG_PASSAGES;
        if is_behind && changed.len() > MAX_CHANGED_NOTES {
            return;
        }
        let read = if changed_only || is_behind {
            self.embed_changed(open, &model, changed, &mut go_on)
        } else {
            self.embed_missing(open, &model, changed, PASSAGES_PER_STEP, &mut go_on)
        };
        if let Err(error) = read {
            self.notice(format!("`{}` has not embedded all new notes: {}", model.name(), error.message));
        }
    }

    /// Number of passages that the fine model has not embedded yet; an estimate if there are many.
    ///
    /// # Errors
    /// The index or a vector table cannot be read.
    pub(crate) fn missing_passages(&self, open: &OpenVault) -> Result<usize> {
        let Some(Ok(model)) = self.models().fine() else { return Ok(0) };
        match missing(open, &model) {
            _ if has_embedded_all(open, &model) => Ok(0),
            many if many > MAX_BACKLOG_PASSAGES => Ok(many),
            _ => Ok(open.index().without(&embedded_passages(open, model.name())?, usize::MAX)?.1),
        }
    }

    /// Returns about how many passages wait for `cm embed`, because there are too many for the commands to catch up;
    /// `None` otherwise.
    pub fn embedding_backlog(&self) -> Option<usize> {
        let open = self.target();
        let Some(Ok(model)) = self.models().fine().filter(|_| !budget(&open.settings).is_zero()) else {
            return None;
        };
        let is_behind = |count: &usize| *count > MAX_BACKLOG_PASSAGES && !has_embedded_all(open, &model);
        Some(missing(open, &model)).filter(is_behind)
    }

    /// Embeds missing passages of all open vaults and of their sessions for about `slice`, with pauses of `breath`.
    /// Returns whether passages remain.
    ///
    /// # Errors
    /// A model that does not answer, or a full disk.
    pub(crate) fn embed_slice(&self, slice: Duration, breath: Duration) -> Result<bool> {
        let deadline = (self.request.clock)() + slice.as_millis() as u64;
        for open in &self.vaults {
            if budget(&open.settings).is_zero() {
                continue;
            }
            let Some(model) = self.models().fine() else { continue };
            let model = model.map_err(|error| Error::from(&*error))?;
            if has_embedded_all(open, &model) {
                continue;
            }
            let mut in_time = true;
            self.embed_missing(open, &model, &[], PASSAGES_PER_STEP, &mut |progress| {
                std::thread::sleep(breath);
                in_time = (self.request.clock)() < deadline || progress.done >= progress.total;
                in_time
            })?;
            if !in_time {
                return Ok(true);
            }
        }
        let Some(sessions) = SessionVectors::open(self) else { return Ok(false) };
        if budget(&self.target().settings).is_zero() {
            return Ok(false);
        }
        let progress = sessions.embed_fine(&mut |_| {
            std::thread::sleep(breath);
            (self.request.clock)() < deadline
        })?;
        Ok(progress.done < progress.total)
    }

    /// Embeds missing passages with `model`, the notes in `first` first, while `go_on` returns
    /// true.
    ///
    /// # Errors
    /// A model that does not answer, or a full disk. Vectors stored before the error are preserved.
    pub(crate) fn embed_missing(
        &self,
        open: &OpenVault,
        model: &Model,
        first: &[NotePath],
        step: usize,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Progress> {
        let version = open.index().version()?;
        let live = open.index().passages()?;
        let mut embedded = embedded_passages(open, model.name())?;
        let done = live.iter().filter(|key| embedded.contains(*key)).count();
        let mut progress = Progress { done, total: live.len() };
        let (lacking, _) = open.index().without(&embedded, usize::MAX)?;
        let firsts: Vec<&NotePath> = first.iter().filter(|path| lacking.contains(path)).collect();
        let order = firsts.into_iter().chain(lacking.iter().filter(|path| !first.contains(path)));
        let order: Vec<&NotePath> = order.collect();
        let mut is_kept = true;
        for notes in order.chunks(NOTES_PER_READ) {
            let unread = notes.iter().flat_map(|path| open.passages_of(path));
            let unread: Vec<Passage> = unread
                .filter(|passage| live.contains(&passage.key) && embedded.insert(passage.key))
                .collect();
            for some in unread.chunks(step.max(1)) {
                if !go_on(progress) {
                    return Ok(progress);
                }
                is_kept &= self.embed_batch(open, model, some)?;
                progress.done += some.len();
            }
        }
        if is_kept {
            mark_complete(open, model, &version)?;
        }
        go_on(progress);
        Ok(progress)
    }

    /// Embeds the missing passages of the `changed` notes while `go_on` returns true.
    fn embed_changed(
        &self,
        open: &OpenVault,
        model: &Model,
        changed: &[NotePath],
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Progress> {
        let mut embedded = embedded_passages(open, model.name())?;
        let passages = changed.iter().flat_map(|path| open.passages_of(path));
        let unread: Vec<Passage> = passages.filter(|passage| embedded.insert(passage.key)).collect();
        let mut progress = Progress { done: 0, total: unread.len() };
        for some in unread.chunks(PASSAGES_PER_STEP) {
            if !go_on(progress) {
                break;
            }
            self.embed_batch(open, model, some)?;
            progress.done += some.len();
        }
        Ok(progress)
    }

    /// Embeds texts and returns the model's name with the vectors; `None` with a notice if the
    /// model fails.
    pub(crate) fn embedded(&self, texts: &[&str]) -> Option<(String, Vec<Vec<f32>>)> {
        let model = match self.models().fine()? {
            Ok(model) => model,
            Err(error) => {
                self.notice(format!("there are no vectors: {error}"));
                return None;
            }
        };
        match self.embed_texts(&model, texts) {
            Ok(all) => {
                let vectors = all.iter().map(|embedding| embedding.parts().to_vec()).collect();
                Some((model.name().to_owned(), vectors))
            }
            Err(error) => {
                self.notice(format!("there are no vectors: {error}"));
                None
            }
        }
    }

    /// Embeds passages and stores their vectors. Returns false if another process holds the writer.
    fn embed_batch(&self, open: &OpenVault, model: &Model, some: &[Passage]) -> Result<bool> {
        let texts: Vec<&str> = some.iter().map(|passage| passage.text.as_str()).collect();
        let embeddings = match self.embed_texts(model, &texts) {
            Ok(embeddings) => embeddings,
            Err(error) => {
                let error = Rc::new(error);
                self.models().mark_failed(&error);
                return Err((&*error).into());
            }
        };
        let Some(dimension) = embeddings.first().map(|embedding| embedding.dimension()) else {
            return Ok(false);
        };
        // Another process that adds its own at this moment makes these wait for a later command.
        let Some(mut writer) = open.vectors().writer(model.name(), dimension)? else { return Ok(false) };
        for (passage, embedding) in some.iter().zip(&embeddings) {
            writer.push(passage.key, embedding)?;
        }
        writer.finish(None)?;
        Ok(true)
    }

    /// Embeds texts; the built-in model uses up to `threads` threads of the request.
    pub(crate) fn embed_texts(
        &self,
        model: &Model,
        texts: &[&str],
    ) -> std::result::Result<Vec<Embedding>, cm_embed::Error> {
        let threads = self.request.threads.max(1);
        if threads == 1 || texts.len() < 2 * threads || !self.models().choice().is_builtin() {
            return model.embed(texts);
        }
        in_parts(texts, threads, |part| model.embed(part))
    }
}

/// Returns the vector table of a model with its dimension; `None` if it has no vectors.
fn table(open: &OpenVault, model: &Model) -> Option<(usize, Arc<VectorTable>)> {
    let (dimension, _) = open.vectors().dimensions(model.name()).pop()?;
    Some((dimension, open.vectors().table(model.name(), dimension).ok()??))
}

/// Estimates the number of passages without a vector of the fine model, as the difference of the
/// sizes of the coarse and the fine table. Both may still contain deleted passages.
fn missing(open: &OpenVault, fine: &Model) -> usize {
    let rows = |vectors: &Vectors, model: &str| {
        let dimension = vectors.dimensions(model).pop().map(|(dimension, _)| dimension);
        let table = dimension.and_then(|dimension| vectors.table(model, dimension).ok().flatten());
        table.map_or(0, |table| table.len())
    };
    let coarse = rows(&open.coarse_vectors(), StaticModel::shipped().name());
    coarse.saturating_sub(rows(&open.vectors(), fine.name()))
}

/// Whether the model has embedded every passage of the current index; also true if the index cannot
/// be read.
fn has_embedded_all(open: &OpenVault, model: &Model) -> bool {
    let Ok(version) = open.index().version() else { return true };
    table(open, model).is_some_and(|(_, table)| table.complete() == Some(&version))
}

/// Records in the model's vector table that it covers index version `version` completely.
fn mark_complete(open: &OpenVault, model: &Model, version: &str) -> Result<()> {
    let Some((dimension, table)) = table(open, model) else { return Ok(()) };
    if table.complete().is_some_and(|complete| complete == version) {
        return Ok(());
    }
    match open.vectors().writer(model.name(), dimension)? {
        Some(writer) => Ok(writer.finish(Some(&version.to_owned()))?),
        None => Ok(()),
    }
}

/// Keys of the passages that the model has embedded.
pub(crate) fn embedded_passages(open: &OpenVault, model: &str) -> Result<PassageSet> {
    let vectors = open.vectors();
    let mut passages = PassageSet::default();
    for (dimension, _) in vectors.dimensions(model) {
        if let Some(table) = vectors.table(model, dimension)? {
            passages.extend(table.keys());
        }
    }
    Ok(passages)
}
