//! Derives proposals for the playbook and the memory from diaries and feedback of sessions.
//!
//! All results are drafts for curation, with or without a model. The origin of a draft (session,
//! line, agent) is set by the program and never taken from a model.

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

pub use draft::{DraftChange, DraftOrigin, MOST, ReflectionDraft};
pub use rules::{SessionInput, reflect, reflect_on};
