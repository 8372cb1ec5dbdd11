//! Queue of notes written since the last refresh. Writers append to it without waiting for the
//! index; the next refresh consumes it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cm_note::id::NoteId;
use cm_note::path::NotePath;

/// The file that writers append to, and the file that a refresh has taken over.
pub(super) struct Queue {
    open: PathBuf,
    taken: PathBuf,
}

/// Path of a written file, and the id of its note.
pub type QueueEntry = (NotePath, Option<NoteId>);

impl Queue {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { open: folder.join("queue"), taken: folder.join("queue.taken") }
    }

    /// Path of the file that writers append to.
    pub(super) fn path(&self) -> &Path {
        &self.open
    }

    /// Appends entries.
    pub(super) fn push(&self, entries: &[QueueEntry]) -> io::Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            serde_json::to_writer(&mut lines, entry).map_err(io::Error::other)?;
            lines.push(b'\n');
        }
        loop {
            let mut file = OpenOptions::new().append(true).create(true).open(&self.open)?;
            file.write_all(&lines)?;
            // Where a refresh took the file meanwhile, it may have read it before the lines were in it.
            let still = same_file(&file.metadata()?, fs::metadata(&self.open).ok().as_ref());
            if still {
                return Ok(());
            }
        }
    }

    /// Returns the entries that no refresh has finished yet, skipping malformed lines.
    pub(super) fn entries(&self) -> Vec<QueueEntry> {
        [&self.taken, &self.open]
            .into_iter()
            .filter_map(|path| fs::read(path).ok())
            .flat_map(|bytes| {
                bytes
                    .split(|byte| *byte == b'\n')
                    .filter_map(|line| serde_json::from_slice(line).ok())
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Moves the entries out of the writers' file and returns their paths. They stay on disk until
    /// [`Queue::done`] is called.
    pub(super) fn take(&self) -> io::Result<BTreeSet<NotePath>> {
        // What a refresh took and did not finish comes again with the rest.
        let left = read_if_present(&self.taken)?;
        if !left.is_empty() {
            OpenOptions::new().append(true).create(true).open(&self.open)?.write_all(&left)?;
        }
        match fs::rename(&self.open, &self.taken) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let bytes = read_if_present(&self.taken)?;
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines
            .filter_map(|line| serde_json::from_slice::<QueueEntry>(line).ok())
            .map(|(path, _)| path)
            .collect())
    }

    /// Deletes the entries that [`Queue::take`] returned, once a refresh has processed them.
    pub(super) fn done(&self) -> io::Result<()> {
        match fs::remove_file(&self.taken) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether no entries are pending.
    pub(super) fn is_empty(&self) -> bool {
        [&self.open, &self.taken]
            .into_iter()
            .all(|path| fs::metadata(path).map_or(true, |file| file.len() == 0))
    }
}

/// Reads a file; one that is absent is empty.
fn read_if_present(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

fn same_file(one: &fs::Metadata, other: Option<&fs::Metadata>) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        other.is_some_and(|other| (one.dev(), one.ino()) == (other.dev(), other.ino()))
    }
    #[cfg(not(unix))]
    {
        // An open file cannot be renamed there.
        let _ = one;
        other.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> NotePath {
        NotePath::parse(text).unwrap()
    }

    #[test]
    fn what_is_taken_stays_until_it_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue::in_folder(folder.path());
        assert!(queue.is_empty());
        queue.push(&[(path("a.md"), None)]).unwrap();
        assert_eq!(queue.take().unwrap(), [path("a.md")].into());
        queue.push(&[(path("odd\nname.md"), Some(NoteId::parse("x").unwrap()))]).unwrap();
        assert_eq!(queue.entries().len(), 2);
        assert_eq!(queue.take().unwrap(), [path("a.md"), path("odd\nname.md")].into());
        queue.done().unwrap();
        assert!(queue.is_empty() && queue.entries().is_empty());
    }

    #[test]
    fn no_line_is_lost_between_writers_and_refreshes() {
        let folder = tempfile::tempdir().unwrap();
        let mut seen = BTreeSet::new();
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let queue = Queue::in_folder(folder.path());
                    scope.spawn(move || {
                        (0..200).for_each(|note| {
                            queue.push(&[(path(&format!("{writer}-{note}.md")), None)]).unwrap()
                        });
                    })
                })
                .collect();
            let queue = Queue::in_folder(folder.path());
            while writers.iter().any(|writer| !writer.is_finished()) {
                seen.extend(queue.take().unwrap());
                queue.done().unwrap();
            }
            seen.extend(queue.take().unwrap());
        });
        assert_eq!(seen.len(), 800);
    }
}
