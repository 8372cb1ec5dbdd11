//! Words and texts compared: tokens, stop words, likeness, differences, spelling, translation, embeddings. Pure.

pub mod canonical;
pub mod embedding;
pub mod language;
mod named_enum;
pub mod path;
pub mod plural;
pub mod position;
pub mod sentence;
pub mod shorten;
pub mod similarity;
pub mod spelling;
pub mod stop_words;
pub mod thought;
pub mod tokens;
pub mod translation;
pub mod word_diff;
