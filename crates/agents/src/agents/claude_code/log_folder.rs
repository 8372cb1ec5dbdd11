//! Finds Claude Code logs in a folder that the user names, and reads their lines.
//!
//! Friction analysis counts the same files as other tools: sessions, but not the logs of subagents
//! in nested folders.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::ingest::error::IngestError;
use crate::ingest::line_reader::{LineEvent, LineReader};
use crate::ingest::locations::{folder, name, stem};
use crate::ingest::log_cursor::LinePosition;
use crate::ingest::read_result::IngestLimits;
use crate::ingest::source::FoundLogs;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderLog {
    pub path: PathBuf,
    /// Name of the folder that contains the log; the agent has one for each project.
    pub folder: String,
    /// File name without the extension.
    pub stem: String,
}

/// Returns the logs at a path: a file, a folder of logs, or a folder that contains such folders.
/// The result is ordered by path.
///
/// # Errors
/// Returns [`IngestError::Io`] if the path itself cannot be read.
pub fn find_logs(path: &Path) -> Result<Vec<FolderLog>, IngestError> {
    let stat = std::fs::metadata(path).map_err(IngestError::io(path))?;
    if stat.is_file() {
        return Ok(vec![log(path)]);
    }
    if !stat.is_dir() {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(IngestError::io(path)(error));
    }
    let path = &path.canonicalize().map_err(IngestError::io(path))?;
    let mut found = FoundLogs::default();
    let entries = found.list(path);
    if let Some(refused) = found.errors.pop() {
        return Err(refused);
    }
    let mut logs = Vec::new();
    for entry in entries.iter().filter(|entry| !name(entry).starts_with('.')) {
        if entry.is_dir() {
            // A folder that refuses costs itself only.
            logs.extend(found.list(entry).iter().filter(|file| is_log(file)).map(|file| log(file)));
        } else if is_log(entry) {
            logs.push(log(entry));
        }
    }
    logs.sort();
    Ok(logs)
}

fn is_log(path: &Path) -> bool {
    let is_visible = path.extension().is_some_and(|ending| ending == "jsonl") && !name(path).starts_with('.');
    is_visible && !name(path).contains("sessions-index") && path.is_file()
}

fn log(path: &Path) -> FolderLog {
    FolderLog { path: path.to_owned(), folder: folder(path).to_owned(), stem: stem(path).to_owned() }
}

/// Calls `each` for every line of a file, without its line break. Lines longer than `longest` bytes
/// are skipped.
///
/// # Errors
/// Returns [`IngestError::Io`] if the file cannot be read.
pub fn lines(path: &Path, longest: usize, each: &mut dyn FnMut(&[u8])) -> Result<(), IngestError> {
    let mut input = BufReader::new(File::open(path).map_err(IngestError::io(path))?);
    let limits = IngestLimits { max_record_bytes: longest };
    let mut reader = LineReader::new(&mut input, LinePosition::default(), limits);
    loop {
        match reader.next_raw().map_err(IngestError::io(path))? {
            LineEvent::Line { .. } => each(reader.raw().strip_suffix(b"\n").unwrap_or_default()),
            LineEvent::Oversized(_) | LineEvent::LineRest(_) => {}
            LineEvent::Unterminated => {
                each(reader.raw());
                return Ok(());
            }
            LineEvent::End => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_a_folder_and_of_its_folders_are_found_and_no_deeper_ones() {
        let top = tempfile::tempdir().unwrap();
        for file in
            ["p/a.jsonl", "p/sub/agent.jsonl", "b.jsonl", "sessions-index.jsonl", ".h/c.jsonl", "d.txt"]
        {
            let file = top.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "{}").unwrap();
        }
        let found: Vec<String> = find_logs(top.path()).unwrap().into_iter().map(|log| log.stem).collect();
        assert_eq!(found, ["b", "a"]);
        assert!(find_logs(&top.path().join("absent")).is_err());
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_only() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a\nlonger\n\nb").unwrap();
        let mut read = Vec::new();
        lines(file.path(), 3, &mut |line| read.push(String::from_utf8_lossy(line).into_owned())).unwrap();
        assert_eq!(read, ["a", "", "b"]);
    }
}
