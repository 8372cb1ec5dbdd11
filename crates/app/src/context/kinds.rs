//! Of which kinds the workspace of a call is, looked at once and only where a rule asks.

use std::cell::OnceCell;

use crate::memory::{Level, Memory};
use crate::sessions::allowed::project;
use cm_note::bullet::{Bullet, Scope};
use cm_playbook::briefing::kinds::{Kinds, MANIFESTS};
use cm_playbook::briefing::warning::Said;
use cm_store::vault::{file_names, foreign};

/// Files of a workspace that are looked at.
const FILES: usize = 2_000;
/// The longest manifest, in bytes.
const LONGEST: usize = 256 * 1024;

/// The kinds of the workspace.
pub(crate) struct WorkspaceKinds<'m> {
    memory: &'m Memory,
    /// Whether another project was named, of which nothing is known here.
    is_elsewhere: bool,
    kinds: OnceCell<Kinds>,
}

impl<'m> WorkspaceKinds<'m> {
    /// The workspace of a call.
    pub fn of(memory: &'m Memory, is_elsewhere: bool) -> Self {
        Self { memory, is_elsewhere, kinds: OnceCell::new() }
    }

    /// Whether a bullet's scope is for work like this.
    pub fn holds(&self, bullet: &Bullet, seen: &Said) -> bool {
        if matches!(bullet.scope, Scope::Global | Scope::Workspace) {
            return true;
        }
        let kinds = self
            .kinds
            .get_or_init(|| if self.is_elsewhere { Kinds::default() } else { looked_at(self.memory) });
        kinds.hold(bullet.scope, bullet.fields.scope_key.as_deref(), seen)
    }
}

fn looked_at(memory: &Memory) -> Kinds {
    let open = memory.target();
    let mut folders = vec![memory.call.cwd.clone()];
    if open.level == Level::Project {
        folders.push(project(open).to_owned());
    }
    folders.dedup();
    let mut names = Vec::new();
    let mut manifests = String::new();
    for folder in folders {
        names.extend(file_names::file_names(&folder, FILES));
        for name in MANIFESTS {
            let text = foreign::file(&folder.join(name)).unwrap_or_default();
            manifests.push_str(&String::from_utf8_lossy(&text[..text.len().min(LONGEST)]));
        }
    }
    // The vault's own notes say nothing of the code.
    Kinds::of(names.iter().map(String::as_str).filter(|name| !name.ends_with(".md")), &manifests)
}
