//! Discovery of logs at their default locations.

use cm_agents::ingest::{HostPlatform, LogLocations, find};
use cm_session::Agent;

const LINUX: [(Agent, &str); 17] = [
    (Agent::ClaudeCode, ".claude/projects/-w/11111111-aaaa-4bbb-8ccc-000000000001.jsonl"),
    (Agent::ClaudeCode, ".claude/projects/-w/11111111-aaaa-4bbb-8ccc-000000000001/subagents/agent-a1.jsonl"),
    (Agent::Codex, ".codex/sessions/2026/10/05/rollout-x.jsonl"),
    (Agent::Codex, ".codex/archived_sessions/rollout-y.jsonl.zst"),
    (Agent::Cursor, ".config/Cursor/User/globalStorage/state.vscdb"),
    (Agent::Cursor, ".config/Cursor/User/workspaceStorage/h/state.vscdb"),
    (Agent::Cursor, ".cursor/projects/w/agent-transcripts/old.jsonl"),
    (Agent::Cursor, ".cursor/chats/md5/uuid/store.db"),
    (Agent::Pi, ".pi/agent/sessions/--w--/t_u.jsonl"),
    (Agent::Pi, ".omp/agent/sessions/--w--/t_u.jsonl"),
    (Agent::Gemini, ".gemini/tmp/w/chats/session-1.jsonl"),
    (Agent::Gemini, ".gemini/tmp/w/chats/parent/child.jsonl"),
    (Agent::Opencode, ".local/share/opencode/opencode-beta.db"),
    (Agent::Cline, ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/ui_messages.json"),
    (Agent::Amp, ".local/share/amp/threads/T-1.json"),
    (Agent::CopilotCli, ".copilot/session-state/s/events.jsonl"),
    (Agent::Qwen, ".qwen/projects/-w/chats/s.jsonl"),
];

/// Files next to logs that are not logs.
const OTHERS: [&str; 9] = [
    ".claude/projects/-w/memory/MEMORY.md",
    ".claude/projects/-w/s/tool-results/x.jsonl",
    ".claude/history.jsonl",
    ".codex/history.jsonl",
    ".codex/auth.json",
    ".cursor/projects/w/agent-transcripts/subagents/x.jsonl",
    ".gemini/tmp/w/logs.json",
    ".local/share/opencode/auth.json",
    ".qwen/projects/-w/memory/MEMORY.md",
];

#[test]
fn each_agents_logs_are_found_in_a_home_folder_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    for path in LINUX.iter().map(|(_, path)| path).chain(&OTHERS) {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let mut places = LogLocations::of_home(home.path());
    places.platform = HostPlatform::Linux;
    let found = find(&Agent::ALL, &places);
    assert!(found.errors.is_empty());
    let mut expected: Vec<_> = LINUX.iter().map(|(agent, path)| (*agent, home.path().join(path))).collect();
    expected.sort_by(|a, b| a.1.cmp(&b.1));
    let paths: Vec<_> = found.sources.iter().map(|source| (source.agent, source.path.clone())).collect();
    assert_eq!(paths, expected);
    let child = |name: &str| found.sources.iter().find(|source| source.path.ends_with(name)).unwrap();
    let parent = |name: &str| child(name).parent.as_ref().map(|parent| parent.as_str().to_owned());
    assert_eq!(parent("agent-a1.jsonl").as_deref(), Some("11111111-aaaa-4bbb-8ccc-000000000001"));
    assert_eq!(parent("child.jsonl").as_deref(), Some("parent"));
    assert_eq!(parent("session-1.jsonl"), None);
}

#[test]
fn a_variable_moves_an_agents_logs() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("elsewhere/sessions/2026/10/05/rollout-x.jsonl");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(&log, "").unwrap();
    let mut places = LogLocations::of_home(home.path());
    assert!(find(&[Agent::Codex], &places).sources.is_empty());
    places.environment.insert("CODEX_HOME".into(), "~/elsewhere".into());
    assert_eq!(find(&[Agent::Codex], &places).sources[0].path, log);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_looked_into_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let threads = home.path().join(".local/share/amp/threads");
    std::fs::create_dir_all(&threads).unwrap();
    std::fs::set_permissions(&threads, PermissionsExt::from_mode(0o000)).unwrap();
    let refused = find(&[Agent::Amp], &LogLocations::of_home(home.path())).errors;
    // Nothing is refused to the superuser.
    let open = std::fs::read_dir(&threads).is_ok();
    std::fs::set_permissions(&threads, PermissionsExt::from_mode(0o700)).unwrap();
    assert!(open || refused[0].to_string().contains("threads cannot be read"), "{refused:?}");
}
