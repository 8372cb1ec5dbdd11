//! The commands, one file each.

mod adopt;
mod export;
mod import;
