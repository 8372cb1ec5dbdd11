//! Folder access by paths, for platforms without the faster system calls.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{EntryKind, EntryName, EntryStat, Folder};

pub(super) struct PathFolder(PathBuf);

impl PathFolder {
    /// Opens the vault's folder.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        path.metadata().map(|_| Self(path.to_owned()))
    }

    fn entry(&self, name: &EntryName) -> PathBuf {
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

impl Folder for PathFolder {
    fn open(&self, name: &EntryName) -> io::Result<Self> {
        Ok(Self(self.entry(name)))
    }

    fn entries(&self, _: &mut Vec<u8>) -> io::Result<Vec<EntryName>> {
        std::fs::read_dir(&self.0)?
            .map(|entry| {
                let entry = entry?;
                Ok(name(&entry.file_name(), entry.file_type().map_or(EntryKind::Unknown, EntryKind::from)))
            })
            .collect()
    }

    fn stat(&self, name: &EntryName) -> io::Result<EntryStat> {
        Ok(EntryStat::from(&self.entry(name).symlink_metadata()?))
    }
}

fn name(name: &OsStr, kind: EntryKind) -> EntryName {
    let mut made = EntryName::new(name.as_encoded_bytes(), kind);
    made.utf8 = name.to_str().is_some();
    made
}
