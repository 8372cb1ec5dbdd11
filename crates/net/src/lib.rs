//! Asking a server over HTTP: patient with busy ones, short with silent ones, careful with keys.
//!
//! It knows no model, no setting and no vault; what is asked, and what an answer means, is for `embed` and `llm`.

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
