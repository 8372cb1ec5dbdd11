//! A log truncated at any position yields all events before that position.

use std::collections::BTreeMap;

use cm_agents::ingest::{IngestLimits, LogFormat, read, read_bytes};
use cm_session::event::SessionEvent;

use super::event_recorder::{RecordedEvents, examples, source};

/// An example of each format that can be read from memory.
pub const EXAMPLES: [(LogFormat, &str); 13] = [
    (
        LogFormat::ClaudeLines,
        "claude_code/projects/-home-dev-demo/11111111-aaaa-4bbb-8ccc-000000000001.jsonl",
    ),
    (
        LogFormat::CodexLines,
        "codex/sessions/2026/10/05/rollout-2026-10-05T10-00-00-0199aaaa-0000-7000-8000-000000000002.jsonl",
    ),
    (
        LogFormat::CursorTranscript,
        "cursor/projects/home-dev-demo/agent-transcripts/22222222-0000-4000-8000-000000000003/22222222-0000-4000-8000-000000000003.jsonl",
    ),
    (LogFormat::AiderHistory, "aider/demo/.aider.chat.history.md"),
    (
        LogFormat::PiTree,
        "pi_agent/agent/sessions/--home-dev-demo--/2026-10-05T12-00-00-000Z_33333333-0000-7000-8000-000000000004.jsonl",
    ),
    (LogFormat::QwenLines, "qwen/projects/-home-dev-demo/chats/77777777-aaaa-4bbb-8ccc-000000000007.jsonl"),
    (LogFormat::GeminiLines, "gemini/tmp/demo/chats/session-2026-10-05T13-00-44444444.jsonl"),
    (
        LogFormat::GeminiDocument,
        "gemini/tmp/c6604f1ed37b2f8d96e8e55765a4a09cbc48bd090f4d5eae9b7959006114510f/chats/session-2026-01-02T03-04-55555555.json",
    ),
    (LogFormat::ChatgptDocument, "chatgpt/conversations.json"),
    (LogFormat::ClineTask, "cline/globalStorage/saoudrizwan.claude-dev/tasks/1791216000000/ui_messages.json"),
    (LogFormat::AmpThread, "amp/threads/T-77777777-0000-4000-8000-000000000009.json"),
    (LogFormat::CopilotLines, "copilot_cli/session-state/88888888-0000-4000-8000-00000000000a/events.jsonl"),
    (LogFormat::SentLines, "sent/codex/s-1.jsonl"),
];

/// Events by session position, line and part. Session ids are not used, because they may appear
/// late in a log.
pub type Places = BTreeMap<(usize, u64, u32), SessionEvent>;

pub fn told(format: LogFormat, path: &str, bytes: &[u8]) -> Places {
    let mut told = RecordedEvents::default();
    read_bytes(&source(format, path), bytes, IngestLimits::default(), &mut told);
    let mut places = Places::new();
    for (session, id) in told.order.iter().enumerate() {
        for ((line, part), event) in &told.sessions[id].events {
            places.insert((session, *line, *part), event.clone());
        }
    }
    places
}

/// Asserts that earlier events are still present, possibly longer, unless the complete log retracts
/// them.
pub fn hold(before: &Places, now: &Places, whole: &Places, what: &str) {
    for (place, event) in before {
        let later = now.get(place);
        let grew = later.is_some_and(|later| {
            later.kind.name() == event.kind.name() && later.kind.text() >= event.kind.text()
        });
        assert!(grew || !whole.contains_key(place), "{what} lost {event:?}, and has {later:?}");
    }
}

#[test]
fn a_log_cut_at_any_byte_never_loses_earlier_events() {
    for (format, path) in EXAMPLES {
        let bytes = std::fs::read(examples().join(path)).unwrap();
        let whole = told(format, path, &bytes);
        assert!(whole.len() > 1, "{path}");
        let mut before = Places::new();
        for cut in 0..=bytes.len() {
            let now = told(format, path, &bytes[..cut]);
            hold(&before, &now, &whole, &format!("{path} cut at {cut}"));
            before = now;
        }
        assert_eq!(before, whole);
    }
}

#[test]
fn a_compressed_log_cut_at_any_byte_tells_what_came_before_or_nothing() {
    let (_, path) = EXAMPLES[1];
    let plain = std::fs::read(examples().join(path)).unwrap();
    let bytes =
        ruzstd::encoding::compress_to_vec(plain.as_slice(), ruzstd::encoding::CompressionLevel::Uncompressed);
    let whole = told(LogFormat::CodexCompressed, path, &bytes);
    assert_eq!(whole, told(LogFormat::CodexLines, path, &plain));
    for cut in 0..bytes.len() {
        for (place, event) in told(LogFormat::CodexCompressed, path, &bytes[..cut]) {
            assert_eq!(whole[&place], event);
        }
    }
}

#[test]
fn a_database_cut_anywhere_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (format, path) in [
        (LogFormat::CursorDatabase, "cursor/User/globalStorage/state.vscdb"),
        (LogFormat::OpencodeDatabase, "opencode/opencode.db"),
    ] {
        let bytes = std::fs::read(examples().join(path)).unwrap();
        let mut whole = 0;
        for cut in (0..=bytes.len()).step_by(512) {
            let to = folder.path().join("cut.db");
            std::fs::write(&to, &bytes[..cut]).unwrap();
            let mut told = RecordedEvents::default();
            match read(&source(format, &to.to_string_lossy()), None, IngestLimits::default(), &mut told) {
                Ok(_) => whole = told.events().len(),
                Err(error) => assert!(error.to_string().contains("cut.db"), "{error}"),
            }
        }
        assert!(whole > 2);
    }
}

mod any {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_example_with_any_bytes_changed_never_panics(
            which in 0..EXAMPLES.len(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        ) {
            let (format, path) = EXAMPLES[which];
            let mut bytes = std::fs::read(examples().join(path)).unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            told(format, path, &bytes);
        }
    }
}
