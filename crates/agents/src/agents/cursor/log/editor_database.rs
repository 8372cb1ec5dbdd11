//! The Cursor editor's database: conversations and messages, stored as JSON values under separate
//! keys.
//!
//! Conversations that have not changed since the last run are skipped.

use rusqlite::{Connection, OptionalExtension, params};

use super::editor_message;
use super::wire::{AllComposers, Bubble, Composer, Tab, Tabs};
use crate::ingest::database::{self, SessionVersions, has_table};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::log_cursor::LogCursor;
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::LogSource;
use cm_session::SessionMeta;

/// The two keys of `ItemTable` that contain conversations. The table also contains credentials, so
/// no other key is queried.
const CHATS: &str = "workbench.panel.aichat.view.aichat.chatdata";
const COMPOSERS: &str = "composer.composerData";

pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    database::read_changed(&source.path, cursor, sink, |before, out| {
        let mut desktop = EditorDatabase { source, limits, before, now: SessionVersions::new() };
        desktop.emit(out)?;
        Ok(desktop.now)
    })
}

struct EditorDatabase<'s> {
    source: &'s LogSource,
    limits: IngestLimits,
    before: &'s SessionVersions,
    now: SessionVersions,
}

impl EditorDatabase<'_> {
    fn emit(&mut self, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
        let database = database::open(&self.source.path)?;
        let mut has_tables = false;
        if has_table(&database, "cursorDiskKV")? {
            has_tables = true;
            self.composers(&database, out)?;
            if has_table(&database, "composerHeaders")? {
                self.headers(&database, out)?;
            }
        }
        if has_table(&database, "ItemTable")? {
            has_tables = true;
            self.items(&database, out)?;
        }
        if !has_tables {
            out.record(0);
            out.count_unknown("database without conversations");
        }
        Ok(())
    }

    /// Reads the conversations that are stored under keys of their own, `composerData:{id}`.
    fn composers(&mut self, database: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
        let mut composers = database.prepare(
            "SELECT substr(key, 14), octet_length(value) > ?1, CASE WHEN octet_length(value) <= ?1 THEN value END \
             FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key",
        )?;
        let mut rows = composers.query([self.limits.max_record_bytes as i64])?;
        while let Some(row) = rows.next()? {
            let Some(id) = database::text(row, 0)? else { continue };
            if row.get::<_, Option<bool>>(1)? == Some(true) {
                out.record(0);
                out.count_oversized();
                continue;
            }
            // A deleted conversation leaves its key behind.
            let Some(value) = database::bytes(row, 2)? else { continue };
            self.json_composer(database, &id, &value, out)?;
        }
        Ok(())
    }

    /// Reads the conversations that newer versions store in a table, except those that also have
    /// their own key.
    fn headers(&mut self, database: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
        let mut headers = database.prepare(
            "SELECT composerId, CASE WHEN octet_length(value) <= ?1 THEN value END FROM composerHeaders ORDER BY composerId",
        )?;
        let mut rows = headers.query([self.limits.max_record_bytes as i64])?;
        while let Some(row) = rows.next()? {
            let Some(id) = database::text(row, 0)? else { continue };
            if self.now.contains_key(&id) {
                continue;
            }
            let value = database::bytes(row, 1)?.unwrap_or_else(|| b"{}".to_vec());
            self.json_composer(database, &id, &value, out)?;
        }
        Ok(())
    }

    fn json_composer(
        &mut self,
        database: &Connection,
        id: &str,
        value: &[u8],
        out: &mut Emitter<'_>,
    ) -> rusqlite::Result<()> {
        let parsed = json_object::read(value, |value| {
            let composer: Composer<'_> = serde_json::from_slice(value)?;
            Ok(self.composer(database, id, &composer, out))
        });
        parsed.unwrap_or_else(|_| {
            out.record(0);
            out.count_invalid();
            Ok(())
        })
    }

    fn composer(
        &mut self,
        database: &Connection,
        id: &str,
        composer: &Composer<'_>,
        out: &mut Emitter<'_>,
    ) -> rusqlite::Result<()> {
        let headers = &composer.full_conversation_headers_only.0;
        let inline = composer.conversation.0.len();
        let version = format!("{}/{}/{inline}", composer.last_updated_at.text(), headers.len());
        let unchanged = self.before.get(id) == Some(&version);
        self.now.insert(id.to_owned(), version);
        if unchanged {
            return Ok(());
        }
        self.begin(id, composer, out);
        let mut ordinal = 0;
        for bubble in &composer.conversation.0 {
            ordinal += 1;
            out.record(ordinal);
            editor_message::emit(bubble, out);
        }
        for tab in &composer.tabs.0 {
            for bubble in &tab.bubbles.0 {
                ordinal += 1;
                out.record(ordinal);
                editor_message::emit(bubble, out);
            }
        }
        let map = composer.conversation_map.0.as_ref();
        for bubble_id in headers.iter().filter_map(|header| header.bubble_id.non_blank()) {
            ordinal += 1;
            out.record(ordinal);
            if !self.stored(database, id, bubble_id, out)? {
                match map.and_then(|map| map.get(bubble_id)) {
                    Some(bubble) => editor_message::emit(bubble, out),
                    None => out.skip("bubble", SkipReason::Empty),
                }
            }
        }
        if ordinal == 0 { self.unlisted(database, id, out) } else { Ok(()) }
    }

    fn begin(&self, id: &str, composer: &Composer<'_>, out: &mut Emitter<'_>) {
        let mut meta = SessionMeta::new(self.source.agent, id.into());
        meta.workspace.clone_from(&self.source.workspace);
        meta.subagent = composer.is_subagent.is_set();
        meta.model = composer
            .model_config
            .0
            .as_ref()
            .and_then(|model| model.model_name.owned())
            .filter(|model| model != "default");
        meta.extend_time_range(composer.created_at.0);
        out.begin_named(meta);
        if let Some(name) = composer.name.non_blank() {
            out.title(name);
        }
        let uri = composer.workspace_identifier.0.as_ref().and_then(|workspace| workspace.uri.0.as_ref());
        if let Some(folder) = uri.and_then(|uri| uri.fs_path.non_blank().or(uri.path.non_blank())) {
            out.workspace(folder);
        }
    }

    /// Emits the events of a message that is stored under a key of its own; returns whether the key
    /// exists.
    fn stored(
        &self,
        database: &Connection,
        id: &str,
        bubble_id: &str,
        out: &mut Emitter<'_>,
    ) -> rusqlite::Result<bool> {
        let mut query = database.prepare_cached(
            "SELECT octet_length(value) > ?2, CASE WHEN octet_length(value) <= ?2 THEN value END \
             FROM cursorDiskKV WHERE key = ?1",
        )?;
        let found = query
            .query_row(
                params![format!("bubbleId:{id}:{bubble_id}"), self.limits.max_record_bytes as i64],
                |row| Ok((row.get::<_, Option<bool>>(0)?, database::bytes(row, 1)?)),
            )
            .optional()?;
        match found {
            None => Ok(false),
            Some((Some(true), _)) => {
                out.count_oversized();
                Ok(true)
            }
            Some((_, None)) => Ok(false),
            Some((_, Some(value))) => {
                emit_bubble(&value, out);
                Ok(true)
            }
        }
    }

    /// Emits the events of a conversation without a message list, ordered by time.
    fn unlisted(&self, database: &Connection, id: &str, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
        let mut query = database.prepare_cached(
            "SELECT value FROM cursorDiskKV WHERE key >= ?1 AND key < ?2 AND octet_length(value) <= ?3 \
             ORDER BY CASE WHEN json_valid(value) THEN json_extract(value, '$.createdAt') END, key",
        )?;
        let range = (format!("bubbleId:{id}:"), format!("bubbleId:{id};"));
        let mut rows = query.query(params![range.0, range.1, self.limits.max_record_bytes as i64])?;
        let mut ordinal = 0;
        while let Some(row) = rows.next()? {
            let Some(value) = database::bytes(row, 0)? else { continue };
            ordinal += 1;
            out.record(ordinal);
            emit_bubble(&value, out);
        }
        Ok(())
    }

    /// Reads the conversations that older versions store together under one key.
    fn items(&mut self, database: &Connection, out: &mut Emitter<'_>) -> rusqlite::Result<()> {
        if let Some(value) = self.item(database, CHATS, out)?
            && json_object::read(&value, |value| {
                serde_json::from_slice(value).map(|tabs| self.chats(&tabs, out))
            })
            .is_err()
        {
            out.record(0);
            out.count_invalid();
        }
        let Some(value) = self.item(database, COMPOSERS, out)? else { return Ok(()) };
        let parsed = json_object::read(&value, |value| {
            let all: AllComposers<'_> = serde_json::from_slice(value)?;
            for composer in &all.all_composers.0 {
                // The list names conversations that have keys of their own; only older ones are in it.
                if let Some(id) =
                    composer.composer_id.non_blank().filter(|_| !composer.conversation.0.is_empty())
                {
                    let parsed = self.composer(database, id, composer, out);
                    if parsed.is_err() {
                        return Ok(parsed);
                    }
                }
            }
            Ok(Ok(()))
        });
        match parsed {
            Ok(parsed) => parsed,
            Err(_) => {
                out.record(0);
                out.count_invalid();
                Ok(())
            }
        }
    }

    fn item(
        &self,
        database: &Connection,
        key: &str,
        out: &mut Emitter<'_>,
    ) -> rusqlite::Result<Option<Vec<u8>>> {
        let mut query = database.prepare_cached(
            "SELECT octet_length(value) > ?2, CASE WHEN octet_length(value) <= ?2 THEN value END FROM ItemTable WHERE key = ?1",
        )?;
        let most = self.limits.max_record_bytes.saturating_mul(4) as i64;
        let found = query
            .query_row(params![key, most], |row| {
                Ok((row.get::<_, Option<bool>>(0)?, database::bytes(row, 1)?))
            })
            .optional()?;
        if let Some((Some(true), _)) = found {
            out.record(0);
            out.count_oversized();
        }
        Ok(found.and_then(|(_, value)| value))
    }

    fn chats(&mut self, tabs: &Tabs<'_>, out: &mut Emitter<'_>) {
        for tab in &tabs.tabs.0 {
            let Some(id) = tab.tab_id.non_blank() else {
                out.record(0);
                out.count_unknown("chat without an id");
                continue;
            };
            let version = format!("{}", tab.bubbles.0.len());
            if self.before.get(id) != Some(&version) {
                self.chat(id, tab, out);
            }
            self.now.insert(id.to_owned(), version);
        }
    }

    fn chat(&self, id: &str, tab: &Tab<'_>, out: &mut Emitter<'_>) {
        let mut meta = SessionMeta::new(self.source.agent, id.into());
        meta.workspace.clone_from(&self.source.workspace);
        meta.extend_time_range(tab.last_send_time.0);
        out.begin_named(meta);
        if let Some(title) = tab.chat_title.non_blank() {
            out.title(title);
        }
        for (at, bubble) in tab.bubbles.0.iter().enumerate() {
            out.record(at as u64 + 1);
            editor_message::emit(bubble, out);
        }
    }
}

fn emit_bubble(value: &[u8], out: &mut Emitter<'_>) {
    json_object::emit_object(value, out, |value, out| {
        let bubble: Bubble<'_> = serde_json::from_slice(value)?;
        editor_message::emit(&bubble, out);
        Ok(())
    });
}
