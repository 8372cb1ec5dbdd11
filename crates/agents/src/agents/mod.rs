//! The supported agents: one folder each, with its session logs and, if it has hooks, their events,
//! messages and settings. [`support`] is the table of all agents.

#![expect(clippy::disallowed_methods, reason = "reads the logs of other programs")]

mod aider;
mod amp;
mod chatgpt;
pub mod claude_code;
mod cline;
mod codex;
pub(crate) mod connector;
mod copilot_cli;
mod cursor;
mod gemini;
pub mod opencode;
mod pi;

use cm_session::Agent;
use connector::Connector;

/// Support for an agent.
pub(crate) struct AgentSupport {
    pub logs: &'static dyn Connector,
}

/// Returns the support for an agent.
pub(crate) fn support(agent: Agent) -> AgentSupport {
    let logs: &'static dyn Connector = match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::Cursor => &cursor::Cursor,
        Agent::Aider => &aider::Aider,
        Agent::Pi => &pi::Pi,
        Agent::Gemini => &gemini::Gemini,
        Agent::Chatgpt => &chatgpt::Chatgpt,
        Agent::Opencode => &opencode::Opencode,
        Agent::Cline => &cline::Cline,
        Agent::Amp => &amp::Amp,
        Agent::CopilotCli => &copilot_cli::CopilotCli,
    };
    AgentSupport { logs }
}
