//! The playbook in words, one file a subcommand.

pub mod export;
pub mod get;
pub mod import;
pub mod list;
