//! The list of indexed files with their metadata and content hashes.
//!
//! A base file holds all entries sorted by path, and a log holds the changes since, so that editing
//! one note does not rewrite megabytes. Entries are decoded while iterating; no table is built.

use std::collections::BTreeMap;
use std::collections::btree_map;
use std::fs::OpenOptions;
use std::io::Write;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::diff::ManifestEntry;
use super::error::{Error, RebuildReason, at};
use super::frame::{self, framed, unframed};
use super::text::touched;

const BASE: &str = "manifest";
const LOG: &str = "manifest.log";
/// Size in bytes up to which the log is never merged into a new base. For a large base, the limit
/// is an eighth of the base's size.
const SHORT_LOG_BYTES: usize = 64 * 1024;

/// The manifest of a generation: base file and applied log.
pub(super) struct Manifest {
    folder: PathBuf,
    base: Vec<u8>,
    /// Offset of the first entry in the base.
    entries_at: usize,
    base_checksum: u32,
    newer: BTreeMap<String, Option<ManifestEntry>>,
    log_length: u64,
    /// Serial number of the text index commit that the manifest describes.
    serial: u64,
}

#[derive(Serialize, Deserialize)]
struct Delta {
    /// Checksum of the base that the log record applies to. Records for an older base are ignored.
    base_checksum: u32,
    serial: u64,
    changes: Vec<(String, Option<ManifestEntry>)>,
}

impl Manifest {
    /// Writes a new base file in `folder`. The entries must be sorted by path.
    pub(super) fn create<'a>(
        folder: &Path,
        serial: u64,
        entries: impl Iterator<Item = (&'a str, ManifestEntry)>,
    ) -> Result<(), Error> {
        let mut payload = postcard::to_allocvec(&serial).unwrap_or_default();
        for entry in entries {
            // Writing to memory cannot fail.
            payload = postcard::to_extend(&entry, payload).unwrap_or_default();
        }
        let base = folder.join(BASE);
        frame::write(&base, &payload).map_err(at(&base))?;
        let log = folder.join(LOG);
        match std::fs::remove_file(&log) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(&log)(error)),
            _ => Ok(()),
        }
    }

    /// Returns the metadata of the base and the log, for detecting changes.
    pub(super) fn stamp(folder: &Path) -> [Option<[u64; 4]>; 2] {
        [BASE, LOG].map(|name| touched(&folder.join(name)).ok())
    }

    pub(super) fn load(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(BASE);
        let base = frame::read(&path).map_err(at(&path))?;
        let base = base.ok_or_else(|| RebuildReason::damaged("no manifest"))??;
        let log_path = folder.join(LOG);
        let log = match std::fs::read(&log_path) {
            Ok(log) => log,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(at(&log_path)(error)),
        };
        let (serial, entries) =
            postcard::take_from_bytes::<u64>(&base).map_err(|_| RebuildReason::damaged(BASE))?;
        let (entries_at, base_checksum) = (base.len() - entries.len(), crc32fast::hash(&base));
        let mut manifest = Self {
            folder: folder.to_owned(),
            base,
            entries_at,
            base_checksum,
            newer: BTreeMap::new(),
            log_length: 0,
            serial,
        };
        manifest.replay(&log)?;
        Ok(manifest)
    }

    /// Applies the log. A truncated last record, left by a crash, is ignored; any other damage is
    /// an error.
    fn replay(&mut self, log: &[u8]) -> Result<(), RebuildReason> {
        let mut rest = log;
        while !rest.is_empty() {
            let (payload, length) = match unframed(rest, LOG) {
                Ok(record) => record,
                Err(RebuildReason::Foreign) => return Err(RebuildReason::Foreign),
                Err(_) if is_cut_short(rest) => return Ok(()),
                Err(why) => return Err(why),
            };
            let delta: Delta = postcard::from_bytes(payload).map_err(|_| RebuildReason::damaged(LOG))?;
            if delta.base_checksum == self.base_checksum {
                self.serial = delta.serial;
                self.newer.extend(delta.changes);
            }
            self.log_length += length as u64;
            rest = &rest[length..];
        }
        Ok(())
    }

    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// Iterates over all entries, sorted by path.
    pub(super) fn entries(&self) -> Entries<'_> {
        Entries { base: &self.base[self.entries_at..], peeked: None, newer: self.newer.iter().peekable() }
    }

    /// Records changes in the log, or in a new base if the log has become too long. `None` marks a
    /// removed file.
    pub(super) fn record(
        &mut self,
        serial: u64,
        changes: Vec<(String, Option<ManifestEntry>)>,
    ) -> Result<(), Error> {
        let delta = Delta { base_checksum: self.base_checksum, serial, changes };
        let record = framed(&postcard::to_allocvec(&delta).unwrap_or_default());
        self.newer.extend(delta.changes);
        self.serial = serial;
        let length = usize::try_from(self.log_length).unwrap_or(usize::MAX).saturating_add(record.len());
        if length > SHORT_LOG_BYTES.max(self.base.len() / 8) {
            let entries: Result<Vec<(&str, ManifestEntry)>, RebuildReason> = self.entries().collect();
            return Self::create(&self.folder, serial, entries?.into_iter());
        }
        let path = self.folder.join(LOG);
        let append = || {
            let mut log = OpenOptions::new().append(true).create(true).open(&path)?;
            // What a death left half-written would hide all that comes after it.
            log.set_len(self.log_length)?;
            log.write_all(&record)
        };
        append().map_err(at(&path))?;
        self.log_length += record.len() as u64;
        Ok(())
    }
}

/// Whether a log record is truncated, that is, the length in its header exceeds the remaining
/// bytes.
fn is_cut_short(rest: &[u8]) -> bool {
    let empty = framed(&[]);
    match rest.get(12..20).and_then(|length| length.try_into().ok()) {
        Some(length) => {
            let length = u64::from_le_bytes(length).saturating_add(empty.len() as u64);
            rest[..4] == empty[..4] && length > rest.len() as u64
        }
        None => true,
    }
}

/// Iterator over the entries of a manifest, merged from base and log.
pub(super) struct Entries<'a> {
    base: &'a [u8],
    peeked: Option<(&'a str, ManifestEntry)>,
    newer: Peekable<btree_map::Iter<'a, String, Option<ManifestEntry>>>,
}

impl<'a> Entries<'a> {
    /// Returns the next entry of the base without consuming it.
    fn peek(&mut self) -> Result<Option<(&'a str, ManifestEntry)>, RebuildReason> {
        if self.peeked.is_none() && !self.base.is_empty() {
            let read = postcard::take_from_bytes::<(&'a str, ManifestEntry)>(self.base);
            let (entry, rest) = read.map_err(|_| RebuildReason::damaged(BASE))?;
            self.base = rest;
            self.peeked = Some(entry);
        }
        Ok(self.peeked)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(&'a str, ManifestEntry), RebuildReason>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let base_entry = match self.peek() {
                Ok(base_entry) => base_entry,
                Err(why) => {
                    self.base = &[];
                    return Some(Err(why));
                }
            };
            match (base_entry, self.newer.peek().map(|(path, _)| path.as_str())) {
                (Some((path, _)), newer) if newer.is_none_or(|newer| path < newer) => {
                    return self.peeked.take().map(Ok);
                }
                (base_entry, newer) => {
                    if base_entry.is_some_and(|(path, _)| Some(path) == newer) {
                        self.peeked = None;
                    }
                    let (path, newer_entry) = self.newer.next()?;
                    if let Some(newer_entry) = newer_entry {
                        return Some(Ok((path, *newer_entry)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry_of_size(size: u64) -> ManifestEntry {
        ManifestEntry { size, mtime_ns: 5, ctime_ns: 6, inode: 7, hash: [3; 16], racy: false, findings: 2 }
    }

    fn load(folder: &Path) -> Manifest {
        Manifest::load(folder).unwrap()
    }

    fn sizes(manifest: &Manifest) -> Vec<(String, u64)> {
        manifest
            .entries()
            .map(|entry| entry.map(|(path, entry)| (path.to_owned(), entry.size)).unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn it_holds_what_was_recorded_last(
            base in proptest::collection::btree_map("[a-c]{1,2}", 0u64..9, 0..9),
            steps in proptest::collection::vec(proptest::collection::vec(("[a-c]{1,2}", proptest::option::of(0u64..9)), 0..4), 0..6),
        ) {
            let folder = tempfile::tempdir().unwrap();
            Manifest::create(folder.path(), 1, base.iter().map(|(path, size)| (path.as_str(), entry_of_size(*size)))).unwrap();
            let mut expected = base;
            for (step, changes) in steps.into_iter().enumerate() {
                for (path, size) in &changes {
                    match size {
                        Some(size) => expected.insert(path.clone(), *size),
                        None => expected.remove(path),
                    };
                }
                let changes = changes.into_iter().map(|(path, size)| (path, size.map(entry_of_size))).collect();
                load(folder.path()).record(step as u64 + 2, changes).unwrap();
            }
            prop_assert_eq!(sizes(&load(folder.path())), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_long_log_is_folded_into_the_base() {
        let folder = tempfile::tempdir().unwrap();
        Manifest::create(folder.path(), 1, std::iter::empty()).unwrap();
        let mut longest = 0;
        for serial in 2..40 {
            let changes =
                (0..200).map(|note| (format!("notes/{note:050}.md"), Some(entry_of_size(serial)))).collect();
            load(folder.path()).record(serial, changes).unwrap();
            longest = longest.max(std::fs::metadata(folder.path().join(LOG)).map_or(0, |log| log.len()));
        }
        let manifest = load(folder.path());
        assert!(longest <= SHORT_LOG_BYTES as u64 && longest > 0);
        assert_eq!((manifest.serial(), sizes(&manifest).len()), (39, 200));
        assert!(sizes(&manifest).iter().all(|(_, size)| *size == 39));
    }

    #[test]
    fn a_record_cut_short_is_as_if_it_was_never_written() {
        let folder = tempfile::tempdir().unwrap();
        Manifest::create(folder.path(), 1, [("a", entry_of_size(1))].into_iter()).unwrap();
        load(folder.path()).record(2, vec![("a".to_owned(), Some(entry_of_size(2)))]).unwrap();
        let log = folder.path().join(LOG);
        let first = std::fs::read(&log).unwrap();
        load(folder.path()).record(3, vec![("a".to_owned(), Some(entry_of_size(3)))]).unwrap();
        let both = std::fs::read(&log).unwrap();
        for length in first.len()..both.len() {
            std::fs::write(&log, &both[..length]).unwrap();
            assert_eq!(sizes(&load(folder.path())), [("a".to_owned(), 2)]);
        }
        load(folder.path()).record(3, vec![("a".to_owned(), Some(entry_of_size(4)))]).unwrap();
        assert_eq!(sizes(&load(folder.path())), [("a".to_owned(), 4)]);
    }

    #[test]
    fn damage_within_the_log_is_told() {
        let folder = tempfile::tempdir().unwrap();
        Manifest::create(folder.path(), 1, [("a", entry_of_size(1))].into_iter()).unwrap();
        load(folder.path()).record(2, vec![("a".to_owned(), Some(entry_of_size(2)))]).unwrap();
        let log = folder.path().join(LOG);
        let mut bytes = std::fs::read(&log).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&log, bytes).unwrap();
        assert!(matches!(Manifest::load(folder.path()), Err(Error::Unusable(RebuildReason::Damaged(_)))));
    }
}
