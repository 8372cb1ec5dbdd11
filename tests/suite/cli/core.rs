//! `cm core`

use std::fmt::Write as _;

use crate::support::{Sandbox, harbour, hashes, vault_of};

#[test]
fn the_memories_that_matter_are_written_and_committed() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["core"]).snapshot(), @"
    CORE.md  10 entries, 0 omitted, about 229 tokens  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("CORE.md"), @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 8 memories, 1 plain note, 1 rule in use; 10 listed, 1 of them fading. Nothing left out.

    ## Pinned

    - [Heights are relative to chart datum](vault/heights-7a7a7a.md) (units)

    ## Critical Solutions

    - [Keep pooled connections alive](graph/solutions/keep-pooled-connections-alive-1a1a1a.md) (postgres, network)

    ## Active Decisions

    - Use Postgres (postgres, storage) `3c3c3c3c`

    ## Key Fixes

    - [Never skip the hooks](graph/fixes/skip-hooks-5e5e5e.md) (git, lang/javascript)

    ## Configurations

    - [Limits of the gateway](graph/configurations/socket-6f6f6f.md) (network)

    ## Rules

    - Run the tests of the worker with a real database. `b-mq6d3m8l-x1y2z3`

    ## Other

    - API stops answering (outage, network) `2b2b2b2b`
    - Borrow checker refuses the cache (lang/rust) `4d4d4d4d`

    ## Notes

    - Reading list

    ## Fading

    - The old printer `8b8b8b8b`
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s", "--name-only"]), "Write CORE.md\n\nCORE.md\n");
}

#[test]
fn two_runs_write_the_same_bytes_and_where_only_the_day_would_change_nothing_is_committed() {
    let sandbox = harbour();
    sandbox.cm(&["core"]).ok();
    let (head, text) = (sandbox.git(&["rev-parse", "HEAD"]), sandbox.read("CORE.md"));
    insta::assert_snapshot!(sandbox.cm(&["core"]).snapshot(), @"
    CORE.md  10 entries, 0 omitted, about 229 tokens  unchanged
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["core", "--now", "2026-11-22", "--json"]).snapshot(), @r#"
    {
      "path": "CORE.md",
      "entries": 10,
      "omitted": 0,
      "tokens": 229,
      "commit": null,
      "changed": false
    }
    [exit 0]
    "#);
    assert_eq!((sandbox.git(&["rev-parse", "HEAD"]), sandbox.read("CORE.md")), (head, text.clone()));
    std::fs::remove_file(sandbox.vault().join("CORE.md")).unwrap();
    std::fs::remove_dir_all(sandbox.vault().join("_index")).unwrap();
    sandbox.cm(&["core"]).ok();
    assert_eq!(sandbox.read("CORE.md"), text, "the same vault, use and day give the same bytes");
}

#[test]
fn print_shows_the_same_bytes_and_writes_nothing() {
    let sandbox = harbour();
    let before = hashes(&sandbox.vault());
    let printed = sandbox.cm(&["core", "--print"]).ok().stdout;
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["core"]).ok();
    assert_eq!(sandbox.read("CORE.md"), printed);
}

#[test]
fn what_fades_leaves_the_file_and_what_is_pinned_stays() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["core", "--print", "--now", "2036-01-01"]).snapshot(), @"
    # Core memory

    > Written 2036-01-01 by `cm core`; changes by hand are lost.
    > 8 memories, 1 plain note, 1 rule in use; 10 listed, 8 of them fading. Nothing left out.

    ## Pinned

    - [Heights are relative to chart datum](vault/heights-7a7a7a.md) (units)

    ## Notes

    - Reading list

    ## Fading

    - Run the tests of the worker with a real database. `b-mq6d3m8l-x1y2z3`
    - [Keep pooled connections alive](graph/solutions/keep-pooled-connections-alive-1a1a1a.md) (postgres, network)
    - [Limits of the gateway](graph/configurations/socket-6f6f6f.md) (network)
    - Never skip the hooks (git, lang/javascript) `5e5e5e5e`
    - API stops answering (outage, network) `2b2b2b2b`
    - Use Postgres (postgres, storage) `3c3c3c3c`
    - Borrow checker refuses the cache (lang/rust) `4d4d4d4d`
    - The old printer `8b8b8b8b`
    [exit 0]
    ");
}

/// Creates a vault with this number of solutions and of decisions, by descending importance.
fn crowd(of_each: usize, settings: &str) -> Sandbox {
    let mut files = format!("--- cm.toml\n{settings}\n");
    for (kind, folder) in [("solution", "solutions"), ("decision", "decisions")] {
        for n in 0..of_each {
            let importance = 1.0 - n as f64 / (2 * of_each) as f64;
            writeln!(
                files,
                "--- graph/{folder}/{kind}-{n}.md\n---\nid: {n:08}-0000-4000-8000-0000000000{:02}\ntype: {kind}\n\
                 title: A {kind} with quite a long title so that the budget is soon used up, number {n}\n\
                 importance: {importance}\ncreated: 2026-11-20\nupdated: 2026-11-20\n---\nBody",
                folder.len()
            )
            .unwrap();
        }
    }
    vault_of(&files)
}

#[test]
fn a_section_holds_fifteen_at_most_and_the_rest_is_counted() {
    let sandbox = crowd(20, "");
    insta::assert_snapshot!(sandbox.cm(&["core"]).snapshot(), @"
    CORE.md  30 entries, 10 omitted, about 921 tokens  commit [COMMIT]
    [exit 0]
    ");
    let text = sandbox.read("CORE.md");
    assert!(text.contains("10 beyond 15 a section"), "{text}");
    assert_eq!(text.matches("\n- ").count(), 30);
}

#[test]
fn over_the_budget_the_lowest_scores_leave_first_across_sections_and_are_counted() {
    let sandbox = crowd(15, "[core]\nmax_tokens = 400");
    insta::assert_snapshot!(sandbox.cm(&["core"]).snapshot(), @"
    CORE.md  12 entries, 18 omitted, about 393 tokens  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("CORE.md"), @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 30 memories; 12 listed. Left out: 18 for space.

    ## Critical Solutions

    - [A solution with quite a long title so that the budget is soon used up, number 0](graph/solutions/solution-0.md)
    - [A solution with quite a long title so that the budget is soon used up, number 1](graph/solutions/solution-1.md)
    - [A solution with quite a long title so that the budget is soon used up, number 2](graph/solutions/solution-2.md)
    - A solution with quite a long title so that the budget is soon used up, number 3 `00000003-0000-4000-8000-000000000009`
    - A solution with quite a long title so that the budget is soon used up, number 4 `00000004-0000-4000-8000-000000000009`

    ## Active Decisions

    - [A decision with quite a long title so that the budget is soon used up, number 0](graph/decisions/decision-0.md)
    - [A decision with quite a long title so that the budget is soon used up, number 1](graph/decisions/decision-1.md)
    - [A decision with quite a long title so that the budget is soon used up, number 2](graph/decisions/decision-2.md)
    - [A decision with quite a long title so that the budget is soon used up, number 3](graph/decisions/decision-3.md)
    - [A decision with quite a long title so that the budget is soon used up, number 4](graph/decisions/decision-4.md)
    - [A decision with quite a long title so that the budget is soon used up, number 5](graph/decisions/decision-5.md)
    - A decision with quite a long title so that the budget is soon used up, number 6 `00000006-0000-4000-8000-000000000009`
    ");
    let written = sandbox.read("CORE.md");
    assert!(written.chars().count() <= 400 * 4, "four characters are about a token");
    for line in written.lines().filter(|line| line.starts_with('-')) {
        assert!(line.ends_with(".md)") || line.ends_with('`'), "no line is cut: {line}");
    }
}

#[test]
fn hostile_titles_and_tags_forge_no_structure() {
    let titles = [
        r"'a](http://evil.example) [b'",
        r#""two\n## Forged heading\n- [forged](x.md)""#,
        "'<!-- hidden -->'",
        "'## Not a heading'",
        "'`code` ``` fence'",
        "\"right\u{202e}to left\"",
        "'[[Wikilink]] #tag <script>alert(1)</script>'",
        r"'ends with a backslash \'",
    ];
    let mut files = String::new();
    for (n, title) in titles.iter().enumerate() {
        writeln!(
            files,
            "--- graph/solutions/hostile-{n}.md\n---\nid: {n:08}-0000-4000-8000-000000000000\ntype: solution\n\
             title: {title}\ntags: ['x) [y](z.md', \"new\\nline\"]\nimportance: 0.9\ncreated: 2026-11-20\n\
             updated: 2026-11-20\n---\nBody"
        )
        .unwrap();
    }
    let sandbox = vault_of(&files);
    sandbox.cm(&["core"]).ok();
    let text = sandbox.read("CORE.md");
    insta::assert_snapshot!(text, @r"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 8 memories; 8 listed. Nothing left out.

    ## Critical Solutions

    - [a\](http://evil.example) \[b](graph/solutions/hostile-0.md) (x) \[y\](z.md, new line)
    - [two \## Forged heading - \[forged\](x.md)](graph/solutions/hostile-1.md) (x) \[y\](z.md, new line)
    - [&lt;!-- hidden --&gt;](graph/solutions/hostile-2.md) (x) \[y\](z.md, new line)
    - [\## Not a heading](graph/solutions/hostile-3.md) (x) \[y\](z.md, new line)
    - \`code\` \`\`\` fence (x) \[y\](z.md, new line) `00000004`
    - rightto left (x) \[y\](z.md, new line) `00000005`
    - \[\[Wikilink\]\] \#tag &lt;script>alert(1)&lt;/script> (x) \[y\](z.md, new line) `00000006`
    - ends with a backslash \\ (x) \[y\](z.md, new line) `00000007`
    ");
    assert_eq!(text.lines().filter(|line| line.starts_with("- ")).count(), titles.len());
    assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 2);
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn an_entry_that_ends_with_a_word_for_secrets_is_written_with_its_id() {
    let sandbox = vault_of("");
    sandbox.cm(&["add", "--type", "fact", "--title", "Login needs a password", "--body", "x"]).ok();
    sandbox.cm(&["playbook", "add", "--category", "git", "Every deployment reads the token"]).ok();
    sandbox.cm(&["core"]).ok();
    let core = sandbox.read("CORE.md");
    assert!(core.contains("needs a password") && core.contains("reads the token"), "{core}");
}

#[test]
fn an_empty_vault_has_a_core_too() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["core", "--print"]).snapshot(), @"
    # Core memory

    > Written 2026-11-21 by `cm core`; changes by hand are lost.
    > 0 memories; 0 listed. Nothing left out.
    [exit 0]
    ");
}

#[test]
fn a_core_changed_by_hand_is_written_anew() {
    let sandbox = harbour();
    sandbox.cm(&["core"]).ok();
    let text = sandbox.read("CORE.md");
    sandbox.write("CORE.md", "Mine\n");
    let ran = sandbox.cm(&["core", "--json"]).ok().json();
    assert_eq!((ran["changed"].clone(), sandbox.read("CORE.md")), (true.into(), text));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_scores_from_which_memories_fade_and_are_active_are_those_of_the_settings() {
    let sandbox = harbour();
    sandbox.cm(&["config", "set", "scoring.fading", "0.0"]).ok();
    sandbox.cm(&["core"]).ok();
    let text = sandbox.read("CORE.md");
    assert!(text.split("## Fading").next().is_some_and(|text| text.contains("- Use Postgres")), "{text}");
    sandbox.cm(&["config", "set", "scoring.active", "0.01"]).ok();
    let exported = sandbox.cm(&["export", "--format", "memory.md"]).ok().stdout;
    assert!(exported.contains("- Limits of the gateway"), "{exported}");
}

#[test]
fn the_header_counts_what_there_is_and_not_how_fresh_it_is() {
    let sandbox = vault_of("");
    sandbox.cm(&["add", "--type", "fact", "--title", "The gauge sends each minute"]).ok();
    sandbox.cm(&["core"]).ok();
    let text = sandbox.read("CORE.md");
    assert!(text.contains("> 1 memory; 1 listed. Nothing left out."), "{text}");
    sandbox.cm(&["playbook", "add", "--category", "testing", "Run the tests before each commit."]).ok();
    sandbox.cm(&["core"]).ok();
    let text = sandbox.read("CORE.md");
    assert!(text.contains("> 1 memory, 1 rule in use; 2 listed. Nothing left out."), "{text}");
}
