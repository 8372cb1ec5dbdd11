//! `cm forget`

use super::rules::{JITTER, rules};
use super::small::message;

#[test]
fn a_forgotten_rule_is_deprecated_blocked_and_warned_of() {
    let sandbox = rules();
    let ran = sandbox.cm(&["forget", JITTER, "--reason", "caused an outage", "--invert"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    b-mnq4ancz-yuvp8h  playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md  deprecated, blocked by 24ad0053-bb71-4d16-9cf9-d5e56fa118f1  commit [COMMIT]
      inverted to b-mvxji0w0-vjrfgq
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Forget "Retry requests at once, up to five times."

    b-mnq4ancz-yuvp8h: inverted to b-mvxji0w0-vjrfgq

    Cm-Op: forget
    Cm-Id: b-mnq4ancz-yuvp8h
    Cm-Id: b-mvxji0w0-vjrfgq
    Cm-Id: 24ad0053-bb71-4d16-9cf9-d5e56fa118f1
    Cm-Reason: caused an outage
    Cm-Operation: cd63c4b0cfa34077817de9eae7dba62c
    "#);
    insta::assert_snapshot!(sandbox.git(&["show", "-U0", "--format="]), @"
    diff --git a/blocked/retry-requests-at-once-up-to-five-times-24ad00.md b/blocked/retry-requests-at-once-up-to-five-times-24ad00.md
    new file mode 100644
    index 0000000..87949fc
    --- /dev/null
    +++ b/blocked/retry-requests-at-once-up-to-five-times-24ad00.md
    @@ -0,0 +1,10 @@
    +---
    +id: 24ad0053-bb71-4d16-9cf9-d5e56fa118f1
    +kind: toxic
    +content: Retry requests at once, up to five times.
    +content_hash: c7f67157a41eba31d6ea7bb77c30dd208d7b16346333acc2f3df8521923951bf
    +reason: caused an outage
    +source_bullet: b-mnq4ancz-yuvp8h
    +inverted_to: b-mvxji0w0-vjrfgq
    +created: 2026-11-21T12:00:00Z
    +---
    diff --git a/playbook/net/avoid-retry-requests-at-once-up-to-five-times-c4fa79.md b/playbook/net/avoid-retry-requests-at-once-up-to-five-times-c4fa79.md
    new file mode 100644
    index 0000000..c4406e2
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
    +This was the rule b-mnq4ancz-yuvp8h until it was withdrawn: caused an outage.
    diff --git a/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md b/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
    index 34a1697..b17fdd0 100644
    --- a/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
    +++ b/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
    @@ -4 +4 @@ category: net
    -state: active
    +state: retired
    @@ -9 +9,4 @@ created: 2026-11-01T08:00:00Z
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +maturity: deprecated
    +replaced_by: b-mvxji0w0-vjrfgq
    +deprecation_reason: caused an outage
    ");
    let deltas = r#"[{"type": "add", "bullet": {"category": "net", "content": "Retry the requests at once, up to five times!"}}]"#;
    let back = sandbox.run(&["curate", "-"]).stdin(deltas).go();
    insta::assert_snapshot!(back.snapshot(), @"
       refused  delta 1 (add)  24ad0053-bb71-4d16-9cf9-d5e56fa118f1: its text is blocked: caused an outage
    0 deltas applied, 0 skipped, 1 refused  nothing to commit
    [exit 8]
    ");
}

#[test]
fn forgetting_takes_a_reason_and_a_bullet() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["forget", JITTER]).snapshot(), @r#"
    [stderr]
    error: a reason is required
     hint: for example `cm forget b-mnq4ancz-yuvp8h --reason "caused an outage"`
    [exit 2]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["forget", "Retry with jitter", "--reason", "x"]).snapshot(), @"
    [stderr]
    error: graph/solutions/retry-with-jitter-1f0c2a.md is not a rule
     hint: `cm delete` removes other notes
    [exit 2]
    ");
}

#[test]
fn forgetting_twice_changes_nothing() {
    let sandbox = rules();
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    let again = sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    insta::assert_snapshot!(again.snapshot(), @"
    b-mnq4ancz-yuvp8h  playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md  deprecated, already blocked by 24ad0053-bb71-4d16-9cf9-d5e56fa118f1  nothing to change
    [exit 0]
    ");
}

#[test]
fn the_commit_names_the_bullet_and_its_block() {
    let sandbox = rules();
    let forgotten = sandbox.cm(&["forget", JITTER, "--reason", "caused an outage", "--json"]).ok().json();
    let message = message(&sandbox);
    for id in [JITTER, forgotten["blocked_by"].as_str().unwrap()] {
        assert!(message.contains(&format!("Cm-Id: {id}")), "{message}");
    }
}

#[test]
fn an_anti_pattern_that_is_asked_for_later_is_a_change() {
    let sandbox = rules();
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    let invert = ["forget", JITTER, "--reason", "caused an outage", "--invert", "--json"];
    let later = sandbox.cm(&invert).ok().json();
    assert_eq!((&later["changed"], &later["blocked"]), (&true.into(), &false.into()), "{later}");
    assert!(later["commit"].is_string() && later["inverted_to"].is_string(), "{later}");
    let again = sandbox.cm(&invert).ok().json();
    assert_eq!((&again["changed"], &again["commit"]), (&false.into(), &serde_json::Value::Null), "{again}");
    assert_eq!(again["inverted_to"], later["inverted_to"]);
}
