//! Writes or updates the diary of a session as a note; a session has at most one.
//!
//! A diary is extracted by rules, or written by the configured model if it is enabled. No lock is
//! held during model requests.

pub(crate) mod session;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::cancellation::Cancellation;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::SessionAccess;
use crate::sessions::diary_location::DiaryLocation;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::sessions::related::related_sessions;
use crate::verbs::curate::{CurationOptions, ExtraChanges, curate_with};
use crate::verbs::playbook;
use crate::verbs::privacy;
use cm_learn::diary::note::note;
use cm_learn::diary::read::read;
use cm_learn::diary::{Diary, DiaryOrigin};
use cm_learn::reflect::session_topics::SessionTopics;
use cm_note::change::ChangeSet;
use cm_note::message::{CommitMessage, CommitOp};
use cm_playbook::curation::SweepScope;
use cm_playbook::curation::delta::DeltaFile;
use cm_session::status::SessionStatus;
use session::{SessionReader, SessionTranscript};

/// The session and the mode of writing its diary.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Session ID or a unique prefix of it.
    pub session: String,
    /// Report the diary without writing it.
    pub dry_run: bool,
    /// Do not use a model, regardless of the settings.
    pub no_model: bool,
    /// Fail unless related sessions of other agents may be listed.
    pub enrich: bool,
}

/// Result of writing a session's diary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WrittenDiary {
    /// ID of the note.
    pub id: String,
    /// Path of the diary's file, relative to the vault root.
    pub path: String,
    /// Session ID.
    pub session: String,
    /// The agent of the session.
    pub agent: String,
    pub title: String,
    /// Whether the session succeeded, according to the diary.
    pub status: SessionStatus,
    /// How the diary was written.
    pub made: DiaryMethod,
    /// Name of the model that wrote the diary; null if rules did.
    pub model: Option<String>,
    /// Why the model's answer was discarded and rules were used instead.
    pub why: Option<String>,
    /// Number of statements dropped from the model's answer because the session does not support
    /// them.
    pub refused: usize,
    /// Whether the note changed.
    pub changed: bool,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether this was a dry run, so that nothing was written.
    pub dry_run: bool,
    /// The diary note as Markdown.
    pub text: String,
}

/// How a diary was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiaryMethod {
    /// Extracted by rules.
    Rules,
    /// Written by a model.
    Model,
    /// Extracted by rules, because the model's answer was unusable.
    RulesInstead,
}

impl DiaryMethod {
    /// Derives from the diary's recorded author whether a model or rules wrote it.
    pub(crate) fn of(diary: &Diary) -> Self {
        match diary.origin {
            DiaryOrigin::Extracted | DiaryOrigin::OutcomeOnly => Self::Rules,
            DiaryOrigin::Model(_) => Self::Model,
            DiaryOrigin::Fallback(_) => Self::RulesInstead,
        }
    }
}

/// Writes or updates the diary of a session.
///
/// # Errors
/// An unknown session, a session without content for a diary, a model that does not answer, and the
/// errors of [`write::apply`].
pub fn diary(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
    stop: &Cancellation,
) -> Result<WrittenDiary> {
    if options.enrich && !privacy::cross_agent(context) {
        return Err(Error::refused("cross-agent", "a diary may not list sessions of other agents")
            .hint("a person can allow it with `cm config set sessions.cross_agent true --private`"));
    }
    let mut reader = SessionReader::open(context)?;
    let language_model =
        if options.no_model { None } else { LanguageModel::open(context, &reader.rules, stop)? };
    let model = language_model.as_ref().map(LanguageModel::name);
    let transcript = match access.find(&options.session) {
        Ok(listed) => reader.read(context, &listed.session, model)?,
        Err(error) => reader.read_unindexed(context, &options.session, model)?.ok_or(error)?,
    };
    let (diary, refused) = match &language_model {
        None => (transcript.diary.clone(), Vec::new()),
        Some(language_model) => transcript
            .summarize(language_model, &reader.rules)
            .map_err(|trouble| unanswered(trouble, stop))?,
    };
    let diary = with_related(context, access, diary)?;
    if diary.is_empty() {
        return Err(write::nothing_done(format!(
            "the session {} has nothing worth a diary",
            transcript.meta.id
        ))
        .hint("`cm sessions show` shows the session"));
    }
    let location = DiaryLocation::of(context, &diary)?;
    let applied = write::apply_or_preview(context, options.dry_run, |open| {
        let (change, notice) = location.change(context, open, &diary)?;
        let verb = if location.is_there { "Renew" } else { "Write" };
        let message = CommitMessage::new(CommitOp::Diary, format!("{verb} the diary \"{}\"", diary.title))
            .id(&diary.id);
        let message = CommitMessage {
            session: Some(diary.session.clone()),
            agent: Some(diary.agent.clone()),
            ..message
        };
        Ok((ChangeSet { message, changes: change.into_iter().collect() }, notice))
    })?;
    applied.result.into_iter().for_each(|notice| context.notice(notice));
    let changed = !applied.changed.is_empty();
    if changed && !options.dry_run {
        recheck_drafts(context, &transcript)?;
    }
    let stored_text = || {
        context.target().read(&location.path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let previewed_text = applied.preview.into_iter().next().map(|file| file.after);
    let text = previewed_text.or_else(stored_text).unwrap_or_else(|| note(&diary));
    let written = written(&diary, &location, text);
    Ok(WrittenDiary {
        refused: refused.len(),
        changed,
        commit: applied.commit,
        dry_run: options.dry_run,
        ..written
    })
}

/// Adds related sessions of other agents to a diary, where `sessions.cross_agent` allows it.
///
/// # Errors
/// Returns an error if the session index cannot be read.
pub(crate) fn with_related(context: &Context, access: &SessionAccess, diary: Diary) -> Result<Diary> {
    if diary.is_empty() || !privacy::cross_agent(context) {
        return Ok(diary);
    }
    Ok(Diary { related: related_sessions(context, access, &diary)?, ..diary })
}

/// Activates the drafts that the session is about if their evidence is now sufficient.
fn recheck_drafts(context: &Context, transcript: &SessionTranscript) -> Result<()> {
    let playbook = playbook::as_written(context, context.target())?;
    let mut gathered = GatheredEvidence::of_session(&transcript.meta);
    let topics = SessionTopics::of(&transcript.events, &transcript.trace());
    gathered.gather_drafts(&SessionEvidence::of(context), &playbook.bullets, &topics);
    if gathered.is_empty() {
        return Ok(());
    }
    let how = CurationOptions { sweep: SweepScope::Drafts, ..CurationOptions::by_program(CommitOp::Diary) };
    let extra = ExtraChanges { history: Some(&gathered), ..ExtraChanges::NOTHING };
    curate_with(context, &DeltaFile::default(), &how, &extra).map(drop)
}

fn written(diary: &Diary, location: &DiaryLocation, text: String) -> WrittenDiary {
    let (model, why) = match &diary.origin {
        DiaryOrigin::Extracted | DiaryOrigin::OutcomeOnly => (None, None),
        DiaryOrigin::Model(name) => (Some(name.clone()), None),
        DiaryOrigin::Fallback(why) => (None, Some(why.clone())),
    };
    WrittenDiary {
        // A note that was there keeps its id.
        id: read(&text).map_or_else(|| diary.id.clone(), |stored| stored.id),
        path: location.path.to_string(),
        session: diary.session.clone(),
        agent: diary.agent.clone(),
        title: diary.title.clone(),
        status: diary.verdict.status,
        made: DiaryMethod::of(diary),
        model,
        why,
        refused: 0,
        changed: false,
        commit: None,
        dry_run: false,
        text,
    }
}

/// Converts a failed model request to an error that suggests `--no-model`.
fn unanswered(trouble: ModelFailure, stop: &Cancellation) -> Error {
    match trouble {
        _ if stop.is_immediate() => stop.error(),
        ModelFailure::Silent { error, .. } => {
            let without = "do not use a model: `--no-model`";
            let hint = match &error.hint {
                Some(hint) => format!("{}; or {without}", hint.for_terminal()),
                None => without.to_owned(),
            };
            error.hint(hint)
        }
        ModelFailure::Useless(why) => Error::new(crate::ErrorKind::Provider, "model", why),
    }
}
