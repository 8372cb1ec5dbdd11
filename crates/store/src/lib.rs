//! A vault on disk and in git: walk, safe writes, lock, journal, commits, history, settings.

pub mod config;
mod file_lock;
pub mod git;
pub mod vault;
