//! How sessions ended, and what they say of the rules that they used.
//!
//! Everything rests on the events of a log; no model is asked, and nothing is written.

pub mod feedback;
pub mod reaction;
pub mod shell;
pub mod steps;
#[cfg(test)]
pub(crate) mod told;
pub mod verdict;

pub use verdict::{Sign, Verdict, verdict};
