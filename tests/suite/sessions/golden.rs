//! Finds every example log and compares all its events. `CM_BLESS=1` rewrites the expected texts.

use std::fmt::Write as _;
use std::path::Path;

use cm_agents::ingest::{IngestLimits, LogLocations, find, read};
use cm_session::Agent;

use super::event_recorder::{RecordedEvents, examples, places_of, shown};

/// Returns all events of an agent's logs as text.
fn told(agent: Agent, places: &LogLocations, root: &Path) -> String {
    let found = find(&[agent], places);
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    assert!(!found.sources.is_empty(), "no log of {agent} was found");
    let mut text = String::new();
    for source in found.sources {
        let path = source.path.strip_prefix(root).unwrap_or(&source.path);
        let _ = writeln!(text, "{} ({:?})", path.display(), source.format);
        let mut told = RecordedEvents::default();
        let reading = read(&source, None, IngestLimits::default(), &mut told).unwrap();
        for id in &told.order {
            let session = &told.sessions[id];
            let meta = session.meta.as_ref().expect("every session ends with what is known of it");
            let or_none = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
            let time = |at: Option<cm_note::instant::Instant>| at.map_or("-".to_owned(), |at| at.to_string());
            // Aider's ids are derived from the path of the log.
            let id = if agent == Agent::Aider { "aider-…".to_owned() } else { id.to_string() };
            let _ = writeln!(text, "  session {id}");
            let _ = writeln!(text, "    title      {}", or_none(&meta.title));
            let workspace = or_none(&meta.workspace).replace(&*root.to_string_lossy(), "…");
            let _ = writeln!(text, "    workspace  {workspace}");
            let _ = writeln!(text, "    branch     {}", or_none(&meta.branch));
            let _ = writeln!(text, "    model      {}", or_none(&meta.model));
            let _ = writeln!(text, "    from       {} to {}", time(meta.started), time(meta.ended));
            for event in session.events.values() {
                let _ = writeln!(text, "    {}", shown(event));
            }
        }
        for (line, kind, why) in &told.skipped {
            let _ = writeln!(text, "  skipped {line} {kind}: {}", why.name());
        }
        let tally = &reading.tally;
        let _ = writeln!(
            text,
            "  {} records, {} events, {} not understood{}\n",
            tally.records,
            tally.events,
            tally.not_understood(),
            if tally.torn { ", torn" } else { "" }
        );
        assert_eq!(tally.not_understood(), 0, "{tally:?}");
        assert_eq!(tally.events as usize, told.events().len());
        let accounted: std::collections::BTreeSet<u64> = told
            .events()
            .iter()
            .map(|event| event.line)
            .chain(told.skipped.iter().map(|(line, ..)| *line))
            .collect();
        for record in 1..=tally.records.min(accounted.iter().max().copied().unwrap_or(0)) {
            let in_lines = agent != Agent::Aider && agent != Agent::Chatgpt;
            assert!(
                !in_lines || accounted.contains(&record),
                "record {record} of {} is lost\n{text}",
                path.display()
            );
        }
    }
    text
}

fn hold(name: &str, actual: &str) {
    let path = examples().join(format!("{name}.events.txt"));
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{} differs; it should say\n{actual}", path.display());
}

macro_rules! example {
    ($($test:ident $agent:ident)*) => { $(
        #[test]
        fn $test() {
            hold(Agent::$agent.name(), &told(Agent::$agent, &places_of(Agent::$agent), &examples()));
        }
    )* };
}

example! {
    the_example_of_claude_code_is_told_in_full ClaudeCode
    the_example_of_codex_is_told_in_full Codex
    the_examples_of_cursor_are_told_in_full Cursor
    the_example_of_aider_is_told_in_full Aider
    the_example_of_pi_is_told_in_full Pi
    the_examples_of_gemini_are_told_in_full Gemini
    the_example_of_chatgpt_is_told_in_full Chatgpt
    the_example_of_opencode_is_told_in_full Opencode
    the_example_of_cline_is_told_in_full Cline
    the_example_of_amp_is_told_in_full Amp
    the_example_of_copilot_is_told_in_full CopilotCli
    the_example_of_qwen_is_told_in_full Qwen
}

#[test]
fn opencodes_tree_of_files_is_told_where_there_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let storage = examples().join("opencode/storage");
    for file in walk(&storage) {
        let to = folder.path().join("opencode/storage").join(file.strip_prefix(&storage).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(&file, to).unwrap();
    }
    let mut places = LogLocations::of_home("/nobody");
    places.environment.insert("XDG_DATA_HOME".into(), folder.path().to_string_lossy().into_owned());
    hold("opencode-tree", &told(Agent::Opencode, &places, folder.path()));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn clines_second_file_is_told_where_the_first_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let task = "saoudrizwan.claude-dev/tasks/1791216000000";
    let to = folder.path().join(task);
    std::fs::create_dir_all(&to).unwrap();
    for file in ["api_conversation_history.json", "task_metadata.json"] {
        std::fs::copy(examples().join("cline/globalStorage").join(task).join(file), to.join(file)).unwrap();
    }
    let mut places = LogLocations::of_home("/nobody");
    places.extra_paths.insert(Agent::Cline, vec![folder.path().to_owned()]);
    hold("cline-sent", &told(Agent::Cline, &places, folder.path()));
}
