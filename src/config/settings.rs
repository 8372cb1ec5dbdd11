//! The settings that hold once all layers are laid on each other.

use std::collections::BTreeMap;

use super::keys::{KEYS, Key};
use super::layer::{Layer, Origin};
use crate::domain::finding::{Code, Finding, Severity};
use crate::domain::note::types::MemoryType;
use crate::domain::note::{RelationTable, TypeTable};
use crate::domain::path::NotePath;

/// Whether a curation is committed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// At once.
    Auto,
    /// By `cm commit`.
    Manual,
}

/// All settings of a vault.
#[derive(Debug, Clone)]
pub struct Settings {
    values: BTreeMap<&'static str, (toml::Value, Origin)>,
    /// The types of memories.
    pub types: TypeTable,
    /// The types of edges.
    pub relations: RelationTable,
    /// What is wrong in the layers.
    pub findings: Vec<Finding>,
}

impl Settings {
    /// Lays the layers on the defaults, in the order given.
    pub fn of(layers: Vec<(Layer, Origin)>) -> Self {
        let mut values = BTreeMap::new();
        for key in KEYS {
            if let Some(value) = default_of(key) {
                values.insert(key.name, (value, Origin::Default));
            }
        }
        let mut settings = Self {
            values,
            types: TypeTable::default(),
            relations: RelationTable::default(),
            findings: Vec::new(),
        };
        for (layer, origin) in layers {
            settings.findings.extend(layer.findings);
            for (name, value) in layer.values {
                settings.values.insert(name, (value, origin.clone()));
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
            Some(weight) if weight.is_finite() && weight >= 0.0 && sound(name) && sound(&folder) => {
                let required = value.get("required").and_then(toml::Value::as_array);
                let required = required.into_iter().flatten().filter_map(toml::Value::as_str);
                let required = required.map(str::to_owned).collect();
                self.types.declare(MemoryType { name: name.to_owned(), folder, weight, required });
            }
            _ => self.wrong(format!(
                "the type `{name}` takes a folder of letters, digits and dashes, and a weight that is not negative"
            )),
        }
    }

    fn wrong(&mut self, message: String) {
        if let Ok(path) = NotePath::parse("cm.toml") {
            self.findings.push(Finding::new(&path, Code::InvalidSetting, Severity::Warning, message));
        }
    }

    /// The value of a setting and where it came from; `None` where the default depends on the place.
    pub fn get(&self, name: &str) -> Option<&(toml::Value, Origin)> {
        self.values.get(name)
    }

    /// Why the settings cannot be relied upon: a file of them could not be read.
    pub fn broken(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.severity == Severity::Error)
    }

    /// Whether curations are committed at once, in a repository of the vault's own or not.
    pub fn commit_mode(&self, own_repository: bool) -> CommitMode {
        match self.text("git.commit") {
            Some("auto") => CommitMode::Auto,
            Some(_) => CommitMode::Manual,
            None if own_repository => CommitMode::Auto,
            None => CommitMode::Manual,
        }
    }

    /// A setting that is `true` or `false`; `None` where it is not set and has no default.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.0.as_bool()
    }

    /// A whole number; 0 where there is no such setting.
    pub fn whole(&self, name: &str) -> usize {
        self.get(name).and_then(|(value, _)| value.as_integer()).and_then(|n| n.try_into().ok()).unwrap_or(0)
    }

    /// A number; 0 where there is no such setting.
    pub fn number(&self, name: &str) -> f64 {
        let value = self.get(name).map(|(value, _)| value);
        value.and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64))).unwrap_or(0.0)
    }

    /// A list of texts.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let items = self.get(name).and_then(|(value, _)| value.as_array());
        items.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.0.as_str()
    }
}

fn default_of(key: &Key) -> Option<toml::Value> {
    format!("x = {}", key.default).parse::<toml::Table>().ok()?.remove("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_layers_win_and_tell_where_they_stand() {
        let settings = Settings::of(vec![
            (Layer::of_toml("cm.toml", "search.limit = 5\ncore.max_tokens = 900"), Origin::Global),
            (Layer::of_toml("cm.toml", "[search]\nlimit = 7"), Origin::Vault),
        ]);
        assert_eq!(settings.whole("search.limit"), 7);
        assert_eq!(settings.get("search.limit").map(|(_, origin)| origin), Some(&Origin::Vault));
        assert_eq!(settings.get("core.max_tokens").map(|(_, origin)| origin), Some(&Origin::Global));
        assert_eq!(settings.get("scoring.lambda").map(|(_, origin)| origin), Some(&Origin::Default));
        assert_eq!(settings.commit_mode(true), CommitMode::Auto);
        assert_eq!(settings.commit_mode(false), CommitMode::Manual);
    }

    #[test]
    fn a_vault_declares_types_and_relations() {
        let text = "relations = ['blocks']\n[types.runbook]\nfolder = 'runbooks'\nweight = 1.2\nrequired = ['owner']\n";
        let settings = Settings::of(vec![(Layer::of_toml("cm.toml", text), Origin::Vault)]);
        let runbook = settings.types.get("runbook").unwrap();
        assert_eq!((runbook.weight, runbook.required.as_slice()), (1.2, ["owner".to_owned()].as_slice()));
        assert!(settings.relations.knows("BLOCKS"));
        assert!(settings.findings.is_empty());
        let text = "[types.bad]\nfolder = '../x'\n";
        let settings = Settings::of(vec![(Layer::of_toml("cm.toml", text), Origin::Vault)]);
        assert_eq!(settings.findings.len(), 1);
    }
}
