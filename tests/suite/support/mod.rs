//! Test support: an isolated sandbox for the real program, vaults from one string, and hashes of
//! files.

mod example;
pub mod exchange;
mod fake_sessions;
mod fixture_vault;
mod hashes;
mod logs;
mod mcp_client;
mod notes;
mod obsidian_rule;
mod ran;
mod sandbox;
mod server;
mod serving;
mod session_logs;

pub use example::{copy, example, taught};
pub use fake_sessions::{SessionLine, scripted, talk};
pub use fixture_vault::harbour;
pub use hashes::{everything, hashes};
pub use logs::{log, regretted};
pub use mcp_client::McpClient;
pub use notes::files_of;
pub use obsidian_rule::ObsidianVault;
pub use ran::Ran;
pub use sandbox::{NOW, Sandbox, git_command, vault_of};
pub use server::request;
pub use serving::{ServerProcess, message};
pub use session_logs::{diary, write_session};
