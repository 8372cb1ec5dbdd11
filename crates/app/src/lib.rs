//! Operations on vaults, one module per command. They are independent of the surface: they do not
//! print, parse command lines or choose exit codes.

pub mod context;
pub mod error;
#[cfg(test)]
mod fixture_vault;
pub mod idempotency;
pub mod jobs;
mod paging;
pub mod receive;
mod redact_paths;
pub mod server_audit;
pub mod sessions;
pub mod subscriptions;
pub mod verbs;

pub use cm_store::vault::PrivateHome;
pub use context::actor::{Actor, CallerIdentity};
pub use context::open::Context;
pub use context::open_vault::VaultLevel;
pub use context::progress::{Progress, ProgressStep, ProgressWatch};
pub use context::request::Request;
pub use error::{Error, ErrorKind, Result, RevisionConflict};
