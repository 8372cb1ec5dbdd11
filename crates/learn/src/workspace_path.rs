//! Working folders of sessions: the name of their project, and paths relative to them.

use cm_text::path::last_component;

/// Name of a project: the last component of its workspace path.
pub fn project_name(workspace: &str) -> String {
    last_component(workspace).unwrap_or(workspace).to_owned()
}

/// Removes the workspace from the beginning of a path; the workspace itself becomes `.`.
pub(crate) fn inside(path: &str, workspace: Option<&str>) -> String {
    let Some(root) = workspace.map(|root| root.trim_end_matches(['/', '\\'])).filter(|root| root.len() > 1)
    else {
        return path.to_owned();
    };
    match path.strip_prefix(root) {
        Some("" | "/") => ".".to_owned(),
        Some(rest) if rest.starts_with(['/', '\\']) => rest[1..].to_owned(),
        _ => path.to_owned(),
    }
}
