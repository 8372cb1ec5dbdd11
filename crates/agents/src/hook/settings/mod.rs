//! Installs hooks in the text of an agent's settings file, removes them and detects them.
//!
//! Everything else is preserved byte for byte, and removal restores the original bytes. A text that
//! is not valid settings of the agent is rejected.

pub(super) mod edit;
pub(crate) mod json;
pub mod summary;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::program::{ProgramPath, is_cm_hook};
use super::{HookAgent, HookEvent};
use crate::agents::cursor::hooks::FILE_TOOL_EVENT;
use cm_session::Agent;
use edit::Removal;
use json::{JsonItem, JsonKind, JsonNode};

pub use json::SettingsError;

/// State of the hooks in one settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HookState")]
pub enum InstallStatus {
    /// No hooks are installed.
    Absent,
    /// All hooks of this version are installed.
    Current,
    /// Some hooks are missing or come from another version.
    Outdated,
}

/// Adds the hooks to a settings text, replacing older ones; an empty text represents a missing
/// file.
///
/// # Errors
/// Fails if the text is not valid settings, or if the change could not be undone byte for byte.
pub fn install(agent: HookAgent, text: &str, program: &ProgramPath) -> Result<String, SettingsError> {
    if status(agent, text, program)? == InstallStatus::Current {
        return Ok(text.to_owned());
    }
    let bare = uninstall(agent, text)?;
    let mut installed = bare.clone();
    for event in agent.installed_events() {
        for (name, entry) in agent.entries(*event, program) {
            installed = put(agent, &installed, name, &entry)?;
        }
    }
    // Nobody is asked to trust the editing: what is written must be ours whole, and must give the old bytes back.
    if status(agent, &installed, program)? != InstallStatus::Current || uninstall(agent, &installed)? != bare
    {
        return Err(SettingsError::at(
            text,
            0,
            "the hooks cannot be added to this file in a way that can be undone exactly; add them by hand",
        ));
    }
    Ok(installed)
}

/// Removes all cm hooks from a settings text. If the result is empty, the file can be deleted.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn uninstall(agent: HookAgent, text: &str) -> Result<String, SettingsError> {
    let mut text = text.to_owned();
    while let Some(shorter) = without_last(agent, &text)? {
        text = shorter;
    }
    Ok(text)
}

/// Returns the installation status of the hooks.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn status(agent: HookAgent, text: &str, program: &ProgramPath) -> Result<InstallStatus, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(InstallStatus::Absent) };
    let mut found: Vec<(String, String)> = Vec::new();
    for list in lists(&root) {
        for item in list.value.items() {
            let entry = item.value.value(text);
            if handlers(&entry).any(is_cm_hook) {
                found.push((list.key.clone().unwrap_or_default(), entry.to_string()));
            }
        }
    }
    if found.is_empty() {
        return Ok(InstallStatus::Absent);
    }
    let wanted = agent.installed_events().iter().flat_map(|event| agent.entries(*event, program));
    let mut wanted: Vec<(String, String)> =
        wanted.map(|(name, entry)| (name.to_owned(), entry.to_string())).collect();
    found.sort();
    wanted.sort();
    Ok(if found == wanted { InstallStatus::Current } else { InstallStatus::Outdated })
}

/// Returns the events for which hooks are installed.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn installed(agent: HookAgent, text: &str) -> Result<Vec<HookEvent>, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(Vec::new()) };
    let ours = |list: &&JsonItem| {
        list.value.items().iter().any(|item| handlers(&item.value.value(text)).any(is_cm_hook))
    };
    let mut found: Vec<HookEvent> =
        lists(&root).filter(ours).filter_map(|list| HookEvent::from_name(list.key.as_deref()?)).collect();
    found.dedup();
    Ok(found)
}

/// Parses the settings and checks the parts that are edited.
fn root(agent: HookAgent, text: &str) -> Result<Option<JsonNode>, SettingsError> {
    let Some(root) = json::read(text, agent.dialect())? else { return Ok(None) };
    object(text, &root, "the settings")?;
    reject_duplicate_keys(text, &root)?;
    if let Some(hooks) = root.get("hooks") {
        object(text, hooks, "`hooks`")?;
        reject_duplicate_keys(text, hooks)?;
        let tools = (agent.agent() == Agent::Cursor).then_some(FILE_TOOL_EVENT);
        for event in agent.installed_events().iter().filter_map(|event| agent.event_name(*event)).chain(tools)
        {
            if let Some(list) = hooks.get(event)
                && !matches!(list.kind, JsonKind::Array(_))
            {
                return Err(SettingsError::at(
                    text,
                    list.range.start,
                    format!("`hooks.{event}` is not a list"),
                ));
            }
        }
    }
    Ok(Some(root))
}

pub(super) fn object(text: &str, node: &JsonNode, what: &str) -> Result<(), SettingsError> {
    if edit::is_object(node) {
        return Ok(());
    }
    Err(SettingsError::at(text, node.range.start, format!("{what} are not an object: expected `{{ … }}`")))
}

/// Rejects duplicate keys, because their meaning is ambiguous.
pub(super) fn reject_duplicate_keys(text: &str, object: &JsonNode) -> Result<(), SettingsError> {
    for (number, item) in object.items().iter().enumerate() {
        let key = item.key.as_deref().unwrap_or_default();
        if object.find(key).is_some_and(|(first, _)| first < number) {
            return Err(SettingsError::at(text, item.start, format!("duplicate key `{key}`")));
        }
    }
    Ok(())
}

/// Returns the hook lists, one per event.
fn lists(root: &JsonNode) -> impl DoubleEndedIterator<Item = &JsonItem> {
    let hooks = root.get("hooks").map(JsonNode::items).unwrap_or_default();
    hooks.iter().filter(|item| matches!(item.value.kind, JsonKind::Array(_)))
}

/// Returns the handlers of an entry: those of its group, or the entry itself.
fn handlers(entry: &Value) -> impl Iterator<Item = &Value> {
    let group = entry.get("hooks").and_then(Value::as_array);
    let own = if group.is_none() { Some(entry) } else { None };
    group.into_iter().flatten().chain(own)
}

/// Appends an entry to an event's list.
fn put(agent: HookAgent, text: &str, event: &str, entry: &Value) -> Result<String, SettingsError> {
    let Some(root) = root(agent, text)? else {
        let hooks = json!({ event: [entry] });
        let whole = match agent.settings_version() {
            Some(version) => json!({ "hooks": hooks, "version": version }),
            None => json!({ "hooks": hooks }),
        };
        return Ok(edit::insert_into_blank(text, &whole));
    };
    let Some(hooks) = root.get("hooks") else {
        let text = edit::insert(text, &root, &root, Some("hooks"), &json!({ event: [entry] }));
        return match (self::root(agent, &text)?, agent.settings_version()) {
            // Behind the hooks, so that taking out knows that it came with them.
            (Some(root), Some(version)) if root.find("version").is_none() => {
                Ok(edit::insert(&text, &root, &root, Some("version"), &Value::from(version)))
            }
            _ => Ok(text),
        };
    };
    Ok(match hooks.get(event) {
        Some(list) => edit::insert(text, &root, list, None, entry),
        None => edit::insert(text, &root, hooks, Some(event), &json!([entry])),
    })
}

/// Timeout of a hook in seconds. Hooks usually need a fraction of a second.
pub(crate) fn timeout_seconds(event: HookEvent) -> u32 {
    match event {
        HookEvent::SessionStart | HookEvent::SessionEnd => 10,
        _ => 5,
    }
}

/// Wraps a handler in a group, optionally limited to tools or sources that match.
pub(crate) fn hook_group(matcher: Option<&str>, handler: &Value) -> Value {
    match matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [handler] }),
        None => json!({ "hooks": [handler] }),
    }
}

/// Removes the last cm hook and everything that was created for it; `None` if there is no hook.
fn without_last(agent: HookAgent, text: &str) -> Result<Option<String>, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(None) };
    let Some((hooks, lists)) = root.find("hooks") else { return Ok(None) };
    for (at, list) in lists.value.items().iter().enumerate().rev() {
        if !matches!(list.value.kind, JsonKind::Array(_)) {
            continue;
        }
        for (number, entry) in list.value.items().iter().enumerate().rev() {
            let value = entry.value.value(text);
            if !handlers(&value).any(is_cm_hook) {
                continue;
            }
            if !handlers(&value).all(is_cm_hook) {
                return Ok(Some(without_handler(text, &entry.value)));
            }
            let path = [(&list.value, number), (&lists.value, at), (&root, hooks)];
            return Ok(Some(without_entry(agent, text, &root, &path)));
        }
    }
    Ok(None)
}

/// Removes the last cm handler from a group that also contains handlers of others.
fn without_handler(text: &str, group: &JsonNode) -> String {
    let handlers = group.get("hooks").map_or(&[][..], JsonNode::items);
    let ours = handlers.iter().rposition(|handler| is_cm_hook(&handler.value.value(text)));
    match (group.get("hooks"), ours) {
        (Some(list), Some(number)) => match edit::remove(text, list, number) {
            Removal::Text(text) => text,
            Removal::Nothing => text.to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// Removes an entry and everything that was created for it.
fn without_entry(agent: HookAgent, text: &str, root: &JsonNode, path: &[(&JsonNode, usize); 3]) -> String {
    let [entry, event, hooks] = path;
    let all_go =
        [entry, event].iter().all(|(list, number)| edit::remove(text, list, *number) == Removal::Nothing);
    if let Some(version) = agent.settings_version()
        && all_go
        && was_inserted_with(text, root, hooks.1, version)
        && let Removal::Text(text) = edit::remove(text, root, hooks.1 + 1)
    {
        return text;
    }
    edit::take_whole(text, root, path)
}

/// Returns `true` if the version that follows the hooks was inserted together with them.
fn was_inserted_with(text: &str, root: &JsonNode, hooks: usize, version: u32) -> bool {
    let behind = root.items().get(hooks + 1);
    behind.is_some_and(|item| {
        item.key.as_deref() == Some("version") && item.value.value(text) == json!(version)
    })
}
