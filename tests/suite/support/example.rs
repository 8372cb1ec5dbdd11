//! The example vault in its own repository.

use std::path::Path;

use super::Sandbox;

/// Creates a committed copy of the example vault.
pub fn example() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("example-vault"), &sandbox.vault());
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit_all("Begin");
    sandbox.trust(&sandbox.vault());
    sandbox
}

/// Like [`example`], with an agent's log in the home folder and a model response for it.
pub fn taught() -> Sandbox {
    let sandbox = example();
    let log: &[u8] = include_bytes!(
        "../../golden/sessions/claude_code/projects/-home-dev-demo/11111111-aaaa-4bbb-8ccc-000000000001.jsonl"
    );
    sandbox.write("../home/.claude/projects/-home-dev-demo/11111111-aaaa-4bbb-8ccc-000000000001.jsonl", log);
    sandbox.write("../answer.json", r#"{"reflects":"11111111","deltas":[]}"#);
    sandbox
}

/// Copies a folder without derived folders.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        // Files from earlier runs of the program are not part of the example.
        if path.is_dir() && !name.to_string_lossy().starts_with('_') {
            copy(&path, &to.join(name));
        } else if path.is_file() {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}
