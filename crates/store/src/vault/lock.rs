//! The advisory lock of a vault's writers. The kernel releases it when its holder exits for any
//! reason.
//!
//! The lock file is never written, truncated or replaced. Its holder is recorded among the user's
//! private files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use super::caches::{LOCK, open_regular};
use super::error::Error;
use super::layout::Vault;
use crate::file_lock;

/// The writer lock, released when dropped.
#[derive(Debug)]
pub struct VaultLock {
    file: File,
    /// File that records the holder; `None` if the user has no private folder.
    note: Option<PathBuf>,
}

impl VaultLock {
    /// Acquires the lock, waiting up to `patience` for another writer.
    ///
    /// `holder` describes this process, for the messages of others.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] on timeout, [`Error::Io`] if the lock file cannot be created.
    pub fn take(vault: &Vault, holder: &str, patience: Duration) -> Result<Self, Error> {
        let path = vault.root().join(LOCK);
        fs::create_dir_all(vault.state()).map_err(Error::io("create the folder", &vault.state()))?;
        let mut options = OpenOptions::new();
        let file = open_regular(options.read(true).write(true).create(true).truncate(false), &path)
            .map_err(Error::io("open", &path))?;
        wait(vault, &file, patience, File::try_lock)?;
        let note = holder_note(vault);
        if let Some(note) = &note {
            // Who holds the lock is a courtesy to others who wait.
            let _ = vault.private().and_then(|private| private.write_unsynced(note, holder.as_bytes()));
        }
        Ok(Self { file, note })
    }

    /// Waits up to `patience` until the lock is free, for readers that should not see half of a
    /// change. Writes nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`VaultLock::take`].
    pub fn wait_until_free(vault: &Vault, patience: Duration) -> Result<(), Error> {
        let path = vault.root().join(LOCK);
        match open_regular(OpenOptions::new().read(true), &path) {
            Ok(file) => wait(vault, &file, patience, File::try_lock_shared),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("open", &path)(error)),
        }
    }
}

/// Retries the lock until it succeeds or `patience` is over.
fn wait(
    vault: &Vault,
    file: &File,
    patience: Duration,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(), Error> {
    let locked = file_lock::wait(patience, Duration::from_millis(5), || lock(file));
    if locked.map_err(Error::io("lock", &vault.root().join(LOCK)))? {
        return Ok(());
    }
    let noted = holder_note(vault).and_then(|note| fs::read_to_string(note).ok());
    let holder = noted.filter(|text| !text.is_empty()).unwrap_or("another process".to_owned());
    Err(Error::Locked { path: vault.root().to_owned(), holder })
}

/// Path of the file that records the holder of a vault's lock.
fn holder_note(vault: &Vault) -> Option<PathBuf> {
    vault.private_file("holder").ok()
}

impl Drop for VaultLock {
    fn drop(&mut self) {
        // The kernel frees the lock with the file in any case.
        if let Some(note) = &self.note {
            let _ = fs::remove_file(note);
        }
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::PrivateHome;

    #[test]
    fn a_second_writer_hears_who_holds_the_vault_and_gets_in_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let private = tempfile::tempdir().unwrap();
        let home = PrivateHome { state: private.path().join("state"), config: private.path().join("config") };
        let vault = Vault::at(folder.path()).unwrap().prepare(Some(&home));
        assert!(VaultLock::wait_until_free(&vault, Duration::ZERO).is_ok(), "nobody ever wrote");
        assert!(!vault.state().exists());
        let first = VaultLock::take(&vault, "process 7 (cm add) since noon", Duration::ZERO).unwrap();
        match VaultLock::take(&vault, "second", Duration::from_millis(10)) {
            Err(Error::Locked { holder, .. }) => assert_eq!(holder, "process 7 (cm add) since noon"),
            other => panic!("{other:?}"),
        }
        assert!(matches!(VaultLock::wait_until_free(&vault, Duration::ZERO), Err(Error::Locked { .. })));
        drop(first);
        assert!(VaultLock::wait_until_free(&vault, Duration::ZERO).is_ok());
        assert!(VaultLock::take(&vault, "second", Duration::ZERO).is_ok());
    }
}
