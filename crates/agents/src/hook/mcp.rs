//! Adds cm's MCP server to an agent's settings and removes it. A server named `cm` with other
//! arguments belongs to the user and is preserved.

use serde_json::{Value, json};

use super::program::{ProgramPath, is_cm_server};
use super::settings::{InstallStatus, SettingsError, edit, entries, json, object, reject_duplicate_keys};
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
}

/// Returns how cm's server is registered with this agent.
#[must_use]
pub fn way(agent: HookAgent, reach: SettingsScope, program: &ProgramPath) -> ServerRegistration {
    match (agent, reach) {
        (HookAgent::Claude, SettingsScope::Project) => ServerRegistration::File(".mcp.json"),
        // That file holds the agent's own state, and is written while the agent runs.
        (HookAgent::Claude, SettingsScope::User) => ServerRegistration::Command(format!(
            "claude mcp add --scope user {NAME} -- {}",
            program.server_line()
        )),
        (HookAgent::Codex, _) => {
            ServerRegistration::Command(format!("codex mcp add {NAME} -- {}", program.server_line()))
        }
        (HookAgent::Cursor, _) => ServerRegistration::File(".cursor/mcp.json"),
        (HookAgent::Gemini, _) => ServerRegistration::File(".gemini/settings.json"),
        (HookAgent::Opencode, SettingsScope::Project) => ServerRegistration::File("opencode.json"),
        (HookAgent::Opencode, SettingsScope::User) => {
            ServerRegistration::File(".config/opencode/opencode.json")
        }
    }
}

/// Path of the settings file; `None` if the server is registered with a command.
#[must_use]
pub fn file(agent: HookAgent, reach: SettingsScope) -> Option<&'static str> {
    match way(agent, reach, &ProgramPath::default()) {
        ServerRegistration::File(path) => Some(path),
        ServerRegistration::Command(_) => None,
    }
}

fn key(agent: HookAgent) -> &'static str {
    if agent == HookAgent::Opencode { "mcp" } else { "mcpServers" }
}

fn server(agent: HookAgent, program: &ProgramPath) -> Value {
    match agent {
        HookAgent::Claude => json!({ "type": "stdio", "command": program.path(), "args": ["mcp"] }),
        HookAgent::Opencode => {
            json!({ "type": "local", "command": [program.path(), "mcp"], "enabled": true })
        }
        HookAgent::Codex | HookAgent::Cursor | HookAgent::Gemini => {
            json!({ "command": program.path(), "args": ["mcp"] })
        }
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
    let server = server(agent, program);
    let installed = match root(agent, text)? {
        None => edit::insert_into_blank(text, &json!({ key(agent): { NAME: server } })),
        Some(root) => match root.get(key(agent)) {
            None => edit::insert(text, &root, &root, Some(key(agent)), &json!({ NAME: server })),
            Some(servers) => match servers.find(NAME) {
                None => edit::insert(text, &root, servers, Some(NAME), &server),
                Some(number) => {
                    let at = servers.items()[number].start;
                    return Err(SettingsError::at(
                        text,
                        at,
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
    let Some((list, number)) = named(agent, &root) else { return Ok(text.to_owned()) };
    let servers = &root.items()[list].value;
    if servers.items()[number].value.value(text) != server(agent, program) {
        return Ok(text.to_owned());
    }
    Ok(edit::take_whole(text, &root, &[(servers, number), (&root, list)]))
}

/// Returns whether a settings text contains cm's server, also with arguments added by the user:
/// current or absent.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn status(agent: HookAgent, text: &str) -> Result<InstallStatus, SettingsError> {
    let Some(root) = root(agent, text)? else { return Ok(InstallStatus::Absent) };
    let found =
        named(agent, &root).map(|(list, number)| root.items()[list].value.items()[number].value.value(text));
    Ok(if found.is_some_and(|found| is_cm_server(&found)) {
        InstallStatus::Current
    } else {
        InstallStatus::Absent
    })
}

fn root(agent: HookAgent, text: &str) -> Result<Option<JsonNode>, SettingsError> {
    let Some(root) = json::read(text, entries::syntax(agent))? else { return Ok(None) };
    object(text, &root, "the settings")?;
    reject_duplicate_keys(text, &root)?;
    if let Some(servers) = root.get(key(agent)) {
        object(text, servers, &format!("`{}`", key(agent)))?;
        reject_duplicate_keys(text, servers)?;
    }
    Ok(Some(root))
}

/// Returns the index of the server list in the root and that of cm's server in the list.
fn named(agent: HookAgent, root: &JsonNode) -> Option<(usize, usize)> {
    let list = root.find(key(agent))?;
    Some((list, root.items()[list].value.find(NAME)?))
}

#[cfg(test)]
mod tests {
    use super::super::settings;
    use super::*;

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
            for agent in HookAgent::ALL {
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
            let hooks = settings::install(HookAgent::Gemini, text, &program).unwrap();
            let both = install(HookAgent::Gemini, &hooks, &program).unwrap();
            let without = uninstall(HookAgent::Gemini, &both, &program).unwrap();
            let one = settings::uninstall(HookAgent::Gemini, &without);
            let without = settings::uninstall(HookAgent::Gemini, &both).unwrap();
            let other = uninstall(HookAgent::Gemini, &without, &program);
            assert_eq!(one.as_deref(), Ok(text));
            assert_eq!(other.as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_persons_own_server_stays_and_anothers_of_our_name_is_refused() {
        let own =
            "{\"mcpServers\": {\"cm\": {\"command\": \"/x/cm\", \"args\": [\"--vault\", \"/v\", \"mcp\"]}}}";
        let program = ProgramPath::default();
        assert_eq!(status(HookAgent::Cursor, own), Ok(InstallStatus::Current));
        assert_eq!(install(HookAgent::Cursor, own, &program).as_deref(), Ok(own));
        assert_eq!(uninstall(HookAgent::Cursor, own, &program).as_deref(), Ok(own));
        let anothers = "{\n\"mcpServers\": {\"cm\": {\"command\": \"npx\"}}}";
        assert_eq!(status(HookAgent::Cursor, anothers), Ok(InstallStatus::Absent));
        assert_eq!(uninstall(HookAgent::Cursor, anothers, &program).as_deref(), Ok(anothers));
        let fault = install(HookAgent::Cursor, anothers, &program).unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 16));
        assert!(fault.message.contains("rename it"));
    }

    #[test]
    fn what_needs_a_persons_hand_is_a_command() {
        let way = way(HookAgent::Codex, SettingsScope::User, &ProgramPath::new("/a b/cm"));
        assert_eq!(way, ServerRegistration::Command("codex mcp add cm -- '/a b/cm' mcp".to_owned()));
    }
}
