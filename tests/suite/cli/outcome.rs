//! `cm outcome`

use std::fmt::Write as _;

use serde_json::json;

use super::small::message;
use crate::support::{Sandbox, diary, vault_of, write_session};

const SESSION: &str = "aaaa1111-0000-4000-8000-000000000001";

const RULES: &str = "
--- playbook/net/retry.md
---
id: b-mq6d3m8l-a1a1a1
type: rule
category: net
state: active
created: 2026-10-01T08:00:00Z
---

Retry gateway calls with full jitter.
--- playbook/net/limit.md
---
id: b-mq6d3m8l-b2b2b2
type: rule
category: net
state: active
created: 2026-10-01T08:00:00Z
---

Give every call to the gateway a time limit.
--- playbook/net/pinned.md
---
id: b-mq6d3m8l-c3c3c3
type: rule
category: net
state: active
pinned: true
created: 2026-10-01T08:00:00Z
---

Name every number at a border with its unit.
";

/// Creates a vault with rules, and a session that cites one of them.
fn sandbox() -> Sandbox {
    let sandbox = vault_of(RULES);
    let said = [
        ("user", "make the gateway calls sturdy"),
        ("assistant", "I follow b-mq6d3m8l-a1a1a1 and add jitter, and b-mq6d3m8l-c3c3c3 for the names."),
    ];
    write_session(&sandbox, SESSION, "/home/dev/demo", &said);
    sandbox
}

fn feedback(sandbox: &Sandbox, id: &str) -> serde_json::Value {
    sandbox.cm(&["get", id, "--json"]).ok().json()["frontmatter"]["feedback"].clone()
}

#[test]
fn a_word_is_kept_in_a_diary_of_its_own_and_credited_to_the_rules_in_one_commit() {
    let sandbox = sandbox();
    let ran = sandbox.cm(&[
        "outcome",
        "aaaa1111",
        "success",
        "--rules",
        "b-mq6d3m8l-b2b2b2",
        "--reason",
        "it holds",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @"
    aaaa1111-0000-4000-8000-000000000001  success  commit [COMMIT]
      made diary/make-the-gateway-calls-sturdy-e0b7d6.md
      helpful b-mq6d3m8l-b2b2b2 Give every call to the gateway a time limit. named
      helpful b-mq6d3m8l-a1a1a1 Retry gateway calls with full jitter. cited on line 2, weight 0.3
      skipped b-mq6d3m8l-c3c3c3: it is pinned, so a citation does not change it
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @"
    Record that session aaaa1111 ended in success

    Cm-Op: outcome
    Cm-Id: b-mq6d3m8l-b2b2b2
    Cm-Id: b-mq6d3m8l-a1a1a1
    Cm-Session: aaaa1111-0000-4000-8000-000000000001
    Cm-Reason: it holds
    Cm-Operation: 6f22772d0aa04b93bb595bb840db4ee0
    ");
    insta::assert_snapshot!(sandbox.git(&["show", "--format=", "HEAD"]), @"
    diff --git a/diary/make-the-gateway-calls-sturdy-e0b7d6.md b/diary/make-the-gateway-calls-sturdy-e0b7d6.md
    new file mode 100644
    index 0000000..d1d0c17
    --- /dev/null
    +++ b/diary/make-the-gateway-calls-sturdy-e0b7d6.md
    @@ -0,0 +1,19 @@
    +---
    +id: e0b7d6302876c35bc8585dc96bf89d41
    +session: aaaa1111-0000-4000-8000-000000000001
    +agent: claude-code
    +workspace: /home/dev/demo
    +started: 2026-11-20T10:00:00Z
    +duration_s: 60
    +status: success
    +outcome:
    +  status: success
    +  at: 2026-11-21T12:00:00Z
    +  reason: it holds
    +---
    +
    +# make the gateway calls sturdy
    +
    +This session has no diary yet; only its outcome was recorded.
    +
    +Outcome: success
    diff --git a/playbook/net/limit.md b/playbook/net/limit.md
    index 53f3b53..d2bec21 100644
    --- a/playbook/net/limit.md
    +++ b/playbook/net/limit.md
    @@ -4,6 +4,12 @@ type: rule
     category: net
     state: active
     created: 2026-10-01T08:00:00Z
    +feedback:
    +  - at: 2026-11-20T10:01:00Z
    +    signal: helpful
    +    session: aaaa1111-0000-4000-8000-000000000001
    +    note: it holds
    +updated: 2026-11-21T12:00:00Z
     ---
     
     Give every call to the gateway a time limit.
    diff --git a/playbook/net/retry.md b/playbook/net/retry.md
    index 6cca143..2bda3d3 100644
    --- a/playbook/net/retry.md
    +++ b/playbook/net/retry.md
    @@ -4,6 +4,13 @@ type: rule
     category: net
     state: active
     created: 2026-10-01T08:00:00Z
    +feedback:
    +  - at: 2026-11-20T10:01:00Z
    +    signal: helpful
    +    weight: 0.3
    +    session: aaaa1111-0000-4000-8000-000000000001
    +    note: cited on line 2 of a session that ended in success
    +updated: 2026-11-21T12:00:00Z
     ---
     
     Retry gateway calls with full jitter.
    ");
    sandbox.cm(&["validate"]).ok();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_same_word_again_changes_nothing_and_another_one_credits_no_rule_twice() {
    let sandbox = sandbox();
    let say = |word: &str| {
        sandbox.cm(&["outcome", SESSION, word, "--rules", "b-mq6d3m8l-b2b2b2", "--json"]).ok().json()
    };
    assert_eq!(say("success")["credited"].as_array().unwrap().len(), 2);
    let commits = sandbox.git(&["rev-list", "--count", "HEAD"]);
    let again = say("success");
    assert_eq!(
        (&again["changed"], &again["commit"], &again["created"]),
        (&json!(false), &json!(null), &json!(false))
    );
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), commits);
    let other = say("failure");
    assert_eq!((&other["before"], &other["credited"]), (&json!("success"), &json!([])), "{other}");
    assert_eq!(other["passed"].as_array().unwrap().len(), 3, "the pinned one too: {other}");
    for id in ["b-mq6d3m8l-a1a1a1", "b-mq6d3m8l-b2b2b2"] {
        assert_eq!(feedback(&sandbox, id).as_array().unwrap().len(), 1, "{id}");
    }
    assert_eq!(std::fs::read_dir(sandbox.vault().join("diary")).unwrap().count(), 1);
}

#[test]
fn a_diary_that_is_there_changes_in_the_lines_about_the_end_only() {
    let sandbox = sandbox();
    diary(
        &sandbox,
        SESSION,
        "success",
        "- for: `cargo test` passed (line 2)\n\n## Decisions\n\n- Jitter.  \n",
    );
    let file = format!("diary/{SESSION}.md");
    let text = sandbox.read(&file).replace("agent: ", "agent:   ").replace('\n', "\r\n");
    sandbox.write(&file, &text);
    sandbox.commit_all("Diary");
    let ran = sandbox.cm(&["outcome", SESSION, "partial", "--agent", "codex"]).ok();
    assert!(ran.stdout.contains("partial (was success)"), "{}", ran.snapshot());
    insta::assert_snapshot!(sandbox.git(&["show", "--format=", "-U0", "HEAD"]).replace('\r', ""), @"
    diff --git a/diary/aaaa1111-0000-4000-8000-000000000001.md b/diary/aaaa1111-0000-4000-8000-000000000001.md
    index 66b6d56..007dd22 100644
    --- a/diary/aaaa1111-0000-4000-8000-000000000001.md
    +++ b/diary/aaaa1111-0000-4000-8000-000000000001.md
    @@ -7 +7,5 @@ started: 2026-11-20T10:00:00Z
    -status: success
    +status: mixed
    +outcome:
    +  status: partial
    +  at: 2026-11-21T12:00:00Z
    +  agent: codex
    @@ -12 +16 @@ status: success
    -Outcome: success
    +Outcome: partial
    ");
}

#[test]
fn of_many_rules_that_were_shown_only_the_cited_one_is_credited() {
    let mut rules = String::new();
    let mut shown = String::from("Rules for this task:\n");
    for number in 0..56 {
        let id = format!("b-mq6d3m8l-s{number:05}");
        let text = format!("Keep shelf number {number} of the store in order, always.");
        write!(rules, "\n--- playbook/store/r{number}.md\n---\nid: {id}\ntype: rule\ncategory: store\nstate: active\n---\n\n{text}\n").unwrap();
        writeln!(shown, "- {text} ({id}, store)").unwrap();
    }
    let sandbox = vault_of(&rules);
    let said = [
        ("user", shown.as_str()),
        ("assistant", "I read the rules. Because of b-mq6d3m8l-s00007 I sort by date."),
        ("user", "works, thanks"),
    ];
    write_session(&sandbox, SESSION, "/home/dev/demo", &said);
    let recorded = sandbox.cm(&["outcome", SESSION, "success", "--json"]).ok().json();
    let credited = recorded["credited"].as_array().unwrap();
    assert_eq!(credited.len(), 1, "{recorded}");
    assert_eq!(
        (&credited[0]["id"], &credited[0]["weight"], &credited[0]["why"], &credited[0]["line"]),
        (&json!("b-mq6d3m8l-s00007"), &json!(0.3), &json!("cited"), &json!(2))
    );
    let touched = sandbox.git(&["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(touched.lines().count(), 2, "{touched}");
}

#[test]
fn a_failure_is_harm_and_a_partial_end_says_nothing_of_rules() {
    let sandbox = sandbox();
    let partial =
        sandbox.cm(&["outcome", SESSION, "mixed", "--rules", "b-mq6d3m8l-b2b2b2", "--json"]).ok().json();
    assert_eq!(
        (&partial["credited"], &partial["passed"][0]["why"]),
        (&json!([]), &json!("named")),
        "{partial}"
    );
    let failed = sandbox.cm(&[
        "outcome",
        SESSION,
        "failure",
        "--rules",
        "b-mq6d3m8l-b2b2b2",
        "--reason",
        "caused_bug",
    ]);
    failed.ok();
    let harm = feedback(&sandbox, "b-mq6d3m8l-b2b2b2");
    assert_eq!(
        (&harm[0]["signal"], &harm[0]["reason"], &harm[0]["session"]),
        (&json!("harmful"), &json!("caused_bug"), &json!(SESSION))
    );
}

#[test]
fn an_explicit_mark_of_the_session_is_no_citation() {
    let sandbox = vault_of(RULES);
    let said =
        [("user", "go"), ("assistant", "Done. [cm: helpful b-mq6d3m8l-a1a1a1] As b-mq6d3m8l-a1a1a1 says.")];
    write_session(&sandbox, SESSION, "/home/dev/demo", &said);
    let recorded = sandbox.cm(&["outcome", SESSION, "success", "--json"]).ok().json();
    assert_eq!(recorded["credited"], json!([]), "{recorded}");
}

#[test]
fn a_session_that_nobody_knows_is_taken_at_an_agents_word_for_its_rules_only() {
    let sandbox = sandbox();
    insta::assert_snapshot!(sandbox.cm(&["outcome", "nowhere", "success"]).snapshot(), @"
    [stderr]
    error: session `nowhere` not found
     hint: `cm sessions --days 0` lists the indexed sessions; an agent can report another one for the rules it lists with `--agent NAME` and `--rules ID,…`
    [exit 4]
    ");
    assert_eq!(sandbox.cm(&["outcome", "nowhere", "success", "--rules", "b-mq6d3m8l-b2b2b2"]).code, 4);
    assert_eq!(sandbox.cm(&["outcome", "nowhere", "success", "--agent", "codex"]).code, 4);
    let known =
        ["outcome", "nowhere", "success", "--agent", "codex", "--rules", "b-mq6d3m8l-b2b2b2", "--json"];
    let taken = sandbox.cm(&known).ok().json();
    assert_eq!((&taken["agent"], &taken["created"]), (&json!("codex"), &json!(true)), "{taken}");
    // The diary makes the session available from now on, also by its id prefix.
    assert_eq!(sandbox.cm(&["outcome", "nowh", "failure", "--json"]).ok().json()["session"], "nowhere");
}

#[test]
fn what_is_no_rule_no_outcome_or_several_sessions_is_refused_before_anything_is_written() {
    let sandbox = sandbox();
    write_session(
        &sandbox,
        "aaaa1111-0000-4000-8000-000000000002",
        "/home/dev/demo",
        &[("user", "another one")],
    );
    let unknown =
        sandbox.cm(&["outcome", SESSION, "success", "--rules", "b-mq6d3m8l-b2b2b2,b-nothing-there"]);
    insta::assert_snapshot!(unknown.snapshot(), @"
    [stderr]
    error: note `b-nothing-there` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["outcome", "aaaa1111", "success"]).snapshot(), @"
    [stderr]
    error: `aaaa1111` matches several sessions
     hint: use one of aaaa1111-0000-4000-8000-000000000001 (claude-code), aaaa1111-0000-4000-8000-000000000002 (claude-code)
    [exit 4]
    ");
    assert_eq!(sandbox.cm(&["outcome", SESSION, "splendid"]).code, 2);
    assert_eq!(sandbox.run(&["outcome", SESSION, "success"]).within("..").go().code, 3);
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
    assert!(!sandbox.vault().join("diary").exists());
}

#[test]
fn a_rule_of_the_global_vault_gets_its_word_there() {
    let sandbox = sandbox();
    let global = "---\nid: b-mq6d3m8l-d4d4d4\ntype: rule\ncategory: net\nstate: active\n---\n\nClose what you open, always.\n";
    sandbox.write("../global/cm.toml", "");
    sandbox.write("../global/playbook/net/close.md", global);
    let path = sandbox.root().join("global");
    let run = |arguments: &[&str]| sandbox.run(arguments).env("CM_GLOBAL_VAULT", path.to_str().unwrap()).go();
    let recorded =
        run(&["outcome", SESSION, "success", "--rules", "b-mq6d3m8l-d4d4d4", "--json"]).ok().json();
    assert_eq!(recorded["credited"].as_array().unwrap().len(), 2, "{recorded}");
    let text = sandbox.read("../global/playbook/net/close.md");
    assert!(text.contains("signal: helpful") && text.contains(SESSION), "{text}");
}
