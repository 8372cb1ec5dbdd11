//! The lock file that serializes changes of the index. The kernel releases it when its holder dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::{Error, at};

/// Exclusive lock of an index's writer, released when dropped.
pub(super) struct IndexWriteLock {
    file: File,
}

impl IndexWriteLock {
    /// Acquires the lock, waiting up to `patience`. Returns `None` on timeout.
    pub(super) fn acquire(path: &Path, patience: Duration) -> Result<Option<Self>, Error> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(at(path))?;
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_millis(2);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { file })),
                Err(TryLockError::WouldBlock) if waited >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
                Err(TryLockError::Error(error)) => return Err(at(path)(error)),
            }
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    /// Returns the file system's current time in nanoseconds since 1970, at the resolution of its
    /// timestamps. Files changed after the call get this time or a later one.
    pub(super) fn file_time(&mut self, path: &Path) -> Result<i64, Error> {
        let stamp = |file: &mut File| {
            file.rewind()?;
            file.write_all(b"\n")?;
            file.metadata()?.modified()
        };
        let modified = stamp(&mut self.file).map_err(at(path))?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
    }
}
