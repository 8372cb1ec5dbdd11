//! Frontmatter, the block between `---` lines at the top of a note: splitting, parsing with
//! locations, lossless edits.

pub mod edit;
pub mod json;
pub mod layout;
pub mod parse;
pub mod split;
pub mod write;

use crate::finding::{Finding, FindingCode, Severity};
use crate::path::NotePath;

/// A problem in a frontmatter with its location in the file. It becomes a [`Finding`] once the path
/// is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterFault {
    /// Kind of problem.
    pub code: FindingCode,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Description of the problem, one sentence without a full stop.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

impl FrontmatterFault {
    /// Converts the fault to a finding about this file. A malformed frontmatter is always an error.
    pub fn finding(self, path: &NotePath) -> Finding {
        Finding::new(path, self.code, Severity::Error, self.message)
            .with_location(self.line, self.column)
            .with_hint(self.hint)
    }
}
