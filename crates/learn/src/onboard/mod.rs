//! Fills a young playbook from past sessions: finds categories with too few rules, and sessions
//! that are likely to contain them.
//!
//! The functions are pure. They do not extract rules; an agent or a person reads the sessions.

pub mod category;
pub mod coverage;
#[cfg(test)]
mod examples;
pub mod fit;
pub mod package;

pub use category::Category;
pub use coverage::{CategoryCoverage, CoverageLevel, coverage};
pub use fit::{SessionCandidate, SessionFit, fit, order};
