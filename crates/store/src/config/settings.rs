//! The effective settings after merging all layers.

use std::collections::BTreeMap;
use std::fmt;

use super::keys::{EMBEDDINGS_PROVIDER, GIT_COMMIT, KEYS, SettingKey, TypedSetting};
use super::layer::{SettingOrigin, SettingsLayer};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::note::types::MemoryType;
use cm_note::note::{RelationTable, TypeTable};
use cm_note::path::NotePath;

/// When changes to notes are committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// Immediately after each change.
    Auto,
    /// Only by `cm commit`.
    Manual,
}

/// The merged settings of a vault.
#[derive(Clone)]
pub struct Settings {
    /// Values of each setting by ascending precedence; the last one is effective.
    values: BTreeMap<&'static str, Vec<(toml::Value, SettingOrigin)>>,
    /// Memory types: the built-in types and those that `cm.toml` declares.
    pub types: TypeTable,
    /// Edge types: the built-in types and those that `cm.toml` declares.
    pub relations: RelationTable,
    /// Problems found in all sources of settings.
    pub findings: Vec<Finding>,
    /// Settings of shared files that were ignored, each with an explanation for the user.
    ignored: Vec<(&'static str, String)>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set_values = KEYS.iter().filter_map(|key| Some((key, self.get(key)?)));
        let values: BTreeMap<_, _> =
            set_values.map(|(key, (value, origin))| (key.name, (key.shown(value), origin))).collect();
        let mut settings = f.debug_struct("Settings");
        settings.field("values", &values).field("types", &self.types).field("relations", &self.relations);
        settings.field("findings", &self.findings).finish()
    }
}

impl Settings {
    /// Merges the layers over the defaults. Later layers override earlier ones.
    pub fn of(layers: Vec<(SettingsLayer, SettingOrigin)>) -> Self {
        let mut values = BTreeMap::new();
        for key in KEYS {
            if let Some(value) = default_of(key) {
                values.insert(key.name, vec![(value, SettingOrigin::Default)]);
            }
        }
        let mut settings = Self {
            values,
            types: TypeTable::default(),
            relations: RelationTable::default(),
            findings: Vec::new(),
            ignored: Vec::new(),
        };
        for (layer, origin) in layers {
            settings.findings.extend(layer.findings);
            settings.ignored.extend(layer.ignored);
            for (name, value) in layer.values {
                settings.values.entry(name).or_default().push((value, origin.clone()));
            }
            if let Some(toml::Value::Table(types)) = layer.tables.get("types") {
                types.iter().for_each(|(name, value)| settings.declare_type(name, value));
            }
            match layer.tables.get("relations") {
                Some(toml::Value::Array(names)) => {
                    names
                        .iter()
                        .filter_map(toml::Value::as_str)
                        .for_each(|name| settings.relations.declare(name));
                }
                Some(_) => {
                    settings.wrong("`relations` takes a list of names, such as [\"BLOCKS\"]".to_owned())
                }
                None => {}
            }
        }
        settings
    }

    fn declare_type(&mut self, name: &str, value: &toml::Value) {
        let text = |key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let folder = text("folder").unwrap_or_else(|| name.replace('_', "-"));
        let weight =
            value.get("weight").map_or(Some(1.0), |w| w.as_float().or(w.as_integer().map(|n| n as f64)));
        let sound =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        match weight {
            Some(weight)
                if weight.is_finite()
                    && weight >= 0.0
                    && sound(name)
                    && sound(&folder)
                    && value.is_table() =>
            {
                let required = value.get("required").and_then(toml::Value::as_array);
                let required = required.into_iter().flatten().filter_map(toml::Value::as_str);
                let required = required.map(str::to_owned).collect();
                self.types.declare(MemoryType { name: name.to_owned(), folder, weight, required });
            }
            _ => self.wrong(format!(
                "the type `{name}` needs a folder of letters, digits and dashes, and a weight of 0 or more"
            )),
        }
    }

    fn wrong(&mut self, message: String) {
        if let Ok(path) = NotePath::parse("cm.toml") {
            self.findings.push(Finding::new(&path, FindingCode::InvalidSetting, Severity::Warning, message));
        }
    }

    /// Returns the effective value and its source, or `None` if the setting is unset and its
    /// default depends on the context.
    pub fn get(&self, key: &SettingKey) -> Option<&(toml::Value, SettingOrigin)> {
        self.values.get(key.name)?.last()
    }

    /// Returns the effective value among the origins accepted by `counts`.
    pub fn get_from(
        &self,
        key: &SettingKey,
        counts: impl Fn(&SettingOrigin) -> bool,
    ) -> Option<&(toml::Value, SettingOrigin)> {
        self.values.get(key.name)?.iter().rev().find(|(_, origin)| counts(origin))
    }

    /// Returns the explanations for ignored settings with this name prefix.
    pub fn ignored(&self, prefix: &str) -> impl Iterator<Item = &str> {
        self.ignored.iter().filter(move |(name, _)| name.starts_with(prefix)).map(|(_, why)| why.as_str())
    }

    /// Returns the effective value among the defaults and the user's own layers.
    pub fn users(&self, key: &SettingKey) -> Option<&toml::Value> {
        self.get_from(key, SettingOrigin::is_users).map(|(value, _)| value)
    }

    /// Returns the first error among the findings: a settings file could not be read.
    pub fn broken(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.severity == Severity::Error)
    }

    /// When to commit changes, including in a repository that contains more than the vault.
    pub fn commit_mode(&self) -> CommitMode {
        match self.text(GIT_COMMIT) {
            Some("auto") | None => CommitMode::Auto,
            Some(_) => CommitMode::Manual,
        }
    }

    /// Returns a boolean setting, or `None` if it is unset and has no default.
    pub fn flag(&self, setting: &TypedSetting<bool>) -> Option<bool> {
        self.get(setting)?.0.as_bool()
    }

    /// Returns an integer setting, or 0 if it is not set.
    pub fn integer(&self, setting: &TypedSetting<usize>) -> usize {
        self.get(setting)
            .and_then(|(value, _)| value.as_integer())
            .and_then(|n| n.try_into().ok())
            .unwrap_or(0)
    }

    /// Returns a numeric setting, or 0 if it is not set.
    pub fn number(&self, setting: &TypedSetting<f64>) -> f64 {
        let value = self.get(setting).map(|(value, _)| value);
        value.and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64))).unwrap_or(0.0)
    }

    /// Returns a list setting, or an empty list if it is not set.
    pub fn texts(&self, setting: &TypedSetting<Vec<String>>) -> Vec<String> {
        let items = self.get(setting).and_then(|(value, _)| value.as_array());
        items.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect()
    }

    /// Returns a string setting, or `None` if it is unset and has no default.
    pub fn text(&self, setting: &TypedSetting<String>) -> Option<&str> {
        self.get(setting)?.0.as_str()
    }

    /// Whether the settings disable embeddings, so that texts are compared by their words alone.
    pub fn disables_embeddings(&self) -> bool {
        self.text(EMBEDDINGS_PROVIDER) == Some("none")
    }
}

fn default_of(key: &SettingKey) -> Option<toml::Value> {
    format!("x = {}", key.default).parse::<toml::Table>().ok()?.remove("x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys;

    #[test]
    fn later_layers_win_and_tell_where_they_stand() {
        let settings = Settings::of(vec![
            (
                SettingsLayer::parse_toml("cm.toml", "search.limit = 5\ncore.max_tokens = 900"),
                SettingOrigin::Global,
            ),
            (SettingsLayer::parse_toml("cm.toml", "[search]\nlimit = 7"), SettingOrigin::Vault),
        ]);
        assert_eq!(settings.integer(keys::SEARCH_LIMIT), 7);
        assert_eq!(settings.get(keys::SEARCH_LIMIT).map(|(_, origin)| origin), Some(&SettingOrigin::Vault));
        assert_eq!(
            settings.get(keys::CORE_MAX_TOKENS).map(|(_, origin)| origin),
            Some(&SettingOrigin::Global)
        );
        assert_eq!(
            settings.get(keys::SCORING_LAMBDA).map(|(_, origin)| origin),
            Some(&SettingOrigin::Default)
        );
        assert_eq!(settings.commit_mode(), CommitMode::Auto);
    }

    #[test]
    fn what_lies_beneath_a_value_can_be_asked_for() {
        let settings = Settings::of(vec![
            (SettingsLayer::parse_toml("cm.toml", "embeddings.model = 'mine'"), SettingOrigin::Global),
            (SettingsLayer::parse_toml("cm.toml", "embeddings.model = 'theirs'"), SettingOrigin::Vault),
            (SettingsLayer::parse_toml("config.toml", "embeddings.key = 'sk-12345'"), SettingOrigin::Private),
        ]);
        let model = |counts: fn(&SettingOrigin) -> bool| {
            settings.get_from(keys::EMBEDDINGS_MODEL, counts).and_then(|(value, _)| value.as_str())
        };
        assert_eq!(model(|_| true), Some("theirs"));
        assert_eq!(model(|origin| *origin != SettingOrigin::Vault), Some("mine"));
        assert_eq!(model(|origin| *origin == SettingOrigin::Default), Some(""));
        assert_eq!(model(|origin| *origin == SettingOrigin::Private), None);
        assert!(!format!("{settings:?}").contains("12345"), "{settings:?}");
    }

    #[test]
    fn a_vault_declares_types_and_relations() {
        let text = "relations = ['blocks']\n[types.runbook]\nfolder = 'runbooks'\nweight = 1.2\nrequired = ['owner']\n";
        let settings = Settings::of(vec![(SettingsLayer::parse_toml("cm.toml", text), SettingOrigin::Vault)]);
        let runbook = settings.types.get("runbook").unwrap();
        assert_eq!((runbook.weight, runbook.required.as_slice()), (1.2, ["owner".to_owned()].as_slice()));
        assert!(settings.relations.contains("BLOCKS"));
        assert!(settings.findings.is_empty());
        let text = "[types.bad]\nfolder = '../x'\n";
        let settings = Settings::of(vec![(SettingsLayer::parse_toml("cm.toml", text), SettingOrigin::Vault)]);
        assert_eq!(settings.findings.len(), 1);
    }
}
