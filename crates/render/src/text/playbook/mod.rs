//! Text output of `cm playbook`, one file per subcommand.

pub mod export;
pub mod get;
pub mod import;
pub mod list;
