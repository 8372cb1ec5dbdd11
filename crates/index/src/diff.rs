//! Compares the indexed files with the files on disk by their metadata alone.

use serde::{Deserialize, Serialize};

use super::error::RebuildReason;
use cm_note::finding::Severity;
use cm_note::listing::FileStat;
use cm_note::note::Note;

/// First half of a BLAKE3 hash of a file's content.
pub(super) type FileHash = [u8; 16];

/// Metadata, content hash and finding count of an indexed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ManifestEntry {
    pub(super) size: u64,
    pub(super) mtime_ns: i64,
    pub(super) ctime_ns: i64,
    pub(super) inode: u64,
    pub(super) hash: FileHash,
    /// Whether the file changed so shortly before it was read that a later change could have the
    /// same timestamp. The next refresh then compares the content.
    pub(super) racy: bool,
    /// Number of errors and warnings in the content.
    pub(super) findings: u16,
}

impl ManifestEntry {
    pub(super) fn new(stat: &FileStat, hash: FileHash, read_at: i64) -> Self {
        let FileStat { size, mtime_ns, ctime_ns, inode, .. } = *stat;
        Self { size, mtime_ns, ctime_ns, inode, hash, racy: mtime_ns.max(ctime_ns) >= read_at, findings: 0 }
    }

    /// Adds the finding count of the parsed note; findings of severity `Info` are not counted.
    pub(super) fn parsed(self, note: &Note) -> Self {
        let found = note.findings.iter().filter(|finding| finding.severity != Severity::Info).count();
        Self { findings: u16::try_from(found).unwrap_or(u16::MAX), ..self }
    }

    fn fits(&self, stat: &FileStat) -> bool {
        let FileStat { size, mtime_ns, ctime_ns, inode, .. } = *stat;
        !self.racy
            && (self.size, self.mtime_ns, self.ctime_ns, self.inode) == (size, mtime_ns, ctime_ns, inode)
    }
}

/// Differences between manifest and disk. Files are given by their position in the listing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Diff {
    pub(super) added: Vec<usize>,
    /// Files whose content must be compared, because their metadata differ or are racy.
    pub(super) suspect: Vec<(usize, ManifestEntry)>,
    pub(super) removed: Vec<String>,
}

impl Diff {
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.suspect.is_empty() && self.removed.is_empty()
    }
}

/// Compares manifest entries with the listed files. Both must be sorted by path.
pub(super) fn diff<'a>(
    indexed: impl Iterator<Item = Result<(&'a str, ManifestEntry), RebuildReason>>,
    files: &[FileStat],
) -> Result<Diff, RebuildReason> {
    let mut diff = Diff::default();
    let mut next = 0;
    for entry in indexed {
        let (path, indexed) = entry?;
        while files.get(next).is_some_and(|file| file.path.as_str() < path) {
            diff.added.push(next);
            next += 1;
        }
        match files.get(next).filter(|file| file.path.as_str() == path) {
            Some(file) => {
                if !indexed.fits(file) {
                    diff.suspect.push((next, indexed));
                }
                next += 1;
            }
            None => diff.removed.push(path.to_owned()),
        }
    }
    diff.added.extend(next..files.len());
    Ok(diff)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use cm_note::path::NotePath;

    fn indexed(size: u64, racy: bool) -> ManifestEntry {
        ManifestEntry { size, mtime_ns: 1, ctime_ns: 1, inode: 1, hash: [0; 16], racy, findings: 0 }
    }

    proptest! {
        #[test]
        fn each_file_is_in_exactly_the_set_that_its_stats_tell(
            before in proptest::collection::btree_map("[abc]{1,3}", (0u64..3, any::<bool>()), 0..20),
            after in proptest::collection::btree_map("[abc]{1,3}", 0u64..3, 0..20),
        ) {
            let files: Vec<FileStat> = after
                .iter()
                .map(|(path, size)| FileStat { path: NotePath::parse(path).unwrap(), size: *size, mtime_ns: 1, ctime_ns: 1, inode: 1 })
                .collect();
            let entries = before.iter().map(|(path, (size, racy))| Ok((path.as_str(), indexed(*size, *racy))));
            let diff = diff(entries, &files).unwrap();
            let path = |at: &usize| files[*at].path.as_str().to_owned();
            let added: Vec<String> = diff.added.iter().map(path).collect();
            let suspect: BTreeMap<String, u64> = diff.suspect.iter().map(|(at, indexed)| (path(at), indexed.size)).collect();
            let expect_added: Vec<String> = after.keys().filter(|path| !before.contains_key(*path)).cloned().collect();
            let expect_removed: Vec<String> = before.keys().filter(|path| !after.contains_key(*path)).cloned().collect();
            let expect_suspect: BTreeMap<String, u64> = before
                .iter()
                .filter(|(path, (size, racy))| after.get(*path).is_some_and(|now| *racy || now != size))
                .map(|(path, (size, _))| (path.clone(), *size))
                .collect();
            prop_assert_eq!((added, diff.removed, suspect), (expect_added, expect_removed, expect_suspect));
        }
    }
}
