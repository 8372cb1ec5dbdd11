//! Settings in layers, each value with the place it came from.
//!
//! It reads text and names that it is given; which files those are, and what a setting does, is others' affair.

pub mod keys;
pub mod layer;
pub mod settings;

pub use layer::{Layer, Origin};
pub use settings::{CommitMode, Settings};
