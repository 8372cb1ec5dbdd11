//! Paths that a person typed.

use std::path::{Component, Path, PathBuf};

use crate::context::open::Context;

/// Makes a typed path absolute without accessing the file system: expands `~`, resolves `.` and
/// `..`, and joins relative paths to `base`.
pub fn resolve_path(context: &Context, base: &Path, typed: &str) -> String {
    resolve_with_home(context.call.home.as_deref(), base, typed)
}

/// Like [`resolve_path`], for callers without a vault.
pub fn resolve_with_home(home: Option<&Path>, base: &Path, typed: &str) -> String {
    let path = match (typed.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => base.join(typed),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain.to_string_lossy().into_owned()
}

/// Formats a path for users: relative if it is below `cwd`, else unchanged.
pub fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}
