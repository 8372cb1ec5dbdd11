//! Takes over the memories that agents keep by themselves, as a source of `cm reflect`.
//!
//! Each text is taken once: a note that a person deleted or changed afterwards does not come back.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::Options;
use crate::context::open::Context;
use crate::error::{ErrorKind, Result};
use crate::sessions::session_filter::{SessionFilter, is_global, project};
use crate::sessions::{self, SessionSelection};
use crate::verbs::import;
use crate::verbs::import_native;
use cm_session::{Agent, SessionId, SessionMeta};
use cm_store::config::keys;
use cm_store::vault::Vault;

/// Private file with the hashes of the memories that were taken.
const FILE: &str = "native.json";

/// Memories of agents that a run took over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NativeMemories {
    /// The new notes; they stay unverified until they are confirmed.
    pub notes: Vec<import::ImportedFile>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Takes over the memories of the target vault's scope that are new. None if `reflect.native` is
/// off, or if the selection or the settings exclude the agents' files.
///
/// # Errors
/// Files that cannot be read, and the errors of a write.
pub(super) fn take(context: &Context, options: &Options) -> Result<NativeMemories> {
    let open = context.target();
    let agents = agents(context, &options.selection)?;
    if agents.is_empty() || open.settings.flag(keys::REFLECT_NATIVE) == Some(false) {
        return Ok(NativeMemories::default());
    }
    let mut folder = import_native::memories(context)?;
    let is_of = |path: &str| agents.iter().any(|agent| path.split('/').next() == Some(agent.name()));
    folder.notes.retain(|file| is_of(file.path.as_str()));
    let mut taken = read_taken(&open.vault);
    let hashes: Vec<String> = folder.notes.iter().map(|file| hash(&file.bytes)).collect();
    let mut new = hashes.iter().map(|hash| !taken.contains(hash));
    folder.notes.retain(|_| new.next().unwrap_or(true));
    if folder.notes.is_empty() {
        return Ok(NativeMemories::default());
    }
    let result = match import::native_folder(context, folder, options.dry_run) {
        Err(error) if error.kind == ErrorKind::NothingDone => NativeMemories::default(),
        result => result.map(|result| NativeMemories { notes: result.imported, commit: result.commit })?,
    };
    if !options.dry_run {
        taken.extend(hashes);
        open.vault.write_private_json(FILE, &taken)?;
    }
    Ok(result)
}

/// The agents whose memories may be read: those whose sessions in the vault's own folder may be.
fn agents(context: &Context, selection: &SessionSelection) -> Result<Vec<Agent>> {
    let (caller, open) = (&context.request.caller, context.target());
    if caller.has_token || caller.is_remote || selection.workspace.is_some() {
        return Ok(Vec::new());
    }
    let wanted = selection.agents.as_deref().map(sessions::agents).transpose()?;
    let filter = SessionFilter::of(context, open);
    let workspace = (!is_global(context, open)).then(|| project(open).display().to_string());
    let id = SessionId::from("native");
    let may_read = |agent: &Agent| {
        let meta = SessionMeta { workspace: workspace.clone(), ..SessionMeta::new(*agent, id.clone()) };
        filter.agents.contains(agent) && filter.allows(&meta)
    };
    let all = [Agent::ClaudeCode, Agent::Codex].into_iter().filter(may_read);
    Ok(all.filter(|agent| wanted.as_ref().is_none_or(|wanted| wanted.contains(agent))).collect())
}

fn hash(bytes: &[u8]) -> String {
    let words = import_native::words(&String::from_utf8_lossy(bytes));
    cm_note::change::ContentHash::of(words.as_bytes()).revision()
}

/// A missing or damaged file counts as empty: what the vault has is recognized all the same.
fn read_taken(vault: &Vault) -> BTreeSet<String> {
    vault.read_private_json(FILE).ok().flatten().unwrap_or_default()
}
