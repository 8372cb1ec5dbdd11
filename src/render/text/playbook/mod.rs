//! The playbook in words, one file a subcommand.

pub mod get;
pub mod list;
