//! Counts how often notes are read and how often they are retrieved: an append-only log that is
//! compacted from time to time. Losing it loses no knowledge. The counts are not interpreted here;
//! retrieval never counts as access.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::caches::{open_regular, read_regular};
use super::error::Error;
use super::layout::Vault;
use super::write;
use cm_note::instant::Instant;

/// Usage counts of one note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageCounts {
    /// Number of accesses with `get`.
    pub accesses: u64,
    /// Time of the last access.
    pub last: Option<Instant>,
    /// Number of times that the note was shown without being requested by name.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retrievals: u64,
    /// Time of the last retrieval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_retrieval: Option<Instant>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl UsageCounts {
    /// Adds the counts of `other`, and takes the later times.
    pub fn add(&mut self, other: Self) {
        self.accesses = self.accesses.saturating_add(other.accesses);
        self.last = self.last.max(other.last);
        self.retrievals = self.retrievals.saturating_add(other.retrievals);
        self.last_retrieval = self.last_retrieval.max(other.last_retrieval);
    }
}

/// Usage counts of all notes, by id or path.
pub type UsageTable = BTreeMap<String, UsageCounts>;

/// A line of `_state/usage.log`: `n` uses of the note with the id or path `key`.
#[derive(Debug, Serialize, Deserialize)]
struct UsageLine {
    key: String,
    at: Instant,
    #[serde(default = "once")]
    n: u64,
    #[serde(default, skip_serializing_if = "UsageKind::is_access")]
    kind: UsageKind,
}

/// How a note was used. Lines without this field are accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UsageKind {
    /// The note was requested by name.
    #[default]
    Access,
    /// The note was among the results.
    Retrieval,
}

impl UsageKind {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    fn is_access(&self) -> bool {
        *self == Self::Access
    }

    fn counted(self, n: u64, at: Instant) -> UsageCounts {
        match self {
            Self::Access => UsageCounts { accesses: n, last: Some(at), ..UsageCounts::default() },
            Self::Retrieval => {
                UsageCounts { retrievals: n, last_retrieval: Some(at), ..UsageCounts::default() }
            }
        }
    }
}

const fn once() -> u64 {
    1
}

/// Size of the log in bytes above which it is compacted.
const COMPACTION_BYTES: u64 = 256 * 1024;
/// Size of the log in bytes above which a reader compacts it too. Without writers, as on a server that
/// only answers, it would grow without limit.
const LONG_LOG_BYTES: u64 = 1024 * 1024;
/// Minimum age of a rotated log before it is merged, when no process can still be writing to it.
const MIN_MERGE_AGE: Duration = Duration::from_secs(10);

/// The usage files of a vault: `_state/usage.json`, and `_state/usage.log` with counts not merged
/// yet.
#[derive(Debug)]
pub struct Usage {
    folder: PathBuf,
    /// Whether usage is recorded at all.
    counted: bool,
}

impl Usage {
    pub fn of(vault: &Vault) -> Self {
        Self { folder: vault.state(), counted: true }
    }

    /// Disabled usage data, for snapshots: nothing is read or recorded.
    pub fn none() -> Self {
        Self { folder: PathBuf::new(), counted: false }
    }

    /// Records one access without blocking.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; a caller that only reads may ignore it.
    pub fn record(&self, key: &str, at: Instant) -> Result<(), Error> {
        self.append(&[key], UsageKind::Access, at)
    }

    /// Records one access of each note, in a single write and without blocking.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn record_each(&self, keys: &[&str], at: Instant) -> Result<(), Error> {
        self.append(keys, UsageKind::Access, at)
    }

    /// Records that these notes were shown, in a single write and without blocking.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; a caller that only reads may ignore it.
    pub fn retrieved(&self, keys: &[&str], at: Instant) -> Result<(), Error> {
        self.append(keys, UsageKind::Retrieval, at)
    }

    fn append(&self, keys: &[&str], kind: UsageKind, at: Instant) -> Result<(), Error> {
        let mut lines = Vec::new();
        for key in keys {
            let line = UsageLine { key: (*key).to_owned(), at, n: 1, kind };
            lines.extend(serde_json::to_vec(&line).unwrap_or_default());
            lines.push(b'\n');
        }
        if lines.is_empty() || !self.counted {
            return Ok(());
        }
        let path = self.log();
        fs::create_dir_all(&self.folder).map_err(Error::io("create the folder", &self.folder))?;
        // One write of short lines with O_APPEND: lines of several processes do not mix.
        let mut file = open_regular(OpenOptions::new().create(true).append(true), &path)
            .map_err(Error::io("open", &path))?;
        file.write_all(&lines).map_err(Error::io("write", &path))
    }

    /// Loads all counts. Damaged or unreadable data are skipped, and described in the second value.
    pub fn load(&self) -> (UsageTable, Vec<String>) {
        if !self.counted {
            return (UsageTable::new(), Vec::new());
        }
        let mut notices = Vec::new();
        let mut left_out = |error: Error| notices.push(format!("{error}; its usage counts are skipped"));
        let files = [self.table(), self.aside(), self.log()];
        let [folded, aside, log] = files.each_ref().map(|path| {
            read(path).unwrap_or_else(|error| {
                left_out(error);
                Vec::new()
            })
        });
        let mut table = self.unfold(&folded, &mut notices);
        for (bytes, path) in [(aside, &files[1]), (log, &files[2])] {
            replay(&bytes, &mut table, &mut notices, &path.display().to_string());
        }
        (table, notices)
    }

    /// Compacts a log that has grown too long. Only the holder of the vault's lock may call this.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn compact(&self) -> Result<(), Error> {
        if !self.counted {
            return Ok(());
        }
        let (log, aside) = (self.log(), self.aside());
        if let Ok(stat) = fs::metadata(&aside) {
            let settled =
                stat.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > MIN_MERGE_AGE);
            if settled {
                let mut table = self.unfold(&read(&self.table())?, &mut Vec::new());
                replay(&read(&aside)?, &mut table, &mut Vec::new(), "");
                self.store(&table)?;
                fs::remove_file(&aside).map_err(Error::io("remove", &aside))?;
            }
        } else if fs::metadata(&log).is_ok_and(|stat| stat.len() > COMPACTION_BYTES) {
            fs::rename(&log, &aside).map_err(Error::io("rename", &log))?;
        }
        Ok(())
    }

    /// Whether the log has become so long that a reader should take the vault's lock to compact it.
    pub fn is_long(&self) -> bool {
        self.counted && fs::metadata(self.log()).is_ok_and(|stat| stat.len() > LONG_LOG_BYTES)
    }

    /// Whether any counts exist.
    pub fn has_counts(&self) -> bool {
        self.counted && [self.table(), self.log(), self.aside()].iter().any(|path| path.exists())
    }

    /// Imports the counts of another tool, if none exist yet. Returns whether it did.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn adopt(&self, table: &UsageTable) -> Result<bool, Error> {
        if self.has_counts() || !self.counted {
            return Ok(false);
        }
        self.store(table)?;
        Ok(true)
    }

    fn store(&self, table: &UsageTable) -> Result<(), Error> {
        let bytes = serde_json::to_vec(table).unwrap_or_default();
        let mut text = format!("{:08x}\n", crc32fast::hash(&bytes)).into_bytes();
        text.extend(bytes);
        write::replace(&self.table(), &text)
    }

    fn unfold(&self, bytes: &[u8], notices: &mut Vec<String>) -> UsageTable {
        let path = self.table();
        if bytes.is_empty() && !path.is_file() {
            return UsageTable::new();
        }
        let sound = bytes.iter().position(|byte| *byte == b'\n').and_then(|end| {
            let written = u32::from_str_radix(std::str::from_utf8(&bytes[..end]).ok()?, 16).ok()?;
            let body = &bytes[end + 1..];
            (crc32fast::hash(body) == written).then(|| serde_json::from_slice(body).ok())?
        });
        sound.unwrap_or_else(|| {
            notices.push(format!("{} is damaged; its usage counts are skipped", path.display()));
            UsageTable::new()
        })
    }

    fn table(&self) -> PathBuf {
        self.folder.join("usage.json")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("usage.log")
    }

    fn aside(&self) -> PathBuf {
        self.folder.join("usage.log.1")
    }
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, Error> {
    match read_regular(path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn replay(bytes: &[u8], table: &mut UsageTable, notices: &mut Vec<String>, name: &str) {
    let mut damaged = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<UsageLine>(line) {
            Ok(line) => {
                table.entry(line.key).or_default().add(line.kind.counted(line.n, line.at));
            }
            Err(_) => damaged += 1,
        }
    }
    if damaged > 0 {
        let lines = if damaged == 1 { "line, which was" } else { "lines, which were" };
        notices.push(format!("{name} has {damaged} damaged {lines} skipped"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage() -> (tempfile::TempDir, Usage) {
        let folder = tempfile::tempdir().unwrap();
        let usage = Usage::of(&Vault::at(folder.path()).unwrap());
        (folder, usage)
    }

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn accesses_add_up_across_the_log_and_the_folded_table() {
        let (_folder, usage) = usage();
        let old = UsageTable::from([("a".to_owned(), UsageKind::Access.counted(3, at("2026-01-01")))]);
        assert!(usage.adopt(&old).unwrap());
        usage.record("a", at("2026-02-01")).unwrap();
        usage.record("b", at("2026-02-02")).unwrap();
        let (table, notices) = usage.load();
        assert_eq!(table["a"], UsageKind::Access.counted(4, at("2026-02-01")));
        assert_eq!(table["b"].accesses, 1);
        assert!(notices.is_empty());
        assert!(!usage.adopt(&old).unwrap(), "another tool's counts are taken once");
    }

    #[test]
    fn folding_changes_no_count() {
        let (_folder, usage) = usage();
        for _ in 0..5_000 {
            usage.record("0123456789abcdef0123456789abcdef0123", at("2026-02-01")).unwrap();
        }
        usage.compact().unwrap();
        assert!(usage.aside().exists());
        usage.record("0123456789abcdef0123456789abcdef0123", at("2026-03-01")).unwrap();
        let earlier = std::time::SystemTime::now() - Duration::from_secs(60);
        fs::File::options().append(true).open(usage.aside()).unwrap().set_modified(earlier).unwrap();
        usage.compact().unwrap();
        assert!(usage.table().exists() && !usage.aside().exists());
        let (table, _) = usage.load();
        assert_eq!(table["0123456789abcdef0123456789abcdef0123"].accesses, 5_001);
    }

    #[test]
    fn damage_is_told_and_costs_no_more_than_itself() {
        let (_folder, usage) = usage();
        usage.record("a", at("2026-02-01")).unwrap();
        OpenOptions::new().append(true).open(usage.log()).unwrap().write_all(b"{\"key\": \"b").unwrap();
        fs::write(usage.table(), "00000000\n{}").unwrap();
        let (table, notices) = usage.load();
        assert_eq!((table.len(), notices.len()), (1, 2));
    }

    #[test]
    fn what_is_shown_is_counted_apart_from_what_is_asked_for() {
        let (_folder, usage) = usage();
        usage.record("a", at("2026-02-01")).unwrap();
        usage.retrieved(&["a", "b"], at("2026-03-01")).unwrap();
        usage.retrieved(&["b"], at("2026-02-15")).unwrap();
        usage.retrieved(&[], at("2026-02-15")).unwrap();
        let (table, notices) = usage.load();
        let mut a = UsageKind::Access.counted(1, at("2026-02-01"));
        a.add(UsageKind::Retrieval.counted(1, at("2026-03-01")));
        assert_eq!((table["a"], table["b"]), (a, UsageKind::Retrieval.counted(2, at("2026-03-01"))));
        assert!(notices.is_empty());
        usage.store(&table).unwrap();
        fs::remove_file(usage.log()).unwrap();
        assert_eq!(usage.load().0, table, "folding keeps both");
    }

    #[test]
    fn nothing_shown_writes_nothing() {
        let (folder, usage) = usage();
        usage.retrieved(&[], at("2026-02-15")).unwrap();
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn logs_and_tables_from_before_retrievals_were_counted_still_read() {
        let (_folder, usage) = usage();
        fs::create_dir_all(&usage.folder).unwrap();
        let log = b"{\"key\":\"a\",\"at\":\"2026-02-01T00:00:00Z\",\"n\":1}\n{\"key\":\"a\",\"at\":\"2026-02-02T00:00:00Z\"}\n";
        fs::write(usage.log(), log).unwrap();
        let body = b"{\"a\":{\"accesses\":3,\"last\":\"2026-01-01T00:00:00Z\"}}";
        let mut table = format!("{:08x}\n", crc32fast::hash(body)).into_bytes();
        table.extend(body);
        fs::write(usage.table(), table).unwrap();
        let (table, notices) = usage.load();
        assert_eq!(table["a"], UsageKind::Access.counted(5, at("2026-02-02")));
        assert_eq!(notices, [""; 0]);
        usage.record("b", at("2026-02-03")).unwrap();
        let written = fs::read_to_string(usage.log()).unwrap();
        assert!(written.ends_with("{\"key\":\"b\",\"at\":\"2026-02-03T00:00:00Z\",\"n\":1}\n"), "{written}");
    }
}
