//! Folder access by file descriptors: one system call lists many entries, and one reads a file's
//! metadata.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, openat, statat};

use super::{EntryKind, EntryName, EntryStat, Folder};

/// An open folder, as a file descriptor.
pub(super) struct FdFolder(OwnedFd);

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const BUFFER_BYTES: usize = 64 * 1024;

impl FdFolder {
    /// Opens the vault's folder.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(rustix::fs::CWD, path, FLAGS, Mode::empty())?))
    }
}

impl Folder for FdFolder {
    fn open(&self, name: &EntryName) -> io::Result<Self> {
        Ok(Self(openat(&self.0, terminated(name)?, FLAGS | OFlags::NOFOLLOW, Mode::empty())?))
    }

    fn entries(&self, buffer: &mut Vec<u8>) -> io::Result<Vec<EntryName>> {
        buffer.clear();
        buffer.reserve(BUFFER_BYTES);
        let mut entries = RawDir::new(&self.0, buffer.spare_capacity_mut());
        let mut names = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(EntryName::new(name, kind(entry.file_type())));
            }
        }
        Ok(names)
    }

    fn stat(&self, name: &EntryName) -> io::Result<EntryStat> {
        let stat = statat(&self.0, terminated(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
        let time = |seconds: i64, nanoseconds: u64| {
            seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(i64::try_from(nanoseconds).unwrap_or_default())
        };
        Ok(EntryStat {
            kind: kind(FileType::from_raw_mode(stat.st_mode)),
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            mtime_ns: time(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: time(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
        })
    }
}

fn terminated(name: &EntryName) -> io::Result<&CStr> {
    CStr::from_bytes_with_nul(&name.bytes).map_err(io::Error::other)
}

fn kind(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        FileType::Unknown => EntryKind::Unknown,
        _ => EntryKind::Other,
    }
}
