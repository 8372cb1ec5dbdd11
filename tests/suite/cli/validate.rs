//! `cm validate`

use crate::support::{harbour, hashes, vault_of};

const FAULTY: &str = "\
---
id: 11111111-1111-4111-8111-111111111111
type: fxi
title: A slip in the type
importance: high
created: tomorrow
---

See [[Nowhere]].
";

#[test]
fn a_sound_vault_has_nothing_wrong() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["validate"]).snapshot(), @"
    12 notes: no problems, 1 info (--all)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["validate", "--json"]).snapshot(), @r#"
    {
      "notes": 12,
      "findings": [],
      "errors": 0,
      "warnings": 0,
      "infos": 1
    }
    [exit 0]
    "#);
}

#[test]
fn each_finding_has_its_place_its_code_and_its_remedy_and_nothing_is_changed() {
    let sandbox = harbour();
    sandbox.write("graph/fixes/faulty.md", FAULTY);
    let before = hashes(&sandbox.vault());
    insta::assert_snapshot!(sandbox.cm(&["validate"]).snapshot(), @"
    graph/fixes/faulty.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/faulty.md:3:1 warning unknown-type unknown type `fxi`
        hint: did you mean `fix`?
    graph/fixes/faulty.md:5:1 error invalid-value `importance` is not a number
        hint: use a number
    graph/fixes/faulty.md:6:1 error invalid-value `created` is not a date: `tomorrow`
        hint: use 2026-11-01T09:30:00Z or 2026-11-01
    graph/fixes/faulty.md:9:5 warning dangling-link a link is broken: `Nowhere`
        hint: create that note, or correct the link
    13 notes: 3 errors, 2 warnings, 1 info (--all)
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["validate", "graph/fixes", "--json"]).snapshot(), @r#"
    {
      "notes": 2,
      "findings": [
        {
          "path": "graph/fixes/faulty.md",
          "line": 1,
          "column": 1,
          "code": "missing-key",
          "severity": "error",
          "message": "this memory has no `updated`",
          "hint": "add `updated: …`"
        },
        {
          "path": "graph/fixes/faulty.md",
          "line": 3,
          "column": 1,
          "code": "unknown-type",
          "severity": "warning",
          "message": "unknown type `fxi`",
          "hint": "did you mean `fix`?"
        },
        {
          "path": "graph/fixes/faulty.md",
          "line": 5,
          "column": 1,
          "code": "invalid-value",
          "severity": "error",
          "message": "`importance` is not a number",
          "hint": "use a number"
        },
        {
          "path": "graph/fixes/faulty.md",
          "line": 6,
          "column": 1,
          "code": "invalid-value",
          "severity": "error",
          "message": "`created` is not a date: `tomorrow`",
          "hint": "use 2026-11-01T09:30:00Z or 2026-11-01"
        },
        {
          "path": "graph/fixes/faulty.md",
          "line": 9,
          "column": 5,
          "code": "dangling-link",
          "severity": "warning",
          "message": "a link is broken: `Nowhere`",
          "hint": "create that note, or correct the link"
        }
      ],
      "errors": 3,
      "warnings": 2,
      "infos": 0
    }
    [exit 1]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn warnings_alone_fail_only_where_that_is_asked_for() {
    let sandbox = harbour();
    sandbox.write("notes/link.md", "# A note\n\n[[Nowhere]]\n");
    assert_eq!(sandbox.cm(&["validate"]).code, 0);
    insta::assert_snapshot!(sandbox.cm(&["validate", "--strict", "./notes/"]).snapshot(), @"
    notes/link.md:3:1 warning dangling-link a link is broken: `Nowhere`
        hint: create that note, or correct the link
    2 notes: 0 errors, 1 warning, 2 info (--all)
    [exit 1]
    ");
}

#[test]
fn what_is_only_worth_knowing_is_listed_on_request() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["validate", "--all", "notes"]).snapshot(), @"
    notes/reading-list.md:1:1 info missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    1 note: no problems, 1 info
    [exit 0]
    ");
}

#[test]
fn a_path_that_is_not_there_is_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["validate", "graph/fixse"]).snapshot(), @"
    [stderr]
    error: no note has a path that starts with `graph/fixse`
     hint: paths are relative to the vault, such as graph/fixes
    [exit 4]
    ");
}

#[test]
fn a_slip_in_the_settings_is_found_in_its_line() {
    let sandbox = harbour();
    sandbox.write("cm.toml", "[search]\nlimti = 5\n\n[git]\ncommit = \"sometimes\"\n");
    insta::assert_snapshot!(sandbox.cm(&["validate"]).snapshot(), @"
    cm.toml:2:1 warning unknown-setting unknown setting `search.limti`
        hint: did you mean `search.limit`?
    cm.toml:5:1 warning invalid-setting `git.commit` takes auto or manual
    12 notes: 0 errors, 2 warnings, 1 info (--all)
    [exit 0]
    ");
}

#[test]
fn missing_attachments_headings_and_blocks_are_warnings() {
    let sandbox = vault_of(
        "--- notes/plan.md\n# Plan\n\n## Next: steps\n\nA line. ^abc\n--- pics/there.png\nx\n--- notes/links.md\n# Links\n\n\
         ![[there.png]] ![[gone.png|100]] ![](../pics/there.png) ![](https://x.y/z.png) %%![[hidden.png]]%%\n\
         `![[code.png]]` [[plan#Next steps]] [[plan#^abc]] [[Plan#Missing]]\n[[plan#^nope]] [here](plan.md#next-steps) [gone](plan.md#old)\n",
    );
    let found = sandbox.cm(&["validate", "--json"]).ok().json();
    let findings = found["findings"].as_array().unwrap();
    let lines: Vec<String> = findings
        .iter()
        .map(|found| {
            format!(
                "{} {} {}",
                found["line"],
                found["code"].as_str().unwrap(),
                found["message"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "3 missing-attachment the attachment `gone.png` does not exist",
            "4 missing-anchor notes/plan.md has no heading `Missing`",
            "5 missing-anchor notes/plan.md has no block `nope`",
            "5 missing-anchor notes/plan.md has no heading `old`",
        ]
    );
    assert!(findings.iter().all(|found| found["severity"] == "warning"), "{found:#}");
}

#[test]
fn a_state_that_no_memory_has_is_refused_and_found_in_edits_by_hand() {
    let sandbox = vault_of("");
    sandbox.cm(&["add", "--type", "fact", "--title", "Helmets", "--body", "At four docks only."]).ok();
    insta::assert_snapshot!(sandbox.cm(&["update", "Helmets", "--set", "state=retierd"]).snapshot(), @"
    [stderr]
    error: `retierd` is not a valid state
       at: graph/facts/helmets-543abf.md:8:1
     hint: did you mean `retired`?
    [exit 5]
    ");
    sandbox.cm(&["update", "Helmets", "--set", "state=retired"]).ok();
    let path = sandbox.cm(&["get", "Helmets", "--json"]).ok().json()["path"].as_str().unwrap().to_owned();
    sandbox.write(&path, sandbox.read(&path).replace("state: retired", "state: banana"));
    let found = sandbox.cm(&["validate"]).stdout;
    assert!(found.contains("`banana` is not a valid state") && found.contains("unverified"), "{found}");
}
