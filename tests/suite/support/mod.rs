//! What the tests stand on: a closed sandbox for the real program, notes from one string, and hashes of what lies on disk.

mod harbour;
mod hashes;
mod notes;
mod ran;
mod sandbox;

pub use harbour::harbour;
pub use hashes::{everything, hashes};
pub use sandbox::{Sandbox, vault_of};
