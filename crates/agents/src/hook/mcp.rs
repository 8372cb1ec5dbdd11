//! Adds cm's MCP server to an agent's settings and removes it. A server named `cm` with other
//! arguments belongs to the user and is preserved.

use serde_json::{Value, json};

use super::program::{Program, is_our_server};
use super::settings::{Fault, State, edit, entries, object, once, tree};
use super::{Agent, Reach};
use tree::Node;

/// Name of the server in settings.
pub const NAME: &str = "cm";

/// How an MCP server is registered with an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// In a JSON settings file; the path is relative to the project folder or the home folder.
    File(&'static str),
    /// With a command of the agent that the user runs.
    Command(String),
}

/// Returns how cm's server is registered with this agent.
#[must_use]
pub fn way(agent: Agent, reach: Reach, program: &Program) -> Way {
    match (agent, reach) {
        (Agent::Claude, Reach::Project) => Way::File(".mcp.json"),
        // That file holds the agent's own state, and is written while the agent runs.
        (Agent::Claude, Reach::User) => {
            Way::Command(format!("claude mcp add --scope user {NAME} -- {}", program.server_line()))
        }
        (Agent::Codex, _) => Way::Command(format!("codex mcp add {NAME} -- {}", program.server_line())),
        (Agent::Cursor, _) => Way::File(".cursor/mcp.json"),
        (Agent::Gemini, _) => Way::File(".gemini/settings.json"),
        (Agent::Opencode, Reach::Project) => Way::File("opencode.json"),
        (Agent::Opencode, Reach::User) => Way::File(".config/opencode/opencode.json"),
    }
}

/// Path of the settings file; `None` if the server is registered with a command.
#[must_use]
pub fn file(agent: Agent, reach: Reach) -> Option<&'static str> {
    match way(agent, reach, &Program::default()) {
        Way::File(path) => Some(path),
        Way::Command(_) => None,
    }
}

fn key(agent: Agent) -> &'static str {
    if agent == Agent::Opencode { "mcp" } else { "mcpServers" }
}

fn server(agent: Agent, program: &Program) -> Value {
    match agent {
        Agent::Claude => json!({ "type": "stdio", "command": program.path(), "args": ["mcp"] }),
        Agent::Opencode => json!({ "type": "local", "command": [program.path(), "mcp"], "enabled": true }),
        Agent::Codex | Agent::Cursor | Agent::Gemini => json!({ "command": program.path(), "args": ["mcp"] }),
    }
}

/// Adds cm's server to a settings text; an empty text represents a missing file.
///
/// # Errors
/// Fails if the text is not valid settings, if another server has the same name, or if the change
/// could not be undone byte for byte.
pub fn install(agent: Agent, text: &str, program: &Program) -> Result<String, Fault> {
    if status(agent, text)? == State::Current {
        return Ok(text.to_owned());
    }
    let server = server(agent, program);
    let installed = match root(agent, text)? {
        None => edit::begun(text, &json!({ key(agent): { NAME: server } })),
        Some(root) => match root.get(key(agent)) {
            None => edit::put(text, &root, &root, Some(key(agent)), &json!({ NAME: server })),
            Some(servers) => match servers.find(NAME) {
                None => edit::put(text, &root, servers, Some(NAME), &server),
                Some(number) => {
                    let at = servers.items()[number].start;
                    return Err(Fault::at(
                        text,
                        at,
                        format!("another server is called `{NAME}`: rename it first"),
                    ));
                }
            },
        },
    };
    if status(agent, &installed)? != State::Current || uninstall(agent, &installed, program)? != text {
        return Err(Fault::at(
            text,
            0,
            "the server cannot be put into this file so that it could be had back; put it in by hand",
        ));
    }
    Ok(installed)
}

/// Removes cm's server from a settings text; the result is empty if it contained nothing else.
///
/// # Errors
/// Fails if the text is not valid settings.
pub fn uninstall(agent: Agent, text: &str, program: &Program) -> Result<String, Fault> {
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
pub fn status(agent: Agent, text: &str) -> Result<State, Fault> {
    let Some(root) = root(agent, text)? else { return Ok(State::Absent) };
    let found =
        named(agent, &root).map(|(list, number)| root.items()[list].value.items()[number].value.value(text));
    Ok(if found.is_some_and(|found| is_our_server(&found)) { State::Current } else { State::Absent })
}

fn root(agent: Agent, text: &str) -> Result<Option<Node>, Fault> {
    let Some(root) = tree::read(text, entries::syntax(agent))? else { return Ok(None) };
    object(text, &root, "the settings")?;
    once(text, &root)?;
    if let Some(servers) = root.get(key(agent)) {
        object(text, servers, &format!("`{}`", key(agent)))?;
        once(text, servers)?;
    }
    Ok(Some(root))
}

/// Returns the index of the server list in the root and that of cm's server in the list.
fn named(agent: Agent, root: &Node) -> Option<(usize, usize)> {
    let list = root.find(key(agent))?;
    Some((list, root.items()[list].value.find(NAME)?))
}

#[cfg(test)]
mod tests {
    use super::super::settings;
    use super::*;

    #[test]
    fn the_server_comes_and_goes_and_leaves_every_byte() {
        let program = Program::default();
        for text in [
            "",
            "{}",
            "{ }\n",
            "{\"a\":1}",
            "{\n  \"mcpServers\": {},\n  \"mcp\": {}\n}\n",
            "{\"mcpServers\":{\"x\":{}},\"mcp\":{\"x\":{}}}",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": { \"command\": \"y\" }\r\n\t}\r\n}",
        ] {
            for agent in Agent::ALL {
                let installed = install(agent, text, &program).unwrap();
                assert_eq!(status(agent, &installed), Ok(State::Current), "{installed}");
                assert_eq!(install(agent, &installed, &program).as_ref(), Ok(&installed));
                assert_eq!(uninstall(agent, &installed, &program).as_deref(), Ok(text), "{installed}");
            }
        }
    }

    #[test]
    fn hooks_and_server_in_one_file_go_in_any_order() {
        let program = Program::default();
        for text in ["", "{}", "{\n  \"theme\": \"dark\"\n}\n", "{\"a\":1}", "{\n  // c\n}\n"] {
            let hooks = settings::install(Agent::Gemini, text, &program).unwrap();
            let both = install(Agent::Gemini, &hooks, &program).unwrap();
            let without = uninstall(Agent::Gemini, &both, &program).unwrap();
            let one = settings::uninstall(Agent::Gemini, &without);
            let without = settings::uninstall(Agent::Gemini, &both).unwrap();
            let other = uninstall(Agent::Gemini, &without, &program);
            assert_eq!(one.as_deref(), Ok(text));
            assert_eq!(other.as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_persons_own_server_stays_and_anothers_of_our_name_is_refused() {
        let own =
            "{\"mcpServers\": {\"cm\": {\"command\": \"/x/cm\", \"args\": [\"--vault\", \"/v\", \"mcp\"]}}}";
        let program = Program::default();
        assert_eq!(status(Agent::Cursor, own), Ok(State::Current));
        assert_eq!(install(Agent::Cursor, own, &program).as_deref(), Ok(own));
        assert_eq!(uninstall(Agent::Cursor, own, &program).as_deref(), Ok(own));
        let anothers = "{\n\"mcpServers\": {\"cm\": {\"command\": \"npx\"}}}";
        assert_eq!(status(Agent::Cursor, anothers), Ok(State::Absent));
        assert_eq!(uninstall(Agent::Cursor, anothers, &program).as_deref(), Ok(anothers));
        let fault = install(Agent::Cursor, anothers, &program).unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 16));
        assert!(fault.message.contains("rename it"));
    }

    #[test]
    fn what_needs_a_persons_hand_is_a_command() {
        let way = way(Agent::Codex, Reach::User, &Program::new("/a b/cm"));
        assert_eq!(way, Way::Command("codex mcp add cm -- '/a b/cm' mcp".to_owned()));
    }
}
