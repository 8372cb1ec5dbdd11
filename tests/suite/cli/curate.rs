//! `cm curate`

use super::rules::{JITTER, SUITE, rules};
use super::small::{commits, message};

/// Deltas for every outcome: added, duplicate with credit, conflict, feedback, reworded, and four
/// invalid ones.
const DELTAS: &str = r#"{"session": "s-9", "agent": "otter", "deltas": [
  {"type": "add", "bullet": {"category": "net", "content": "Give every request a timeout.", "reasoning": "One hung for an hour."}},
  {"type": "add", "bullet": {"category": "testing", "content": "Run the whole  suite before you push."}},
  {"type": "add", "bullet": {"category": "testing", "content": "Never run the whole suite before you push."}},
  {"type": "helpful", "id": "b-mnq4ancz-yuvp8h"},
  {"type": "replace", "id": "b-mnq4ancz-yuvp8h", "content": "Retry requests at once, up to three times."},
  {"type": "add", "bullet": {"category": "net", "content": "Too short"}},
  {"type": "helpful", "id": "b-nowhere"},
  {"type": "merge", "ids": ["b-mt2ssunl-jq6d8j"], "content": "A rule that says what both said."},
  {"type": "unpin", "id": "b-mt2ssunl-jq6d8j"}
]}"#;

#[test]
fn each_delta_is_answered_and_all_go_in_one_commit() {
    let sandbox = rules();
    sandbox.write_injection_logs(&["s-9"]);
    let before = commits(&sandbox);
    let ran = sandbox.run(&["curate", "-"]).stdin(DELTAS).go();
    insta::assert_snapshot!(ran.snapshot(), @"
           add  b-mwqcvpc0-zhhv3n (draft)  Give every request a timeout.
                a draft: no session supports it
           add  b-mwqcvpc0-shz8qy (draft)  Never run the whole suite before you push.
                a draft: it contradicts another rule; no session supports it
       helpful  b-mnq4ancz-yuvp8h  Retry requests at once, up to five times.
       replace  b-mnq4ancz-yuvp8h  Retry requests at once, up to three times.
       skipped  delta 2 (add)  b-mt2ssunl-jq6d8j: it already exists; feedback added
       skipped  delta 9 (unpin)  b-mt2ssunl-jq6d8j: it is not pinned
       refused  delta 6 (add)  a rule must have 10 to 500 characters; this one has 9
       refused  delta 7 (helpful)  b-nowhere: rule not found
       refused  delta 8 (merge)  b-mt2ssunl-jq6d8j: a merge needs at least two rules
      conflict  b-mwqcvpc0-shz8qy  with b-mt2ssunl-jq6d8j: Run the whole suite before you push.
    4 deltas applied, 2 skipped, 3 refused  commit [COMMIT]
    [exit 1]
    ");
    assert_eq!(commits(&sandbox), before + 1);
    insta::assert_snapshot!(message(&sandbox), @"
    Curate the playbook: 2 added, 1 reworded, 1 judged, 1 credited

    b-mwqcvpc0-shz8qy: contradicts b-mt2ssunl-jq6d8j, “never” against the plain rule about run, suite, before, push

    Cm-Op: curate
    Cm-Id: b-mnq4ancz-yuvp8h
    Cm-Id: b-mt2ssunl-jq6d8j
    Cm-Id: b-mwqcvpc0-zhhv3n
    Cm-Id: b-mwqcvpc0-shz8qy
    Cm-Session: s-9
    Cm-Agent: otter
    Cm-Operation: ff536479559047bfa6d4328f250e7044
    ");
    insta::assert_snapshot!(sandbox.git(&["show", "--stat=200", "--format="]), @"
    graph/edges/never-run-the-whole-suite-before-you-pus--CONTRADICTS--run-the-whole-suite-before-you-push-cb8d67.md | 15 +++++++++++++++
    playbook/net/give-every-request-a-timeout-23b041.md                                                              | 19 +++++++++++++++++++
    playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md                                                   |  9 +++++++--
    playbook/testing/never-run-the-whole-suite-before-you-push-c43c3a.md                                             | 15 +++++++++++++++
    playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md                                                   |  8 +++++++-
    5 files changed, 63 insertions(+), 3 deletions(-)
    ");
}

#[test]
fn the_same_file_again_changes_nothing() {
    let sandbox = rules();
    sandbox.run(&["curate", "-"]).stdin(DELTAS).go();
    let (before, status) = (commits(&sandbox), sandbox.git(&["status", "--porcelain"]));
    let again = sandbox.run(&["curate", "-", "--json"]).stdin(DELTAS).go();
    assert_eq!(again.code, 1, "three of them can never be carried out");
    assert_eq!(
        (again.json()["applied"].as_array().unwrap().len(), again.json()["commit"].is_null()),
        (0, true)
    );
    assert_eq!((commits(&sandbox), sandbox.git(&["status", "--porcelain"])), (before, status));
}

#[test]
fn a_dry_run_shows_the_patch_and_writes_nothing() {
    let sandbox = rules();
    let before = commits(&sandbox);
    sandbox.write("deltas.json", r#"[{"type": "harmful", "id": "b-mnq4ancz-yuvp8h", "reason": "outdated"}]"#);
    let ran = sandbox.cm(&["curate", "deltas.json", "--dry-run"]);
    insta::assert_snapshot!(ran.snapshot(), @"
       harmful  b-mnq4ancz-yuvp8h  Retry requests at once, up to five times.

    --- a/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
    +++ b/playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md
    @@ -7,5 +7,9 @@
       - {session: s-1, agent: otter, line: 12}
     created: 2026-11-01T08:00:00Z
    -updated: 2026-11-01T08:00:00Z
    +updated: 2026-11-21T12:00:00Z
    +feedback:
    +  - at: 2026-11-21T12:00:00Z
    +    signal: harmful
    +    reason: outdated
     ---
     
    1 delta applied, 0 skipped, 0 refused  nothing was written (--dry-run)
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), before);
}

#[test]
fn a_pinned_bullet_stays_as_it_is() {
    let sandbox = rules();
    sandbox.cm(&["pin", SUITE]).ok();
    let deltas =
        r#"[{"type": "harmful", "id": "b-mt2ssunl-jq6d8j"}, {"type": "unpin", "id": "b-mt2ssunl-jq6d8j"}]"#;
    let ran = sandbox.run(&["curate", "-"]).stdin(deltas).go();
    insta::assert_snapshot!(ran.snapshot(), @"
       refused  delta 1 (harmful)  b-mt2ssunl-jq6d8j: it is pinned; only a person can change it
       refused  delta 2 (unpin)  b-mt2ssunl-jq6d8j: it is pinned; only a person can change it
    0 deltas applied, 0 skipped, 2 refused  nothing to commit
    [exit 8]
    ");
}

#[test]
fn what_is_no_file_of_deltas_is_refused_with_its_place() {
    let sandbox = rules();
    for deltas in [
        "{\"deltas\": [\n  {\"type\": }]}",
        "[{\"type\": \"erase\", \"id\": \"b-1\"}]",
        "[{\"type\": \"pin\"}]",
        "7",
    ] {
        let ran = sandbox.run(&["curate", "-"]).stdin(deltas).go();
        assert_eq!(ran.code, 2, "{}", ran.snapshot());
        insta::allow_duplicates! { assert!(ran.stderr.contains("error: "), "{}", ran.snapshot()) }
    }
    let ran = sandbox.run(&["curate", "-"]).stdin("{\"deltas\": [\n  {\"type\": }]}").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: this is not valid JSON: expected value at line 2 column 12
       at: -:2:12
     hint: see schema/deltas.json, or `cm help curate` for an example
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["curate", "nowhere.json"]).code, 2);
}

#[test]
fn bullets_that_a_person_gave_feedback_by_hand_get_their_maturity() {
    let sandbox = rules();
    let path = "playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md";
    let events: String =
        (1..=5).map(|day| format!("  - {{at: 2026-11-0{day}T08:00:00Z, signal: helpful}}\n")).collect();
    sandbox.write(path, sandbox.read(path).replace("created:", &format!("feedback:\n{events}created:")));
    sandbox.commit_all("Feedback by hand");
    let ran = sandbox.run(&["curate", "-", "--json", "--now", "2026-11-06"]).stdin("[]").go().ok().json();
    assert_eq!(ran["promotions"][0]["id"], JITTER);
}

#[test]
fn a_note_that_cannot_be_edited_costs_its_own_delta_alone() {
    let sandbox = rules();
    let path = "playbook/net/retry-requests-at-once-up-to-five-times-0c5bbe.md";
    sandbox.write(path, sandbox.read(path).replace("tags: [retry]", "tags: [retry"));
    sandbox.commit_all("Break a note");
    let deltas =
        r#"[{"type": "helpful", "id": "b-mnq4ancz-yuvp8h"}, {"type": "helpful", "id": "b-mt2ssunl-jq6d8j"}]"#;
    let ran = sandbox.run(&["curate", "-"]).stdin(deltas).go();
    insta::assert_snapshot!(ran.snapshot(), @"
       helpful  b-mt2ssunl-jq6d8j  Run the whole suite before you push.
       refused  delta 1 (helpful)  b-mnq4ancz-yuvp8h: its file cannot be changed: the frontmatter is not valid YAML: did not find expected ',' or ']', while parsing a flow sequence
    1 delta applied, 0 skipped, 1 refused  commit [COMMIT]
    [exit 1]
    ");
    assert_eq!(sandbox.cm(&["mark", "b-mnq4ancz-yuvp8h", "--helpful"]).code, 5);
}

#[test]
fn a_merge_names_its_parts_in_the_commit() {
    let sandbox = rules();
    let deltas = r#"[{"type": "merge", "ids": ["b-mnq4ancz-yuvp8h", "b-mt2ssunl-jq6d8j"], "content": "Say what both of them said."}]"#;
    sandbox.run(&["curate", "-"]).stdin(deltas).go().ok();
    for id in [JITTER, SUITE] {
        assert!(message(&sandbox).contains(&format!("Cm-Id: {id}")), "{}", message(&sandbox));
    }
}

#[test]
fn a_misspelt_key_is_refused_rather_than_ignored() {
    let sandbox = rules();
    let deltas = r#"[{"type": "helpful", "id": "b-mt2ssunl-jq6d8j", "wieght": 0.5}]"#;
    let ran = sandbox.run(&["curate", "-"]).stdin(deltas).go();
    assert_eq!(ran.code, 2, "{}", ran.snapshot());
    assert!(ran.stderr.contains("wieght"), "{}", ran.snapshot());
}
