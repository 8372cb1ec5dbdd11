//! `cm mark`

use super::rules::{JITTER, SUITE, rules};
use super::small::message;
use crate::support::{vault_of, write_session};

#[test]
fn a_word_is_kept_in_the_bullet_and_committed() {
    let sandbox = rules();
    sandbox.write_injection_logs(&["s-7"]);
    let ran = sandbox.cm(&["mark", SUITE, "--helpful", "--session", "s-7", "--agent", "otter"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    b-mt2ssunl-jq6d8j  candidate, score 0.5 (1 helpful, 0 harmful)  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Mark "Run the whole suite before you push." helpful

    Cm-Op: mark
    Cm-Id: b-mt2ssunl-jq6d8j
    Cm-Session: s-7
    Cm-Agent: otter
    Cm-Operation: c04879ce83724192a6bc74ca24c8aa89
    "#);
    insta::assert_snapshot!(sandbox.git(&["show", "-U0", "--format="]), @"
    diff --git a/playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md b/playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md
    index f8c912f..5c5b2fb 100644
    --- a/playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md
    +++ b/playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md
    @@ -6 +6,6 @@ created: 2026-11-01T08:00:00Z
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +feedback:
    +  - at: 2026-11-21T12:00:00Z
    +    signal: helpful
    +    session: s-7
    +    agent: otter
    ");
}

#[test]
fn a_session_says_each_thing_once() {
    let sandbox = rules();
    sandbox.write_injection_logs(&["s-7"]);
    sandbox.cm(&["mark", SUITE, "--helpful", "--session", "s-7"]).ok();
    let again = sandbox.cm(&["mark", SUITE, "--helpful", "--session", "s-7"]);
    insta::assert_snapshot!(again.snapshot(), @"
    b-mt2ssunl-jq6d8j  candidate, score 0.5 (1 helpful, 0 harmful)  this session already gave this feedback
    [exit 0]
    ");
    assert_eq!(
        sandbox.cm(&["mark", SUITE, "--harmful", "--session", "s-7", "--json"]).ok().json()["harmful"],
        1
    );
}

#[test]
fn a_session_is_named_by_a_prefix_like_in_other_commands() {
    let sandbox = rules();
    write_session(&sandbox, "7c610e15-3c3f-4a52-9d53-0a3f8a6f5b11", "/w", &[("user", "Run the tests.")]);
    let ran = sandbox.cm(&["mark", SUITE, "helpful", "--session", "7c610e15"]).ok();
    assert!(!ran.stdout.contains("without weight"), "{}", ran.snapshot());
    let note = sandbox.git(&["grep", "-h", "session: 7c610e15", "--", "playbook"]);
    assert!(note.contains("7c610e15-3c3f-4a52-9d53-0a3f8a6f5b11"), "{note}");
}

#[test]
fn a_person_without_a_session_counts_once_a_day_and_each_word_is_kept() {
    let sandbox = rules();
    for day in ["2026-11-21T09:00:00Z", "2026-11-21T12:00:00.25Z", "2026-11-21T12:00:00.25Z"] {
        let words = ["mark", SUITE, "--helpful", "--json", "--now", day];
        assert_eq!(sandbox.cm(&words).ok().json()["helpful"], 1);
    }
    let ran = sandbox.cm(&["mark", SUITE, "--helpful", "--now", "2026-11-22"]);
    assert!(ran.stdout.contains("(2 helpful, 0 harmful)"), "{}", ran.snapshot());
    let note = sandbox.git(&["grep", "-h", "weight: 0", "--", "playbook"]);
    assert_eq!(note.lines().count(), 2, "{note}");
}

#[test]
fn twelve_invented_sessions_retire_no_rule() {
    let sandbox = rules();
    for number in 0..12 {
        let session = format!("invented-{number}");
        let ran = sandbox.cm(&["mark", JITTER, "--harmful", "--session", &session]);
        assert!(
            ran.stdout.contains("stored without weight: its session is unknown here"),
            "{}",
            ran.snapshot()
        );
    }
    let bullet = sandbox.cm(&["playbook", "get", JITTER, "--json"]).ok().json();
    assert_eq!((&bullet["maturity"], &bullet["state"]), (&"candidate".into(), &"active".into()), "{bullet}");
    assert_eq!(bullet["score"], 0.0, "{bullet}");
}

#[test]
fn help_harm_help_leaves_a_rule_a_rule() {
    let sandbox = rules();
    for (day, signal) in
        [("2026-11-01", "--helpful"), ("2026-11-02", "--harmful"), ("2026-11-03", "--helpful")]
    {
        let ran = sandbox.cm(&["mark", JITTER, signal, "--now", day]).ok();
        assert!(!ran.stdout.contains("deprecated") && !ran.stdout.contains("AVOID"), "{}", ran.snapshot());
    }
}

#[test]
fn only_a_person_says_that_the_opposite_holds() {
    let sandbox = rules();
    let ran = sandbox.cm(&["mark", JITTER, "--harmful", "--invert", "--agent", "otter"]);
    assert_eq!((ran.code, ran.stderr.contains("only a person")), (5, true), "{}", ran.snapshot());
    assert_eq!(sandbox.cm(&["mark", JITTER, "--helpful", "--invert"]).code, 2);
}

#[test]
fn an_observation_matures_by_its_feedback_and_retires_by_harm() {
    let sandbox = vault_of(
        "--- graph/observations/a.md\n---\nid: 1f0c2a00-0000-4000-8000-0000000000aa\ntype: observation\ntitle: The gateway drops idle sockets\n---\nThe gateway drops idle sockets.\n",
    );
    sandbox.write_injection_logs(&["s-1", "s-2", "s-3"]);
    let mark = |day: &str, signal: &str, session: &str| {
        let words = ["mark", "1f0c2a00", signal, "--session", session, "--now", day, "--json"];
        sandbox.cm(&words).ok().json()
    };
    assert_eq!(mark("2026-11-01", "--helpful", "s-1")["maturity"], serde_json::Value::Null);
    assert_eq!(mark("2026-11-02", "--harmful", "s-2")["maturity"], serde_json::Value::Null);
    assert_eq!(mark("2026-11-03", "--harmful", "s-3")["maturity"], "deprecated");
    let note = sandbox.read("graph/observations/a.md");
    assert!(note.contains("state: retired") && note.contains("maturity: deprecated"), "{note}");
}

#[test]
fn harm_in_two_sessions_turns_a_rule_into_a_warning() {
    let sandbox = rules();
    sandbox.write_injection_logs(&["s-8", "s-9"]);
    sandbox.cm(&["mark", JITTER, "--harmful", "--reason", "caused_bug", "--session", "s-8"]).ok();
    let ran =
        sandbox.cm(&["mark", JITTER, "--harmful", "--reason", "took the gateway down", "--session", "s-9"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    b-mnq4ancz-yuvp8h  deprecated, score 0 (0 helpful, 2 harmful)  commit [COMMIT]
      demoted candidate → deprecated: score -4 after 2 harmful
      inverted to b-mvxji0w0-vjrfgq: AVOID: Retry requests at once, up to five times.
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Mark "Retry requests at once, up to five times." harmful

    b-mnq4ancz-yuvp8h: candidate → deprecated, score -4 after 2 harmful
    b-mnq4ancz-yuvp8h: inverted to b-mvxji0w0-vjrfgq

    Cm-Op: mark
    Cm-Id: b-mnq4ancz-yuvp8h
    Cm-Id: b-mvxji0w0-vjrfgq
    Cm-Session: s-9
    Cm-Reason: took the gateway down
    Cm-Operation: e49cc8ec72e6441a9d3fffee7f0c5495
    "#);
    let warning = sandbox.git(&["show", "--format=", "--diff-filter=A"]);
    insta::assert_snapshot!(warning, @"
    diff --git a/playbook/net/avoid-retry-requests-at-once-up-to-five-times-c4fa79.md b/playbook/net/avoid-retry-requests-at-once-up-to-five-times-c4fa79.md
    new file mode 100644
    index 0000000..cc1e985
    --- /dev/null
    +++ b/playbook/net/avoid-retry-requests-at-once-up-to-five-times-c4fa79.md
    @@ -0,0 +1,22 @@
    +---
    +id: b-mvxji0w0-vjrfgq
    +type: anti_pattern
    +kind: anti_pattern
    +category: net
    +state: active
    +maturity: candidate
    +tags: [retry, inverted, anti-pattern]
    +sources:
    +  - session: s-1
    +    agent: otter
    +    line: 12
    +supersedes: b-mnq4ancz-yuvp8h
    +created: 2026-11-21T12:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +---
    +
    +AVOID: Retry requests at once, up to five times.
    +
    +## Why
    +
    +This was the rule b-mnq4ancz-yuvp8h until it caused harm 2 times: caused bug, took the gateway down.
    ");
}

#[test]
fn a_pinned_rule_takes_words_and_never_falls() {
    let sandbox = rules();
    sandbox.cm(&["pin", JITTER, "--reason", "the operator asks for it"]).ok();
    for day in ["2026-11-21", "2026-11-21", "2026-11-20"] {
        sandbox.cm(&["mark", JITTER, "--harmful", "--now", day]).ok();
    }
    let ran = sandbox.cm(&["mark", JITTER, "--irrelevant", "--json"]).ok().json();
    assert_eq!((&ran["maturity"], &ran["harmful"]), (&"candidate".into(), &2.into()));
    assert!(ran["score"].as_f64().unwrap() < -3.9, "{ran}");
}

#[test]
fn a_memory_is_judged_too() {
    let sandbox = rules();
    let ran = sandbox.cm(&["mark", "Retry with jitter", "--helpful", "--weight", "0.5"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    1f0c2a00-0000-4000-8000-000000000001  score 0.96 (1 helpful, 0 harmful)  commit [COMMIT]
    [exit 0]
    ");
}

#[test]
fn what_cannot_be_judged_is_refused_with_the_way_on() {
    let sandbox = rules();
    for (words, code) in [
        (&["mark", SUITE][..], 2),
        (&["mark", SUITE, "--helpful", "--harmful"], 2),
        (&["mark", SUITE, "--helpful", "--weight", "2"], 2),
        (&["mark", SUITE, "--helpful", "--reason", " "], 2),
        (&["mark", "b-nowhere", "--helpful"], 4),
    ] {
        let ran = sandbox.cm(words);
        assert_eq!(ran.code, code, "{words:?}\n{}", ran.snapshot());
    }
    let blank = vault_of(
        "--- playbook/testing/a.md\n---\nstate: active\n---\nRun the whole suite before you push.\n",
    );
    let marked = blank.cm(&["mark", "playbook/testing/a.md", "--helpful", "--json"]).ok().json();
    assert_eq!(
        (&marked["id"], &marked["helpful"]),
        (&"playbook/testing/a.md".into(), &1.into()),
        "it answers to its path"
    );
}

#[test]
fn feedback_may_be_a_word_behind_the_note() {
    let sandbox = crate::support::harbour();
    let marked = sandbox.cm(&["mark", "b-mq6d3m8l-x1y2z3", "helpful", "--json"]).ok().json();
    assert_eq!(marked["changed"], true, "{marked}");
    let refused = sandbox.cm(&["mark", "nosuch", "helpful"]);
    assert!(refused.stderr.contains("note `nosuch` not found"), "{}", refused.stderr);
}
