//! `cm trauma`

use super::small::message;
use crate::support::{Sandbox, log, regretted, vault_of};

fn with_incident() -> Sandbox {
    let sandbox = vault_of("");
    regretted(&sandbox);
    sandbox
}

#[test]
fn what_went_wrong_is_listed_with_its_place_and_evidence() {
    let sandbox = with_incident();
    insta::assert_snapshot!(sandbox.cm(&["trauma", "scan"]).snapshot(), @"
    1 incident in 1 session of 1 log
    t-8cacc51e  2026-11-20  git reset --hard
         discards all uncommitted changes
         the user said: oh no, all my work is gone
         then this was run: git reflog
         claude-code aaaaaaaa-0000-4000-8000-000000000001 line 2
    `cm trauma accept t-8cacc51e` stores the first as an anti-pattern for `cm guard`
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["trauma", "scan", "--json"]).snapshot(), @r#"
    {
      "incidents": [
        {
          "id": "t-8cacc51e",
          "class": "hard-reset",
          "command": "git reset --hard",
          "shape": "git reset --hard",
          "reason": "discards all uncommitted changes",
          "evidence": [
            "the user said: oh no, all my work is gone",
            "then this was run: git reflog"
          ],
          "agent": "claude-code",
          "session": "aaaaaaaa-0000-4000-8000-000000000001",
          "line": 2,
          "at": "2026-11-20T10:00:02Z",
          "workspace": "/home/dev/demo",
          "log": "[ROOT]/home/.claude/projects/-home-dev-demo/aaaaaaaa-0000-4000-8000-000000000001.jsonl",
          "bullet": null
        }
      ],
      "sessions": 1,
      "logs": 1
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["trauma", "scan", "--agent", "codex"]).snapshot(), @"
    no destructive command went wrong in 0 sessions of 0 logs
    [exit 0]
    ");
    // It neither requires nor changes a vault.
    let nowhere = sandbox.run(&["trauma", "scan"]).within("..").go();
    assert_eq!(nowhere.stdout, sandbox.cm(&["trauma", "scan"]).stdout);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn talk_about_a_command_and_one_that_did_no_harm_are_no_incidents() {
    let sandbox = vault_of("");
    log(
        &sandbox,
        "bbbbbbbb-0000-4000-8000-000000000002",
        &[
            ("what does git reset --hard do? undo?", "echo 'git reset --hard'", true),
            ("oh no, undo that", "rm -rf /tmp/scratch", true),
            ("oh no", "git push --force --dry-run", true),
            ("undo that", "git reset --hard", true),
            ("thanks, that is right", "", true),
        ],
    );
    insta::assert_snapshot!(sandbox.cm(&["trauma", "scan"]).snapshot(), @"
    no destructive command went wrong in 1 session of 1 log
    [exit 0]
    ");
}

#[test]
fn an_accepted_incident_is_an_anti_pattern_that_the_guard_knows() {
    let sandbox = with_incident();
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "git reset --hard"]).snapshot(), @"
    warn: this discards all uncommitted changes
     instead: git stash push --include-untracked
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["trauma", "accept", "t-8cacc51e"]).snapshot(), @"
    t-8cacc51e  b-mwqcvpc0-s7enqz  active  playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @"
    Store the incident of git reset --hard

    Cm-Op: trauma-accept
    Cm-Id: b-mwqcvpc0-s7enqz
    Cm-Operation: aa9eb0b1fdf44c5e89e1d30c51a150c4
    ");
    insta::assert_snapshot!(sandbox.git(&["show", "--format=", "HEAD"]), @"
    diff --git a/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md b/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md
    new file mode 100644
    index 0000000..ad331fb
    --- /dev/null
    +++ b/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md
    @@ -0,0 +1,27 @@
    +---
    +id: b-mwqcvpc0-s7enqz
    +type: anti_pattern
    +kind: anti_pattern
    +category: incidents
    +state: active
    +maturity: candidate
    +sources:
    +  - session: aaaaaaaa-0000-4000-8000-000000000001
    +    agent: claude-code
    +    line: 2
    +derived_from:
    +  evidence: ['this was run: git reset --hard', 'the user said: oh no, all my work is gone', 'then this was run: git reflog']
    +incident:
    +  class: hard-reset
    +  shape: git reset --hard
    +  session: aaaaaaaa-0000-4000-8000-000000000001
    +  date: 2026-11-20
    +created: 2026-11-21T12:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +---
    +
    +AVOID: `git reset --hard`, which discards all uncommitted changes.
    +
    +## Why
    +
    +It was run on 2026-11-20 in a session of claude-code and went wrong.
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "git reset --hard HEAD~1"]).snapshot(), @"
    block: this discards all uncommitted changes and moves the branch off its commits; stash or branch first; it went wrong before on 2026-11-20 (session aaaaaaaa-0000-4000-8000-000000000001, b-mwqcvpc0-s7enqz); use `git reset --keep HEAD~1` instead
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["trauma", "scan"]).snapshot(), @"
    1 incident in 1 session of 1 log
    t-8cacc51e  2026-11-20  git reset --hard  stored as b-mwqcvpc0-s7enqz
         discards all uncommitted changes
         the user said: oh no, all my work is gone
         then this was run: git reflog
         claude-code aaaaaaaa-0000-4000-8000-000000000001 line 2
    [exit 0]
    ");
    let commits = sandbox.git(&["rev-list", "--count", "HEAD"]);
    insta::assert_snapshot!(sandbox.cm(&["trauma", "accept", "t-8cacc51e"]).snapshot(), @"
    t-8cacc51e  is already stored
    [exit 0]
    ");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), commits, "a second time changes nothing");
    sandbox.cm(&["validate"]).ok();
    sandbox.cm(&["undo"]).ok();
    assert_eq!(sandbox.cm(&["guard", "--", "git reset --hard"]).code, 0);
}

#[test]
fn what_an_agent_accepts_waits_for_a_person() {
    let sandbox = with_incident();
    let ran = sandbox.cm(&["trauma", "accept", "t-8cacc51e", "--agent", "codex", "--json"]).ok();
    assert_eq!(ran.json()["kept"][0]["state"], "draft");
    assert_eq!(sandbox.cm(&["guard", "--", "git reset --hard"]).code, 0);
}

#[test]
fn two_incidents_are_kept_in_one_commit_and_one_that_says_the_same_is_no_second_bullet() {
    let sandbox = with_incident();
    for (name, command) in [
        ("cccccccc-0000-4000-8000-000000000003", "git reset --hard"),
        ("dddddddd-0000-4000-8000-000000000004", "git push --force origin main"),
    ] {
        log(&sandbox, name, &[("go on", command, true), ("what have you done, undo that", "", true)]);
    }
    insta::assert_snapshot!(sandbox.cm(&["trauma", "accept", "t-8cac", "t-79b0034c", "t-0c63", "t-79b0034c"]).snapshot(), @"
    t-8cacc51e  b-mwqcvpc0-s7enqz  active  playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md  commit [COMMIT]
    t-79b0034c  b-mwqcvpc0-s7enqz  already stored  playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md  commit [COMMIT]
    t-0c63c2a0  b-mwqcvpc0-i5b41j  active  playbook/incidents/avoid-git-push-force-which-overwrites-the-remote-including-t-8535c8.md  commit [COMMIT]
    [exit 0]
    ");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]).trim(), "2");
}

#[test]
fn what_happened_again_adds_its_session_and_evidence_to_the_bullet_that_there_is() {
    let sandbox = with_incident();
    sandbox.cm(&["trauma", "accept", "t-8cacc51e"]).ok();
    let session = "cccccccc-0000-4000-8000-000000000003";
    let said = [("go on", "git reset --hard", true), ("what have you done, undo that", "", true)];
    log(&sandbox, session, &said);
    let at = |number: usize| {
        let scanned = sandbox.cm(&["trauma", "scan", "--json"]).ok().json();
        (
            scanned["incidents"][number]["id"].as_str().unwrap().to_owned(),
            scanned["incidents"][number].clone(),
        )
    };
    let second = (0..2).map(at).find(|(_, one)| one["session"] == session).unwrap();
    assert_eq!(second.1["bullet"], serde_json::Value::Null);
    sandbox.cm(&["trauma", "accept", &second.0]).ok();
    let shown = sandbox.git(&["show", "--format=", "-U0", "HEAD"]);
    let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("index ")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    diff --git a/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md b/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md
    --- a/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md
    +++ b/playbook/incidents/avoid-git-reset-hard-which-discards-all-uncommitted-changes-0806b8.md
    @@ -11,0 +12,3 @@ sources:
    +  - session: cccccccc-0000-4000-8000-000000000003
    +    agent: claude-code
    +    line: 2
    @@ -13 +16 @@ derived_from:
    -  evidence: ['this was run: git reset --hard', 'the user said: oh no, all my work is gone', 'then this was run: git reflog']
    +  evidence: ['this was run: git reset --hard', 'the user said: oh no, all my work is gone', 'then this was run: git reflog', 'the user said: what have you done, undo that']
    @@ -20,0 +24,5 @@ updated: 2026-11-21T12:00:00Z
    +feedback:
    +  - at: 2026-11-21T12:00:00Z
    +    signal: helpful
    +    session: cccccccc-0000-4000-8000-000000000003
    +    note: 'proposed again: AVOID: `git reset --hard`, which discards all uncommitted changes.'
    ");
    // Both are stored now; a third call changes nothing.
    assert!((0..2).map(at).all(|(_, one)| one["bullet"].is_string()));
    let commits = sandbox.git(&["rev-list", "--count", "HEAD"]);
    sandbox.cm(&["trauma", "accept", &second.0]).ok();
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), commits);
    sandbox.cm(&["validate"]).ok();
    let exported = sandbox.cm(&["playbook", "export"]).ok().stdout;
    assert!(exported.contains("shape: git reset --hard") && exported.contains(session), "{exported}");
}

#[test]
fn what_is_not_there_is_not_accepted() {
    let sandbox = with_incident();
    insta::assert_snapshot!(sandbox.cm(&["trauma", "accept", "t-7"]).snapshot(), @"
    [stderr]
    error: incident `t-7` not found
     hint: `cm trauma scan --days 365` lists incidents with their IDs
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["trauma", "accept", "t-8cacc51e", "--days", "0"]).snapshot(), @"
    [stderr]
    error: incident `t-8cacc51e` not found
     hint: `cm trauma scan --days 365` lists incidents with their IDs
    [exit 4]
    ");
    assert_eq!(sandbox.cm(&["trauma", "accept"]).code, 2);
    assert_eq!(sandbox.cm(&["trauma", "scan", "--days", "-1"]).code, 2);
    assert_eq!(sandbox.run(&["trauma", "accept", "t-8cacc51e"]).within("..").go().code, 3);
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
}

#[test]
fn secrets_of_a_command_are_neither_shown_nor_kept() {
    let sandbox = vault_of("");
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let command = format!("GITHUB_TOKEN={secret} git push --force origin main");
    let regret = format!("oh no, you deleted everything: `{secret}`");
    log(&sandbox, "eeeeeeee-0000-4000-8000-000000000005", &[("go", &command, true), (&regret, "", true)]);
    let shown = sandbox.cm(&["trauma", "scan", "--json"]).ok().stdout;
    assert!(shown.contains("force-push") && !shown.contains(secret), "{shown}");
    sandbox.cm(&["trauma", "accept", "t-"]).ok();
    assert!(!sandbox.git(&["show", "HEAD"]).contains(secret));
}

/// Writes an agent's log in which `git reset --hard` had this result and the person expressed
/// regret.
fn one_call(sandbox: &Sandbox, agent: &str, result: &str, ran: bool) {
    use serde_json::{Value, json};
    let write = |path: &str, text: String| {
        let path = sandbox.root().join("home").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let (command, sorry) = ("git reset --hard", "oh no, all my work is gone");
    match agent {
        "codex" => {
            let at = |second: u32| format!("2026-11-20T10:00:0{second}.000Z");
            let item = |second, kind: &str, payload: Value| json!({"timestamp": at(second), "type": kind, "payload": payload});
            let arguments = json!({ "cmd": command }).to_string();
            let output = if ran { "Process exited with code 0\nOutput:\nHEAD is now at 1" } else { result };
            let records = [
                item(
                    0,
                    "session_meta",
                    json!({"id": "0199aaaa-0000-7000-8000-000000000009", "cwd": "/home/dev/demo"}),
                ),
                item(1, "event_msg", json!({"type": "user_message", "message": "clean up"})),
                item(
                    2,
                    "response_item",
                    json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "c"}),
                ),
                item(
                    3,
                    "response_item",
                    json!({"type": "function_call_output", "call_id": "c", "output": output}),
                ),
                item(4, "event_msg", json!({"type": "user_message", "message": sorry})),
            ];
            let text: String = records.iter().map(|record| format!("{record}\n")).collect();
            write(
                ".codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-0199aaaa-0000-7000-8000-000000000009.jsonl",
                text,
            );
        }
        "gemini" => {
            let response = json!([{"functionResponse": {"id": "c", "name": "run_shell_command", "response":
                if ran { json!({"output": "HEAD is now at 1"}) } else { json!({"error": result}) }}}]);
            let call = json!({"id": "c", "name": "run_shell_command", "args": {"command": command},
                "status": if ran { "success" } else { "error" }, "result": response});
            let said = |id: &str, text: &str| json!({"id": id, "timestamp": "2026-11-20T10:00:01.000Z", "type": "user", "content": text});
            let document = json!({"sessionId": "55555555-0000-4000-8000-000000000009", "projectHash": "demo",
                "startTime": "2026-11-20T10:00:00.000Z", "lastUpdated": "2026-11-20T10:00:09.000Z", "messages": [
                said("a", "clean up"),
                {"id": "b", "timestamp": "2026-11-20T10:00:02.000Z", "type": "gemini", "content": "", "toolCalls": [call]},
                said("d", sorry)]});
            write(".gemini/tmp/demo/.project_root", "/home/dev/demo".to_owned());
            write(".gemini/tmp/demo/chats/session-2026-11-20T10-00-55555555.json", document.to_string());
        }
        _ => {
            let session = "ses_000000000000000000000009";
            let base = ".local/share/opencode/storage";
            let time = 1_795_168_800_000_u64;
            let info = json!({"id": session, "projectID": "p", "directory": "/home/dev/demo", "version": "0.9.0",
                "time": {"created": time, "updated": time + 9000}});
            write(&format!("{base}/session/p/{session}.json"), info.to_string());
            let state = if ran {
                json!({"status": "completed", "input": {"command": command}, "output": "HEAD is now at 1"})
            } else {
                json!({"status": "error", "input": {"command": command}, "error": result})
            };
            let parts = [
                ("1", "user", json!({"type": "text", "text": "clean up"})),
                ("2", "assistant", json!({"type": "tool", "tool": "bash", "callID": "c", "state": state})),
                ("3", "user", json!({"type": "text", "text": sorry})),
            ];
            for (number, role, mut part) in parts {
                let (message, id) = (format!("msg_{number}"), format!("prt_{number}"));
                let head =
                    json!({"id": message, "sessionID": session, "role": role, "time": {"created": time}});
                write(&format!("{base}/message/{session}/{message}.json"), head.to_string());
                part["id"] = Value::from(&*id);
                part["messageID"] = Value::from(&*message);
                part["sessionID"] = Value::from(session);
                write(&format!("{base}/part/{message}/{id}.json"), part.to_string());
            }
        }
    }
}

#[test]
fn a_command_that_the_guard_stopped_is_neither_an_incident_nor_a_command_that_ran() {
    let reason = "this discards all uncommitted changes";
    for (agent, session, result) in [
        (
            "codex",
            "0199aaaa-0000-7000-8000-000000000009",
            format!("Command blocked by PreToolUse hook: {reason}. Command: git reset --hard"),
        ),
        ("gemini", "55555555-0000-4000-8000-000000000009", format!("Tool execution blocked: {reason}")),
        ("opencode", "ses_000000000000000000000009", format!("Error: cm guard: {reason}")),
    ] {
        for ran in [true, false] {
            let sandbox = vault_of("");
            one_call(&sandbox, agent, &result, ran);
            let scanned = sandbox.cm(&["trauma", "scan"]).stdout;
            assert_eq!(scanned.contains("git reset --hard"), ran, "{agent} {ran}: {scanned}");
            let diary = sandbox.cm(&["diary", session, "--dry-run", "--no-model", "--json"]);
            assert_eq!(diary.stdout.contains("git reset"), ran, "{agent} {ran}: {diary:?}");
        }
    }
}

#[test]
fn reflect_proposes_an_incident_for_review_once_and_a_rejected_one_stays_rejected() {
    let sandbox = with_incident();
    let reflected = sandbox.cm(&["reflect", "--days", "30"]).ok().stdout;
    assert!(reflected.contains("`git reset --hard` did harm: the warning waits in review"), "{reflected}");
    let inbox = sandbox.cm(&["review", "--json"]).ok().json();
    let draft = &inbox["sections"][0]["items"][0];
    assert!(draft["why"].as_str().unwrap().contains("an incident"), "{draft}");
    let id = draft["notes"][0]["id"].as_str().unwrap();
    let again = sandbox.cm(&["reflect", "--days", "30", "--again"]).stdout;
    assert!(!again.contains("did harm"), "{again}");
    sandbox.cm(&["review", "--reject", id]).ok();
    sandbox.cm(&["reflect", "--days", "30", "--again"]);
    let inbox = sandbox.cm(&["review", "--json"]).ok().json();
    assert_eq!(inbox["total"], 0, "{inbox:#}");
}
