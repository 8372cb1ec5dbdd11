//! Imports private files that earlier versions stored in the vault's folder, where anyone with
//! write access may have created them.
//!
//! These files are ignored. A person can import some of them one by one; sensitive settings, tokens
//! and journals are never imported.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::verbs::config::{self, SettingsTarget};
use cm_store::config::{SettingsLayer, keys};
use cm_store::vault::Vault;
use cm_store::vault::caches::{files_below, read_regular};

/// File in which earlier versions stored private settings.
const SETTINGS: &str = "_config.toml";
/// Folder in which earlier versions stored uploaded sessions.
const SESSIONS: &str = "_state/sessions";
/// Files in which earlier versions stored private state; imported unchanged.
const STATE: [&str; 5] = [
    "_state/reads.jsonl",
    "_state/models.jsonl",
    "_state/reflected.jsonl",
    "_state/onboarded.jsonl",
    "_state/jobs.json",
];
/// Files that are never imported, because they control access to a server or the writes of a crash
/// recovery.
const NEVER: [&str; 2] = ["_tokens.toml", "_state/journal"];

/// A private setting or file that an earlier version stored in the vault's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum LegacyPrivateEntry {
    /// A setting that may be imported.
    Setting {
        /// Name of the setting.
        key: String,
        /// Value in the syntax of `cm config set`.
        value: String,
    },
    /// A file of private state.
    File {
        /// Path of the file, relative to the vault root.
        path: String,
    },
    /// An entry that is never imported.
    Ignored {
        /// Path of the file, relative to the vault root.
        path: String,
        /// Why the entry is not imported.
        why: String,
    },
}

/// Result of importing private files of an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LegacyImport {
    pub taken: Vec<LegacyPrivateEntry>,
    /// Entries that were not imported: the user declined, they already exist, or they may never be
    /// imported.
    pub left: Vec<LegacyPrivateEntry>,
}

/// Returns the former private files and folders that the vault still contains.
pub(super) fn places(vault: &Vault) -> Vec<&'static str> {
    let all = [SETTINGS, SESSIONS].into_iter().chain(STATE).chain(NEVER);
    all.filter(|name| vault.root().join(name).symlink_metadata().is_ok()).collect()
}

/// Lists the private settings and files that earlier versions stored in the target vault.
pub fn list(context: &Context) -> Vec<LegacyPrivateEntry> {
    let vault = &context.target().vault;
    let exists = |name: &&str| vault.root().join(name).symlink_metadata().is_ok();
    let mut found = settings(vault);
    let state = STATE.iter().filter(|name| exists(name)).map(|name| (*name).to_owned());
    found.extend(state.chain(sessions(vault)).map(|path| LegacyPrivateEntry::File { path }));
    found.extend(NEVER.iter().filter(|name| exists(name)).map(|name| LegacyPrivateEntry::Ignored {
        path: (*name).to_owned(),
        why: "it could grant access or change the log".to_owned(),
    }));
    found
}

/// Lists the settings in the former settings file; sensitive ones as
/// [`LegacyPrivateEntry::Ignored`].
fn settings(vault: &Vault) -> Vec<LegacyPrivateEntry> {
    let Ok(bytes) = read_regular(&vault.root().join(SETTINGS)) else { return Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    // Read as a private file, so that settings with power are seen and can be named.
    let layer = SettingsLayer::parse_toml("config.toml", &text);
    let item = |(name, value): (&&'static str, &toml::Value)| match keys::find(name) {
        Some(key) if !key.is_users() => {
            LegacyPrivateEntry::Setting { key: (*name).to_owned(), value: typed(value) }
        }
        _ => LegacyPrivateEntry::Ignored {
            path: format!("{SETTINGS}: {name}"),
            why: format!(
                "it runs programs or sends text; set it yourself with `cm config set {name} … --private`"
            ),
        },
    };
    layer.values.iter().map(item).collect()
}

/// Formats a TOML value in the syntax of `cm config set`.
fn typed(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => {
            items.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// Paths of the uploaded session logs, relative to the vault root, sorted.
fn sessions(vault: &Vault) -> Vec<String> {
    let folder = vault.root().join(SESSIONS);
    let mut found: Vec<String> = files_below(&folder, 2)
        .into_iter()
        .filter_map(|file| Some(file.strip_prefix(vault.root()).ok()?.to_str()?.to_owned()))
        .collect();
    found.sort();
    found
}

/// Asks for confirmation per entry and imports the confirmed ones. Existing private files and the
/// former files are not changed.
///
/// # Errors
/// Private files that cannot be written, and the errors of [`config::set`].
pub fn import(
    context: &Context,
    confirm: &mut dyn FnMut(&LegacyPrivateEntry) -> bool,
) -> Result<LegacyImport> {
    context.persons_only("import private files")?;
    let open = context.target();
    let mut outcome = LegacyImport { taken: Vec::new(), left: Vec::new() };
    for former in list(context) {
        let free = is_free(open, &former)?;
        if free && confirm(&former) && take_over(context, open, &former)? {
            outcome.taken.push(former);
        } else {
            outcome.left.push(former);
        }
    }
    Ok(outcome)
}

/// Whether the entry may be imported and would not replace a private setting or file.
fn is_free(open: &OpenVault, former: &LegacyPrivateEntry) -> Result<bool> {
    Ok(match former {
        LegacyPrivateEntry::Setting { key, .. } => {
            let current = keys::find(key).and_then(|key| open.settings.get(key));
            current.is_none_or(|(_, origin)| {
                !origin.is_users() || *origin == cm_store::config::SettingOrigin::Default
            })
        }
        LegacyPrivateEntry::File { path } => !open.vault.private_file(own_name(path))?.exists(),
        LegacyPrivateEntry::Ignored { .. } => false,
    })
}

fn take_over(context: &Context, open: &OpenVault, former: &LegacyPrivateEntry) -> Result<bool> {
    match former {
        LegacyPrivateEntry::Setting { key, value } => {
            Ok(config::set(context, key, Some(value), SettingsTarget::Private)?.changed)
        }
        LegacyPrivateEntry::File { path } => {
            let from: PathBuf = open.vault.root().join(Path::new(path));
            let bytes = read_regular(&from).map_err(cm_store::vault::Error::io("read", &from))?;
            let to = open.vault.private_file(own_name(path))?;
            open.vault.private()?.write(&to, &bytes)?;
            Ok(true)
        }
        LegacyPrivateEntry::Ignored { .. } => Ok(false),
    }
}

/// Returns the name under which a former `_state/` file is stored now.
fn own_name(path: &str) -> &str {
    path.strip_prefix("_state/").unwrap_or(path)
}
