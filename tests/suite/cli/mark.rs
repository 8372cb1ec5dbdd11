//! `cm mark`

use super::rules::{JITTER, SUITE, rules};
use super::small::message;
use crate::support::vault_of;

#[test]
fn a_word_is_kept_in_the_bullet_and_committed() {
    let sandbox = rules();
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
    sandbox.cm(&["mark", SUITE, "--helpful", "--session", "s-7"]).ok();
    let again = sandbox.cm(&["mark", SUITE, "--helpful", "--session", "s-7"]);
    insta::assert_snapshot!(again.snapshot(), @"
    b-mt2ssunl-jq6d8j  candidate, score 0.5 (1 helpful, 0 harmful)  this session said so already
    [exit 0]
    ");
    assert_eq!(
        sandbox.cm(&["mark", SUITE, "--harmful", "--session", "s-7", "--json"]).ok().json()["harmful"],
        1
    );
}

#[test]
fn equal_words_without_a_session_all_count() {
    let sandbox = rules();
    for count in 1..=3 {
        assert_eq!(sandbox.cm(&["mark", SUITE, "--helpful", "--json"]).ok().json()["helpful"], count);
    }
}

#[test]
fn equal_words_within_one_second_of_a_true_clock_all_count() {
    let sandbox = rules();
    for count in 1..=3 {
        let words = ["mark", SUITE, "--helpful", "--json", "--now", "2026-11-21T12:00:00.25Z"];
        assert_eq!(sandbox.cm(&words).ok().json()["helpful"], count);
    }
    assert_eq!(sandbox.cm(&["playbook", "get", SUITE, "--json"]).ok().json()["helpful"], 3);
}

#[test]
fn harm_turns_a_rule_into_a_warning() {
    let sandbox = rules();
    sandbox.cm(&["mark", JITTER, "--harmful", "--reason", "caused_bug"]).ok();
    let ran = sandbox.cm(&["mark", JITTER, "--harmful", "--reason", "took the gateway down"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    b-mnq4ancz-yuvp8h  deprecated, score 0 (0 helpful, 2 harmful)  commit [COMMIT]
      demoted candidate → deprecated: score -4 after 2 harmful
      inverted to b-mwqcvpc0-3qvrcm: AVOID: Retry requests at once, up to five times.
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Mark "Retry requests at once, up to five times." harmful

    b-mnq4ancz-yuvp8h: candidate → deprecated, score -4 after 2 harmful
    b-mnq4ancz-yuvp8h: inverted to b-mwqcvpc0-3qvrcm

    Cm-Op: mark
    Cm-Id: b-mnq4ancz-yuvp8h
    Cm-Id: b-mwqcvpc0-3qvrcm
    Cm-Reason: took the gateway down
    Cm-Operation: 2856a76ce7b544159569d3e79e991d59
    "#);
    let warning = sandbox.git(&["show", "--format=", "--diff-filter=A"]);
    insta::assert_snapshot!(warning, @"
    diff --git a/playbook/net/avoid-retry-requests-at-once-up-to-five-times-74bd98.md b/playbook/net/avoid-retry-requests-at-once-up-to-five-times-74bd98.md
    new file mode 100644
    index 0000000..bbc9c02
    --- /dev/null
    +++ b/playbook/net/avoid-retry-requests-at-once-up-to-five-times-74bd98.md
    @@ -0,0 +1,22 @@
    +---
    +id: b-mwqcvpc0-3qvrcm
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
    +This was the rule b-mnq4ancz-yuvp8h until it did harm 2 times: caused bug, took the gateway down.
    ");
}

#[test]
fn a_pinned_rule_takes_words_and_never_falls() {
    let sandbox = rules();
    sandbox.cm(&["pin", JITTER, "--reason", "the operator asks for it"]).ok();
    for _ in 0..3 {
        sandbox.cm(&["mark", JITTER, "--harmful"]).ok();
    }
    let ran = sandbox.cm(&["mark", JITTER, "--irrelevant", "--json"]).ok().json();
    assert_eq!(
        (&ran["maturity"], &ran["harmful"], &ran["score"]),
        (&"candidate".into(), &3.into(), &(-6.0).into())
    );
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
