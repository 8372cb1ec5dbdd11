//! opencode's database. Sessions that have not changed since the last run are skipped.

use rusqlite::{Connection, OptionalExtension, params};

use super::wire::{OpencodeMessage, OpencodePart};
use super::{emit_closing, emit_opening, emit_part, is_placeholder};
use crate::ingest::database::{self, SessionVersions, has_column, has_table};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::log_cursor::LogCursor;
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::LogSource;
use cm_note::instant::Instant;
use cm_session::SessionMeta;
use cm_session::event::EventKind;

pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    database::read_changed(&source.path, cursor, sink, |before, out| emit(source, before, limits, out))
}

struct OpencodeRow {
    id: String,
    parent: Option<String>,
    directory: Option<String>,
    title: Option<String>,
    created: Option<Instant>,
    /// Update time as stored; it is only compared.
    updated: Option<String>,
}

fn emit(
    source: &LogSource,
    before: &SessionVersions,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<SessionVersions> {
    let database = database::open(&source.path)?;
    let mut versions = SessionVersions::new();
    let mut has_tables = false;
    for table in ["session_v2", "session"] {
        if !has_table(&database, table)? {
            continue;
        }
        has_tables = true;
        for row in sessions(&database, table)? {
            if versions.contains_key(&row.id) {
                continue;
            }
            let version = version(&database, &row)?;
            if before.get(&row.id) != Some(&version) {
                emit_session(source, &database, &row, limits, out)?;
            }
            versions.insert(row.id, version);
        }
    }
    if !has_tables {
        out.record(0);
        out.count_unknown("database without a session table");
    }
    Ok(versions)
}

fn sessions(database: &Connection, table: &str) -> rusqlite::Result<Vec<OpencodeRow>> {
    let mut columns = Vec::new();
    for column in ["parent_id", "directory", "title", "time_created", "time_updated"] {
        columns.push(if has_column(database, table, column)? { column } else { "NULL" });
    }
    let sql = format!("SELECT id, {} FROM {table} ORDER BY id", columns.join(", "));
    let mut statement = database.prepare(&sql)?;
    let rows = statement.query_map([], |row| {
        Ok(OpencodeRow {
            id: database::text(row, 0)?.unwrap_or_default(),
            parent: database::text(row, 1)?,
            directory: database::text(row, 2)?,
            title: database::text(row, 3)?,
            created: database::time(row, 4)?,
            updated: database::text(row, 5)?,
        })
    })?;
    rows.collect()
}

/// Returns the session's update time and message counts.
fn version(database: &Connection, session: &OpencodeRow) -> rusqlite::Result<String> {
    let mut version = session.updated.clone().unwrap_or_default();
    for table in ["message", "session_message"] {
        if has_table(database, table)? {
            let sql = format!("SELECT count(*) FROM {table} WHERE session_id = ?1");
            let count: i64 = database.prepare_cached(&sql)?.query_row([&session.id], |row| row.get(0))?;
            version.push_str(&format!("/{count}"));
        }
    }
    Ok(version)
}

fn emit_session(
    source: &LogSource,
    database: &Connection,
    session: &OpencodeRow,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let mut meta = SessionMeta::new(source.agent, session.id.as_str().into());
    meta.subagent = session.parent.is_some();
    meta.parent = session.parent.as_deref().map(Into::into);
    meta.workspace.clone_from(&session.directory);
    meta.extend_time_range(session.created);
    out.begin_named(meta);
    if let Some(title) = session.title.as_deref().filter(|title| !is_placeholder(title)) {
        out.title(title);
    }
    if has_table(database, "session_message")? && has_rows(database, session)? {
        return emit_second(database, session, limits, out);
    }
    if has_table(database, "message")? { emit_first(database, session, limits, out) } else { Ok(()) }
}

fn has_rows(database: &Connection, session: &OpencodeRow) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM session_message WHERE session_id = ?1 LIMIT 1";
    Ok(database.prepare_cached(sql)?.query_row([&session.id], |_| Ok(())).optional()?.is_some())
}

/// Emits the events of the first generation: messages, with their parts in a separate table.
fn emit_first(
    database: &Connection,
    session: &OpencodeRow,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let most = limits.max_record_bytes as i64;
    let mut messages = database.prepare_cached(
        "SELECT id, time_created, octet_length(data) > ?2, CASE WHEN octet_length(data) <= ?2 THEN data END \
         FROM message WHERE session_id = ?1 ORDER BY time_created, id",
    )?;
    let mut parts = database.prepare_cached(
        "SELECT id, octet_length(data) > ?2, CASE WHEN octet_length(data) <= ?2 THEN data END \
         FROM part WHERE message_id = ?1 ORDER BY id",
    )?;
    let mut rows = messages.query(params![session.id, most])?;
    let mut ordinal = 0;
    while let Some(row) = rows.next()? {
        ordinal += 1;
        out.record(ordinal);
        let id = database::text(row, 0)?.unwrap_or_default();
        let created = database::time(row, 1)?;
        let Some(data) = column_value(row, 2, out)? else { continue };
        let parsed = json_object::read(&data, |data| {
            let message: OpencodeMessage<'_> = serde_json::from_slice(data)?;
            let at = message.time.0.as_ref().and_then(|time| time.created.0).or(created);
            emit_opening(at, &id, &message, out);
            let result = emit_parts(
                &mut parts,
                &id,
                most,
                |out, bytes, part_id| {
                    let wire: OpencodePart<'_> = serde_json::from_slice(bytes)?;
                    emit_part(at, part_id, message.role.or_empty(), &wire, out);
                    Ok(())
                },
                out,
            );
            emit_closing(at, &id, &message, out);
            Ok(result)
        });
        match parsed {
            Ok(result) => result?,
            Err(_) => out.count_invalid(),
        }
    }
    Ok(())
}

fn emit_parts(
    parts: &mut rusqlite::CachedStatement<'_>,
    message: &str,
    most: i64,
    mut emit: impl FnMut(&mut Emitter<'_>, &[u8], &str) -> serde_json::Result<()>,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let mut rows = parts.query(params![message, most])?;
    while let Some(row) = rows.next()? {
        let id = database::text(row, 0)?.unwrap_or_default();
        if let Some(data) = column_value(row, 1, out)?
            && emit(out, &data, &id).is_err()
        {
            out.count_invalid();
        }
    }
    Ok(())
}

/// Returns the value in the column after its "too long" flag; `None`, which is counted, if it is
/// too long or NULL.
fn column_value(
    row: &rusqlite::Row<'_>,
    column: usize,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<Option<Vec<u8>>> {
    if row.get::<_, Option<bool>>(column)? == Some(true) {
        out.count_oversized();
        return Ok(None);
    }
    let data = database::bytes(row, column + 1)?;
    if data.is_none() {
        out.skip("row", SkipReason::Empty);
    }
    Ok(data)
}

/// Emits the events of the second generation: messages with types, which contain their parts.
fn emit_second(
    database: &Connection,
    session: &OpencodeRow,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> rusqlite::Result<()> {
    let mut messages = database.prepare_cached(
        "SELECT id, type, time_created, octet_length(data) > ?2, CASE WHEN octet_length(data) <= ?2 THEN data END \
         FROM session_message WHERE session_id = ?1 ORDER BY seq, time_created, id",
    )?;
    let mut rows = messages.query(params![session.id, limits.max_record_bytes as i64])?;
    let mut ordinal = 0;
    while let Some(row) = rows.next()? {
        ordinal += 1;
        out.record(ordinal);
        let id = database::text(row, 0)?.unwrap_or_default();
        let kind = database::text(row, 1)?.unwrap_or_default();
        let created = database::time(row, 2)?;
        let Some(data) = column_value(row, 3, out)? else { continue };
        json_object::emit_object(&data, out, |data, out| {
            let message: OpencodeMessage<'_> = serde_json::from_slice(data)?;
            let at = message.time.0.as_ref().and_then(|time| time.created.0).or(created);
            typed(at, &id, &kind, &message, out);
            Ok(())
        });
    }
    Ok(())
}

fn typed(at: Option<Instant>, id: &str, kind: &str, message: &OpencodeMessage<'_>, out: &mut Emitter<'_>) {
    let text = || message.text.or_empty().to_owned();
    match kind {
        "user" => out.emit_prompt(at, Some(id), message.text.or_empty()),
        "synthetic" | "system" | "skill" => {
            out.emit(at, Some(id), false, EventKind::Injected { text: text() })
        }
        "shell" => {
            let kind = EventKind::PersonCommand {
                command: message.command.or_empty().to_owned(),
                output: message.output.owned(),
                exit_code: None,
            };
            out.emit(at, Some(id), false, kind);
        }
        "assistant" => {
            emit_opening(at, id, message, out);
            if let MessageContent::Blocks(pieces) = &message.content {
                for piece in pieces {
                    match piece {
                        ContentPiece::Block(block) => emit_part(at, id, "assistant", block, out),
                        ContentPiece::Text(text) => {
                            let text = text.clone().into_owned();
                            out.emit(at, Some(id), false, EventKind::AssistantText { text });
                        }
                        ContentPiece::Nothing => out.count_unknown("assistant/no block"),
                    }
                }
            }
            emit_closing(at, id, message, out);
        }
        "compaction" => {
            let kind =
                EventKind::Compaction { trigger: message.reason.owned(), summary: message.summary.owned() };
            out.emit(at, Some(id), false, kind);
        }
        other => out.count_unknown(&format!("session_message/{other}")),
    }
}
