//! The team server as the memory of a machine that has no vault: which server the hooks call, what
//! it answers, and the uploads that wait for it.
//!
//! The state is in the user's private files, never in the project. No vault is opened here.

pub mod api;
pub mod briefing;
pub mod connection;
pub mod deliver;
pub mod former_server;
pub mod incomplete;
pub mod memory_copy;
pub mod outbox;
pub mod reachability;
pub mod session_upload;
