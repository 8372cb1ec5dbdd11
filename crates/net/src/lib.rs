//! HTTP client for model servers and the team server: retries, short timeouts and protection of keys.
//!
//! It does not depend on models, settings or vaults; requests and responses are defined in `embed`
//! and `llm`.

mod address;
mod api_key;
mod client;
mod error;
mod error_body;
pub mod ollama_host;
mod retry_policy;
mod retry_sleeper;
#[cfg(test)]
mod tests;

pub use address::{InvalidServerUrl, ServerUrl};
pub use api_key::{ApiKey, AuthHeader};
pub use client::{Client, ClientConfig, TrustedCertificate};
pub use error::{Error, Result, detail, retry_note};
pub use error_body::reason;
pub use retry_policy::RetryPolicy;
pub use retry_sleeper::RetrySleeper;
