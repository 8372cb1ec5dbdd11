//! Reads and writes settings and reports the origin of each value.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::context::embedding;
use crate::context::layered_settings::SettingsTexts;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::write;
use crate::error::{Error, Result};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::finding::Finding;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::config::keys::{self, KEYS, SettingKey, ValueType};
use cm_store::config::layer::{self, SettingOrigin, SettingsLayer};
pub use cm_store::config::schema::schema;
use cm_store::config::settings::Settings;
use cm_store::vault::layout;

/// A setting with its current value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// Name of the setting.
    pub key: String,
    /// Current value; null if the default depends on the environment.
    pub value: Value,
    /// Where the value comes from: `default`, or the file or variable that sets it.
    pub origin: String,
    /// Description of the setting.
    pub about: String,
}

/// Settings and the problems in the files that define them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SettingList {
    /// The settings, sorted by name.
    pub settings: Vec<Setting>,
    /// Problems in the settings files.
    pub findings: Vec<Finding>,
}

/// Result of setting or removing a value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WrittenSetting {
    /// Name of the setting.
    pub key: String,
    /// The new value; null if the setting was removed.
    pub value: Value,
    /// Path of the settings file that was written.
    pub path: String,
    /// Hash of the new commit; null if the file is private, nothing changed, or automatic commits
    /// are off.
    pub commit: Option<String>,
    /// Whether the file changed.
    pub changed: bool,
    /// The settings file that was written: `shared`, `private` or `user`.
    pub target: SettingsTarget,
    /// Whether the file is private to the user and never committed.
    pub private: bool,
}

/// Lists all settings, or only the one called `name`.
///
/// # Errors
/// Returns an error if the setting does not exist.
pub fn list(context: &Context, name: Option<&str>) -> Result<SettingList> {
    let vault_settings = &context.target().settings;
    if let Some(name) = name.filter(|name| keys::is_in_table(name)) {
        let value = table_of(context, name)?;
        let setting = Setting {
            key: name.to_owned(),
            origin: if value.is_null() { "default" } else { layout::SETTINGS }.to_owned(),
            value,
            about: "your own types of memories and edges".to_owned(),
        };
        return Ok(SettingList { settings: vec![setting], findings: vault_settings.findings.clone() });
    }
    if let Some(name) = name {
        find_setting(name)?;
    }
    let settings = KEYS
        .iter()
        .filter(|key| name.is_none_or(|name| key.name == name))
        .map(|key| {
            let found = vault_settings.get(key);
            let in_force = found.map(|(value, _)| key.shown(value));
            Setting {
                key: key.name.to_owned(),
                value: in_force.and_then(|value| serde_json::to_value(value).ok()).unwrap_or(Value::Null),
                origin: found.map_or_else(|| "default".to_owned(), |(_, origin)| origin.to_string()),
                about: key.about.to_owned(),
            }
        })
        .collect();
    Ok(SettingList { settings, findings: vault_settings.findings.clone() })
}

/// A settings file, by audience: everyone, the user in this vault, or the user in all vaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettingsTarget {
    /// The vault's `cm.toml`, which is shared.
    Shared,
    /// The user's private settings for this vault.
    Private,
    /// The user's settings for all vaults.
    User,
}

/// Writes a setting; `None` removes it. Comments and order of the file are preserved.
///
/// # Errors
/// An unknown setting, a value of the wrong type, a setting that is not allowed in the shared file,
/// invalid TOML in the file, and the errors of [`write::apply`].
pub fn set(
    context: &Context,
    name: &str,
    typed: Option<&str>,
    target: SettingsTarget,
) -> Result<WrittenSetting> {
    context.persons_only("change settings")?;
    if keys::is_in_table(name) {
        return set_in_table(context, name, typed, target);
    }
    let key = find_setting(name)?;
    let value = typed.map(|typed| {
        layer::read_typed(key.shape, typed)
            .ok_or_else(|| Error::usage(format!("`{name}` takes {}, not `{typed}`", key.shape.words())))
    });
    let value = value.transpose()?;
    if target == SettingsTarget::Shared && value.as_ref().is_some_and(|value| !key.may_be_shared(value)) {
        let message = match key.shape {
            ValueType::Secret => format!("`{name}` is a secret, and {} is shared", layout::SETTINGS),
            _ => {
                format!("`{name}` is ignored in {}, because others can write to this file", layout::SETTINGS)
            }
        };
        return Err(Error::usage(message).hint(format!("run `cm config set {name} … --private`")));
    }
    let shown = value.as_ref().map(|value| key.shown(value));
    let outcome = write_setting(context, key.name, value.as_ref(), shown, target)?;
    if outcome.changed && target == SettingsTarget::Shared && key.name.starts_with("embeddings.") {
        // What the shared file may not decide is told at once, and not when somebody wonders.
        let open = context.target();
        let global = context.vaults.iter().find(|other| other.level == VaultLevel::Global);
        let global = global.map(|open| &open.vault);
        let settings = SettingsTexts::read(&open.vault, open.level, global, &context.request)?.parse();
        embedding::choice_of(context, open, &settings);
    }
    Ok(outcome)
}

/// Writes a value of `types` or `relations`, if the settings that result are valid.
fn set_in_table(
    context: &Context,
    name: &str,
    typed: Option<&str>,
    target: SettingsTarget,
) -> Result<WrittenSetting> {
    if target != SettingsTarget::Shared {
        return Err(Error::usage(format!(
            "`{name}` belongs to the vault: set it without --private and --user"
        )));
    }
    let value = typed.map(|typed| {
        layer::read_typed_in_table(name, typed)
            .ok_or_else(|| Error::usage(format!("`{name}` takes a list of names, not `{typed}`")))
    });
    let value = value.transpose()?;
    if let Some(value) = &value {
        let alone = layer::with_value("", name, Some(value)).map_err(Error::usage)?;
        let alone = SettingsLayer::parse_toml(layout::SETTINGS, &alone);
        let alone = Settings::of(vec![(alone, SettingOrigin::Default)]);
        if let Some(finding) = alone.findings.first() {
            return Err(Error::usage(finding.message.clone()).hint(
                "`cm config set types.runbook.folder runbooks`, `cm config set relations BLOCKS,PART_OF`",
            ));
        }
    }
    write_setting(context, name, value.as_ref(), value.clone(), target)
}

/// The value that the vault's settings file has for a name in `types` or `relations`; null if none.
fn table_of(context: &Context, name: &str) -> Result<Value> {
    let text = context.target().vault.read_own(layout::SETTINGS)?.unwrap_or_default();
    let tables = SettingsLayer::parse_toml(layout::SETTINGS, &text).tables;
    let (table, rest) = name.split_once('.').map_or((name, None), |(table, rest)| (table, Some(rest)));
    let mut value = tables.get(table);
    for part in rest.into_iter().flat_map(|rest| rest.split('.')) {
        value = value.and_then(|value| value.get(part));
    }
    Ok(value.and_then(|value| serde_json::to_value(value).ok()).unwrap_or(Value::Null))
}

/// Writes the value, or removes it if it is `None`. `shown` is what the answer reports.
fn write_setting(
    context: &Context,
    name: &str,
    value: Option<&toml::Value>,
    shown: Option<toml::Value>,
    target: SettingsTarget,
) -> Result<WrittenSetting> {
    let open = context.target();
    open.writable()?;
    let private = match target {
        SettingsTarget::Shared => None,
        SettingsTarget::Private => Some(open.vault.private()?.settings()),
        SettingsTarget::User => Some(open.vault.private()?.user_settings()),
    };
    let file = &private.as_ref().map_or(layout::SETTINGS.to_owned(), |path| path.display().to_string());
    let before = match &private {
        Some(path) => open.vault.private()?.read(path)?,
        None => open.vault.read_own(layout::SETTINGS)?,
    };
    let before = before.unwrap_or_default();
    let after = layer::with_value(&before, name, value).map_err(|error| {
        Error::refused("invalid-setting", format!("{file} is not valid TOML: {error}")).at(file, None, None)
    })?;
    let after = cm_merge::without_lost_values(&after, name);
    let shown = shown.and_then(|value| serde_json::to_value(value).ok()).unwrap_or(Value::Null);
    let mut outcome = WrittenSetting {
        key: name.to_owned(),
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
    let path = NotePath::parse(layout::SETTINGS)?;
    let subject = match value {
        Some(value) => format!("Set {} = {value}", name),
        None => format!("Unset {}", name),
    };
    let change = VaultFileChange::Replace { path, expected: None, text: after };
    let set = ChangeSet { message: CommitMessage::new(CommitOp::Config, subject), changes: vec![change] };
    outcome.commit = write::apply(context, set)?.commit;
    Ok(outcome)
}

fn find_setting(name: &str) -> Result<&'static SettingKey> {
    keys::find(name).ok_or_else(|| {
        let error = Error::not_found(format!("unknown setting `{name}`"));
        match keys::nearest(name) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`cm config list` shows all settings"),
        }
    })
}
