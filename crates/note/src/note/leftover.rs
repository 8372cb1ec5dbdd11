//! Leftovers of a merge: what one side wrote and the merged note does not say. They are entries of
//! the frontmatter key `merge` until a person has decided.

use serde::{Deserialize, Serialize};
use yaml_serde::{Mapping, Value};

use crate::frontmatter::edit::Edit;
use crate::frontmatter::parse::scalar_text;
use crate::instant::Instant;

/// The frontmatter key of the leftovers.
pub const MERGE: &str = "merge";

/// One version of a part of a note that did not enter the merged note.
#[derive(Debug, Clone, PartialEq)]
pub struct Leftover {
    pub part: LeftoverPart,
    /// The value or text of the other side; null if that side removed the part.
    pub value: Value,
    /// `updated` of the note on the other side.
    pub updated: Option<Instant>,
    /// `author` of the note on the other side.
    pub author: Option<String>,
}

/// The part of a note that a leftover belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeftoverPart {
    /// A frontmatter key.
    Key(String),
    /// A stretch of the body: the first line of the text that stands there now.
    Paragraph(String),
    /// The file itself, by its path on the other side. Without a value, that side deleted it.
    File(String),
}

impl LeftoverPart {
    /// The key of the entry that names the part, and the name.
    fn pair(&self) -> (&'static str, &str) {
        match self {
            Self::Key(name) => ("key", name),
            Self::Paragraph(line) => ("paragraph", line),
            Self::File(path) => ("file", path),
        }
    }
}

impl Leftover {
    /// Leftover of a note that the other side deleted.
    pub fn deleted(path: &crate::path::NotePath) -> Self {
        let part = LeftoverPart::File(path.to_string());
        Self { part, value: Value::Null, updated: None, author: None }
    }

    /// Returns the edit that adds the leftover to its note.
    pub fn edit(&self) -> Edit {
        Edit::Push { key: MERGE.to_owned(), item: self.item() }
    }

    /// Converts the leftover to an item of the list `merge`.
    pub fn item(&self) -> Value {
        let (kind, name) = self.part.pair();
        let pairs = [
            (kind, Value::String(name.to_owned())),
            ("value", self.value.clone()),
            ("updated", self.updated.map_or(Value::Null, |at| Value::String(at.to_string()))),
            ("author", self.author.clone().map_or(Value::Null, Value::String)),
        ];
        let written = pairs.into_iter().filter(|(_, value)| !value.is_null());
        Value::Mapping(written.map(|(key, value)| (Value::String(key.to_owned()), value)).collect())
    }

    /// Reads an item of the list `merge`; `None` if it names no part.
    pub fn of(item: &Mapping) -> Option<Self> {
        let text = |key: &str| item.get(key).and_then(scalar_text);
        let part = text("key")
            .map(LeftoverPart::Key)
            .or_else(|| text("paragraph").map(LeftoverPart::Paragraph))
            .or_else(|| text("file").map(LeftoverPart::File))?;
        Some(Self {
            part,
            value: item.get("value").cloned().unwrap_or_default(),
            updated: text("updated").and_then(|at| Instant::parse(&at).ok()),
            author: text("author"),
        })
    }
}
