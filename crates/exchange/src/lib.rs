//! Converts files of other tools to notes and rules, and back. Pure.

pub mod adopt;
pub mod exchange;
pub mod export;
pub mod import;
mod links;
pub mod memory_file;
pub mod memory_tool;
pub mod missing_keys;
pub mod project;
