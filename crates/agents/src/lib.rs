//! Coding agents: where their session logs are, how to read them, and their hooks, settings and skills.

pub mod agents;
pub mod hook;
pub mod ingest;
