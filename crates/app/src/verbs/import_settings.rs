//! Reports the settings of the earlier Python tool (`_config.json`) that an import leaves out.
//!
//! None of them is imported, because a foreign setting may run programs or send text over the
//! network. Values may be keys and are not shown.

use serde_json::{Map, Value};

use crate::context::open_vault::OpenVault;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::user_text::UserText;
use cm_store::config::keys;

/// Name of the earlier tool's settings file.
pub(crate) const FILE: &str = "_config.json";
/// Keys that describe the settings file itself and are not settings.
const OWN: [&str; 2] = ["version", "generator"];

/// Returns a finding for each setting that is not imported.
pub(crate) fn left_out(open: &OpenVault, text: &str) -> Vec<Finding> {
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
    let mut settings = Vec::new();
    if let Some(Value::Object(named)) = config.remove("settings") {
        flatten("", named, &mut settings);
    }
    flatten("", config, &mut settings);
    settings.sort_by(|(name, _), (other, _)| name.cmp(other));
    settings.iter().filter_map(|(name, value)| judged(open, name, value)).collect()
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
