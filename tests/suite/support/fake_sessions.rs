//! Claude Code sessions in the sandbox's home, and scripted models.

use serde_json::{Value, json};

use super::Sandbox;

/// An event of a session.
pub enum SessionLine<'a> {
    /// Message of the person.
    Person(&'a str),
    /// Message of the agent.
    Agent(&'a str),
    /// A command and its output. It counts as failed if the output starts with `Exit code`.
    Ran(&'a str, &'a str),
    /// A command that the person refused.
    Refused(&'a str),
}

/// What Claude Code writes about a refusal without words.
const REFUSAL: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed.";

/// Writes a session's log with one record per line, and two per command. It starts on 2026-11-20 at
/// this hour.
pub fn talk(sandbox: &Sandbox, id: &str, hour: usize, said: &[SessionLine<'_>]) {
    let mut lines = String::new();
    let mut count = 0;
    let mut put = |role: &str, content: Value| {
        count += 1;
        let record = json!({
            "type": role, "sessionId": id, "cwd": "/home/dev/demo", "gitBranch": "main", "userType": "external",
            "isSidechain": false, "uuid": format!("{id}-{count}-000000"),
            "timestamp": format!("2026-11-20T{hour:02}:{:02}:{:02}.000Z", count / 60, count % 60),
            "message": {"role": role, "model": "m", "content": content},
        });
        lines.push_str(&format!("{record}\n"));
    };
    for (at, one) in said.iter().enumerate() {
        match one {
            SessionLine::Person(text) => put("user", json!(text)),
            SessionLine::Agent(text) => put("assistant", json!([{"type": "text", "text": text}])),
            SessionLine::Ran(command, printed) => {
                let failed = printed.starts_with("Exit code");
                call(&mut put, at, command, printed, failed);
            }
            SessionLine::Refused(command) => call(&mut put, at, command, REFUSAL, true),
        }
    }
    sandbox.write(&format!("../home/.claude/projects/-home-dev-demo/{id}.jsonl"), lines);
}

fn call(put: &mut impl FnMut(&str, Value), at: usize, command: &str, printed: &str, failed: bool) {
    let name = format!("t{at}");
    let used = json!([{"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}]);
    put("assistant", used);
    let result = json!({"type": "tool_result", "tool_use_id": name, "is_error": failed, "content": printed});
    put("user", json!([result]));
}

/// Configures a scripted model in the user's private settings.
pub fn scripted(sandbox: &Sandbox, more: &str, answers: &[Value]) {
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    sandbox.write("../script.jsonl", lines);
    sandbox.settings(format!("[llm]\nprovider = \"scripted\"\nscript = \"../script.jsonl\"\n{more}"));
}
