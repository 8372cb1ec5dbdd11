//! Compatibility with Obsidian: links resolve like there, and written links can be followed there.

use std::collections::{BTreeSet, HashMap};

use crate::support::{Sandbox, example, vault_of};

/// Every kind of link that Obsidian follows, and places where it ignores links.
const VAULT: &str = r#"
--- Home.md
---
up: "[[Topics/Cats]]"
---
## Start here

[[Settings]] [[settings#Look|look]] [[Deep note^block]] ![[Embedded]] [[Nobody wrote this]]
[md](Topics/Big%20cats.md#Size) [bare](Deep%20note) ![shown](Shown.md) [[Topics/Dogs.md]]
`[[Code]]` %%[[Hidden]]%% <!-- [[Hidden]] --> [[picture.png]]

```
[[Code]]
```
--- Settings.md
# Preferences
--- Topics/Limits.md
# Settings
[[../Home]] [[Twin]] [[./Cats]]
--- Topics/Cats.md
About [[CATS|itself]] and [[Big cats]].
--- Topics/Big cats.md
Text.
--- Topics/Dogs.md
[up](../Home.md) [[/Settings]]
--- Topics/Twin.md
Near.
--- Archive/old/Twin.md
Far away.
--- A/Twin.md
[[Shown]]
--- Other/Here.md
[[Twin]] [[old/Twin]] [[The plan]]
--- Deep note.md
---
aliases: [The plan]
---
--- Embedded.md
--- Shown.md
--- Code.md
--- Hidden.md
"#;

const PAIRS: &str = "\
A/Twin.md > Shown.md
Home.md > Deep note.md
Home.md > Embedded.md
Home.md > Settings.md
Home.md > Shown.md
Home.md > Topics/Big cats.md
Home.md > Topics/Cats.md
Home.md > Topics/Dogs.md
Other/Here.md > A/Twin.md
Other/Here.md > Archive/old/Twin.md
Other/Here.md > Deep note.md
Topics/Cats.md > Topics/Big cats.md
Topics/Dogs.md > Home.md
Topics/Dogs.md > Settings.md
Topics/Limits.md > Home.md
Topics/Limits.md > Topics/Cats.md
Topics/Limits.md > Topics/Twin.md";

/// Returns the edges found by the program, as pairs of paths.
pub fn pairs(sandbox: &Sandbox) -> BTreeSet<String> {
    let graph = sandbox.cm(&["graph", "--format", "json"]).ok().json();
    let nodes: HashMap<&str, &str> = graph["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node["path"].as_str().unwrap()))
        .collect();
    let edges = graph["edges"].as_array().unwrap().iter();
    edges
        .map(|edge| {
            format!("{} > {}", nodes[edge["from"].as_str().unwrap()], nodes[edge["to"].as_str().unwrap()])
        })
        .collect()
}

#[test]
fn the_graph_of_an_obsidian_vault_is_obsidians_own() {
    let found: Vec<String> = pairs(&vault_of(VAULT)).into_iter().collect();
    assert_eq!(found.join("\n"), PAIRS);
}

/// Returns the targets of wikilinks and Markdown links outside of code.
fn targets(text: &str) -> Vec<String> {
    let wiki = text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]").map(|(inside, _)| inside));
    let wiki = wiki.map(|inside| inside.split(['|', '#']).next().unwrap().to_owned());
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(path, _)| path));
    let linked = linked.filter(|path| path.ends_with(".md")).map(|path| path.replace("%20", " "));
    wiki.chain(linked).collect()
}

#[test]
fn an_edge_that_is_written_links_to_both_its_ends() {
    let sandbox = vault_of(
        "--- graph/fixes/a.md\n---\nid: 11111111-1111-4111-8111-111111111111\ntype: fix\ntitle: 'A [fix] | it'\n---\n--- graph/problems/note.md\n---\nid: 22222222-2222-4222-8222-222222222222\ntype: problem\ntitle: B\n---\n--- other/note.md\nAnother file of that name.\n",
    );
    let edge =
        sandbox.cm(&["relate", "11111111", "SOLVES", "22222222", "--why", "It does.", "--json"]).ok().json();
    let text = sandbox.read(edge["path"].as_str().unwrap());
    assert!(
        text.ends_with("\n\nIt does.\n\n[[a|A (fix) / it]] SOLVES [[graph/problems/note|B]]\n"),
        "{text}"
    );
    let again = sandbox
        .cm(&["relate", "11111111", "SOLVES", "22222222", "--why", "Twice seen.", "--json"])
        .ok()
        .json();
    assert_eq!((again["changed"].as_bool(), &again["path"]), (Some(true), &edge["path"]));
    let text = sandbox.read(edge["path"].as_str().unwrap());
    assert!(text.contains("It does.\n") && text.ends_with("\n\nTwice seen.\n"), "{text}");
    let third = sandbox.cm(&["relate", "11111111", "SOLVES", "22222222", "--why", "Twice seen.", "--json"]);
    assert_eq!(third.ok().json()["changed"], false, "the same reason is not written twice");
    sandbox.cm(&["relate", "11111111", "REQUIRES", "22222222"]).ok();
    let related = sandbox.cm(&["related", "11111111", "--json"]).ok().json();
    assert_eq!((related["notes"].as_array().unwrap().len(), related["total"].as_u64()), (2, Some(2)));
    let links = sandbox.cm(&["get", "11111111", "--json"]).ok().json()["links"].clone();
    assert_eq!(
        links.as_array().unwrap().iter().map(|link| link["type"].as_str().unwrap()).collect::<Vec<_>>(),
        ["REQUIRES", "SOLVES"]
    );
}

#[test]
fn two_clones_of_one_commit_write_the_same_core_on_any_day() {
    let sandbox = example();
    sandbox.git(&["clone", "--quiet", ".", "../one"]);
    sandbox.git(&["clone", "--quiet", ".", "../two"]);
    for (clone, note, day) in [
        ("../one", "connection-budget-for-postgres", "2026-11-23"),
        ("../two", "Words of the tide", "2027-02-01"),
    ] {
        for _ in 0..5 {
            sandbox.run(&["get", note]).within(clone).env("CM_NOW", day).go().ok();
        }
    }
    let core = |clone: &str, day: &str| {
        sandbox.run(&["core", "--print"]).within(clone).env("CM_NOW", day).go().ok().stdout
    };
    let first = core("../one", "2026-11-22T00:00:00Z");
    assert_eq!(first, core("../two", "2027-05-01T00:00:00Z"));
    assert!(first.contains("> Written 2026-11-21 "), "{first}");
    sandbox.run(&["core"]).within("../one").env("CM_NOW", "2026-12-22T00:00:00Z").go().ok();
    sandbox.run(&["core"]).within("../two").env("CM_NOW", "2027-05-01T00:00:00Z").go().ok();
    assert_eq!(sandbox.read("../one/CORE.md"), sandbox.read("../two/CORE.md"));
    assert_eq!(
        core("../one", "2027-01-01T00:00:00Z"),
        core("../two", "2027-05-01T00:00:00Z"),
        "its own commit changes nothing"
    );
    sandbox.run(&["config", "set", "core.usage", "local"]).within("../two").go().ok();
    assert_ne!(first, core("../two", "2027-05-01T00:00:00Z"));
}

#[test]
fn core_cites_every_rule_by_its_id_and_paths_are_a_fifth_of_it_at_most() {
    let sandbox = example();
    for links in ["path", "stem"] {
        sandbox.cm(&["config", "set", "core.links", links]).ok();
        let text = sandbox.cm(&["core", "--print"]).ok().stdout;
        let paths: usize = targets(&text).iter().map(|target| target.chars().count()).sum();
        assert!(paths > 0 && paths * 5 <= text.chars().count(), "{paths} of {}", text.chars().count());
        let rules = text.split("## Rules").nth(1).unwrap().split("\n## ").next().unwrap();
        assert!(
            rules
                .lines()
                .filter(|line| line.starts_with("- "))
                .all(|line| line.ends_with('`') && line.contains("`b-")),
            "{rules}"
        );
    }
}

#[test]
fn a_vault_with_notes_has_a_core_that_is_not_empty() {
    let sandbox = vault_of("--- inbox/idea.md\nA thought.\n");
    assert!(sandbox.cm(&["core", "--print"]).ok().stdout.contains("idea"));
    sandbox.cm(&["add", "--type", "general", "--title", "Something said"]).ok();
    let text = sandbox.cm(&["core", "--print", "--now", "2027-11-21"]).ok().stdout;
    assert!(text.split("## Fading").nth(1).unwrap().contains("Something said"), "{text}");
}

#[test]
fn a_merge_conflict_is_found_and_is_neither_committed_nor_given_to_an_agent() {
    let conflict = "<<<<<<< HEAD\n- ours\n=======\n- theirs\n>>>>>>> origin/main\n";
    let sandbox = vault_of(&format!(
        "--- graph/facts/a.md\n---\nid: 11111111-1111-4111-8111-111111111111\ntype: fact\ntitle: A\nimportance: 0.5\ncreated: 2026-11-20\nupdated: 2026-11-20\n---\nText.\n--- CORE.md\n# Core memory\n\n## Rules\n\n{conflict}"
    ));
    let note = sandbox.read("graph/facts/a.md");
    sandbox.write("graph/facts/a.md", format!("{note}\n{conflict}"));
    let validated = sandbox.cm(&["validate", "--json"]).json();
    let codes: Vec<&str> = validated["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"conflict-marker"), "{validated:#}");
    let refused = sandbox.cm(&["commit", "--json"]);
    assert_eq!(refused.code, 5);
    assert_eq!(refused.json()["error"]["code"], "conflict-markers");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "Begin\n");
    let hook = r#"{"hook_event_name":"SessionStart","session_id":"s1","source":"startup","cwd":"."}"#;
    let given = sandbox.run(&["hook", "claude", "SessionStart"]).stdin(hook).go();
    assert!(!given.stdout.contains("theirs") && !given.stdout.contains("<<<<"), "{}", given.stdout);
}

#[test]
fn inside_a_project_each_change_is_a_commit_of_the_note_alone_and_undo_takes_it_back() {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit_all("Begin");
    sandbox.write("src/main.rs", "fn main() { }\n");
    let made = sandbox.cm(&["init", ".memory"]).ok().stdout;
    assert!(made.contains("git.commit manual"), "{made}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M src/main.rs\n");
    sandbox.cm(&["add", "--type", "fact", "--title", "One"]).ok();
    let files = sandbox.git(&["show", "--name-only", "--format="]);
    assert!(files.lines().all(|file| file.starts_with(".memory/graph/facts/")), "{files}");
    sandbox.cm(&["undo"]).ok();
    assert_eq!(sandbox.cm(&["undo"]).code, 8, "the commit that made the vault stays");
    let first = sandbox.git(&["log", "--grep", "Cm-Op: init", "--format=%H"]);
    let refused = sandbox.cm(&["undo", first.trim(), "--json"]);
    assert_eq!(refused.json()["error"]["code"], "made-the-vault");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M src/main.rs\n");
}

#[test]
fn undo_takes_back_no_commit_that_came_from_somebody_else() {
    let sandbox = vault_of("");
    sandbox.cm(&["add", "--type", "fact", "--title", "Mine"]).ok();
    sandbox.git(&["config", "user.email", "grace@example.org"]);
    sandbox.cm(&["add", "--type", "fact", "--title", "Theirs"]).ok();
    sandbox.git(&["config", "--unset", "user.email"]);
    let undone = sandbox.cm(&["undo", "--json"]).ok().json();
    assert_eq!(undone["subject"], "Add fact \"Mine\"");
    assert_eq!(sandbox.cm(&["undo"]).code, 8);
    assert_eq!(sandbox.cm(&["search", "Theirs", "--json"]).ok().json()["total"], 1);
}

#[test]
fn doctor_says_how_an_unreadable_head_is_mended() {
    for (file, text) in [("HEAD", ""), ("refs/heads/main", "\n"), ("HEAD", "ref: refs/")] {
        let sandbox = vault_of("--- graph/facts/a.md\n# A\n");
        let git = sandbox.vault().join(".git");
        std::fs::write(git.join(file), text).unwrap();
        let ran = sandbox.cm(&["doctor"]);
        assert_eq!(ran.code, 1, "{}", ran.snapshot());
        let said = ran.stdout + &ran.stderr;
        assert!(
            said.contains("the commits are still there") && said.contains("and a line break to"),
            "{file}: {said}"
        );
    }
}

#[test]
fn an_import_takes_the_files_along_that_notes_use_and_says_what_it_recognised() {
    let note = "![[img/Big pic.png]] [paper](../files/Paper.pdf) [code](x.rs) ![[lost.png]]\n";
    let sandbox = crate::support::exchange::beside(&[
        ("notes/a.md", note.as_bytes()),
        ("notes/img/Big pic.png", b"\x89PNG\x00\xff"),
        ("files/Paper.pdf", b"%PDF"),
        ("files/unused.png", b"no"),
        ("notes/x.rs", b"fn x() {}"),
        (".obsidian/app.json", b"{}"),
    ]);
    let imported = sandbox.cm(&["import", "../source", "--json"]).ok().json();
    assert_eq!(
        (&imported["from"], &imported["because"]),
        (&"obsidian".into(), &"it has a folder .obsidian".into())
    );
    assert_eq!(
        imported["copied"],
        serde_json::json!(["source/files/Paper.pdf", "source/notes/img/Big pic.png"])
    );
    assert_eq!(imported["attachments"], serde_json::json!(["files/unused.png", "notes/x.rs"]));
    assert_eq!(
        std::fs::read(sandbox.vault().join("source/notes/img/Big pic.png")).unwrap(),
        b"\x89PNG\x00\xff"
    );
    assert!(sandbox.read("source/notes/a.md").contains(note.trim()));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_files_of_the_earlier_tool_are_its_own_schema_and_lose_nothing() {
    let sandbox = vault_of(
        "--- graph/fixes/a.md\n---\nid: 11111111-1111-4111-8111-111111111111\ntype: fix\ntitle: A\nimportance: 0.5\ncreated: 2026-11-01T00:00:00Z\nupdated: 2026-11-02T00:00:00Z\nrelations:\n  - target: 22222222-2222-4222-8222-222222222222\n    type: SOLVES\n    context: because of it\n---\nText.\n--- graph/facts/b.md\n---\nid: 22222222-2222-4222-8222-222222222222\ntype: fact\ntitle: B\nimportance: 0.5\ncreated: 2026-11-01T00:00:00Z\nupdated: 2026-11-02T00:00:00Z\n---\nOther.\n",
    );
    sandbox.cm(&["relate", "11111111", "CAUSES", "22222222"]).ok();
    sandbox.cm(&["get", "22222222"]).ok();
    sandbox.cm(&["export", "--format", "claude-memory", "--out", "../copy"]).ok();
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_str(&sandbox.read(&format!("../copy/{name}"))).unwrap()
    };
    let index = json("_index.json");
    let a = &index["entries"]["11111111-1111-4111-8111-111111111111"];
    assert_eq!(a["relations"][0]["context"], "because of it");
    assert!(a["decay_score"].is_number() && a["updated"] == "2026-11-02T00:00:00+00:00", "{a:#}");
    let edge = index["edges"].as_object().unwrap().values().next().unwrap();
    assert_eq!(edge["from_id"], "11111111-1111-4111-8111-111111111111");
    assert_eq!(edge["to_id"], "22222222-2222-4222-8222-222222222222");
    let vectors = json("_embeddings.json");
    assert_eq!(vectors["count"], 2);
    assert!(
        vectors["model"].is_string() && vectors["entries"]["11111111-1111-4111-8111-111111111111"].is_array()
    );
    let back = vault_of("");
    let source = sandbox.root().join("copy");
    back.cm(&["import", source.to_str().unwrap()]).ok();
    assert_eq!(crate::support::exchange::files(&back, "."), crate::support::exchange::files(&sandbox, "."));
    assert_eq!(json("_state.json")["entries"]["22222222-2222-4222-8222-222222222222"]["access_count"], 1);
    let uses = crate::support::exchange::uses(&back);
    assert!(uses.contains("22222222-2222-4222-8222-222222222222"), "{uses}");
}

#[test]
fn notes_in_the_template_folders_of_obsidian_are_in_no_list_and_no_search() {
    let sandbox = vault_of(
        "--- daily/templates/real.md\n# Zebra of the day\n--- templates/day.md\n# Zebra template {{date}}\n--- T/x.md\n# Zebra <% tp.file.title %>\n",
    );
    sandbox.cm(&["reindex"]).ok();
    sandbox.write(".obsidian/templates.json", r#"{"folder": "templates"}"#);
    sandbox.write(".obsidian/plugins/templater-obsidian/data.json", r#"{"templates_folder": "T"}"#);
    for command in [&["search", "zebra"][..], &["ls"], &["core", "--print"]] {
        let shown = sandbox.cm(command).ok().stdout;
        assert!(shown.contains("Zebra of the day"), "{shown}");
        assert!(!shown.contains("{{date}}") && !shown.contains("tp.file"), "{shown}");
    }
    assert_eq!(sandbox.cm(&["validate", "--json"]).ok().json()["notes"], 1);
}

#[test]
fn own_frontmatter_keys_select_notes_as_in_obsidian() {
    let sandbox = vault_of(
        "--- a.md\n---\nstatus: Open\nteams: [net, web]\n---\n# Zebra\n--- b.md\n---\nstatus: in progress\n---\n# Zebra too\n",
    );
    let found = |query: &str| {
        let found = sandbox.cm(&["search", query, "--json"]).json();
        let mut paths: Vec<String> = found["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().to_owned())
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(found("[status:open]"), ["a.md"]);
    assert_eq!(found("zebra [teams:web]"), ["a.md"]);
    assert_eq!(found("zebra [status:\"in progress\"]"), ["b.md"]);
    assert_eq!(found("zebra -[status:open]"), ["b.md"]);
    assert_eq!(found("[status:closed]"), Vec::<String>::new());
}
