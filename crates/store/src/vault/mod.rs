//! A vault's files on disk: discovery, listing, reading, writing and locking.
//!
//! This module does not depend on commits, on the index, or on the meaning of notes.
#![allow(clippy::disallowed_methods, reason = "this layer owns the vault's files")]

pub mod attachment;
pub mod caches;
pub mod error;
pub mod exchange;
pub mod external_folder;
pub mod file_names;
pub mod journal;
pub mod json_lines;
pub mod layout;
pub mod lock;
pub mod note_folders;
pub mod private;
pub mod trust;
pub mod usage;
pub mod walk;
pub mod watch;
pub mod workspace;
pub mod write;

pub use error::Error;
pub use layout::{FileStamp, Vault, make};
pub use private::{PrivateFolder, PrivateHome};
