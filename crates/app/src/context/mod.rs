//! The opened vaults of one request, and what every verb does with them: read, search, write.

pub mod actor;
pub mod cancellation;
pub mod embedding;
pub mod find;
pub(crate) mod imported_usage;
pub mod meaning;
pub mod open;
pub mod paths;
pub mod process_cache;
pub(crate) mod progress;
pub mod provider;
pub mod refresh;
pub mod retrieve;
pub mod secrets;
pub mod snapshot;
pub(crate) mod snippet;
pub mod trust;
pub mod write;
