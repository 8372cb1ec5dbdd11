//! `cm privacy`

use serde_json::json;

use crate::support::{Sandbox, log, vault_of};

const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";

fn with_session() -> Sandbox {
    let sandbox = vault_of("");
    log(&sandbox, SESSION, &[("a xylophone please", "ls", true)]);
    sandbox
}

#[test]
fn what_may_be_read_is_shown_with_what_was() {
    let sandbox = with_session();
    sandbox.reads_its_project();
    insta::assert_snapshot!(sandbox.cm(&["privacy"]).snapshot(), @"
    agents        all: claude-code, codex, cursor, aider, pi, gemini, chatgpt, opencode, cline, amp, copilot-cli, qwen
    folders       [ROOT]/vault
    cross-agent   each agent sees only its own sessions
    redaction     secrets are removed by the built-in rules
    model         none: session text is sent to no model
    cass          is not used
    latest reads; `cm privacy log` lists more
      none
    [exit 0]
    ");
    sandbox.write("cm.toml", "[sessions]\ncross_agent = true\n");
    sandbox.settings("[sessions]\nagents = [\"claude-code\", \"pi\"]\nworkspaces = [\"~/src\", \"/home\"]\n[redaction]\nextra = [\"a-[0-9]+\"]\n");
    sandbox.cm(&["sessions"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["privacy"]).snapshot(), @"
    agents        claude-code, pi (never codex, cursor, aider, gemini, chatgpt, opencode, cline, amp, copilot-cli, qwen)
    folders       [ROOT]/vault, [ROOT]/home/src, /home
    cross-agent   each agent sees only its own sessions
    redaction     secrets are removed by the built-in rules, and 1 pattern of your own
    model         none: session text is sent to no model
    cass          is not used
    latest reads; `cm privacy log` lists more
      2026-11-21 12:00  cm sessions  claude-code  aaaaaaaa-0000-4000-8000-000000000001, 38 bytes  [ROOT]/home/.claude/projects/-home-dev-demo/aaaaaaaa-0000-4000-8000-000000000001.jsonl
    [stderr]
    note: `sessions.cross_agent` is ignored in cm.toml, because others can write to this file; `cm config set sessions.cross_agent … --private` sets it for yourself
    [exit 0]
    ");
    let shown = sandbox.cm(&["privacy", "--json"]).ok().json();
    assert_eq!(shown["provider"], "none");
    assert_eq!((&shown["cross_agent"], &shown["redaction"]["own"]), (&json!(false), &json!(1)));
    sandbox.settings("[redaction]\nenabled = false\n");
    let ran = sandbox.cm(&["privacy"]).ok();
    assert!(ran.stdout.contains("OFF"), "{}", ran.snapshot());
}

#[test]
fn what_learns_from_one_session_writes_down_that_it_read_it() {
    let sandbox = with_session();
    sandbox.cm(&["sessions"]).ok();
    let read_by = |arguments: &[&str]| {
        sandbox.cm(arguments);
        let log = sandbox.cm(&["privacy", "log", "--json"]).ok().json();
        (log["reads"][0]["command"].clone(), log["reads"][0]["sessions"][0].clone())
    };
    for (command, arguments) in [
        ("cm diary", ["diary", SESSION].as_slice()),
        ("cm reflect", &["reflect"]),
        ("cm outcome", &["outcome", SESSION, "success"]),
        ("cm stash", &["stash", "Kept", "--session", SESSION]),
    ] {
        assert_eq!(read_by(arguments), (json!(command), json!(SESSION)));
    }
}

#[test]
fn every_command_that_reads_logs_is_written_down_and_no_word_of_them() {
    let sandbox = with_session();
    insta::assert_snapshot!(sandbox.cm(&["privacy", "log"]).snapshot(), @"
    nothing was read
    [exit 0]
    ");
    sandbox.cm(&["sessions", "search", "xylophone"]).ok();
    sandbox.cm(&["sessions"]).ok();
    sandbox.run(&["friction", "--days", "7", "--out", "../out"]).env("CM_AGENT", "codex").go().ok();
    sandbox.cm(&["trauma", "scan"]).ok();
    sandbox.cm(&["onboard", "read", SESSION]).ok();
    insta::assert_snapshot!(sandbox.cm(&["privacy", "log"]).snapshot(), @"
      2026-11-21 12:00  cm onboard  claude-code  aaaaaaaa-0000-4000-8000-000000000001, 74 bytes
      2026-11-21 12:00  cm trauma  claude-code  aaaaaaaa-0000-4000-8000-000000000001, 38 bytes  [ROOT]/home/.claude/projects/-home-dev-demo/aaaaaaaa-0000-4000-8000-000000000001.jsonl
      2026-11-21 12:00  cm friction for codex  claude-code  aaaaaaaa-0000-4000-8000-000000000001, 38 bytes  [ROOT]/home/.claude/projects/-home-dev-demo/aaaaaaaa-0000-4000-8000-000000000001.jsonl
      2026-11-21 12:00  cm sessions  claude-code  aaaaaaaa-0000-4000-8000-000000000001, 38 bytes  [ROOT]/home/.claude/projects/-home-dev-demo/aaaaaaaa-0000-4000-8000-000000000001.jsonl
    [exit 0]
    ");
    let file = sandbox.read_private("reads.jsonl");
    assert!(!file.contains("xylophone") && !file.contains("please"), "{file}");
    let first: serde_json::Value = serde_json::from_str(file.lines().next().unwrap()).unwrap();
    assert_eq!((&first["command"], &first["count"]), (&json!("cm sessions"), &json!(1)));
    assert!(first["bytes"].as_u64().unwrap() >= 18, "{first}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "it is private");

    let few = sandbox.cm(&["privacy", "log", "-n", "1", "--json"]).ok().json();
    assert_eq!((few["reads"].as_array().unwrap().len(), &few["total"]), (1, &json!(4)));
    let none =
        sandbox.run(&["privacy", "log", "--since", "1d", "--json"]).env("CM_NOW", "2027-01-01").go().ok();
    assert_eq!(none.json()["total"], 0);
    assert_eq!(sandbox.cm(&["privacy", "log", "--since", "soon"]).code, 2);
}

#[test]
fn a_log_of_reads_that_is_damaged_or_cannot_be_written_hinders_nothing() {
    let sandbox = with_session();
    sandbox.cm(&["sessions"]).ok();
    std::fs::write(sandbox.private("reads.jsonl"), sandbox.read_private("reads.jsonl") + "{\"torn\n")
        .unwrap();
    let ran = sandbox.cm(&["privacy", "log"]).ok();
    assert!(ran.stderr.contains("1 damaged lines of reads.jsonl were skipped"), "{}", ran.snapshot());
    std::fs::remove_file(sandbox.private("reads.jsonl")).unwrap();
    std::fs::create_dir(sandbox.private("reads.jsonl")).unwrap();
    let ran = sandbox.cm(&["trauma", "scan"]).ok();
    assert!(ran.stderr.contains("the read of sessions could not be logged"), "{}", ran.snapshot());
}

#[test]
fn an_agent_is_denied_and_allowed_again_in_the_private_file() {
    let sandbox = with_session();
    let total = || sandbox.cm(&["sessions", "--json"]).ok().json()["total"].clone();
    assert_eq!(total(), 1);
    insta::assert_snapshot!(sandbox.cm(&["privacy", "deny", "agent", "claude-code"]).snapshot(), @"
    sessions.agents: codex, cursor, aider, pi, gemini, chatgpt, opencode, cline, amp, copilot-cli, qwen  set in your settings for this vault
    [exit 0]
    ");
    assert_eq!(total(), 0, "what was read before is gone too");
    let denied = sandbox.cm(&["privacy", "--json"]).ok().json()["denied"].clone();
    assert_eq!(denied, json!(["claude-code"]));
    insta::assert_snapshot!(sandbox.cm(&["privacy", "allow", "agent", "claude-code"]).snapshot(), @"
    sessions.agents: all  set in your settings for this vault
    [exit 0]
    ");
    assert_eq!(total(), 1);
    assert_eq!(
        sandbox.cm(&["privacy", "allow", "agent", "claude-code", "--json"]).ok().json()["changed"],
        false
    );
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.cm(&["privacy", "deny", "agent", "otter"]).code, 2);
    sandbox.settings("[sessions]\nagents = [\"pi\"]\n");
    insta::assert_snapshot!(sandbox.cm(&["privacy", "deny", "agent", "pi"]).snapshot(), @"
    [stderr]
    error: pi is the only agent whose sessions are read
     hint: an empty list allows all agents; allow another agent first
    [exit 5]
    ");
}

#[test]
fn a_folder_is_allowed_and_denied_where_folders_are_listed() {
    let sandbox = with_session();
    sandbox.reads_its_project();
    let global = sandbox.vault().to_string_lossy().into_owned();
    let as_global = sandbox.run(&["privacy", "allow", "workspace", "/home/dev/demo"]);
    insta::assert_snapshot!(as_global.env("CM_GLOBAL_VAULT", &global).go().snapshot(), @"
    [stderr]
    error: sessions of all folders are already read
     hint: `cm config set sessions.workspaces /home/dev/demo --private` limits reading to this folder
    [exit 5]
    ");
    sandbox.settings("[sessions]\nworkspaces = [\"/elsewhere\"]\n");
    let allow = sandbox.cm(&["privacy", "allow", "workspace", "/home/dev/demo", "--json"]).ok().json();
    assert_eq!(allow["items"], json!(["/elsewhere", "/home/dev/demo"]));
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 1);
    sandbox.cm(&["privacy", "deny", "workspace", "/home/dev/demo"]).ok();
    assert_eq!(sandbox.cm(&["sessions", "--json"]).ok().json()["total"], 0);
    assert_eq!(sandbox.cm(&["privacy", "deny", "workspace", "/home/dev/demo"]).code, 5);
    let last = ["privacy", "deny", "workspace", "/elsewhere"];
    let as_global = sandbox.run(&last).env("CM_GLOBAL_VAULT", &global).go();
    assert_eq!(as_global.code, 5, "an empty list of the global vault lets all through");
    sandbox.cm(&last).ok();
    assert_eq!(Sandbox::new().cm(&["privacy"]).code, 3);
}
