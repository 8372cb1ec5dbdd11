//! Where a vault is, and where its own files lie in it.

use std::io;
use std::path::{Path, PathBuf};

use super::error::Error;
use crate::domain::path::NotePath;

/// The file whose presence marks a vault.
pub const SETTINGS: &str = "cm.toml";
/// Private settings, never committed.
pub const PRIVATE: &str = "_config.toml";
/// What an agent loads into its system prompt.
pub const CORE: &str = "CORE.md";
/// What a person reads about the whole.
pub const REFLECTION: &str = "REFLECTION.md";
/// A project's vault inside its repository.
const PROJECT_FOLDER: &str = ".memory";
/// Folders of which one makes a folder without `cm.toml` a vault of the earlier tool.
const OLD_MARKS: [&str; 3] = ["graph", "_index.json", "episodes"];

/// A folder that is a vault. Its root is absolute and free of symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vault {
    root: PathBuf,
}

/// What tells that a file is another than it was: when it was changed, its length, and which file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<std::time::SystemTime>,
    length: u64,
    inode: u64,
}

impl Stamp {
    fn of(stat: &std::fs::Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(stat);
        #[cfg(not(unix))]
        let inode = 0;
        Self { modified: stat.modified().ok(), length: stat.len(), inode }
    }
}

impl Vault {
    /// Opens the folder that somebody named; a vault of the earlier tool needs no `cm.toml`.
    ///
    /// # Errors
    /// [`Error::NotAVault`] where it is none, [`Error::Io`] where it cannot be looked at.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !path.is_dir() {
            return Err(Error::NotAVault { path: path.to_owned() });
        }
        let root = path.canonicalize().map_err(Error::io("open", path))?;
        let marked = root.join(SETTINGS).is_file() || OLD_MARKS.iter().any(|mark| root.join(mark).exists());
        if marked { Ok(Self { root }) } else { Err(Error::NotAVault { path: root }) }
    }

    /// Takes a folder as a vault whether it is marked or not; for `init` and `import`, which mark it.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be looked at.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let root = path.canonicalize().map_err(Error::io("open", path))?;
        Ok(Self { root })
    }

    /// The project's vault: the nearest folder at or above `from` that has `cm.toml` or `.memory/`.
    pub fn above(from: &Path) -> Option<Self> {
        let from = from.canonicalize().ok()?;
        from.ancestors().find_map(|folder| {
            let memory = folder.join(PROJECT_FOLDER);
            [folder.join(SETTINGS).is_file().then_some(folder), memory.is_dir().then_some(memory.as_path())]
                .into_iter()
                .flatten()
                .find_map(|root| Self::at(root).ok())
        })
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Which folder lies at the root now, so that another one that takes its place is told from it; `None` where the
    /// platform does not tell, or nothing lies there.
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

    /// Where a note lies on disk.
    pub fn file(&self, path: &NotePath) -> PathBuf {
        self.root.join(path.as_str())
    }

    /// The index and its manifest; derived.
    pub fn index(&self) -> PathBuf {
        self.root.join("_index")
    }

    /// The vectors of its notes; derived.
    pub fn vectors(&self) -> PathBuf {
        self.root.join("_embeddings")
    }

    /// Usage, lock and journal; not derived, but no knowledge either.
    pub fn state(&self) -> PathBuf {
        self.root.join("_state")
    }

    /// A path on the command line as a path in the vault, where it lies there: relative to `cwd`, absolute, or
    /// already relative to the root.
    pub fn locate(&self, cwd: &Path, typed: &str) -> Option<NotePath> {
        let absolute = cwd.join(typed);
        let from_cwd = absolute.parent().and_then(|folder| folder.canonicalize().ok()).and_then(|folder| {
            let file = folder.join(absolute.file_name()?);
            let inner = file.strip_prefix(&self.root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
            NotePath::parse(&inner).ok()
        });
        from_cwd.into_iter().chain(NotePath::parse(typed).ok()).find(|path| self.holds(path))
    }

    /// Whether a regular file lies there: no pipe, which would be waited for, and no link that leads out.
    fn holds(&self, path: &NotePath) -> bool {
        let real = self.file(path).canonicalize();
        real.is_ok_and(|real| real.starts_with(&self.root) && real.is_file())
    }

    /// The bytes of a note.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        std::fs::read(self.file(path))
    }

    /// The text of one of the vault's own files at the root; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Io`] where it exists and cannot be read as text.
    pub fn read_own(&self, name: &str) -> Result<Option<String>, Error> {
        let path = self.root.join(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &path)(error)),
        }
    }

    /// What tells whether one of the vault's own files is another than it was; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn stamp_own(&self, name: &str) -> Result<Option<Stamp>, Error> {
        let path = self.root.join(name);
        match std::fs::metadata(&path) {
            Ok(stat) => Ok(Some(Stamp::of(&stat))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("look at", &path)(error)),
        }
    }

    /// Whether others than its owner may read one of the vault's own files; never where the platform has no modes.
    pub fn shows_own_to_others(&self, name: &str) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let stat = std::fs::metadata(self.root.join(name));
            stat.is_ok_and(|stat| stat.permissions().mode() & 0o077 != 0)
        }
        #[cfg(not(unix))]
        {
            let _ = name;
            false
        }
    }

    /// Writes the private settings, readable by their owner alone.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write_private(&self, text: &str) -> Result<(), Error> {
        self.write_own_private(PRIVATE, text)
    }

    /// Writes one of the vault's own files, readable by its owner alone.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write_own_private(&self, name: &str, text: &str) -> Result<(), Error> {
        super::write::replace_private(&self.root.join(name), text.as_bytes())
    }

    /// How many files a folder of the vault holds, counted no further than `most`.
    pub fn crowd(&self, folder: &str, most: usize) -> usize {
        std::fs::read_dir(self.root.join(folder)).map_or(0, |entries| entries.take(most).count())
    }
}

/// Makes a folder that is to be a vault, with those above it.
///
/// # Errors
/// [`Error::Io`].
pub fn make(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))
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
        assert_eq!(Vault::above(&deep).map(root), Some(top.path().canonicalize().unwrap()));
        let memory = top.path().join("a/.memory");
        std::fs::create_dir_all(&memory).unwrap();
        assert_eq!(Vault::above(&deep).map(root), Some(memory.canonicalize().unwrap()));
    }

    #[test]
    fn a_folder_without_marks_is_no_vault() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Vault::open(folder.path()), Err(Error::NotAVault { .. })));
        assert!(matches!(Vault::open(&folder.path().join("absent")), Err(Error::NotAVault { .. })));
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
