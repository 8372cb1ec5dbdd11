//! Refreshes the index: only files that differ are read again.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::diff::{Diff, FileHash, ManifestEntry, diff};
use super::entry::IndexedNote;
use super::error::{Error, RebuildReason, at};
use super::lock::IndexWriteLock;
use super::store::{Index, IndexState, OpenedIndex};
use super::text::{TextIndex, TextIndexWriter};
use super::vector::IndexVersion;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::listing::{FileStat, VaultListing};
use cm_note::path::NotePath;

/// Reads the bytes of a note.
pub(super) type ReadNote<'a> = dyn Fn(&NotePath) -> io::Result<Vec<u8>> + 'a;
/// Parses the bytes of a note.
pub(super) type Parse<'a> = dyn Fn(&NotePath, &[u8]) -> IndexedNote + 'a;

/// Result of a refresh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RefreshReport {
    /// Number of indexed notes.
    pub notes: usize,
    /// Notes new to the index; after a rebuild, all notes.
    pub added: Vec<NotePath>,
    /// Notes whose content changed.
    pub updated: Vec<NotePath>,
    /// Notes whose files no longer exist.
    pub removed: Vec<NotePath>,
    /// Reason for a rebuild, if there was one.
    pub rebuilt: Option<RebuildReason>,
    /// Why the index could not be updated, in which case searches return the previous state.
    pub stale: Option<String>,
    /// Files that could not be read.
    pub findings: Vec<Finding>,
    /// Version of the index after the refresh.
    pub version: Option<IndexVersion>,
    /// Version of the index to which the changes were applied; `None` if there were none, and after a
    /// rebuild.
    pub base: Option<IndexVersion>,
}

/// Changes that a refresh would make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingRefresh {
    /// Notes that are not indexed yet.
    pub added: Vec<NotePath>,
    /// Notes whose content changed.
    pub updated: Vec<NotePath>,
    /// Notes whose files no longer exist.
    pub removed: Vec<NotePath>,
    /// Reason for a rebuild, if one is needed.
    pub unusable: Option<RebuildReason>,
}

impl PendingRefresh {
    /// Whether the index is up to date.
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }
}

/// The vault's files, and the function that reads them.
pub(super) struct RefreshSource<'a> {
    pub(super) listing: &'a VaultListing,
    pub(super) read: &'a ReadNote<'a>,
}

/// The lock of the index and its path.
pub(super) type HeldLock<'a> = (&'a mut IndexWriteLock, &'a Path);

/// A confirmed difference between the index and a file.
enum FileChangeKind<'a> {
    Added(&'a FileStat, Vec<u8>, ManifestEntry),
    Updated(&'a FileStat, Vec<u8>, ManifestEntry),
    /// Only the metadata changed.
    Touched(&'a FileStat, ManifestEntry),
    Removed(String),
}

impl RefreshSource<'_> {
    /// Returns the bytes of a file and their hash, or `None` if the file is gone or unreadable. An
    /// unreadable file adds a finding.
    pub(super) fn content(
        &self,
        file: &FileStat,
        findings: &mut Vec<Finding>,
    ) -> Option<(Vec<u8>, FileHash)> {
        match (self.read)(&file.path) {
            Ok(bytes) => {
                let mut hash = FileHash::default();
                hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
                Some((bytes, hash))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("cannot be read: {error}");
                let finding = Finding::new(&file.path, FindingCode::Unreadable, Severity::Error, message);
                findings.push(finding.with_hint("check its permissions"));
                None
            }
        }
    }

    /// Reads the added and suspect files and passes each confirmed change to `take`.
    fn resolve(
        &self,
        diff: Diff,
        read_at: i64,
        findings: &mut Vec<Finding>,
        mut take: impl FnMut(FileChangeKind<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for index in diff.added {
            let file = &self.listing.files[index];
            if let Some((bytes, hash)) = self.content(file, findings) {
                take(FileChangeKind::Added(file, bytes, ManifestEntry::new(file, hash, read_at)))?;
            }
        }
        for (index, before) in diff.suspect {
            let file = &self.listing.files[index];
            match self.content(file, findings) {
                None => take(FileChangeKind::Removed(file.path.to_string()))?,
                Some((bytes, hash)) => {
                    let now = ManifestEntry {
                        findings: before.findings,
                        ..ManifestEntry::new(file, hash, read_at)
                    };
                    if hash != before.hash {
                        take(FileChangeKind::Updated(file, bytes, now))?;
                    } else if now != before {
                        take(FileChangeKind::Touched(file, now))?;
                    }
                }
            }
        }
        diff.removed.into_iter().try_for_each(|path| take(FileChangeKind::Removed(path)))
    }
}

impl OpenedIndex {
    /// Adds the number of notes and the version to a report.
    pub(super) fn report(&self, report: RefreshReport) -> RefreshReport {
        RefreshReport { notes: self.text.count(), version: Some(self.version()), ..report }
    }
}

impl Index {
    /// Updates the index to the files of `listing`, reading only those that differ. An index that
    /// is missing, damaged or of another version is rebuilt. Waits up to `patience` for another
    /// process that updates the index.
    pub fn refresh(
        &self,
        listing: &VaultListing,
        read: &ReadNote<'_>,
        parse: &Parse<'_>,
        patience: Duration,
    ) -> Result<RefreshReport, Error> {
        let source = RefreshSource { listing, read };
        let (before, first) = match self.load() {
            Ok(state) => (Some(state), None),
            Err(Error::Unusable(why)) => (None, Some(why)),
            Err(error) => return Err(error),
        };
        let mut earlier_diff = None;
        if let Some(state) = &before
            && self.queue_file().is_empty()
            && let Ok(diff) = diff(state.manifest.entries(), &listing.files)
        {
            if diff.is_empty() && state.opened.text.is_sealed() {
                return Ok(state.opened.report(RefreshReport::default()));
            }
            earlier_diff = Some((state.manifest.serial(), diff));
        }
        let (mut lock, path) = match self.lock(patience) {
            Ok((Some(lock), path)) => (lock, path),
            Ok((None, path)) => return self.stale_report(before, &source, busy(&path, patience)),
            Err(error) => return self.stale_report(before, &source, error),
        };
        let queue = self.queue_file();
        let queued = queue.take().map_err(at(queue.path()))?;
        // Another process may have done the work while this one waited.
        let applied = self.reload(before).and_then(|state| {
            let diff = match earlier_diff {
                Some((serial, diff)) if serial == state.manifest.serial() && queued.is_empty() => diff,
                _ => doubted(&state, listing, &queued)?,
            };
            self.apply(state, diff, &source, parse, (&mut lock, &path))
        });
        let refreshed = match applied {
            Ok(refreshed) => {
                self.remove_outdated(&self.current()?);
                refreshed
            }
            Err(Error::Unusable(why)) => {
                // What was in the way of the lock is gone by now, and with it the reason.
                let why = first.unwrap_or(why);
                let built = self.build(&source, parse, (&mut lock, &path))?;
                RefreshReport { rebuilt: Some(why), ..built }
            }
            Err(error) => return Err(error),
        };
        queue.done().map_err(at(queue.path()))?;
        Ok(refreshed)
    }

    /// Rebuilds the index from all notes, even if it is sound.
    pub fn rebuild(
        &self,
        listing: &VaultListing,
        read: &ReadNote<'_>,
        parse: &Parse<'_>,
        patience: Duration,
    ) -> Result<RefreshReport, Error> {
        match self.lock(patience)? {
            (Some(mut lock), path) => {
                let queue = self.queue_file();
                queue.take().map_err(at(queue.path()))?;
                let built = self.build(&RefreshSource { listing, read }, parse, (&mut lock, &path))?;
                queue.done().map_err(at(queue.path()))?;
                Ok(built)
            }
            (None, path) => Err(busy(&path, patience)),
        }
    }

    /// Returns the number of errors and warnings over all indexed notes, counting only findings of
    /// single notes.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if there is no sound index.
    pub fn note_findings(&self) -> Result<usize, Error> {
        let state = self.load()?;
        let mut findings = 0;
        for entry in state.manifest.entries() {
            findings += usize::from(entry?.1.findings);
        }
        Ok(findings)
    }

    /// Returns path and modification time, in nanoseconds since 1970, of all indexed files as of the last
    /// refresh, sorted by path.
    ///
    /// # Errors
    ///
    /// [`Error::Unusable`] if there is no sound index.
    pub fn modification_times(&self) -> Result<Vec<(String, i64)>, Error> {
        let state = self.load()?;
        let mut times = Vec::new();
        for entry in state.manifest.entries() {
            let (path, file) = entry?;
            times.push((path.to_owned(), file.mtime_ns));
        }
        Ok(times)
    }

    /// Returns the changes that a refresh would make, without making them.
    pub fn check(&self, listing: &VaultListing, read: &ReadNote<'_>) -> Result<PendingRefresh, Error> {
        match self.load() {
            Ok(state) => self.differences(&state, &RefreshSource { listing, read }),
            Err(Error::Unusable(why)) => {
                Ok(PendingRefresh { unusable: Some(why), ..PendingRefresh::default() })
            }
            Err(error) => Err(error),
        }
    }

    fn differences(&self, state: &IndexState, source: &RefreshSource<'_>) -> Result<PendingRefresh, Error> {
        let queued = self.queue_file().entries().into_iter().map(|(path, _)| path).collect();
        let mut stale = PendingRefresh::default();
        source.resolve(doubted(state, source.listing, &queued)?, i64::MIN, &mut Vec::new(), |change| {
            match change {
                FileChangeKind::Added(file, ..) => stale.added.push(file.path.clone()),
                FileChangeKind::Updated(file, ..) => stale.updated.push(file.path.clone()),
                FileChangeKind::Removed(path) => stale.removed.extend(NotePath::parse(&path)),
                FileChangeKind::Touched(..) => {}
            }
            Ok(())
        })?;
        Ok(stale)
    }

    fn lock(&self, patience: Duration) -> Result<(Option<IndexWriteLock>, PathBuf), Error> {
        self.prepare_folder()?;
        let path = self.folder().join("lock");
        Ok((IndexWriteLock::acquire(&path, patience)?, path))
    }

    /// Returns the report for an index that `obstacle` keeps from being updated; marked as stale
    /// only if files differ. Fails with `obstacle` if there is no usable index.
    fn stale_report(
        &self,
        before: Option<IndexState>,
        source: &RefreshSource<'_>,
        obstacle: Error,
    ) -> Result<RefreshReport, Error> {
        let Some(state) = before else { return Err(obstacle) };
        let fresh = self.differences(&state, source)?.is_fresh();
        let stale = (!fresh).then(|| match &obstacle {
            Error::Io { path, source } => format!("cannot use `{}`: {source}", path.display()),
            other => other.to_string(),
        });
        Ok(state.opened.report(RefreshReport { stale, ..RefreshReport::default() }))
    }

    /// Writes the changes to the text index first and the manifest second. After a crash in
    /// between, their serial numbers differ and the index is rebuilt.
    fn apply(
        &self,
        mut state: IndexState,
        diff: Diff,
        source: &RefreshSource<'_>,
        parse: &Parse<'_>,
        (lock, lock_path): HeldLock<'_>,
    ) -> Result<RefreshReport, Error> {
        let read_at = lock.file_time(lock_path)?;
        let base = state.opened.version();
        let mut update = Update::new(&state.opened.text, parse, diff.added.len() + diff.suspect.len());
        let mut findings = Vec::new();
        let taken = source.resolve(diff, read_at, &mut findings, |change| update.take(change));
        let Update { writer, changes, mut refreshed, .. } = update;
        let serial = state.manifest.serial() + u64::from(writer.is_some());
        let folder = state.opened.generation.join("text");
        let committed = taken.and_then(|()| match writer {
            Some(writer) => writer.commit(&folder, serial),
            None if state.opened.text.is_sealed() => Ok(()),
            None => state.opened.text.seal(&folder),
        });
        self.reopen();
        match committed {
            // The files were whole when they were opened, so that only a rebuild can help.
            Err(Error::Text(error)) => return Err(RebuildReason::damaged(error).into()),
            committed => committed?,
        }
        if !changes.is_empty() {
            state.manifest.record(serial, changes)?;
        }
        refreshed.findings = findings;
        refreshed.base = Some(base);
        Ok(self.text()?.report(refreshed))
    }
}

/// Changes that are being written to the index. The writer is created with the first change,
/// because creating it is expensive.
struct Update<'a> {
    text: &'a TextIndex,
    parse: &'a Parse<'a>,
    documents: usize,
    writer: Option<TextIndexWriter>,
    changes: Vec<(String, Option<ManifestEntry>)>,
    refreshed: RefreshReport,
}

impl<'a> Update<'a> {
    fn new(text: &'a TextIndex, parse: &'a Parse<'a>, documents: usize) -> Self {
        let (changes, refreshed) = (Vec::new(), RefreshReport::default());
        Self { text, parse, documents, writer: None, changes, refreshed }
    }

    fn take(&mut self, change: FileChangeKind<'_>) -> Result<(), Error> {
        match change {
            FileChangeKind::Touched(file, entry) => self.changes.push((file.path.to_string(), Some(entry))),
            FileChangeKind::Added(file, bytes, entry) => {
                self.refreshed.added.push(file.path.clone());
                self.put(file, &bytes, entry)?;
            }
            FileChangeKind::Updated(file, bytes, entry) => {
                self.refreshed.updated.push(file.path.clone());
                self.put(file, &bytes, entry)?;
            }
            FileChangeKind::Removed(path) => {
                if let Ok(removed_path) = NotePath::parse(&path) {
                    self.writer()?.remove(&removed_path);
                    self.refreshed.removed.push(removed_path);
                }
                self.changes.push((path, None));
            }
        }
        Ok(())
    }

    fn put(&mut self, file: &FileStat, bytes: &[u8], previous: ManifestEntry) -> Result<(), Error> {
        let entry = (self.parse)(&file.path, bytes);
        let writer = self.writer()?;
        writer.remove(&file.path);
        writer.add(&entry)?;
        self.changes.push((file.path.to_string(), Some(previous.parsed(&entry.reading.note))));
        Ok(())
    }

    fn writer(&mut self) -> Result<&TextIndexWriter, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => TextIndexWriter::over(self.text, self.documents)?,
        };
        Ok(self.writer.insert(writer))
    }
}

/// Computes the differences, treating queued notes as suspect.
fn doubted(
    state: &IndexState,
    listing: &VaultListing,
    queued: &BTreeSet<NotePath>,
) -> Result<Diff, RebuildReason> {
    let queued: BTreeSet<&str> = queued.iter().map(NotePath::as_str).collect();
    let entries = state.manifest.entries().map(|entry| {
        entry.map(|(path, manifest_entry)| {
            (path, ManifestEntry { racy: manifest_entry.racy || queued.contains(path), ..manifest_entry })
        })
    });
    diff(entries, &listing.files)
}

fn busy(path: &Path, patience: Duration) -> Error {
    Error::Busy { path: path.to_owned(), seconds: patience.as_secs() }
}
