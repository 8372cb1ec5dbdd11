//! Language models: asked for a text or for JSON of a shape, wherever they run, within a budget.
//!
//! It reads no setting, no environment and no file, and knows no note: what is asked, and what becomes of an answer, is
//! for `ops` and `curate` to say. An answer is never believed further than its shape.

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

/// A model that answers.
pub trait Llm {
    /// Who runs it: `openai`, `cli`, `scripted`.
    fn provider(&self) -> &str;

    /// Its name there; may be empty where the provider has only one.
    fn model(&self) -> &str;

    /// Asks it once. Busy servers are asked again as patience allows.
    ///
    /// # Errors
    /// Why there is no answer. A model that declines, or is cut off, has answered: [`Reply::stop`] says so.
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
