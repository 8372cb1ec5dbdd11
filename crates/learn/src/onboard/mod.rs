//! Fills a young playbook from past sessions: finds categories with too few rules, and sessions
//! that are likely to contain them.
//!
//! The functions are pure. They do not extract rules; an agent or a person reads the sessions.

pub mod category;
pub mod coverage;
pub mod package;
pub mod session_score;
#[cfg(test)]
mod test_bullets;

pub use category::Category;
pub use coverage::{CategoryCoverage, CoverageLevel, coverage};
pub use session_score::{SessionCandidate, SessionFit, fit, order};
