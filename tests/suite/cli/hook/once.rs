//! `cm hook` gives a session each rule once, also where two hooks run at the same time.

use super::*;

#[test]
fn a_rule_that_was_just_learned_is_shown_once() {
    let sandbox = shop();
    let learned = "---\nid: b-mt2ssunl-zzzzzz\ntype: rule\ncategory: testing\nstate: active\nsources:\n  - {session: s-1, agent: codex, line: 3}\n\
                   created: 2026-11-20T08:00:00Z\n---\n\nRun the flaky upload test three times.\n";
    sandbox.write("playbook/testing/three-times.md", learned);
    sandbox.cm(&["reindex"]).ok();
    sandbox.git(&["checkout", "--quiet", "-b", "fix/flaky-upload-test"]);
    let named = words(&told(&sandbox, "codex", "session-start"));
    assert_eq!(named.matches("three times").count(), 1, "{named}");
    assert!(!named.contains(".."), "{named}");
}

#[test]
fn the_first_session_after_a_rule_was_added_is_told_it() {
    let sandbox = vault_of("");
    sandbox.cm(&["reindex"]).ok();
    sandbox.settings("[hooks]\ncapture = false\n");
    sandbox.cm(&["playbook", "add", "--category", "testing", "Give the upload test a port of its own."]).ok();
    let told = words(&told(&sandbox, "claude", "session-start"));
    assert!(told.contains("a port of its own"), "{told}");
}

#[test]
fn gemini_is_briefed_with_its_first_prompt_and_at_no_session_start() {
    let sandbox = shop();
    assert_eq!(told(&sandbox, "gemini", "session-start").stdout, "{}\n", "it would forget the first prompt");
    let first = words(&told(&sandbox, "gemini", "prompt"));
    assert!(first.contains("upload test a port") && first.contains("changelog"), "{first}");
    assert_eq!(told(&sandbox, "gemini", "prompt").stdout, "{}\n");
}

#[test]
fn two_hooks_of_one_event_brief_once() {
    let sandbox = shop();
    assert_ne!(told(&sandbox, "claude", "session-start").stdout, "");
    assert_eq!(
        told(&sandbox, "claude", "session-start").stdout,
        "",
        "the plugin's hook beside the project's"
    );
    told(&sandbox, "claude", "pre-compact");
    let compacted = recorded(&sandbox, "claude", "session-start").replace("startup", "compact");
    assert_ne!(hooked(&sandbox, &["claude", "session-start"], &compacted).stdout, "");
    assert_eq!(hooked(&sandbox, &["claude", "session-start"], &compacted).stdout, "");
    // The same prompt does not return the next best notes.
    sandbox.write("_config.toml", "[hooks]\ncapture = false\nmax_notes = 1\n");
    let flaky = "the upload test is flaky again, please fix it";
    assert_ne!(prompt("other", &sandbox, flaky).stdout, "");
    assert_eq!(prompt("other", &sandbox, flaky).stdout, "");
}

#[test]
fn hooks_that_run_at_once_brief_once() {
    let sandbox = shop();
    let message = recorded(&sandbox, "claude", "session-start");
    let answers: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| hooked(&sandbox, &["claude", "session-start"], &message).stdout))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|answer| !answer.is_empty()).count(), 1, "{answers:?}");
}

#[test]
fn no_rule_is_told_twice_in_a_session_and_each_session_is_told_anew() {
    let sandbox = shop();
    assert!(words(&told(&sandbox, "claude", "session-start")).contains("changelog"));
    let flaky = "the upload test is flaky again, please fix it";
    let release = "can you make the release and write the changelog";
    assert_eq!(prompt(SESSION, &sandbox, release).stdout, "", "CORE.md said it");
    let start = fs::read_to_string(record(&sandbox)).unwrap();
    assert!(start.contains("b-mt2ssunl-jq6d8j"), "the briefing has all rules of so small a vault: {start}");
    let more = words(&prompt(SESSION, &sandbox, flaky));
    assert!(more.contains("5e5e5e5e") && !more.contains("b-mt2ssunl"), "{more}");
    assert_eq!(prompt(SESSION, &sandbox, flaky).stdout, "");
    assert!(words(&prompt("another", &sandbox, flaky)).contains("b-mt2ssunl-jq6d8j"));
    assert!(words(&prompt("another", &sandbox, release)).contains("b-mnq4ancz-0a0a0a"));
    assert_eq!(prompt("another", &sandbox, flaky).stdout, "");
    // A resumed session still contains earlier context; a compacted one has lost it.
    let again = |source: &str| {
        let message = recorded(&sandbox, "claude", "session-start").replace("startup", source);
        words(&hooked(&sandbox, &["claude", "session-start"], &message))
    };
    assert_eq!(again("resume"), "");
    told(&sandbox, "claude", "pre-compact");
    assert!(again("compact").contains("changelog"));
}

#[test]
fn a_rule_added_during_a_session_is_given_with_a_later_prompt() {
    let sandbox = shop();
    let rule = "Run database migrations inside a transaction.";
    sandbox.cm(&["playbook", "add", "--category", "db", rule]).ok();
    prompt("s1", &sandbox, "run database migrations inside a transaction");
    assert!(
        (0..100).any(|round| {
            std::thread::sleep(Duration::from_millis(100));
            let told = prompt(&format!("t{round}"), &sandbox, "run database migrations inside a transaction");
            words(&told).contains(rule)
        }),
        "{}",
        failures(&sandbox)
    );
}
