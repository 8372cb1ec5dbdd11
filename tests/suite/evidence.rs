//! Evidence from past sessions activates or rejects a proposed rule, and is shown before.

use serde_json::{Value, json};

use crate::support::{Sandbox, SessionLine, diary, scripted, talk, vault_of, write_session};

const RULE: &str = "Install the packages of the workspace with pnpm.";
const ASKED: &str = "please install the packages of this workspace with pnpm";

/// Creates a vault and indexed sessions that mention the rule and have these outcomes.
fn after(ends: &[&str]) -> Sandbox {
    let sandbox = vault_of("");
    sandbox.write("notes.md", "# Notes\n");
    for (number, end) in (1..).zip(ends) {
        let session = format!("s{number}s{number}s{number}s{number}");
        write_session(&sandbox, &session, "/home/dev/demo", &[("user", ASKED), ("assistant", "Installed.")]);
        if !end.is_empty() {
            diary(&sandbox, &session, end, "");
        }
    }
    sandbox.commit_all("Diaries");
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    sandbox
}

fn proposed(sandbox: &Sandbox) -> Value {
    let deltas = serde_json::json!([{"type": "add", "bullet": {"category": "tools", "content": RULE}}]);
    sandbox.write("../deltas.json", deltas.to_string());
    sandbox.cm(&["curate", "../deltas.json", "--json"]).json()
}

#[test]
fn three_sessions_that_succeeded_make_a_proposal_active_and_two_do_not() {
    let all = proposed(&after(&["success", "success", "success"]));
    assert_eq!(all["applied"][0]["state"], "active", "{all}");
    let two = proposed(&after(&["success", "success"]));
    assert_eq!(two["applied"][0]["state"], "draft", "{two}");
    let mixed = proposed(&after(&["success", "success", "success", "failure"]));
    assert_eq!(mixed["applied"][0]["state"], "draft", "{mixed}");
    let unknown = proposed(&after(&["", "", "", ""]));
    assert_eq!(unknown["applied"][0]["state"], "draft", "{unknown}");
}

#[test]
fn two_sessions_that_failed_keep_a_proposal_out_with_the_counts() {
    let sandbox = after(&["failure", "failure", "success"]);
    let refused = proposed(&sandbox);
    assert_eq!(refused["refused"][0]["code"], "evidence-against", "{refused}");
    assert_eq!(refused["refused"][0]["reason"], "2 sessions failed with it and 1 succeeded");
    // Rules added by a person need no evidence.
    sandbox.cm(&["playbook", "add", "--category", "tools", RULE]).ok();
    let agents = after(&["failure", "failure"]);
    let ran = agents.cm(&["playbook", "add", "--category", "tools", RULE, "--agent", "codex"]);
    assert_eq!(ran.code, 5, "{}", ran.snapshot());
}

#[test]
fn sessions_that_failed_with_what_is_to_be_avoided_do_not_keep_the_anti_pattern_out() {
    let sandbox = after(&["failure", "failure", "failure"]);
    let avoid = "AVOID: packages of the workspace that pnpm installs.";
    let bullet = serde_json::json!({"category": "tools", "content": avoid, "type": "anti_pattern"});
    sandbox.write("../deltas.json", serde_json::json!([{"type": "add", "bullet": bullet}]).to_string());
    let curated = sandbox.cm(&["curate", "../deltas.json", "--json"]).ok().json();
    assert_eq!(curated["applied"][0]["state"], "draft", "{curated}");
}

#[test]
fn a_persons_word_counts_rather_than_what_the_log_shows() {
    let sandbox = after(&["success", "success", "success"]);
    sandbox.cm(&["outcome", "s3s3", "failure"]).ok();
    assert_eq!(proposed(&sandbox)["applied"][0]["state"], "draft");
}

#[test]
fn a_curation_reads_no_log_and_a_vault_without_an_index_of_sessions_knows_nothing() {
    let sandbox = after(&["success", "success", "success"]);
    std::fs::remove_dir_all(sandbox.vault().join("_index/sessions")).unwrap();
    let curated = proposed(&sandbox);
    assert_eq!(curated["applied"][0]["state"], "draft", "{curated}");
    assert!(!sandbox.vault().join("_index/sessions").exists());
}

#[test]
fn what_is_older_than_the_days_that_count_says_nothing() {
    let sandbox = after(&["success", "success", "success"]);
    sandbox.settings("[sessions]\nvalidation_lookback_days = 0.5\n");
    assert_eq!(proposed(&sandbox)["applied"][0]["state"], "draft");
}

#[test]
fn a_damaged_index_of_sessions_leaves_a_draft_and_is_told() {
    let sandbox = after(&["success", "success", "success"]);
    sandbox.write("_index/sessions/documents/meta.json", "{");
    let deltas = serde_json::json!([{"type": "add", "bullet": {"category": "tools", "content": RULE}}]);
    sandbox.write("../deltas.json", deltas.to_string());
    let ran = sandbox.cm(&["curate", "../deltas.json"]).ok();
    assert!(ran.stderr.contains("past sessions could not be searched"), "{}", ran.snapshot());
    assert!(ran.stdout.contains("draft"), "{}", ran.snapshot());
}

#[test]
fn validate_rule_shows_the_counts_and_the_sessions_and_reads_new_logs_first() {
    let sandbox = after(&["success", "success", "success"]);
    insta::assert_snapshot!(sandbox.cm(&["validate-rule", RULE]).snapshot(), @"
    accept with caution Install the packages of the workspace with pnpm.
      3 sessions succeeded with it and none failed
      confidence 0.80; 3 sessions, 3 succeeded, 0 failed
      s1s1s1s1:1 claude-code, success: “please install the packages of this workspace with pnpm”
      s2s2s2s2:1 claude-code, success: “please install the packages of this workspace with pnpm”
      s3s3s3s3:1 claude-code, success: “please install the packages of this workspace with pnpm”
    [exit 0]
    ");
    write_session(&sandbox, "s9s9s9s9", "/home/dev/demo", &[("user", ASKED)]);
    diary(&sandbox, "s9s9s9s9", "failure", "");
    let stale = sandbox.cm(&["validate-rule", RULE, "--no-refresh", "--json"]).ok().json();
    assert_eq!(stale["evidence"]["sessions"], 3, "{stale}");
    let fresh = sandbox.cm(&["validate-rule", RULE, "--json"]).ok().json();
    assert_eq!((&fresh["verdict"], &fresh["gate"]), (&"draft".into(), &"draft".into()), "{fresh}");
    assert_eq!(fresh["evidence"]["failures"], 1, "{fresh}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? diary/s9s9s9s9.md\n");
}

#[test]
fn the_opposite_word_of_a_person_counts_against_a_rule() {
    let sandbox = after(&["success", "success", "success"]);
    let text = "never install packages with pnpm here";
    write_session(&sandbox, "s8s8s8s8", "/home/dev/demo", &[("user", text)]);
    diary(&sandbox, "s8s8s8s8", "success", "");
    let judged = sandbox.cm(&["validate-rule", "Always install packages with pnpm.", "--json"]).ok().json();
    assert_eq!(judged["evidence"]["failures"], 1, "{judged}");
    assert_eq!(judged["verdict"], "draft");
}

#[test]
fn a_model_talks_a_rule_out_or_words_it_better_only_where_sessions_are_not_of_one_mind() {
    let opinion = |verdict: &str, refined: Value| {
        json!({"again": true, "answer": {
            "verdict": verdict, "reason": "One session failed.", "refined": refined, "confidence": 0.4, "evidence": [1, 9],
        }})
    };
    let sandbox = after(&["success", "failure"]);
    scripted(
        &sandbox,
        "",
        &[opinion("ACCEPT_WITH_CAUTION", json!("Install packages with pnpm in this workspace."))],
    );
    insta::assert_snapshot!(sandbox.cm(&["validate-rule", RULE]).snapshot(), @"
    draft Install the packages of the workspace with pnpm.
      1 sessions succeeded with it and 1 failed
      the model scripted/script accepts it with caution: One session failed.
      confidence 0.40; 2 sessions, 1 succeeded, 1 failed
      s1s1s1s1:1 claude-code, success: “please install the packages of this workspace with pnpm”
      s2s2s2s2:1 claude-code, failure: “please install the packages of this workspace with pnpm”
      better: Install packages with pnpm in this workspace.
    [exit 0]
    ");
    let judged = sandbox.cm(&["validate-rule", RULE, "--json"]).ok().json();
    assert_eq!(
        (&judged["verdict"], &judged["model"]["evidence"]),
        (&json!("draft"), &json!([1])),
        "{judged}"
    );
    scripted(&sandbox, "", &[opinion("REJECT", Value::Null)]);
    let rejected = sandbox.cm(&["validate-rule", RULE, "--json"]).ok().json();
    assert_eq!(
        (&rejected["verdict"], &rejected["confidence"]),
        (&json!("reject"), &json!(0.4)),
        "{rejected}"
    );
    let alone = sandbox.cm(&["validate-rule", RULE, "--no-model", "--json"]).ok().json();
    assert_eq!((&alone["verdict"], &alone["model"]), (&json!("draft"), &Value::Null), "{alone}");
    scripted(&sandbox, "", &[json!({"again": true, "answer": "I would rather not."})]);
    let useless = sandbox.cm(&["validate-rule", RULE]).ok();
    assert!(useless.stderr.contains("the model's answer is not usable"), "{}", useless.snapshot());
    let settled = after(&["success", "success", "success"]);
    scripted(&settled, "", &[json!({"error": "nobody asks"})]);
    settled.cm(&["validate-rule", RULE]).ok();
}

/// Writes a session in which the person says this, a command runs, and all goes well.
fn session(sandbox: &Sandbox, at: usize, words: &str, command: &str) {
    let id = format!("{at}{at}{at}{at}{at}{at}{at}{at}-0000-4000-8000-000000000000");
    let lines = [
        SessionLine::Person("Add a table for invoices."),
        SessionLine::Agent("I will begin with the tests."),
        SessionLine::Person(words),
        SessionLine::Ran(command, "done"),
        SessionLine::Ran("cargo test", "test result: ok. 12 passed"),
        SessionLine::Person("perfect, thanks"),
    ];
    talk(sandbox, &id, 7 + at, &lines);
}

fn state(sandbox: &Sandbox, text: &str) -> String {
    let listed = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    let bullets = listed["bullets"].as_array().unwrap();
    let found = bullets.iter().find(|bullet| bullet["content"].as_str().unwrap().contains(text));
    found.unwrap_or_else(|| panic!("no rule with {text}: {listed:#}"))["state"].as_str().unwrap().to_owned()
}

#[test]
fn sessions_without_a_diary_count_with_the_outcome_that_reflection_recorded() {
    let sandbox = vault_of("");
    (1..=3).for_each(|at| session(&sandbox, at, ASKED, "pnpm install"));
    sandbox.cm(&["reflect"]).ok();
    std::fs::remove_dir_all(sandbox.vault().join("diary")).unwrap();
    let judged = sandbox.cm(&["validate-rule", RULE, "--json"]).ok().json();
    assert_eq!(judged["evidence"]["successes"], 3, "{judged}");
    // With the traces alone, too.
    std::fs::remove_file(sandbox.private("reflected.jsonl")).unwrap();
    let again = sandbox.cm(&["validate-rule", RULE, "--json"]).ok().json();
    assert_eq!(again["evidence"]["successes"], 3, "{again}");
}

#[test]
fn each_reflected_session_asks_the_gate_again_for_the_drafts_that_it_is_about() {
    let sandbox = vault_of("");
    proposed(&sandbox);
    for at in 1..=3 {
        assert_eq!(state(&sandbox, RULE), "draft");
        session(&sandbox, at, ASKED, "pnpm install");
        sandbox.cm(&["reflect"]).ok();
    }
    assert_eq!(state(&sandbox, RULE), "active");
    let log = sandbox.git(&["log", "-1", "--format=%b"]);
    assert!(log.contains("draft → active, 3 sessions succeeded with it and none failed"), "{log}");
}

#[test]
fn a_diary_and_an_outcome_ask_the_gate_again() {
    for verb in ["outcome", "diary"] {
        let sandbox = vault_of("");
        (1..=3).for_each(|at| session(&sandbox, at, ASKED, "pnpm install"));
        proposed(&sandbox);
        for at in 1..=3 {
            assert_eq!(state(&sandbox, RULE), "draft", "{verb}");
            let id = format!("{at}{at}{at}{at}{at}{at}{at}{at}");
            match verb {
                "outcome" => sandbox.cm(&["outcome", &id, "success"]).ok(),
                _ => sandbox.cm(&["diary", &id]).ok(),
            };
        }
        assert_eq!(state(&sandbox, RULE), "active", "{verb}");
    }
}

#[test]
fn sessions_that_ran_the_command_of_a_persons_rule_support_it_and_no_proposal_of_an_agent() {
    let sandbox = vault_of("");
    session(&sandbox, 1, "sqlx fails, do the migrations by `just migrate` then", "git status");
    sandbox.cm(&["reflect"]).ok();
    assert_eq!(state(&sandbox, "just migrate"), "draft");
    let proposal = "Run `just seed` after each migration of the schema.";
    let deltas = json!([{"type": "add", "bullet": {
        "category": "tools", "content": proposal,
        "evidence": ["the user in 11111111-0000-4000-8000-000000000000 line 3: please run just seed"],
    }}]);
    sandbox.write("../deltas.json", deltas.to_string());
    sandbox.cm(&["curate", "../deltas.json"]).ok();
    for at in 2..=4 {
        session(&sandbox, at, "looks fine so far", "just migrate && just seed");
        sandbox.cm(&["reflect"]).ok();
    }
    assert_eq!(state(&sandbox, "just migrate"), "active");
    assert_eq!(state(&sandbox, proposal), "draft");
}

#[test]
fn a_draft_of_a_fact_that_a_person_states_again_is_confirmed() {
    let sandbox = vault_of("");
    session(&sandbox, 1, "it's staging, on stage1.example.com", "git status");
    sandbox.cm(&["reflect"]).ok();
    let files = || sandbox.git(&["ls-files", "graph/facts"]);
    let path = files().trim().to_owned();
    assert!(sandbox.read(&path).contains("state: draft"), "{path}: {}", sandbox.read(&path));
    session(&sandbox, 2, "fyi our staging server is stage1.example.com", "git status");
    let again = sandbox.cm(&["reflect"]).ok();
    assert_eq!(files().trim(), path, "{}", again.snapshot());
    assert!(!sandbox.read(&path).contains("state:"), "{}", sandbox.read(&path));
    assert!(sandbox.read(&path).contains("Stated again"), "{}", sandbox.read(&path));
}
