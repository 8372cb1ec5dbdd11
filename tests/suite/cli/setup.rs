//! `cm setup`: from an empty home to a memory with agents, without a question.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Sandbox, everything, write_session};

/// Runs `cm` in the home folder with the default place of the global vault; returns stdout and
/// stderr, and the exit code.
fn at_home(sandbox: &Sandbox, arguments: &[&str]) -> (String, i32) {
    let output = sandbox
        .command(arguments)
        .env_remove("CM_GLOBAL_VAULT")
        .current_dir(sandbox.root().join("home"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (said.into_owned(), output.status.code().unwrap())
}

fn json_at_home(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let (said, code) = at_home(sandbox, arguments);
    assert_eq!(code, 0, "{said}");
    serde_json::from_str(said.split("\nnote:").next().unwrap()).unwrap()
}

/// A home with an Obsidian vault of two notes, Claude Code, and a session in which a wish was said.
fn home() -> Sandbox {
    let sandbox = Sandbox::new();
    let notes = sandbox.root().join("home/Documents/Notes");
    fs::create_dir_all(notes.join(".obsidian")).unwrap();
    fs::write(notes.join("Tides.md"), "# Tides\n\nThe gauge reports every six minutes. See [[Harbour]].\n")
        .unwrap();
    fs::write(notes.join("Harbour.md"), "The inner harbour has its own gauge.\n").unwrap();
    write_session(
        &sandbox,
        "0199aaaa",
        "/home/dev/demo",
        &[("user", "From now on always run the tests with cargo nextest."), ("assistant", "I will.")],
    );
    sandbox
}

#[test]
fn the_only_obsidian_vault_becomes_the_memory_in_place_and_keeps_its_notes() {
    let sandbox = home();
    let done = json_at_home(&sandbox, &["setup", "--yes", "--json", "--quiet"]);
    let notes = sandbox.root().join("home/Documents/Notes");
    assert_eq!(done["place"]["path"], notes.display().to_string());
    assert_eq!(done["place"]["global"], true);
    assert_eq!(done["learned"]["sessions"], 1);
    assert!(done["core"]["entries"].as_u64().unwrap() >= 2, "{done:#}");
    assert_eq!(
        fs::read_to_string(notes.join("Harbour.md")).unwrap(),
        "The inner harbour has its own gauge.\n"
    );
    let settings = fs::read_to_string(sandbox.root().join("home/.claude/settings.json")).unwrap();
    assert!(settings.contains("session-start"), "{settings}");
    // Every folder of the user finds these notes from now on.
    let found = json_at_home(&sandbox, &["search", "gauge six minutes", "--json"]);
    assert_eq!(found["hits"][0]["title"], "Tides", "{found:#}");
    let core = fs::read_to_string(notes.join("CORE.md")).unwrap();
    assert_eq!(core.lines().filter(|line| line.contains("Tides")).count(), 1, "{core}");
    assert!(core.contains("Always run the tests with cargo nextest."), "{core}");
}

#[test]
fn a_second_setup_changes_nothing() {
    let sandbox = home();
    assert_eq!(at_home(&sandbox, &["setup", "--yes"]).1, 0);
    let before = everything(&sandbox.root().join("home/Documents"));
    let settings = fs::read_to_string(sandbox.root().join("home/.claude/settings.json")).unwrap();
    let done = json_at_home(&sandbox, &["setup", "--yes", "--json", "--quiet"]);
    assert_eq!((&done["created"], &done["committed"]), (&Value::Null, &Value::Null));
    assert_eq!(done["core"]["changed"], false);
    assert_eq!(everything(&sandbox.root().join("home/Documents")), before);
    assert_eq!(fs::read_to_string(sandbox.root().join("home/.claude/settings.json")).unwrap(), settings);
}

#[test]
fn a_dry_run_tells_the_plan_and_writes_nothing() {
    let sandbox = home();
    let before = everything(&sandbox.root().join("home"));
    let (said, code) = at_home(&sandbox, &["setup", "--dry-run"]);
    assert_eq!(code, 0, "{said}");
    for expected in
        ["Documents/Notes (for every project)", "would create .claude/settings.json", "last 30 days"]
    {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(everything(&sandbox.root().join("home")), before);
}

#[test]
fn a_project_gets_a_folder_of_its_own_and_the_options_are_obeyed() {
    let sandbox = home();
    sandbox.git(&["init", "--quiet"]);
    let ran = sandbox.cm(&["setup", "--yes", "--no-agents", "--no-sessions", "--json"]).ok().json();
    assert_eq!(ran["place"]["path"], sandbox.vault().join(".memory").display().to_string());
    assert_eq!((&ran["agents"], &ran["learned"]), (&Value::Null, &Value::Null));
    assert!(!sandbox.root().join("home/.claude/settings.json").exists());
}

#[test]
fn a_folder_of_choice_serves_every_project() {
    let sandbox = home();
    let folder = sandbox.root().join("home/my notes");
    let path = folder.display().to_string();
    let done = json_at_home(
        &sandbox,
        &[
            "setup",
            "--yes",
            "--folder",
            &path,
            "--global",
            "--no-agents",
            "--no-sessions",
            "--json",
            "--quiet",
        ],
    );
    assert_eq!(done["place"]["path"], path);
    assert_eq!(at_home(&sandbox, &["add", "The pump needs oil every spring."]).1, 0);
    let listed = json_at_home(&sandbox, &["ls", "--json"]);
    assert_eq!(listed["notes"].as_array().unwrap().len(), 1, "{listed:#}");
    assert!(folder.join("graph").is_dir());
}

#[test]
fn without_a_terminal_nothing_is_asked_and_nothing_done() {
    let sandbox = home();
    let (said, code) = at_home(&sandbox, &["setup"]);
    assert_eq!(code, 2);
    assert!(said.contains("cm setup --yes"), "{said}");
}

#[test]
fn an_agent_may_not_set_up() {
    let sandbox = home();
    let ran = sandbox.run(&["setup", "--yes"]).env("CLAUDECODE", "1").go();
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(!sandbox.root().join("home/.claude/settings.json").exists());
}
