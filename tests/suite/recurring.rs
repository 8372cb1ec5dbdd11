//! What recurs in several sessions is learned by counting: once a fix, twice a draft, three times a
//! rule.

use serde_json::Value;

use crate::support::{Sandbox, SessionLine, talk, vault_of};

const IDS: [&str; 3] = [
    "aaaaaaaa-0000-4000-8000-000000000001",
    "bbbbbbbb-0000-4000-8000-000000000002",
    "cccccccc-0000-4000-8000-000000000003",
];

const RULE: &str = "Run `docker compose up -d db` before `make itest`: without it, it failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\".";

/// Writes a session in which the integration tests fail until the database is started.
fn refused(sandbox: &Sandbox, at: usize) {
    talk(
        sandbox,
        IDS[at],
        8 + at,
        &[
            SessionLine::Person("Bitte die Integrationstests laufen lassen."),
            SessionLine::Ran("make itest", "Exit code 2\nError: connect ECONNREFUSED 127.0.0.1:5433"),
            SessionLine::Ran("docker compose ps", ""),
            SessionLine::Ran("cd /home/dev/demo && docker compose up -d db 2>&1 | tail -3", "Started"),
            SessionLine::Ran("make itest", "ok, 88 passed"),
            SessionLine::Agent("Sie laufen."),
        ],
    );
}

fn rules(sandbox: &Sandbox) -> Vec<Value> {
    let list = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    list["bullets"].as_array().unwrap().clone()
}

fn learned(sandbox: &Sandbox) -> Vec<(String, String, bool)> {
    let ran = sandbox.cm(&["reflect", "--json"]).ok().json();
    let worked = ran["worked"].as_array().unwrap();
    let all = worked.iter().flat_map(|one| one["learned"].as_array().unwrap());
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    all.map(|one| (text(one, "what"), text(one, "text"), one["draft"].as_bool().unwrap())).collect()
}

#[test]
fn a_command_that_needs_another_one_is_a_fix_then_a_draft_and_then_a_rule() {
    let sandbox = vault_of("");
    refused(&sandbox, 0);
    let once = learned(&sandbox);
    let fix = "`make itest` failed with \"Error: connect ECONNREFUSED 127.0.0.1:5433\" until `docker compose up -d db` was run";
    assert_eq!(once, [("fix".to_owned(), fix.to_owned(), false)]);
    refused(&sandbox, 1);
    assert_eq!(learned(&sandbox), [("add".to_owned(), RULE.to_owned(), true)]);
    let drafts = rules(&sandbox);
    assert_eq!((drafts.len(), drafts[0]["state"].as_str()), (1, Some("draft")));
    let why = sandbox.cm(&["why", drafts[0]["id"].as_str().unwrap()]).ok().stdout;
    for id in &IDS[..2] {
        let quote = format!("the log of {id} line 2 on 2026-11-20: `make itest` failed with");
        assert!(why.contains(&quote), "{why}");
    }
    refused(&sandbox, 2);
    learned(&sandbox);
    let active = rules(&sandbox);
    assert_eq!((active.len(), active[0]["state"].as_str()), (1, Some("active")), "{active:?}");
    sandbox.cm(&["validate"]).ok();
    // The rule says more than the fix of the first session.
    let edges = sandbox.git(&["ls-files", "graph/edges"]);
    assert_eq!(edges.matches("SUPERSEDES").count(), 1, "{edges}");
    let id = active[0]["id"].as_str().unwrap();
    assert!(sandbox.read(edges.trim()).contains(id), "{}", sandbox.read(edges.trim()));
}

#[test]
fn a_rule_that_counting_found_is_retired_by_two_sessions_that_do_without_it() {
    let sandbox = vault_of("");
    let session = |at: usize, lines: Vec<SessionLine<'_>>| {
        let id = format!("aaaaaaaa-0000-4000-8000-00000000000{at}");
        let prompt = [SessionLine::Person("Build the orders.")];
        talk(&sandbox, &id, 8 + at, &prompt.into_iter().chain(lines).collect::<Vec<_>>());
        learned(&sandbox);
    };
    for at in 0..2 {
        let failed = "Exit code 2\nError: Could not find profile named 'shop'";
        let lines = vec![
            SessionLine::Ran(["dbt build -s orders", "dbt run"][at], failed),
            SessionLine::Ran(["dbt build -s orders --profiles-dir .", "dbt run --profiles-dir ."][at], "ok"),
        ];
        session(at, lines);
    }
    let [rule] = &rules(&sandbox)[..] else { panic!("one rule: {:#?}", rules(&sandbox)) };
    assert!(rule["content"].as_str().unwrap().starts_with("Add `--profiles-dir .` to `dbt`"), "{rule:#}");
    session(2, vec![SessionLine::Ran("dbt test", "ok")]);
    assert_ne!(rules(&sandbox)[0]["state"], "retired");
    session(3, vec![SessionLine::Ran("dbt seed", "ok")]);
    let [rule] = &rules(&sandbox)[..] else { panic!("one rule: {:#?}", rules(&sandbox)) };
    assert_eq!(rule["state"], "retired", "{rule:#}");
    let why = sandbox.cm(&["why", rule["id"].as_str().unwrap()]).ok().stdout;
    assert!(why.contains("`dbt seed` passed without `--profiles-dir .`"), "{why}");
}

#[test]
fn what_is_learned_is_embedded_before_the_next_briefing() {
    let sandbox = vault_of("");
    (0..3).for_each(|at| refused(&sandbox, at));
    sandbox.run(&["reflect"]).env("CM_EMBEDDINGS_BUDGET_MS", "1").go().ok();
    let status = sandbox.cm(&["embed", "status", "--no-refresh", "--json"]).ok().json();
    for model in status["models"].as_array().unwrap() {
        assert!(model["of"].as_u64() > Some(3) && model["done"] == model["of"], "{model:#}");
    }
}

#[test]
fn the_command_that_checks_most_sessions_is_a_draft_with_dated_quotes() {
    let sandbox = vault_of("");
    for (at, id) in IDS.into_iter().enumerate().take(3) {
        let lines = [SessionLine::Person("Fix the cart."), SessionLine::Ran("make test", "ok, 88 passed")];
        talk(&sandbox, id, 8 + at, &lines);
    }
    let fact = "The tests of this project run with `make test`";
    assert!(learned(&sandbox).contains(&("fact".to_owned(), fact.to_owned(), true)));
    let path = sandbox.git(&["ls-files", "graph/facts"]);
    let note = sandbox.read(path.trim());
    assert!(note.contains("state: draft"), "{note}");
    assert!(
        note.contains(&format!("the log of {} line 2 on 2026-11-20: `make test` passed", IDS[0])),
        "{note}"
    );
}

#[test]
fn traces_are_built_again_from_the_logs_where_the_cache_and_the_diaries_are_gone() {
    let sandbox = vault_of("");
    refused(&sandbox, 0);
    learned(&sandbox);
    assert!(sandbox.private("traces.jsonl").is_file());
    std::fs::remove_file(sandbox.private("traces.jsonl")).unwrap();
    std::fs::remove_dir_all(sandbox.vault().join("diary")).unwrap();
    refused(&sandbox, 1);
    assert_eq!(learned(&sandbox), [("add".to_owned(), RULE.to_owned(), true)]);
    // With the cache, the log of the first session is not needed any more.
    let log = format!("home/.claude/projects/-home-dev-demo/{}.jsonl", IDS[0]);
    std::fs::remove_file(sandbox.root().join(log)).unwrap();
    refused(&sandbox, 2);
    learned(&sandbox);
    assert_eq!(rules(&sandbox)[0]["state"].as_str(), Some("active"));
}

#[test]
fn a_dry_run_counts_and_stores_no_traces() {
    let sandbox = vault_of("");
    refused(&sandbox, 0);
    refused(&sandbox, 1);
    let ran = sandbox.cm(&["reflect", "--dry-run", "--json"]).ok().json();
    assert_eq!(ran["applied"], 2, "{ran}");
    assert!(!sandbox.private("traces.jsonl").exists());
}
