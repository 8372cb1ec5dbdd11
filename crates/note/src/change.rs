//! A change of the vault as data: which files, which lines, and why. Applying it is another layer's work.

use crate::frontmatter::edit::Edit;
use crate::message::Message;
use crate::path::NotePath;

/// The BLAKE3 hash of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

/// One curation: the files that it changes together, and the words that its commit gets.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSet {
    /// The commit's message.
    pub message: Message,
    /// The changes, each of another file.
    pub changes: Vec<Change>,
}

/// What happens to one file.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new file; refused where something lies there already.
    Create {
        /// Where.
        path: NotePath,
        /// Its whole text.
        text: String,
    },
    /// A file of another tool, taken byte for byte whatever is wrong in it; refused where something lies there already.
    Copy {
        /// Where.
        path: NotePath,
        /// What it holds.
        bytes: Vec<u8>,
    },
    /// Some lines of a file change and all others stay, whatever they are by then.
    Edit {
        /// Where.
        path: NotePath,
        /// What changes, in order.
        edits: Vec<Edit>,
    },
    /// A whole new text, for a file that still is what the change was made from.
    Replace {
        /// Where.
        path: NotePath,
        /// What it must still be; `None` for a generated file that may be written over.
        expected: Option<ContentHash>,
        /// Its whole text.
        text: String,
    },
    /// The file lies elsewhere from now on, with these edits made on the way. What the person has not committed yet
    /// moves along and stays uncommitted.
    Move {
        /// Where it lies.
        from: NotePath,
        /// Where it goes; refused where something lies there already.
        to: NotePath,
        /// What it must still be.
        expected: ContentHash,
        /// What changes, in order; often nothing.
        edits: Vec<Edit>,
    },
    /// The file goes; the git history keeps it.
    Remove {
        /// Where.
        path: NotePath,
        /// What it must still be.
        expected: Option<ContentHash>,
    },
}

impl Change {
    /// The file that changes; of one that moves, where it goes.
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
