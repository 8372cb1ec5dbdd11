//! Our MCP server in an agent's settings, put in and taken out as hooks are. A server of our name that a person set up in
//! their own words, with a vault of its own for example, is theirs: it stays.

use serde_json::{Value, json};

use super::program::{Program, is_our_server};
use super::settings::{Fault, State, edit, entries, object, once, tree};
use super::{Agent, Reach};
use tree::Node;

/// What the server is called in settings.
pub const NAME: &str = "cm";

/// How an agent learns of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// By a settings file in JSON, from the project's folder or the person's home.
    File(&'static str),
    /// By a command of the agent's own, which a person runs.
    Command(String),
}

/// How this agent learns of our server.
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

/// The settings that we put our server into; `None` where a command of the agent's does.
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

/// The text with our server in it. A file that is not there is an empty text.
///
/// # Errors
/// Where the text is no JSON of the agent's, another server has our name, or the text could not be had back afterwards.
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

/// The text without our server; empty where we made all of it.
///
/// # Errors
/// Where the text is no JSON of the agent's.
pub fn uninstall(agent: Agent, text: &str, program: &Program) -> Result<String, Fault> {
    let Some(root) = root(agent, text)? else { return Ok(text.to_owned()) };
    let Some((list, number)) = named(agent, &root) else { return Ok(text.to_owned()) };
    let servers = &root.items()[list].value;
    if servers.items()[number].value.value(text) != server(agent, program) {
        return Ok(text.to_owned());
    }
    Ok(edit::take_whole(text, &root, &[(servers, number), (&root, list)]))
}

/// Whether the text has our server, in our words or a person's: current, or absent.
///
/// # Errors
/// Where the text is no JSON of the agent's.
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

/// The numbers of the servers within the root, and of the one of our name within them.
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
