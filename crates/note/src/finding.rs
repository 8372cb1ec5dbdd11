//! What is wrong in a note, and what to do about it. A finding never stops anything.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::path::NotePath;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The note cannot be used as what it wants to be; `cm validate` exits 1.
    Error,
    /// It works, but not as its writer expects.
    Warning,
    /// Worth knowing.
    Info,
}

/// The kinds of findings. The names are a contract: scripts select by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The frontmatter is no YAML.
    InvalidYaml,
    /// The opening `---` has no closing one.
    UnclosedFrontmatter,
    /// The frontmatter is YAML but no mapping.
    NotAMapping,
    /// A key stands twice.
    DuplicateKey,
    /// The file is not UTF-8.
    InvalidUtf8,
    /// The file is empty.
    EmptyNote,
    /// A file that is too large to be read as a whole.
    TooLarge,
    /// A file that cannot be read at all.
    Unreadable,
    /// A path that is not UTF-8.
    PathNotUtf8,
    /// A symbolic link that leads out of the vault, in a circle, or nowhere.
    BadLinkFile,
    /// Two paths that differ in case only.
    CaseCollision,
    /// Two notes with one id.
    DuplicateId,
    /// A note without an id.
    MissingId,
    /// An id that is no UUID.
    ForeignId,
    /// A key that this kind of note must have.
    MissingKey,
    /// A value of the wrong type or form.
    InvalidValue,
    /// A number outside its range.
    OutOfRange,
    /// A type that neither `cm` nor the vault's settings declare.
    UnknownType,
    /// An edge type that neither `cm` nor the vault's settings declare.
    UnknownRelation,
    /// A memory whose folder is another type's.
    WrongFolder,
    /// A link that leads nowhere.
    DanglingLink,
    /// A link that fits several notes.
    AmbiguousLink,
    /// A setting that does not exist.
    UnknownSetting,
    /// A setting whose value is not of its kind.
    InvalidSetting,
    /// A hidden character (zero-width, bidirectional override, tag) that may smuggle text past a reader.
    HiddenCharacter,
    /// A merge that git left to a person: two versions between lines of marks.
    ConflictMarker,
    /// A key of another tool's file that has no place in the vault.
    UnknownKey,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The file it is in, relative to the vault.
    pub path: String,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// What kind of thing.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Finding {
    /// A finding about a whole file.
    pub fn new(path: &NotePath, code: Code, severity: Severity, message: impl Into<String>) -> Self {
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

    /// The same finding with its place in the file, both counted from 1.
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// The same finding with its remedy.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
