//! Parses one rule file that contains every kind of element.

use super::*;

const FILE: &str = "\
---
description: Rules of the harbour
globs: *.rs
---
# Guide

This project is a tide gauge.

Always say which station a height belongs to.

## Code style

- Name every number with its **unit**, see [the list](docs/units.md) or [docs/a.md](docs/a.md)
- `src/main.rs`
- `src/lib.rs`, `src/a.rs` - the parts of it
- `src/b.rs`: keep it small
- tiny
* [ ] Don't use `unwrap()` outside
  of tests
- Errors:
  - carry their path
  - are lower case, without
    a full stop
- Prefer plain words.
  1. No jargon in messages

Before a release:

1. Run the tests:

   ```sh
   cargo test
   ```

2. Tag the commit

   with the version

```sh
rm -rf target
```

| a | b |
|---|---|
| c | d |

<!-- cm:begin playbook -->
- A rule that the playbook has itself
<!-- cm:end playbook -->

Run it. Then look at it.

## 2. Größe & Ort

> - Keep the `a``b` as it is, <name> too
";

#[test]
fn items_and_instructions_become_drafts_by_section() {
    let document = read(FILE, "rules.mdc", Instant::parse("2026-11-21T12:00:00Z").unwrap());
    let shown: Vec<String> = document
        .bullets
        .iter()
        .map(|bullet| format!("{} {}: {}", bullet.bullet_type.name(), bullet.category, bullet.content()))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    rule general: Always say which station a height belongs to.
    rule code-style: Name every number with its unit, see the list (docs/units.md) or docs/a.md
    rule code-style: `src/b.rs`: keep it small
    anti_pattern code-style: Don't use `unwrap()` outside of tests
    rule code-style: Errors: carry their path
    rule code-style: Errors: are lower case, without a full stop
    rule code-style: Prefer plain words.
    anti_pattern code-style: Prefer plain words: No jargon in messages
    rule code-style: Before a release: Run the tests: `cargo test`
    rule code-style: Before a release: Tag the commit with the version
    rule grosse-ort: Keep the ```a``b``` as it is, <name> too
    ");
    let left: Vec<String> =
        document.left_out.iter().map(|left| format!("{} {}", left.count, left.what)).collect();
    insta::assert_snapshot!(left.join("\n"), @"
    1 code blocks
    1 items that describe something
    1 items with only names or code
    2 paragraphs with several rules or none
    1 part written by `cm project`
    1 tables
    1 texts shorter than 10 characters
    ");
    let messages: Vec<&str> = document.findings.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`description` of the file is not kept: Rules of the harbour",
            "the rules will hold everywhere, not only in `globs`: *.rs"
        ]
    );
    assert!(document.bullets.iter().all(|bullet| bullet.state == BulletState::Draft && bullet.tags == [TAG]));
}

#[test]
fn the_same_file_gives_the_same_bullets() {
    let at = Instant::parse("2026-11-21T12:00:00Z").unwrap();
    assert_eq!(read(FILE, "a", at), read(FILE, "a", at));
    assert_eq!(read("", "a", at), ImportedDocument::default());
    let deep = "> ".repeat(20_000) + "x";
    assert_eq!(read(&deep, "a", at).left_out[0].what, "text that is nested too deeply");
}

#[test]
fn lines_that_are_whole_orders_are_rules_and_wrapped_text_is_none() {
    let rules = |text: &str| -> Vec<String> {
        let parsed = read(text, "AGENTS.md", Instant::from_unix(0));
        parsed.bullets.iter().map(|bullet| bullet.content().to_owned()).collect()
    };
    assert_eq!(
        rules("Use pnpm for installs.\nNever push to main.\n"),
        ["Use pnpm for installs.", "Never push to main."]
    );
    assert_eq!(
        rules("Use pnpm for installs\nNever push to main\n"),
        ["Use pnpm for installs", "Never push to main"]
    );
    assert!(rules("Use pnpm for installs. Never\npush to main from here.\n").is_empty());
    assert!(rules("Use pnpm for all installs\nof this repository. Never npm.\n").is_empty());
}

#[test]
fn globs_as_a_list_are_reported_like_those_in_one_text() {
    let at = Instant::parse("2026-11-21T12:00:00Z").unwrap();
    for globs in ["[\"**/*.go\", src/**]", "\n  - \"**/*.go\"\n  - src/**"] {
        let text = format!("---\nglobs: {globs}\n---\n\n- Never use any.\n");
        let messages: Vec<String> =
            read(&text, "a", at).findings.into_iter().map(|found| found.message).collect();
        assert_eq!(messages, ["the rules will hold everywhere, not only in `globs`: **/*.go, src/**"]);
    }
}
