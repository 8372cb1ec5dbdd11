//! Waiting for a lock on a file.

use std::fs::TryLockError;
use std::io;
use std::time::Duration;

/// Retries `lock` until it succeeds; `false` if another process still holds the lock after `patience`.
///
/// # Errors
/// The file cannot be locked.
pub(crate) fn wait(
    patience: Duration,
    pause: Duration,
    lock: impl Fn() -> Result<(), TryLockError>,
) -> io::Result<bool> {
    let mut waited = Duration::ZERO;
    loop {
        match lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if waited < patience => {
                std::thread::sleep(pause);
                waited += pause;
            }
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
