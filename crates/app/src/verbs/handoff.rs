//! Hands unfinished work over to the next agent in the same folder.
//!
//! A handoff is a note of type `handoff` in the user's private state. It is shown once, at the start
//! of the next session in its folder, as quoted data with its origin. It expires after
//! seven days.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::open::Context;
use crate::context::secrets;
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::logs::ParsedSession;
use crate::sessions::{self, SessionAccess, SessionSelection};
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
pub use cm_learn::handoff::Handoff;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_playbook::generated;
use cm_secrets::redact;
use cm_store::git::Repo;

/// Number of days after which a handoff that no session was shown expires.
const HANDOFF_DAYS: f64 = 7.0;

/// Origin of a handoff, in its frontmatter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Origin {
    #[serde(rename = "type")]
    note_type: String,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    folder: String,
}

/// A handoff that waits for the next session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WaitingHandoff {
    /// Name of the folder whose next session is shown the handoff.
    pub folder: String,
    /// Time at which it was written, RFC 3339.
    pub at: String,
    /// Agent that wrote it; null for a person.
    pub agent: Option<String>,
    /// Session that it summarizes; null if unknown.
    pub session: Option<String>,
    /// The handoff, as a Markdown list.
    pub text: String,
    /// Estimated number of tokens.
    pub tokens: usize,
}

/// The handoff of this folder, if there is one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HandoffAnswer {
    /// Null if none waits.
    pub handoff: Option<WaitingHandoff>,
    /// Number of secrets that were removed from the text.
    pub redacted: usize,
}

/// Writes the handoff of this folder; an earlier one is replaced. Fields that are not stated come
/// from the log of the `selected` session, else of the caller's session, else of the newest session of
/// the calling agent in this folder; for a person who states no goal, of any agent.
///
/// # Errors
/// A token of a server, whose folder is unknown; nothing to hand over; a selected session that cannot
/// be read while nothing is stated; and errors of the private state.
pub fn write(
    context: &Context,
    access: &SessionAccess,
    stated: Handoff,
    selected: Option<&str>,
) -> Result<HandoffAnswer> {
    if context.request.caller.has_token {
        return Err(Error::refused("local-only", "a handoff belongs to a folder of this machine")
            .hint("write down what others need as an observation"));
    }
    let stated = stated.cleaned();
    let caller = &context.request.caller;
    // The person's own goal is not that of whichever session ran here last.
    let is_own = stated.goal.is_some() && caller.agent_name().is_none() && caller.session.is_none();
    let found = match is_own && selected.is_none() {
        true => Ok(None),
        false => summarized_session(context, access, selected),
    };
    let session = match found {
        Err(error) if !stated.is_empty() => {
            context.notice(error.message);
            None
        }
        session => session?,
    };
    let session = session.as_ref();
    let open = context.target();
    let (rules, _) = secrets::rules_of_logs(context, open)?;
    let derived = session.map(|source| Handoff::of_session(&source.meta, &source.events)).unwrap_or_default();
    let is_stated = !stated.is_empty();
    let handoff = stated.or(derived);
    if handoff.is_empty() {
        return Err(write::nothing_done("there is nothing to hand over")
            .hint("state a goal (`--goal`) or the next step (`--next`), or name a session (`--session`)"));
    }
    let (text, removed) = redact(&handoff.markdown(), &rules);
    let session_agent = session.map(|source| source.meta.agent.to_string());
    let origin = Origin {
        note_type: "handoff".to_owned(),
        at: context.now().to_string(),
        agent: match caller.agent_name() {
            None if is_stated && caller.session.is_none() => None,
            own => session_agent.or(own),
        },
        session: session.map(|source| source.meta.id.to_string()).or_else(|| caller.session.clone()),
        folder: folder(context).file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let yaml = yaml_serde::to_string(&origin).map_err(|error| Error::usage(error.to_string()))?;
    let file = file(context)?;
    if let Some(earlier) = read(context, &file)?.filter(|earlier| earlier.text != text.as_str()) {
        let beginning = earlier.text.lines().next().unwrap_or_default().trim_start_matches("- ").to_owned();
        context.notice(format!("replaces the handoff of {} ({beginning})", earlier.at));
    }
    let private = open.vault.private()?;
    private.write(&file, format!("---\n{yaml}---\n\n{}", text.as_str()).as_bytes())?;
    let waiting = waiting(origin, text.as_str().to_owned());
    Ok(HandoffAnswer { handoff: Some(waiting), redacted: removed.len() })
}

/// Loads the session that a handoff summarizes; `None` if there is none in this folder.
fn summarized_session(
    context: &Context,
    access: &SessionAccess,
    selected: Option<&str>,
) -> Result<Option<ParsedSession>> {
    let caller = &context.request.caller;
    let selected = selected.or(caller.session.as_deref()).filter(|id| !id.is_empty());
    let id = match (selected, caller.agent_name()) {
        (Some(id), _) => Some(id.to_owned()),
        (None, None) => newest(context, access, None)?,
        // The logs of an agent that cm does not know cannot be told from those of others.
        (None, Some(name)) if sessions::agents(&name).is_ok() => newest(context, access, Some(name))?,
        (None, Some(_)) => None,
    };
    id.map(|id| sessions::load::load(context, access, &id)).transpose()
}

/// Returns the id of the session in this folder that was active last.
fn newest(context: &Context, access: &SessionAccess, agents: Option<String>) -> Result<Option<String>> {
    let which = SessionSelection { agents, workspace: Some(".".to_owned()), ..SessionSelection::default() };
    let options = sessions::list::Options { which, limit: 1, offset: 0 };
    let found = sessions::list::list(context, access, &options)?.sessions.into_iter().next();
    Ok(found.map(|session| session.info.id.to_string()))
}

/// Returns the handoff that waits in this folder, without marking it as shown.
///
/// # Errors
/// Errors of the private state.
pub fn show(context: &Context) -> Result<HandoffAnswer> {
    Ok(HandoffAnswer { handoff: read(context, &file(context)?)?, redacted: 0 })
}

/// Removes the handoff that waits in this folder, and returns it.
///
/// # Errors
/// Errors of the private state.
pub fn clear(context: &Context) -> Result<HandoffAnswer> {
    let file = file(context)?;
    let handoff = read(context, &file)?;
    context.target().vault.private()?.remove(&file)?;
    Ok(HandoffAnswer { handoff, redacted: 0 })
}

/// A session that may be shown a handoff.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HandoffReader<'a> {
    pub session: Option<&'a str>,
    /// Name of the agent.
    pub agent: Option<&'a str>,
    /// Whether the session begins now.
    pub is_new: bool,
    /// A time before which the session had not begun; `None` if unknown.
    pub began_after: Option<Instant>,
}

impl HandoffReader<'_> {
    /// Whether the session may have written the handoff itself. Without the ids of both, a session
    /// of the same agent may have, unless it began later.
    fn may_be_author(&self, handoff: &WaitingHandoff) -> bool {
        if let (Some(author), Some(own)) = (handoff.session.as_deref(), self.session) {
            return author == own;
        }
        let written = Instant::parse(&handoff.at).ok();
        let is_later =
            self.is_new || self.began_after.zip(written).is_some_and(|(began, written)| began > written);
        handoff.agent.is_some() && handoff.agent.as_deref() == self.agent && !is_later
    }
}

/// Returns the handoff of this folder for the briefing of a task. A person sees it as often as they
/// ask; an agent other than its author takes it, so that it is shown once. `None` without one.
pub(crate) fn for_briefing(context: &Context) -> Option<BriefingHandoff> {
    let caller = &context.request.caller;
    if caller.has_token {
        return None;
    }
    let agent = caller.agent_name();
    if context.is_person() && agent.is_none() {
        return show(context).ok()?.handoff.map(BriefingHandoff::Waiting);
    }
    let began_after = context.server_began();
    let (session, agent) = (caller.session.as_deref(), agent.as_deref());
    let reader = HandoffReader { session, agent, is_new: false, began_after };
    ClaimedHandoff::take(context, &reader).map(BriefingHandoff::Claimed)
}

/// A handoff for a briefing.
pub(crate) enum BriefingHandoff {
    /// It stays for the next session.
    Waiting(WaitingHandoff),
    /// It was taken for this session.
    Claimed(ClaimedHandoff),
}

impl BriefingHandoff {
    pub(crate) fn handoff(&self) -> &WaitingHandoff {
        match self {
            Self::Waiting(handoff) => handoff,
            Self::Claimed(claimed) => &claimed.handoff,
        }
    }

    /// Lets the next session take the handoff, because this one was not shown it.
    pub(crate) fn put_back(self, context: &Context) {
        if let Self::Claimed(claimed) = self {
            claimed.put_back(context);
        }
    }
}

/// A handoff that this process has taken to show it, so that no other session is shown it.
pub(crate) struct ClaimedHandoff {
    handoff: WaitingHandoff,
    waiting: PathBuf,
    claimed: PathBuf,
}

impl ClaimedHandoff {
    /// Takes the handoff of this folder, unless the session may have written it itself. `None` if
    /// there is none or another session took it.
    pub(crate) fn take(context: &Context, reader: &HandoffReader<'_>) -> Option<Self> {
        let waiting = file(context).ok()?;
        let handoff = read(context, &waiting).ok().flatten()?;
        if reader.may_be_author(&handoff) {
            return None;
        }
        let claimed = waiting.with_extension("shown.md");
        let is_taken = context.target().vault.private().ok()?.take(&waiting, &claimed).ok()?;
        is_taken.then_some(Self { handoff, waiting, claimed })
    }

    /// Lets the next session take the handoff, because this one was not shown it.
    pub(crate) fn put_back(self, context: &Context) {
        // A hook never fails for it.
        if let Ok(private) = context.target().vault.private() {
            let _ = private.put_back(&self.claimed, &self.waiting);
        }
    }

    /// Text for the start of a session: quoted, with its origin.
    pub(crate) fn part(&self) -> InjectionPart {
        InjectionPart {
            kind: PartKind::Handoff,
            heading: Some(self.handoff.heading()),
            entries: vec![InjectionEntry { text: self.handoff.quoted(), ..Default::default() }],
        }
    }
}

impl WaitingHandoff {
    /// Heading with the origin, as Markdown.
    pub(crate) fn heading(&self) -> String {
        let by = self.agent.as_deref().unwrap_or("the user");
        let session = self.session.as_ref().map(|id| format!(", session {id}")).unwrap_or_default();
        format!("## Unfinished work, handed over by {by}{session}, {}", self.at)
    }

    /// The handoff as a Markdown quote.
    pub(crate) fn quoted(&self) -> String {
        self.text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
    }
}

/// Root of the Git work tree that contains the working directory, else the working directory.
fn folder(context: &Context) -> PathBuf {
    let repo = Repo::discover(&context.request.cwd).ok().flatten();
    repo.map_or_else(|| context.request.cwd.clone(), |repo| repo.workdir().to_owned())
}

fn file(context: &Context) -> Result<PathBuf> {
    let folder = folder(context);
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    let private = context.target().vault.private()?;
    Ok(private.state().join("handoffs").join(format!("{}.md", &hash[..16])))
}

/// Reads a handoff; `None` if there is none, it expired, or a person damaged the file.
fn read(context: &Context, file: &Path) -> Result<Option<WaitingHandoff>> {
    let Some(text) = context.target().vault.private()?.read(file)? else { return Ok(None) };
    let split = Split::of(&text);
    let origin = split.yaml().and_then(|yaml| yaml_serde::from_str::<Origin>(yaml).ok());
    let is_current = |origin: &Origin| {
        Instant::parse(&origin.at).is_ok_and(|at| at >= context.now().minus_days(HANDOFF_DAYS))
    };
    Ok(origin.filter(is_current).map(|origin| waiting(origin, split.body().trim_start().to_owned())))
}

fn waiting(origin: Origin, text: String) -> WaitingHandoff {
    WaitingHandoff {
        folder: origin.folder,
        at: origin.at,
        agent: origin.agent,
        session: origin.session,
        tokens: generated::tokens(text.chars().count()),
        text,
    }
}
