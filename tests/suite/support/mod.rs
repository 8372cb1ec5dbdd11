//! Test support: an isolated sandbox for the real program, vaults from one string, and hashes of
//! files.

mod agent;
mod example;
pub mod exchange;
mod harbour;
mod hashes;
mod logs;
mod notes;
mod ran;
mod sandbox;
mod server;
mod serving;
mod talks;
mod told;

pub use agent::McpClient;
pub use example::{example, taught};
pub use harbour::harbour;
pub use hashes::{everything, hashes};
pub use logs::{log, regretted};
pub use notes::files_of;
pub use ran::Ran;
pub use sandbox::{Sandbox, vault_of};
pub use server::call;
pub use serving::{ServerProcess, message};
pub use talks::{SessionLine, scripted, talk};
pub use told::{diary, told};
