//! Changes that are refused: they would overwrite, follow a link, or make a note invalid.

use super::content::committed_bytes;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{CHANGED_MEANWHILE, Error, Result};
use cm_note::change::ContentHash;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::split::Split;
use cm_note::note::NoteKind;
use cm_note::path::NotePath;

/// Refuses to delete or overwrite content that no commit contains. If the note is ignored or there
/// is no repository, only adds a notice.
///
/// # Errors
/// Returns `hand-edited` if the note has uncommitted edits or is not committed yet.
pub fn refuse_uncommitted(context: &Context, open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Result<()> {
    let keeps = match open.repo()? {
        Some(repo) => !repo.is_ignored(path)?,
        None => false,
    };
    if !keeps {
        context.notice(format!("the old content of {path} is not in a Git repository"));
        return Ok(());
    }
    let committed = committed_bytes(open, path)?;
    let (message, what) = match &committed {
        Some(committed) if committed == bytes => return Ok(()),
        Some(_) => (format!("{path} has uncommitted changes"), "them"),
        None => (format!("{path} is not committed yet"), "it"),
    };
    Err(Error::hand_edited(path, message)
        .hint(format!("commit {what} with `cm commit`, then run the command again")))
}

/// Refuses a path that exists, even as a folder or a broken link.
pub(super) fn refuse_existing(open: &OpenVault, path: &NotePath) -> Result<()> {
    if open.vault.file(path).symlink_metadata().is_ok() {
        return Err(Error::refused("exists", format!("{path} already exists")).at(path, None, None));
    }
    Ok(())
}

/// Refuses to write through a symbolic link: the content would change in another file than the one that
/// is committed.
pub(super) fn refuse_link(open: &OpenVault, path: &NotePath, writes: bool) -> Result<()> {
    let file = open.vault.file(path);
    if !writes || !file.is_symlink() {
        return Ok(());
    }
    let target = std::fs::read_link(&file).unwrap_or_default();
    Err(Error::refused("is-link", format!("{path} is a symbolic link to {}", target.display()))
        .at(path, None, None)
        .hint("change the note that it leads to"))
}

/// Refuses a file with Git's conflict markers; the first one is on `line`.
pub(crate) fn conflict_marker_error(path: &NotePath, line: u32) -> Error {
    Error::refused("conflict-markers", format!("{path} contains an unresolved merge conflict"))
        .at(path, Some(line), Some(1))
        .hint("keep one of the versions and remove the conflict markers; nothing was committed")
}

pub(super) fn missing_file_error(path: &NotePath) -> Error {
    Error::refused(CHANGED_MEANWHILE, format!("{path} no longer exists")).at(path, None, None)
}

pub(super) fn refuse_changed(
    path: &NotePath,
    bytes: Option<&[u8]>,
    expected: Option<ContentHash>,
) -> Result<()> {
    match (bytes.map(ContentHash::of), expected) {
        (_, None) => Ok(()),
        (Some(found), Some(expected)) if found == expected => Ok(()),
        _ => Err(Error::refused(CHANGED_MEANWHILE, format!("{path} was changed in the meantime"))
            .at(path, None, None)
            .hint("nothing was written; run the command again")),
    }
}

/// Refuses a change that introduces a validation error into a note.
pub(super) fn refuse_new_errors(
    open: &OpenVault,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<()> {
    let Some(after) = after else { return Ok(()) };
    if !path.is_markdown() || !path.as_str().contains('/') {
        return Ok(());
    }
    let errors = |bytes: &[u8]| -> Vec<Finding> {
        let reading = open.parse(path, bytes);
        // Words of rules and memories are read by programs: one that they do not know is an error here, and a rule too
        // short to be one. Outside the vault's folders a memory may be another tool's.
        let (kind, is_own) = (reading.note.kind, NoteKind::of(path) == reading.note.kind);
        let counts = |found: &Finding| match (found.severity, found.code) {
            (Severity::Error, _) => true,
            (_, FindingCode::InvalidValue) => kind == NoteKind::Bullet || kind == NoteKind::Memory && is_own,
            (_, FindingCode::OutOfRange) => kind == NoteKind::Bullet,
            _ => false,
        };
        reading.note.findings.into_iter().filter(counts).collect()
    };
    // A note without frontmatter has one error, the missing frontmatter; with an empty one, each missing key is an error.
    let bare = before
        .filter(|before| std::str::from_utf8(before).is_ok_and(|text| Split::of(text).yaml().is_none()));
    let with_an_empty_one = bare.map(|before| errors(&[b"---\n---\n", before].concat())).unwrap_or_default();
    let old_errors: Vec<_> = before.map(errors).into_iter().flatten().chain(with_an_empty_one).collect();
    let new = errors(after)
        .into_iter()
        .find(|found| old_errors.iter().all(|old| (old.code, &old.message) != (found.code, &found.message)));
    match new {
        None => Ok(()),
        Some(found) => {
            let error = Error::refused("invalid-note", found.message).at(path, found.line, found.column);
            Err(match found.hint {
                Some(hint) => error.hint(hint),
                None => error,
            })
        }
    }
}
