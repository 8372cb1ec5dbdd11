//! Writes agents' logs to the sandbox's home.

use super::Sandbox;

/// Writes a Claude Code log with prompts, and commands with their success.
pub fn log(sandbox: &Sandbox, name: &str, records: &[(&str, &str, bool)]) {
    let mut lines = String::new();
    for (at, (said, command, ok)) in records.iter().enumerate() {
        let base = |second: usize, kind: &str, message: serde_json::Value| {
            serde_json::json!({
                "type": kind, "sessionId": name, "cwd": "/home/dev/demo", "gitBranch": "main", "userType": "external",
                "isSidechain": false, "uuid": format!("{name}-{at}-{second}-000000"),
                "timestamp": format!("2026-11-20T10:{at:02}:{second:02}.000Z"), "message": message,
            })
        };
        let mut records = vec![base(1, "user", serde_json::json!({"role": "user", "content": said}))];
        if !command.is_empty() {
            let call = serde_json::json!({"type": "tool_use", "id": format!("t{at}"), "name": "Bash", "input": {"command": command}});
            records.push(base(
                2,
                "assistant",
                serde_json::json!({"role": "assistant", "model": "m", "content": [call]}),
            ));
            let text = if *ok { "done" } else { "Exit code 1\nfatal: broken" };
            let result = serde_json::json!({"type": "tool_result", "tool_use_id": format!("t{at}"), "is_error": !ok, "content": text});
            records.push(base(3, "user", serde_json::json!({"role": "user", "content": [result]})));
        }
        records.iter().for_each(|record| lines.push_str(&format!("{record}\n")));
    }
    let folder = sandbox.root().join("home/.claude/projects/-home-dev-demo");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.jsonl")), lines).unwrap();
}

/// Writes a session in which work was lost and the person complained.
pub fn regretted(sandbox: &Sandbox) {
    log(
        sandbox,
        "aaaaaaaa-0000-4000-8000-000000000001",
        &[
            ("clean the tree up", "git reset --hard", true),
            ("oh no, all my work is gone", "git reflog", true),
            ("thanks", "git status", true),
        ],
    );
}
