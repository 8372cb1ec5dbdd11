//! The command line that agents run to start cm, and its detection in agent settings.

use serde_json::Value;

use super::{HookAgent, HookEvent};
use crate::agents::hook_agent;

/// Path of the program, or a name that is looked up in `PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramPath(String);

impl Default for ProgramPath {
    fn default() -> Self {
        Self("cm".to_owned())
    }
}

impl ProgramPath {
    /// Creates a program path from an absolute path, or from a name that is looked up in `PATH`.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self(path.to_owned())
    }

    /// Path of the program without arguments.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0
    }

    /// Arguments that handle an event of the agent with this name.
    #[must_use]
    pub fn arguments(agent: &'static str, event: HookEvent) -> [&'static str; 3] {
        ["hook", agent, event.name()]
    }

    /// Complete shell command that handles an event of the agent with this name.
    #[must_use]
    pub fn line(&self, agent: &'static str, event: HookEvent) -> String {
        format!("{} {}", quote_path(&self.0), Self::arguments(agent, event).join(" "))
    }
}

impl ProgramPath {
    /// Shell command that starts the MCP server.
    #[must_use]
    pub(crate) fn server_line(&self) -> String {
        format!("{} mcp", quote_path(&self.0))
    }
}

fn quote_path(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/\\:+-".contains(c);
    if path.chars().all(plain) {
        path.to_owned()
    } else if path.contains('\\') {
        format!("\"{path}\"")
    } else {
        shell_words::quote(path).into_owned()
    }
}

/// Parses the arguments of `cm hook`: `[AGENT] [EVENT]` in this order. `None` if an argument is
/// neither.
#[must_use]
pub fn parse_hook_args(words: &[&str]) -> Option<(Option<HookAgent>, Option<HookEvent>)> {
    match words {
        [] => Some((None, None)),
        [one] => match HookEvent::from_name(one) {
            Some(event) => Some((None, Some(event))),
            None => Some((Some(hook_agent(one)?), None)),
        },
        [agent, event] => Some((Some(hook_agent(agent)?), Some(HookEvent::from_name(event)?))),
        _ => None,
    }
}

/// Returns `true` if a handler in an agent's settings is a cm hook, of any version and with any
/// program path.
#[must_use]
pub(crate) fn is_cm_hook(handler: &Value) -> bool {
    words_of(handler).is_some_and(|(program, arguments)| {
        is_cm(&program) && arguments.first().is_some_and(|word| word == "hook")
    })
}

/// Returns `true` if a server in an agent's settings is cm's.
#[must_use]
pub(crate) fn is_cm_server(server: &Value) -> bool {
    words_of(server)
        .is_some_and(|(program, arguments)| is_cm(&program) && arguments.iter().any(|word| word == "mcp"))
}

/// Returns the program and the arguments of a settings entry; leading variable assignments are
/// dropped.
fn words_of(entry: &Value) -> Option<(String, Vec<String>)> {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // Copilot CLI has a command for each kind of shell.
    let mut words = match entry.get("command").or_else(|| entry.get("bash"))? {
        Value::String(command) if entry.get("args").is_some() => vec![command.clone()],
        Value::String(command) => split(command),
        command => strings(command),
    };
    words.extend(entry.get("args").map(strings).unwrap_or_default());
    let is_variable = |word: &String| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut words = words.into_iter().skip_while(|word| is_variable(word) || word == "env");
    Some((words.next()?, words.collect()))
}

fn split(command: &str) -> Vec<String> {
    // Behind a drive's letter a backslash parts folders, and hides no character.
    let drive = command.trim_start().trim_start_matches('"').as_bytes().get(1) == Some(&b':');
    if !drive && let Ok(words) = shell_words::split(command) {
        return words;
    }
    match command.trim().strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((program, rest)) => {
            std::iter::once(program).chain(rest.split_whitespace()).map(str::to_owned).collect()
        }
        None => command.split_whitespace().map(str::to_owned).collect(),
    }
}

fn is_cm(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "cm" || name.eq_ignore_ascii_case("cm.exe")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::claude_code::ClaudeCode;
    use crate::agents::cursor::Cursor;
    use crate::agents::hook_agents;

    #[test]
    fn hooks_of_cm_are_recognized_by_any_program_path() {
        for command in [
            "cm hook session-start",
            "cm hook cursor sessionStart",
            "/usr/local/bin/cm hook claude prompt",
            "'/Users/a b/bin/cm' hook stop",
            "\"C:\\Program Files\\cm\\cm.exe\" hook stop",
            "C:\\cm\\cm.exe hook stop",
            "CM_VAULT=/v cm hook stop",
            "env A=1 cm hook",
        ] {
            assert!(is_cm_hook(&json!({ "type": "command", "command": command })), "{command}");
        }
        for command in [
            "cm guard",
            "echo cm hook",
            "ncm hook x",
            "cm-hook",
            "cm",
            "",
            "cmd /c cm hook",
            "cm hooks",
            "'cm hook",
        ] {
            assert!(!is_cm_hook(&json!({ "command": command })), "{command}");
        }
        assert!(is_cm_hook(&json!({ "command": "/opt/cm", "args": ["hook", "stop"] })));
        assert!(!is_cm_hook(&json!({ "command": "/opt/cm", "args": ["guard"] })));
        assert!(!is_cm_hook(&json!("cm hook stop")));
        assert!(is_cm_server(&json!({ "command": "cm", "args": ["--vault", "/v", "mcp"] })));
        assert!(is_cm_server(&json!({ "type": "local", "command": ["/x/cm", "mcp"] })));
        assert!(!is_cm_server(&json!({ "command": "npx", "args": ["cm-mcp", "mcp"] })));
    }

    #[test]
    fn every_command_line_is_recognized_and_parsed_back() {
        for path in ["cm", "/a b/cm", "/it's/cm", "C:\\a b\\cm.exe", "C:\\cm.exe", "/$HOME/cm"] {
            for agent in hook_agents() {
                for event in HookEvent::ALL {
                    let line = ProgramPath::new(path).line(agent.name(), event);
                    assert!(is_cm_hook(&json!({ "command": line })), "{line}");
                    let words = &ProgramPath::arguments(agent.name(), event)[1..];
                    assert_eq!(parse_hook_args(words), Some((Some(agent), Some(event))));
                }
            }
        }
    }

    #[test]
    fn the_agent_may_be_left_out_and_unknown_words_are_refused() {
        assert_eq!(parse_hook_args(&["session-start"]), Some((None, Some(HookEvent::SessionStart))));
        assert_eq!(
            parse_hook_args(&["cursor", "sessionStart"]),
            Some((Some(&Cursor as HookAgent), Some(HookEvent::SessionStart)))
        );
        assert_eq!(parse_hook_args(&["claude"]), Some((Some(&ClaudeCode as HookAgent), None)));
        assert_eq!(parse_hook_args(&["session-start", "claude"]), None);
        assert_eq!(parse_hook_args(&["x"]), None);
    }
}
