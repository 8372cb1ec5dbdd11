//! Tries several models in order until one answers.

use super::Llm;
use super::error::{Error, Result};
use super::request::{Reply, Request};

/// Models in order of preference. A model that failed is tried again with the next request.
#[derive(Debug)]
pub struct Fallback<M> {
    first: M,
    others: Vec<M>,
}

impl<M: Llm> Fallback<M> {
    /// Creates a fallback chain; `first` is the preferred model.
    pub fn new(first: M, others: Vec<M>) -> Self {
        Self { first, others }
    }
}

impl<M: Llm> Llm for Fallback<M> {
    fn provider(&self) -> &str {
        self.first.provider()
    }

    fn model(&self) -> &str {
        self.first.model()
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        let mut errors = Vec::new();
        for model in std::iter::once(&self.first).chain(&self.others) {
            match model.complete(request) {
                Ok(reply) => return Ok(reply),
                Err(Error::CalledOff) => return Err(Error::CalledOff),
                Err(error) if self.others.is_empty() => return Err(error),
                Err(error) => errors.push((format!("{}/{}", model.provider(), model.model()), error)),
            }
        }
        Err(Error::NoneAnswered(errors))
    }
}
