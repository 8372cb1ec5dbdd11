//! What can be done with a vault, one verb a file. No surface is known here: nothing is printed, parsed from a command
//! line or turned into an exit code.

pub mod add;
pub mod adopt;
pub mod commit;
pub mod config;
pub mod decay;
pub mod delete;
pub mod diff;
pub mod doctor;
pub mod edit;
pub mod episode;
pub mod error;
pub mod export;
pub mod find;
pub mod generate;
pub mod get;
pub mod graph;
pub mod history;
pub mod import;
pub mod init;
pub mod log;
pub mod memory;
pub mod pin;
pub mod playbook;
pub mod project;
pub mod read;
pub mod recent;
pub mod reindex;
pub mod relate;
pub mod related;
pub mod restore;
pub mod search;
pub mod similar;
pub mod stats;
pub mod tags;
pub mod undo;
pub mod update;
pub mod validate;
pub mod write;

pub use error::{Error, Kind, Result};
pub use memory::{By, Call, Level, Memory};
