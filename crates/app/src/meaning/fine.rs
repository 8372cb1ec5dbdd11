//! Vectors of the fine model, as far as time allows.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::embedding::budget;
use crate::error::{Error, Result};
use crate::meaning::Model;
use crate::memory::{Memory, OpenVault};
use cm_embed::Choice;
use cm_index::Table;
use cm_note::passage::{Passage, PassageSet};
use cm_note::path::NotePath;
use cm_text::embedding::Embedding;

/// How far a model has come with the notes of a vault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Passages that it has read.
    pub done: usize,
    /// Passages that there are.
    pub of: usize,
}

/// Texts that are embedded between two looks at the clock.
const STEP: usize = 4;
/// Notes whose passages are looked up at once.
const NOTES: usize = 500;

impl Memory {
    /// Lets the fine model read what it lacks, the changed notes first, until the command's time is up. It never fails:
    /// what is left out is read by later commands.
    ///
    /// A process that lives on reads the changed notes alone, for somebody waits for each of its answers; the rest is
    /// read beside them ([`Memory::read_beside`]). A model elsewhere is asked only where something changed: it may be
    /// slow, or out of reach.
    pub(crate) fn refine(&self, open: &OpenVault, changed: &[NotePath]) {
        let lives_on = open.kept().is_some();
        if changed.is_empty() && (lives_on || *self.models().choice() != Choice::Builtin) {
            return;
        }
        self.refine_within(open, changed, budget(&open.settings), lives_on);
    }

    /// Lets the fine model read what it lacks for this long; what keeps it from reading becomes a notice.
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
        if changed.is_empty() && has_read_all(open, &model) {
            return;
        }
        let deadline = (self.call.clock)() + budget.as_millis() as u64;
        let mut go_on = |_: Progress| (self.call.clock)() < deadline;
        let read = if changed_only {
            self.read_changed(open, &model, changed, &mut go_on)
        } else {
            self.read_finely(open, &model, changed, STEP, &mut go_on)
        };
        if let Err(error) = read {
            self.notice(format!("`{}` has not read all that is new: {}", model.name(), error.message));
        }
    }

    /// Lets the fine model read what it lacks in all open vaults, without hurry and for about this long; whether there
    /// is more to read.
    ///
    /// # Errors
    /// A model that does not answer, or a full disk.
    pub(crate) fn read_beside(&self, slice: Duration, breath: Duration) -> Result<bool> {
        let deadline = (self.call.clock)() + slice.as_millis() as u64;
        for open in &self.vaults {
            if budget(&open.settings).is_zero() {
                continue;
            }
            let Some(model) = self.models().fine() else { continue };
            let model = model.map_err(|error| Error::from(&*error))?;
            if has_read_all(open, &model) {
                continue;
            }
            let mut in_time = true;
            self.read_finely(open, &model, &[], STEP, &mut |progress| {
                std::thread::sleep(breath);
                in_time = (self.call.clock)() < deadline || progress.done >= progress.of;
                in_time
            })?;
            if !in_time {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets a model read the passages that it has not read, the given notes first, as long as `go_on` says so.
    ///
    /// # Errors
    /// A model that does not answer, or a full disk. What was read until then is kept.
    pub(crate) fn read_finely(
        &self,
        open: &OpenVault,
        model: &Model,
        first: &[NotePath],
        step: usize,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Progress> {
        let version = open.index().version()?;
        let live = open.index().passages()?;
        let mut known = known(open, model.name())?;
        let done = live.iter().filter(|key| known.contains(*key)).count();
        let mut progress = Progress { done, of: live.len() };
        let (lacking, _) = open.index().without(&known, usize::MAX)?;
        let firsts: Vec<&NotePath> = first.iter().filter(|path| lacking.contains(path)).collect();
        let order = firsts.into_iter().chain(lacking.iter().filter(|path| !first.contains(path)));
        let order: Vec<&NotePath> = order.collect();
        let mut is_kept = true;
        for notes in order.chunks(NOTES) {
            let unread = notes.iter().flat_map(|path| open.passages_of(path));
            let unread: Vec<Passage> =
                unread.filter(|passage| live.contains(&passage.key) && known.insert(passage.key)).collect();
            for some in unread.chunks(step.max(1)) {
                if !go_on(progress) {
                    return Ok(progress);
                }
                is_kept &= self.read_some(open, model, some)?;
                progress.done += some.len();
            }
        }
        if is_kept {
            mark_all_read(open, model, &version)?;
        }
        go_on(progress);
        Ok(progress)
    }

    /// Lets a model read the passages of these notes that it has not read, as long as `go_on` says so.
    fn read_changed(
        &self,
        open: &OpenVault,
        model: &Model,
        changed: &[NotePath],
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Progress> {
        let mut known = known(open, model.name())?;
        let passages = changed.iter().flat_map(|path| open.passages_of(path));
        let unread: Vec<Passage> = passages.filter(|passage| known.insert(passage.key)).collect();
        let mut progress = Progress { done: 0, of: unread.len() };
        for some in unread.chunks(STEP) {
            if !go_on(progress) {
                break;
            }
            self.read_some(open, model, some)?;
            progress.done += some.len();
        }
        Ok(progress)
    }

    /// The vectors of some texts and the model that made them; what keeps it from answering becomes a notice.
    pub(crate) fn embedded(&self, texts: &[&str]) -> Option<(String, Vec<Vec<f32>>)> {
        let model = match self.models().fine()? {
            Ok(model) => model,
            Err(error) => {
                self.notice(format!("there are no vectors: {error}"));
                return None;
            }
        };
        match self.all(&model, texts) {
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

    /// Reads some passages; whether their vectors were kept.
    fn read_some(&self, open: &OpenVault, model: &Model, some: &[Passage]) -> Result<bool> {
        let texts: Vec<&str> = some.iter().map(|passage| passage.text.as_str()).collect();
        let embeddings = match self.all(model, &texts) {
            Ok(embeddings) => embeddings,
            Err(error) => {
                let error = Rc::new(error);
                self.models().give_up(&error);
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

    /// The vectors of some texts, computed by as many threads as there are where the model is one in the program.
    fn all(&self, model: &Model, texts: &[&str]) -> std::result::Result<Vec<Embedding>, cm_embed::Error> {
        let threads = self.call.threads.max(1);
        if threads == 1 || texts.len() < 2 * threads || *self.models().choice() != Choice::Builtin {
            return model.embed(texts);
        }
        let model = &**model;
        let share = texts.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                texts.chunks(share).map(|texts| scope.spawn(move || model.embed(texts))).collect();
            let mut all = Vec::with_capacity(texts.len());
            for part in parts {
                // A panic in a thread is a fault of the program, and goes on in this one.
                all.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(all)
        })
    }
}

/// The vectors of a model, of the dimension that it has now.
fn table(open: &OpenVault, model: &Model) -> Option<(usize, Arc<Table>)> {
    let (dimension, _) = open.vectors().dimensions(model.name()).pop()?;
    Some((dimension, open.vectors().table(model.name(), dimension).ok()??))
}

/// Whether a model has read all that the index holds, as far as it can be read.
fn has_read_all(open: &OpenVault, model: &Model) -> bool {
    let Ok(version) = open.index().version() else { return true };
    table(open, model).is_some_and(|(_, table)| table.complete() == Some(&version))
}

/// Remembers that a model has read all that the index holds.
fn mark_all_read(open: &OpenVault, model: &Model, version: &str) -> Result<()> {
    let Some((dimension, table)) = table(open, model) else { return Ok(()) };
    if table.complete().is_some_and(|complete| complete == version) {
        return Ok(());
    }
    match open.vectors().writer(model.name(), dimension)? {
        Some(writer) => Ok(writer.finish(Some(&version.to_owned()))?),
        None => Ok(()),
    }
}

/// The passages that the model of this name has read.
pub(crate) fn known(open: &OpenVault, model: &str) -> Result<PassageSet> {
    let vectors = open.vectors();
    let mut known = PassageSet::default();
    for (dimension, _) in vectors.dimensions(model) {
        if let Some(table) = vectors.table(model, dimension)? {
            known.extend(table.keys());
        }
    }
    Ok(known)
}
