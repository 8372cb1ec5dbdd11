//! Write-ahead journal: operations are recorded before they start, so that the next writer can
//! complete an interrupted one.
//!
//! The journal is stored among the user's private files. Each entry is signed with the user's
//! secret for this vault, so that entries from other programs or folders are never replayed.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::layout::Vault;
use super::private::PrivateFolder;
use cm_note::frontmatter::edit::Edit;
use cm_note::message::CommitMessage;
use cm_note::path::NotePath;

/// One operation: its commit message, and the content of each file before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Operation id, which is also the `Cm-Operation` of its commit.
    pub operation: String,
    pub message: CommitMessage,
    /// Whether the operation creates a commit.
    pub commits: bool,
    pub files: Vec<FileChange>,
    /// The other history that the operation joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<JournalJoin>,
}

/// Another history that an operation joins, by the hex id of its newest commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalJoin {
    /// The operation creates a merge commit with this second parent.
    Merge(String),
    /// The operation moves the branch to this commit.
    FastForward(String),
}

/// One file of an operation. Content that is not valid UTF-8 is stored as an array of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: NotePath,
    /// Earlier paths of a moved note, in the work tree or in HEAD.
    #[serde(default)]
    pub from: Vec<NotePath>,
    /// Old content; `None` if the file did not exist.
    pub before: Option<FileBytes>,
    /// New content; `None` if the file is removed.
    pub after: Option<FileBytes>,
    /// The edits that produce the new content from the old, if it was produced by edits.
    pub edits: Vec<Edit>,
    /// Whether the file is executable; only for files of another history.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
    /// Whether the file is committed only, because Git leaves it out of the work tree; only for files of another history.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// Content of a file, readable in the journal if it is text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileBytes {
    /// Valid UTF-8.
    Text(String),
    /// Any other bytes.
    Raw(Vec<u8>),
}

impl FileBytes {
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Raw(raw) => raw,
        }
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Raw(error.into_bytes()), Self::Text)
    }
}

/// How long finished entries are retained, because writes of Git objects may not have reached the
/// disk yet.
const RETENTION: Duration = Duration::from_secs(60);

/// The journal of a vault. Only the holder of the vault's lock may use it.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    private: PrivateFolder,
    /// Key that signs entries of this vault.
    secret: [u8; 32],
}

impl Journal {
    /// Opens the journal of this vault.
    ///
    /// # Errors
    ///
    /// [`Error::NoPrivateFolder`], and [`Error::Io`] if the user's secret cannot be read or
    /// created.
    pub fn of(vault: &Vault) -> Result<Self, Error> {
        let private = vault.private()?.clone();
        let root = vault.root().as_os_str().as_encoded_bytes();
        let secret = *blake3::keyed_hash(&private.secret()?, root).as_bytes();
        Ok(Self { folder: private.state().join("journal"), private, secret })
    }

    /// Writes the entry. Must be called before the operation makes any change.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn begin(&self, entry: &JournalEntry) -> Result<(), Error> {
        self.private.write(&self.pending(&entry.operation), &self.signed(entry))
    }

    /// Like [`Journal::begin`], for an operation that only creates files. The entry is not synced: a
    /// power failure can lose such an operation, but nothing that was there before.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn begin_creation(&self, entry: &JournalEntry) -> Result<(), Error> {
        self.private.write_unsynced(&self.pending(&entry.operation), &self.signed(entry))
    }

    /// The entry as it is stored: its signature, a line break, and JSON.
    fn signed(&self, entry: &JournalEntry) -> Vec<u8> {
        // Serialising to memory cannot fail: the entry holds strings, numbers and lists only.
        let bytes = serde_json::to_vec(entry).unwrap_or_default();
        [self.signature(&bytes).as_bytes(), b"\n", bytes.as_slice()].concat()
    }

    /// Returns the keyed hash of an entry in hex.
    fn signature(&self, entry: &[u8]) -> String {
        blake3::keyed_hash(&self.secret, entry).to_hex().to_string()
    }

    /// Parses a journal file if its signature is valid for this user and vault.
    fn verified(&self, bytes: &[u8]) -> Option<JournalEntry> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (signature, entry) = (bytes.get(..end)?, bytes.get(end + 1..)?);
        // Both sides are hashes: how long the comparison takes tells nothing that could be used.
        (signature == self.signature(entry).as_bytes()).then(|| serde_json::from_slice(entry).ok())?
    }

    /// Marks the entry as finished. A later writer removes it after a minute or more.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn done(&self, operation: &str) -> Result<(), Error> {
        let from = self.pending(operation);
        fs::rename(&from, self.folder.join(format!("{operation}.done")))
            .map_err(Error::io("rename", &from))?;
        // Looking at every entry takes longer than the operation if there were many in the last minute.
        if operation.starts_with('0') {
            self.sweep();
        }
        Ok(())
    }

    /// Removes the entry of an operation that made no changes or was reverted.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn drop_entry(&self, operation: &str) -> Result<(), Error> {
        let path = self.pending(operation);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Returns unfinished entries, oldest first. Truncated entries and those not signed by this
    /// user for this vault are removed.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn unfinished(&self) -> Result<Vec<JournalEntry>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io("read", &self.folder)(error)),
        };
        let mut found = Vec::new();
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|ending| ending == "pending") {
                let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
                let begun = fs::metadata(&path).and_then(|stat| stat.modified()).ok();
                match self.verified(&bytes) {
                    Some(entry) => found.push((begun, entry)),
                    None => fs::remove_file(&path).map_err(Error::io("remove", &path))?,
                }
            }
        }
        found.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.operation.cmp(&y.operation)));
        Ok(found.into_iter().map(|(_, entry)| entry).collect())
    }

    fn pending(&self, operation: &str) -> PathBuf {
        self.folder.join(format!("{operation}.pending"))
    }

    /// Removes old finished entries and temporary files of killed writers, ignoring errors.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let spent = entry.path().extension().is_some_and(|ending| ending == "done" || ending == "tmp");
            let age = entry.metadata().ok().and_then(|stat| stat.modified().ok()?.elapsed().ok());
            if spent && age.is_some_and(|age| age > RETENTION) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::PrivateHome;
    use cm_note::message::CommitOp;

    fn entry(operation: &str) -> JournalEntry {
        JournalEntry {
            operation: operation.to_owned(),
            message: CommitMessage::new(CommitOp::Add, "Add a"),
            commits: true,
            files: vec![FileChange {
                path: NotePath::parse("a.md").unwrap(),
                from: Vec::new(),
                before: None,
                after: Some(vec![0xff, b'a'].into()),
                edits: Vec::new(),
                executable: false,
                left_out: false,
            }],
            join: None,
        }
    }

    fn vault(folder: &std::path::Path) -> Vault {
        let home = PrivateHome { state: folder.join("state"), config: folder.join("config") };
        Vault::at(folder).unwrap().prepare(Some(&home))
    }

    #[test]
    fn an_entry_of_another_vault_or_without_a_signature_is_dropped() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = PrivateHome { state: here.path().join("state"), config: here.path().join("config") };
        let of =
            |folder: &std::path::Path| Journal::of(&Vault::at(folder).unwrap().prepare(Some(&home))).unwrap();
        let (journal, other) = (of(here.path()), of(there.path()));
        other.begin(&entry("one")).unwrap();
        fs::create_dir_all(&journal.folder).unwrap();
        fs::copy(other.pending("one"), journal.pending("one")).unwrap();
        fs::write(journal.pending("two"), serde_json::to_vec(&entry("two")).unwrap()).unwrap();
        assert_eq!(journal.unfinished().unwrap(), []);
        assert_eq!(other.unfinished().unwrap(), [entry("one")]);
    }

    #[test]
    fn what_was_begun_is_found_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::of(&vault(folder.path())).unwrap();
        assert_eq!(journal.unfinished().unwrap(), []);
        journal.begin(&entry("one")).unwrap();
        journal.begin(&entry("two")).unwrap();
        assert_eq!(journal.unfinished().unwrap(), [entry("one"), entry("two")]);
        journal.done("one").unwrap();
        journal.drop_entry("two").unwrap();
        assert_eq!(journal.unfinished().unwrap(), []);
    }

    #[test]
    fn a_torn_entry_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::of(&vault(folder.path())).unwrap();
        journal.begin(&entry("one")).unwrap();
        let path = journal.pending("one");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(journal.unfinished().unwrap(), []);
        assert!(!path.exists());
    }
}
