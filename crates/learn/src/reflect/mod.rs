//! From sessions to proposals: what diaries and feedback ask to be put into the playbook and the memory.
//!
//! With a model or without one, everything here is a draft: curation decides. Where a draft comes from (session, line,
//! agent) is set by the program and never taken from a model.

pub mod answer;
pub mod border;
pub mod check;
pub mod draft;
pub mod evidence;
pub mod excerpt;
pub mod near;
pub mod package;
pub mod rounds;
pub mod rules;
pub mod run;

pub use draft::{Draft, MOST, Origin, What};
pub use rules::{Session, reflect, reflect_on};
