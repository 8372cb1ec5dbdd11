//! The later word of a person wins: what they said before is deprecated or superseded, and briefings
//! show only what holds now.

use serde_json::Value;

use crate::support::{Sandbox, SessionLine, talk, vault_of};

const IDS: [&str; 3] = [
    "aaaaaaaa-0000-4000-8000-000000000001",
    "bbbbbbbb-0000-4000-8000-000000000002",
    "cccccccc-0000-4000-8000-000000000003",
];

/// A session in which the person says this after the agent began.
fn session(sandbox: &Sandbox, at: usize, words: &[&str]) {
    let mut lines = vec![
        SessionLine::Person("Release the new version."),
        SessionLine::Ran("git status", "clean"),
        SessionLine::Agent("I will begin."),
    ];
    for said in words {
        lines.push(SessionLine::Person(said));
        lines.push(SessionLine::Agent("Understood."));
    }
    talk(sandbox, IDS[at], 8 + at, &lines);
    let now = format!("2026-11-20T{:02}:30:00Z", 8 + at);
    let ran = sandbox.run(&["reflect"]).env("CM_NOW", &now).go();
    assert!([0, 8].contains(&ran.code), "{}", ran.snapshot());
}

fn rules(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.cm(&["playbook", "list", "--state", "all", "--json"]).ok().json();
    listed["bullets"].as_array().unwrap().clone()
}

fn with<'v>(rules: &'v [Value], text: &str) -> &'v Value {
    let found = rules.iter().find(|rule| rule["content"].as_str().unwrap().contains(text));
    found.unwrap_or_else(|| panic!("no rule with {text}: {rules:#?}"))
}

const OLD: &str = "no. from now on always deploy with `make ship`";
const NEW: &str = "we don't use make ship any more, deploy with just ship";

#[test]
fn a_later_statement_deprecates_the_rule_that_it_contradicts() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, 0, &[OLD]);
    assert_eq!(with(&rules(&sandbox), "make ship")["state"], "active", "{:#?}", rules(&sandbox));
    session(&sandbox, 1, &[NEW]);
    let all = rules(&sandbox);
    let new = with(&all, "just ship");
    let old = all.iter().find(|rule| rule["id"] != new["id"]).unwrap();
    assert_eq!((new["state"].as_str(), old["state"].as_str()), (Some("active"), Some("retired")), "{all:#?}");
    let (old, new) = (old["id"].as_str().unwrap(), new["id"].as_str().unwrap());
    let got = sandbox.cm(&["playbook", "get", old, "--json"]).ok().stdout;
    assert!(got.contains(new), "{got}");
    let log = sandbox.git(&["log", "-1", "--format=%b"]);
    assert!(log.contains(&format!("{old}: replaced by {new}")), "{log}");
    let briefing = sandbox.cm(&["context", "deploy the app", "--json"]).ok().json();
    let shown: Vec<&str> =
        briefing["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(shown, [new], "{briefing:#}");

    // The person changes their mind again.
    session(&sandbox, 2, &["never use `just ship`. from now on always deploy with `make ship`"]);
    let all = rules(&sandbox);
    let active: Vec<&Value> =
        all.iter().filter(|rule| rule["state"] == "active").map(|rule| &rule["content"]).collect();
    assert_eq!(active, ["Never use `just ship`.", "Always deploy with `make ship`."], "{all:#?}");
}

#[test]
fn a_pinned_rule_and_one_that_was_typed_in_are_not_replaced() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, 0, &[OLD]);
    let id = rules(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    sandbox.cm(&["pin", &id]).ok();
    session(&sandbox, 1, &[NEW]);
    let all = rules(&sandbox);
    assert_eq!(with(&all, "just ship")["state"], "draft", "{all:#?}");
    assert_eq!(all.iter().filter(|rule| rule["state"] == "active").count(), 1, "{all:#?}");

    let typed = vault_of("");
    typed.cm(&["playbook", "add", "--category", "workflow", "Always deploy with `make ship`."]).ok();
    session(&typed, 1, &[NEW]);
    assert_eq!(with(&rules(&typed), "just ship")["state"], "draft", "{:#?}", rules(&typed));
}

#[test]
fn an_earlier_session_that_is_read_later_replaces_nothing() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, 1, &[NEW]);
    session(&sandbox, 0, &[OLD]);
    let all = rules(&sandbox);
    assert_eq!(with(&all, "just ship")["state"], "active", "{all:#?}");
    assert_eq!(all.iter().filter(|rule| rule["state"] == "active").count(), 1, "{all:#?}");
}

#[test]
fn what_is_taken_back_in_the_session_is_not_learned() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, 0, &[OLD, "hm, never mind"]);
    assert_eq!(rules(&sandbox), Vec::<Value>::new());
    session(&sandbox, 1, &[OLD, NEW]);
    let all = rules(&sandbox);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0]["content"].as_str().unwrap().contains("just ship"), "{all:#?}");
}

#[test]
fn what_is_replaced_by_name_in_the_session_is_not_learned() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    let replaced = "ok. And scratch Mailgun, we go with Postmark instead: always send mails through Postmark";
    session(&sandbox, 0, &["from now on always send mails through Mailgun", replaced]);
    let all = rules(&sandbox);
    assert!(!all.iter().any(|rule| rule["content"] == "Always send mails through Mailgun."), "{all:#?}");
}

#[test]
fn what_a_person_forgot_is_neither_remembered_nor_quoted_from_its_session() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    let said = "from now on always write the parser errors in Portuguese";
    session(&sandbox, 0, &[said]);
    let id = rules(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    let task = "improve the parser errors";
    assert!(sandbox.cm(&["context", task]).ok().stdout.contains("Portuguese"));
    sandbox.cm(&["forget", &id, "--reason", "not any more"]).ok();
    let remembered = sandbox.cm(&["remember", "--no-section", "--json"]).json();
    assert_eq!(remembered["preferences"].as_array().map_or(0, Vec::len), 0, "{remembered:#}");
    let briefing = sandbox.cm(&["context", task]).ok().stdout;
    let history = briefing.split("## History").nth(1).unwrap_or_default();
    assert!(!history.contains("Portuguese"), "{briefing}");
}

#[test]
fn a_later_fact_supersedes_the_earlier_one() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    session(&sandbox, 0, &["for your information: our staging server is stage1.example.com, remember that"]);
    session(
        &sandbox,
        1,
        &["for your information: our staging server is now stage2.example.com, remember that"],
    );
    let edges = sandbox.git(&["ls-files", "graph/edges"]);
    assert_eq!(edges.matches("SUPERSEDES").count(), 1, "{edges}{:#?}", sandbox.git(&["ls-files"]));
    let briefing = sandbox.cm(&["context", "deploy to the staging server"]).ok().stdout;
    assert!(briefing.contains("stage2") && !briefing.contains("stage1.example.com\n"), "{briefing}");
}
