//! Changes of the vault as data: the files, the lines, and the commit message. Another layer
//! applies them.

use crate::frontmatter::edit::Edit;
use crate::message::CommitMessage;
use crate::path::NotePath;

/// BLAKE3 hash of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Short form that users and agents pass back: the first 16 hexadecimal digits.
    pub fn revision(&self) -> String {
        self.to_hex().chars().take(REVISION_DIGITS).collect()
    }

    /// Returns `true` if `revision`, at least 8 hexadecimal digits, is a prefix of the hash.
    pub fn has_revision(&self, revision: &str) -> bool {
        let revision = revision.trim().to_ascii_lowercase();
        revision.len() >= MIN_REVISION_DIGITS && self.to_hex().starts_with(&revision)
    }

    fn to_hex(self) -> String {
        blake3::Hash::from(self.0).to_hex().to_string()
    }
}

/// Number of hexadecimal digits of a revision in answers.
const REVISION_DIGITS: usize = 16;

/// Minimum number of hexadecimal digits of an expected revision.
const MIN_REVISION_DIGITS: usize = 8;

/// A set of file changes that become one commit.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSet {
    pub message: CommitMessage,
    /// The changes, at most one for each file.
    pub changes: Vec<VaultFileChange>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum VaultFileChange {
    /// Creates a file; fails if the path exists.
    Create {
        /// Path of the new file.
        path: NotePath,
        /// Complete text.
        text: String,
    },
    /// Writes a file of another tool or of an earlier commit byte for byte, without validation.
    Copy {
        path: NotePath,
        /// Hash of the content that is replaced; `None` if the path must not exist.
        expected: Option<ContentHash>,
        /// Complete content.
        bytes: Vec<u8>,
    },
    /// Edits some lines of a file; all other lines stay as they are when the edit is applied.
    Edit {
        path: NotePath,
        /// Hash that the content must have. A change with another one is refused as a conflict and
        /// not attempted again. `None` skips the check.
        expected: Option<ContentHash>,
        /// Edits, in order.
        edits: Vec<Edit>,
    },
    /// Replaces the whole text of a file, if its content is still the expected one.
    Replace {
        path: NotePath,
        /// Hash of the content that is replaced; `None` for a generated file that may be
        /// overwritten.
        expected: Option<ContentHash>,
        /// Complete new text.
        text: String,
    },
    /// Moves a file and applies edits to it. The person's uncommitted changes move with it and stay
    /// uncommitted.
    Move {
        /// Current path.
        from: NotePath,
        /// New path; fails if it exists.
        to: NotePath,
        /// Hash that the content must have.
        expected: ContentHash,
        /// Edits, in order; often empty.
        edits: Vec<Edit>,
    },
    /// Deletes the file; the git history still has it.
    Remove {
        path: NotePath,
        /// Hash that the content must have; `None` skips the check.
        expected: Option<ContentHash>,
    },
}

impl VaultFileChange {
    /// Edits some lines of a file, whatever its content.
    pub fn edit(path: NotePath, edits: Vec<Edit>) -> Self {
        Self::Edit { path, expected: None, edits }
    }

    /// Path of the changed file; for a move, the new path.
    pub fn path(&self) -> &NotePath {
        match self {
            Self::Create { path, .. }
            | Self::Copy { path, .. }
            | Self::Edit { path, .. }
            | Self::Replace { path, .. }
            | Self::Move { to: path, .. }
            | Self::Remove { path, .. } => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_a_prefix_of_the_hash_of_eight_digits_or_more() {
        let hash = ContentHash::of(b"text");
        let revision = hash.revision();
        assert_eq!(revision.len(), 16);
        assert!(hash.has_revision(&revision) && hash.has_revision(&revision[..8]));
        assert!(hash.has_revision(&format!(" {} ", revision.to_uppercase())));
        assert!(!hash.has_revision(&revision[..7]) && !hash.has_revision(""));
        assert!(!ContentHash::of(b"other").has_revision(&revision));
    }
}
