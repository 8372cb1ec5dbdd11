//! Installs hooks in the text of an agent's settings file, removes them and detects them.
//!
//! Everything else is preserved byte for byte, and removal restores the original bytes. A text that
//! is not valid settings of the agent is rejected.

pub(super) mod edit;
pub mod entries;
pub mod summary;
pub(super) mod tree;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::program::{Program, is_our_hook};
use super::{Agent, Event};
use edit::Left;
use tree::{Item, Kind, Node};

pub use tree::Fault;

/// Installation status of the hooks in a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No cm hooks.
    Absent,
    /// All hooks, as this version writes them.
    Current,
    /// Some hooks are missing, from another version, or have another program path.
    Outdated,
}

/// Adds the hooks to a settings text, replacing older ones; an empty text represents a missing
/// file.
///
/// # Errors
/// Fails if the text is not valid settings, or if the change could not be undone byte for byte.
pub fn install(agent: Agent, text: &str, program: &Program) -> Result<String, Fault> {
    if status(agent, text, program)? == State::Current {
        return Ok(text.to_owned());
    }
    let bare = uninstall(agent, text)?;
    let mut installed = bare.clone();
    for event in entries::events(agent) {
        for (name, entry) in entries::entries(agent, *event, program) {
            installed = put(agent, &installed, name, &entry)?;
        }
    }
    // Nobody is asked to trust the editing: what is written must be ours whole, and must give the old bytes back.
    if status(agent, &installed, program)? != State::Current || uninstall(agent, &installed)? != bare {
        return Err(Fault::at(
            text,
            0,
            "our hooks cannot be put into this file so that it could be had back; put them in by hand",
        ));
    }
    Ok(installed)
}

/// Removes all cm hooks from a settings text. If the result is empty, the file can be deleted.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn uninstall(agent: Agent, text: &str) -> Result<String, Fault> {
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
pub fn status(agent: Agent, text: &str, program: &Program) -> Result<State, Fault> {
    let Some(root) = root(agent, text)? else { return Ok(State::Absent) };
    let mut found: Vec<(String, String)> = Vec::new();
    for list in lists(&root) {
        for item in list.value.items() {
            let entry = item.value.value(text);
            if handlers(&entry).any(is_our_hook) {
                found.push((list.key.clone().unwrap_or_default(), entry.to_string()));
            }
        }
    }
    if found.is_empty() {
        return Ok(State::Absent);
    }
    let wanted = entries::events(agent).iter().flat_map(|event| entries::entries(agent, *event, program));
    let mut wanted: Vec<(String, String)> =
        wanted.map(|(name, entry)| (name.to_owned(), entry.to_string())).collect();
    found.sort();
    wanted.sort();
    Ok(if found == wanted { State::Current } else { State::Outdated })
}

/// Returns the events for which hooks are installed.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn installed(agent: Agent, text: &str) -> Result<Vec<Event>, Fault> {
    let Some(root) = root(agent, text)? else { return Ok(Vec::new()) };
    let ours = |list: &&Item| {
        list.value.items().iter().any(|item| handlers(&item.value.value(text)).any(is_our_hook))
    };
    let mut found: Vec<Event> =
        lists(&root).filter(ours).filter_map(|list| Event::named(list.key.as_deref()?)).collect();
    found.dedup();
    Ok(found)
}

/// Parses the settings and checks the parts that are edited.
fn root(agent: Agent, text: &str) -> Result<Option<Node>, Fault> {
    let Some(root) = tree::read(text, entries::syntax(agent))? else { return Ok(None) };
    object(text, &root, "the settings")?;
    once(text, &root)?;
    if let Some(hooks) = root.get("hooks") {
        object(text, hooks, "`hooks`")?;
        once(text, hooks)?;
        let tools = (agent == Agent::Cursor).then_some(entries::CURSOR_TOOLS);
        for event in entries::events(agent).iter().filter_map(|event| event.called_by(agent)).chain(tools) {
            if let Some(list) = hooks.get(event)
                && !matches!(list.kind, Kind::Array(_))
            {
                return Err(Fault::at(text, list.range.start, format!("`hooks.{event}` is no list")));
            }
        }
    }
    Ok(Some(root))
}

pub(super) fn object(text: &str, node: &Node, what: &str) -> Result<(), Fault> {
    if edit::is_object(node) {
        return Ok(());
    }
    Err(Fault::at(text, node.range.start, format!("{what} are no object: `{{ … }}` is expected")))
}

/// Rejects duplicate keys, because their meaning is ambiguous.
pub(super) fn once(text: &str, object: &Node) -> Result<(), Fault> {
    for (number, item) in object.items().iter().enumerate() {
        let key = item.key.as_deref().unwrap_or_default();
        if object.find(key).is_some_and(|first| first < number) {
            return Err(Fault::at(text, item.start, format!("the key `{key}` stands here a second time")));
        }
    }
    Ok(())
}

/// Returns the hook lists, one per event.
fn lists(root: &Node) -> impl DoubleEndedIterator<Item = &Item> {
    let hooks = root.get("hooks").map(Node::items).unwrap_or_default();
    hooks.iter().filter(|item| matches!(item.value.kind, Kind::Array(_)))
}

/// Returns the handlers of an entry: those of its group, or the entry itself.
fn handlers(entry: &Value) -> impl Iterator<Item = &Value> {
    let group = entry.get("hooks").and_then(Value::as_array);
    let own = if group.is_none() { Some(entry) } else { None };
    group.into_iter().flatten().chain(own)
}

/// Appends an entry to an event's list.
fn put(agent: Agent, text: &str, event: &str, entry: &Value) -> Result<String, Fault> {
    let Some(root) = root(agent, text)? else {
        let mut whole = json!({ "hooks": { event: [entry] } });
        if agent == Agent::Cursor {
            whole["version"] = Value::from(VERSION);
        }
        return Ok(edit::begun(text, &whole));
    };
    let Some(hooks) = root.get("hooks") else {
        let text = edit::put(text, &root, &root, Some("hooks"), &json!({ event: [entry] }));
        return match self::root(agent, &text)? {
            // Behind the hooks, so that taking out knows that it came with them.
            Some(root) if agent == Agent::Cursor && root.find("version").is_none() => {
                Ok(edit::put(&text, &root, &root, Some("version"), &Value::from(VERSION)))
            }
            _ => Ok(text),
        };
    };
    Ok(match hooks.get(event) {
        Some(list) => edit::put(text, &root, list, None, entry),
        None => edit::put(text, &root, hooks, Some(event), &json!([entry])),
    })
}

/// Version that is written to Cursor's settings.
const VERSION: u32 = 1;

/// Removes the last cm hook and everything that was created for it; `None` if there is no hook.
fn without_last(agent: Agent, text: &str) -> Result<Option<String>, Fault> {
    let Some(root) = root(agent, text)? else { return Ok(None) };
    let Some(hooks) = root.find("hooks") else { return Ok(None) };
    for (at, list) in root.items()[hooks].value.items().iter().enumerate().rev() {
        if !matches!(list.value.kind, Kind::Array(_)) {
            continue;
        }
        for (number, entry) in list.value.items().iter().enumerate().rev() {
            let value = entry.value.value(text);
            if !handlers(&value).any(is_our_hook) {
                continue;
            }
            if !handlers(&value).all(is_our_hook) {
                return Ok(Some(without_handler(text, &entry.value)));
            }
            let path = [(&list.value, number), (&root.items()[hooks].value, at), (&root, hooks)];
            return Ok(Some(without_entry(agent, text, &root, &path)));
        }
    }
    Ok(None)
}

/// Removes the last cm handler from a group that also contains handlers of others.
fn without_handler(text: &str, group: &Node) -> String {
    let handlers = group.get("hooks").map_or(&[][..], Node::items);
    let ours = handlers.iter().rposition(|handler| is_our_hook(&handler.value.value(text)));
    match (group.get("hooks"), ours) {
        (Some(list), Some(number)) => match edit::take(text, list, number) {
            Left::Text(text) => text,
            Left::Nothing => text.to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// Removes an entry and everything that was created for it.
fn without_entry(agent: Agent, text: &str, root: &Node, path: &[(&Node, usize); 3]) -> String {
    let [entry, event, hooks] = path;
    let all_go = [entry, event].iter().all(|(list, number)| edit::take(text, list, *number) == Left::Nothing);
    if agent == Agent::Cursor
        && all_go
        && came_with(text, root, hooks.1)
        && let Left::Text(text) = edit::take(text, root, hooks.1 + 1)
    {
        return text;
    }
    edit::take_whole(text, root, path)
}

/// Returns `true` if the version that follows Cursor's hooks was inserted together with them.
fn came_with(text: &str, root: &Node, hooks: usize) -> bool {
    let behind = root.items().get(hooks + 1);
    behind.is_some_and(|item| {
        item.key.as_deref() == Some("version") && item.value.value(text) == json!(VERSION)
    })
}
