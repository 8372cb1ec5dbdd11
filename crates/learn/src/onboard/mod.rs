//! Filling a young playbook from past sessions: what it says too little of, and which sessions are likely to teach it.
//!
//! Pure: bullets and words in, counts and scores out. Nothing is learned here; an agent or a person reads the sessions.

pub mod category;
pub mod coverage;
#[cfg(test)]
mod examples;
pub mod fit;
pub mod package;

pub use category::Category;
pub use coverage::{Coverage, Covered, coverage};
pub use fit::{Candidate, Fit, fit, order};
