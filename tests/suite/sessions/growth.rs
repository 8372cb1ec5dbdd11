//! Logs that grow, shrink or change between two runs.

use std::path::Path;

use cm_agents::ingest::{IngestLimits, LogCursor, LogFormat, LogSource, ReadStart, read};
use cm_session::Agent;

use super::cut::EXAMPLES;
use super::event_recorder::{RecordedEvents, agent_of, examples};

fn run(source: &LogSource, cursor: Option<&LogCursor>, told: &mut RecordedEvents) -> (LogCursor, ReadStart) {
    let reading = read(source, cursor, IngestLimits::default(), told).unwrap();
    // Cursors are stored as text between runs.
    let text = serde_json::to_string(&reading.cursor).unwrap();
    (serde_json::from_str(&text).unwrap(), reading.progress)
}

/// Returns a log of this format in its own folder, with its file name from the examples.
fn log(folder: &Path, format: LogFormat, path: &str) -> LogSource {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    LogSource::new(agent_of(format), format, path)
}

#[test]
fn reading_on_after_any_cut_tells_the_same_as_reading_once() {
    let folder = tempfile::tempdir().unwrap();
    for (format, path) in EXAMPLES {
        let bytes = std::fs::read(examples().join(path)).unwrap();
        let source = log(folder.path(), format, path);
        std::fs::write(&source.path, &bytes).unwrap();
        let mut once = RecordedEvents::default();
        run(&source, None, &mut once);
        let once = once.without_skipped();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let cuts: Vec<usize> =
            ends.clone().chain(ends.map(|end| end - 1)).chain((0..bytes.len()).step_by(61)).collect();
        for cut in cuts {
            std::fs::write(&source.path, &bytes[..cut]).unwrap();
            let mut told = RecordedEvents::default();
            let (cursor, _) = run(&source, None, &mut told);
            std::fs::write(&source.path, &bytes).unwrap();
            let (cursor, _) = run(&source, Some(&cursor), &mut told);
            let mut known = told.without_skipped();
            // A truncated document may yield events before its id; the complete one repeats them.
            known.sessions.retain(|id, _| !id.as_str().starts_with("path-"));
            known.order.retain(|id| known.sessions.contains_key(id));
            assert_eq!(known, once, "{path} cut at {cut}");
            let (_, progress) = run(&source, Some(&cursor), &mut RecordedEvents::default());
            assert_eq!(progress, ReadStart::Unchanged);
        }
    }
}

#[test]
fn logs_that_are_appended_to_are_read_on_and_not_again() {
    let folder = tempfile::tempdir().unwrap();
    for (format, path) in EXAMPLES {
        if !matches!(
            format,
            LogFormat::ClaudeLines
                | LogFormat::CodexLines
                | LogFormat::CopilotLines
                | LogFormat::CursorTranscript
        ) {
            continue;
        }
        let bytes = std::fs::read(examples().join(path)).unwrap();
        let source = log(folder.path(), format, path);
        let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        std::fs::write(&source.path, &bytes[..last]).unwrap();
        let (cursor, progress) = run(&source, None, &mut RecordedEvents::default());
        assert_eq!((progress, cursor.offset()), (ReadStart::FromStart, last as u64));
        std::fs::write(&source.path, &bytes).unwrap();
        let mut told = RecordedEvents::default();
        let (_, progress) = run(&source, Some(&cursor), &mut told);
        assert_eq!(progress, ReadStart::Continued, "{path}");
        assert_eq!(told.events().len(), 1, "{path} told more than its last record");
    }
}

#[test]
fn a_log_that_shrank_or_was_rewritten_is_told_from_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let source = log(folder.path(), LogFormat::ClaudeLines, "11111111-aaaa-4bbb-8ccc-000000000001.jsonl");
    let line = |said: &str| {
        format!("{{\"type\":\"user\",\"uuid\":\"{said}\",\"message\":{{\"content\":\"{said}\"}}}}\n")
    };
    std::fs::write(&source.path, line("one") + &line("two")).unwrap();
    let mut told = RecordedEvents::default();
    let (cursor, _) = run(&source, None, &mut told);
    for (now, lines) in [
        (line("one"), vec!["user_prompt: one"]),
        (line("ONE") + &line("two"), vec!["user_prompt: ONE", "user_prompt: two"]),
        (
            line("one") + &line("TWO") + &line("three"),
            vec!["user_prompt: one", "user_prompt: TWO", "user_prompt: three"],
        ),
    ] {
        std::fs::write(&source.path, now).unwrap();
        let mut told = told.clone();
        let (_, progress) = run(&source, Some(&cursor), &mut told);
        assert_eq!(progress, ReadStart::FromStart);
        assert_eq!(told.lines(), lines);
    }
}

#[test]
fn a_record_without_an_end_of_line_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let source = log(folder.path(), LogFormat::ClaudeLines, "x.jsonl");
    let line = |said: &str| {
        format!("{{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{{\"content\":\"{said}\"}}}}")
    };
    std::fs::write(&source.path, line("one")).unwrap();
    let mut told = RecordedEvents::default();
    let (cursor, _) = run(&source, None, &mut told);
    assert_eq!(told.lines(), ["user_prompt: one"]);
    std::fs::write(&source.path, line("one") + "\r\n" + &line("two") + "\n").unwrap();
    let mut told = RecordedEvents::default();
    run(&source, Some(&cursor), &mut told);
    assert_eq!(told.events().iter().map(|event| event.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_missing_log_is_an_error_that_says_which() {
    let source = LogSource::new(Agent::Codex, LogFormat::CodexLines, "/nowhere/rollout.jsonl");
    let error = read(&source, None, IngestLimits::default(), &mut RecordedEvents::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read /nowhere/rollout.jsonl:"), "{error}");
}

#[test]
fn a_redacted_cursor_holds_nothing_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    for (format, path) in EXAMPLES {
        let bytes = std::fs::read(examples().join(path)).unwrap();
        let source = log(folder.path(), format, path);
        for cut in (0..=bytes.len()).step_by(37) {
            std::fs::write(&source.path, &bytes[..cut]).unwrap();
            let mut told = RecordedEvents::default();
            let mut cursor = read(&source, None, IngestLimits::default(), &mut told).unwrap().cursor;
            cursor.redact(|_| "title".to_owned());
            let kept = serde_json::to_string(&cursor).unwrap();
            for text in told.events().iter().filter_map(|event| event.kind.text()) {
                let said = serde_json::to_string(text).unwrap();
                assert!(!kept.contains(said.trim_matches('"')), "{path}: {kept} holds {text}");
            }
        }
    }
}
