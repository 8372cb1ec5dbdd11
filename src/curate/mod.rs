//! Plans changes to a memory: curation of the playbook, imports, exports, briefings, checks and
//! generated files.
//!
//! Everything here is pure: plans are computed from notes, scores and a date; other modules write
//! them.

pub mod adopt;
pub mod audit;
pub mod briefing;
pub mod complete;
pub mod conflict;
pub mod core;
pub mod diary;
pub mod exchange;
pub mod export;
pub mod friction;
pub mod generated;
pub mod health;
pub mod hook;
pub mod import;
pub mod inbox;
mod live;
pub mod meaning;
pub mod memory_file;
pub mod onboard;
pub mod outcome;
pub mod playbook;
pub mod project;
pub mod prose;
pub mod reflect;
pub mod reflection;
pub mod remember;
pub mod starters;
pub mod stash;
pub mod succession;
pub mod trauma;
