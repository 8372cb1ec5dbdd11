//! `cm tags`

use crate::support::{harbour, vault_of};

#[test]
fn tags_are_listed_by_their_use() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["tags"]).snapshot(), @"
        3  network
        2  postgres
        1  git
        1  lang/javascript
        1  lang/rust
        1  outage
        1  storage
        1  units
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["tags", "lang", "--json"]).snapshot(), @r#"
    {
      "tags": [
        {
          "tag": "lang/javascript",
          "notes": 1
        },
        {
          "tag": "lang/rust",
          "notes": 1
        }
      ],
      "total": 2
    }
    [exit 0]
    "#);
}

#[test]
fn a_tag_keeps_what_is_nested_below_it_and_nothing_that_only_begins_so() {
    let sandbox =
        vault_of("--- a.md\n---\ntags: [lang, lang/rust, language]\n---\nAnd #lang/go in the text.\n");
    insta::assert_snapshot!(sandbox.cm(&["tags", "#lang"]).snapshot(), @"
        1  lang
        1  lang/go
        1  lang/rust
    [exit 0]
    ");
}

#[test]
fn tags_that_differ_in_letter_case_are_one_as_in_obsidian() {
    let sandbox = vault_of(
        "--- a.md\n#Plan and #PLAN, #lang/Rust\n--- b.md\n---\ntags: [plan, LANG/rust]\n---\nText.\n",
    );
    insta::assert_snapshot!(sandbox.cm(&["tags"]).snapshot(), @"
        2  Plan
        2  lang/Rust
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["tags", "Lang", "--json"]).ok().json()["total"], 1);
}

#[test]
fn a_vault_without_tags_says_so() {
    let sandbox = vault_of("--- a.md\nBody\n");
    insta::assert_snapshot!(sandbox.cm(&["tags"]).snapshot(), @"
    no tags
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["tags", "absent", "--json"]).snapshot(), @r#"
    {
      "tags": [],
      "total": 0
    }
    [exit 0]
    "#);
}

#[test]
fn verbose_says_which_vault_was_used_and_how_long_it_took() {
    let sandbox = harbour();
    let ran = sandbox.cm(&["tags", "--verbose"]).ok();
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines[0].contains("the project vault is") && lines[0].contains("vault"), "{lines:?}");
    assert!(lines[1].contains("took ") && lines[1].ends_with(" ms"), "{lines:?}");
    assert_eq!(sandbox.cm(&["tags", "--verbose", "--quiet"]).code, 2);
}
