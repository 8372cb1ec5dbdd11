//! `cm get`

use crate::support::{harbour, hashes, vault_of};

#[test]
fn a_note_is_shown_with_its_keys_its_text_and_what_points_at_it() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["get", "3c3c3c3c"]).snapshot(), @"
    Use Postgres
    3c3c3c3c-0000-4000-8000-000000000003  decision
    graph/decisions/use-postgres-3c3c3c.md
    active (1.04)
    tags: postgres, storage
    importance: 0.8
    created: 2026-03-04T14:00:00Z
    updated: 2026-10-02T09:30:00Z

    # Use Postgres

    Not SQLite: the worker lives on another machine.

    Linked from
      1a1a1a1a               REQUIRES  Keep pooled connections alive
      notes/reading-list.md  LINKS_TO  Reading list
    [exit 0]
    ");
}

#[test]
fn the_json_holds_the_frontmatter_as_written() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["get", "4d4d", "--json"]).snapshot(), @r#"
    {
      "id": "4d4d4d4d-0000-4000-8000-000000000004",
      "kind": "memory",
      "type": "error",
      "title": "Borrow checker refuses the cache",
      "path": "graph/errors/borrow-checker-4d4d4d.md",
      "frontmatter": {
        "id": "4d4d4d4d-0000-4000-8000-000000000004",
        "type": "error",
        "title": "Borrow checker refuses the cache",
        "tags": [
          "lang/rust"
        ],
        "importance": 0.5,
        "created": "2026-11-01",
        "updated": "2026-11-01"
      },
      "body": "\n# Borrow checker refuses the cache\n\nrustc says E0502 where SocketKeepAlive is held across the loop. No C++ compiler would tell.\n",
      "revision": "9370969d968b4053",
      "links": [],
      "backlinks": [],
      "score": 0.4,
      "status": "fading",
      "findings": [],
      "vault": "project"
    }
    [exit 0]
    "#);
}

#[test]
fn a_note_answers_to_its_id_a_beginning_of_it_its_title_and_its_path() {
    let sandbox = harbour();
    let id = "3c3c3c3c-0000-4000-8000-000000000003";
    for reference in [
        id,
        "3c3c",
        "Use Postgres",
        "use postgres",
        "use-postgres-3c3c3c",
        "graph/decisions/use-postgres-3c3c3c.md",
    ] {
        assert_eq!(sandbox.cm(&["get", reference, "--json"]).ok().json()["id"], id, "{reference}");
    }
    let from_its_folder =
        sandbox.run(&["get", "use-postgres-3c3c3c.md", "--json"]).within("graph/decisions").go();
    assert_eq!(from_its_folder.ok().json()["id"], id);
    let plain = sandbox.cm(&["get", "Reading list", "--json"]).ok().json();
    assert_eq!(plain["id"], "notes/reading-list.md", "a note without an ID answers to its path");
}

#[test]
fn raw_prints_the_file_byte_for_byte() {
    let sandbox = harbour();
    sandbox.write("notes/odd.md", "\u{feff}---\r\nid: odd\r\n---\r\nNo line break at its end");
    let raw = sandbox.cm(&["get", "notes/odd.md", "--raw"]).ok().stdout;
    assert_eq!(raw, sandbox.read("notes/odd.md"));
}

#[test]
fn reading_a_memory_keeps_it_from_fading_and_changes_no_file_of_the_person() {
    let sandbox = harbour();
    let before = hashes(&sandbox.vault());
    let score = |verb: &[&str]| sandbox.cm(verb).ok().json()["score"].as_f64().unwrap();
    let first = score(&["get", "2b2b", "--json"]);
    let second = score(&["get", "2b2b", "--json"]);
    sandbox.cm(&["get", "2b2b", "--raw"]).ok();
    let fourth = score(&["get", "2b2b", "--json"]);
    assert!(first < second && second < fourth, "{first} {second} {fourth}");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_section_is_read_by_heading_or_by_lines_of_the_file() {
    let sandbox = harbour();
    let note = "---\nid: ab12cd34-0000-4000-8000-000000000001\ntitle: Pool\n---\n\n# Pool\n\nLong.\n\n## Fixes\n\nRestart it.\n\n## Limits\n\nTen.\n";
    sandbox.write("notes/pool.md", note);
    insta::assert_snapshot!(sandbox.cm(&["get", "ab12cd34", "--section", "fixes"]).snapshot(), @"
    Pool
    ab12cd34-0000-4000-8000-000000000001  plain
    notes/pool.md
    lines 10 to 13 of 16

    ## Fixes

    Restart it.
    [exit 0]
    ");
    let read = sandbox.cm(&["get", "ab12cd34", "--section", "14-99", "--json"]).ok().json();
    assert_eq!(read["body"], "## Limits\n\nTen.\n");
    assert_eq!(read["section"], serde_json::json!({ "heading": null, "from": 14, "to": 16, "lines": 16 }));
    insta::assert_snapshot!(sandbox.cm(&["get", "ab12cd34", "--section", "Costs"]).snapshot(), @"
    [stderr]
    error: the note has no section `Costs`
     hint: pass one of these headings, or lines
           6: # Pool
           10: ## Fixes
           14: ## Limits
    [exit 4]
    ");
}

#[test]
fn what_does_not_exist_is_refused_with_what_is_like_it() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["get", "postgres"]).snapshot(), @"
    [stderr]
    error: note `postgres` not found
     hint: did you mean 3c3c3c3c-0000-4000-8000-000000000003 (Use Postgres) or 9c9c9c9c-0000-4000-8000-000000000009 (Keep pooled connections alive REQUIRES Use Postgres)?
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["get", "nothing of the kind", "--json"]).snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "note `nothing of the kind` not found",
        "hint": "`cm search` finds notes by their words"
      }
    }
    [exit 4]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["get", ""]).snapshot(), @"
    [stderr]
    error: the note reference is empty; pass an ID, path or title
     hint: `cm help get` shows its arguments with examples
    [exit 2]
    ");
}

#[test]
fn a_reference_that_fits_several_notes_is_refused_with_all_of_them() {
    let sandbox = harbour();
    sandbox.write("notes/a.md", "---\nid: 3c3c9999-0000-4000-8000-000000000001\ntitle: Use Postgres\n---\n");
    insta::assert_snapshot!(sandbox.cm(&["get", "Use Postgres"]).snapshot(), @"
    [stderr]
    error: `Use Postgres` matches 2 notes
     hint: use one of
           3c3c3c3c-0000-4000-8000-000000000003  Use Postgres  graph/decisions/use-postgres-3c3c3c.md
           3c3c9999-0000-4000-8000-000000000001  Use Postgres  notes/a.md
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["get", "3c3c"]).snapshot(), @"
    [stderr]
    error: `3c3c` matches 2 notes
     hint: use one of
           3c3c3c3c-0000-4000-8000-000000000003  Use Postgres  graph/decisions/use-postgres-3c3c3c.md
           3c3c9999-0000-4000-8000-000000000001  Use Postgres  notes/a.md
    [exit 4]
    ");
}

#[test]
fn a_note_called_like_a_command_is_got_with_every_flag() {
    let sandbox = harbour();
    sandbox.write("notes/search.md", "# search\n");
    assert_eq!(sandbox.cm(&["get", "search", "--raw"]).ok().stdout, "# search\n");
    assert_eq!(sandbox.cm(&["--json", "get", "search"]).ok().json()["title"], "search");
}

#[test]
fn without_a_vault_there_is_a_hint() {
    let sandbox = crate::support::Sandbox::new();
    insta::assert_snapshot!(sandbox.cm(&["get", "a"]).snapshot(), @"
    [stderr]
    error: no vault found at or above [ROOT]/vault
     hint: create one here with `cm init`, or select one with `--vault` or CM_VAULT
    [exit 3]
    ");
    insta::assert_snapshot!(sandbox.cm(&["get", "a", "--vault", "absent", "--json"]).snapshot(), @r#"
    {
      "error": {
        "code": "not-a-vault",
        "message": "the folder [ROOT]/vault/absent does not exist",
        "hint": "check the path in `--vault` or CM_VAULT"
      }
    }
    [exit 3]
    "#);
}

#[test]
fn what_steers_a_terminal_is_shown_and_not_obeyed() {
    let sandbox = harbour();
    sandbox.write("notes/esc.md", "# Red \u{1b}[31m\n\n\u{1b}]0;owned\u{7}\n");
    let shown = sandbox.cm(&["get", "notes/esc.md"]).ok().stdout;
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'), "{shown:?}");
}

#[test]
fn a_reference_may_be_written_as_a_link() {
    let sandbox = vault_of(
        "--- boat/Pump.md\n# Pump\n\nIt runs.\n\n## Hours\n\n120\n\n### Of night\n\n3\n--- C#.md\nSharp.\n",
    );
    let got = |reference: &str| {
        let got = sandbox.cm(&["get", reference, "--json"]).ok().json();
        (got["path"].as_str().unwrap().to_owned(), got["body"].as_str().unwrap().to_owned())
    };
    let whole = got("Pump");
    for reference in ["[[Pump]]", "[[boat/Pump.md|the pump]]", "![[Pump^block]]"] {
        assert_eq!(got(reference), whole, "{reference}");
    }
    for reference in ["Pump#Hours", "[[pump#hours]]", "boat/Pump.md#Hours"] {
        assert_eq!(got(reference).1, "## Hours\n\n120\n\n### Of night\n\n3\n", "{reference}");
    }
    assert_eq!(got("[[Pump#Hours#Of night|nights]]").1, "### Of night\n\n3\n");
    assert_eq!(got("C#").1, "Sharp.\n");
    assert_eq!(sandbox.cm(&["get", "Pump#Nowhere"]).code, 4);
    assert_eq!(sandbox.cm(&["get", "[[Nowhere#Hours]]"]).code, 4);
}
