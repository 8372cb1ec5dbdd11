//! Detects the languages, frameworks and tasks of the request's workspace, lazily and at most once per
//! request.

use std::cell::OnceCell;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::sessions::session_filter::project;
use cm_note::bullet::{Bullet, Scope};
use cm_playbook::briefing::kinds::{MANIFESTS, WorkspaceLanguages};
use cm_playbook::briefing::warning::MentionIndex;
use cm_store::vault::{external_folder, file_names};

/// Maximum number of workspace files that are inspected for languages and frameworks.
const MAX_INSPECTED_FILES: usize = 2_000;
/// Maximum size of a package manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: usize = 256 * 1024;

/// Languages, frameworks and other properties of the workspace, detected on first use.
pub(crate) struct WorkspaceKinds<'m> {
    context: &'m Context,
    /// Whether the caller named another project, which cannot be inspected.
    is_elsewhere: bool,
    kinds: OnceCell<WorkspaceLanguages>,
}

impl<'m> WorkspaceKinds<'m> {
    pub fn of(context: &'m Context, is_elsewhere: bool) -> Self {
        Self { context, is_elsewhere, kinds: OnceCell::new() }
    }

    /// Whether the bullet's language, framework or task scope fits the workspace and the task;
    /// other scopes always fit.
    pub fn holds(&self, bullet: &Bullet, seen: &MentionIndex) -> bool {
        if matches!(bullet.scope, Scope::Global | Scope::Workspace) {
            return true;
        }
        let kinds = self.kinds.get_or_init(|| {
            if self.is_elsewhere { WorkspaceLanguages::default() } else { looked_at(self.context) }
        });
        kinds.hold(bullet.scope, bullet.fields.scope_key.as_deref(), seen)
    }
}

fn looked_at(context: &Context) -> WorkspaceLanguages {
    let open = context.target();
    let mut folders = vec![context.request.cwd.clone()];
    if open.level == VaultLevel::Project {
        folders.push(project(open).to_owned());
    }
    folders.dedup();
    let mut names = Vec::new();
    let mut manifests = String::new();
    for folder in folders {
        names.extend(file_names::file_names(&folder, MAX_INSPECTED_FILES));
        for name in MANIFESTS {
            let text = external_folder::file(&folder.join(name)).unwrap_or_default();
            manifests.push_str(&String::from_utf8_lossy(&text[..text.len().min(MAX_MANIFEST_BYTES)]));
        }
    }
    // The vault's own notes say nothing of the code.
    WorkspaceLanguages::of(names.iter().map(String::as_str).filter(|name| !name.ends_with(".md")), &manifests)
}
