//! Locates vaults and the files in them.

use std::io;
use std::path::{Path, PathBuf};

use super::caches;
use super::error::Error;
use super::private::{PrivateFolder, PrivateHome};
use cm_note::path::NotePath;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Settings file, which marks a folder as a vault.
pub const SETTINGS: &str = "cm.toml";
/// File with the memory that agents load into their system prompt.
pub const CORE: &str = "CORE.md";
/// File with the overview of the vault for people.
pub const REFLECTION: &str = "REFLECTION.md";
/// Notes larger than this are indexed by their first bytes up to this limit.
pub const MAX_FULLY_INDEXED_BYTES: u64 = 4 << 20;
/// Notes larger than this are indexed by name only.
pub const MAX_PARTLY_INDEXED_BYTES: u64 = 64 << 20;
/// Folder of a project's vault inside its repository.
const PROJECT_FOLDER: &str = ".memory";
/// A folder without `cm.toml` that contains one of these is a vault of the predecessor tool.
const OLD_MARKS: [&str; 3] = ["graph", "_index.json", "episodes"];

/// A vault's folder. Its root is absolute and free of symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vault {
    root: PathBuf,
    private: Option<PrivateFolder>,
}

/// Modification time, length and inode of a file, for detecting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    modified: Option<std::time::SystemTime>,
    length: u64,
    inode: u64,
}

impl FileStamp {
    fn of(stat: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(stat);
        #[cfg(not(unix))]
        let inode = 0;
        Self { modified: stat.modified().ok(), length: stat.len(), inode }
    }
}

impl Vault {
    /// Opens a folder as a vault. Vaults of the predecessor tool need no `cm.toml`.
    ///
    /// # Errors
    ///
    /// [`Error::NoFolder`] and [`Error::NotAVault`] if it is not a vault, [`Error::Io`] if it cannot be accessed.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            let path = path.to_owned();
            return Err(if path.exists() { Error::NotAVault { path } } else { Error::NoFolder { path } });
        }
        let root = path.canonicalize().map_err(Error::io("open", path))?;
        let marked = root.join(SETTINGS).is_file() || OLD_MARKS.iter().any(|mark| root.join(mark).exists());
        if marked { Ok(Self { root, private: None }) } else { Err(Error::NotAVault { path: root }) }
    }

    /// Treats a folder as a vault without checking for a mark; for `init` and `import`, which
    /// create the mark.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be accessed.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let root = path.canonicalize().map_err(Error::io("open", path))?;
        Ok(Self { root, private: None })
    }

    /// Finds the project's vault: the nearest folder at or above `from` with `cm.toml` or
    /// `.memory/`. A `.memory` that is a symbolic link is ignored, because the folder's author
    /// could redirect it to another vault of the user.
    pub fn find_upwards(from: &Path) -> Option<Self> {
        let from = from.canonicalize().ok()?;
        from.ancestors().find_map(|folder| {
            let memory = folder.join(PROJECT_FOLDER);
            let counts = memory.is_dir() && !memory.is_symlink();
            [folder.join(SETTINGS).is_file().then_some(folder), counts.then_some(memory.as_path())]
                .into_iter()
                .flatten()
                .find_map(|root| Self::at(root).ok())
        })
    }

    /// Adds the user's private files and cleans the caches, so that the vault is ready for use.
    pub fn prepare(self, home: Option<&PrivateHome>) -> Self {
        caches::scrub(&self.root);
        Self { private: home.map(|home| home.of(&self.root)), ..self }
    }

    /// Like [`Self::prepare`], but changes no file. Returns `None` if the caches need cleaning.
    pub fn prepare_read_only(self, home: Option<&PrivateHome>) -> Option<Self> {
        caches::are_clean(&self.root).then(|| Self { private: home.map(|home| home.of(&self.root)), ..self })
    }

    /// Returns the user's private files for this vault.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`] if the user has no home folder.
    pub fn private(&self) -> Result<&PrivateFolder, Error> {
        self.private.as_ref().ok_or(Error::NoPrivateFolder)
    }

    /// Returns the path of a private state file.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn private_file(&self, name: &str) -> Result<PathBuf, Error> {
        Ok(self.private()?.state().join(name))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns device and inode of the root folder, for detecting that another folder took its
    /// place. `None` if the platform does not support it or the folder does not exist.
    pub fn identity(&self) -> Option<[u64; 2]> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let folder = std::fs::metadata(&self.root).ok()?;
            Some([folder.dev(), folder.ino()])
        }
        #[cfg(not(unix))]
        None
    }

    /// Returns the absolute path of a note.
    pub fn file(&self, path: &NotePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    /// Folder of the index; derived data.
    pub fn index(&self) -> PathBuf {
        self.root.join("_index")
    }

    /// Folder of the vectors; derived data.
    pub fn vectors(&self) -> PathBuf {
        self.root.join("_embeddings")
    }

    /// Folder of usage data, hook logs and the writer lock. Not derived, but not part of the
    /// knowledge either.
    pub fn state(&self) -> PathBuf {
        self.root.join("_state")
    }

    /// Converts a typed path to a path in the vault. It may be relative to `cwd`, absolute, or
    /// relative to the root. Returns `None` if there is no such file in the vault.
    pub fn locate(&self, cwd: &Path, typed: &str) -> Option<NotePath> {
        let absolute = cwd.join(typed);
        let from_cwd = absolute.parent().and_then(|folder| folder.canonicalize().ok()).and_then(|folder| {
            let file = folder.join(absolute.file_name()?);
            let inner = file.strip_prefix(&self.root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
            NotePath::parse(&inner).ok()
        });
        from_cwd.into_iter().chain(NotePath::parse(typed).ok()).find(|path| self.holds(path))
    }

    /// Whether the path is a regular file. Pipes, which would block, and links that leave the vault
    /// are excluded.
    fn holds(&self, path: &NotePath) -> bool {
        let real = self.file(path).canonicalize();
        real.is_ok_and(|real| real.starts_with(&self.root) && real.is_file())
    }

    /// Reads a note.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        let mut file = open_file(&self.file(path))?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len()).unwrap_or_default());
        io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a note up to [`MAX_FULLY_INDEXED_BYTES`] bytes, and nothing of a note larger than
    /// [`MAX_PARTLY_INDEXED_BYTES`]. If the content is incomplete, the file size is returned too.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn read_start(&self, path: &NotePath) -> io::Result<(Vec<u8>, Option<u64>)> {
        let file = open_file(&self.file(path))?;
        let size = file.metadata()?.len();
        let most = if size <= MAX_FULLY_INDEXED_BYTES {
            u64::MAX
        } else if size <= MAX_PARTLY_INDEXED_BYTES {
            MAX_FULLY_INDEXED_BYTES
        } else {
            0
        };
        let mut bytes = Vec::with_capacity(usize::try_from(size.min(most)).unwrap_or_default());
        io::Read::read_to_end(&mut io::Read::take(file, most), &mut bytes)?;
        if size <= MAX_FULLY_INDEXED_BYTES {
            return Ok((bytes, None));
        }
        // Cut at the end of a line, so that no character is torn.
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(end);
        Ok((bytes, Some(size)))
    }

    /// Reads one of the vault's own files at the root. Returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be read as text, [`Error::LeadsOut`] if it is a link out of the
    /// vault.
    pub fn read_own(&self, name: &str) -> Result<Option<String>, Error> {
        let path = self.root.join(name);
        // Its text may reach a prompt, so it must not be another file of the user.
        if path.is_symlink() {
            super::write::inside(self, &path)?;
        }
        match open_file(&path).and_then(io::read_to_string) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &path)(error)),
        }
    }

    /// Returns the stamp of one of the vault's own files, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn stamp_own(&self, name: &str) -> Result<Option<FileStamp>, Error> {
        stamp(&self.root.join(name))
    }

    /// Like [`Vault::stamp_own`], for a private state file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::NoPrivateFolder`].
    pub fn stamp_private(&self, name: &str) -> Result<Option<FileStamp>, Error> {
        stamp(&self.private_file(name)?)
    }

    /// Reads a private state file. Returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::NoPrivateFolder`].
    pub fn read_private(&self, name: &str) -> Result<Option<String>, Error> {
        self.private()?.read(&self.private_file(name)?)
    }

    /// Writes a private state file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::NoPrivateFolder`].
    pub fn write_private(&self, name: &str, text: &str) -> Result<(), Error> {
        self.private()?.write(&self.private_file(name)?, text.as_bytes())
    }

    /// Reads a private state file as JSON. Returns `None` if it does not exist or does not parse.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::NoPrivateFolder`].
    pub fn read_private_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        self.private()?.read_json(&self.private_file(name)?)
    }

    /// Writes a value as JSON to a private state file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] and [`Error::NoPrivateFolder`].
    pub fn write_private_json(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        self.private()?.write_json(&self.private_file(name)?, value)
    }

    /// Counts the files of a folder in the vault, up to `most`.
    pub fn count_files(&self, folder: &str, most: usize) -> usize {
        std::fs::read_dir(self.root.join(folder)).map_or(0, |entries| entries.take(most).count())
    }
}

fn stamp(path: &Path) -> Result<Option<FileStamp>, Error> {
    match std::fs::metadata(path) {
        Ok(stat) => Ok(Some(FileStamp::of(&stat))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

/// Creates the folder of a new vault, including its parents.
///
/// # Errors
///
/// [`Error::Io`].
pub fn make(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))
}

/// Opens a regular file for reading. Pipes and devices are rejected without blocking.
fn open_file(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_vault_above_is_found_and_a_memory_folder_counts() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(top.path().join(SETTINGS), "").unwrap();
        let root = |vault: Vault| vault.root().to_owned();
        assert_eq!(Vault::find_upwards(&deep).map(root), Some(top.path().canonicalize().unwrap()));
        let memory = top.path().join("a/.memory");
        std::fs::create_dir_all(&memory).unwrap();
        assert_eq!(Vault::find_upwards(&deep).map(root), Some(memory.canonicalize().unwrap()));
    }

    #[test]
    fn a_folder_without_marks_is_no_vault() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Vault::open(folder.path()), Err(Error::NotAVault { .. })));
        assert!(matches!(Vault::open(&folder.path().join("absent")), Err(Error::NoFolder { .. })));
        std::fs::create_dir(folder.path().join("graph")).unwrap();
        assert!(Vault::open(folder.path()).is_ok());
    }

    #[test]
    fn typed_paths_are_found_from_any_folder_and_never_outside() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(top.path().join("graph/fixes")).unwrap();
        std::fs::write(top.path().join("graph/fixes/a.md"), "a").unwrap();
        let vault = Vault::at(top.path()).unwrap();
        for (cwd, typed) in [("graph", "fixes/a.md"), ("", "graph/fixes/a.md"), ("graph/fixes", "./a.md")] {
            let found = vault.locate(&vault.root().join(cwd), typed);
            assert_eq!(found.unwrap().as_str(), "graph/fixes/a.md", "{cwd} {typed}");
        }
        assert_eq!(vault.locate(vault.root(), "/etc/hostname"), None);
    }
}
