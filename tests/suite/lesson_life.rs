//! The life of a lesson without a model and without a review: a person says it in two sessions, a
//! briefing shows it, an agent cites it, and CORE.md has it. Each step is a commit.

use serde_json::{Value, json};

use crate::support::{McpClient, Sandbox, SessionLine, talk, vault_of};

const FIRST: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const SECOND: &str = "aaaaaaaa-0000-4000-8000-000000000002";
const THIRD: &str = "aaaaaaaa-0000-4000-8000-000000000003";

fn rules(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    listed["bullets"].as_array().unwrap().clone()
}

/// A session of three turns that succeeds.
fn session(sandbox: &Sandbox, id: &str, hour: usize, task: &str, words: &str, reply: &str) {
    talk(
        sandbox,
        id,
        hour,
        &[
            SessionLine::Person(task),
            SessionLine::Agent("I will begin with the tests."),
            SessionLine::Person(words),
            SessionLine::Agent(reply),
            SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
            SessionLine::Person("perfect, thanks"),
        ],
    );
    sandbox.run(&["reflect"]).env("CM_NOW", &format!("2026-11-20T{:02}:30:00Z", hour)).go().ok();
}

#[test]
fn a_lesson_that_is_said_twice_is_briefed_cited_credited_and_in_core() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    let first = "sqlx fails, do the migrations by `just migrate` then";
    session(&sandbox, FIRST, 8, "Add a table for invoices.", first, "I will.");
    let [draft] = &rules(&sandbox)[..] else { panic!("one rule") };
    assert_eq!((&draft["state"], &draft["helpful"]), (&json!("draft"), &json!(0)), "{draft:#}");
    let id = draft["id"].as_str().unwrap();

    // In another language the rule is recognized by its names.
    let again = "sqlx ist kaputt, Migrationen laufen hier immer mit `just migrate`";
    session(&sandbox, SECOND, 9, "Add a column for discounts.", again, "Understood.");
    let [active] = &rules(&sandbox)[..] else { panic!("no second rule: {:#?}", rules(&sandbox)) };
    assert_eq!((&active["state"], &active["helpful"]), (&json!("active"), &json!(1)), "{active:#}");
    assert_eq!(active["content"], "Sqlx fails, do the migrations by `just migrate` then.");
    assert!(!sandbox.vault().join("graph/preferences").exists(), "the rule says it");

    let briefing = sandbox.cm(&["context", "write a migration for refunds", "--json"]).ok().json();
    assert_eq!(briefing["rules"][0]["id"], id, "{briefing:#}");

    let reply = format!("Following [cm: helpful {id}] I ran the migration that way.");
    session(&sandbox, THIRD, 10, "Add a migration for refunds.", "and add a test for it", &reply);
    let [cited] = &rules(&sandbox)[..] else { panic!("one rule: {:#?}", rules(&sandbox)) };
    assert_eq!(cited["helpful"], 2, "{cited:#}");

    sandbox.cm(&["core"]).ok();
    let core = sandbox.read("CORE.md");
    assert!(core.contains("just migrate") && core.contains(id), "{core}");

    insta::assert_snapshot!(sandbox.git(&["log", "--reverse", "--format=%s%n%b", "--", "playbook", "CORE.md"])
        .lines()
        .filter(|line| !line.starts_with("Cm-") && !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n"), @"
    Reflect on claude-code session aaaaaaaa: Add a table for invoices.
    Reflect on claude-code session aaaaaaaa: Add a column for discounts.
    b-mwopxsg0-9kx5np: draft → active, a person stated it as lasting
    Reflect on claude-code session aaaaaaaa: Add a migration for refunds.
    Write CORE.md
    ");
}

#[test]
fn a_correction_that_the_agent_records_is_active_in_the_next_session_and_its_tokens_are_counted() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    let hook = |event: &str, message: Value| {
        let ran = sandbox.run(&["hook", "claude", event]).stdin(message.to_string()).go().ok();
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_default()["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let of = |session: &str, event: &str| json!({"session_id": session, "cwd": sandbox.vault(), "hook_event_name": event});
    let begin = |session: &str| {
        let mut message = of(session, "SessionStart");
        message["source"] = json!("startup");
        hook("session-start", message)
    };
    let typed = |session: &str, words: &str| {
        let mut message = of(session, "UserPromptSubmit");
        message["prompt"] = json!(words);
        hook("prompt", message)
    };

    begin(FIRST);
    let words = "no. from now on we always use pnpm here, never npm";
    let request = typed(FIRST, words);
    assert!(request.contains("memory_propose"), "{request}");
    let mut agent = McpClient::of(&sandbox);
    let proposal = json!({
        "kind": "rule", "text": "Use pnpm, never npm.", "quote": "we always use pnpm here, never npm", "session": FIRST,
    });
    let answer = agent.call("memory_propose", &proposal);
    assert_eq!(answer["structuredContent"]["state"], "active", "{answer:#}");
    assert_eq!(agent.leave().code, Some(0));

    // At the end of a session the index is refreshed in the background; here at once.
    sandbox.cm(&["search", "pnpm"]).ok();
    let briefing = begin(SECOND) + &typed(SECOND, "install a date picker with npm");
    assert!(briefing.contains("Use pnpm, never npm."), "{briefing}");
    let usage = sandbox.cm(&["usage", "--session", FIRST, "--json"]).ok().json();
    let entries = usage["receipt"]["entries"].as_array().unwrap();
    let of_kind =
        |kind: &str| entries.iter().find(|entry| entry["kind"] == kind).unwrap()["tokens"].as_u64().unwrap();
    // The line itself has 40 at most; the rest are the markers around it.
    assert!((1..=60).contains(&of_kind("request")), "{usage:#}");
    assert!(of_kind("tool") > 0, "{usage:#}");
}

#[test]
fn a_memory_that_an_agent_marks_by_its_short_id_gets_the_feedback_once() {
    let sandbox = vault_of("");
    let add =
        ["add", "--type", "fix", "--title", "Free a stuck helm release", "--body", "Roll back.", "--json"];
    let added = sandbox.cm(&add).ok().json();
    let id = added["id"].as_str().unwrap();
    let reply = format!("It held: [cm: helpful {}] and [cm: helpful 00000000]", &id[..8]);
    session(&sandbox, FIRST, 8, "The release hangs.", "and tell me why", &reply);
    let note = || sandbox.cm(&["get", id, "--json"]).ok().json()["frontmatter"]["feedback"].clone();
    let feedback = note();
    assert_eq!(feedback.as_array().map(Vec::len), Some(1), "{feedback:#}");
    assert_eq!((&feedback[0]["signal"], &feedback[0]["session"]), (&json!("helpful"), &json!(FIRST)));
    let again = sandbox.cm(&["reflect", "--again", "--json"]).json();
    let dropped = "markers of notes that do not exist were dropped: 00000000";
    assert!(again.to_string().contains(dropped), "{again:#}");
    assert_eq!(note(), feedback, "once a session");
}
