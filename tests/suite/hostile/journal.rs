//! Tests with forged journal entries in a vault.

use super::published;

fn entry(path: &str, text: &str) -> String {
    serde_json::json!({
        "operation": "0123456789abcdef0123456789abcdef",
        "message": {"op": "add", "subject": "Add a note", "ids": []},
        "commits": false,
        "files": [{"path": path, "from": [], "before": null, "after": text, "edits": []}],
    })
    .to_string()
}

#[test]
fn a_journal_in_a_foreign_folder_is_never_replayed() {
    for path in
        [".git/commondir", ".git/hooks/pre-commit", ".GIT/commondir", "graph/facts/planted.md", "CORE.md"]
    {
        let sandbox = published();
        for name in ["_state/journal/0123456789abcdef0123456789abcdef.pending", "_state/journal/a.pending"] {
            sandbox.write(name, entry(path, "planted"));
        }
        sandbox.cm(&["add", "--type", "fact", "--title", "Ports", "--body", "It listens on port 8080."]).ok();
        sandbox.cm(&["doctor", "--fix"]);
        let planted = std::fs::read_to_string(sandbox.vault().join(path)).unwrap_or_default();
        assert!(!planted.contains("planted"), "{path}");
    }
}

#[test]
fn a_folder_without_git_replays_nothing_either() {
    let sandbox = published();
    std::fs::remove_dir_all(sandbox.vault().join(".git")).unwrap();
    sandbox.write("_state/journal/a.pending", entry("planted.sh", "planted"));
    sandbox.cm(&["add", "--type", "fact", "--title", "Ports", "--body", "It listens on port 8080."]);
    assert!(!sandbox.vault().join("planted.sh").exists());
}
