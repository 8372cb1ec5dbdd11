//! Compares the revision of a note that a caller read with the one that is stored.
//!
//! A revision is the hash of the file's bytes. An update that names another one than the stored one
//! is a conflict: nothing is written, and the error has both texts.

use crate::error::{Error, Result, RevisionConflict};
use cm_note::change::ContentHash;
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::path::NotePath;

/// Returns the hash of the stored bytes if they have the expected revision.
///
/// # Errors
/// A usage error if `expected` is not a revision, and `conflict` if the note has another one.
pub(crate) fn check(path: &NotePath, bytes: &[u8], expected: &str, edits: &[Edit]) -> Result<ContentHash> {
    let is_hex = expected.trim().chars().all(|c| c.is_ascii_hexdigit());
    if !is_hex || !(8..=64).contains(&expected.trim().len()) {
        return Err(Error::usage(format!("`{expected}` is not a revision"))
            .hint("a revision has 8 to 64 hexadecimal digits; `cm get` shows the one of a note"));
    }
    let stored = ContentHash::of(bytes);
    if stored.has_revision(expected) { Ok(stored) } else { Err(conflict(path, bytes, edits)) }
}

/// Creates the error for a note that was changed since the caller read it: with the stored text,
/// and that text after the requested edits.
pub(crate) fn conflict(path: &NotePath, bytes: &[u8], edits: &[Edit]) -> Error {
    let current = String::from_utf8_lossy(bytes).into_owned();
    let proposed = edit::apply(&current, edits).ok();
    let revision = ContentHash::of(bytes).revision();
    Error::refused("conflict", format!("{path} was changed since it was read; it is at revision {revision}"))
        .at(path, None, None)
        .hint("nothing was written; compare both texts, then update again with the new revision")
        .with_conflict(RevisionConflict { revision, current, proposed })
}
