//! Determines how sessions ended, and which rules helped them.
//!
//! The results depend only on the events of a log; no model is used and nothing is written.

pub mod effect;
pub mod feedback;
pub mod reaction;
pub mod shell;
pub mod steps;
#[cfg(test)]
pub(crate) mod test_events;
pub mod verdict;

pub use verdict::{OutcomeEvidence, OutcomeVerdict, verdict};
