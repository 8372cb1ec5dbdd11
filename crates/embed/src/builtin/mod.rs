//! The built-in models. They need no network, no runtime library and no files.
//!
//! [`StaticModel`] looks up one vector per token and takes about 0.1 ms per text. [`MiniLm`] processes
//! the whole text and takes longer. Both know English and ignore case; what is written in a language of
//! which there is a glossary is translated word by word first. `E5Small`, which is part of the program only with
//! the feature `multilingual`, knows about 100 languages.

mod bytes;
#[cfg(any(feature = "multilingual", test))]
mod e5_small;
#[cfg(test)]
mod golden;
mod minilm;
mod safetensors;
mod static_model;
#[cfg(test)]
mod texts;
mod transformer;
#[cfg(any(feature = "multilingual", test))]
mod unigram;
mod wordpiece;

#[cfg(feature = "multilingual")]
pub use e5_small::E5Small;
pub use minilm::{MiniLm, PairModel, StatementModel, TaskModel};
pub use static_model::StaticModel;

use std::borrow::Cow;

use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::translation::to_english;

/// Number of a token in the vocabulary of its model.
type Token = u16;

/// Factor for the spread of cosines if the model has no whole word of a question: word fragments
/// occur in many unrelated texts.
const FRAGMENTS: f32 = 2.8;

/// Returns the cosine distribution for unrelated texts, widened for questions without any word from
/// the vocabulary.
fn chance_of(baseline: CosineBaseline, question: &str) -> CosineBaseline {
    let factor = if wordpiece::knows_a_word(&in_english(question)) { 1.0 } else { FRAGMENTS };
    CosineBaseline { deviation: baseline.deviation * factor, ..baseline }
}

/// Returns a text as the models of English read it: one in another language with its known words in English.
fn in_english(text: &str) -> Cow<'_, str> {
    to_english(text).map_or(Cow::Borrowed(text), Cow::Owned)
}
