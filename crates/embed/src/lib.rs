//! Models that turn texts into vectors: two that are built in, and others that are run or asked elsewhere.
//!
//! It keeps no vector and knows no note; which texts are embedded, and when, is for `ops` to say.

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

pub use choice::{Choice, Onnx, Outside, open, openai as openai_address};
pub use error::{Error, Result};

pub use cm_net::{Address, Key};
use cm_note::rank::cut::Chance;
use cm_text::embedding::Embedding;

/// A model that embeds texts.
pub trait Embedder {
    /// Its name, which with the dimension tells its vectors from those of others: `builtin/minilm-l6`,
    /// `ollama/nomic-embed-text`.
    fn name(&self) -> &str;

    /// How many texts it takes at once.
    fn batch(&self) -> usize;

    /// One vector a text, in their order, all of one dimension.
    ///
    /// # Errors
    /// Why there are none: the model is missing, out of reach, or answers nonsense.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>>;

    /// The vector of what somebody asks. Some models tell questions from passages.
    ///
    /// # Errors
    /// Those of [`Embedder::embed`].
    fn embed_query(&self, text: &str) -> Result<Embedding>;

    /// The cosines that a question has with unrelated texts; `None` where that is not known of the model.
    fn chance(&self, _question: &str) -> Option<Chance> {
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

    fn chance(&self, question: &str) -> Option<Chance> {
        (**self).chance(question)
    }
}
