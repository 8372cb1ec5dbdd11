//! Findings: problems in a note, each with a remedy. A finding never blocks an operation.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::NotePath;
use crate::user_text::UserText;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The note cannot be used; `cm validate` exits with 1.
    Error,
    /// The note works, but not as its author expects.
    Warning,
    /// For information only.
    Info,
}

/// Kind of finding. The names are stable, so scripts can select by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    /// The frontmatter is not valid YAML.
    InvalidYaml,
    /// The opening `---` has no closing `---`.
    UnclosedFrontmatter,
    /// The frontmatter is not a mapping of keys to values.
    NotAMapping,
    /// A key occurs twice.
    DuplicateKey,
    /// The file is not UTF-8.
    InvalidUtf8,
    /// The file is empty.
    EmptyNote,
    /// The file is too large to read.
    TooLarge,
    /// The file cannot be read.
    Unreadable,
    /// The path is not UTF-8.
    PathNotUtf8,
    /// A symbolic link leads out of the vault, forms a loop, or has no target.
    BadLinkFile,
    /// Two paths differ only in case.
    CaseCollision,
    /// Two notes have the same id.
    DuplicateId,
    /// The note has no id.
    MissingId,
    /// The id is not a UUID.
    ForeignId,
    /// A required key is missing.
    MissingKey,
    /// A value has the wrong type or form.
    InvalidValue,
    /// A number is out of range.
    OutOfRange,
    /// The type is neither built in nor declared in the vault's settings.
    UnknownType,
    /// The edge type is neither built in nor declared in the vault's settings.
    UnknownRelation,
    /// A memory is in the folder of another type.
    WrongFolder,
    /// The first heading of a learned memory differs from its title.
    TitleDiffers,
    /// The target of a link does not exist.
    DanglingLink,
    /// A file that a note shows does not exist.
    MissingAttachment,
    /// The heading or block that a link leads to does not exist in the linked note.
    MissingAnchor,
    /// A link matches several notes.
    AmbiguousLink,
    /// The setting does not exist.
    UnknownSetting,
    /// The value of a setting has the wrong type.
    InvalidSetting,
    /// A hidden character (zero-width, bidirectional override, tag) that a reader cannot see.
    HiddenCharacter,
    /// An unresolved Git merge conflict.
    ConflictMarker,
    /// A merge left a value or text of the other side to decide on.
    MergeLeftover,
    /// The other side of a merge deleted the note, which was changed here.
    MergeDeletion,
    /// A merge kept the other side's version of the note in a file of its own.
    MergeCopy,
    /// A key of another tool's file that cannot be imported.
    UnknownKey,
}

impl FindingCode {
    /// Whether the finding is about what a merge left over.
    pub fn is_leftover(self) -> bool {
        matches!(self, Self::MergeLeftover | Self::MergeDeletion | Self::MergeCopy)
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One problem and its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Path of the file, relative to the vault.
    pub path: String,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
    pub code: FindingCode,
    pub severity: Severity,
    /// Description of the problem, one sentence without a full stop.
    pub message: String,
    /// How to fix it.
    pub hint: Option<UserText>,
}

impl Finding {
    /// Creates a finding about a whole file.
    pub fn new(path: &NotePath, code: FindingCode, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            path: path.as_str().to_owned(),
            line: None,
            column: None,
            code,
            severity,
            message: message.into(),
            hint: None,
        }
    }

    /// Sets the location in the file, both numbers from 1.
    pub fn with_location(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    pub fn with_hint(mut self, hint: impl Into<UserText>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
