//! `cm adopt`: adds ids to notes without one.

use crate::support::exchange::files;
use crate::support::vault_of;

#[test]
fn a_note_is_adopted_where_it_lies_and_only_when_asked() {
    let sandbox = vault_of("--- docs/a.md\n# Doc\n--- graph/fixes/bare.md\nBare\n--- README.md\n# Read me\n");
    let before = files(&sandbox, ".");
    assert_eq!(sandbox.cm(&["get", "docs/a.md", "--json"]).ok().json()["id"], "docs/a.md");
    sandbox.cm(&["adopt", "--dry-run"]).ok();
    assert_eq!(files(&sandbox, "."), before, "neither reading nor a dry run writes");
    let adopted = sandbox.cm(&["adopt", "--json"]).ok().json();
    let id = adopted["adopted"][0]["id"].as_str().unwrap();
    assert_eq!(adopted["adopted"].as_array().unwrap().len(), 2);
    assert_eq!(adopted["skipped"], serde_json::json!([{ "path": "README.md", "why": "document" }]));
    assert_eq!(sandbox.read("docs/a.md"), format!("---\nid: {id}\n---\n# Doc\n"));
    assert_eq!(sandbox.cm(&["get", id, "--json"]).ok().json()["path"], "docs/a.md");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    sandbox.cm(&["adopt", "README.md", "--full"]).ok();
    assert!(sandbox.read("README.md").contains("title: Read me\n"));
    assert_eq!(sandbox.cm(&["adopt", "nowhere"]).code, 4);
    sandbox.write("docs/broken.md", "---\na: [\n---\n");
    assert_eq!(sandbox.cm(&["adopt", "docs"]).code, 8);
}

#[test]
fn an_empty_note_is_left_and_keeps_no_other_from_its_id() {
    let sandbox = vault_of("--- a.md\n# A\n");
    sandbox.write("Untitled.md", "");
    let adopted = sandbox.cm(&["adopt", "--json"]).ok().json();
    assert_eq!(adopted["adopted"].as_array().unwrap().len(), 1, "{adopted}");
    assert_eq!(adopted["adopted"][0]["path"], "a.md");
    assert_eq!(adopted["skipped"][0], serde_json::json!({ "path": "Untitled.md", "why": "empty" }));
    assert_eq!(sandbox.read("Untitled.md"), "");
}

#[test]
fn templates_of_obsidian_get_no_id_that_all_their_copies_would_have() {
    let sandbox = vault_of(
        "--- a.md\n# A\n--- Vorlagen/Tag.md\n# {{date:YYYY-MM-DD}}\n--- T/x.md\n# <% tp.file.title %>\n",
    );
    sandbox.write(".obsidian/templates.json", r#"{"folder": "Vorlagen"}"#);
    sandbox.write(".obsidian/plugins/templater-obsidian/data.json", r#"{"templates_folder": "T"}"#);
    let adopted = sandbox.cm(&["adopt", "--json"]).ok().json();
    assert_eq!(adopted["adopted"].as_array().unwrap().len(), 1, "{adopted}");
    let skipped = adopted["skipped"].as_array().unwrap();
    assert!(skipped.len() == 2 && skipped.iter().all(|note| note["why"] == "template"), "{adopted}");
    sandbox.cm(&["adopt", "Vorlagen/Tag.md"]).ok();
    assert!(sandbox.read("Vorlagen/Tag.md").starts_with("---\nid: "));
}

#[test]
fn notes_that_were_adopted_before_get_the_other_keys_on_request() {
    let sandbox = vault_of("--- docs/a.md\n# Doc\n--- graph/fixes/b.md\n# B\n");
    sandbox.cm(&["adopt"]).ok();
    let before = files(&sandbox, ".");
    sandbox.cm(&["adopt"]).ok();
    sandbox.cm(&["adopt", "--full", "--dry-run"]).ok();
    assert_eq!(files(&sandbox, "."), before);
    let ids = sandbox.read("docs/a.md");
    let full = sandbox.cm(&["adopt", "--full", "--json"]).ok().json();
    assert_eq!(full["adopted"].as_array().unwrap().len(), 2, "{full}");
    let note = sandbox.read("docs/a.md");
    assert!(note.starts_with(ids.strip_suffix("---\n# Doc\n").unwrap()), "{note}");
    assert!(note.contains("\ntitle: Doc\n") && sandbox.read("graph/fixes/b.md").contains("\ntype: fix\n"));
    let again = sandbox.cm(&["adopt", "--full", "--json"]).ok().json();
    assert_eq!(again["adopted"], serde_json::json!([]));
}

#[test]
fn a_note_with_a_name_in_capitals_is_adopted_and_a_dry_run_shows_no_id() {
    let sandbox = vault_of("--- NASA.md\nOrbit notes\n--- LICENSE-MIT.md\nFree\n");
    let planned = sandbox.cm(&["adopt", "--dry-run"]).ok().stdout;
    assert!(planned.starts_with("  NASA.md\nwould adopt 1 note\n"), "{planned}");
    sandbox.cm(&["adopt"]).ok();
    assert!(sandbox.read("NASA.md").starts_with("---\nid: "));
    assert_eq!(sandbox.read("LICENSE-MIT.md"), "Free\n");
}
