//! The built-in models. They need no network, no runtime library and no files.
//!
//! [`StaticModel`] looks up one vector per token and takes about 0.1 ms per text. [`MiniLm`] processes
//! the whole text and takes longer. Both are best at English and ignore case.

mod bytes;
#[cfg(test)]
mod golden;
mod minilm;
mod safetensors;
mod static_model;
mod wordpiece;

pub use minilm::MiniLm;
pub use static_model::StaticModel;

use cm_note::rank::similarity_threshold::CosineBaseline;

/// Factor for the spread of cosines if the model has no whole word of a question: word fragments
/// occur in many unrelated texts.
const FRAGMENTS: f32 = 2.8;

/// Returns the cosine distribution for unrelated texts, widened for questions without any word from
/// the vocabulary.
fn chance_of(baseline: CosineBaseline, question: &str) -> CosineBaseline {
    let factor = if wordpiece::knows_a_word(question) { 1.0 } else { FRAGMENTS };
    CosineBaseline { deviation: baseline.deviation * factor, ..baseline }
}
