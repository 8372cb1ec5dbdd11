//! A folder of another tool as data: its notes with their bytes, and the names of everything else in it.
//!
//! Which tool it is from, and what its notes become here, is for `curate::import` to say.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::instant::Instant;
use crate::path::NotePath;

/// Files of other tools that an import reads, where they are there.
pub const OWN_FILES: [&str; 3] = ["_state.json", ".zk/config.toml", "_config.json"];

/// A folder that is not a part of the vault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Folder {
    /// Its name, without the folders above it.
    pub name: String,
    /// Its markdown files, by path.
    pub notes: Vec<File>,
    /// The paths of all other files, sorted.
    pub attachments: Vec<String>,
    /// The texts of those [`OWN_FILES`] that are there.
    pub own: BTreeMap<String, String>,
    /// The names of the hidden folders at its root.
    pub hidden: Vec<String>,
    /// What could not be read.
    pub findings: Vec<Finding>,
}

/// A markdown file of it.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// Where it lies in the folder.
    pub path: NotePath,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// When it was last written.
    pub modified: Instant,
}

impl File {
    /// Its text; `None` where it is no UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}
