//! Tries several models in order until one answers.

use super::Llm;
use super::error::{LlmError, Result};
use super::request::{ModelReply, ModelRequest};

/// Several models, tried in order until one answers. Every request starts with the first model
/// again.
#[derive(Debug)]
pub struct FallbackModel<M> {
    first: M,
    others: Vec<M>,
}

impl<M: Llm> FallbackModel<M> {
    /// Creates a fallback chain; `first` is the preferred model.
    pub fn new(first: M, others: Vec<M>) -> Self {
        Self { first, others }
    }
}

impl<M: Llm> Llm for FallbackModel<M> {
    fn provider(&self) -> &str {
        self.first.provider()
    }

    fn model(&self) -> &str {
        self.first.model()
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        let mut errors = Vec::new();
        for model in std::iter::once(&self.first).chain(&self.others) {
            match model.complete(request) {
                Ok(reply) => return Ok(reply),
                Err(LlmError::Cancelled) => return Err(LlmError::Cancelled),
                Err(error) if self.others.is_empty() => return Err(error),
                Err(error) => errors.push((format!("{}/{}", model.provider(), model.model()), error)),
            }
        }
        Err(LlmError::AllFailed(errors))
    }
}
