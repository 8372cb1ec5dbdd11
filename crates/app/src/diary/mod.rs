//! The diary of one session, written or renewed as a note; the same session has one note.
//!
//! By rules alone, or by the model of the settings where there is one and it is wanted. Nothing is locked while a model is
//! asked.

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

/// Which diary, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The session's id, or the beginning of it.
    pub session: String,
    /// Only say what it would say.
    pub dry_run: bool,
    /// Go without a model, whatever the settings say.
    pub no_model: bool,
}

/// A diary.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Written {
    /// The note's id.
    pub id: String,
    /// Its file.
    pub path: String,
    /// The session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// What it is called.
    pub title: String,
    /// How the session ended.
    pub status: SessionStatus,
    /// What wrote it.
    pub made: By,
    /// Which model.
    pub model: Option<String>,
    /// Why the model's answer was of no use, where rules had to do.
    pub why: Option<String>,
    /// How many points of the model's answer were left out, because the session does not say so.
    pub refused: usize,
    /// Whether the note is other than before.
    pub changed: bool,
    /// The commit; null where commits are manual or nothing changed.
    pub commit: Option<String>,
    /// Whether this only says what it would say.
    pub dry_run: bool,
    /// The diary as a note.
    pub text: String,
}

/// What wrote a diary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Rules.
    Rules,
    /// A model.
    Model,
    /// Rules, because a model's answer was of no use.
    RulesInstead,
}

impl By {
    /// What wrote this one.
    pub(super) fn of(diary: &Diary) -> Self {
        match diary.made {
            Made::Extracted | Made::Told => Self::Rules,
            Made::Model(_) => Self::Model,
            Made::Instead(_) => Self::RulesInstead,
        }
    }
}

/// Writes the diary of a session, or renews it.
///
/// # Errors
/// No such session, one that tells nothing, a model that does not answer, and those of [`write::apply_with`].
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

/// Why there is no diary by a model.
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
