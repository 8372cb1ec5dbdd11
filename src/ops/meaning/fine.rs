//! Vectors of the fine model, as far as time allows.

use std::rc::Rc;

use crate::domain::embedding::Embedding;
use crate::domain::passage::{Passage, PassageSet};
use crate::domain::path::NotePath;
use crate::embed::{self, Choice};
use crate::ops::error::Result;
use crate::ops::meaning::Model;
use crate::ops::memory::{Memory, OpenVault};

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
    /// Lets the fine model read what is new, the changed notes first, until the command's time is up. It never fails:
    /// what is left out is read later. A process that lives on reads the changed notes alone, for somebody waits for each of
    /// its answers.
    pub(in crate::ops) fn refine(&self, open: &OpenVault, changed: &[NotePath]) {
        let budget = open.settings.whole("embeddings.budget_ms") as u64;
        if budget == 0 || changed.is_empty() {
            return;
        }
        let Some(Ok(model)) = self.models().fine() else { return };
        let deadline = (self.call.clock)() + budget;
        let mut go_on = |_: Progress| (self.call.clock)() < deadline;
        let read = if open.kept().is_some() {
            self.read_changed(open, &model, changed, &mut go_on)
        } else {
            self.read_finely(open, &model, changed, STEP, &mut go_on)
        };
        if let Err(error) = read {
            self.notice(format!("`{}` has not read all that is new: {}", model.name(), error.message));
        }
    }

    /// Lets a model read the passages that it has not read, the given notes first, as long as `go_on` says so.
    ///
    /// # Errors
    /// A model that does not answer, or a full disk. What was read until then is kept.
    pub(in crate::ops) fn read_finely(
        &self,
        open: &OpenVault,
        model: &Model,
        first: &[NotePath],
        step: usize,
        go_on: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Progress> {
        let live = open.index().passages()?;
        let mut known = known(open, model)?;
        let done = live.iter().filter(|key| known.contains(*key)).count();
        let mut progress = Progress { done, of: live.len() };
        let (lacking, _) = open.index().without(&known, usize::MAX)?;
        let firsts: Vec<&NotePath> = first.iter().filter(|path| lacking.contains(path)).collect();
        let order = firsts.into_iter().chain(lacking.iter().filter(|path| !first.contains(path)));
        let order: Vec<&NotePath> = order.collect();
        for notes in order.chunks(NOTES) {
            let unread = notes.iter().flat_map(|path| open.passages_of(path));
            let unread: Vec<Passage> =
                unread.filter(|passage| live.contains(&passage.key) && known.insert(passage.key)).collect();
            for some in unread.chunks(step.max(1)) {
                if !go_on(progress) {
                    return Ok(progress);
                }
                self.read_some(open, model, some)?;
                progress.done += some.len();
            }
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
        let mut known = known(open, model)?;
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
    pub(in crate::ops) fn embedded(&self, texts: &[&str]) -> Option<(String, Vec<Vec<f32>>)> {
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

    fn read_some(&self, open: &OpenVault, model: &Model, some: &[Passage]) -> Result<()> {
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
            return Ok(());
        };
        // Another process that adds its own at this moment makes these wait for a later command.
        let Some(mut writer) = open.vectors().writer(model.name(), dimension)? else { return Ok(()) };
        for (passage, embedding) in some.iter().zip(&embeddings) {
            writer.push(passage.key, embedding)?;
        }
        Ok(writer.finish(None)?)
    }

    /// The vectors of some texts, computed by as many threads as there are where the model is one in the program.
    fn all(&self, model: &Model, texts: &[&str]) -> std::result::Result<Vec<Embedding>, embed::Error> {
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

/// The passages that a model has read.
fn known(open: &OpenVault, model: &Model) -> Result<PassageSet> {
    let vectors = open.vectors();
    let mut known = PassageSet::default();
    for (dimension, _) in vectors.dimensions(model.name()) {
        if let Some(table) = vectors.table(model.name(), dimension)? {
            known.extend(table.keys());
        }
    }
    Ok(known)
}
