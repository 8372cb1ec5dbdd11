//! Databases of editors and agents: several sessions per file, credentials in other tables, and
//! concurrent writers.

use std::path::Path;

use cm_agents::ingest::{IngestLimits, LogFormat, LogSource, ReadStart, find, read};
use cm_session::Agent;
use rusqlite::{Connection, params};

use super::event_recorder::{RecordedEvents, places_of};

fn cursor_database(path: &Path) -> Connection {
    let database = Connection::open(path).unwrap();
    database
        .execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB); CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);")
        .unwrap();
    database
}

fn put(database: &Connection, table: &str, key: &str, value: &str) {
    database
        .execute(&format!("INSERT OR REPLACE INTO {table} VALUES (?1, ?2)"), params![key, value])
        .unwrap();
}

fn composer(database: &Connection, id: &str, updated: u64, bubbles: &[&str]) {
    let headers: Vec<_> =
        bubbles.iter().map(|bubble| serde_json::json!({"bubbleId": bubble, "type": 1})).collect();
    let value = serde_json::json!({"composerId": id, "lastUpdatedAt": updated, "fullConversationHeadersOnly": headers,
        "blobEncryptionKey": "hunter2-key"});
    put(database, "cursorDiskKV", &format!("composerData:{id}"), &value.to_string());
    for bubble in bubbles {
        let value = serde_json::json!({"type": 1, "bubbleId": bubble, "text": format!("{id} says {bubble}")});
        put(database, "cursorDiskKV", &format!("bubbleId:{id}:{bubble}"), &value.to_string());
    }
}

#[test]
fn only_conversations_that_changed_are_told_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let database = cursor_database(&path);
    composer(&database, "one", 1, &["a"]);
    composer(&database, "two", 1, &["a"]);
    let source = LogSource::new(Agent::Cursor, LogFormat::CursorDatabase, &path);
    let mut told = RecordedEvents::default();
    let first = read(&source, None, IngestLimits::default(), &mut told).unwrap();
    assert_eq!(told.lines(), ["user_prompt: one says a", "user_prompt: two says a"]);
    composer(&database, "two", 2, &["a", "b"]);
    let mut told = RecordedEvents::default();
    let second = read(&source, Some(&first.cursor), IngestLimits::default(), &mut told).unwrap();
    assert_eq!(second.progress, ReadStart::Continued);
    assert_eq!(told.lines(), ["user_prompt: two says a", "user_prompt: two says b"]);
}

#[test]
fn credentials_beside_the_conversations_never_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let database = cursor_database(&path);
    composer(&database, "one", 1, &["a"]);
    for key in ["cursorAuth/accessToken", "cursorAuth/refreshToken", "secret://x"] {
        put(
            &database,
            "ItemTable",
            key,
            r#"{"tabs":[{"tabId":"t","bubbles":[{"type":"user","text":"hunter2"}]}]}"#,
        );
        put(&database, "cursorDiskKV", key, r#"{"text":"hunter2"}"#);
    }
    put(&database, "cursorDiskKV", "bubbleId:one:c", r#"{"type":1,"text":"not listed"}"#);
    let mut told = RecordedEvents::default();
    let reading = read(
        &LogSource::new(Agent::Cursor, LogFormat::CursorDatabase, &path),
        None,
        IngestLimits::default(),
        &mut told,
    )
    .unwrap();
    assert_eq!(told.lines(), ["user_prompt: one says a"]);
    let everything = format!("{told:?} {}", serde_json::to_string(&reading.cursor).unwrap());
    assert!(!everything.contains("hunter2"));
}

#[test]
fn cursors_older_conversations_are_told_from_the_two_named_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let database = cursor_database(&path);
    put(
        &database,
        "ItemTable",
        "workbench.panel.aichat.view.aichat.chatdata",
        r#"{"tabs":[{"tabId":"t1","chatTitle":"Old","bubbles":[{"type":"user","id":"1","text":"hi"},{"type":"ai","id":"2","rawText":"hello"}]}]}"#,
    );
    put(
        &database,
        "ItemTable",
        "composer.composerData",
        r#"{"allComposers":[{"composerId":"c1","conversation":[{"type":1,"bubbleId":"1","text":"older"}]}]}"#,
    );
    put(
        &database,
        "cursorDiskKV",
        "composerData:c2",
        r#"{"composerId":"c2","conversationMap":{"x":{"type":1,"text":"mapped"}},"fullConversationHeadersOnly":[{"bubbleId":"x"}]}"#,
    );
    database
        .execute_batch(
            "CREATE TABLE composerHeaders(composerId TEXT, value TEXT);
             INSERT INTO composerHeaders VALUES ('c4', '{\"name\":\"Newer\"}'), ('c2', '{}');",
        )
        .unwrap();
    put(&database, "cursorDiskKV", "bubbleId:c4:1", r#"{"type":1,"text":"of the table"}"#);
    put(&database, "cursorDiskKV", "composerData:c3", r#"{"composerId":"c3"}"#);
    put(&database, "cursorDiskKV", "bubbleId:c3:9", r#"{"type":1,"text":"unlisted"}"#);
    let mut told = RecordedEvents::default();
    read(
        &LogSource::new(Agent::Cursor, LogFormat::CursorDatabase, &path),
        None,
        IngestLimits::default(),
        &mut told,
    )
    .unwrap();
    let mut lines = told.lines();
    lines.sort();
    assert_eq!(
        lines,
        [
            "assistant_text: hello",
            "user_prompt: hi",
            "user_prompt: mapped",
            "user_prompt: of the table",
            "user_prompt: older",
            "user_prompt: unlisted",
        ]
    );
}

#[test]
fn a_value_beyond_the_limit_costs_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    let database = cursor_database(&path);
    composer(&database, "one", 1, &["a", "b"]);
    let long = serde_json::json!({"type": 1, "text": "x".repeat(10_000)}).to_string();
    put(&database, "cursorDiskKV", "bubbleId:one:a", &long);
    let mut told = RecordedEvents::default();
    let source = LogSource::new(Agent::Cursor, LogFormat::CursorDatabase, &path);
    let reading = read(&source, None, IngestLimits { max_record_bytes: 1000 }, &mut told).unwrap();
    assert_eq!(told.lines(), ["user_prompt: one says b"]);
    assert_eq!(reading.tally.oversized.count, 1);
}

#[test]
fn a_chat_of_cursors_command_line_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chats/md5/33333333-0000-4000-8000-000000000001/store.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch("CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);")
        .unwrap();
    let digits: String = br#"{"name":"Rename"}"#.iter().map(|byte| format!("{byte:02x}")).collect();
    database.execute("INSERT INTO meta VALUES ('0', ?1)", [digits]).unwrap();
    for data in [
        r#"{"role":"user","content":"<user_info>\nOS\n</user_info>"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"<user_query>\nrename it\n</user_query>"}]}"#,
        r#"{"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"tool-call","toolCallId":"t","toolName":"Shell","args":{"command":"ls"}}]}"#,
        r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","toolName":"Shell","result":"a.rs","isError":false}]}"#,
    ] {
        database.execute("INSERT INTO blobs VALUES ('x', ?1)", [data.as_bytes()]).unwrap();
    }
    database.execute("INSERT INTO blobs VALUES ('y', ?1)", [&[10u8, 32, 1][..]]).unwrap();
    let mut places = places_of(Agent::Codex);
    places.extra_paths.insert(Agent::Cursor, vec![folder.path().to_owned()]);
    let found = find(&[Agent::Cursor], &places);
    let mut told = RecordedEvents::default();
    let reading = read(&found.sources[0], None, IngestLimits::default(), &mut told).unwrap();
    assert_eq!(
        told.lines(),
        ["user_prompt: rename it", "thinking: hm", "tool_call: -", "tool_result: a.rs",]
    );
    let meta = told.sessions[&told.order[0]].meta.as_ref().unwrap();
    assert_eq!(meta.id.as_str(), "33333333-0000-4000-8000-000000000001");
    assert_eq!(meta.title.as_deref(), Some("Rename"));
    assert_eq!((reading.tally.records, reading.tally.not_understood()), (5, 0));
}

#[test]
fn opencodes_second_tables_go_before_its_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session_v2(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE session_message(session_id TEXT, id TEXT, type TEXT, seq INTEGER, data TEXT, time_created INTEGER);
             CREATE TABLE session(id TEXT, directory TEXT, title TEXT);
             CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
             CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT);
             INSERT INTO session_v2 VALUES ('ses_1', NULL, '/w', 'New session - 2026', 1791212400000, 1);
             INSERT INTO session VALUES ('ses_1', '/w', 'x'), ('ses_0', '/w', 'Old');
             INSERT INTO message VALUES ('msg_0', 'ses_1', 1, '{\"role\":\"user\"}'), ('msg_9', 'ses_0', 1, '{\"role\":\"assistant\",\"error\":{\"name\":\"MessageAbortedError\"}}');
             INSERT INTO part VALUES ('prt_0', 'msg_0', 'ses_1', '{\"type\":\"text\",\"text\":\"told twice\"}');",
        )
        .unwrap();
    for (seq, kind, data) in [
        (1, "user", r#"{"text":"fix it"}"#),
        (2, "synthetic", r#"{"text":"reminder"}"#),
        (3, "shell", r#"{"command":"ls","output":"a"}"#),
        (
            4,
            "assistant",
            r#"{"model":{"id":"m1"},"content":[{"type":"text","text":"ok"},{"type":"tool","id":"c","name":"bash","state":{"status":"completed","input":{"command":"false"},"output":"no","metadata":{"exit":1}}}]}"#,
        ),
        (5, "compaction", r#"{"reason":"auto","summary":"short"}"#),
        (6, "telepathy", "{}"),
    ] {
        database
            .execute(
                "INSERT INTO session_message VALUES ('ses_1', ?1, ?2, ?3, ?4, 1)",
                params![format!("m{seq}"), kind, seq, data],
            )
            .unwrap();
    }
    let mut told = RecordedEvents::default();
    let source = LogSource::new(Agent::Opencode, LogFormat::OpencodeDatabase, &path);
    let reading = read(&source, None, IngestLimits::default(), &mut told).unwrap();
    assert_eq!(
        told.lines(),
        [
            "user_prompt: fix it",
            "injected: reminder",
            "person_command: ls",
            "assistant_text: ok",
            "tool_call: -",
            "tool_result: no",
            "compaction: short",
            "interrupt: -",
        ]
    );
    assert_eq!(reading.tally.unknown["session_message/telepathy"], 1);
    let meta = told.sessions[&told.order[0]].meta.as_ref().unwrap();
    assert_eq!((meta.title.as_deref(), meta.workspace.as_deref()), (Some("fix it"), Some("/w")));
}

#[test]
fn what_is_no_database_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    std::fs::write(&path, "hello, I am no database at all, but long enough to be one").unwrap();
    let source = LogSource::new(Agent::Opencode, LogFormat::OpencodeDatabase, &path);
    let error = read(&source, None, IngestLimits::default(), &mut RecordedEvents::default()).unwrap_err();
    assert!(error.to_string().contains("opencode.db as a database"), "{error}");
}

#[test]
fn a_chatgpt_export_is_read_from_its_archive() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    let list = std::fs::read(super::event_recorder::examples().join("chatgpt/conversations.json")).unwrap();
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let options =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in [("user.json", b"{}".as_slice()), ("conversations-000.json", &list)] {
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap();
    let mut places = places_of(Agent::Codex);
    places.extra_paths.insert(Agent::Chatgpt, vec![path.clone()]);
    let found = find(&[Agent::Chatgpt], &places);
    let mut from_archive = RecordedEvents::default();
    read(&found.sources[0], None, IngestLimits::default(), &mut from_archive).unwrap();
    let mut from_file = RecordedEvents::default();
    let source = find(&[Agent::Chatgpt], &places_of(Agent::Chatgpt)).sources.remove(0);
    read(&source, None, IngestLimits::default(), &mut from_file).unwrap();
    assert_eq!(from_archive, from_file);
    assert!(!from_file.events().is_empty());
    std::fs::write(&path, b"PK no").unwrap();
    let error =
        read(&found.sources[0], None, IngestLimits::default(), &mut RecordedEvents::default()).unwrap_err();
    assert!(error.to_string().contains("export.zip as a zip archive"), "{error}");
}
