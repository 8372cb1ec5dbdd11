//! Embedding models: built-in ones, local ONNX models, and models on servers.
//!
//! This module stores no vectors and does not depend on notes. The caller decides which texts are
//! embedded, and when.

pub mod builtin;
mod choice;
mod error;
mod ollama;
#[cfg(feature = "onnx")]
mod onnx;
mod openai;
mod prefix;
mod remote;
#[cfg(test)]
mod tests;

pub use choice::{BuiltinModel, EmbeddingProvider, ExternalModel, OnnxConfig, open, openai_address};
pub use error::{Error, Result};

pub use cm_net::{ApiKey, ServerUrl};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;

/// A model that converts texts to vectors.
pub trait Embedder {
    /// Name of the model, such as `builtin/minilm-l6` or `ollama/nomic-embed-text`. Together with
    /// the dimension it identifies compatible vectors.
    fn name(&self) -> &str;

    /// Number of texts per batch.
    fn batch(&self) -> usize;

    /// Returns one vector per text, in the same order and all of one dimension.
    ///
    /// # Errors
    ///
    /// The model is missing, cannot be reached, or returned an invalid response.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>>;

    /// Returns the vector of a question. Some models embed questions differently from passages.
    ///
    /// # Errors
    ///
    /// The errors of [`Embedder::embed`].
    fn embed_query(&self, text: &str) -> Result<Embedding>;

    /// Returns the distribution of cosines between the question and unrelated texts, or `None` if
    /// it was not measured for the model.
    fn chance(&self, _question: &str) -> Option<CosineBaseline> {
        None
    }
}

impl<T: Embedder + ?Sized> Embedder for &T {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn batch(&self) -> usize {
        (**self).batch()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>> {
        (**self).embed(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding> {
        (**self).embed_query(text)
    }

    fn chance(&self, question: &str) -> Option<CosineBaseline> {
        (**self).chance(question)
    }
}
