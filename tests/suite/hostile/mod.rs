//! Attacks by an untrusted folder: a cloned, unpacked or synced vault must not run programs, load
//! libraries, write outside of itself, or change permissions.

#[cfg(unix)]
mod caches;
#[cfg(unix)]
mod git;
mod journal;
mod kills;
mod limits;
mod private;
mod saves;
mod settings;
mod trust;

use crate::support::{Sandbox, vault_of};

/// Creates a vault with one note, as published by another user.
fn published() -> Sandbox {
    vault_of(
        "--- graph/facts/pool.md\n---\nid: a0a0a0a0-0000-4000-8000-000000000001\ntype: fact\ntitle: Pool\nimportance: 0.5\ncreated: 2026-11-01T08:00:00Z\nupdated: 2026-11-01T08:00:00Z\n---\n\nThe pool holds ten connections.\n",
    )
}

/// Content of a file outside the vault that no command may change.
const PRECIOUS: &str = "precious\n";

/// Writes a file outside the vault and returns its path.
fn outside(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    let file = sandbox.root().join("home").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, PRECIOUS).unwrap();
    file
}
