//! The weights and the vocabularies of the built-in embedding models.
//!
//! They are a crate of their own so that 24 MB are embedded once, and not with every change to the code that reads them.

pub mod slots;

/// The MiniLM sentence transformer: 4- to 8-bit weights, packed.
pub static MINILM: &[u8] = include_bytes!("../../../assets/minilm-488.cmt");

/// A fine-tuning of [`MINILM`] for pairs of statements: 8-bit additions of low rank.
pub static PAIR_ADAPTER: &[u8] = include_bytes!("../../../assets/pair-adapter.bin");

/// A fine-tuning of [`MINILM`] for the kinds of statements: 8-bit additions of low rank to its last layers.
pub static STATEMENT_ADAPTER: &[u8] = include_bytes!("../../../assets/statement-adapter.bin");

/// A fine-tuning of [`MINILM`] for tasks: 8-bit additions of low rank.
pub static TASK_ADAPTER: &[u8] = include_bytes!("../../../assets/task-adapter.bin");

/// The multilingual E5 transformer: 4-bit weights, packed. Only with the feature `multilingual`.
#[cfg(feature = "multilingual")]
pub static E5_SMALL: &[u8] = include_bytes!("../../../assets/e5-small-444.cmt");

/// The vocabulary of [`E5_SMALL`]: the lengths, scores and bytes of its pieces.
#[cfg(feature = "multilingual")]
pub static E5_PIECES: &[u8] = include_bytes!("../../../assets/e5-pieces.bin");

/// The static model: one 8-bit vector of 256 dimensions for each token, as safetensors.
pub static POTION: &[u8] = include_bytes!("../../../assets/potion-256-int8.safetensors");

/// The tokens, one a line; a token's number is its line, from 0.
pub static VOCABULARY: &str = include_str!("../../../assets/vocab.txt");

/// The hash table of the vocabulary: [`slots::SLOTS`] entries, each a little-endian `u32`.
pub static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.slots"));

/// The byte offset of each token in [`VOCABULARY`], each a little-endian `u32`; the last one is its length.
pub static OFFSETS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/vocabulary.starts"));
