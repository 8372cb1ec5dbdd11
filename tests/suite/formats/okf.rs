//! Bundles of the Open Knowledge Format, version 0.2.

use serde_json::json;

use crate::support::exchange::{ONE, VAULT, beside_golden, files};
use crate::support::{Sandbox, vault_of};

/// Checks what the specification demands of every bundle.
fn conforms(sandbox: &Sandbox, folder: &str) {
    for (path, bytes) in files(sandbox, folder) {
        let text = String::from_utf8(bytes).unwrap();
        match path.rsplit('/').next().unwrap() {
            "index.md" => {
                assert_eq!(
                    text.starts_with("---\nokf_version: \"0.2\"\n---\n"),
                    path == "index.md",
                    "{path}"
                );
                assert!(text.contains("# ") && text.contains("* ["), "{path}: {text}");
            }
            "log.md" => {
                let days = text.lines().filter_map(|line| line.strip_prefix("## "));
                assert!(days.into_iter().all(|day| day.len() == 10 && day.as_bytes()[4] == b'-'), "{text}");
            }
            _ => {
                let (yaml, _) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
                let of_type = |line: &&str| line.starts_with("type: ") && line.len() > 6;
                assert_eq!(yaml.lines().filter(of_type).count(), 1, "{path}: {text}");
                assert!(!text.contains("[[A") && !text.contains("[[B"), "{path} has a wikilink: {text}");
            }
        }
    }
}

#[test]
fn a_bundle_comes_in_with_its_links_and_goes_out_with_its_types() {
    let sandbox = beside_golden("okf");
    conforms(&sandbox, "../source");
    let found = sandbox.cm(&["import", "../source", "--into", "harbour", "--json"]).ok().json();
    assert_eq!(found["from"], "okf");
    assert_eq!(
        found["because"],
        "its index.md declares the Open Knowledge Format, and every note has a type"
    );
    assert_eq!(
        found["skipped"],
        json!([{ "path": "index.md", "why": "listing" }, { "path": "log.md", "why": "listing" }])
    );
    assert_eq!(found["copied"], json!(["harbour/images/turnaround.png"]));
    let metric = sandbox.read("harbour/metrics/turnaround.md");
    assert!(
        metric.contains("[Arrivals](../tables/arrivals.md)")
            && metric.contains("![Chart](../images/turnaround.png)"),
        "{metric}"
    );
    assert!(
        metric.contains("source_type: Metric\n") && metric.contains("updated: 2026-05-15T10:00:00Z\n"),
        "{metric}"
    );
    let table = sandbox.read("harbour/tables/arrivals.md");
    assert!(table.contains("generated: { by: catalog_agent/1.4, at: 2026-05-22T09:30:00Z }\n"), "{table}");
    assert!(
        table.contains("updated: 2026-05-22T09:30:00Z\n") && table.contains("(../unloading.md#Berths)"),
        "{table}"
    );
    let draft = sandbox.read("harbour/unloading.md");
    assert!(
        draft.contains("state: draft\n")
            && draft.contains("(/cranes.md)")
            && draft.contains("title: unloading\n"),
        "{draft}"
    );
    let again = sandbox.cm(&["import", "../source", "--into", "harbour", "--json"]).ok().json();
    assert_eq!(again["imported"], json!([]));

    let exported = sandbox.cm(&["export", "--format", "okf", "--out", "../bundle", "--json"]).ok().json();
    assert_eq!(exported["notes"], 3);
    conforms(&sandbox, "../bundle");
    let table = sandbox.read("../bundle/harbour/tables/arrivals.md");
    for kept in [
        "type: Warehouse Table\n",
        "resource: https://warehouse.example.org/harbour/arrivals\n",
        "  - { by: human:ada, at: 2026-05-23T08:00:00Z }\n",
        "    title: Log of the pilots\n",
    ] {
        assert!(table.contains(kept), "{kept}: {table}");
    }
    assert!(!table.contains("source_type"));
    assert!(sandbox.read("../bundle/harbour/unloading.md").contains("status: draft\n"));
    assert_eq!(sandbox.read("../bundle/harbour/images/turnaround.png"), "not really an image\n");
}

#[test]
fn a_vault_becomes_a_bundle_and_comes_back_with_its_ids() {
    let first = vault_of(VAULT);
    first.write("Home.md", "Links to [[Alpha|the first]] and [[Nobody]].\n");
    first.write("index.md", "# Start\n\n[home](Home.md)\n");
    first.cm(&["relate", "Alpha", "SOLVES", "Beta"]).ok();
    let exported = first.cm(&["export", "--format", "okf", "--out", "../bundle", "--json"]).ok().json();
    assert_eq!(exported["notes"], 4);
    conforms(&first, "../bundle");
    let alpha = first.read("../bundle/graph/fixes/a.md");
    assert!(alpha.contains("See [Beta](../facts/b.md).\n"), "{alpha}");
    assert!(alpha.contains("SOLVES:: [Beta](../facts/b.md)\n"), "{alpha}");
    assert!(alpha.contains("description: See Beta.\n") && alpha.contains("timestamp: "), "{alpha}");
    let home = first.read("../bundle/Home.md");
    assert!(home.starts_with("---\ntype: Note\ntitle: Home\n"), "{home}");
    assert!(home.ends_with("\n---\nLinks to [the first](graph/fixes/a.md) and [[Nobody]].\n"), "{home}");
    assert!(first.read("../bundle/index-1.md").contains("# Start"));
    let index = first.read("../bundle/index.md");
    assert!(index.contains("# Notes\n\n* [Home](Home.md)"), "{index}");
    assert!(index.ends_with("\n\n# Folders\n\n* [graph](graph/)\n"), "{index}");
    assert!(first.read("../bundle/graph/facts/index.md").starts_with("# Notes\n\n* [Beta](b.md)"));
    assert_eq!(
        first.read("../bundle/log.md"),
        "# Log\n\n## 2026-11-01\n* **Creation**: [Beta](/graph/facts/b.md)\n* **Creation**: [Alpha](/graph/fixes/a.md)\n"
    );

    let second = vault_of("");
    let bundle = first.root().join("bundle").to_string_lossy().into_owned();
    let found = second.cm(&["import", &bundle, "--into", "b", "--json"]).ok().json();
    assert_eq!(found["from"], "okf");
    let got = second.cm(&["get", ONE, "--json"]).ok().stdout;
    assert!(got.contains("b/graph/fixes/a.md"), "{got}");
    let related = second.cm(&["related", ONE, "--json"]).ok().stdout;
    assert!(related.contains("SOLVES") && related.contains("Beta"), "{related}");
}

#[test]
fn a_second_export_updates_its_own_files_and_nothing_leaves_the_folder() {
    let sandbox = vault_of(VAULT);
    let export = ["export", "--format", "okf", "--out", "../bundle", "--json"];
    sandbox.cm(&export).ok();
    sandbox.cm(&["update", ONE, "--set", "importance=0.9"]).ok();
    let again = sandbox.cm(&export).ok().json();
    assert_eq!(again["written"], json!(["graph/fixes/a.md"]));
    sandbox.write("../bundle/graph/fixes/a.md", "edited");
    assert_eq!(sandbox.cm(&export).code, 5);
    assert_eq!(sandbox.read("../bundle/graph/fixes/a.md"), "edited");
    assert_eq!(sandbox.cm(&["export", "--format", "okf", "--out", "inside"]).code, 5);
    assert_eq!(sandbox.cm(&["export", "--format", "okf"]).code, 2);

    #[cfg(unix)]
    {
        let outside = sandbox.root().join("outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(sandbox.root().join("trap")).unwrap();
        std::os::unix::fs::symlink(&outside, sandbox.root().join("trap/graph")).unwrap();
        let trapped = sandbox.cm(&["export", "--format", "okf", "--out", "../trap"]);
        assert_ne!(trapped.code, 0);
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    }
}
