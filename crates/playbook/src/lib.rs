//! Curates the playbook and generates CORE.md, REFLECTION.md, briefings and reviews. Pure.

pub mod audit;
pub mod briefing;
pub mod conflict;
pub mod core;
pub mod curation;
pub mod current_notes;
pub mod embedding_model;
pub mod generated;
pub mod health;
pub mod inbox;
pub mod reflection;
pub mod rule_command;
pub mod rule_pairs;
pub mod starters;
pub mod succession;
