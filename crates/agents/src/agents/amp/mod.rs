//! Amp: threads, one JSON document each.

mod log;

pub struct Amp;
