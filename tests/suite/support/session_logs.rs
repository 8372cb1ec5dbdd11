//! Sessions and diaries in the sandbox with explicit messages, folders and outcomes.

use serde_json::json;

use super::Sandbox;

/// Writes a Claude Code log for a session in this folder, one message per line.
pub fn write_session(sandbox: &Sandbox, session: &str, folder: &str, said: &[(&str, &str)]) {
    let mut lines = String::new();
    for (at, (role, text)) in said.iter().enumerate() {
        let content = match *role {
            "user" => json!(text),
            _ => json!([{"type": "text", "text": text}]),
        };
        let record = json!({
            "type": role, "sessionId": session, "cwd": folder, "userType": "external", "isSidechain": false,
            "uuid": format!("{session}-{at}"), "timestamp": format!("2026-11-20T10:{at:02}:00.000Z"),
            "message": {"role": role, "model": "m", "content": content},
        });
        lines.push_str(&format!("{record}\n"));
    }
    let logs = sandbox.root().join("home/.claude/projects/-told");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join(format!("{session}.jsonl")), lines).unwrap();
}

/// Writes a diary of a session with this outcome.
pub fn diary(sandbox: &Sandbox, session: &str, status: &str, more: &str) {
    let text = format!(
        "---\nid: d-{session}\nsession: {session}\nagent: claude-code\nworkspace: /home/dev/demo\n\
         started: 2026-11-20T10:00:00Z\nstatus: {status}\n---\n\n# Session {session}\n\nOutcome: {status}\n{more}"
    );
    sandbox.write(&format!("diary/{session}.md"), text);
}
