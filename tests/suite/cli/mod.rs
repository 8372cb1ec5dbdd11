//! The commands as processes, one file each: what they print, their JSON, their refusals, and what lies on disk and in
//! history after.

mod add;
mod commit;
mod completions;
mod config;
mod delete;
mod diff;
mod doctor;
mod edit;
mod episode;
mod history;
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
