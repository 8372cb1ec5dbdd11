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

pub use address::{InvalidServerUrl, ServerUrl};
pub use client::{Client, ClientConfig};
pub use error::{Error, Result};
pub use key::{ApiKey, AuthHeader};
pub use pace::RetrySleeper;
pub use patience::RetryPolicy;
pub use said::{reason, shortened};
