//! Notes that come from other tools and go back to them: nothing is lost on the way, and nothing comes twice.

use std::fs;

use crate::support::{Sandbox, vault_of};

const ONE: &str = "11111111-1111-4111-8111-111111111111";

const VAULT: &str = "\
--- graph/fixes/a.md
---
id: 11111111-1111-4111-8111-111111111111
type: fix
title: Alpha
importance: 0.5
created: 2026-11-01T00:00:00Z
updated: 2026-11-01T00:00:00Z
---
See [[Beta]].
--- graph/facts/b.md
---
id: 22222222-2222-4222-8222-222222222222
type: fact
title: Beta
importance: 0.25
created: 2026-11-01T00:00:00Z
updated: 2026-11-01T00:00:00Z
---
Beta
--- episodes/2026-11-01.md
# 2026-11-01

## 10:00 - Without frontmatter
";

/// A sandbox with an empty vault, and a folder of these files beside it.
fn beside(files: &[(&str, &[u8])]) -> Sandbox {
    let sandbox = vault_of("");
    for (path, bytes) in files {
        sandbox.write(&format!("../source/{path}"), bytes);
    }
    sandbox
}

fn files(sandbox: &Sandbox, folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let root = sandbox.vault().join(folder);
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with(['.', '_']) {
                open.push(path);
            } else if name.ends_with(".md") {
                found.push((name, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn uses(sandbox: &Sandbox) -> String {
    let table = sandbox.read("_state/usage.json");
    table.lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn an_exported_vault_imports_to_the_same_notes_and_the_same_use() {
    let first = vault_of(VAULT);
    first.cm(&["get", ONE]).ok();
    first.cm(&["get", ONE]).ok();
    let out = first.root().join("out").to_string_lossy().into_owned();
    let exported = first.cm(&["export", "--format", "claude-memory", "--out", &out, "--json"]).ok().json();
    assert_eq!((&exported["notes"], &exported["unchanged"]), (&3.into(), &0.into()));
    let index: serde_json::Value = serde_json::from_str(&first.read("../out/_index.json")).unwrap();
    assert_eq!((&index["version"], &index["count"]), (&2.into(), &2.into()));
    assert_eq!(index["entries"][ONE]["title"], "Alpha");

    let second = vault_of("");
    let imported = second.cm(&["import", &out, "--json"]).ok().json();
    assert_eq!((&imported["from"], &imported["usage"]), (&"claude-memory".into(), &1.into()));
    assert_eq!(files(&second, "."), files(&first, "."));
    assert_eq!(uses(&second), format!("{{\"{ONE}\":{{\"accesses\":2,\"last\":\"2026-11-21T12:00:00Z\"}}}}"));
    assert_eq!(second.git(&["status", "--porcelain"]), "");
    assert_eq!(second.git(&["log", "-1", "--format=%s"]), "Import 3 notes from out\n");

    let again = second.cm(&["import", &out, "--json"]).ok().json();
    assert_eq!((&again["imported"], &again["commit"]), (&serde_json::json!([]), &serde_json::Value::Null));
    assert_eq!(uses(&second), format!("{{\"{ONE}\":{{\"accesses\":2,\"last\":\"2026-11-21T12:00:00Z\"}}}}"));
}

#[test]
fn counts_of_a_vault_that_is_used_where_it_lies_are_taken_once() {
    let sandbox = vault_of(VAULT);
    let state = format!("{{\"version\": 1, \"entries\": {{\"{ONE}\": {{\"access_count\": 7}}}}}}");
    sandbox.write("_state.json", &state);
    sandbox.cm(&["get", ONE]).ok();
    sandbox.cm(&["get", ONE]).ok();
    sandbox.cm(&["export", "--format", "claude-memory", "--out", "../out"]).ok();
    let state: serde_json::Value = serde_json::from_str(&sandbox.read("../out/_state.json")).unwrap();
    assert_eq!(state["entries"][ONE]["access_count"], 9);
}

#[test]
fn notes_come_in_whole_whatever_is_wrong_with_them() {
    let broken = b"---\ntitle: [\n---\nbroken".as_slice();
    let latin = b"caf\xe9".as_slice();
    let sandbox = beside(&[
        (".obsidian/app.json", b"{}"),
        ("Decisions/Use it.md", b"![[p.png]] [[B#^one]] #a/b ^two\r\n"),
        ("broken.md", broken),
        ("latin.md", latin),
        ("p.png", b"png"),
    ]);
    let outcome = sandbox.cm(&["import", "../source", "--into", "notes/obsidian", "--json"]).ok().json();
    assert_eq!(outcome["from"], "obsidian");
    assert_eq!(outcome["attachments"], serde_json::json!(["p.png"]));
    assert_eq!(outcome["imported"][1]["id"], serde_json::Value::Null);
    let codes: Vec<_> =
        outcome["findings"].as_array().unwrap().iter().map(|found| found["code"].clone()).collect();
    assert_eq!(codes, ["invalid-yaml", "invalid-utf8"]);
    let note = sandbox.read("notes/obsidian/Decisions/Use it.md");
    assert!(note.starts_with("---\r\nid: ") && note.contains("type: decision\r\n"), "{note}");
    assert!(note.ends_with("\n---\r\n![[p.png]] [[B#^one]] #a/b ^two\r\n"), "{note}");
    for (name, bytes) in [("broken.md", broken), ("latin.md", latin)] {
        assert_eq!(fs::read(sandbox.vault().join("notes/obsidian").join(name)).unwrap(), bytes);
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let again = sandbox.cm(&["import", "../source", "--into", "notes/obsidian", "--json"]).ok().json();
    assert_eq!((&again["imported"], again["skipped"].as_array().unwrap().len()), (&serde_json::json!([]), 3));
}

#[test]
fn an_import_says_what_it_could_not_do() {
    let sandbox = beside(&[("a.md", b"ours"), ("b.md", b"new")]);
    sandbox.write("source/a.md", "theirs");
    let outcome = sandbox.cm(&["import", "../source", "--json"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.json()["skipped"], serde_json::json!([{ "path": "a.md", "why": "path-taken" }]));
    assert_eq!(sandbox.read("source/a.md"), "theirs");
    fs::remove_file(sandbox.root().join("source/b.md")).unwrap();
    let outcome = sandbox.cm(&["import", "../source", "--json"]);
    assert_eq!((outcome.code, &outcome.json()["error"]["code"]), (8, &"nothing-done".into()));
    for (source, code) in [("../none", 2), ("source", 5), (".", 5)] {
        assert_eq!(sandbox.cm(&["import", source]).code, code, "{source}");
    }
}

#[test]
fn relations_of_basic_memory_and_short_links_of_zk_lead_where_they_led() {
    let sandbox = beside(&[
        ("Coffee.md", b"---\ntitle: Coffee\npermalink: drinks/coffee\n---\n- [method] slow #pour\n- requires [[Grinder]]\n"),
        ("Grinder.md", b"---\ntitle: Grinder\npermalink: drinks/grinder\n---\nSee [[drinks/coffee]].\n"),
    ]);
    sandbox.write("../zk/.zk/config.toml", "[format.markdown]\ncolon-tags = true\n");
    sandbox.write("../zk/abcd.md", "# One\n\n:first:\n\nSee [two](wxyz).\n");
    sandbox.write("../zk/wxyz-second.md", "# Two\n");
    assert_eq!(sandbox.cm(&["import", "../source", "--json"]).ok().json()["from"], "basic-memory");
    assert_eq!(sandbox.cm(&["import", "../zk", "--json"]).ok().json()["from"], "zk");
    let related = |note: &str| {
        let found = sandbox.cm(&["related", note, "--json"]).ok().json();
        let notes = found["notes"].as_array().unwrap().clone();
        notes.iter().map(|note| format!("{} {}", note["type"], note["title"])).collect::<Vec<_>>()
    };
    assert!(related("Coffee").contains(&"\"REQUIRES\" \"Grinder\"".to_owned()), "{:?}", related("Coffee"));
    assert_eq!(related("One"), ["\"LINKS_TO\" \"Two\""]);
    let validated = sandbox.cm(&["validate", "--json"]).ok().json();
    assert_eq!(validated["findings"], serde_json::json!([]));
}

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
fn an_export_writes_over_nothing_that_it_did_not_make() {
    let sandbox = vault_of(VAULT);
    sandbox.cm(&["export", "--format", "markdown", "--out", "../copy"]).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    sandbox.write("../copy/graph/fixes/a.md", "theirs");
    let export = ["export", "--format", "markdown", "--out", "../copy"];
    assert_eq!(sandbox.cm(&export).code, 5);
    assert_eq!(sandbox.read("../copy/graph/fixes/a.md"), "theirs");
    sandbox.cm(&[&export[..], &["--force"]].concat()).ok();
    assert_eq!(files(&sandbox, "../copy"), files(&sandbox, "."));
    assert_eq!(sandbox.cm(&["export", "--format", "markdown", "--out", "inner"]).code, 5);

    sandbox.write("_config.json", "{\"api_key\": \"private\"}");
    let beside = sandbox.cm(&["export", "--format", "claude-memory", "--force", "--json"]).ok().json();
    assert_eq!(beside["left"], serde_json::json!(["_config.json"]));
    assert_eq!(sandbox.read("_config.json"), "{\"api_key\": \"private\"}");
    let document = sandbox.cm(&["export", "--format", "json"]).ok();
    assert_eq!(document.json()["notes"][1]["frontmatter"]["importance"], 0.25);
    assert!(!document.stdout.contains("private"));
}
