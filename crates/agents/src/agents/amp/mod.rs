//! Amp: threads, one JSON document each.

mod log;

/// Support for this agent.
pub struct Amp;
