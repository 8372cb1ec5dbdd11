//! Logs of real sessions, if `CM_EVAL` names a folder with them. They are never part of the
//! project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cm_agents::ingest::{IngestLimits, LogFormat, LogSource, read};

use super::cut::{Places, hold, told};
use super::event_recorder::{RecordedEvents, agent_of};

/// Returns the format of the logs in a folder, if they were written by an agent itself.
fn format_of(folder: &str, path: &Path) -> Option<LogFormat> {
    let ending = path.extension()?.to_str()?;
    match (folder, ending) {
        ("claude-code" | "claude-code-fixture", "jsonl") => Some(LogFormat::ClaudeLines),
        ("codex" | "codex-fixture", "jsonl") => Some(LogFormat::CodexLines),
        ("pi", "jsonl") => Some(LogFormat::PiTree),
        ("gemini-cli", "jsonl") => Some(LogFormat::GeminiLines),
        ("gemini-cli", "json") => Some(LogFormat::GeminiDocument),
        ("aider", "md") => Some(LogFormat::AiderHistory),
        ("copilot-cli", "jsonl") => Some(LogFormat::CopilotLines),
        ("amp", "json") => Some(LogFormat::AmpThread),
        _ => None,
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn of_real_logs_less_than_one_record_in_a_hundred_is_not_understood() {
    let Some(root) = std::env::var_os("CM_EVAL") else { return };
    let mut seen = BTreeMap::<String, (u64, u64, u64)>::new();
    for folder in files(&PathBuf::from(root).join("sessions")).into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        for path in files(&folder) {
            let Some(format) = format_of(&name, &path) else { continue };
            let mut told = RecordedEvents::default();
            let source = LogSource::new(agent_of(format), format, &path);
            let tally = read(&source, None, IngestLimits::default(), &mut told).unwrap().tally;
            let all = seen.entry(name.clone()).or_default();
            *all = (all.0 + tally.records, all.1 + tally.events, all.2 + tally.not_understood());
            // For deliberately broken logs it suffices that the problem is reported.
            let few = tally.not_understood() * 100 < tally.records.max(1);
            assert!(few || name.ends_with("-fixture"), "{}: {tally:?}", path.display());
            assert!(tally.events > 0, "{}: {tally:?}", path.display());
            if tally.not_understood() > 0 {
                println!("{}: unknown {:?}, bad lines {:?}", path.display(), tally.unknown, tally.bad.lines);
            }
        }
    }
    for (name, (records, events, unknown)) in seen {
        println!("{name}: {records} records, {events} events, {unknown} not understood");
    }
}

#[test]
fn a_real_log_cut_anywhere_never_loses_earlier_events() {
    let Some(root) = std::env::var_os("CM_EVAL") else { return };
    for folder in files(&PathBuf::from(root).join("sessions")).into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        for path in files(&folder) {
            let Some(format) = format_of(&name, &path) else { continue };
            let bytes = std::fs::read(&path).unwrap();
            let shown = path.to_string_lossy();
            let whole = told(format, &shown, &bytes);
            let mut before = Places::new();
            for cut in (0..=12).map(|part| bytes.len() * part / 12) {
                let now = told(format, &shown, &bytes[..cut]);
                hold(&before, &now, &whole, &format!("{shown} cut at {cut}"));
                before = now;
            }
            assert_eq!(before, whole);
        }
    }
}
