//! Finds what recurs in several sessions by counting their commands, results, edits and errors.
//!
//! Nothing here depends on the language that people write. A session is reduced to a
//! [`SessionTrace`]; the order of the traces does not matter, and the forks of a conversation count
//! once.

pub mod co_edit;
mod command;
mod diagnosis;
pub mod ended;
pub mod error_fix;
mod explanation;
mod hint;
pub mod named_command;
mod needed_option;
pub mod pattern;
pub mod prerequisite;
pub mod proposal;
mod remark;
mod remarked_fix;
mod replacement;
pub mod request;
pub mod routine;
mod signature;
mod streak;
pub mod substitute;
pub mod support;
pub mod trace;
mod wording;

pub use proposal::{CountedProposal, outlived_rules, proposals};
pub use signature::CommandFailure;
pub use trace::SessionTrace;

#[cfg(test)]
mod tests;
