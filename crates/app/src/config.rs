//! Reading and writing settings, each with the place it came from.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::error::{Error, Result};
use super::memory::{Level, Memory, settings_of};
use super::{embedding, write};
use cm_note::change::{Change, ChangeSet};
use cm_note::finding::Finding;
use cm_note::message::Message;
use cm_note::path::NotePath;
use cm_store::config::keys::{self, KEYS, Key, Shape};
use cm_store::config::layer;
use cm_store::vault::layout;

/// A setting as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value; null where the default depends on the place.
    pub value: Value,
    /// Where it came from.
    pub origin: String,
    /// What it does.
    pub about: String,
}

/// Settings and what is wrong in their files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Listed {
    /// The settings, by name.
    pub settings: Vec<Setting>,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// A setting that was written.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Written {
    /// Its name.
    pub key: String,
    /// Its value; null where it was taken out.
    pub value: Value,
    /// The file that holds it.
    pub path: String,
    /// The commit; null where there is none to make.
    pub commit: Option<String>,
    /// Whether the file changed.
    pub changed: bool,
    /// Which file of settings it is: `shared`, `private` or `user`.
    pub target: Target,
    /// Whether the file is the user's own, which is never committed.
    pub private: bool,
}

/// All settings, or the one of that name.
///
/// # Errors
/// No such setting.
pub fn list(memory: &Memory, name: Option<&str>) -> Result<Listed> {
    if let Some(name) = name {
        known(name)?;
    }
    let held = &memory.target().settings;
    let settings = KEYS
        .iter()
        .filter(|key| name.is_none_or(|name| key.name == name))
        .map(|key| {
            let found = held.get(key.name);
            let in_force = found.map(|(value, _)| key.shown(value));
            Setting {
                key: key.name.to_owned(),
                value: in_force.and_then(|value| serde_json::to_value(value).ok()).unwrap_or(Value::Null),
                origin: found.map_or_else(|| "default".to_owned(), |(_, origin)| origin.to_string()),
                about: key.about.to_owned(),
            }
        })
        .collect();
    Ok(Listed { settings, findings: held.findings.clone() })
}

/// The file of settings that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The vault's `cm.toml`, which others may read and write.
    Shared,
    /// The user's private settings of this vault.
    Private,
    /// The user's settings of every vault.
    User,
}

/// Writes a setting to a file of settings; `None` takes it out. Comments and order of the file stay.
///
/// # Errors
/// No such setting, a value of another kind, a setting for the shared file that counts from the user's own files only, a file that is
/// no TOML, and those of [`write::apply`].
pub fn set(memory: &Memory, name: &str, typed: Option<&str>, target: Target) -> Result<Written> {
    memory.persons_only("change settings")?;
    let key = known(name)?;
    let value = typed.map(|typed| {
        layer::read_typed(key.shape, typed).ok_or_else(|| {
            Error::usage(format!("`{name}` takes {}, and `{typed}` is not that", key.shape.words()))
        })
    });
    let value = value.transpose()?;
    if target == Target::Shared && value.as_ref().is_some_and(|value| !key.may_be_shared(value)) {
        let message = match key.shape {
            Shape::Secret => format!("`{name}` is a secret, and {} is shared", layout::SETTINGS),
            _ => format!("`{name}` does not count in {}, which others can write", layout::SETTINGS),
        };
        return Err(Error::usage(message).hint(format!("cm config set {name} … --private")));
    }
    let open = memory.target();
    open.writable()?;
    let private = match target {
        Target::Shared => None,
        Target::Private => Some(open.vault.private()?.settings()),
        Target::User => Some(open.vault.private()?.user_settings()),
    };
    let file = &private.as_ref().map_or(layout::SETTINGS.to_owned(), |path| path.display().to_string());
    let before = match &private {
        Some(path) => open.vault.private()?.read(path)?,
        None => open.vault.read_own(layout::SETTINGS)?,
    };
    let before = before.unwrap_or_default();
    let after = layer::with_value(&before, key.name, value.as_ref()).map_err(|error| {
        Error::refused("invalid-setting", format!("{file} is no TOML: {error}")).at(file, None, None)
    })?;
    let shown =
        value.as_ref().and_then(|value| serde_json::to_value(key.shown(value)).ok()).unwrap_or(Value::Null);
    let mut outcome = Written {
        key: key.name.to_owned(),
        value: shown,
        path: file.clone(),
        commit: None,
        changed: false,
        target,
        private: private.is_some(),
    };
    if before == after {
        return Ok(outcome);
    }
    outcome.changed = true;
    if let Some(path) = private {
        open.vault.private()?.write(&path, after.as_bytes())?;
        return Ok(outcome);
    }
    let path = NotePath::parse(layout::SETTINGS).map_err(|error| Error::usage(error.to_string()))?;
    let subject = match &value {
        Some(value) => format!("Set {} = {value}", key.name),
        None => format!("Unset {}", key.name),
    };
    let change = Change::Replace { path, expected: None, text: after };
    let set = ChangeSet { message: Message::new("config", subject), changes: vec![change] };
    outcome.commit = write::apply(memory, set)?.commit;
    if key.name.starts_with("embeddings.") {
        // What the shared file may not decide is told at once, and not when somebody wonders.
        let global = memory.vaults.iter().find(|other| other.level == Level::Global);
        let settings = settings_of(&open.vault, open.level, global.map(|open| &open.vault), &memory.call)?;
        embedding::heard(memory, open, &settings);
    }
    Ok(outcome)
}

fn known(name: &str) -> Result<&'static Key> {
    keys::find(name).ok_or_else(|| {
        let error = Error::not_found(format!("there is no setting `{name}`"));
        match keys::nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`cm config list` shows them all"),
        }
    })
}
