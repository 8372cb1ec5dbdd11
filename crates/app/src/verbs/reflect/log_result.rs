//! Adds the results of processed sessions to the record, so that they are not processed again.

use super::queue::QueuedSession;
use super::session_processor::{SessionProcessor, SessionProposals};
use super::session_result::SessionReflection;
use crate::context::open::Context;
use crate::context::provider::LanguageModel;
use crate::error::{Error, Result};
use crate::sessions::load::GONE;
use crate::sessions::logs;
use crate::sessions::reflection_log::{AGENT, ReaderTier, ReflectionEntry, ReflectionResult, hash_key};
use cm_index::sessions::SessionSummary;
use cm_session::status::SessionStatus;

impl SessionProcessor<'_> {
    /// Adds a session and its forks to the reflection log as processed, unless this is a dry run.
    ///
    /// # Errors
    /// Returns an error if the reflection log cannot be written.
    pub fn record_result(
        &mut self,
        proposed: &SessionProposals<'_>,
        reflection: &SessionReflection,
    ) -> Result<()> {
        self.earlier.push(proposed.diary.clone());
        if self.run_options.dry_run {
            return Ok(());
        }
        let result = match (reflection.done.applied, proposed.diary.is_empty()) {
            (1.., _) => ReflectionResult::Learned,
            (0, false) => ReflectionResult::Diary,
            (0, true) => ReflectionResult::Nothing,
        };
        let reader = self.model.as_ref().map(LanguageModel::name);
        let tier = if reader.is_some() { ReaderTier::Model } else { ReaderTier::Rules };
        let own = ReflectionEntry {
            tier,
            reader: reader.clone(),
            proposed: reflection.done.proposed,
            applied: reflection.done.applied,
            status: proposed.diary.verdict.status,
            keys: proposed.drafts.iter().map(|draft| hash_key(&draft.key())).collect(),
            ..entry_of(self.context, &proposed.todo.listed, result)
        };
        self.record.add(self.context.target(), own)?;
        for fork in &proposed.todo.forks {
            let own = entry_of(self.context, fork, ReflectionResult::Fork);
            let fork = ReflectionEntry { tier, reader: reader.clone(), ..own };
            self.record.add(self.context.target(), fork)?;
        }
        Ok(())
    }

    /// Adds a session to the reflection log for which an agent's answer was applied. `applied` is
    /// the number of applied proposals.
    ///
    /// # Errors
    /// Returns an error if the reflection log cannot be written.
    pub fn record_answer(&mut self, proposed: &SessionProposals<'_>, applied: usize) -> Result<()> {
        let result = if applied > 0 { ReflectionResult::Learned } else { ReflectionResult::Diary };
        let line = ReflectionEntry {
            tier: ReaderTier::Model,
            reader: Some(AGENT.to_owned()),
            proposed: proposed.drafts.len(),
            applied,
            status: proposed.diary.verdict.status,
            keys: proposed.drafts.iter().map(|draft| hash_key(&draft.key())).collect(),
            ..entry_of(self.context, &proposed.todo.listed, result)
        };
        self.record.add(self.context.target(), line)
    }

    /// Adds a failed session to the reflection log. If its log no longer exists, the session counts
    /// as finished.
    ///
    /// # Errors
    /// Returns an error if the reflection log cannot be written.
    pub fn failed(&mut self, todo: &QueuedSession, error: &Error) -> Result<()> {
        if self.run_options.dry_run {
            return Ok(());
        }
        let why = Some(logs::text(&error.message, &self.reader.rules));
        // Nobody can learn from a log that is gone; trying again would only say so again.
        let is_gone = error.code == GONE;
        let (result, tier) = match is_gone {
            true => (ReflectionResult::Nothing, ReaderTier::Model),
            false => (ReflectionResult::Failed, ReaderTier::Rules),
        };
        self.record.add(
            self.context.target(),
            ReflectionEntry { why, tier, ..entry_of(self.context, &todo.listed, result) },
        )
    }
}

fn entry_of(context: &Context, listed: &SessionSummary, result: ReflectionResult) -> ReflectionEntry {
    ReflectionEntry {
        at: context.now(),
        agent: listed.session.meta.agent.name().to_owned(),
        session: listed.session.meta.id.as_str().to_owned(),
        events: listed.counts.total(),
        ended: listed.session.meta.ended,
        came: result,
        tier: ReaderTier::Rules,
        reader: None,
        status: SessionStatus::Unknown,
        proposed: 0,
        applied: 0,
        keys: Vec::new(),
        why: None,
    }
}
