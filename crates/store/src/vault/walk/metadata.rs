//! Converts the metadata of a file that was accessed by its path.

use std::fs::{FileType, Metadata};

use super::{EntryKind, EntryStat};

impl From<&Metadata> for EntryStat {
    #[cfg(unix)]
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let time = |seconds: i64, nanoseconds: i64| {
            seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
        };
        Self {
            kind: metadata.file_type().into(),
            size: metadata.len(),
            mtime_ns: time(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: time(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    fn from(metadata: &Metadata) -> Self {
        let modified = metadata.modified().unwrap_or(std::time::UNIX_EPOCH);
        let age = modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let mtime_ns = i64::try_from(age.as_nanos()).unwrap_or(i64::MAX);
        Self { kind: metadata.file_type().into(), size: metadata.len(), mtime_ns, ctime_ns: 0, inode: 0 }
    }
}

impl From<FileType> for EntryKind {
    fn from(file_type: FileType) -> Self {
        if file_type.is_file() {
            Self::File
        } else if file_type.is_dir() {
            Self::Folder
        } else if file_type.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}
