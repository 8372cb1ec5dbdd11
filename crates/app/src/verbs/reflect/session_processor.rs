//! The state that a run shares between sessions, and what is proposed for one session.

use std::collections::HashMap;

use super::later_word::StatementOrigin;
use super::queue::QueuedSession;
use super::traces::TraceLibrary;
use super::withdrawn_memory::WithdrawnMemory;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::error::{Error, ErrorKind};
use crate::sessions::SessionAccess;
use crate::sessions::reflection_log::ReflectionLog;
use crate::verbs::diary::session::SessionReader;
use cm_learn::diary::Diary;
use cm_learn::reflect::draft::{DraftOrigin, ReflectionDraft};
use cm_note::instant::Instant;
use cm_playbook::curation::history::SessionCounts;

/// Why a session could not be processed.
#[derive(Debug)]
pub struct SessionFailure {
    pub error: Error,
    /// Whether processing further sessions would fail for the same reason.
    pub is_lasting: bool,
}

impl From<Error> for SessionFailure {
    fn from(error: Error) -> Self {
        let is_lasting = matches!(
            error.kind,
            ErrorKind::Locked | ErrorKind::Interrupted | ErrorKind::Terminated | ErrorKind::Failed
        ) || matches!(error.code, "in-progress" | "invalid-setting" | "git-locked");
        Self { error, is_lasting }
    }
}

/// Limits of a run over several sessions, and whether it writes and reprocesses.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Do not write anything.
    pub dry_run: bool,
    /// Maximum number of proposed changes per session.
    pub deltas: usize,
    /// Maximum number of times that a model is asked for proposals, per session.
    pub rounds: usize,
    /// Also process sessions that were processed before.
    pub reprocess: bool,
}

/// State that a run shares between the sessions it processes.
pub struct SessionProcessor<'a> {
    pub context: &'a Context,
    pub access: &'a SessionAccess,
    pub reader: SessionReader,
    /// Record of the sessions that earlier runs processed.
    pub record: ReflectionLog,
    /// Client of the language model; `None` if the run uses rules only.
    pub model: Option<LanguageModel>,
    /// Recent diaries, which show patterns across sessions.
    pub earlier: Vec<Diary>,
    /// Traces of the project's sessions, in which patterns are counted.
    pub traces: TraceLibrary,
    pub run_options: RunOptions,
}

/// Evidence for a rule that was proposed because it recurs in the project's sessions.
#[derive(Debug, Clone, Default)]
pub struct CountedRule {
    pub counts: SessionCounts,
    /// Commands that the rule names.
    pub commands: Vec<String>,
}

/// The diary of a session and the changes that it led to.
pub struct SessionProposals<'a> {
    pub todo: &'a QueuedSession,
    pub diary: Diary,
    pub drafts: Vec<ReflectionDraft>,
    /// The rules that were proposed by counting, by rule text with normalized whitespace.
    pub counted: HashMap<String, CountedRule>,
    /// Times of the prompts with lasting statements and withdrawn rules, by line.
    pub times: HashMap<u64, Instant>,
    /// Whether the vault's own person typed the prompts.
    pub is_of_person: bool,
    /// The memories that the person withdrew.
    pub withdrawn: Vec<WithdrawnMemory>,
}

impl SessionProposals<'_> {
    /// Returns when and where the statement of an origin was made; `None` if the session has no times.
    pub fn origin_of(&self, origin: &DraftOrigin) -> Option<StatementOrigin<'_>> {
        let meta = &self.todo.listed.session.meta;
        let at = self.times.get(&origin.line).copied().or(meta.ended)?;
        Some(StatementOrigin { session: meta.id.as_str(), at, workspace: meta.workspace.as_deref() })
    }
}

impl From<ModelFailure> for SessionFailure {
    fn from(failure: ModelFailure) -> Self {
        match failure {
            ModelFailure::Silent { error, is_lasting } => Self { error, is_lasting },
            ModelFailure::Useless(why) => {
                Self { error: Error::new(ErrorKind::Provider, "model", why), is_lasting: false }
            }
        }
    }
}
