//! Hooks in agents' sessions: what an agent tells them, what it is told back, and how they get into its settings.
//!
//! Data and text only. Nothing here reads a file, starts a program or asks for the time; whoever calls does.

pub mod agent;
pub mod border;
pub mod choice;
pub mod event;
pub mod failure;
pub mod fit;
pub mod mcp;
pub mod memory_text;
pub mod message;
pub mod opencode;
pub mod program;
pub mod record;
pub mod reply;
pub mod settings;
pub mod skill;
pub mod work;

pub use agent::{Agent, Reach};
pub use event::Event;
pub use message::Message;
pub use reply::Reply;
