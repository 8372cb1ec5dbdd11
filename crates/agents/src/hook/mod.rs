//! Hooks in agent sessions: the messages of agents, the responses to them, and their installation
//! in agent settings.
//!
//! The functions here only transform data and text; callers access files, processes and the clock.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod agent;
pub mod event;
pub mod failure;
pub mod injection;
pub mod injection_log;
pub mod mcp;
pub mod memory_text;
pub mod message;
pub mod owned_file;
pub mod plan;
pub mod program;
pub mod relevance;
pub mod reply;
pub mod selection;
pub mod settings;
pub mod skill;

pub use crate::agents::{hook_agent, hook_agents};
pub use agent::{AgentHooks, HookAgent, SettingsScope};
pub use event::HookEvent;
pub use message::{GuardRequest, HookMessage};
pub use reply::HookReply;
