//! Adds cm's MCP server to an agent's settings and removes it. A server named `cm` with other
//! arguments belongs to the user and is preserved.

use serde_json::json;

use super::program::{ProgramPath, is_cm_server};
use super::settings::{InstallStatus, SettingsError, edit, json, object, reject_duplicate_keys};
use super::{HookAgent, SettingsScope};
use json::JsonNode;

/// Name of the server in settings.
pub const NAME: &str = "cm";

/// How an MCP server is registered with an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerRegistration {
    /// In a JSON settings file; the path is relative to the project folder or the home folder.
    File(&'static str),
    /// With a command of the agent that the user runs.
    Command(String),
    /// Not at all: the agent has no MCP.
    Unsupported,
}

/// Path of the settings file; `None` if the server is not registered in a file.
#[must_use]
pub fn file(agent: HookAgent, scope: SettingsScope) -> Option<&'static str> {
    match agent.server_registration(scope, &ProgramPath::default()) {
        ServerRegistration::File(path) => Some(path),
        ServerRegistration::Command(_) | ServerRegistration::Unsupported => None,
    }
}

/// Adds cm's server to a settings text; an empty text represents a missing file.
///
/// # Errors
/// Fails if the text is not valid settings, if another server has the same name, or if the change
/// could not be undone byte for byte.
pub fn install(agent: HookAgent, text: &str, program: &ProgramPath) -> Result<String, SettingsError> {
    if status(agent, text)? == InstallStatus::Current {
        return Ok(text.to_owned());
    }
    let server = agent.server_entry(program);
    let installed = match root(agent, text)? {
        None => edit::insert_into_blank(text, &json!({ agent.server_list_key(): { NAME: server } })),
        Some(root) => match root.get(agent.server_list_key()) {
            None => edit::insert(text, &root, &root, Some(agent.server_list_key()), &json!({ NAME: server })),
            Some(servers) => match servers.find(NAME) {
                None => edit::insert(text, &root, servers, Some(NAME), &server),
                Some((_, server)) => {
                    return Err(SettingsError::at(
                        text,
                        server.start,
                        format!("another server is already named `{NAME}`: rename it first"),
                    ));
                }
            },
        },
    };
    if status(agent, &installed)? != InstallStatus::Current || uninstall(agent, &installed, program)? != text
    {
        return Err(SettingsError::at(
            text,
            0,
            "the server cannot be added to this file in a way that can be undone exactly; add it by hand",
        ));
    }
    Ok(installed)
}

/// Removes cm's server from a settings text; the result is empty if it contained nothing else.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn uninstall(agent: HookAgent, text: &str, program: &ProgramPath) -> Result<String, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(text.to_owned()) };
    let found = root.find(agent.server_list_key()).and_then(|(list, servers)| {
        let (number, server) = servers.value.find(NAME)?;
        let is_ours = server.value.value(text) == agent.server_entry(program);
        is_ours.then_some([(&servers.value, number), (&root, list)])
    });
    Ok(found.map_or_else(|| text.to_owned(), |path| edit::take_whole(text, &root, &path)))
}

/// Returns whether a settings text contains cm's server, also with arguments added by the user:
/// current or absent.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn status(agent: HookAgent, text: &str) -> Result<InstallStatus, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(InstallStatus::Absent) };
    let server = root.get(agent.server_list_key()).and_then(|servers| servers.get(NAME));
    Ok(if server.is_some_and(|server| is_cm_server(&server.value(text))) {
        InstallStatus::Current
    } else {
        InstallStatus::Absent
    })
}

fn root(agent: HookAgent, text: &str) -> Result<Option<JsonNode>, SettingsError> {
    let Some(root) = json::read(text, agent.dialect())? else { return Ok(None) };
    object(text, &root, "the settings")?;
    reject_duplicate_keys(text, &root)?;
    if let Some(servers) = root.get(agent.server_list_key()) {
        object(text, servers, &format!("`{}`", agent.server_list_key()))?;
        reject_duplicate_keys(text, servers)?;
    }
    Ok(Some(root))
}

#[cfg(test)]
mod tests {
    use super::super::settings;
    use super::*;
    use crate::agents::cursor::Cursor;
    use crate::agents::gemini::Gemini;
    use crate::agents::hook_agents;

    #[test]
    fn the_server_comes_and_goes_and_leaves_every_byte() {
        let program = ProgramPath::default();
        for text in [
            "",
            "{}",
            "{ }\n",
            "{\"a\":1}",
            "{\n  \"mcpServers\": {},\n  \"mcp\": {}\n}\n",
            "{\"mcpServers\":{\"x\":{}},\"mcp\":{\"x\":{}}}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": { \"command\": \"y\" }\r\n\t}\r\n}",
        ] {
            for agent in hook_agents() {
                let installed = install(agent, text, &program).unwrap();
                assert_eq!(status(agent, &installed), Ok(InstallStatus::Current), "{installed}");
                assert_eq!(install(agent, &installed, &program).as_ref(), Ok(&installed));
                assert_eq!(uninstall(agent, &installed, &program).as_deref(), Ok(text), "{installed}");
            }
        }
    }

    #[test]
    fn hooks_and_server_in_one_file_go_in_any_order() {
        let program = ProgramPath::default();
        for text in ["", "{}", "{\n  \"theme\": \"dark\"\n}\n", "{\"a\":1}", "{\n  // c\n}\n"] {
            let hooks = settings::install(&Gemini, text, &program).unwrap();
            let both = install(&Gemini, &hooks, &program).unwrap();
            let without = uninstall(&Gemini, &both, &program).unwrap();
            let one = settings::uninstall(&Gemini, &without);
            let without = settings::uninstall(&Gemini, &both).unwrap();
            let other = uninstall(&Gemini, &without, &program);
            assert_eq!(one.as_deref(), Ok(text));
            assert_eq!(other.as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_persons_own_server_stays_and_anothers_of_our_name_is_refused() {
        let own =
            "{\"mcpServers\": {\"cm\": {\"command\": \"/x/cm\", \"args\": [\"--vault\", \"/v\", \"mcp\"]}}}";
        let program = ProgramPath::default();
        assert_eq!(status(&Cursor, own), Ok(InstallStatus::Current));
        assert_eq!(install(&Cursor, own, &program).as_deref(), Ok(own));
        assert_eq!(uninstall(&Cursor, own, &program).as_deref(), Ok(own));
        let anothers = "{\n\"mcpServers\": {\"cm\": {\"command\": \"npx\"}}}";
        assert_eq!(status(&Cursor, anothers), Ok(InstallStatus::Absent));
        assert_eq!(uninstall(&Cursor, anothers, &program).as_deref(), Ok(anothers));
        let fault = install(&Cursor, anothers, &program).unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 16));
        assert!(fault.message.contains("rename it"));
    }
}
