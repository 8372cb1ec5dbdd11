//! Calls of the search library on files that may be damaged. A damaged file that passes its checksum
//! by chance may make the library fail or panic.

use std::panic::{AssertUnwindSafe, UnwindSafe, catch_unwind};
use std::path::Path;

use crate::error::{Error, RebuildReason, at};

/// Why an index could not be opened.
pub(crate) enum OpenFailure {
    Io(std::io::Error),
    Unusable(RebuildReason),
}

impl From<RebuildReason> for OpenFailure {
    fn from(why: RebuildReason) -> Self {
        Self::Unusable(why)
    }
}

impl From<std::io::Error> for OpenFailure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<tantivy::TantivyError> for OpenFailure {
    fn from(error: tantivy::TantivyError) -> Self {
        match error {
            tantivy::TantivyError::IncompatibleIndex(_) => Self::Unusable(RebuildReason::Foreign),
            error => Self::Unusable(RebuildReason::damaged(error)),
        }
    }
}

/// Opens the index `what` in `folder`.
///
/// # Errors
/// [`Error::Io`] if a file cannot be read, else [`Error::Unusable`].
pub(crate) fn guarded_open<T>(
    what: &str,
    folder: &Path,
    open: impl FnOnce(&Path) -> Result<T, OpenFailure> + UnwindSafe,
) -> Result<T, Error> {
    match catch_unwind(|| open(folder)) {
        Ok(Ok(opened)) => Ok(opened),
        Ok(Err(OpenFailure::Io(error))) => Err(at(folder)(error)),
        Ok(Err(OpenFailure::Unusable(why))) => Err(why.into()),
        Err(_) => Err(RebuildReason::damaged(what).into()),
    }
}

/// Runs `query` and reports failures and panics of the search library as damage.
pub(crate) fn guarded<T>(what: &str, query: impl FnOnce() -> tantivy::Result<T>) -> Result<T, RebuildReason> {
    match catch_unwind(AssertUnwindSafe(query)) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(RebuildReason::damaged(error)),
        Err(_) => Err(RebuildReason::damaged(what)),
    }
}
