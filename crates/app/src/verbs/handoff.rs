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
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
pub use cm_learn::handoff::Handoff;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_playbook::generated;
use cm_secrets::redact;
use cm_store::git::Repo;

/// Number of days after which a handoff that no session was shown expires.
const KEPT_DAYS: f64 = 7.0;

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
/// from the log of `session`.
///
/// # Errors
/// A token of a server, whose folder is unknown; nothing to hand over; and errors of the private
/// state.
pub fn write(memory: &Context, stated: Handoff, session: Option<&ParsedSession>) -> Result<HandoffAnswer> {
    if memory.call.by.has_token {
        return Err(Error::refused("local-only", "a handoff belongs to a folder of this machine")
            .hint("write down what others need as an observation"));
    }
    let open = memory.target();
    let (rules, _) = secrets::rules_of_logs(memory, open)?;
    let derived = session.map(|told| Handoff::of_session(&told.meta, &told.events)).unwrap_or_default();
    let handoff = stated.cleaned().or(derived);
    if handoff.is_empty() {
        return Err(write::nothing_done("there is nothing to hand over")
            .hint("state a goal or the next step, or name a session"));
    }
    let (text, removed) = redact(&handoff.markdown(), &rules);
    let by = &memory.call.by;
    let origin = Origin {
        note_type: "handoff".to_owned(),
        at: memory.now().to_string(),
        agent: session.map(|told| told.meta.agent.to_string()).or_else(|| by.agent.clone()),
        session: session.map(|told| told.meta.id.to_string()).or_else(|| by.session.clone()),
        folder: folder(memory).file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let yaml = yaml_serde::to_string(&origin).map_err(|error| Error::usage(error.to_string()))?;
    let file = file(memory)?;
    let private = open.vault.private()?;
    private.write(&file, format!("---\n{yaml}---\n\n{}", text.as_str()).as_bytes())?;
    let waiting = waiting(origin, text.as_str().to_owned());
    Ok(HandoffAnswer { handoff: Some(waiting), redacted: removed.len() })
}

/// Returns the handoff that waits in this folder, without marking it as shown.
///
/// # Errors
/// Errors of the private state.
pub fn show(memory: &Context) -> Result<HandoffAnswer> {
    Ok(HandoffAnswer { handoff: read(memory, &file(memory)?)?, redacted: 0 })
}

/// Removes the handoff that waits in this folder, and returns it.
///
/// # Errors
/// Errors of the private state.
pub fn clear(memory: &Context) -> Result<HandoffAnswer> {
    let file = file(memory)?;
    let handoff = read(memory, &file)?;
    memory.target().vault.private()?.remove(&file)?;
    Ok(HandoffAnswer { handoff, redacted: 0 })
}

/// A handoff that this process has taken to show it, so that no other session is shown it.
pub(crate) struct ClaimedHandoff {
    handoff: WaitingHandoff,
    waiting: PathBuf,
    claimed: PathBuf,
}

impl ClaimedHandoff {
    /// Takes the handoff of this folder, unless the session wrote it itself. `None` if there is none
    /// or another session took it.
    pub(crate) fn take(memory: &Context, session: Option<&str>) -> Option<Self> {
        let waiting = file(memory).ok()?;
        let handoff = read(memory, &waiting).ok().flatten()?;
        if handoff.session.is_some() && handoff.session.as_deref() == session {
            return None;
        }
        let claimed = waiting.with_extension("shown.md");
        let is_taken = memory.target().vault.private().ok()?.take(&waiting, &claimed).ok()?;
        is_taken.then_some(Self { handoff, waiting, claimed })
    }

    /// Lets the next session take the handoff, because this one was not shown it.
    pub(crate) fn put_back(self, memory: &Context) {
        // A hook never fails for it.
        if let Ok(private) = memory.target().vault.private() {
            let _ = private.put_back(&self.claimed, &self.waiting);
        }
    }

    /// Text for the start of a session: quoted, with its origin.
    pub(crate) fn part(&self) -> InjectionPart {
        let WaitingHandoff { at, agent, session, text, .. } = &self.handoff;
        let by = agent.as_deref().unwrap_or("the user");
        let session = session.as_ref().map(|id| format!(", session {id}")).unwrap_or_default();
        let quoted = text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n");
        InjectionPart {
            kind: PartKind::Handoff,
            heading: Some(format!("## Unfinished work, handed over by {by}{session}, {at}")),
            entries: vec![InjectionEntry { id: None, text: quoted }],
        }
    }
}

/// Root of the Git work tree that contains the working directory, else the working directory.
fn folder(memory: &Context) -> PathBuf {
    let repo = Repo::discover(&memory.call.cwd).ok().flatten();
    repo.map_or_else(|| memory.call.cwd.clone(), |repo| repo.workdir().to_owned())
}

fn file(memory: &Context) -> Result<PathBuf> {
    let folder = folder(memory);
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    let private = memory.target().vault.private()?;
    Ok(private.state().join("handoffs").join(format!("{}.md", &hash[..16])))
}

/// Reads a handoff; `None` if there is none, it expired, or a person damaged the file.
fn read(memory: &Context, file: &Path) -> Result<Option<WaitingHandoff>> {
    let Some(text) = memory.target().vault.private()?.read(file)? else { return Ok(None) };
    let split = Split::of(&text);
    let origin = split.yaml().and_then(|yaml| yaml_serde::from_str::<Origin>(yaml).ok());
    let is_current =
        |origin: &Origin| Instant::parse(&origin.at).is_ok_and(|at| at >= memory.now().minus_days(KEPT_DAYS));
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
