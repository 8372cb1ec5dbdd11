//! Learns from sessions: diaries, outcomes, friction, lessons, incidents and handoffs. Pure.

pub mod confidence;
mod content_words;
pub mod diary;
pub mod evidence_quote;
pub mod friction;
pub mod handoff;
pub mod onboard;
pub mod outcome;
pub mod prose;
pub mod recurring;
pub mod reflect;
pub mod remember;
pub mod stash;
pub mod statement;
pub mod trauma;
pub mod workspace_path;
