//! `cm starters`

use crate::support::vault_of;

#[test]
fn the_sets_are_listed_with_what_is_there_already() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["starters"]).snapshot(), @"
    git         11 rules  A history that can be read, reviewed and undone
    go          11 rules  Plain Go with errors, contexts and goroutines under control
    node        11 rules  Node services that start, serve and stop cleanly
    python      12 rules  Python that a reader and a type checker both follow
    react       11 rules  Components that render what the state says, and no more often than needed
    rust        12 rules  Idiomatic Rust that fails at compile time rather than at night
    security    12 rules  Habits that keep the common holes closed
    sql         11 rules  Queries and migrations that survive large tables
    testing     12 rules  Tests that fail for one reason and pass for the right one
    typescript  11 rules  Types that hold at run time as well as in the editor
    [exit 0]
    ");
}

#[test]
fn a_set_comes_in_as_active_candidates_in_one_commit_and_a_second_time_nothing_does() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "rust", "--category", "ownership"]).snapshot(), @"
    + b-mwqcvpc0-qws0ng Take `&str`, `&[T]` and `&Path` as arguments instead of references to `String`, `Vec` and `PathBuf`; callers then need not allocate.
    + b-mwqcvpc0-ud341f When the borrow checker refuses, shorten the borrow or split the struct before you reach for `clone` or `Rc<RefCell<_>>`.
    2 rules added, 0 skipped  commit [COMMIT]
    [exit 0]
    ");
    let listed = sandbox.git(&["ls-files", "playbook"]);
    insta::assert_snapshot!(listed, @"
    playbook/ownership/take-str-t-and-path-as-arguments-instead-of-references-to-st-6488e0.md
    playbook/ownership/when-the-borrow-checker-refuses-shorten-the-borrow-or-split-35ae1b.md
    ");
    insta::assert_snapshot!(sandbox.read(listed.lines().next().unwrap()), @"
    ---
    id: b-mwqcvpc0-qws0ng
    type: rule
    kind: stack_pattern
    category: ownership
    scope: language
    scope_key: rust
    state: active
    maturity: candidate
    tags: [rust, starter]
    created: 2026-11-21T12:00:00Z
    updated: 2026-11-21T12:00:00Z
    ---

    Take `&str`, `&[T]` and `&Path` as arguments instead of references to `String`, `Vec` and `PathBuf`; callers then need not allocate.
    ");
    let log = sandbox.git(&["log", "--format=%s%n%(trailers:key=Cm-Op)%(trailers:key=Cm-Id)", "-1"]);
    insta::assert_snapshot!(log, @"
    Add 2 rules of the starter set rust
    Cm-Op: starters
    Cm-Id: b-mwqcvpc0-qws0ng
    Cm-Id: b-mwqcvpc0-ud341f
    ");
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "rust", "--category", "ownership"]).snapshot(), @"
    - Take `&str`, `&[T]` and `&Path` as arguments instead of references to `String`, `Vec` and `PathBuf`; callers then need not allocate.
        it already exists (b-mwqcvpc0-qws0ng)
    - When the borrow checker refuses, shorten the borrow or split the struct before you reach for `clone` or `Rc<RefCell<_>>`.
        it already exists (b-mwqcvpc0-ud341f)
    0 rules added, 2 skipped  nothing to commit
    [exit 0]
    ");
    let sets = sandbox.cm(&["starters", "list", "--json"]).ok().json();
    let rust = sets["starters"].as_array().unwrap().iter().find(|set| set["name"] == "rust").unwrap();
    assert_eq!((&rust["rules"], &rust["present"]), (&12.into(), &2.into()));
}

#[test]
fn every_set_comes_in_whole_and_the_vault_is_sound() {
    let sandbox = vault_of("");
    for set in ["git", "go", "node", "python", "react", "rust", "security", "sql", "testing", "typescript"] {
        let added = sandbox.cm(&["starters", "add", set, "--json"]).ok().json();
        assert_eq!(added["left_out"], serde_json::json!([]), "{set}");
        assert_eq!(added["conflicts"], serde_json::json!([]), "{set}");
        let states = added["added"].as_array().unwrap();
        assert!(states.iter().all(|one| one["state"] == "active"), "{set}: {added:#}");
    }
    insta::assert_snapshot!(sandbox.cm(&["validate", "--strict"]).snapshot(), @"
    114 notes: no problems
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review"]).snapshot(), @"
    nothing to review
    [exit 0]
    ");
}

#[test]
fn what_is_there_or_blocked_is_left_out_without_credit() {
    let sandbox = vault_of(
        "
--- playbook/ownership/mine.md
---
id: b-mq6d3m8l-a1a1a1
type: rule
category: ownership
state: active
---
When the borrow checker refuses, shorten the borrow or split the struct before you reach for `clone` or `Rc<RefCell<_>>`.
--- blocked/str.md
---
id: x-57e45e7c
kind: toxic
content: Take `&str`, `&[T]` and `&Path` as arguments instead of references to `String`, `Vec` and `PathBuf`; callers then need not allocate.
reason: we like strings
---
",
    );
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "rust", "--category", "ownership", "--json"]).snapshot(), @r#"
    {
      "name": "rust",
      "added": [],
      "left_out": [
        {
          "content": "Take `&str`, `&[T]` and `&Path` as arguments instead of references to `String`, `Vec` and `PathBuf`; callers then need not allocate.",
          "reason": "it is blocked: we like strings",
          "id": "x-57e45e7c"
        },
        {
          "content": "When the borrow checker refuses, shorten the borrow or split the struct before you reach for `clone` or `Rc<RefCell<_>>`.",
          "reason": "it already exists",
          "id": "b-mq6d3m8l-a1a1a1"
        }
      ],
      "conflicts": [],
      "dry_run": false,
      "commit": null
    }
    [exit 0]
    "#);
    assert!(!sandbox.read("playbook/ownership/mine.md").contains("feedback"));
}

#[test]
fn a_dry_run_writes_nothing_and_a_wrong_name_is_answered_with_the_right_one() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "git", "--category", "hooks", "--dry-run"]).snapshot(), @"
    + b-mwqcvpc0-xrcokn AVOID: `git commit --no-verify` to get past a failing hook; mend what it found, or mend the hook.
    1 rule added, 0 skipped  nothing was written (--dry-run)
    [exit 0]
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "rst"]).snapshot(), @"
    [stderr]
    error: unknown starter set `rst`
     hint: did you mean `rust`?
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["starters", "add", "git", "--category", "style"]).snapshot(), @"
    [stderr]
    error: `git` has no rules in the category `style`
     hint: available: branches, commits, contents, history, hooks, recovery
    [exit 2]
    ");
}
