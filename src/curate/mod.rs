//! Plans for a better memory: what the generated files say, as text that somebody else writes.
//!
//! Pure like the domain: a plan comes from notes, scores and a day, and changes nothing.

pub mod core;
pub mod generated;
mod live;
pub mod reflection;
