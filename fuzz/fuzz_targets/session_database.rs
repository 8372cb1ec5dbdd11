//! Parses any bytes in the keys and columns of the databases of Cursor and opencode; invalid ones are
//! counted.
#![no_main]

use cm_agents::ingest::{EventSink, IngestLimits, LogFormat, LogSource, read};
use cm_session::event::SessionEvent;
use cm_session::{Agent, SessionId, SessionMeta};
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;

struct Nothing;

impl EventSink for Nothing {
    fn reset(&mut self, _: &SessionId) {}
    fn event(&mut self, _: &SessionId, _: SessionEvent) {}
    fn meta(&mut self, _: &SessionMeta) {}
}

const TABLES: &str = "
    CREATE TABLE cursorDiskKV(key TEXT, value BLOB);
    CREATE TABLE ItemTable(key TEXT, value BLOB);
    CREATE TABLE session(id TEXT);
    CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part(id TEXT, message_id TEXT, data TEXT);
    INSERT INTO session VALUES ('s');
    INSERT INTO message VALUES ('m', 's', 1, '{\"role\":\"user\"}');
    INSERT INTO cursorDiskKV VALUES ('composerData:a', '{}');";

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.db");
    let database = Connection::open(&path).expect("a new database");
    // Syncing to disk would take most of the time of a run.
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;").expect("pragmas");
    database.execute_batch(TABLES).expect("tables");
    for sql in [
        "INSERT INTO cursorDiskKV VALUES ('composerData:b', ?1), ('bubbleId:a:1', ?1)",
        "INSERT INTO ItemTable VALUES ('composer.composerData', ?1), ('workbench.panel.aichat.view.aichat.chatdata', ?1)",
        "INSERT INTO message VALUES ('n', 's', 2, ?1)",
        "INSERT INTO part VALUES ('p', 'm', ?1), ('q', 'n', ?1)",
    ] {
        database.execute(sql, [bytes]).expect("rows");
    }
    drop(database);
    for (agent, format) in
        [(Agent::Cursor, LogFormat::CursorDatabase), (Agent::Opencode, LogFormat::OpencodeDatabase)]
    {
        let read = read(&LogSource::new(agent, format, &path), None, IngestLimits::default(), &mut Nothing);
        assert!(read.is_ok(), "a sound database is read, whatever its values: {:?}", read.err());
    }
});
