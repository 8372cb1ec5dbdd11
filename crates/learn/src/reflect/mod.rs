//! Derives proposals for the playbook and the memory from diaries and feedback of sessions.
//!
//! All results are drafts for curation, with or without a model. The origin of a draft (session,
//! line, agent) is set by the program and never taken from a model.

pub mod answer;
pub(crate) mod cause;
pub mod double_reading;
pub mod draft;
pub mod evidence;
pub mod excerpt;
pub mod fence;
pub mod grounding;
pub mod later_word;
pub mod neighbour;
mod other_language;
pub mod package;
pub mod relevant_rules;
pub mod rounds;
pub mod rule_category;
pub mod run;
pub mod said_again;
pub mod session_topics;
pub mod stated;
pub mod verify;
pub mod without_model;

pub use draft::{DraftChange, DraftOrigin, MAX_DRAFTS, ReflectionDraft};
pub use without_model::{SessionInput, reflect, reflect_on};
