//! Learns from sessions: diaries, outcomes, friction, lessons and incidents. Pure.

pub mod diary;
pub mod friction;
pub mod onboard;
pub mod outcome;
pub mod prose;
pub mod reflect;
pub mod remember;
pub mod stash;
pub mod trauma;
