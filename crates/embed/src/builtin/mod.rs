//! The models that lie in the program: no network, no runtime, no file beside it.
//!
//! [`Static`] looks a vector up for each token and takes a tenth of a millisecond; [`MiniLm`] reads the whole text and
//! takes some. They know English best, and neither knows upper case.

mod bytes;
#[cfg(test)]
mod golden;
mod minilm;
mod safetensors;
mod static_model;
mod wordpiece;

pub use minilm::MiniLm;
pub use static_model::Static;

use cm_note::rank::cut::Chance;

/// How much wider the cosines of unrelated texts spread for a question of which a model knows no word: its fragments are
/// shared by many texts.
const FRAGMENTS: f32 = 2.8;

/// The chance of a question, from that of questions in words that the models know.
fn chance_of(known: Chance, question: &str) -> Chance {
    let factor = if wordpiece::knows_a_word(question) { 1.0 } else { FRAGMENTS };
    Chance { deviation: known.deviation * factor, ..known }
}
