//! `cm audit`

use crate::support::{Sandbox, vault_of, write_session};

/// Rules with every type of check, a draft, and a rule with an invalid expression.
const RULES: &str = r"
--- playbook/naming/units.md
---
id: b-mo76pd48-ckhtk7
type: rule
category: naming
state: active
verify:
  kind: regex
  pattern: '\btimeout\s+integer'
  mode: absent
---
Name every number at a border with its unit.
--- playbook/security/keys.md
---
id: b-mq6d3m8l-x1y2z3
type: anti_pattern
category: security
state: active
verify:
  kind: file_exists
  pattern: '**/*.pem'
  mode: absent
---
AVOID: keys in the repository.
--- playbook/testing/ci.md
---
id: b-mq6d3m8l-c1c1c1
type: rule
category: testing
state: active
verify:
  kind: file_exists
  pattern: .github/workflows/ci.yml
---
Every repository runs its tests on each push.
--- playbook/testing/lints.md
---
id: b-mq6d3m8l-d2d2d2
type: rule
category: testing
state: active
verify:
  kind: regex
  pattern: 'forbid\(unsafe_code\)'
---
Forbid unsafe code in every crate.
--- playbook/testing/past.md
---
id: b-mq6d3m8l-e3e3e3
type: rule
category: testing
state: active
verify:
  kind: query
  pattern: flaky test
  mode: absent
---
Never run a test again without looking at it.
--- playbook/testing/draft.md
---
id: b-mq6d3m8l-f4f4f4
type: rule
category: testing
state: draft
verify:
  kind: regex
  pattern: '.'
  mode: absent
---
A draft that everything would violate.
--- playbook/testing/plain.md
---
id: b-mq6d3m8l-a5a5a5
type: rule
category: testing
state: active
---
A rule that no program can look for.
";

fn sandbox() -> Sandbox {
    let sandbox = vault_of(RULES);
    sandbox.write("src/lib.rs", "#![forbid(unsafe_code)]\n");
    sandbox.write(".github/workflows/ci.yml", "on: push\n");
    sandbox
}

#[test]
fn rules_that_are_kept_are_counted_and_what_nobody_can_tell_is_said() {
    insta::assert_snapshot!(sandbox().cm(&["audit"]).snapshot(), @"
    unchecked b-mq6d3m8l-e3e3e3 Never run a test again without looking at it.
        no sessions are indexed for the query; run `cm sessions` to read them
    5 rules: no violations, 4 kept, 1 unchecked; 4 files searched
    [exit 0]
    ");
}

#[test]
fn what_is_violated_is_listed_with_path_and_line_and_the_exit_code_says_so() {
    let sandbox = sandbox();
    sandbox.write("db/schema.sql", "create table worker (\n  timeout integer,\n  name text\n);\n");
    sandbox.write("deep/in/key.pem", "secret");
    sandbox.write("src/lib.rs", "// nothing\n");
    std::fs::remove_file(sandbox.vault().join(".github/workflows/ci.yml")).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["audit"]).snapshot(), @r"
    violated b-mo76pd48-ckhtk7 Name every number at a border with its unit.
        db/schema.sql:2  timeout integer,
    violated b-mq6d3m8l-x1y2z3 AVOID: keys in the repository.
        deep/in/key.pem
    violated b-mq6d3m8l-c1c1c1 Every repository runs its tests on each push.
        no match for `.github/workflows/ci.yml`, which must exist
    violated b-mq6d3m8l-d2d2d2 Forbid unsafe code in every crate.
        no match for `forbid\(unsafe_code\)`, which must exist
    unchecked b-mq6d3m8l-e3e3e3 Never run a test again without looking at it.
        no sessions are indexed for the query; run `cm sessions` to read them
    5 rules: 4 violated, 0 kept, 1 unchecked; 5 files searched
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["audit", "b-mo76", "--json"]).snapshot(), @r#"
    {
      "workspace": "[ROOT]/vault",
      "files": 5,
      "skipped": 0,
      "bullets": [
        {
          "id": "b-mo76pd48-ckhtk7",
          "content": "Name every number at a border with its unit.",
          "path": "playbook/naming/units.md",
          "vault": "project",
          "verify": {
            "kind": "regex",
            "pattern": "\\btimeout\\s+integer",
            "mode": "absent"
          },
          "outcome": "violated",
          "reason": null,
          "places": [
            {
              "path": "db/schema.sql",
              "line": 2,
              "text": "timeout integer,"
            }
          ],
          "count": 1
        }
      ],
      "kept": 0,
      "violated": 1,
      "unchecked": 0,
      "findings": []
    }
    [exit 1]
    "#);
}

#[test]
fn ignored_files_binaries_and_the_vault_itself_are_not_searched() {
    let sandbox = sandbox();
    sandbox.write(".gitignore", "/_index/\n/_state/\n/_embeddings/\n/build/\n");
    sandbox.write("build/out.sql", "timeout integer\n");
    sandbox.write("data.bin", b"timeout integer\0");
    sandbox.write("graph/facts/a.md", "timeout integer\n");
    let ran = sandbox.cm(&["audit", "b-mo76pd48-ckhtk7"]).ok();
    insta::assert_snapshot!(ran.snapshot(), @"
    1 rule: no violations, 1 kept; 5 files searched, 1 skipped as too large or not text
    [exit 0]
    ");
}

#[test]
fn another_workspace_can_be_named_and_must_be_a_folder() {
    let sandbox = sandbox();
    sandbox.write("../project/a.sql", "timeout integer\n");
    insta::assert_snapshot!(sandbox.cm(&["audit", "b-mo76pd48-ckhtk7", "--workspace", "../project"]).snapshot(), @"
    violated b-mo76pd48-ckhtk7 Name every number at a border with its unit.
        a.sql:1  timeout integer
    1 rule: 1 violated, 0 kept; 1 file searched
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["audit", "--workspace", "../nowhere"]).snapshot(), @"
    [stderr]
    error: cannot open [ROOT]/vault/../nowhere: no such file or directory
     hint: set the project's folder with `--workspace`
    [exit 2]
    ");
}

#[test]
fn a_named_bullet_is_checked_whether_or_not_it_is_in_use() {
    let sandbox = sandbox();
    insta::assert_snapshot!(sandbox.cm(&["audit", "b-mq6d3m8l-f4f4f4", "b-mq6d3m8l-a5a5a5"]).snapshot(), @"
    violated b-mq6d3m8l-f4f4f4 A draft that everything would violate.
        .github/workflows/ci.yml:1  on: push
        .gitignore:1  /_index/
        .gitignore:2  /_state/
        .gitignore:3  /_embeddings/
        src/lib.rs:1  #![forbid(unsafe_code)]
    unchecked b-mq6d3m8l-a5a5a5 A rule that no program can look for.
        it has no `verify` block
    2 rules: 1 violated, 0 kept, 1 unchecked; 4 files searched
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["audit", "b-nothing-here"]).snapshot(), @"
    [stderr]
    error: note `b-nothing-here` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
}

#[test]
fn a_pattern_that_is_none_is_a_finding_and_the_others_go_on() {
    let sandbox = sandbox();
    for (file, pattern) in [("bad", "(open"), ("huge", r"(\w{900}){900}")] {
        let text = format!(
            "---\nid: b-mq6d3m8l-{file:0<6}\ntype: rule\ncategory: testing\nstate: active\nverify:\n  kind: regex\n  pattern: '{pattern}'\n---\nA rule with the pattern {file}.\n"
        );
        sandbox.write(&format!("playbook/testing/{file}.md"), text);
    }
    let text = "---\nid: b-mq6d3m8l-777777\ntype: rule\ncategory: testing\nstate: active\nverify:\n  kind: file_exists\n  pattern: ../../etc/passwd\n---\nA rule about a file elsewhere.\n";
    sandbox.write("playbook/testing/out.md", text);
    insta::assert_snapshot!(sandbox.cm(&["audit"]).snapshot(), @"
    unchecked b-mq6d3m8l-bad000 A rule with the pattern bad.
        the pattern is not a valid regular expression: unclosed group
    unchecked b-mq6d3m8l-huge00 A rule with the pattern huge.
        the pattern needs more than 1024 KiB of memory
    unchecked b-mq6d3m8l-777777 A rule about a file elsewhere.
        the pattern is not a path inside the workspace: it must be relative and without `..`
    unchecked b-mq6d3m8l-e3e3e3 Never run a test again without looking at it.
        no sessions are indexed for the query; run `cm sessions` to read them
    playbook/testing/bad.md error invalid-value `verify`: the pattern is not a valid regular expression: unclosed group
        hint: fix `pattern` with `cm edit`
    playbook/testing/huge.md error invalid-value `verify`: the pattern needs more than 1024 KiB of memory
        hint: fix `pattern` with `cm edit`
    playbook/testing/out.md error invalid-value `verify`: the pattern is not a path inside the workspace: it must be relative and without `..`
        hint: fix `pattern` with `cm edit`
    8 rules: no violations, 4 kept, 4 unchecked; 4 files searched
    [exit 1]
    ");
}

#[test]
fn a_playbook_without_checks_has_nothing_to_audit() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["audit"]).snapshot(), @"
    no rule in use has a `verify` block
    [exit 0]
    ");
}

/// Checks with a required pattern, a forbidden pattern, and a pattern without any word.
const QUERIES: &str = "
--- playbook/testing/again.md
---
id: b-mq6d3m8l-q1q1q1
type: rule
category: testing
state: active
verify: {kind: query, pattern: 'flaky test', mode: absent}
---
Never run a flaky test again without looking at it.
--- playbook/testing/seeds.md
---
id: b-mq6d3m8l-q2q2q2
type: rule
category: testing
state: active
verify: {kind: query, pattern: 'print seed'}
---
Print the seed of every test before it runs.
";

#[test]
fn a_query_is_put_to_the_sessions_of_the_project_as_far_as_they_were_read() {
    let sandbox = vault_of(QUERIES);
    let unread = sandbox.cm(&["audit", "--json"]).ok().json();
    assert_eq!(unread["unchecked"], 2, "{unread}");
    let here = sandbox.vault().to_str().unwrap().to_owned();
    write_session(
        &sandbox,
        "s1s1s1s1",
        &here,
        &[("user", "go"), ("assistant", "The flaky test passed when run again.")],
    );
    write_session(&sandbox, "s2s2s2s2", "/home/dev/other", &[("user", "a flaky test; print seed values")]);
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["audit"]).snapshot(), @"
    violated b-mq6d3m8l-q1q1q1 Never run a flaky test again without looking at it.
        session s1s1s1s1:2  The flaky test passed when run again.
    violated b-mq6d3m8l-q2q2q2 Print the seed of every test before it runs.
        no match for `print seed`, which must exist
    2 rules: 2 violated, 0 kept
    [exit 1]
    ");
    let audited = sandbox.cm(&["audit", "--json"]).json();
    let broken = &audited["bullets"][0]["places"][0];
    assert_eq!((&broken["session"], &broken["line"]), (&"s1s1s1s1".into(), &2.into()), "{audited}");
    write_session(&sandbox, "s3s3s3s3", &here, &[("user", "did it print the seed?")]);
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    let kept = sandbox.cm(&["audit", "b-mq6d3m8l-q2q2q2", "--json"]).ok().json();
    assert_eq!(kept["kept"], 1, "{kept}");
}

#[test]
fn a_query_without_a_word_is_a_finding() {
    let sandbox = vault_of(&QUERIES.replace("'flaky test'", "' - '"));
    let ran = sandbox.cm(&["audit", "b-mq6d3m8l-q1q1q1"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stdout.contains("it contains no words"), "{}", ran.snapshot());
}

#[test]
fn a_query_over_sessions_needs_all_of_its_words() {
    let sandbox = vault_of(QUERIES);
    let here = sandbox.vault().to_str().unwrap().to_owned();
    write_session(
        &sandbox,
        "s4s4s4s4",
        &here,
        &[("user", "run the test of the worker"), ("assistant", "It passed, and prints nothing.")],
    );
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    let outcome = |id: &str| sandbox.cm(&["audit", id, "--json"]).json()["bullets"][0]["outcome"].clone();
    assert_eq!(outcome("b-mq6d3m8l-q1q1q1"), "kept", "one word of `flaky test` is no flaky test");
    assert_eq!(outcome("b-mq6d3m8l-q2q2q2"), "violated", "one word of `print seed` prints no seed");
    let either = QUERIES.replace("'flaky test'", "'flaky OR test'");
    let sandbox_of = vault_of(&either);
    let here = sandbox_of.vault().to_str().unwrap().to_owned();
    write_session(&sandbox_of, "s5s5s5s5", &here, &[("user", "run the test of the worker")]);
    sandbox_of.cm(&["sessions", "--days", "0"]).ok();
    let audited = sandbox_of.cm(&["audit", "b-mq6d3m8l-q1q1q1", "--json"]).json();
    assert_eq!(audited["bullets"][0]["outcome"], "violated", "{audited}");
}
