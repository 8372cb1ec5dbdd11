//! A vault with malformed and unusual files: everything readable is read, problems are reported
//! with their position, and reading changes nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::{Sandbox, everything, hashes, vault_of};

/// Malformed files, each with a unique word for searches.
const SHAPES: &str = r#"
--- graph/facts/sound.md
---
id: 00000001-0000-4000-8000-000000000000
type: fact
title: A sound note
tags: [sound]
importance: 0.5
created: 2026-11-01
updated: 2026-11-01
---
Word: wordsound
--- graph/fixes/bad-yaml.md
---
id: 00000002-0000-4000-8000-000000000000
type: fix
title: "unclosed
tags: [a, b
---
Word: wordbadyaml
--- graph/fixes/no-frontmatter.md
Word: wordnofrontmatter
--- graph/fixes/tabs.md
---
title: Tabs
tags:
	- one
---
Word: wordtabs
--- graph/fixes/crlf.md [crlf]
---
title: Line ends of another system
importance: much
---
Word: wordcrlf
--- graph/fixes/bom.md [bom]
---
title: A byte-order mark
importance: 7
---
Word: wordbom
--- graph/fixes/latin1.md [bytes]
---
title: Another encoding
---
Word: wordlatin caf\xe9
--- graph/fixes/empty.md [cut]

--- graph/fixes/unclosed.md
---
title: No closing line
Word: wordunclosed
--- graph/fixes/list.md
---
- one
- two
---
Word: wordlist
--- graph/fixes/twice.md
---
title: First
title: Second
---
Word: wordtwice
--- graph/fixes/same-id-a.md
---
id: 00000003-0000-4000-8000-000000000000
title: One of two
---
Word: wordsameone
--- graph/fixes/same-id-b.md
---
id: 00000003-0000-4000-8000-000000000000
title: Two of two
---
Word: wordsametwo
--- graph/fixes/Case.md
Word: wordcaseupper
--- graph/fixes/case.md
Word: wordcaselower
--- graph/fixes/🦀 ferris.md
Word: wordemoji
--- graph/fixes/日本語のノート.md
---
title: 日本語のノート
---
港の潮位計 wordcjk
--- graph/fixes/nul.md [bytes]
---
title: A NUL
---
Word: wordnul \x00 after it
--- graph/fixes/bomb.md
---
a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]
h: &h [*g, *g, *g, *g, *g, *g, *g, *g, *g]
tags: *h
---
Word: wordbomb
--- graph/fixes/hidden.md [bytes]
A word with a \xe2\x80\xae trick: wordhidden
--- graph/edges/nowhere--SOLVES--nothing-000000.md
---
type: SOLVES
from_id: 99999999-0000-4000-8000-000000000000
---
Word: wordedge
--- playbook/testing/short.md
wordbul
--- episodes/not-a-day.md
Word: wordepisode
"#;

/// The unique words of all files that are notes.
const WORDS: [&str; 28] = [
    "wordsound",
    "wordbadyaml",
    "wordnofrontmatter",
    "wordtabs",
    "wordcrlf",
    "wordbom",
    "wordlatin",
    "wordunclosed",
    "wordlist",
    "wordtwice",
    "wordsameone",
    "wordsametwo",
    "wordcaseupper",
    "wordcaselower",
    "wordemoji",
    "wordcjk",
    "港の潮位計",
    "wordnul",
    "wordbomb",
    "wordhidden",
    "wordedge",
    "wordbul",
    "wordepisode",
    "wordhuge",
    "worddeep",
    "wordquotes",
    "wordlong",
    "wordlinked",
];

fn odd() -> Sandbox {
    let sandbox = vault_of(SHAPES);
    let file = |name: &str| sandbox.vault().join(name);
    let deep: String =
        (0..5_000).map(|depth| format!("{}- level\n", "  ".repeat(depth % 500 + depth / 500))).collect();
    sandbox.write("graph/facts/deep.md", format!("Word: worddeep\n\n{deep}"));
    sandbox.write("graph/facts/quotes.md", format!("Word: wordquotes\n\n{}", "> ".repeat(5_000)));
    sandbox.write(&format!("graph/facts/{}.md", "long".repeat(62)), "Word: wordlong\n");
    sandbox.write("other.txt", "Word: wordlinked\n");
    fs::write(sandbox.root().join("secret.md"), "Word: wordsecret\n").unwrap();
    symlink("../../other.txt", file("graph/facts/linked.md")).unwrap();
    symlink("loop.md", file("graph/facts/loop.md")).unwrap();
    symlink("nowhere.md", file("graph/facts/dangling.md")).unwrap();
    symlink("..", file("graph/facts/up")).unwrap();
    symlink(sandbox.root().join("secret.md"), file("graph/facts/secret.md")).unwrap();
    symlink(sandbox.root(), file("graph/facts/outside")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(file("graph/facts/pipe.md")).status().unwrap();
    assert!(fifo.success());
    sandbox
}

/// Writes a note of five megabytes, of which only the first four are indexed. Written separately,
/// because it slows tests down.
fn write_huge(sandbox: &Sandbox) {
    let filler = "Filler of many lines and no meaning at all.\n".repeat(120_000);
    sandbox.write("graph/facts/huge.md", format!("Word: wordhuge\n\n{filler}\nwordlastline\n"));
}

#[test]
fn every_shape_is_found_as_far_as_it_can_be_read() {
    let sandbox = odd();
    write_huge(&sandbox);
    for word in WORDS {
        let found = sandbox.cm(&["search", &format!("+{word}"), "--json"]).ok().json();
        assert_eq!(found["total"], 1, "{word}: {found}");
    }
    assert_eq!(
        sandbox.cm(&["search", "+wordsecret", "--json"]).ok().json()["total"],
        0,
        "nothing out of the vault is read"
    );
}

#[test]
fn every_fault_is_reported_with_its_place_and_its_remedy() {
    let sandbox = odd();
    let ran = sandbox.cm(&["validate"]);
    let long = "long".repeat(62);
    insta::assert_snapshot!(ran.snapshot().replace(&long, "[LONG]"), @"
    graph/edges/nowhere--SOLVES--nothing-000000.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/edges/nowhere--SOLVES--nothing-000000.md:1:1 error missing-key this edge has no `to_id`
        hint: add `to_id: …`
    graph/facts/dangling.md warning bad-link-file the link is broken or points to itself
        hint: replace the link with the file, or remove it
    graph/facts/deep.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/facts/deep.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/facts/linked.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/facts/linked.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/facts/[LONG].md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/facts/[LONG].md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/facts/loop.md warning bad-link-file the link is broken or points to itself
        hint: replace the link with the file, or remove it
    graph/facts/outside warning bad-link-file the link points out of the vault
        hint: replace the link with the file, or remove it
    graph/facts/pipe.md warning unreadable is not a regular file and is not read
        hint: remove or rename it
    graph/facts/quotes.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/facts/quotes.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/facts/secret.md warning bad-link-file the link points out of the vault
        hint: replace the link with the file, or remove it
    graph/facts/up warning bad-link-file the link points to a folder that is already part of the vault
        hint: replace the link with the file, or remove it
    graph/fixes/Case.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/Case.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/fixes/bad-yaml.md:4:1 error invalid-yaml the frontmatter is not valid YAML: found unexpected end of stream, while scanning a quoted scalar
        hint: close the quote
    graph/fixes/bom.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/bom.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/bom.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/bom.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/bom.md:3:1 warning out-of-range `importance` is 7
        hint: use a number from 0.0 to 1.0
    graph/fixes/bomb.md:2:1 error invalid-yaml the frontmatter is not valid YAML: repetition limit exceeded
        hint: replace the aliases (`*name`) with values: they expand to too much
    graph/fixes/case.md warning case-collision differs from `Case.md` only in case
        hint: rename one of them: some systems treat them as the same file
    graph/fixes/case.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/case.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/fixes/crlf.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/crlf.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/crlf.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/crlf.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/crlf.md:3:1 error invalid-value `importance` is not a number
        hint: use a number
    graph/fixes/empty.md:1:1 warning empty-note the note is empty
        hint: add text, or delete the note
    graph/fixes/empty.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/empty.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/fixes/hidden.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/hidden.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/fixes/hidden.md:1:15 warning hidden-character a hidden character (U+202E, changes the direction of text)
        hint: remove it unless you need it: hidden characters can hide text from people that agents read
    graph/fixes/latin1.md:4:20 error invalid-utf8 the file is not UTF-8: invalid byte 0xE9
        hint: save the file as UTF-8
    graph/fixes/list.md:2:1 error not-a-mapping the frontmatter is a list instead of `key: value` lines
        hint: write `key: value` lines; put a blank line before text that starts with a `---` rule
    graph/fixes/no-frontmatter.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/no-frontmatter.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    graph/fixes/nul.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/nul.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/nul.md:1:1 error missing-key this memory has no `importance`
        hint: add `importance: …`
    graph/fixes/nul.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/nul.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/same-id-a.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/same-id-a.md:1:1 error missing-key this memory has no `importance`
        hint: add `importance: …`
    graph/fixes/same-id-a.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/same-id-a.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/same-id-a.md:2:1 error duplicate-id the ID 00000003-0000-4000-8000-000000000000 is also used by graph/fixes/same-id-b.md
        hint: remove one of the IDs, then run `cm adopt` on that file to get a new one
    graph/fixes/same-id-b.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/same-id-b.md:1:1 error missing-key this memory has no `importance`
        hint: add `importance: …`
    graph/fixes/same-id-b.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/same-id-b.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/same-id-b.md:2:1 error duplicate-id the ID 00000003-0000-4000-8000-000000000000 is also used by graph/fixes/same-id-a.md
        hint: remove one of the IDs, then run `cm adopt` on that file to get a new one
    graph/fixes/tabs.md:4:1 error invalid-yaml the frontmatter is not valid YAML: found character that cannot start any token, while scanning for the next token
        hint: indent with spaces, not tabs
    graph/fixes/twice.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/twice.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/twice.md:1:1 error missing-key this memory has no `importance`
        hint: add `importance: …`
    graph/fixes/twice.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/twice.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/twice.md:3:1 error duplicate-key duplicate key `title`; the one on line 2 is used
        hint: remove one of the two, or merge their values
    graph/fixes/unclosed.md:1:1 error unclosed-frontmatter the frontmatter that opens here is never closed
        hint: write a line `---` after its last key
    graph/fixes/日本語のノート.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/日本語のノート.md:1:1 error missing-key this memory has no `type`
        hint: add `type: …`
    graph/fixes/日本語のノート.md:1:1 error missing-key this memory has no `importance`
        hint: add `importance: …`
    graph/fixes/日本語のノート.md:1:1 error missing-key this memory has no `created`
        hint: add `created: …`
    graph/fixes/日本語のノート.md:1:1 error missing-key this memory has no `updated`
        hint: add `updated: …`
    graph/fixes/🦀 ferris.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    graph/fixes/🦀 ferris.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    playbook/testing/short.md:1:1 warning missing-id the note has no id
        hint: the note is found by its path until `cm adopt` adds an ID
    playbook/testing/short.md:1:1 warning out-of-range the rule has 7 characters
        hint: use 10 to 500 characters; put reasons below a heading `## Why`
    27 notes: 47 errors, 28 warnings
    [exit 1]
    ");
}

/// Read-only commands.
const READING: [&[&str]; 16] = [
    &["search", "word*", "--limit", "1000"],
    &["get", "A sound note"],
    &["get", "graph/fixes/bad-yaml.md", "--raw"],
    &["get", "graph/fixes/latin1.md"],
    &["related", "A sound note", "--hops", "5"],
    &["tags"],
    &["recent", "--limit", "1000"],
    &["stats"],
    &["graph"],
    &["graph", "--format", "graphml"],
    &["decay"],
    &["validate", "--all"],
    &["reindex", "--full"],
    &["doctor"],
    &["core", "--print"],
    &["reflection", "--print"],
];

#[test]
fn no_command_that_reads_changes_anything() {
    let sandbox = odd();
    write_huge(&sandbox);
    fs::remove_file(sandbox.vault().join("graph/facts/pipe.md")).unwrap();
    let before = (hashes(&sandbox.vault()), everything(&sandbox.vault().join(".git")));
    for arguments in READING {
        let ran = sandbox.cm(arguments);
        let failed = ["validate", "doctor"].contains(&arguments[0]);
        assert_eq!((ran.code, ran.stderr.as_str()), (i32::from(failed), ""), "{arguments:?}");
    }
    assert!(before == (hashes(&sandbox.vault()), everything(&sandbox.vault().join(".git"))));
}

#[test]
fn a_malformed_note_is_not_rewritten_and_its_place_is_named() {
    let sandbox = odd();
    fs::remove_file(sandbox.vault().join("graph/facts/pipe.md")).unwrap();
    let before = hashes(&sandbox.vault());
    let refused = |arguments: &[&str]| {
        let ran = sandbox.cm(arguments);
        assert_eq!(ran.code, 5, "{arguments:?}: {}", ran.snapshot());
        format!("{}\n{}", arguments.join(" "), ran.snapshot())
    };
    let lines: String = ["bad-yaml", "unclosed", "list", "twice", "latin1", "tabs", "bomb"]
        .into_iter()
        .map(|name| refused(&["update", &format!("graph/fixes/{name}.md"), "--set", "title=New"]))
        .collect();
    insta::assert_snapshot!(lines, @"
    update graph/fixes/bad-yaml.md --set title=New
    [stderr]
    error: the frontmatter is not valid YAML: found unexpected end of stream, while scanning a quoted scalar
       at: graph/fixes/bad-yaml.md:4:1
     hint: close the quote
    [exit 5]
    update graph/fixes/unclosed.md --set title=New
    [stderr]
    error: the frontmatter that opens here is never closed
       at: graph/fixes/unclosed.md:1:1
     hint: write a line `---` after its last key
    [exit 5]
    update graph/fixes/list.md --set title=New
    [stderr]
    error: the frontmatter is a list instead of `key: value` lines
       at: graph/fixes/list.md:2:1
     hint: write `key: value` lines; put a blank line before text that starts with a `---` rule
    [exit 5]
    update graph/fixes/twice.md --set title=New
    [stderr]
    error: duplicate key `title`; the one on line 2 is used
       at: graph/fixes/twice.md:3:1
     hint: remove one of the two, or merge their values
    [exit 5]
    update graph/fixes/latin1.md --set title=New
    [stderr]
    error: the file is not UTF-8: invalid byte 0xE9
       at: graph/fixes/latin1.md:4:20
     hint: save the file as UTF-8, then run the command again
    [exit 5]
    update graph/fixes/tabs.md --set title=New
    [stderr]
    error: the frontmatter is not valid YAML: found character that cannot start any token, while scanning for the next token
       at: graph/fixes/tabs.md:4:1
     hint: indent with spaces, not tabs
    [exit 5]
    update graph/fixes/bomb.md --set title=New
    [stderr]
    error: the frontmatter is not valid YAML: repetition limit exceeded
       at: graph/fixes/bomb.md:2:1
     hint: replace the aliases (`*name`) with values: they expand to too much
    [exit 5]
    ");
    insta::assert_snapshot!(refused(&["pin", "graph/fixes/bad-yaml.md"]), @"
    pin graph/fixes/bad-yaml.md
    [stderr]
    error: the frontmatter is not valid YAML: found unexpected end of stream, while scanning a quoted scalar
       at: graph/fixes/bad-yaml.md:4:1
     hint: close the quote
    [exit 5]
    ");
    insta::assert_snapshot!(refused(&["update", "graph/fixes/unclosed.md", "--add-tag", "x", "--json"]), @r#"
    update graph/fixes/unclosed.md --add-tag x --json
    {
      "error": {
        "code": "cannot-edit",
        "message": "the frontmatter that opens here is never closed",
        "hint": "write a line `---` after its last key",
        "path": "graph/fixes/unclosed.md",
        "line": 1,
        "column": 1
      }
    }
    [exit 5]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn what_is_no_note_is_not_opened_by_its_path() {
    let sandbox = odd();
    for name in ["pipe", "secret", "loop", "dangling", "up"] {
        let ran = sandbox.cm(&["get", &format!("graph/facts/{name}.md")]);
        assert_eq!(ran.code, 4, "{name}: {}", ran.snapshot());
        assert!(!ran.stdout.contains("wordsecret"));
    }
    insta::assert_snapshot!(sandbox.cm(&["get", "graph/facts/secret.md"]).snapshot(), @"
    [stderr]
    error: note `graph/facts/secret.md` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
}

#[test]
fn two_notes_with_one_id_are_both_kept_and_the_id_alone_names_neither() {
    let sandbox = odd();
    insta::assert_snapshot!(sandbox.cm(&["get", "00000003"]).snapshot(), @"
    [stderr]
    error: `00000003` matches 2 notes
     hint: use one of
           00000003-0000-4000-8000-000000000000  One of two  graph/fixes/same-id-a.md
           00000003-0000-4000-8000-000000000000  Two of two  graph/fixes/same-id-b.md
    [exit 4]
    ");
    sandbox.cm(&["reindex"]).ok();
    assert_eq!(sandbox.cm(&["get", "00000003-0000-4000-8000-000000000000"]).code, 4);
    assert_eq!(sandbox.cm(&["update", "00000003-0000-4000-8000-000000000000", "--set", "title=x"]).code, 4);
    assert_eq!(sandbox.cm(&["get", "graph/fixes/same-id-b.md", "--json"]).ok().json()["title"], "Two of two");
}

#[test]
fn a_file_that_may_not_be_read_is_reported_and_costs_no_other_note() {
    let sandbox = odd();
    let path = sandbox.vault().join("graph/facts/sound.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // The superuser can read everything.
        return;
    }
    let found = sandbox.cm(&["search", "wordtabs", "--json"]).ok().json();
    assert_eq!(found["total"], 1);
    assert!(
        found["notices"][0].as_str().unwrap().starts_with("graph/facts/sound.md cannot be read"),
        "{found}"
    );
    for _ in 0..2 {
        let found = sandbox.cm(&["validate", "graph/facts/sound.md", "--json"]).json();
        assert_eq!(found["findings"][0]["code"], "unreadable", "{found}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(sandbox.cm(&["search", "wordsound", "--json"]).ok().json()["total"], 1);
}

#[test]
fn a_vault_that_may_not_be_written_to_is_searched_and_says_that_the_index_is_not_stored() {
    let sandbox = odd();
    let root = sandbox.vault();
    let _ = fs::remove_dir_all(root.join("_index"));
    fs::set_permissions(&root, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser can write everywhere.
    let is_writable = fs::create_dir(root.join("_index")).is_ok();
    if !is_writable {
        let found = sandbox.cm(&["search", "wordsound", "--json"]).ok().json();
        assert_eq!(found["total"], 1);
        assert!(found["notices"][0].as_str().unwrap().contains("serves this call only"), "{found}");
        assert_eq!(sandbox.cm(&["reindex"]).code, 5, "what was asked for was not done");
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
}
