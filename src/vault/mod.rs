//! The vault's files on disk.
#![allow(clippy::disallowed_methods, reason = "this layer owns the vault's files")]

pub mod walk;
