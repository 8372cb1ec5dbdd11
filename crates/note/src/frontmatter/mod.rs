//! The block between `---` lines at the top of a note: found, parsed with places, and edited without losing a byte.

pub mod edit;
pub mod json;
pub mod layout;
pub mod parse;
pub mod split;
pub mod write;

use crate::finding::{Code, Finding, Severity};
use crate::path::NotePath;

/// What is wrong with a frontmatter, with its place in the file; a [`Finding`] as soon as the file has a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of thing.
    pub code: Code,
    /// The line in the file, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Fault {
    /// The same as a finding about this file. A broken frontmatter is always an error.
    pub fn finding(self, path: &NotePath) -> Finding {
        Finding::new(path, self.code, Severity::Error, self.message)
            .at(self.line, self.column)
            .hint(self.hint)
    }
}
