//! Hooks of a machine without the vault: they call a team server, and nothing is lost while it is
//! away.

mod answers;
mod connection;
mod delivery;
mod support;
