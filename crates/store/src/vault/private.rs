//! The user's private files for a vault: settings with keys, tokens, the journal, the log of reads,
//! uploaded sessions, and the trust record; and those for a team server that has the vault.
//!
//! They are stored in the user's state and configuration folders, outside the vault, so that a
//! cloned, unpacked or synced folder cannot contain any of them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Error;
use super::write;

/// The user's folders for all vaults: `$XDG_STATE_HOME/cm` and `$XDG_CONFIG_HOME/cm`, or the
/// platform's equivalents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateHome {
    /// Folder of journals, tokens, logs, uploaded sessions and trust records.
    pub state: PathBuf,
    /// Folder of private settings.
    pub config: PathBuf,
}

/// The private files of one vault or team server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFolder {
    home: PrivateHome,
    /// Parent folder of all vaults or of all servers.
    group: &'static str,
    /// Folder name of the vault: the name of its root, for people, and a hash of its path.
    key: String,
}

/// Parent folder of the private files about team servers.
const SERVERS: &str = "servers";
/// Size in bytes of the secret that signs journal entries.
const SECRET_BYTES: usize = 32;

impl PrivateHome {
    /// Returns the private files of the vault at `root`, an absolute path without symbolic links.
    pub fn of(&self, root: &Path) -> PrivateFolder {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(32).collect();
        let key = format!("{}-{}", name.trim_matches('-'), &hash[..16]);
        PrivateFolder { home: self.clone(), group: "vaults", key }
    }

    /// Returns the private files about the team server with this address.
    pub fn of_server(&self, url: &str) -> PrivateFolder {
        let hash = blake3::hash(url.as_bytes()).to_hex();
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        let host: String = host.chars().map(plain).take(32).collect();
        let key = format!("{}-{}", host.trim_matches(['-', '.']), &hash[..16]);
        PrivateFolder { home: self.clone(), group: SERVERS, key }
    }

    /// Returns the private files about all team servers that have some, sorted by name.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn server_folders(&self) -> Result<Vec<PrivateFolder>, Error> {
        let names = self.of_server("").list(&self.state.join(SERVERS))?;
        Ok(names.into_iter().map(|key| PrivateFolder { home: self.clone(), group: SERVERS, key }).collect())
    }

    /// Path of the settings for all vaults of the user: `config.toml`.
    pub fn settings(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Path of the list of team servers that this user's hooks call: `servers.json`.
    pub fn servers(&self) -> PathBuf {
        self.config.join("servers.json")
    }

    /// Text of the settings for all vaults; `None` if the file does not exist or cannot be read.
    pub fn settings_text(&self) -> Option<String> {
        fs::read_to_string(self.settings()).ok()
    }
}

impl PrivateFolder {
    /// The private files of all vaults and servers.
    pub fn home(&self) -> &PrivateHome {
        &self.home
    }

    /// Name of the folder.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Folder of the private state.
    pub fn state(&self) -> PathBuf {
        self.home.state.join(self.group).join(&self.key)
    }

    /// Path of the vault's private settings, a TOML file in the user's configuration folder.
    pub fn settings(&self) -> PathBuf {
        self.config_file("toml")
    }

    /// Path of a file with this ending in the user's configuration folder.
    pub fn config_file(&self, ending: &str) -> PathBuf {
        self.home.config.join(self.group).join(format!("{}.{ending}", self.key))
    }

    /// Names of the files in a folder of the private state, sorted; empty if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn list(&self, folder: &Path) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", folder)(error)),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !write::is_temporary(name)).collect();
        names.sort();
        Ok(names)
    }

    /// Locks a private file, which is created if it does not exist, until the result is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn lock(&self, file: &Path) -> Result<fs::File, Error> {
        let opened = self.open_lock(file)?;
        opened.lock().map_err(Error::io("lock", file))?;
        Ok(opened)
    }

    /// Like [`Self::lock`]; returns `None` instead of waiting for another holder.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn try_lock(&self, file: &Path) -> Result<Option<fs::File>, Error> {
        let opened = self.open_lock(file)?;
        match opened.try_lock() {
            Ok(()) => Ok(Some(opened)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(Error::io("lock", file)(error)),
        }
    }

    fn open_lock(&self, file: &Path) -> Result<fs::File, Error> {
        self.make_parent(file)?;
        let mut options = fs::OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(file).map_err(Error::io("open", file))
    }

    /// Size of a private file in bytes; 0 if it does not exist.
    pub fn size(&self, file: &Path) -> u64 {
        fs::metadata(file).map_or(0, |stat| stat.len())
    }

    /// Path of the user's settings for all vaults.
    pub fn user_settings(&self) -> PathBuf {
        self.home.settings()
    }

    /// Writes a private file with mode 0600, in folders with mode 0700.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], including if a parent folder belongs to another user.
    pub fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.make_parent(file)?;
        write::replace_private(file, bytes)
    }

    /// Like [`Self::write`], but not synced: a power failure may lose the file or its content.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], including if a parent folder belongs to another user.
    pub fn write_unsynced(&self, file: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.make_parent(file)?;
        write::replace_private_unsynced(file, bytes)
    }

    /// Creates the parent folder of a private file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn make_parent(&self, file: &Path) -> Result<(), Error> {
        let top = [&self.home.state, &self.home.config].into_iter().find(|top| file.starts_with(top));
        // Everything between the user's `cm` folder and the file is closed to others, also where it existed before.
        for folder in
            file.ancestors().skip(1).take_while(|folder| top.is_none_or(|top| folder.starts_with(top)))
        {
            make_closed(folder)?;
            if top.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Removes a private file if it exists.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn remove(&self, file: &Path) -> Result<(), Error> {
        match fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", file)(error)),
            _ => Ok(()),
        }
    }

    /// Moves a private file, replacing `to`. Returns `false` if there is none, for example because
    /// another process moved it first.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn take(&self, file: &Path, to: &Path) -> Result<bool, Error> {
        match fs::rename(file, to) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io("move", file)(error)),
        }
    }

    /// Moves a private file back to where [`Self::take`] found it, unless there is a new one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn put_back(&self, taken: &Path, to: &Path) -> Result<(), Error> {
        match fs::hard_link(taken, to) {
            Ok(()) => self.remove(taken),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(Error::io("move", taken)(error)),
        }
    }

    /// Reads a private file. Returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it exists but cannot be read as text.
    pub fn read(&self, file: &Path) -> Result<Option<String>, Error> {
        match fs::read_to_string(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", file)(error)),
        }
    }

    /// Reads a private JSON file. Returns `None` if it does not exist or does not parse: such files
    /// only hold state that cm can do without, so that a damaged one counts as missing.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it exists but cannot be read as text.
    pub fn read_json<T: DeserializeOwned>(&self, file: &Path) -> Result<Option<T>, Error> {
        Ok(self.read(file)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Writes a value as a private JSON file, like [`Self::write`].
    ///
    /// # Errors
    ///
    /// [`Error::Io`], including if the value has no JSON form.
    pub fn write_json(&self, file: &Path, value: &impl Serialize) -> Result<(), Error> {
        self.write(file, &json_line(file, value)?)
    }

    /// Writes a value as a private JSON file, like [`Self::write_unsynced`].
    ///
    /// # Errors
    ///
    /// [`Error::Io`], including if the value has no JSON form.
    pub fn write_json_unsynced(&self, file: &Path, value: &impl Serialize) -> Result<(), Error> {
        self.write_unsynced(file, &json_line(file, value)?)
    }

    /// Returns the secret that authenticates this user's journal entries, creating it on first use.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn secret(&self) -> Result<[u8; SECRET_BYTES], Error> {
        let file = self.home.state.join("secret");
        if let Some(secret) = read_secret(&file)? {
            return Ok(secret);
        }
        let mut new = [0; SECRET_BYTES];
        getrandom::fill(&mut new).map_err(|error| Error::io("draw", &file)(io::Error::other(error)))?;
        self.make_parent(&file)?;
        // Another process may have made it meanwhile; the one that stands counts for both.
        match write::create_private(&file, &new) {
            Ok(()) => Ok(new),
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                read_secret(&file)?.ok_or_else(|| Error::io("read", &file)(ErrorKind::InvalidData.into()))
            }
            Err(error) => Err(error),
        }
    }
}

fn json_line(file: &Path, value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec(value).map_err(|error| Error::io("write", file)(error.into()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn read_secret(file: &Path) -> Result<Option<[u8; SECRET_BYTES]>, Error> {
    match fs::read(file) {
        Ok(bytes) => match bytes.try_into() {
            Ok(secret) => Ok(Some(secret)),
            Err(_) => Err(Error::io("read", file)(io::Error::other("it must contain 32 bytes; remove it"))),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", file)(error)),
    }
}

/// Creates a folder with mode 0700, or changes an existing one to that mode. Missing parents get
/// the default mode.
fn make_closed(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder).map_err(Error::io("read", folder))?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
                .map_err(Error::io("close", folder))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(folder: &Path) -> PrivateHome {
        PrivateHome { state: folder.join("state/cm"), config: folder.join("config/cm") }
    }

    #[test]
    fn two_vaults_of_one_name_share_nothing() {
        let home = home(Path::new("/home/ada"));
        let (one, other) = (home.of(Path::new("/a/notes")), home.of(Path::new("/b/notes")));
        assert_ne!(one.state(), other.state());
        assert_ne!(one.settings(), other.settings());
        assert!(one.state().to_string_lossy().contains("/vaults/notes-"), "{one:?}");
        assert!(home.of(Path::new("/")).state().starts_with("/home/ada/state/cm/vaults"));
    }

    #[test]
    fn the_secret_is_drawn_once_for_all_vaults() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(folder.path());
        let secret = home.of(Path::new("/a")).secret().unwrap();
        assert_eq!(home.of(Path::new("/b")).secret().unwrap(), secret);
        assert_ne!(secret, [0; SECRET_BYTES]);
    }

    #[test]
    fn a_json_file_that_is_missing_or_damaged_has_no_value() {
        let folder = tempfile::tempdir().unwrap();
        let private = home(folder.path()).of(Path::new("/a"));
        let file = private.state().join("counts.json");
        let read = || private.read_json::<Vec<u32>>(&file).unwrap();
        assert_eq!(read(), None);
        private.write_json(&file, &[1, 2]).unwrap();
        assert_eq!(read(), Some(vec![1, 2]));
        private.write(&file, b"[1,").unwrap();
        assert_eq!(read(), None);
        private.write_json_unsynced(&file, &[3]).unwrap();
        assert_eq!(read(), Some(vec![3]));
        private.write(&file, b"\xff").unwrap();
        assert!(private.read_json::<Vec<u32>>(&file).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_were_open_are_closed_by_the_next_write() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let private = home(folder.path()).of(Path::new("/a"));
        fs::create_dir_all(private.state()).unwrap();
        private.write(&private.state().join("reads.jsonl"), b"x").unwrap();
        for closed in [private.state(), folder.path().join("state/cm"), folder.path().join("state/cm/vaults")]
        {
            assert_eq!(fs::metadata(&closed).unwrap().permissions().mode() & 0o777, 0o700, "{closed:?}");
        }
        let file = private.state().join("reads.jsonl");
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
