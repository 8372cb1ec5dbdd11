//! Language models: requests for text or structured JSON, on any provider, within a budget.
//!
//! This layer reads no settings, environment or files, and does not know notes: `cm-app` and `cm-learn`
//! define prompts and use the answers. Only the structure of an answer is checked.

mod anthropic;
mod budget;
mod cli_model;
mod error;
mod estimate;
mod extract_json;
mod fallback;
mod json_error;
mod ledger;
mod metered;
mod openai;
mod price;
mod process;
mod request;
mod request_variant;
mod schema;
mod schema_sketch;
mod scripted;
mod selection;
mod structured;
#[cfg(test)]
mod tests;

pub use budget::{BudgetError, BudgetPeriod, SpendingLimits};
pub use cli_model::{MODEL_CALL_VARIABLE, ModelCommand, key_from};
pub use cm_net::{ApiKey, RetryPolicy, RetrySleeper, ServerUrl};
pub use error::{LlmError, Result};
pub use estimate::TokenEstimate;
pub use fallback::FallbackModel;
pub use ledger::{ParsedLedger, SpendingEntry, SpendingLedger, SpentAmount};
pub use metered::{BudgetAccount, MeteredModel};
pub use price::{InvalidPriceLine, Price, Prices};
pub use process::ExternalProgram;
pub use request::{ChatMessage, MARKER, ModelReply, ModelRequest, StopReason, TokenUsage};
pub use schema::AnswerSchema;
pub use scripted::ScriptedModel;
pub use selection::{BoxedLlm, ModelProvider, ModelSelection, RemoteModel, open, retry_policy};
pub use structured::{InvalidAnswer, StructuredAnswer, StructuredAnswerError, request_structured};

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
    /// answer; see [`ModelReply::stop`].
    fn complete(&self, request: &ModelRequest) -> Result<ModelReply>;
}

impl<T: Llm + ?Sized> Llm for &T {
    fn provider(&self) -> &str {
        (**self).provider()
    }

    fn model(&self) -> &str {
        (**self).model()
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
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

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        (**self).complete(request)
    }
}
