//! Plans for a better memory: what curating the playbook, an import or export, a briefing, a check or a generated file
//! comes to, as data and text that somebody else writes.
//!
//! Pure like the domain: a plan comes from notes, scores and a day, and changes nothing.

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
