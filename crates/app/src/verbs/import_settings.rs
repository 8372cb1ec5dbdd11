//! Reads the settings of the earlier Python tool (`_config.json`) and reports what an import leaves
//! out.
//!
//! None of them is imported, because a foreign setting may run programs or send text over the
//! network. Version 3.0.0 has four keys; for these a person gets the command that sets the same
//! here. Other values may be keys and are not shown.

use std::path::Path;

use serde_json::{Map, Value};

use crate::context::open_vault::OpenVault;
use cm_exchange::export::manifest::{self, ExportManifest};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::path::NotePath;
use cm_note::user_text::UserText;
use cm_secrets::{RedactionRules, redact};
use cm_store::config::keys;
use cm_store::vault::caches::CACHES;
use cm_store::vault::external_folder;

/// Name of the earlier tool's settings file.
pub(crate) const FILE: &str = "_config.json";
/// Keys that describe the settings file itself and are not settings.
const OWN: [&str; 2] = ["version", "generator"];
/// The keys of version 3.0.0: provider, API key, and a model for each provider.
const SCHEMA_3: [&str; 4] = ["embedding_provider", "openai_api_key", "ollama_model", "openai_model"];
/// Values of `embedding_provider`.
const PROVIDERS: [&str; 2] = ["ollama", "openai"];

/// Provider that an export names where the vault uses one that the earlier tool does not know.
const STAND_IN: &str = "ollama";

/// Whether `cm export` wrote the settings file of the folder, with this text.
fn is_exported(source: &Path, text: &str) -> bool {
    let lists = [manifest::NAME.to_owned(), format!("{}/export.json", CACHES[1])];
    let Ok(file) = NotePath::parse(FILE) else { return false };
    lists.iter().any(|list| {
        let bytes = NotePath::parse(list).ok().and_then(|list| external_folder::below(source, &list).ok()?);
        bytes.is_some_and(|bytes| ExportManifest::parse(&bytes).has(&file, text.as_bytes()))
    })
}

/// Returns a finding for each setting of the folder `source` that is not imported.
pub(crate) fn left_out(open: &OpenVault, rules: &RedactionRules, source: &Path, text: &str) -> Vec<Finding> {
    let parsed = serde_json::from_str::<Map<String, Value>>(text.trim_start_matches('\u{feff}'));
    let mut config = match parsed {
        Ok(config) => config,
        Err(error) => {
            return vec![finding(
                FindingCode::Unreadable,
                format!("cannot read the settings: {error}"),
                None,
            )];
        }
    };
    config.retain(|name, _| !OWN.contains(&name.as_str()));
    if is_exported(source, text) && config.get(SCHEMA_3[0]).is_some_and(|provider| provider == STAND_IN) {
        config.remove(SCHEMA_3[0]);
    }
    let mut findings = embedding(open, rules, &mut config);
    let mut settings = Vec::new();
    if let Some(Value::Object(table)) = config.remove("settings") {
        flatten("", table, &mut settings);
    }
    flatten("", config, &mut settings);
    settings.sort_by(|(name, _), (other, _)| name.cmp(other));
    findings.extend(settings.iter().filter_map(|(name, value)| judged(open, name, value)));
    findings
}

/// Takes the four keys of version 3.0.0 out of the settings. Returns a finding for the provider
/// with its model if this vault has others, and one for an API key.
fn embedding(open: &OpenVault, rules: &RedactionRules, config: &mut Map<String, Value>) -> Vec<Finding> {
    let mut take = |name: &str| match config.remove(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        _ => None,
    };
    let [provider, key, ollama, openai] = SCHEMA_3.map(&mut take);
    let mut findings = Vec::new();
    if let Some(provider) = provider.filter(|provider| PROVIDERS.contains(&provider.as_str())) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
        let is_harmless = |model: &String| {
            model.len() <= 100 && model.chars().all(is_name) && redact(model, rules).0.as_str() == model
        };
        let model = if provider == "openai" { openai } else { ollama }.filter(is_harmless);
        let here = |key| open.settings.text(key).unwrap_or_default();
        let is_same = here(keys::EMBEDDINGS_PROVIDER) == provider
            && model.as_deref().is_none_or(|model| here(keys::EMBEDDINGS_MODEL) == model);
        if !is_same {
            let with = model.as_deref().map(|model| format!(" with the model {model}")).unwrap_or_default();
            let message =
                format!("the notes were embedded by {provider}{with}; this vault keeps its own model");
            let model = model.map(|model| format!(", `cm config set embeddings.model {model} --private`"));
            let hint = format!(
                "`cm config set embeddings.provider {provider} --private`{} and `cm embed` do the same here",
                model.unwrap_or_default()
            );
            findings.push(finding(FindingCode::InvalidSetting, message, Some(hint)));
        }
    }
    if key.is_some() {
        let message = "an API key was skipped".to_owned();
        let hint = "`cm config set embeddings.key --private` stores it outside the vault".to_owned();
        findings.push(finding(FindingCode::InvalidSetting, message, Some(hint)));
    }
    findings
}

/// Flattens nested tables to dotted names. A table that is the value of a single setting stays a
/// table.
fn flatten(above: &str, table: Map<String, Value>, settings: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let name = if above.is_empty() { key } else { format!("{above}.{key}") };
        match value {
            Value::Object(table) if keys::find(&name).is_none() => flatten(&name, table, settings),
            value => settings.push((name, value)),
        }
    }
}

fn judged(open: &OpenVault, name: &str, value: &Value) -> Option<Finding> {
    let Some(key) = keys::find(name) else {
        let message = format!("`{name}` is not a setting and was skipped");
        return Some(finding(
            FindingCode::UnknownKey,
            message,
            Some("`cm config list` lists the settings".to_owned()),
        ));
    };
    let here = open.settings.get(key).and_then(|(value, _)| serde_json::to_value(value).ok());
    let is_same =
        |here: &Value| here == value || here.as_f64().is_some_and(|here| value.as_f64() == Some(here));
    if here.as_ref().is_some_and(is_same) {
        return None;
    }
    let message = format!("the setting `{name}` differs from this vault's and was skipped");
    Some(finding(FindingCode::InvalidSetting, message, Some(format!("`cm config set {name} VALUE` sets it"))))
}

fn finding(code: FindingCode, message: String, hint: Option<String>) -> Finding {
    Finding {
        path: FILE.to_owned(),
        line: None,
        column: None,
        code,
        severity: Severity::Warning,
        message,
        hint: hint.map(UserText::from),
    }
}
