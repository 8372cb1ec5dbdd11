//! Adds the results of processed sessions to the record, so that they are not processed again.

use super::record::{Came, Line, hashed};
use super::todo::Todo;
use super::work::{Proposed, Work, Worked};
use crate::error::{Error, Result};
use crate::logs;
use crate::memory::Memory;
use crate::sessions::whole::GONE;
use cm_index::sessions::Listed;
use cm_session::status::SessionStatus;

impl Work<'_> {
    /// Records that a session and its forks were processed. A dry run writes nothing.
    ///
    /// # Errors
    /// Returns an error if the record cannot be written.
    pub fn settle(&mut self, proposed: &Proposed<'_>, worked: &Worked) -> Result<()> {
        self.earlier.push(proposed.diary.clone());
        if self.terms.dry_run {
            return Ok(());
        }
        let came = match (worked.done.applied, proposed.diary.is_empty()) {
            (1.., _) => Came::Learned,
            (0, false) => Came::Diary,
            (0, true) => Came::Nothing,
        };
        let model = self.asker.is_some();
        let own = Line {
            model,
            proposed: worked.done.proposed,
            applied: worked.done.applied,
            status: proposed.diary.verdict.status,
            keys: proposed.drafts.iter().map(|draft| hashed(&draft.key())).collect(),
            ..line(self.memory, &proposed.todo.listed, came)
        };
        self.record.add(self.memory.target(), own)?;
        for fork in &proposed.todo.forks {
            let fork = Line { model, ..line(self.memory, fork, Came::Fork) };
            self.record.add(self.memory.target(), fork)?;
        }
        Ok(())
    }

    /// Records that an answer to a work package was applied.
    ///
    /// # Errors
    /// Returns an error if the record cannot be written.
    pub fn settle_answer(&mut self, proposed: &Proposed<'_>, applied: usize) -> Result<()> {
        let came = if applied > 0 { Came::Learned } else { Came::Diary };
        let line = Line {
            model: true,
            proposed: proposed.drafts.len(),
            applied,
            status: proposed.diary.verdict.status,
            keys: proposed.drafts.iter().map(|draft| hashed(&draft.key())).collect(),
            ..line(self.memory, &proposed.todo.listed, came)
        };
        self.record.add(self.memory.target(), line)
    }

    /// Records that a session failed. A session whose log no longer exists is recorded as finished.
    ///
    /// # Errors
    /// Returns an error if the record cannot be written.
    pub fn failed(&mut self, todo: &Todo, error: &Error) -> Result<()> {
        if self.terms.dry_run {
            return Ok(());
        }
        let why = Some(logs::text(&error.message, &self.reader.rules));
        // Nobody can learn from a log that is gone; trying again would only say so again.
        let is_gone = error.code == GONE;
        let came = if is_gone { Came::Nothing } else { Came::Failed };
        self.record
            .add(self.memory.target(), Line { why, model: is_gone, ..line(self.memory, &todo.listed, came) })
    }
}

fn line(memory: &Memory, listed: &Listed, came: Came) -> Line {
    Line {
        at: memory.now(),
        agent: listed.session.meta.agent.name().to_owned(),
        session: listed.session.meta.id.as_str().to_owned(),
        events: listed.counts.total(),
        ended: listed.session.meta.ended,
        came,
        model: false,
        status: SessionStatus::Unknown,
        proposed: 0,
        applied: 0,
        keys: Vec::new(),
        why: None,
    }
}
