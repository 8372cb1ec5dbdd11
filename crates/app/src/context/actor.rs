//! The kinds of callers, how an agent is detected, and which operations need a person.
//!
//! This is a guard rail, not a security boundary: any process of the user's account can edit the
//! files directly.

use std::collections::BTreeMap;

use crate::error::Error;
use cm_note::token::TokenKind;
use cm_note::user_text::Interface;

/// The kind of a caller, which decides its permissions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Actor {
    /// A person at the command line, or a script run by one.
    #[default]
    Person,
    /// An agent: MCP, hooks, and any process that an agent started.
    Agent,
    /// A client of the server, authenticated by a token.
    Token(TokenKind),
    /// A job that the server runs unattended.
    Job,
}

impl Actor {
    /// Returns the actor with a person's permissions reduced to an agent's; a job stays a job.
    #[must_use]
    pub fn lowered_to_agent(self) -> Self {
        match self {
            Self::Person | Self::Agent => Self::Agent,
            Self::Token(_) => Self::Token(TokenKind::Agent),
            Self::Job => Self::Job,
        }
    }
}

/// Who makes a request: the kind of caller and the names that are recorded in the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerIdentity {
    /// Kind of the caller, as determined by the interface: CLI, MCP, HTTP or a scheduled job.
    pub kind: Actor,
    /// The agent that started this process, detected from the environment or the process ancestors.
    pub detected: Option<String>,
    /// Name of the person, if different from the commit's author.
    pub actor: Option<String>,
    /// Agent name as given by the caller; `None` if the caller gave none.
    pub agent: Option<String>,
    /// Session ID of the agent.
    pub session: Option<String>,
    /// The caller's reason for the change, stored in the commit message.
    pub reason: Option<String>,
    /// Whether the caller authenticated with a token. Such a caller may use the vault, but not the
    /// agents' logs in the home folder.
    pub has_token: bool,
    /// Whether the request came over HTTP. Paths of this machine are concealed then.
    pub is_remote: bool,
    /// Through which interface the request came; texts for the caller are worded for it.
    pub interface: Interface,
}

impl CallerIdentity {
    /// Whether the caller has a person's permissions. A named agent or session removes them.
    pub fn is_person(&self) -> bool {
        self.is_persons_own() && self.agent.is_none() && self.session.is_none()
    }

    /// Whether the request comes from a person's terminal or token, even if it names an agent or a
    /// session.
    pub fn is_persons_own(&self) -> bool {
        matches!(self.kind, Actor::Person | Actor::Token(TokenKind::Person))
    }

    /// The agent's name as given, else as detected. Used for the history, not for filters.
    pub fn agent_name(&self) -> Option<String> {
        self.agent.clone().or_else(|| self.detected.clone())
    }
}

/// Builds the `persons-only` error with the message "only a person can {what}".
pub(crate) fn persons_only_error(what: &str, hint: &str) -> Error {
    Error::refused(PERSONS_ONLY, format!("only a person can {what}")).hint(hint)
}

pub use cm_playbook::curation::apply::PERSONS_ONLY;

/// Fallback name if an agent was detected but not identified.
const UNNAMED: &str = "agent";

/// Environment variables that agents set for their child processes, each with the agent's name.
const VARIABLES: [(&str, &str); 24] = [
    ("CLAUDECODE", "claude-code"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude-code"),
    ("CLAUDE_CODE_SESSION_ID", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_CI", "codex"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("CURSOR_AGENT", "cursor"),
    ("PI_CODING_AGENT", "pi"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("AMP_THREAD_ID", "amp"),
    ("GOOSE_TERMINAL", "goose"),
    ("CLINE_ACTIVE", "cline"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT_JOB_ID", "copilot"),
    ("AUGMENT_AGENT", "auggie"),
    ("QWEN_CODE", "qwen"),
    ("CRUSH", "crush"),
    ("TRAE_AI_SHELL_ID", "trae"),
    ("AI_AGENT", UNNAMED),
];

/// Whether a program started the agent and sends its prompts, judged by the environment of the agent's
/// hooks and servers.
pub(crate) fn is_headless(environment: &BTreeMap<String, String>) -> bool {
    let entry = environment.get("CLAUDE_CODE_ENTRYPOINT").map_or("", String::as_str);
    entry.starts_with("sdk") || entry.ends_with("action") || environment.contains_key("COPILOT_AGENT_JOB_ID")
}

/// Executable names of agents, each with the agent's name.
const PROGRAMS: [(&str, &str); 21] = [
    ("claude", "claude-code"),
    ("claude-code", "claude-code"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("cursor-agent", "cursor"),
    ("aider", "aider"),
    ("amp", "amp"),
    ("goose", "goose"),
    ("cline", "cline"),
    ("copilot", "copilot"),
    ("droid", "droid"),
    ("qwen", "qwen"),
    ("crush", "crush"),
    ("kiro-cli", "kiro"),
    ("auggie", "auggie"),
    ("openhands", "openhands"),
    ("pi", "pi"),
    ("pi-coding-agent", "pi"),
    ("kimi", "kimi"),
    ("grok", "grok"),
];

/// Interpreters: the name of the script identifies the program.
const INTERPRETERS: [&str; 6] = ["node", "bun", "deno", "python", "python3", "uv"];
/// Build tools: a process started by one of them is not attributed to an agent.
const BUILDS: [&str; 2] = ["cargo", "cargo-nextest"];

/// Detects the agent that started this process from its environment.
///
/// ```
/// use cm_app::context::actor::agent_of_environment;
/// let environment = [("CLAUDECODE".to_owned(), "1".to_owned())].into();
/// assert_eq!(agent_of_environment(&environment), Some("claude-code"));
/// ```
pub fn agent_of_environment(environment: &BTreeMap<String, String>) -> Option<&'static str> {
    let is_set = |name: &str| {
        let value = environment.get(name).map(|value| value.trim().to_ascii_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "" | "0" | "false" | "no"))
    };
    // Some agents share this variable, and people use it for other things.
    let shared = || {
        let agent = environment.get("AGENT")?;
        PROGRAMS.into_iter().find(|(program, _)| program == agent)
    };
    VARIABLES.into_iter().find(|(name, _)| is_set(name)).or_else(shared).map(|(_, agent)| agent)
}

/// Detects the nearest agent among the ancestors of this process, given as command lines, nearest
/// first.
///
/// ```
/// use cm_app::context::actor::agent_of_ancestors;
/// let line = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
/// let ancestors = [line(&["bash", "-c", "cm add"]), line(&["node", "/usr/bin/codex", "exec"])];
/// assert_eq!(agent_of_ancestors(&ancestors), Some("codex"));
/// ```
pub fn agent_of_ancestors(ancestors: &[Vec<String>]) -> Option<&'static str> {
    for line in ancestors {
        let names = program_names(line);
        if names.iter().any(|name| BUILDS.contains(name)) {
            return None;
        }
        let program = PROGRAMS.into_iter().find(|(program, _)| names.contains(program));
        if let Some((_, agent)) = program {
            return Some(agent);
        }
    }
    None
}

/// Returns the base name of the program and, if it is an interpreter, that of its script.
fn program_names(line: &[String]) -> Vec<&str> {
    let base = |word: &'_ String| -> usize { word.rfind(['/', '\\']).map_or(0, |at| at + 1) };
    let Some(program) = line.first() else { return Vec::new() };
    let name = &program[base(program)..];
    // A login shell is `-bash`; a title may follow the name.
    let name = name.trim_start_matches('-').split([' ', ':']).next().unwrap_or_default();
    let mut names = vec![name.trim_end_matches(".exe")];
    if INTERPRETERS.contains(&names[0]) {
        let script = line.iter().skip(1).find(|word| !word.starts_with('-'));
        names.extend(script.map(|script| {
            let name = &script[base(script)..];
            name.trim_end_matches(".js").trim_end_matches(".mjs").trim_end_matches(".py")
        }));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn each_agents_variable_tells_the_agent_and_an_empty_one_tells_nothing() {
        for (name, agent) in VARIABLES {
            let of = |value: &str| agent_of_environment(&[(name.to_owned(), value.to_owned())].into());
            assert_eq!(of("1"), Some(agent), "{name}");
            assert_eq!((of(""), of("0"), of("false")), (None, None, None), "{name}");
        }
        assert_eq!(agent_of_environment(&[("EDITOR".to_owned(), "claude".to_owned())].into()), None);
    }

    #[test]
    fn an_agent_is_found_among_ancestors_and_an_editor_or_a_build_is_none() {
        let found =
            |lines: &[&str]| agent_of_ancestors(&lines.iter().map(|words| line(words)).collect::<Vec<_>>());
        assert_eq!(found(&["bash -c x", "/home/a/.local/bin/claude --print"]), Some("claude-code"));
        assert_eq!(found(&["-zsh", "node --max-old-space-size=9 /opt/gemini.js"]), Some("gemini"));
        assert_eq!(found(&["sh", "python3 /usr/bin/aider ."]), Some("aider"));
        assert_eq!(found(&["bash", "code .", "systemd"]), None);
        assert_eq!(found(&["bash", "vim claude", "-bash", "tmux: server", "sshd: ada"]), None);
        assert_eq!(found(&["suite", "cargo test", "claude"]), None);
    }

    #[test]
    fn a_named_agent_or_session_lowers_and_nothing_raises() {
        let by = |kind, agent: Option<&str>, session: Option<&str>| CallerIdentity {
            kind,
            agent: agent.map(str::to_owned),
            session: session.map(str::to_owned),
            ..CallerIdentity::default()
        };
        assert!(by(Actor::Person, None, None).is_person());
        assert!(by(Actor::Token(TokenKind::Person), None, None).is_person());
        assert!(!by(Actor::Person, Some("x"), None).is_person());
        assert!(!by(Actor::Person, None, Some("s")).is_person());
        for kind in [Actor::Agent, Actor::Job, Actor::Token(TokenKind::Agent)] {
            assert!(!by(kind, None, None).is_person(), "{kind:?}");
            assert_eq!(kind.lowered_to_agent(), kind);
        }
    }
}
