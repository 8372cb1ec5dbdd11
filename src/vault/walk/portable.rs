//! Folders as paths, for systems without the calls that make it faster.

use std::ffi::OsStr;
use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use super::{EntryKind, Folder, Name, Stat, portable_numbers};

/// A folder's path.
pub(super) struct Handle(PathBuf);

impl Handle {
    fn entry(&self, name: &Name) -> PathBuf {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            self.0.join(OsStr::from_bytes(name.bytes()))
        }
        #[cfg(not(unix))]
        {
            self.0.join(String::from_utf8_lossy(name.bytes()).as_ref())
        }
    }
}

impl Folder for Handle {
    fn root(path: &Path) -> io::Result<Self> {
        path.metadata().map(|_| Self(path.to_owned()))
    }

    fn open(&self, name: &Name) -> io::Result<Self> {
        Ok(Self(self.entry(name)))
    }

    fn entries(&self, _: &mut Vec<u8>) -> io::Result<Vec<Name>> {
        std::fs::read_dir(&self.0)?
            .map(|entry| {
                let entry = entry?;
                Ok(name(&entry.file_name(), entry.file_type().map_or(EntryKind::Unknown, kind)))
            })
            .collect()
    }

    fn stat(&self, name: &Name) -> io::Result<Stat> {
        let metadata = self.entry(name).symlink_metadata()?;
        let (mtime_ns, inode) = portable_numbers(&metadata);
        Ok(Stat { kind: kind(metadata.file_type()), size: metadata.len(), mtime_ns, inode })
    }
}

fn name(name: &OsStr, kind: EntryKind) -> Name {
    let mut made = Name::new(name.as_encoded_bytes(), kind);
    made.utf8 = name.to_str().is_some();
    made
}

fn kind(file_type: FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Other
    }
}
