//! Ids of notes, independent of their file names.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Id of a note: a UUID, or the id written by another tool. A single line without surrounding white
/// space.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct NoteId(String);

/// Error: a text is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an ID must be one line of 1 to {} characters", NoteId::MAX_CHARS)]
pub struct InvalidId;

impl NoteId {
    /// Maximum length of an id, in characters.
    pub const MAX_CHARS: usize = 200;

    /// Parses an id. Fails if the trimmed text is empty, longer than [`NoteId::MAX_CHARS`], or has
    /// control characters.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > Self::MAX_CHARS || text.chars().any(char::is_control) {
            return Err(InvalidId);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the id is a UUID in hyphenated form.
    pub fn is_uuid(&self) -> bool {
        self.0.len() == 36 && uuid::Uuid::try_parse(&self.0).is_ok()
    }

    /// Six hex digits for file names: the first six characters of the id, or the start of its
    /// BLAKE3 hash if these are not hex digits.
    pub fn short(&self) -> String {
        let hex: String = self.0.chars().take(6).collect();
        if hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return hex.to_ascii_lowercase();
        }
        blake3::hash(self.0.as_bytes()).to_hex()[..6].to_owned()
    }
}

impl From<uuid::Uuid> for NoteId {
    fn from(id: uuid::Uuid) -> Self {
        Self(id.hyphenated().to_string())
    }
}

impl TryFrom<String> for NoteId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        // Most ids are short, plain and checked before: they are taken as they are, without a copy.
        if (1..=Self::MAX_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(text));
        }
        Self::parse(&text)
    }
}

impl From<NoteId> for String {
    fn from(id: NoteId) -> Self {
        id.0
    }
}

impl fmt::Display for NoteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_get_six_hex_digits_whatever_the_id_looks_like() {
        assert_eq!(NoteId::parse("A4855549-0184-4510-b102-e83a63a6de27").unwrap().short(), "a48555");
        let foreign = NoteId::parse("202611210930").unwrap().short();
        assert_eq!(foreign, "202611");
        let foreign = NoteId::parse("zettel über alles").unwrap().short();
        assert!(foreign.len() == 6 && foreign.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn control_characters_and_emptiness_are_no_id() {
        for text in ["", "  ", "a\nb", "a\u{0}", &"x".repeat(201)] {
            assert_eq!(NoteId::parse(text), Err(InvalidId), "{text:?}");
        }
    }
}
