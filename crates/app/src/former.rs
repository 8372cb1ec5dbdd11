//! Private files where earlier versions kept them: in the vault's own folder, where anybody may have put them.
//!
//! They are ignored. A person may take some of them over, one by one; settings with power, tokens and journals never.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::config::{self, Target};
use super::error::Result;
use super::memory::{Memory, OpenVault};
use cm_store::config::{Layer, keys};
use cm_store::vault::Vault;
use cm_store::vault::caches::{files_below, read_regular};

/// The former file of private settings.
const SETTINGS: &str = "_config.toml";
/// The former folder of uploaded sessions.
const SESSIONS: &str = "_state/sessions";
/// Former files of private state, each taken over as a whole under its own name.
const STATE: [&str; 5] = [
    "_state/reads.jsonl",
    "_state/models.jsonl",
    "_state/reflected.jsonl",
    "_state/onboarded.jsonl",
    "_state/jobs.json",
];
/// What is never taken over: it would say who may ask a server, or what recovery writes.
const NEVER: [&str; 2] = ["_tokens.toml", "_state/journal"];

/// Something in a former place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Former {
    /// A setting without power, and its value as TOML.
    Setting {
        /// Its name.
        key: String,
        /// Its value, as a person would type it.
        value: String,
    },
    /// A file of private state.
    File {
        /// Where it lies in the vault.
        path: String,
    },
    /// Something that is never taken over.
    Ignored {
        /// Where it lies in the vault.
        path: String,
        /// Why not.
        why: String,
    },
}

/// What a person took over, and what is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TakenOver {
    /// What was taken over.
    pub taken: Vec<Former>,
    /// What was declined, was already there, or is never taken over.
    pub left: Vec<Former>,
}

/// The names of former places in which something lies, for a report.
pub(super) fn places(vault: &Vault) -> Vec<&'static str> {
    let all = [SETTINGS, SESSIONS].into_iter().chain(STATE).chain(NEVER);
    all.filter(|name| vault.root().join(name).symlink_metadata().is_ok()).collect()
}

/// Everything in the former places of the vault that is written to.
pub fn list(memory: &Memory) -> Vec<Former> {
    let vault = &memory.target().vault;
    let exists = |name: &&str| vault.root().join(name).symlink_metadata().is_ok();
    let mut found = settings(vault);
    let state = STATE.iter().filter(|name| exists(name)).map(|name| (*name).to_owned());
    found.extend(state.chain(sessions(vault)).map(|path| Former::File { path }));
    found.extend(NEVER.iter().filter(|name| exists(name)).map(|name| Former::Ignored {
        path: (*name).to_owned(),
        why: "it could say who may ask, or what is written".to_owned(),
    }));
    found
}

/// The settings of the former file; those with power are named and never taken over.
fn settings(vault: &Vault) -> Vec<Former> {
    let Ok(bytes) = read_regular(&vault.root().join(SETTINGS)) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    // Read as a private file, so that settings with power are seen and can be named.
    let layer = Layer::of_toml("config.toml", &text);
    let item = |(name, value): (&&'static str, &toml::Value)| match keys::find(name) {
        Some(key) if !key.is_users() => Former::Setting { key: (*name).to_owned(), value: typed(value) },
        _ => Former::Ignored {
            path: format!("{SETTINGS}: {name}"),
            why: format!("it has power; set it yourself: cm config set {name} … --private"),
        },
    };
    layer.values.iter().map(item).collect()
}

/// A value as `cm config set` takes it.
fn typed(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => {
            items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// The logs of uploaded sessions, from the vault's root.
fn sessions(vault: &Vault) -> Vec<String> {
    let folder = vault.root().join(SESSIONS);
    let mut found: Vec<String> = files_below(&folder, 2)
        .into_iter()
        .filter_map(|file| Some(file.strip_prefix(vault.root()).ok()?.to_str()?.to_owned()))
        .collect();
    found.sort();
    found
}

/// Asks about each thing that may be taken over, and takes over what is confirmed. What is there already stays as it is, and so
/// do the former files.
///
/// # Errors
/// Private files that cannot be written, and those of [`config::set`].
pub fn import(memory: &Memory, confirm: &mut dyn FnMut(&Former) -> bool) -> Result<TakenOver> {
    memory.persons_only("take over private files")?;
    let open = memory.target();
    let mut outcome = TakenOver { taken: Vec::new(), left: Vec::new() };
    for former in list(memory) {
        let free = is_free(open, &former)?;
        if free && confirm(&former) && take_over(memory, open, &former)? {
            outcome.taken.push(former);
        } else {
            outcome.left.push(former);
        }
    }
    Ok(outcome)
}

/// Whether it may be taken over and nothing of the kind is there yet.
fn is_free(open: &OpenVault, former: &Former) -> Result<bool> {
    Ok(match former {
        Former::Setting { key, .. } => {
            let held = open.settings.get(key);
            held.is_none_or(|(_, origin)| !origin.is_users() || *origin == cm_store::config::Origin::Default)
        }
        Former::File { path } => !open.vault.private_file(own_name(path))?.exists(),
        Former::Ignored { .. } => false,
    })
}

fn take_over(memory: &Memory, open: &OpenVault, former: &Former) -> Result<bool> {
    match former {
        Former::Setting { key, value } => Ok(config::set(memory, key, Some(value), Target::Private)?.changed),
        Former::File { path } => {
            let from: PathBuf = open.vault.root().join(Path::new(path));
            let bytes = read_regular(&from).map_err(cm_store::vault::Error::io("read", &from))?;
            let to = open.vault.private_file(own_name(path))?;
            open.vault.private()?.write(&to, &bytes)?;
            Ok(true)
        }
        Former::Ignored { .. } => Ok(false),
    }
}

/// The name among the private files of what lies in `_state/`.
fn own_name(path: &str) -> &str {
    path.strip_prefix("_state/").unwrap_or(path)
}
