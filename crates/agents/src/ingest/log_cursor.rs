//! Read positions in logs, and checks whether a log still has the same content.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::emitter::SessionState;

/// Number of bytes, at the start of the log and before the read position, that are hashed to
/// recognize it.
const SEAL_BYTES: u64 = 4096;

/// Start of the next reading of a log. It is stored between runs; its content is private to the
/// connectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogCursor {
    pub(crate) stamp: LogStamp,
    /// Stamps of files that change with the log: a database's write-ahead log, or other files of a
    /// task.
    #[serde(rename = "beside")]
    pub(crate) companions: Vec<LogStamp>,
    pub(crate) position: LinePosition,
    pub(crate) seal: Option<ContentSeal>,
    /// Parser state of the format, as JSON.
    pub(crate) state: String,
    pub(crate) session: Option<SessionState>,
}

impl LogCursor {
    /// Creates the cursor of a log that is always read completely.
    pub(crate) fn of_whole(stamp: LogStamp, companions: Vec<LogStamp>, state: String) -> Self {
        Self { stamp, companions, position: LinePosition::default(), seal: None, state, session: None }
    }

    /// Redacts the session's title, the only session text in a cursor. Must be called before a
    /// cursor is stored.
    pub fn redact(&mut self, redact: impl FnOnce(&str) -> String) {
        if let Some(title) = self.session.as_mut().and_then(|session| session.title_mut()) {
            *title = redact(title);
        }
    }

    /// Returns the size of the log in bytes.
    pub fn size(&self) -> u64 {
        self.stamp.size()
    }

    /// Returns the number of bytes that need not be read again; 0 for logs that are always read
    /// completely.
    pub fn offset(&self) -> u64 {
        self.position.offset
    }
}

/// Inode, size and modification time of a file; all zero if it does not exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogStamp {
    inode: u64,
    size: u64,
    /// Nanoseconds since 1970, truncated to 64 bits.
    modified: u64,
}

impl LogStamp {
    pub fn of(stat: &Metadata) -> Self {
        let modified = stat.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Self { inode: inode(stat), size: stat.len(), modified: modified.map_or(0, |at| at.as_nanos() as u64) }
    }

    /// Returns the stamp of the file at `path`; all zero if it does not exist.
    pub fn at(path: &Path) -> Self {
        std::fs::metadata(path).map(|stat| Self::of(&stat)).unwrap_or_default()
    }

    pub fn size(&self) -> u64 {
        self.size
    }
}

#[cfg(unix)]
fn inode(stat: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(stat)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Read position in a file of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePosition {
    /// Number of bytes read.
    pub offset: u64,
    /// Number of lines read.
    pub line: u64,
    /// Whether the last line was complete but had no line break yet.
    pub unended: bool,
}

/// Hashes of the start of a log and of the bytes before an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentSeal {
    head: u64,
    tail: u64,
}

impl ContentSeal {
    /// Hashes the content before `offset`; changes the file's position.
    pub fn of(file: &mut File, offset: u64) -> io::Result<Self> {
        let length = offset.min(SEAL_BYTES);
        let head = hash_range(file, 0, length)?;
        let tail = hash_range(file, offset - length, length)?;
        Ok(Self { head, tail })
    }
}

fn hash_range(file: &mut File, from: u64, length: u64) -> io::Result<u64> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(length).read_to_end(&mut bytes)?;
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(&bytes).as_bytes();
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_seal_holds_while_a_file_grows_and_breaks_where_it_was_rewritten() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&b"0123456789".repeat(1000)).unwrap();
        let seal = ContentSeal::of(&mut file, 9_000).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
        file.write_all(b"more").unwrap();
        assert_eq!(ContentSeal::of(&mut file, 9_000).unwrap(), seal);
        for place in [3, 8_990] {
            file.seek(SeekFrom::Start(place)).unwrap();
            file.write_all(b"x").unwrap();
            assert_ne!(ContentSeal::of(&mut file, 9_000).unwrap(), seal);
            file.seek(SeekFrom::Start(place)).unwrap();
            file.write_all(&[b'0' + (place % 10) as u8]).unwrap();
        }
        assert_eq!(ContentSeal::of(&mut file, 9_000).unwrap(), seal);
    }
}
