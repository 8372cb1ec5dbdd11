//! The content of a file as it is in the work tree or in the newest commit, and with edits applied.

use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::note::read;
use cm_note::path::NotePath;

/// Returns the content of a note in the newest commit; `None` if it is not in it or there is no
/// commit.
///
/// # Errors
/// Returns an error if the repository cannot be read.
pub fn committed_bytes(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    let Some(repo) = open.repo()? else { return Ok(None) };
    let Some(head) = repo.head()?.commit else { return Ok(None) };
    Ok(repo.read_at(head, path)?)
}

/// Returns the content of a file in the work tree; `None` if there is no such file, also if a folder has its name, or a
/// file that of its folder.
pub(crate) fn content_or_none(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match open.vault.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        Err(_) if open.vault.file(path).is_dir() => Ok(None),
        Err(error) => Err(cm_store::vault::Error::io("read", &open.vault.file(path))(error).into()),
    }
}

/// Returns the content of a file in the work tree; `None` if nothing has its name. A folder in its place is an error,
/// unlike for [`content_or_none`]: a change would have to replace it.
pub(super) fn content(open: &OpenVault, path: &NotePath) -> Result<Option<Vec<u8>>> {
    match open.vault.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cm_store::vault::Error::io("read", &open.vault.file(path))(error).into()),
    }
}

/// Applies edits to a file. An empty one is refused: an editor that saves in place empties the file
/// first, and what it writes then would be lost with the file that the change replaces.
pub(super) fn edited(path: &NotePath, before: &[u8], edits: &[Edit]) -> Result<String> {
    if before.is_empty() {
        return Err(Error::refused("empty-file", format!("{path} is empty"))
            .at(path, None, None)
            .hint("if an editor is saving it, run the command again; else write the note or delete it"));
    }
    let text = read::text(path, before).map_err(|finding| Error::of_encoding(path, &finding))?;
    edit::apply(text, edits).map_err(|error| Error::of_edit(path, &error))
}
