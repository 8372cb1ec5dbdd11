//! `cm import`: loses nothing and imports nothing twice.

use std::fs;

use crate::support::exchange::{ONE, VAULT, beside, files, uses};
use crate::support::{Sandbox, vault_of};

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
    assert_eq!(outcome["copied"], serde_json::json!(["notes/obsidian/p.png"]));
    assert_eq!(outcome["attachments"], serde_json::json!([]));
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
fn settings_of_the_earlier_tool_are_named_where_they_are_left_out_and_no_value_is_shown() {
    let first = vault_of(VAULT);
    let out = first.root().join("out").to_string_lossy().into_owned();
    first.cm(&["export", "--format", "claude-memory", "--out", &out]).ok();
    let second = vault_of("");
    let findings = |config: &str| {
        fs::write(format!("{out}/_config.json"), config).unwrap();
        let ran = second.cm(&["import", &out, "--from", "claude-memory", "--dry-run", "--json"]).ok();
        assert!(!ran.stdout.contains("hush"), "{}", ran.stdout);
        let found = ran.json()["findings"].as_array().unwrap().clone();
        let ours = found.into_iter().filter(|one| one["path"] == "_config.json");
        ours.map(|one| one["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let config = r#"{"version": 1, "embedding_api_key": "hush", "decay": {"rate": "hush"},
        "settings": {"git.commit": "manual", "lock.patience_s": 30}}"#;
    assert_eq!(
        findings(config),
        [
            "`decay.rate` is not a setting and was skipped",
            "`embedding_api_key` is not a setting and was skipped",
            "the setting `git.commit` differs from this vault's and was skipped",
        ]
    );
    assert_eq!(findings("{\"version\": 1, \"settings\": {\"git.commit\": \"auto\"}}"), [""; 0]);
    assert!(findings("{").concat().starts_with("cannot read the settings"));
}

/// A vault in a project for which Claude Code and Codex keep memories, beside those of others.
fn with_native_memories() -> Sandbox {
    let sandbox = vault_of("");
    let project = sandbox.vault().canonicalize().unwrap().display().to_string();
    let folder: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let home = |path: &str, text: &str| {
        let file = sandbox.vault().parent().unwrap().join("home").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let context = |name: &str| format!(".claude/projects/{folder}/memory/{name}");
    home(&context("MEMORY.md"), "- [Port](port.md): the port\n- [Queue](queue.md): the queue\n");
    home(
        &context("port.md"),
        "---\nname: port\ndescription: The gateway has port 8443\ntype: project\n---\nSeen in the gateway.\n",
    );
    home(&context("queue.md"), "The queue has one writer.\n");
    home(".claude/projects/-home-other/memory/x.md", "Another project.\n");
    home(
        ".codex/memories/MEMORY.md",
        &format!(
            "# Task Group: Tests\napplies_to: cwd={project}; reuse_rule=same\n\nUse port 0.\n\n# Task Group: Other\napplies_to: cwd=/other\n\nNo.\n"
        ),
    );
    sandbox
}

#[test]
fn memories_of_agents_come_into_the_vault_of_their_scope_once() {
    let sandbox = with_native_memories();
    sandbox.cm(&["add", "--type", "fact", "--title", "Queue", "--body", "The queue has one writer."]).ok();
    let imported = sandbox.cm(&["import", "native", "--json"]).ok().json();
    let paths: Vec<&str> =
        imported["imported"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["native/claude-code/port.md", "native/codex/tests.md"], "{imported:#}");
    assert_eq!(imported["skipped"][0]["path"], "claude-code/queue.md");
    let note = sandbox.read("native/claude-code/port.md");
    assert!(
        note.contains("title: The gateway has port 8443\n") && note.contains("state: unverified\n"),
        "{note}"
    );
    let again = sandbox.cm(&["import", "native", "--json"]).ok().json();
    assert_eq!(again["imported"], serde_json::json!([]), "{again:#}");
}

#[test]
fn reflection_takes_the_memories_of_agents_once_and_a_deleted_one_does_not_come_back() {
    let sandbox = with_native_memories();
    let dry = sandbox.cm(&["reflect", "--dry-run", "--json"]).ok().json();
    assert_eq!(dry["native"]["notes"].as_array().unwrap().len(), 3, "{dry:#}");
    let reflected = sandbox.cm(&["reflect", "--json"]).ok().json();
    assert_eq!(reflected["outcome"], "changed", "{reflected:#}");
    let paths: Vec<&str> = reflected["native"]["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["path"].as_str().unwrap())
        .collect();
    let all = ["native/claude-code/port.md", "native/claude-code/queue.md", "native/codex/tests.md"];
    assert_eq!(paths, all);
    assert!(sandbox.read(all[0]).contains("state: unverified\n"));
    sandbox.cm(&["delete", all[1]]).ok();
    let again = sandbox.cm(&["reflect", "--json"]);
    assert_eq!((again.code, again.json()["native"]["notes"].as_array().unwrap().len()), (8, 0));
    assert!(!sandbox.vault().join(all[1]).exists());
}

#[test]
fn reflection_reads_no_memories_of_agents_that_the_settings_exclude() {
    for settings in ["[reflect]\nnative = false\n", "[sessions]\nagents = [\"gemini\"]\n"] {
        let sandbox = with_native_memories();
        sandbox.settings(settings);
        let reflected = sandbox.cm(&["reflect", "--json"]);
        assert_eq!(reflected.code, 8, "{settings}");
        assert_eq!(reflected.json()["native"]["notes"], serde_json::json!([]), "{settings}");
    }
    let sandbox = with_native_memories();
    let of_codex = sandbox.cm(&["reflect", "--agent", "codex", "--json"]).ok().json();
    assert_eq!(of_codex["native"]["notes"].as_array().unwrap().len(), 1, "{of_codex:#}");
}

/// Writes a file below the home folder.
fn at_home(sandbox: &Sandbox, path: &str, text: &str) {
    sandbox.write(&format!("../home/{path}"), text);
}

#[test]
fn the_global_vault_takes_the_memories_of_projects_without_a_vault_with_their_workspace() {
    let sandbox = vault_of("");
    let log = |project: &str| {
        serde_json::json!({
            "type": "user", "sessionId": "aaaaaaaa-0000-4000-8000-000000000001", "cwd": project, "userType": "external",
            "isSidechain": false, "uuid": "u-1", "timestamp": "2026-11-20T09:00:00.000Z",
            "message": {"role": "user", "content": "Fix the port"},
        })
        .to_string()
            + "\n"
    };
    at_home(&sandbox, ".claude/projects/-src-shop/a.jsonl", &log("/src/shop"));
    at_home(
        &sandbox,
        ".claude/projects/-src-shop/memory/port.md",
        "The gateway of the shop has port 8443.\n",
    );
    at_home(&sandbox, ".claude/projects/-src-unknown/memory/x.md", "No session shows its project.\n");
    at_home(&sandbox, ".claude/settings.json", "{\"autoMemoryDirectory\": \"~/notes\"}");
    at_home(&sandbox, "notes/lunch.md", "Ada never deploys at lunch.\n");
    at_home(
        &sandbox,
        ".codex/memories/MEMORY.md",
        "# Task Group: Tests\napplies_to: cwd=/src/blog\n\nUse port 0.\n",
    );
    let global = sandbox.vault().canonicalize().unwrap().display().to_string();
    let imported =
        sandbox.run(&["import", "native", "--json"]).env("CM_GLOBAL_VAULT", &global).go().ok().json();
    let paths: Vec<&str> =
        imported["imported"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        ["native/claude-code/lunch.md", "native/claude-code/src-shop/port.md", "native/codex/tests.md"],
        "{imported:#}"
    );
    assert!(sandbox.read(paths[1]).contains("workspace: /src/shop\n"));
    assert!(sandbox.read(paths[2]).contains("workspace: /src/blog\n"));
    assert!(!sandbox.read(paths[0]).contains("workspace:"));
}

#[test]
fn a_memory_of_an_agent_that_says_what_the_vault_says_in_other_words_is_left_out() {
    let sandbox = with_native_memories();
    sandbox.cm(&["add", "--type", "fact", "--title", "A queue has one writer"]).ok();
    let imported = sandbox.cm(&["import", "native", "--dry-run", "--json"]).ok().json();
    assert_eq!(imported["skipped"][0]["path"], "claude-code/queue.md", "{imported:#}");
}

#[test]
fn an_export_of_a_vault_with_the_built_in_model_is_imported_without_a_word_about_another() {
    let sandbox = vault_of(VAULT);
    sandbox.cm(&["export", "--format", "claude-memory", "--out", "../out"]).ok();
    let second = vault_of("");
    let out = sandbox.root().join("out").to_string_lossy().into_owned();
    let imported = second.cm(&["import", &out, "--json"]).ok().json();
    assert_eq!(imported["findings"], serde_json::json!([]));
}

#[test]
fn a_markdown_or_text_file_becomes_one_note() {
    let sandbox = vault_of("");
    sandbox.write("../Valves.md", "# Valve sizes\n\nThe inner valve is 12 mm.\n");
    sandbox.write("../pump.txt", "The pump is loud.\n");
    let imported = sandbox.cm(&["import", "../Valves.md", "--json"]).ok().json();
    assert_eq!((&imported["from"], &imported["because"]), (&"markdown".into(), &"it is one file".into()));
    assert_eq!(imported["imported"][0]["path"], "imported/Valves.md");
    assert!(sandbox.read("imported/Valves.md").ends_with("# Valve sizes\n\nThe inner valve is 12 mm.\n"));
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), "Import Valves.md\n");
    sandbox.cm(&["import", "../pump.txt", "--from", "markdown", "--into", "notes"]).ok();
    assert!(sandbox.read("notes/pump.md").ends_with("The pump is loud.\n"));
    let again = sandbox.cm(&["import", "notes/pump.md"]);
    assert!(again.code == 5 && again.stderr.contains("already in the vault"), "{}", again.snapshot());
}

#[test]
fn json_of_another_tool_becomes_no_rule() {
    let sandbox = vault_of("");
    sandbox.write("../memory.jsonl", "{\"type\":\"entity\",\"name\":\"Ada\"}\n{\"type\":\"entity\"}\n");
    sandbox.write("../mem0.json", "[{\"id\":\"1\",\"memory\":\"User prefers dark mode\"}]");
    for arguments in [
        &["import", "../memory.jsonl"][..],
        &["import", "../memory.jsonl", "--from", "rules"],
        &["import", "../mem0.json"],
        &["import", "../mem0.json", "--from", "rules"],
    ] {
        let ran = sandbox.cm(arguments);
        assert_eq!(ran.code, 5, "{}", ran.snapshot());
        assert!(ran.stderr.contains("cm has no importer for"), "{}", ran.snapshot());
    }
}

#[test]
fn sentences_of_a_rule_file_on_lines_of_their_own_are_rules() {
    let sandbox = vault_of("");
    let rules = "You are an expert in TypeScript and React.\nUse functional components; avoid classes.\nPrefer named exports.\nKeep components under 200 lines.\n";
    sandbox.write("../.cursorrules", rules);
    let imported = sandbox.cm(&["import", "../.cursorrules", "--json"]).ok().json();
    assert_eq!(imported["imported"].as_array().unwrap().len(), 3, "{imported:#}");
}
