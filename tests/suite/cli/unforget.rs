//! `cm unforget`

use super::rules::{JITTER, SUITE, rules};

#[test]
fn a_lifted_block_lets_the_rule_in_again() {
    let sandbox = rules();
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    let ran = sandbox.cm(&["unforget", JITTER, "--revive"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    24ad0053-bb71-4d16-9cf9-d5e56fa118f1  blocked/retry-requests-at-once-up-to-five-times-24ad00.md  no longer blocked  commit [COMMIT]
      b-mnq4ancz-yuvp8h is a draft again
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.git(&["show", "--stat=200", "--format=%B"]), @r#"
    Remove the block of "Retry requests at once, up to five times."

    Cm-Op: unforget
    Cm-Id: 24ad0053-bb71-4d16-9cf9-d5e56fa118f1
    Cm-Id: b-mnq4ancz-yuvp8h
    Cm-Operation: 9129b69eba7040cfb847fdec38c004c6


     blocked/retry-requests-at-once-up-to-five-times-24ad00.md      | 9 ---------
     playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md | 6 +++---
     2 files changed, 3 insertions(+), 12 deletions(-)
    "#);
    let shown = sandbox.cm(&["get", JITTER, "--json"]).ok().json();
    assert_eq!(
        (&shown["frontmatter"]["state"], &shown["frontmatter"]["maturity"]),
        (&"draft".into(), &"candidate".into())
    );
}

#[test]
fn the_block_alone_is_lifted_unless_more_is_asked_for() {
    let sandbox = rules();
    let forgotten = sandbox.cm(&["forget", JITTER, "--reason", "caused an outage", "--json"]).ok().json();
    let ran = sandbox.cm(&["unforget", forgotten["blocked_by"].as_str().unwrap()]);
    insta::assert_snapshot!(ran.snapshot(), @"
    24ad0053-bb71-4d16-9cf9-d5e56fa118f1  blocked/retry-requests-at-once-up-to-five-times-24ad00.md  no longer blocked  commit [COMMIT]
      b-mnq4ancz-yuvp8h stays deprecated (add --revive to make it a draft)
    [exit 0]
    ");
}

#[test]
fn where_nothing_is_blocked_there_is_nothing_to_lift() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["unforget", SUITE]).snapshot(), @"
    [stderr]
    error: nothing blocks b-mt2ssunl-jq6d8j
     hint: `cm search kind:blocked` lists all blocks
    [exit 8]
    ");
}

#[test]
fn a_rule_that_its_feedback_would_take_down_again_is_not_revived() {
    let sandbox = rules();
    sandbox.write_injection_logs(&["s-1", "s-2", "s-3", "s-4"]);
    for session in ["s-1", "s-2"] {
        sandbox.cm(&["mark", JITTER, "--harmful", "--session", session]).ok();
    }
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["unforget", JITTER, "--revive"]).snapshot(), @"
    [stderr]
    error: b-mnq4ancz-yuvp8h is still contradicted by its feedback: its score is -4
       at: playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
     hint: remove `--revive` to only remove the block, or add `pinned: true` to the rule's note first, so that it is not deprecated again
    [exit 5]
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let lifted = sandbox.cm(&["unforget", JITTER, "--json"]).ok().json();
    assert_eq!(lifted["ids"].as_array().unwrap().len(), 1, "the block was still there: {lifted}");
}

#[test]
fn a_rule_that_stands_is_not_set_back_to_a_draft() {
    let sandbox = rules();
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    let path = "playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md";
    let by_hand = sandbox.read(path).replace("retired", "active").replace("deprecated", "proven");
    sandbox.write(path, by_hand);
    insta::assert_snapshot!(sandbox.cm(&["unforget", JITTER, "--revive"]).snapshot(), @"
    [stderr]
    error: b-mnq4ancz-yuvp8h is not retired but active
       at: playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
     hint: remove `--revive` to only remove the block
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["unforget", JITTER]).snapshot(), @"
    24ad0053-bb71-4d16-9cf9-d5e56fa118f1  blocked/retry-requests-at-once-up-to-five-times-24ad00.md  no longer blocked  commit [COMMIT]
      b-mnq4ancz-yuvp8h stays deprecated (add --revive to make it a draft)
    [exit 0]
    ");
}

#[test]
fn a_block_is_found_by_the_text_that_its_rule_has_too() {
    let sandbox = rules();
    sandbox.cm(&["forget", JITTER, "--reason", "caused an outage"]).ok();
    let text = "retry requests at once,  up to five times.";
    let lifted = sandbox.cm(&["unforget", text, "--json"]).ok().json();
    assert_eq!(lifted["bullet"], JITTER, "{lifted}");
    assert_eq!(lifted["ids"].as_array().unwrap().len(), 1, "{lifted}");
    assert_ne!(sandbox.cm(&["unforget", text]).code, 0, "nothing blocks it any more");
}
