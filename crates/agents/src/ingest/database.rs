//! Opens SQLite databases of other programs without changing anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::emitter::Emitter;
use super::error::IngestError;
use super::lenient::LenientTime;
use super::line_reader;
use super::log_cursor::{LogCursor, LogStamp};
use super::read_result::{ReadResult, ReadStart};
use super::sink::EventSink;
use cm_note::instant::Instant;

/// Maximum time to wait for a program that has locked its database.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens a database read-only.
///
/// A database with a write-ahead log is opened normally. One without it is opened as immutable,
/// because SQLite would otherwise create files next to it, and would fail in a read-only folder.
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let quiet = LogStamp::at(&with_suffix(path, "-wal")).size() == 0;
    let how = if quiet { "mode=ro&immutable=1" } else { "mode=ro" };
    let connection = Connection::open_with_flags(format!("file:{}?{how}", escaped(path)), flags)?;
    prepare(&connection)?;
    Ok(connection)
}

/// Disables trust in the database's schema, and limits memory and waiting time.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.execute_batch(
        "PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA cache_size=-4096; PRAGMA temp_store=FILE;",
    )
}

/// Stamps of a database's file and, as its companion, of the write-ahead log, which can change while the
/// file does not.
pub struct DatabaseStamps {
    file: LogStamp,
    companions: Vec<LogStamp>,
}

impl DatabaseStamps {
    /// # Errors
    /// The database file cannot be accessed.
    pub fn of(path: &Path) -> Result<Self, IngestError> {
        let file = LogStamp::of(&std::fs::metadata(path).map_err(IngestError::io(path))?);
        Ok(Self { file, companions: vec![LogStamp::at(&with_suffix(path, "-wal"))] })
    }

    /// Returns the result for a database that has not changed since it was read.
    pub fn unchanged(&self, cursor: Option<&LogCursor>) -> Option<ReadResult> {
        line_reader::unchanged(cursor, self.file, &self.companions)
    }

    /// Ends the reading of a database that is always read completely.
    pub fn read_whole(self, out: Emitter<'_>) -> ReadResult {
        ReadResult::of_whole(out, self.file, self.companions)
    }
}

/// Version of each session in a database when it was last read, by id.
pub type SessionVersions = BTreeMap<String, String>;

/// Reads the sessions of a database that have changed since the last run. `emit` gets the versions of
/// that run and returns the present ones.
pub fn read_changed(
    path: &Path,
    cursor: Option<&LogCursor>,
    sink: &mut dyn EventSink,
    emit: impl FnOnce(&SessionVersions, &mut Emitter<'_>) -> rusqlite::Result<SessionVersions>,
) -> Result<ReadResult, IngestError> {
    let stamps = DatabaseStamps::of(path)?;
    if let Some(reading) = stamps.unchanged(cursor) {
        return Ok(reading);
    }
    let before: Option<SessionVersions> = cursor.and_then(|cursor| serde_json::from_str(&cursor.state).ok());
    let progress = if before.is_some() { ReadStart::Continued } else { ReadStart::FromStart };
    let mut out = Emitter::new(sink);
    let versions = emit(&before.unwrap_or_default(), &mut out).map_err(IngestError::database(path))?;
    let (tally, _) = out.finish();
    let state = serde_json::to_string(&versions).unwrap_or_default();
    Ok(ReadResult { cursor: LogCursor::of_whole(stamps.file, stamps.companions, state), tally, progress })
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Escapes a path for a `file:` URI.
fn escaped(path: &Path) -> String {
    const ESCAPED: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');
    let path = path.to_string_lossy().replace('\\', "/");
    let uri = utf8_percent_encode(&path, ESCAPED);
    if cfg!(windows) { format!("/{uri}") } else { uri.to_string() }
}

pub fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?.exists([name])
}

pub fn has_column(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")?.exists([table, column])
}

/// Reads a text or blob as bytes; `None` for NULL, which also stands for values over the limit, and
/// for numbers.
pub fn bytes(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    })
}

/// Reads a value of any type as text; `None` for NULL.
pub fn text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Null => None,
    })
}

/// Reads a value as a time: milliseconds or seconds since 1970, or text; `None` for anything else.
pub fn time(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<Instant>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => LenientTime::of_number(number as f64).0,
        ValueRef::Real(number) => LenientTime::of_number(number).0,
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok().and_then(|text| Instant::parse(text).ok()),
        ValueRef::Blob(_) | ValueRef::Null => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_creates_no_files_and_writing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a #1%?.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
        drop(writer);
        let before = std::fs::read(&path).unwrap();
        let reader = open(&path).unwrap();
        assert!(has_table(&reader, "t").unwrap() && !has_table(&reader, "u").unwrap());
        assert!(has_column(&reader, "t", "x").unwrap() && !has_column(&reader, "t", "y").unwrap());
        assert!(reader.execute("INSERT INTO t VALUES (2)", []).is_err());
        drop(reader);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_running_program_wrote_last_is_read_from_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let writer = Connection::open(&path).unwrap();
        writer.execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
        assert!(DatabaseStamps::of(&path).unwrap().companions[0].size() > 0);
        let rows: i64 =
            open(&path).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
    }
}
