//! Tantivy directory of the text index. Its small files are framed, so that damage is detected.
//! Nothing is synced to disk, because the index can be rebuilt.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, OwnedBytes,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use crate::frame;

/// Tantivy directory that maps segment files into memory and frames small files to detect damage.
#[derive(Debug, Clone)]
pub(crate) struct FramedDirectory {
    path: PathBuf,
    mapped: MmapDirectory,
}

impl FramedDirectory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mapped = MmapDirectory::open(path).map_err(io::Error::other)?;
        Ok(Self { path: path.to_owned(), mapped })
    }
}

/// A write-once file that is not synced to disk.
struct Unforced(File);

impl Write for Unforced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Unforced {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()
    }
}

impl Directory for FramedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match OpenOptions::new().write(true).create_new(true).open(self.path.join(path)) {
            Ok(file) => Ok(BufWriter::new(Box::new(Unforced(file)))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let wrap = |error| OpenReadError::wrap_io_error(error, path.to_owned());
        match frame::read(&self.path.join(path)).map_err(wrap)? {
            None => Err(OpenReadError::FileDoesNotExist(path.to_owned())),
            Some(Ok(bytes)) => Ok(bytes),
            Some(Err(why)) => Err(wrap(io::Error::other(why.to_string()))),
        }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        frame::write(&self.path.join(path), data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        // Writers are kept apart by the lock of the whole index. The other lock keeps a writer from deleting what a
        // reader is about to open; where it cannot be had, as on a read-only disk, nobody deletes.
        if lock.filepath == META_LOCK.filepath
            && let Ok(lock) = self.mapped.acquire_lock(lock)
        {
            return Ok(lock);
        }
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// Maps a file into memory; `None` if it cannot be read. A file that is replaced stays as it was.
pub(crate) fn mapped(folder: &Path, name: &str) -> Option<OwnedBytes> {
    let file = MmapDirectory::open(folder).ok()?.get_file_handle(Path::new(name)).ok()?;
    file.read_bytes(0..file.len()).ok()
}

/// Returns length, modification time, change time and inode of a file, for detecting changes.
pub(crate) fn touched(path: &Path) -> io::Result<[u64; 4]> {
    let file = fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let changed =
            (file.ctime() as u64).wrapping_mul(1_000_000_000).wrapping_add(file.ctime_nsec() as u64);
        let modified =
            (file.mtime() as u64).wrapping_mul(1_000_000_000).wrapping_add(file.mtime_nsec() as u64);
        Ok([file.len(), modified, changed, file.ino()])
    }
    #[cfg(not(unix))]
    {
        let since = file.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok([file.len(), since.as_nanos() as u64, 0, 0])
    }
}
