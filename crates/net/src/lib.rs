//! HTTP client for model servers: retries, short timeouts and protection of keys.
//!
//! It does not depend on models, settings or vaults; requests and responses are defined in `embed`
//! and `llm`.

mod address;
mod client;
mod error;
mod key;
pub mod ollama_host;
mod pace;
mod patience;
mod said;
#[cfg(test)]
mod tests;

pub use address::{Address, NotAnAddress};
pub use client::{Client, Terms};
pub use error::{Error, Result};
pub use key::{Key, Lock};
pub use pace::Pace;
pub use patience::Patience;
pub use said::{reason, shortened};
