//! Text output of `cm config`.

use serde_json::Value;

use super::committed;
use super::list::rows;
use super::style::{DIM, STRONG, paint};
use cm_app::verbs::config::{SettingList, SettingsTarget, WrittenSetting};

/// A table of all settings.
pub fn listed(outcome: &SettingList) -> String {
    let table: Vec<Vec<String>> = outcome
        .settings
        .iter()
        .map(|setting| {
            vec![setting.key.clone(), value(&setting.value), setting.origin.clone(), setting.about.clone()]
        })
        .collect();
    let lines = rows(&table, |column, cell| match column {
        0 => paint(STRONG, cell),
        1 => cell.to_owned(),
        _ => paint(DIM, cell),
    });
    format!("{lines}{}", super::validate::findings(&outcome.findings))
}

/// The value of one setting.
pub fn got(outcome: &SettingList) -> String {
    outcome.settings.iter().map(|setting| format!("{}\n", value(&setting.value))).collect()
}

/// Confirmation that a setting was written.
pub fn written(outcome: &WrittenSetting) -> String {
    let what = match (&outcome.commit, outcome.changed, outcome.private) {
        (_, false, _) => "nothing to change".to_owned(),
        (_, true, true) => "private, never committed".to_owned(),
        (commit, true, false) => committed(commit.as_deref()),
    };
    let file = match outcome.target {
        SettingsTarget::Shared => &outcome.path,
        SettingsTarget::Private => "your settings for this vault",
        SettingsTarget::User => "your settings for all vaults",
    };
    match &outcome.value {
        Value::Null => format!("{} is not set in {file}  {what}\n", outcome.key),
        set => format!("{} = {} in {file}  {what}\n", outcome.key, value(set)),
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
