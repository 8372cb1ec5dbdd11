//! Writes or updates the diary of a session as a note; a session has at most one.
//!
//! A diary is extracted by rules, or written by the configured model if it is enabled. No lock is
//! held during model requests.

pub(super) mod place;
pub(super) mod session;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::memory::Memory;
use super::provider::{Asker, Trouble};
use super::sessions::Shelf;
use super::stop::Stop;
use super::write;
use cm_learn::diary::note::note;
use cm_learn::diary::read::read;
use cm_learn::diary::{Diary, Made};
use cm_note::change::ChangeSet;
use cm_note::message::Message;
use cm_session::status::SessionStatus;
use place::Place;
use session::Reader;

/// Selects the session and how its diary is written.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Session ID or a unique prefix of it.
    pub session: String,
    /// Only show the diary.
    pub dry_run: bool,
    /// Do not use a model, regardless of the settings.
    pub no_model: bool,
}

/// The result of writing a diary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Written {
    /// Note ID.
    pub id: String,
    /// Path of the diary's file.
    pub path: String,
    /// Session ID.
    pub session: String,
    /// The agent of the session.
    pub agent: String,
    /// Title of the diary.
    pub title: String,
    /// Outcome of the session.
    pub status: SessionStatus,
    /// How the diary was written.
    pub made: By,
    /// Name of the model.
    pub model: Option<String>,
    /// Why the model's answer was discarded and rules were used instead.
    pub why: Option<String>,
    /// Number of items dropped from the model's answer because the session does not support them.
    pub refused: usize,
    /// Whether the note changed.
    pub changed: bool,
    /// The commit; null if commits are manual or nothing changed.
    pub commit: Option<String>,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// The diary note as Markdown.
    pub text: String,
}

/// How a diary was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Extracted by rules.
    Rules,
    /// Written by a model.
    Model,
    /// Extracted by rules, because the model's answer was unusable.
    RulesInstead,
}

impl By {
    /// Determines how `diary` was written.
    pub(super) fn of(diary: &Diary) -> Self {
        match diary.made {
            Made::Extracted | Made::Told => Self::Rules,
            Made::Model(_) => Self::Model,
            Made::Instead(_) => Self::RulesInstead,
        }
    }
}

/// Writes or updates the diary of a session.
///
/// # Errors
/// An unknown session, a session without content for a diary, a model that does not answer, and the
/// errors of [`write::apply_with`].
pub fn diary(memory: &Memory, shelf: &Shelf, options: &Options, stop: &Stop) -> Result<Written> {
    let listed = shelf.one(&options.session)?;
    let mut reader = Reader::open(memory)?;
    let asker = if options.no_model { None } else { Asker::open(memory, &reader.rules, stop)? };
    let heard = reader.read(memory, &listed.session, asker.as_ref().map(Asker::name))?;
    let (diary, refused) = match &asker {
        None => (heard.diary.clone(), Vec::new()),
        Some(asker) => heard.summed_up(asker, &reader.rules).map_err(|trouble| unanswered(trouble, stop))?,
    };
    if diary.is_empty() {
        return Err(write::nothing(format!(
            "the session {} tells nothing that is worth a diary",
            heard.meta.id
        ))
        .hint("`cm sessions show` tells what was said in it"));
    }
    let place = Place::of(memory, &diary)?;
    let said = std::cell::RefCell::new(None);
    let plan = |open: &super::memory::OpenVault| {
        let (change, notice) = place.change(memory, open, &diary)?;
        *said.borrow_mut() = notice;
        let verb = if place.is_there { "Renew" } else { "Write" };
        let message = Message::new("diary", format!("{verb} the diary \"{}\"", diary.title)).id(&diary.id);
        let message =
            Message { session: Some(diary.session.clone()), agent: Some(diary.agent.clone()), ..message };
        Ok(ChangeSet { message, changes: change.into_iter().collect() })
    };
    let (commit, changed, text) = if options.dry_run {
        let files = write::preview(memory, plan(memory.target())?)?;
        (None, !files.is_empty(), files.into_iter().next().map(|(.., after)| after))
    } else {
        let written = write::apply_with(memory, plan)?;
        (written.commit, !written.changed.is_empty(), None)
    };
    said.take().into_iter().for_each(|notice: String| memory.notice(notice));
    let kept =
        || memory.target().read(&place.path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.or_else(kept).unwrap_or_else(|| note(&diary));
    let written = written(&diary, &place, text);
    Ok(Written { refused: refused.len(), changed, commit, dry_run: options.dry_run, ..written })
}

fn written(diary: &Diary, place: &Place, text: String) -> Written {
    let (model, why) = match &diary.made {
        Made::Extracted | Made::Told => (None, None),
        Made::Model(name) => (Some(name.clone()), None),
        Made::Instead(why) => (None, Some(why.clone())),
    };
    Written {
        // A note that was there keeps its id.
        id: read(&text).map_or_else(|| diary.id.clone(), |kept| kept.id),
        path: place.path.to_string(),
        session: diary.session.clone(),
        agent: diary.agent.clone(),
        title: diary.title.clone(),
        status: diary.verdict.status,
        made: By::of(diary),
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
fn unanswered(trouble: Trouble, stop: &Stop) -> Error {
    match trouble {
        _ if stop.is_at_once() => stop.error(),
        Trouble::Silent { error, .. } => {
            let hint = error.hint.clone().map(|hint| format!("{hint}; or go without one: --no-model"));
            error.hint(hint.unwrap_or_else(|| "go without one: --no-model".to_owned()))
        }
        Trouble::Useless(why) => Error::new(super::Kind::Provider, "model", why),
    }
}
