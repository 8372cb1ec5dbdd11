//! Language models: requests for text or structured JSON, on any provider, within a budget.
//!
//! This layer reads no settings, environment or files, and does not know notes: `ops` and `curate`
//! define prompts and use the answers. Only the structure of an answer is checked.

mod answer;
mod anthropic;
mod budget;
mod choice;
mod command;
mod dialect;
mod error;
mod estimate;
mod fallback;
mod fault;
mod found;
mod ledger;
mod metered;
mod openai;
mod price;
mod process;
mod request;
mod schema;
mod scripted;
mod sketch;
#[cfg(test)]
mod tests;

pub use answer::{Answered, Attempt, Unanswered, ask};
pub use budget::{Budget, Overdrawn, Span};
pub use choice::{Choice, Model, Provider, Remote, open, patience};
pub use cm_net::{Address, Key, Pace, Patience};
pub use command::{Command, key_from};
pub use error::{Error, Result};
pub use estimate::Estimate;
pub use fallback::Fallback;
pub use ledger::{Entry, Ledger, Parsed, Spent};
pub use metered::{Account, Metered};
pub use price::{NotAPrice, Price, Prices};
pub use process::Program;
pub use request::{MARKER, Reply, Request, Stop, Turn, Usage};
pub use schema::Schema;
pub use scripted::Scripted;

/// Interface to a language model.
pub trait Llm {
    /// Returns the provider: `openai`, `cli`, `scripted`, ….
    fn provider(&self) -> &str;

    /// Returns the model's name at the provider; may be empty if the provider has only one.
    fn model(&self) -> &str;

    /// Sends one request. Busy servers are retried according to the retry policy.
    ///
    /// # Errors
    /// Returns an error if there is no answer. A refusal by the model or a truncated text is an
    /// answer; see [`Reply::stop`].
    fn complete(&self, request: &Request) -> Result<Reply>;
}

impl<T: Llm + ?Sized> Llm for &T {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        (**self).complete(request)
    }
}

impl<T: Llm + ?Sized> Llm for Box<T> {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        (**self).complete(request)
    }
}
