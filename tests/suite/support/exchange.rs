//! Helpers for tests of import, adopt and export: a vault and a foreign folder.

use std::fs;
use std::path::Path;

use super::{Sandbox, vault_of};

/// Id of the first note of [`VAULT`].
pub const ONE: &str = "11111111-1111-4111-8111-111111111111";

/// Two notes and a daily note.
pub const VAULT: &str = "\
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

/// Creates a sandbox with an empty vault and a foreign folder with these files.
pub fn beside(files: &[(&str, &[u8])]) -> Sandbox {
    let sandbox = vault_of("");
    for (path, bytes) in files {
        sandbox.write(&format!("../source/{path}"), bytes);
    }
    sandbox
}

/// Creates a sandbox with an empty vault and a copy of a folder of `tests/golden` beside it.
pub fn beside_golden(name: &str) -> Sandbox {
    let sandbox = vault_of("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let inner = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                sandbox.write(&format!("../source/{inner}"), fs::read(path).unwrap());
            }
        }
    }
    sandbox
}

/// Returns the notes of a folder with their content, sorted by path, without hidden and derived
/// folders.
pub fn files(sandbox: &Sandbox, folder: &str) -> Vec<(String, Vec<u8>)> {
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

/// Returns the stored usage counts of the vault.
pub fn uses(sandbox: &Sandbox) -> String {
    let table = sandbox.read("_state/usage.json");
    table.lines().nth(1).unwrap_or_default().to_owned()
}
