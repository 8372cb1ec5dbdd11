//! Kills processes during private writes: settings, tokens, the journal, trust.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::published;

/// Number of killed writes; `CM_TEST_KILLS` sets it for the full measurement.
fn kills() -> u64 {
    std::env::var("CM_TEST_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(30)
}

/// Returns all files below a folder.
fn below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(below(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

#[test]
fn a_private_write_that_is_killed_loses_nothing_and_leaves_nothing_in_the_vault() {
    let sandbox = published();
    sandbox.cm(&["init"]).ok();
    sandbox.cm(&["token", "add", "Ada"]).ok();
    sandbox.cm(&["config", "set", "search.limit", "7", "--private"]).ok();
    for n in 0..kills() {
        let value = (n % 90 + 1).to_string();
        let command: &[&str] = match n % 4 {
            0 => &["config", "set", "search.limit", &value, "--private"],
            1 => &["token", "add", "Bob"],
            2 => &["trust"],
            _ => &[
                "add",
                "--type",
                "fact",
                "--title",
                "Ports",
                "--body",
                &format!("Service {n} listens on port {}.", 8000 + n),
            ],
        };
        let mut child = sandbox.command(command).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(700 * (n % 41)));
        let _ = child.kill();
        child.wait().unwrap();
        let limit = sandbox.cm(&["config", "get", "search.limit"]).ok().stdout;
        assert!(limit.trim().parse::<u64>().is_ok_and(|limit| limit >= 1), "after kill {n}: {limit}");
        assert!(sandbox.cm(&["token", "list"]).ok().stdout.contains("Ada"), "after kill {n}");
    }
    sandbox.cm(&["update", "Pool", "--add-tag", "net"]).ok();
    sandbox.cm(&["commit"]);
    let committed = sandbox.git(&["log", "--all", "--name-only", "--format="]);
    assert!(!committed.contains(".cm-") && !committed.contains("toml.tmp"), "{committed}");
    let left: Vec<_> = below(&sandbox.vault())
        .into_iter()
        .filter(|file| !file.starts_with(sandbox.vault().join(".git")))
        .filter(|file| file.file_name().unwrap().to_string_lossy().starts_with(".cm-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    sandbox.git(&["fsck", "--strict"]);
    sandbox.cm(&["validate"]).ok();
}
