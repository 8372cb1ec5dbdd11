//! A rule that a person repeats although the session had been shown it: the event `ignored`, the
//! receipt of the session, and what `cm review` proposes.

use serde_json::{Value, json};

use crate::support::{McpClient, Sandbox, SessionLine, talk, vault_of};

const FIRST: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const SECOND: &str = "bbbbbbbb-0000-4000-8000-000000000002";
const THIRD: &str = "cccccccc-0000-4000-8000-000000000003";
const TAUGHT: &str = "from now on always run the migrations with `just migrate`, never with `sqlx migrate`";
const AGAIN: &str = "always run the migrations with `just migrate`, never with `sqlx migrate`!";

fn at(hour: usize, minute: usize) -> String {
    format!("2026-11-20T{hour:02}:{minute:02}:00Z")
}

/// Begins a session with the hooks of Claude Code, and returns what it is shown.
fn begin(sandbox: &Sandbox, session: &str, now: &str) -> String {
    let message = json!({
        "session_id": session, "cwd": sandbox.vault(), "hook_event_name": "SessionStart", "source": "startup",
    });
    let hook = sandbox.run(&["hook", "claude", "session-start"]).stdin(message.to_string());
    hook.env("CM_NOW", now).go().ok().stdout
}

/// A session in which the person types `words`, read half an hour after it began.
fn session(sandbox: &Sandbox, id: &str, hour: usize, words: &str) {
    talk(
        sandbox,
        id,
        hour,
        &[
            SessionLine::Person("Add a column for discounts."),
            SessionLine::Agent("I will begin with the tests."),
            SessionLine::Person(words),
            SessionLine::Agent("Understood."),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
        ],
    );
    // A hook may have started a process that is still reading sessions.
    loop {
        let ran = sandbox.run(&["reflect"]).env("CM_NOW", &at(hour, 30)).go();
        if !ran.stderr.contains("another process is reading") {
            // It may have been read by the call before.
            assert!([0, 8].contains(&ran.code), "{}", ran.snapshot());
            return;
        }
    }
}

fn rule(sandbox: &Sandbox) -> Value {
    let listed = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    let [rule] = &listed["bullets"].as_array().unwrap()[..] else { panic!("one rule: {listed:#}") };
    sandbox.cm(&["playbook", "get", rule["id"].as_str().unwrap(), "--json"]).ok().json()
}

fn signals(rule: &Value) -> Vec<&str> {
    rule["feedback"].as_array().unwrap().iter().map(|event| event["signal"].as_str().unwrap()).collect()
}

/// A vault with one rule, which a person stated.
fn taught() -> Sandbox {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, FIRST, 8, TAUGHT);
    let rule = rule(&sandbox);
    assert_eq!((&rule["state"], signals(&rule).len()), (&json!("active"), 0), "{rule:#}");
    sandbox.cm(&["search", "migrations"]).ok();
    sandbox
}

#[test]
fn a_rule_that_is_repeated_although_the_session_was_shown_it_is_ignored_and_moves_no_score() {
    let sandbox = taught();
    let before = rule(&sandbox);
    let shown = begin(&sandbox, SECOND, &at(9, 0));
    assert!(shown.contains("just migrate"), "{shown}");
    session(&sandbox, SECOND, 10, AGAIN);
    let after = rule(&sandbox);
    assert_eq!(signals(&after), ["ignored"], "{after:#}");
    let event = &after["feedback"][0];
    assert_eq!((&event["session"], &event["at"]), (&json!(SECOND), &json!("2026-11-20T10:00:03Z")));
    assert_eq!(event["note"], AGAIN, "the person's words");
    assert_eq!((&after["score"], &after["maturity"]), (&before["score"], &before["maturity"]));

    let id = after["id"].as_str().unwrap();
    let why = sandbox.cm(&["why", id]).ok().stdout;
    assert!(why.contains(&format!("ignored, says claude-code in {SECOND}: {AGAIN}")), "{why}");
    assert_eq!(sandbox.cm(&["stats", "--json"]).ok().json()["playbook"]["ignored"], 1);
    let usage = sandbox.cm(&["usage", "--session", SECOND, "--json"]).ok().json();
    let of_rule = &usage["receipt"]["rules"][0];
    assert_eq!(
        (&of_rule["id"], &of_rule["ignored"], &of_rule["cited"]),
        (&json!(id), &json!(true), &json!(false))
    );
    assert!(of_rule["shown"].as_u64().unwrap() > 0, "{usage:#}");
    let text = sandbox.cm(&["usage", "--session", SECOND]).ok().stdout;
    assert!(text.contains("ignored") && text.contains("just migrate"), "{text}");
    let validated = sandbox.cm(&["validate", "--json"]).ok().json();
    assert_eq!(validated["findings"], json!([]), "{validated:#}");
}

#[test]
fn a_rule_that_the_session_was_shown_only_afterwards_is_credited() {
    let sandbox = taught();
    begin(&sandbox, SECOND, &at(11, 0));
    session(&sandbox, SECOND, 10, AGAIN);
    assert_eq!(signals(&rule(&sandbox)), ["helpful"]);
    session(&sandbox, THIRD, 12, AGAIN);
    assert_eq!(signals(&rule(&sandbox)), ["helpful", "helpful"], "no session was shown it before");
}

#[test]
fn a_rule_that_two_sessions_ignored_is_proposed_for_review_until_a_person_confirms_it() {
    let sandbox = taught();
    begin(&sandbox, SECOND, &at(9, 0));
    session(&sandbox, SECOND, 10, AGAIN);
    let inbox = || sandbox.cm(&["review", "--kind", "not_followed", "--json"]).ok().json();
    assert_eq!(inbox()["total"], 0, "once is not often");
    begin(&sandbox, THIRD, &at(11, 0));
    session(&sandbox, THIRD, 12, AGAIN);
    let id = rule(&sandbox)["id"].as_str().unwrap().to_owned();

    insta::assert_snapshot!(sandbox.cm(&["review", "--kind", "not_followed"]).ok().stdout, @r#"
    Not followed 1
      1. b-mwopxsg0-g0pyuh  Always run the migrations with just migrate, never with sqlx migrate.
         repeated by a person in 2 sessions that were shown it: "always run the migrations with `just migrate`, never with `sqlx migrate`!", 2026-11-20
         cm edit b-mwopxsg0-g0pyuh
         cm pin b-mwopxsg0-g0pyuh --reason "agents do not follow it"
         mkdir -p blocked && printf '%s\n' --- 'kind: deprecated' 'pattern: "sqlx migrate"' --- > blocked/sqlx-migrate.md && cm commit
         cm review --confirm b-mwopxsg0-g0pyuh
    "#);
    // The proposed guard pattern is a command that works.
    let listed = inbox();
    let guard = listed["sections"][0]["items"][0]["commands"][2].as_str().unwrap();
    sandbox.shell(guard.strip_suffix(" && cm commit").unwrap()).ok();
    sandbox.cm(&["commit"]).ok();
    let judged = sandbox.cm(&["guard", "--", "sqlx migrate run"]);
    assert!(judged.stdout.contains("blocked pattern"), "{}", judged.stdout);

    sandbox.run(&["review", "--confirm", &id]).env("CM_NOW", &at(13, 0)).go().ok();
    assert_eq!(inbox()["total"], 0);
}

#[test]
fn what_an_agent_fetched_by_a_tool_or_a_command_is_in_the_receipt() {
    let sandbox = taught();
    let id = rule(&sandbox)["id"].as_str().unwrap().to_owned();
    let mut agent = McpClient::of(&sandbox);
    agent.call("memory_context", &json!({"task": "write a migration for refunds", "session": SECOND}));
    assert_eq!(agent.leave().code, Some(0));
    let brief = sandbox.run(&["context", "write a migration for refunds", "--session", SECOND]);
    brief.env("CLAUDECODE", "1").go().ok();
    let usage = sandbox.cm(&["usage", "--session", SECOND, "--json"]).ok().json();
    for entry in usage["receipt"]["entries"].as_array().unwrap() {
        assert!(entry["ids"].as_array().unwrap().contains(&json!(id)), "{entry:#}");
    }
    assert_eq!(usage["receipt"]["rules"][0]["shown"], 2, "{usage:#}");
}
