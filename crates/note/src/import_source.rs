//! A folder of another tool as data: its notes with their content, and the names of its other
//! files.
//!
//! `cm_exchange::import` detects the tool and converts the notes.

use std::collections::BTreeMap;

use crate::finding::Finding;
use crate::instant::Instant;
use crate::path::NotePath;

/// Files of other tools that an import reads if they exist.
pub const OWN_FILES: [&str; 5] =
    ["_state.json", ".zk/config.toml", "_config.json", ".vscode/extensions.json", ".vscode/settings.json"];

/// A folder outside the vault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportFolder {
    /// Name of the folder, without its parents.
    pub name: String,
    /// Its Markdown files, by path.
    pub notes: Vec<ImportFile>,
    /// Paths of all other files, sorted.
    pub attachments: Vec<String>,
    /// Contents of the existing [`OWN_FILES`], by path.
    pub tool_files: BTreeMap<String, String>,
    /// Names of the hidden folders at its root.
    pub hidden: Vec<String>,
    /// Files that could not be read.
    pub findings: Vec<Finding>,
}

/// A Markdown file of the folder.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportFile {
    /// Path within the folder.
    pub path: NotePath,
    pub bytes: Vec<u8>,
    /// Time of the last modification.
    pub modified: Instant,
    /// Project that the file is about, if its place shows it; a path.
    pub workspace: Option<String>,
}

impl ImportFile {
    /// The content as text; `None` if it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}
