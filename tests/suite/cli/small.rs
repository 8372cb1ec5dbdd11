//! A small vault for tests of commands: a solution and a fix with a common id prefix, a problem
//! that one of them solves, and a pinned memory.

use crate::support::{Sandbox, vault_of};

/// File of the solution "Retry with jitter", `1f0c2a`.
pub const RETRY: &str = "graph/solutions/retry-with-jitter-1f0c2a.md";
/// File of the fix "Close idle connections", `1f0c99`.
pub const CLOSE: &str = "graph/fixes/close-idle-connections-1f0c99.md";
/// File of the problem "Gauges time out", `77ab01`.
pub const GAUGES: &str = "graph/problems/gauges-time-out-77ab01.md";
/// File of the pinned preference "Names carry their unit", `5e5e5e`.
pub const UNITS: &str = "vault/names-carry-their-unit-5e5e5e.md";

/// Creates the vault, committed in its own repository.
pub fn small() -> Sandbox {
    vault_of(TEXT)
}

/// Creates the vault in the folder `memory/` of a larger repository, with manual commits. The
/// project's own file is `src/main.rs`.
pub fn inside() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.write("memory/cm.toml", "[git]\ncommit = \"manual\"\n");
    sandbox.write("memory/.gitignore", "/_index/\n/_state/\n/_embeddings/\n");
    for (path, bytes) in crate::support::files_of(TEXT) {
        sandbox.write(&format!("memory/{path}"), bytes);
    }
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit_all("Begin");
    sandbox
}

/// Moves the file of [`RETRY`] by hand, with or without `git mv`.
pub fn moved(sandbox: &Sandbox, to: &str, with_git: bool) {
    let (from, to_file) = (sandbox.vault().join(RETRY), sandbox.vault().join(to));
    std::fs::create_dir_all(to_file.parent().unwrap()).unwrap();
    match with_git {
        true => drop(sandbox.git(&["mv", RETRY, to])),
        false => std::fs::rename(from, to_file).unwrap(),
    }
}

/// Returns the message of the newest commit, including trailers.
pub fn message(sandbox: &Sandbox) -> String {
    sandbox.git(&["log", "-1", "--format=%B"])
}

/// Returns the files of the newest commit with Git's status letters.
pub fn committed(sandbox: &Sandbox) -> String {
    sandbox.git(&["show", "--name-status", "--no-renames", "--format="])
}

/// Returns the number of commits.
pub fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap()
}

const TEXT: &str = "\
--- graph/solutions/retry-with-jitter-1f0c2a.md
---
id: 1f0c2a00-0000-4000-8000-000000000001
type: solution
title: Retry with jitter
tags: [net, retry]  # by hand
importance: 0.8
created: 2026-11-01T08:00:00Z
updated: 2026-11-01T08:00:00Z
---

# Retry with jitter

Spread retries over 30 s.

SOLVES:: [[Gauges time out]]
--- graph/fixes/close-idle-connections-1f0c99.md
---
id: 1f0c9900-0000-4000-8000-000000000002
type: fix
title: Close idle connections
tags: [net]
importance: 0.5
created: 2026-11-02T08:00:00Z
updated: 2026-11-02T08:00:00Z
---

# Close idle connections

After 240 s.
--- graph/problems/gauges-time-out-77ab01.md
---
id: 77ab0100-0000-4000-8000-000000000003
type: problem
title: Gauges time out
importance: 0.6
created: 2026-11-03T08:00:00Z
updated: 2026-11-03T08:00:00Z
---

# Gauges time out

All stations at the full hour.
--- vault/names-carry-their-unit-5e5e5e.md
---
id: 5e5e5e00-0000-4000-8000-000000000004
type: preference
title: Names carry their unit
importance: 0.9
created: 2026-11-04T08:00:00Z
updated: 2026-11-04T08:00:00Z
---

# Names carry their unit

height_mm, never height.
";
