//! Operations on vaults, one module per command. They are independent of the surface: they do not
//! print, parse command lines or choose exit codes.

pub mod context;
pub mod error;
pub mod jobs;
pub mod legacy_private;
pub mod receive;
mod redact_paths;
pub mod server_audit;
pub mod sessions;
pub mod subscriptions;
pub mod verbs;

pub use cm_store::vault::PrivateHome;
pub use context::actor::Actor;
pub use context::open::{CallerIdentity, Context, Request, VaultLevel};
pub use context::progress::{Progress, ProgressStep, ProgressWatch};
pub use error::{Error, ErrorKind, Result};
