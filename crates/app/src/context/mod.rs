//! The opened vaults of one request, and what every verb does with them: read, search, write.

pub mod actor;
pub mod as_of;
pub mod cancellation;
pub mod embedding;
pub mod find;
pub mod global_vault;
pub(crate) mod imported_usage;
pub(crate) mod layered_settings;
pub mod meaning;
pub mod models;
pub mod open;
pub mod open_vault;
pub mod paths;
pub mod process_cache;
pub(crate) mod progress;
pub mod provider;
pub mod refresh;
pub mod request;
pub mod retrieve;
pub(crate) mod scoring;
pub mod secrets;
pub mod snapshot;
pub(crate) mod snippet;
pub mod trust;
pub(crate) mod vault_cache;
pub mod write;
