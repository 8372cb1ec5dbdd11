//! Files of JSON lines: append, read, and rotate by size. Logs of hooks and injections are stored
//! in the vault's `_state/`, all others among the user's private files.
//!
//! The format of the lines is defined by the caller.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::caches::{open_regular, read_regular};
use super::error::Error;
use super::layout::Vault;
use super::private::PrivateFolder;
use cm_note::instant::Instant;

/// A file of JSON objects, one per line.
#[derive(Debug, Clone)]
pub struct JsonLinesFile {
    path: PathBuf,
    /// Size in bytes above which the file is rotated, replacing the previously rotated file.
    most: Option<u64>,
    /// The private folder that contains the file; `None` for files in a vault's `_state/`.
    private: Option<PrivateFolder>,
}

/// Size in bytes above which the log of reads is rotated.
const MAX_READS_BYTES: u64 = 1 << 20;

/// Size in bytes above which the log of receipts is rotated.
const MAX_RECEIPTS_BYTES: u64 = 1 << 20;

/// Size in bytes above which the server's audit log is rotated.
const MAX_AUDIT_BYTES: u64 = 16 << 20;

/// Size in bytes above which the answers to keyed requests are rotated: some ten thousand requests.
const MAX_REQUESTS_BYTES: u64 = 4 << 20;

/// Size in bytes above which the log of signals is rotated. Hooks read it while the agent waits.
const MAX_SIGNALS_BYTES: u64 = 256 << 10;

/// Size in bytes above which the log of hooks is rotated.
const MAX_FAILURES_BYTES: u64 = 64 << 10;

/// Size in bytes above which the cache of session traces is rotated.
const MAX_TRACES_BYTES: u64 = 16 << 20;

/// Folder of the injection logs.
const HOOKS_FOLDER: &str = "hooks";

/// Deletes injection logs of sessions that were last active before `since`. Errors are ignored.
pub fn remove_old_injection_logs(vault: &Vault, since: Instant) {
    remove_old_files(&vault.state().join(HOOKS_FOLDER), since);
}

/// Deletes the files in a folder that were last changed before `since`. Errors are ignored.
pub fn remove_old_files(folder: &Path, since: Instant) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let written =
            entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|stat| stat.modified().ok());
        if written.is_some_and(|at| Instant::from(DateTime::<Utc>::from(at)) < since) {
            // Another hook may have removed it just now.
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl JsonLinesFile {
    /// Opens the log of what was read from agents' sessions: `reads.jsonl`, rotated to
    /// `reads.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_reads(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_READS_BYTES), ..Self::private(vault, "reads.jsonl")? })
    }

    /// Opens the server's audit log: `audit.jsonl`, rotated to `audit.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_server(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_AUDIT_BYTES), ..Self::private(vault, "audit.jsonl")? })
    }

    /// Opens the answers to requests with an idempotency key: `requests.jsonl`, rotated to
    /// `requests.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_requests(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_REQUESTS_BYTES), ..Self::private(vault, "requests.jsonl")? })
    }

    /// Opens the log of what hooks saw that may be worth recording: `signals.jsonl`, rotated to
    /// `signals.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_signals(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_SIGNALS_BYTES), ..Self::private(vault, "signals.jsonl")? })
    }

    /// Opens the receipts of what agents were shown: `receipts.jsonl`, rotated to
    /// `receipts.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_receipts(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_RECEIPTS_BYTES), ..Self::private(vault, "receipts.jsonl")? })
    }

    /// Opens the list of sessions that onboarding has finished: `onboarded.jsonl`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_onboarding(vault: &Vault) -> Result<Self, Error> {
        Self::private(vault, "onboarded.jsonl")
    }

    /// Opens the cache of session traces: `traces.jsonl`, rotated to `traces.jsonl.1`.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn of_traces(vault: &Vault) -> Result<Self, Error> {
        Ok(Self { most: Some(MAX_TRACES_BYTES), ..Self::private(vault, "traces.jsonl")? })
    }

    /// Opens the log of failed hooks: `hooks.log`, rotated to `hooks.log.1`.
    pub fn of_hooks(vault: &Vault) -> Self {
        Self { path: vault.state().join("hooks.log"), most: Some(MAX_FAILURES_BYTES), private: None }
    }

    /// Opens the injection log of a session, a file in `hooks/`.
    pub fn injection_log(vault: &Vault, name: &str) -> Self {
        Self { path: vault.state().join(HOOKS_FOLDER).join(name), most: None, private: None }
    }

    /// Opens the log of failed hooks that call a team server, among the private files about it.
    pub fn of_server_hooks(folder: &PrivateFolder) -> Self {
        let (path, private) = (folder.state().join("hooks.log"), Some(folder.clone()));
        Self { path, most: Some(MAX_FAILURES_BYTES), private }
    }

    /// Opens the injection log of a session whose hooks call a team server.
    pub fn server_injection_log(folder: &PrivateFolder, name: &str) -> Self {
        let path = folder.state().join(HOOKS_FOLDER).join(name);
        Self { path, most: None, private: Some(folder.clone()) }
    }

    /// Opens a private file of the vault by name. It need not exist, and is never rotated.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`].
    pub fn private(vault: &Vault, name: &str) -> Result<Self, Error> {
        let private = vault.private()?.clone();
        Ok(Self { path: private.state().join(name), most: None, private: Some(private) })
    }

    /// Appends lines. Concurrent processes wait for each other.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]. Some or none of the lines may have been written.
    pub fn append<T: Serialize>(&self, lines: &[T]) -> Result<(), Error> {
        if lines.is_empty() {
            return Ok(());
        }
        self.write(&self.encode(lines)?, false)
    }

    /// Appends lines if the file is still `length` bytes long, under its lock. Returns `false`
    /// without writing if another process has appended meanwhile.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]. Some or none of the lines may have been written.
    pub fn append_at<T: Serialize>(&self, length: u64, lines: &[T]) -> Result<bool, Error> {
        let mut file = self.open_locked()?;
        if file.metadata().map_err(Error::io("read", &self.path))?.len() != length {
            return Ok(false);
        }
        let mut text = self.encode(lines)?;
        if is_torn(&mut file).map_err(Error::io("read", &self.path))? {
            text.insert(0, b'\n');
        }
        file.write_all(&text).map_err(Error::io("write", &self.path))?;
        Ok(true)
    }

    fn encode<T: Serialize>(&self, lines: &[T]) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)
                .map_err(|error| Error::io("write", &self.path)(error.into()))?;
            text.push(b'\n');
        }
        Ok(text)
    }

    /// Appends a line and syncs it to disk.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn append_line(&self, line: &str) -> Result<(), Error> {
        self.write(format!("{}\n", line.trim_end_matches('\n')).as_bytes(), true)
    }

    /// Appends text. A line truncated by a killed process is terminated first, so that only that
    /// line is lost.
    fn write(&self, text: &[u8], synced: bool) -> Result<(), Error> {
        let mut file = self.open_locked()?;
        let length = file.metadata().map_err(Error::io("read", &self.path))?.len();
        if self.most.is_some_and(|most| length > most) {
            fs::rename(&self.path, self.aside()).map_err(Error::io("rename", &self.path))?;
            file = self.opened()?;
        }
        let torn = is_torn(&mut file).map_err(Error::io("read", &self.path))?;
        let text = if torn { [b"\n", text].concat() } else { text.to_vec() };
        file.write_all(&text).map_err(Error::io("write", &self.path))?;
        if synced { file.sync_data().map_err(Error::io("write", &self.path)) } else { Ok(()) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the whole text, empty if the file does not exist. Invalid UTF-8 is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file exists but cannot be read.
    pub fn text(&self) -> Result<String, Error> {
        self.text_and_length().map(|(text, _)| text)
    }

    /// Like [`Self::text`], with the file's length in bytes for [`Self::append_at`].
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file exists but cannot be read.
    pub fn text_and_length(&self) -> Result<(String, u64), Error> {
        match read_regular(&self.path) {
            Ok(bytes) => Ok((String::from_utf8_lossy(&bytes).into_owned(), bytes.len() as u64)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((String::new(), 0)),
            Err(error) => Err(Error::io("read", &self.path)(error)),
        }
    }

    /// Returns all parsed lines, oldest first, and the number of invalid ones.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn read<T: DeserializeOwned>(&self) -> Result<(Vec<T>, usize), Error> {
        let (mut lines, mut damaged) = (Vec::new(), 0);
        for path in [self.aside(), self.path.clone()] {
            let bytes = match read_regular(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::io("read", &path)(error)),
            };
            for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
                match serde_json::from_slice(line) {
                    Ok(line) => lines.push(line),
                    Err(_) => damaged += 1,
                }
            }
        }
        Ok((lines, damaged))
    }

    /// Returns the parsed lines that contain a text, oldest first. Other lines are not parsed.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn lines_with<T: DeserializeOwned>(&self, text: &str) -> Result<Vec<T>, Error> {
        let mut found = Vec::new();
        for path in [self.aside(), self.path.clone()] {
            let bytes = match read_regular(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::io("read", &path)(error)),
            };
            let lines = String::from_utf8_lossy(&bytes);
            let matching = lines.lines().filter(|line| line.contains(text));
            found.extend(matching.filter_map(|line| serde_json::from_str(line).ok()));
        }
        Ok(found)
    }

    /// Opens and locks the file until it is dropped. Retries if the file was rotated while waiting
    /// for the lock.
    fn open_locked(&self) -> Result<File, Error> {
        match (&self.private, self.path.parent()) {
            (Some(private), _) => private.make_parent(&self.path)?,
            (None, Some(folder)) => {
                fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
            }
            (None, None) => {}
        }
        loop {
            let file = self.opened()?;
            file.lock().map_err(Error::io("lock", &self.path))?;
            if is_at(&file, &self.path) {
                return Ok(file);
            }
        }
    }

    fn opened(&self) -> Result<File, Error> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        open_regular(&mut options, &self.path).map_err(Error::io("open", &self.path))
    }

    fn aside(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".1");
        name.into()
    }
}

fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let both = file.metadata().ok().zip(fs::metadata(path).ok());
    both.is_some_and(|(opened, on_disk)| (opened.dev(), opened.ino()) == (on_disk.dev(), on_disk.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(most: Option<u64>) -> (tempfile::TempDir, JsonLinesFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("_state/x.jsonl");
        (folder, JsonLinesFile { path, most, private: None })
    }

    #[test]
    fn lines_come_back_in_order_and_damage_costs_no_more_than_itself() {
        let (_folder, file) = lines(None);
        assert_eq!(file.read::<u32>().unwrap(), (Vec::new(), 0));
        file.append(&[1, 2]).unwrap();
        fs::write(&file.path, "1\n2\n{\"torn\n").unwrap();
        file.append(&[3]).unwrap();
        file.append::<u32>(&[]).unwrap();
        assert_eq!(file.read::<u32>().unwrap(), (vec![1, 2, 3], 1));
    }

    #[test]
    fn a_file_that_grew_too_long_is_set_aside_and_never_more_than_two_are_kept() {
        let (_folder, file) = lines(Some(100));
        (0..500_u32).for_each(|n| file.append(&[n]).unwrap());
        let (kept, damaged) = file.read::<u32>().unwrap();
        assert_eq!((kept.last(), damaged), (Some(&499), 0));
        assert!(kept.is_sorted() && kept.windows(2).all(|pair| pair[1] == pair[0] + 1), "{kept:?}");
        let sizes = [&file.path, &file.aside()].map(|path| fs::metadata(path).unwrap().len());
        assert!(sizes.iter().all(|size| *size <= 104), "{sizes:?}");
    }

    #[test]
    fn no_line_is_lost_where_several_write_at_once() {
        let (_folder, file) = lines(Some(3_000));
        std::thread::scope(|scope| {
            for of in 0..4_u32 {
                let file = file.clone();
                scope.spawn(move || (0..100).for_each(|n| file.append(&[of * 1000 + n]).unwrap()));
            }
        });
        assert_eq!(file.read::<u32>().unwrap().0.len(), 400);
    }

    #[test]
    fn a_torn_last_line_is_ended_before_the_next_one() {
        let (_folder, lines) = lines(None);
        assert_eq!(lines.text().unwrap(), "");
        lines.append_line("one\n").unwrap();
        lines.append_line("two").unwrap();
        assert_eq!(lines.text().unwrap(), "one\ntwo\n");
        fs::write(lines.path(), "one\nto").unwrap();
        lines.append_line("three").unwrap();
        lines.append(&["four"]).unwrap();
        assert_eq!(lines.text().unwrap(), "one\nto\nthree\n\"four\"\n");
    }

    #[test]
    fn what_a_session_was_told_is_forgotten_when_it_is_old_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let vault = Vault::at(folder.path()).unwrap();
        let (injections, failures) =
            (JsonLinesFile::injection_log(&vault, "a.jsonl"), JsonLinesFile::of_hooks(&vault));
        injections.append(&["a"]).unwrap();
        failures.append(&["b"]).unwrap();
        remove_old_injection_logs(&vault, Instant::from_unix(0));
        assert!(injections.path().exists());
        remove_old_injection_logs(&vault, Instant::parse("2999-01-01").unwrap());
        assert!(!injections.path().exists() && failures.path().exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_their_owner_may_read_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, file) = lines(None);
        file.append(&[1]).unwrap();
        assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o077, 0);
    }
}
