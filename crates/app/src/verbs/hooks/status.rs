//! State of cm's hooks in agents' settings, with the latest hook failures.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::server_status::{self, ServerState};
use super::{HookScope, Options, faulty, note_path, parse_agents, read_if_any, root, text_of};
use crate::context::request::Request;
use crate::error::Result;
use crate::verbs::hook::failures;
use crate::verbs::server_client::former_server::{FormerServer, former_servers};
use cm_agents::agents::claude_code::hooks as claude_code;
use cm_agents::hook::failure::FailureLogLine;
use cm_agents::hook::mcp;
use cm_agents::hook::owned_file;
use cm_agents::hook::program::ProgramPath;
use cm_agents::hook::settings;
use cm_agents::hook::skill::{self, SkillFile};
use cm_agents::hook::{HookAgent, HookEvent, hook_agents};
use cm_session::Agent;

pub use cm_agents::hook::settings::InstallStatus as HookState;

/// Maximum number of hook failures shown.
pub(super) const MAX_SHOWN_FAILURES: usize = 5;

/// Hooks, skills and MCP server in one agent's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentState {
    /// Name of the agent.
    pub agent: String,
    /// Whether these are the project's or the user's settings.
    #[serde(rename = "reach")]
    pub scope: HookScope,
    /// Path of the settings file.
    pub path: String,
    pub state: HookState,
    /// Names of the events for which a hook is installed.
    pub events: Vec<String>,
    /// Number of installed skills.
    pub skills: usize,
    /// Whether the MCP server is registered; null if only the agent's own command can report it.
    pub mcp: Option<bool>,
    /// Settings file that enables cm as a plugin, which brings hooks of its own; null if none does.
    pub plugin: Option<String>,
    /// Why the file cannot be read.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookFailure {
    /// Time of the failure, as RFC 3339.
    pub at: String,
    /// Name of the agent.
    pub agent: String,
    /// Name of the event; empty if unknown.
    pub event: String,
    /// Description of the failure.
    pub message: String,
}

/// What a hook reads and does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookPurpose {
    /// Name of the event.
    pub event: String,
    /// What the hook reads and does, as a sentence.
    pub purpose: String,
}

/// State of the hook installation and the latest hook failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HooksStatus {
    /// Agents that are used in this folder, project settings first.
    pub agents: Vec<AgentState>,
    /// What each installed hook reads and does, in the order of events in a session.
    pub purposes: Vec<HookPurpose>,
    /// The latest hook failures, newest first.
    pub failures: Vec<HookFailure>,
    /// Team servers that hooks call instead of a vault on this machine: that of the project first.
    pub servers: Vec<ServerState>,
    /// Servers that no folder calls any more, and for which uploads wait.
    pub former_servers: Vec<FormerServer>,
}

impl HookFailure {
    pub(super) fn of(failure: FailureLogLine) -> Self {
        let FailureLogLine { at, agent, event, message, .. } = failure;
        Self { at, agent, event, message }
    }
}

/// Reports the state of agents' settings and the latest hook failures.
///
/// # Errors
/// An unknown agent, or an unreadable failure log.
pub fn status(request: &Request, options: &Options) -> Result<HooksStatus> {
    let selected_agents = parse_agents(&options.agents)?;
    let mut states = Vec::new();
    for whose in [HookScope::Project, HookScope::User]
        .into_iter()
        .filter(|it| options.scope.is_none_or(|scope| scope == *it))
    {
        let Some(root) = root(request, whose) else { continue };
        for agent in
            hook_agents().filter(|agent| selected_agents.is_empty() || selected_agents.contains(agent))
        {
            let is_used = root.join(agent.folder(whose)).is_dir();
            // In the home itself both are one.
            let path = shown_path(&root, agent, whose);
            let is_listed = states.iter().any(|state: &AgentState| state.path == path);
            if (is_used || !selected_agents.is_empty()) && !is_listed {
                states.push(state(&root, agent, whose));
            }
        }
    }
    let failures = failures(request, MAX_SHOWN_FAILURES)?.into_iter().map(HookFailure::of);
    let mut servers = server_status::servers(request, root(request, HookScope::Project).as_deref())?;
    servers.sort_by_key(|server| server.folder.is_none());
    let purpose = |event: HookEvent| {
        let is_remote = servers.iter().any(|server| server.is_used);
        if is_remote { event.server_purpose() } else { event.purpose() }.to_owned()
    };
    let is_installed =
        |event: HookEvent| states.iter().flat_map(|state| &state.events).any(|name| name == event.name());
    let purposes = HookEvent::ALL
        .into_iter()
        .filter(|event| is_installed(*event))
        .map(|event| HookPurpose { event: event.name().to_owned(), purpose: purpose(event) });
    let purposes = purposes.collect();
    let former_servers = request.private.as_ref().map(former_servers).transpose()?.unwrap_or_default();
    Ok(HooksStatus { purposes, agents: states, failures: failures.collect(), servers, former_servers })
}

/// Settings file below `root` that enables cm as a plugin of the agent.
pub(super) fn plugin_settings(root: &Path, agent: HookAgent) -> Option<String> {
    if agent.agent() != Agent::ClaudeCode {
        return None;
    }
    let mut files = [".claude/settings.json", ".claude/settings.local.json"].into_iter();
    let found = files.find(|path| {
        let text = note_path(path).and_then(|inner| text_of(&read_if_any(root, &inner)?, path));
        text.is_ok_and(|text| claude_code::enables_plugin(&text))
    })?;
    Some(root.join(found).display().to_string())
}

/// Whether an agent has the means to record what a person typed: cm's MCP server, skills or plugin.
pub(crate) fn can_propose(request: &Request, agent: HookAgent) -> bool {
    let has_means = |root: &Path, whose: HookScope| {
        let files = || skill::files(agent, whose).into_iter().any(|file| is_installed(root, &file));
        let server = || mcp::file(agent, whose).is_some_and(|path| has_server(root, agent, path));
        server() || files() || plugin_settings(root, agent).is_some()
    };
    let own_registry = |home: &Path| {
        agent.own_registry().is_some_and(|(path, mark)| {
            let text = note_path(path).and_then(|inner| text_of(&read_if_any(home, &inner)?, path));
            text.is_ok_and(|text| text.contains(mark))
        })
    };
    let mut scopes = [HookScope::Project, HookScope::User].into_iter();
    scopes.any(|whose| root(request, whose).is_some_and(|root| has_means(&root, whose)))
        || request.home.as_deref().is_some_and(own_registry)
}

fn state(root: &Path, agent: HookAgent, whose: HookScope) -> AgentState {
    let program = ProgramPath::default();
    let (found, problem) = match install_status(root, agent, whose, &program) {
        Ok(found) => (found, None),
        Err(error) => ((HookState::Absent, Vec::new()), Some(error.message)),
    };
    let skills = skill::files(agent, whose).into_iter().filter(|file| is_installed(root, file)).count();
    let server = mcp::file(agent, whose).map(|path| has_server(root, agent, path));
    AgentState {
        agent: agent.name().to_owned(),
        scope: whose,
        path: shown_path(root, agent, whose),
        state: found.0,
        events: found.1.into_iter().map(|event: HookEvent| event.name().to_owned()).collect(),
        skills,
        mcp: server,
        plugin: plugin_settings(root, agent),
        problem,
    }
}

/// The state of an agent's hooks below `root`, and the events that they handle.
///
/// # Errors
/// Settings that cannot be read or parsed.
pub(super) fn install_status(
    root: &Path,
    agent: HookAgent,
    whose: HookScope,
    program: &ProgramPath,
) -> Result<(HookState, Vec<HookEvent>)> {
    let read = |path: &str| text_of(&read_if_any(root, &note_path(path)?)?, path);
    let owned = agent.owned_files(whose, program);
    if owned.is_empty() {
        let path = agent.hooks_file(whose);
        let text = read(path)?;
        return settings::status(agent, &text, program)
            .and_then(|state| Ok((state, settings::installed(agent, &text)?)))
            .map_err(|fault| faulty(path, &fault));
    }
    let states = owned.iter().map(|file| Ok(file.status(&read(&file.path)?))).collect::<Result<Vec<_>>>()?;
    let state = owned_file::joint_status(&states);
    let events = agent.installed_events().to_vec();
    Ok((state, if state == HookState::Absent { Vec::new() } else { events }))
}

fn shown_path(root: &Path, agent: HookAgent, whose: HookScope) -> String {
    root.join(agent.hooks_file(whose)).display().to_string()
}

fn has_server(root: &Path, agent: HookAgent, path: &str) -> bool {
    let text =
        note_path(path).and_then(|inner| text_of(&read_if_any(root, &inner)?, path)).unwrap_or_default();
    mcp::status(agent, &text).is_ok_and(|state| state == HookState::Current)
}

fn is_installed(root: &Path, file: &SkillFile) -> bool {
    let there = note_path(&file.path).and_then(|path| read_if_any(root, &path)).ok().flatten();
    there.is_some_and(|bytes| skill::is_ours(&String::from_utf8_lossy(&bytes)))
}
