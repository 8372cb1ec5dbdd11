//! Paths that a person typed.

use std::path::{Component, Path, PathBuf};

use crate::context::open::Context;

/// Makes a typed path absolute without accessing the file system: expands `~`, resolves `.` and
/// `..`, and joins relative paths to `base`.
pub fn resolve_path(context: &Context, base: &Path, typed: &str) -> String {
    resolve_with_home(context.request.home.as_deref(), base, typed)
}

/// Like [`resolve_path`], for callers without a vault.
pub fn resolve_with_home(home: Option<&Path>, base: &Path, typed: &str) -> String {
    let mut plain = PathBuf::new();
    for part in base.join(expand_home(home, typed)).components() {
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

/// Expands `~` and `~/…`; other paths, such as `~user`, stay as they are.
pub fn expand_home(home: Option<&Path>, typed: &str) -> PathBuf {
    match (typed.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(typed),
    }
}

/// Formats a path for users: relative if it is below `cwd`, else unchanged.
pub fn shown(path: &Path, cwd: &Path) -> String {
    path.strip_prefix(cwd).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_home_folder_only_where_a_shell_expands_it() {
        let home = Some(Path::new("/home/ada"));
        for (typed, expanded) in [
            ("~", "/home/ada"),
            ("~/", "/home/ada"),
            ("~/notes/a", "/home/ada/notes/a"),
            ("~ben/notes", "~ben/notes"),
            ("notes/~", "notes/~"),
            ("/notes", "/notes"),
        ] {
            assert_eq!(expand_home(home, typed), Path::new(expanded), "{typed}");
        }
        assert_eq!(expand_home(None, "~/notes"), Path::new("~/notes"));
        assert_eq!(resolve_with_home(home, Path::new("/work/b"), "../~/./c"), "/work/~/c");
    }
}
