//! The supported agents: one folder each, with its session logs and, if it has hooks, their events,
//! messages and settings. `support` is the table of all agents.

#![expect(clippy::disallowed_methods, reason = "reads the logs of other programs")]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod aider;
mod amp;
mod chatgpt;
pub mod claude_code;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod connector;
pub(crate) mod copilot_cli;
pub(crate) mod cursor;
pub(crate) mod gemini;
pub mod opencode;
pub(crate) mod pi;
pub(crate) mod qwen;

use crate::hook::HookAgent;
use cm_session::Agent;
use connector::Connector;

pub(crate) struct AgentSupport {
    pub logs: &'static dyn Connector,
    /// Hooks of the agent; `None` if the agent does not support any.
    pub hooks: Option<HookAgent>,
}

/// Returns the log connector and the hooks of an agent.
pub(crate) fn support(agent: Agent) -> AgentSupport {
    let (logs, hooks): (&'static dyn Connector, Option<HookAgent>) = match agent {
        Agent::ClaudeCode => (&claude_code::ClaudeCode, Some(&claude_code::ClaudeCode)),
        Agent::Codex => (&codex::Codex, Some(&codex::Codex)),
        Agent::Cursor => (&cursor::Cursor, Some(&cursor::Cursor)),
        Agent::Aider => (&aider::Aider, None),
        Agent::Pi => (&pi::Pi, Some(&pi::Pi)),
        Agent::Gemini => (&gemini::Gemini, Some(&gemini::Gemini)),
        Agent::Chatgpt => (&chatgpt::Chatgpt, None),
        Agent::Opencode => (&opencode::Opencode, Some(&opencode::Opencode)),
        Agent::Cline => (&cline::Cline, Some(&cline::Cline)),
        Agent::Amp => (&amp::Amp, None),
        Agent::CopilotCli => (&copilot_cli::CopilotCli, Some(&copilot_cli::CopilotCli)),
        Agent::Qwen => (&qwen::Qwen, Some(&qwen::Qwen)),
    };
    AgentSupport { logs, hooks }
}

/// Returns the agents that support hooks.
pub fn hook_agents() -> impl Iterator<Item = HookAgent> {
    Agent::ALL.into_iter().filter_map(|agent| support(agent).hooks)
}

/// Returns the agent with this name; also accepts the names used for session logs, such as
/// `claude-code`.
#[must_use]
pub fn hook_agent(name: &str) -> Option<HookAgent> {
    let name = match name {
        "gemini-cli" => "gemini",
        "qwen-code" => "qwen",
        name => name,
    };
    hook_agents().find(|agent| agent.name() == name || agent.agent().name() == name)
}
