//! Merges of rules and what follows from their feedback.

use super::*;

const RULE: &str = "playbook/ci/a.md";

/// A rule with feedback on these days of November 2026, as `(day, signal, session)`.
fn rule(keys: &str, events: &[(u8, &str, &str)]) -> String {
    let feedback: String = events
        .iter()
        .map(|(day, signal, session)| {
            format!("  - at: 2026-11-{day:02}T09:00:00Z\n    signal: {signal}\n    session: {session}\n")
        })
        .collect();
    let feedback = if feedback.is_empty() { String::new() } else { format!("feedback:\n{feedback}") };
    format!(
        "---\nid: b-mwnpvin0-ddisyl\ntype: rule\ncategory: ci\n{keys}{feedback}---\n\nRun the tests before a push.\n"
    )
}

#[test]
fn maturity_and_promotion_follow_from_the_events_of_both_sides() {
    let helped = |days: &[u8]| days.iter().map(|day| (*day, "helpful", "s")).collect::<Vec<_>>();
    let base = rule("state: active\nmaturity: candidate\n", &helped(&[1]));
    let ours = rule("state: active\nmaturity: candidate\n", &helped(&[1, 2, 3]));
    let theirs = rule("state: active\nmaturity: candidate\n", &helped(&[1, 4, 5]));
    let text = synced(RULE, &base, &ours, &theirs);
    assert!(text.contains("maturity: established\n"), "{text}");
    assert!(text.contains("promoted_at: 2026-11-05T09:00:00Z\n"), "{text}");
}

#[test]
fn equal_events_of_two_people_are_two_and_of_one_person_are_one() {
    let keys = "state: active\nmaturity: candidate\n";
    let by = |author: &str| {
        let event =
            format!("feedback:\n  - at: 2026-11-02T09:00:00Z\n    signal: helpful\n    author: {author}\n");
        rule(&format!("{keys}{event}"), &[])
    };
    let merged = |ours: &str, theirs: &str| synced(RULE, &rule(keys, &[]), &by(ours), &by(theirs));
    assert_eq!(merged("Ada", "Ben").matches("signal: helpful").count(), 2);
    assert_eq!(merged("Ada", "Ada").matches("signal: helpful").count(), 1);
}

#[test]
fn harm_on_both_sides_retires_the_rule() {
    let keys = "state: active\nmaturity: candidate\n";
    let (base, ours, theirs) = (
        rule(keys, &[(1, "harmful", "a")]),
        rule(keys, &[(1, "harmful", "a"), (2, "harmful", "b")]),
        rule(keys, &[(1, "harmful", "a"), (3, "harmful", "c")]),
    );
    let text = synced(RULE, &base, &ours, &theirs);
    for line in ["state: retired\n", "maturity: deprecated\n", "deprecation_reason: "] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn reasons_of_both_sides_are_joined() {
    let retired = |reason: &str| {
        rule(&format!("state: retired\nmaturity: deprecated\ndeprecation_reason: {reason}\n"), &[])
    };
    let text = synced(
        RULE,
        &rule("state: active\nmaturity: candidate\n", &[]),
        &retired("too slow"),
        &retired("obsolete"),
    );
    assert!(text.contains("deprecation_reason: obsolete; too slow\n"), "{text}");
    assert!(!text.contains("merge:"), "{text}");
}

#[test]
fn a_rule_that_a_person_retired_stays_retired() {
    let base = rule("state: active\nmaturity: candidate\n", &[]);
    let ours =
        rule("state: retired\nmaturity: deprecated\ndeprecation_reason: obsolete\n", &[(1, "harmful", "a")]);
    let theirs = rule("state: active\nmaturity: candidate\n", &[(2, "helpful", "b")]);
    let text = synced(RULE, &base, &ours, &theirs);
    assert!(text.contains("state: retired\nmaturity: deprecated\n"), "{text}");
    assert!(text.contains("session: a\n") && text.contains("session: b\n"));
}

#[test]
fn two_statements_are_not_joined_to_one() {
    let base = rule("state: active\n", &[]);
    let text = |rule: &str| base.replace("Run the tests before a push.", rule);
    let merged = synced(RULE, &base, &text("Run all tests first."), &text("Let the server test."));
    assert!(merged.contains("\n\nRun all tests first.\n"), "{merged}");
    assert!(merged.contains("value: Let the server test.\n"), "{merged}");
}

#[test]
fn a_warning_that_both_sides_made_has_both_reasons() {
    let warning = |why: &str| {
        rule("state: active\n", &[])
            .replace("a push.\n", &format!("a push.\n\n## Why\n\nWithdrawn: {why}.\n"))
    };
    let (ours, theirs) = (warning("too slow"), warning("an outage"));
    let merged = merged(RULE, None, ours.as_bytes(), theirs.as_bytes(), Clash::Markers);
    let text = String::from_utf8(merged.bytes).unwrap();
    assert!(!merged.markers, "{text}");
    assert!(text.contains("too slow") && text.contains("an outage"), "{text}");
    assert_eq!(text.matches("Run the tests").count(), 1, "{text}");
}

#[test]
fn no_rule_says_what_nobody_wrote() {
    let rule =
        |text: &str| format!("---\nid: b-mq6d3m8l-aaaaaa\ncategory: go\nstate: active\n---\n\n{text}\n");
    for [base, ours, theirs] in [
        [
            "Always use tabs in Go files of this project.",
            "Never use tabs in Go files of this project.",
            "Always use spaces in Go files of this project.",
        ],
        [
            "Always use tabs\nin all\nGo files.",
            "Never use tabs\nin all\nGo files.",
            "Always use tabs\nin all\nRust files.",
        ],
    ] {
        let merged = synced("playbook/go/a.md", &rule(base), &rule(ours), &rule(theirs));
        assert!(
            merged.ends_with(&format!("\n{ours}\n")) || merged.ends_with(&format!("\n{theirs}\n")),
            "{merged}"
        );
        assert!(merged.contains("merge:\n  - paragraph: "), "{merged}");
    }
    let base = "Use tabs in Go files.\nThe linter wants it.";
    let merged = synced(
        "playbook/go/a.md",
        &rule(base),
        &rule(&base.replace("Use tabs", "Always use tabs")),
        &rule(&base.replace("linter", "formatter")),
    );
    assert_eq!(merged, rule("Always use tabs in Go files.\nThe formatter wants it."));
}
