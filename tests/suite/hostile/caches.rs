//! Tests with symbolic links, pipes and forged files in place of caches.

use std::fs;
use std::os::unix::fs::symlink;

use super::{PRECIOUS, outside, published};

/// Commands that read and write; each opens other files.
const COMMANDS: [&[&str]; 9] = [
    &["search", "pool"],
    &["get", "Pool"],
    &["reindex"],
    &["embed"],
    &["add", "--type", "fact", "--title", "Ports", "--body", "The service listens on port 8080."],
    &["core"],
    &["context", "raise the size of the connection pool"],
    &["privacy"],
    &["doctor", "--fix"],
];

#[test]
fn no_command_writes_through_a_link_in_the_place_of_a_cache() {
    for link in [
        "_state/lock",
        "_state/usage.log",
        "_state/usage.json",
        "_state/hooks.log",
        "_state/reads.jsonl",
        "_state/models.jsonl",
        "_index/lock",
        "_index/current",
        "_embeddings/static.vectors",
        "_config.toml",
        "_tokens.toml",
    ] {
        let sandbox = published();
        let victim = outside(&sandbox, "victim");
        let place = sandbox.vault().join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&victim, &place).unwrap();
        sandbox.git(&["add", "--all", "--force"]);
        sandbox.git(&["commit", "--quiet", "--message", "Links"]);
        for command in COMMANDS {
            let ran = sandbox.cm(command);
            assert_eq!(
                fs::read_to_string(&victim).unwrap(),
                PRECIOUS,
                "{link}: {command:?}: {}",
                ran.snapshot()
            );
        }
    }
}

#[test]
fn no_command_writes_into_a_folder_that_a_cache_links_to() {
    for link in ["_index", "_state", "_embeddings", "_index/sessions", "_state/journal", "_state/hooks"] {
        let sandbox = published();
        let folder = outside(&sandbox, "mine/precious.txt").parent().unwrap().to_owned();
        let place = sandbox.vault().join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&folder, &place).unwrap();
        for command in COMMANDS {
            let ran = sandbox.cm(command);
            let names: Vec<_> =
                fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, ["precious.txt"], "{link}: {command:?}: {}", ran.snapshot());
        }
        assert_eq!(fs::read_to_string(folder.join("precious.txt")).unwrap(), PRECIOUS);
    }
}

#[test]
fn a_vault_whose_caches_were_links_answers_as_any_other() {
    let sandbox = published();
    let folder = outside(&sandbox, "mine/precious.txt").parent().unwrap().to_owned();
    for link in ["_index", "_state", "_embeddings"] {
        symlink(&folder, sandbox.vault().join(link)).unwrap();
    }
    let found = sandbox.cm(&["search", "pool"]).ok();
    assert!(found.stdout.contains("Pool"), "{}", found.snapshot());
    sandbox.cm(&["add", "--type", "fact", "--title", "Ports", "--body", "It listens on port 8080."]).ok();
}

#[test]
fn a_lock_that_is_a_link_is_refused_and_names_the_remedy() {
    let sandbox = published();
    let victim = outside(&sandbox, "victim");
    fs::create_dir_all(sandbox.vault().join("_state")).unwrap();
    symlink(&victim, sandbox.vault().join("_state/lock")).unwrap();
    let add =
        || sandbox.cm(&["add", "--type", "fact", "--title", "Ports", "--body", "It listens on port 8080."]);
    let refused = add();
    assert!(refused.code != 0 && refused.stderr.contains("_state/lock"), "{}", refused.snapshot());
    fs::remove_file(sandbox.vault().join("_state/lock")).unwrap();
    add().ok();
}

#[test]
fn a_pipe_in_the_place_of_a_cache_makes_nobody_wait() {
    for pipe in ["_state/usage.log", "_state/lock", "_index/current", "_state/reads.jsonl"] {
        let sandbox = published();
        let place = sandbox.vault().join(pipe);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
        let found = sandbox.cm(&["search", "pool"]).ok();
        assert!(found.stdout.contains("Pool"), "{pipe}: {}", found.snapshot());
        sandbox.cm(&["get", "Pool"]).ok();
    }
}

#[test]
fn a_note_that_links_into_gits_own_folder_is_neither_read_nor_written() {
    let sandbox = published();
    let config = fs::read_to_string(sandbox.vault().join(".git/config")).unwrap();
    symlink("../../.git/config", sandbox.vault().join("graph/facts/config.md")).unwrap();
    let listed = sandbox.cm(&["search", "repositoryformatversion"]);
    assert!(!listed.stdout.contains("repositoryformatversion"), "{}", listed.snapshot());
    sandbox.cm(&["update", "graph/facts/config.md", "--add-tag", "x"]);
    assert_eq!(fs::read_to_string(sandbox.vault().join(".git/config")).unwrap(), config);
}

#[test]
fn a_generated_file_that_links_out_of_the_vault_reaches_no_prompt() {
    let sandbox = published();
    let secret = outside(&sandbox, "credentials");
    for name in ["CORE.md", "REFLECTION.md", "cm.toml"] {
        let _ = fs::remove_file(sandbox.vault().join(name));
        symlink(&secret, sandbox.vault().join(name)).unwrap();
    }
    let start = serde_json::json!({
        "session_id": "s-1", "hook_event_name": "SessionStart", "cwd": sandbox.vault(), "source": "startup",
    });
    let told = sandbox.run(&["hook", "claude"]).stdin(start.to_string()).go().stdout;
    assert!(!told.contains(PRECIOUS.trim()), "{told}");
    for command in [&["core"][..], &["reflection"], &["config", "list"], &["init"]] {
        let ran = sandbox.cm(command);
        assert!(!ran.stdout.contains(PRECIOUS.trim()), "{}", ran.snapshot());
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), PRECIOUS);
}

#[test]
fn a_memory_folder_that_is_a_link_is_no_vault() {
    let sandbox = crate::support::Sandbox::new();
    let folder = outside(&sandbox, "mine/precious.txt").parent().unwrap().to_owned();
    symlink(&folder, sandbox.vault().join(".memory")).unwrap();
    assert_eq!(sandbox.cm(&["search", "precious"]).code, 3);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // The same for a link to another vault of this user.
    let vault = folder.to_str().unwrap();
    sandbox.cm(&["init", vault]).ok();
    sandbox.cm(&["--vault", vault, "add", "--type", "fact", "--title", "A precious secret"]).ok();
    let ran = sandbox.cm(&["context", "precious secret"]);
    assert!(ran.code != 0 && !ran.stdout.contains("A precious secret"), "{}", ran.snapshot());
}
