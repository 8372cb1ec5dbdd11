//! Linked work trees of one repository: their own memory each, or one for all.

use crate::support::{Sandbox, vault_of};

const PROJECT: &str = "--- .memory/cm.toml\n--- .memory/.gitignore\n/_index/\n/_state/\n/_embeddings/\n--- src/main.rs\nfn main() {}\n";

/// A project with a memory, and a linked work tree beside it.
fn project() -> Sandbox {
    let sandbox = vault_of(PROJECT);
    sandbox.git(&["rm", "--quiet", "--cached", "cm.toml"]);
    std::fs::remove_file(sandbox.vault().join("cm.toml")).unwrap();
    sandbox.commit_all("Only the memory is a vault");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "task", "../task"]);
    sandbox.trust(&sandbox.vault().join(".memory"));
    sandbox
}

fn facts(sandbox: &Sandbox, tree: &str) -> usize {
    let folder = sandbox.vault().join(tree).join(".memory/graph/facts");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_work_tree_has_its_own_memory_unless_the_user_wants_one_for_all() {
    let sandbox = project();
    sandbox.run(&["add", "--type", "fact", "Ports differ"]).within("../task").go().ok();
    assert_eq!((facts(&sandbox, "../task"), facts(&sandbox, ".")), (1, 0));
    let shared = |words: &[&str]| sandbox.run(words).within("../task").env("CM_VAULT_WORKTREE", "main").go();
    shared(&["add", "--type", "fact", "Prices are cached"]).ok();
    assert_eq!((facts(&sandbox, "../task"), facts(&sandbox, ".")), (1, 1));
    let found = shared(&["search", "prices", "--json"]).ok().json();
    assert_eq!(found["total"], 1, "{found}");
    // The commit is on the branch of the main work tree.
    assert!(sandbox.git(&["log", "-1", "--format=%s", "main"]).contains("Prices are cached"));
    assert!(!sandbox.git(&["log", "-1", "--format=%s", "task"]).contains("Prices are cached"));
}

#[test]
fn a_vault_cannot_decide_that_another_folder_is_written() {
    let sandbox = project();
    std::fs::write(sandbox.vault().join("../task/.memory/cm.toml"), "[vault]\nworktree = \"main\"\n")
        .unwrap();
    sandbox.run(&["add", "--type", "fact", "Ports differ"]).within("../task").go().ok();
    assert_eq!((facts(&sandbox, "../task"), facts(&sandbox, ".")), (1, 0));
    // A `.git` file that names another repository leads nowhere.
    let (forged, other) = (sandbox.root().join("forged"), project());
    std::fs::create_dir_all(forged.join(".memory")).unwrap();
    std::fs::write(forged.join(".memory/cm.toml"), "").unwrap();
    let named = other.vault().join(".git/worktrees/task").display().to_string();
    std::fs::write(forged.join(".git"), format!("gitdir: {named}\n")).unwrap();
    let ran = sandbox
        .run(&["add", "--type", "fact", "Ports differ"])
        .within("../forged")
        .env("CM_VAULT_WORKTREE", "main")
        .go();
    assert_ne!(ran.code, 0, "{}", ran.snapshot());
    assert_eq!(facts(&other, "."), 0);
}
