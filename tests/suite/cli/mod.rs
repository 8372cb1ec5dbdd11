//! The commands, one file each.

mod add;
mod adopt;
mod commit;
mod completions;
mod config;
mod delete;
mod diff;
mod doctor;
mod edit;
mod episode;
mod export;
mod history;
mod import;
mod init;
mod log;
mod manpages;
mod new;
mod pin;
mod relate;
mod restore;
mod small;
mod undo;
mod unpin;
mod unrelate;
mod update;
