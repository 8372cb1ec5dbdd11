//! Replaces and removes notes without losing concurrent saves of other programs.
//!
//! An editor may save a note between its reading and its replacement. Therefore the new file is
//! exchanged with the old one atomically, and the old one is compared with the content that was
//! read. If it differs, the exchange is reverted and the operation fails.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::Error;
use super::layout::Vault;
use super::write::{Temporary, permissions, sync_folder, target, temporary, temporary_unsynced};
use cm_note::path::NotePath;

/// The old file of a replaced or removed note. It stays next to the note under a temporary name,
/// because a program that has it open may still write to it.
#[derive(Debug)]
#[must_use = "the old file stays in the folder until it is settled"]
pub struct ReplacedFile {
    note: PathBuf,
    /// Temporary path of the old file.
    old: PathBuf,
    /// Content of the old file.
    before: Vec<u8>,
    /// New content of the note; `None` if it was removed.
    after: Option<Vec<u8>>,
    /// Whether the folder is synced once the old file is gone.
    syncs: bool,
}

/// Replaces a note with the content `before`, or creates it if `before` is `None`.
///
/// # Errors
///
/// [`Error::Changed`] if the content differs by now, [`Error::LeadsOut`] and [`Error::Io`]. The
/// note is unchanged in all cases.
pub fn replace(
    vault: &Vault,
    path: &NotePath,
    before: Option<&[u8]>,
    after: &[u8],
) -> Result<Option<ReplacedFile>, Error> {
    let note = target(vault, path)?;
    let folder = note.parent().unwrap_or_else(|| vault.root()).to_owned();
    let new = temporary(&folder, &note, after, permissions(&note))?;
    let replaced = put(new, note, before, after, true)?;
    sync_folder(&folder)?;
    Ok(replaced)
}

/// Like [`replace`]. A power failure may lose the new content until the caller has passed the returned
/// file to [`super::write::sync_all`].
///
/// # Errors
///
/// The errors of [`replace`].
pub fn replace_unsynced(
    vault: &Vault,
    path: &NotePath,
    before: Option<&[u8]>,
    after: &[u8],
) -> Result<(PathBuf, Option<ReplacedFile>), Error> {
    let note = target(vault, path)?;
    let folder = note.parent().unwrap_or_else(|| vault.root());
    let new = temporary_unsynced(folder, &note, after, permissions(&note))?;
    let replaced = put(new, note.clone(), before, after, false)?;
    Ok((note, replaced))
}

/// Puts a new file in the place of a note.
fn put(
    new: Temporary,
    note: PathBuf,
    before: Option<&[u8]>,
    after: &[u8],
    syncs: bool,
) -> Result<Option<ReplacedFile>, Error> {
    let Some(before) = before else {
        return create(new, &note).map(|()| None);
    };
    let old = keep(new, &note)?;
    exchange(&old, &note).inspect_err(|_| drop(fs::remove_file(&old)))?;
    let replaced = ReplacedFile { note, old, before: before.to_vec(), after: Some(after.to_vec()), syncs };
    if replaced.is_unchanged()? {
        return Ok(Some(replaced));
    }
    let note = replaced.note.clone();
    replaced.put_back()?;
    Err(Error::Changed { path: note })
}

/// Removes a note with the content `before`, and folders that become empty. Does nothing if the
/// note no longer exists.
///
/// # Errors
///
/// [`Error::Changed`] if the content differs by now, [`Error::LeadsOut`] and [`Error::Io`]. The
/// note is unchanged in all cases.
pub fn remove(vault: &Vault, path: &NotePath, before: Option<&[u8]>) -> Result<Option<ReplacedFile>, Error> {
    let note = vault.file(path);
    let (Some(before), Some(folder)) = (before, note.parent().filter(|folder| folder.is_dir())) else {
        super::write::remove(vault, path)?;
        return Ok(None);
    };
    super::write::inside(vault, folder)?;
    let old = free_name(folder, &note)?;
    match fs::rename(&note, &old) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("remove", &note)(error)),
    }
    let replaced = ReplacedFile { note, old, before: before.to_vec(), after: None, syncs: true };
    if replaced.is_unchanged()? {
        return Ok(Some(replaced));
    }
    let note = replaced.note.clone();
    replaced.put_back()?;
    Err(Error::Changed { path: note })
}

impl ReplacedFile {
    /// Removes the old file. If another program has written to it meanwhile, restores it as the
    /// note instead. Returns whether the change persists.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn finish(self, vault: &Vault) -> Result<bool, Error> {
        if !self.is_unchanged()? {
            self.put_back()?;
            return Ok(false);
        }
        fs::remove_file(&self.old).map_err(Error::io("remove", &self.old))?;
        let folder = self.note.parent().unwrap_or_else(|| vault.root());
        if self.syncs {
            sync_folder(folder)?;
        }
        if self.after.is_none() {
            super::write::remove_empty(vault, folder);
        }
        Ok(true)
    }

    fn is_unchanged(&self) -> Result<bool, Error> {
        let bytes = fs::read(&self.old).map_err(Error::io("read", &self.old))?;
        Ok(bytes == self.before)
    }

    /// Restores the old file as the note, unless the note was saved again since; the latest save
    /// wins.
    fn put_back(&self) -> Result<(), Error> {
        let Some(after) = &self.after else {
            return match rename_to_free(&self.old, &self.note) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    fs::remove_file(&self.old).map_err(Error::io("remove", &self.old))
                }
                other => other.map_err(Error::io("write", &self.note)),
            };
        };
        exchange(&self.old, &self.note)?;
        let ours = fs::read(&self.old).map_err(Error::io("read", &self.old))?;
        if ours != *after {
            exchange(&self.old, &self.note)?;
        }
        fs::remove_file(&self.old).map_err(Error::io("remove", &self.old))
    }
}

fn create(new: Temporary, note: &Path) -> Result<(), Error> {
    new.persist_noclobber(note).map(drop).map_err(|failed| match failed.error.kind() {
        ErrorKind::AlreadyExists => Error::Changed { path: note.to_owned() },
        _ => Error::io("write", note)(failed.error),
    })
}

/// Makes a temporary file permanent under its name.
fn keep(new: Temporary, note: &Path) -> Result<PathBuf, Error> {
    new.keep().map(|(_, path)| path).map_err(|failed| Error::io("write", note)(failed.error))
}

/// Returns an unused temporary name in a folder.
fn free_name(folder: &Path, note: &Path) -> Result<PathBuf, Error> {
    let empty = temporary(folder, note, b"", permissions(note))?;
    // Taken over by the rename that follows.
    keep(empty, note)
}

/// Exchanges two files. If the file system has no atomic exchange, a hard link preserves the old
/// file meanwhile.
fn exchange(one: &Path, other: &Path) -> Result<(), Error> {
    match exchange_at_once(one, other) {
        Err(error) if is_unsupported(&error) => exchange_in_steps(one, other),
        outcome => outcome,
    }
    .map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::Changed { path: other.to_owned() },
        _ => Error::io("write", other)(error),
    })
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange_at_once(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange_at_once(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput)
}

fn exchange_in_steps(one: &Path, other: &Path) -> io::Result<()> {
    let mut third = one.as_os_str().to_owned();
    third.push(".old");
    let third = PathBuf::from(third);
    fs::rename(other, &third)?;
    fs::rename(one, other)?;
    fs::rename(&third, one)
}

/// Renames a file without overwriting an existing one.
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> (tempfile::TempDir, Vault, NotePath) {
        let folder = tempfile::tempdir().unwrap();
        let vault = Vault::at(folder.path()).unwrap();
        (folder, vault, NotePath::parse("graph/a.md").unwrap())
    }

    fn files(vault: &Vault) -> usize {
        fs::read_dir(vault.root().join("graph")).map_or(0, Iterator::count)
    }

    #[test]
    fn a_note_that_is_as_it_was_read_is_replaced() {
        let (_folder, vault, path) = vault();
        assert!(replace(&vault, &path, None, b"one").unwrap().is_none());
        let replaced = replace(&vault, &path, Some(b"one"), b"two").unwrap().unwrap();
        assert!(replaced.finish(&vault).unwrap());
        assert_eq!((vault.read(&path).unwrap(), files(&vault)), (b"two".to_vec(), 1));
        assert!(remove(&vault, &path, Some(b"two")).unwrap().unwrap().finish(&vault).unwrap());
        assert!(!vault.root().join("graph").exists());
    }

    #[test]
    fn a_save_between_reading_and_writing_stays() {
        let (_folder, vault, path) = vault();
        let _ = replace(&vault, &path, None, b"saved").unwrap();
        for refused in [
            replace(&vault, &path, Some(b"read"), b"ours").err(),
            replace(&vault, &path, None, b"ours").err(),
            remove(&vault, &path, Some(b"read")).err(),
        ] {
            assert!(matches!(refused, Some(Error::Changed { .. })), "{refused:?}");
        }
        assert_eq!((vault.read(&path).unwrap(), files(&vault)), (b"saved".to_vec(), 1));
    }

    #[test]
    fn a_save_to_the_old_file_after_the_exchange_becomes_the_note_again() {
        use std::io::Write as _;
        let (_folder, vault, path) = vault();
        let _ = replace(&vault, &path, None, b"one").unwrap();
        let mut editor = fs::OpenOptions::new().append(true).open(vault.file(&path)).unwrap();
        let replaced = replace(&vault, &path, Some(b"one"), b"ours").unwrap().unwrap();
        editor.write_all(b" and more").unwrap();
        assert!(!replaced.finish(&vault).unwrap());
        assert_eq!((vault.read(&path).unwrap(), files(&vault)), (b"one and more".to_vec(), 1));
    }

    #[test]
    fn the_latest_of_two_saves_stays() {
        let (_folder, vault, path) = vault();
        let _ = replace(&vault, &path, None, b"one").unwrap();
        let replaced = replace(&vault, &path, Some(b"one"), b"ours").unwrap().unwrap();
        fs::write(&replaced.old, "first save").unwrap();
        fs::write(vault.file(&path), "second save").unwrap();
        assert!(!replaced.finish(&vault).unwrap());
        assert_eq!((vault.read(&path).unwrap(), files(&vault)), (b"second save".to_vec(), 1));
    }
}
