//! Folder access by file descriptors: one system call lists many entries, and one reads a file's
//! metadata.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, openat, statat};

use super::{EntryKind, Folder, Name, Stat};

/// An open folder.
pub(super) struct Handle(OwnedFd);

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const BUFFER: usize = 64 * 1024;

impl Handle {
    /// Opens the vault's folder.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(rustix::fs::CWD, path, FLAGS, Mode::empty())?))
    }
}

impl Folder for Handle {
    fn open(&self, name: &Name) -> io::Result<Self> {
        Ok(Self(openat(&self.0, terminated(name)?, FLAGS | OFlags::NOFOLLOW, Mode::empty())?))
    }

    fn entries(&self, buffer: &mut Vec<u8>) -> io::Result<Vec<Name>> {
        buffer.clear();
        buffer.reserve(BUFFER);
        let mut entries = RawDir::new(&self.0, buffer.spare_capacity_mut());
        let mut names = Vec::new();
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(Name::new(name, kind(entry.file_type())));
            }
        }
        Ok(names)
    }

    fn stat(&self, name: &Name) -> io::Result<Stat> {
        let stat = statat(&self.0, terminated(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
        let time = |seconds: i64, nanoseconds: u64| {
            seconds
                .saturating_mul(1_000_000_000)
                .saturating_add(i64::try_from(nanoseconds).unwrap_or_default())
        };
        Ok(Stat {
            kind: kind(FileType::from_raw_mode(stat.st_mode)),
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            mtime_ns: time(stat.st_mtime, stat.st_mtime_nsec),
            ctime_ns: time(stat.st_ctime, stat.st_ctime_nsec),
            inode: stat.st_ino,
        })
    }
}

fn terminated(name: &Name) -> io::Result<&CStr> {
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
