//! The one advisory lock of a vault's writers. The kernel lets go of it when its holder dies, however it dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::time::Duration;

use super::error::Error;
use super::layout::Vault;

/// Held while a vault is changed; dropping it lets the next writer in.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock, waiting up to `patience` for another writer.
    ///
    /// `holder` says who we are, for the message that others print.
    ///
    /// # Errors
    /// [`Error::Locked`] past the deadline, [`Error::Io`] where the lock file cannot be made.
    pub fn take(vault: &Vault, holder: &str, patience: Duration) -> Result<Self, Error> {
        let path = vault.state().join("lock");
        fs::create_dir_all(vault.state()).map_err(Error::io("make the folder", &vault.state()))?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        wait(vault, &mut file, patience, File::try_lock)?;
        file.set_len(0).and_then(|()| file.rewind()).map_err(Error::io("write", &path))?;
        file.write_all(holder.as_bytes()).map_err(Error::io("write", &path))?;
        Ok(Self { file })
    }

    /// Waits up to `patience` until nobody holds the lock, for readers that would rather see all of a change or none.
    /// Nothing is written.
    ///
    /// # Errors
    /// Those of [`Lock::take`].
    pub fn wait_until_free(vault: &Vault, patience: Duration) -> Result<(), Error> {
        let path = vault.state().join("lock");
        match File::open(&path) {
            Ok(mut file) => wait(vault, &mut file, patience, File::try_lock_shared),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("open", &path)(error)),
        }
    }
}

/// Tries to lock until it can or patience is over.
fn wait(
    vault: &Vault,
    file: &mut File,
    patience: Duration,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(), Error> {
    let pause = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        match lock(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if waited < patience => {
                std::thread::sleep(pause);
                waited += pause;
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // A note of who it is helps, and its absence must not hide the refusal.
                let _ = file.read_to_string(&mut holder);
                let holder = if holder.is_empty() { "another process".to_owned() } else { holder };
                return Err(Error::Locked { path: vault.root().to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => {
                return Err(Error::io("lock", &vault.state().join("lock"))(error));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Emptied so that nobody is named who has gone; the kernel frees the lock with the file in any case.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_hears_who_holds_the_vault_and_gets_in_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let vault = Vault::at(folder.path()).unwrap();
        assert!(Lock::wait_until_free(&vault, Duration::ZERO).is_ok(), "nobody ever wrote");
        assert!(!vault.state().exists());
        let first = Lock::take(&vault, "process 7 (cm add) since noon", Duration::ZERO).unwrap();
        match Lock::take(&vault, "second", Duration::from_millis(10)) {
            Err(Error::Locked { holder, .. }) => assert_eq!(holder, "process 7 (cm add) since noon"),
            other => panic!("{other:?}"),
        }
        assert!(matches!(Lock::wait_until_free(&vault, Duration::ZERO), Err(Error::Locked { .. })));
        drop(first);
        assert!(Lock::wait_until_free(&vault, Duration::ZERO).is_ok());
        assert!(Lock::take(&vault, "second", Duration::ZERO).is_ok());
    }
}
