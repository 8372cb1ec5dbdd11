//! Reports changed files with the IDs of their notes, for clients that subscribe to a note.
//!
//! Changes are reported shortly after they happen, without their kind.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::context::find::load;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::process_cache::{ProcessCache, VaultChange};
use crate::context::request::Request;
use crate::context::trust::UNTRUSTED;
use crate::error::Result;
use cm_index::Index;
use cm_note::path::NotePath;
use cm_store::vault::layout;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedNoteFile {
    /// Path of the file, relative to its vault.
    pub path: String,
    /// ID of the current or previous note; `None` if the file is not a note or has no ID.
    pub id: Option<String>,
}

/// Note IDs that were last reported, by vault level and path.
#[derive(Debug, Default)]
struct ReportedIds(HashMap<(VaultLevel, String), String>);

/// Reports changes of notes from a separate thread until `process_cache` is dropped. Changes made after
/// `waking` is dropped are reported; before that, folders are walked and watches are set up, which
/// takes a moment in a large vault.
///
/// An untrusted vault reports nothing; requests of an agent fail with the refusal.
///
/// # Errors
/// The errors of [`Context::open`].
pub fn follow(
    process_cache: &Arc<ProcessCache>,
    request: &Request,
    waking: impl Send + 'static,
    notify: impl Fn(Vec<ChangedNoteFile>) + Send + 'static,
) -> Result<()> {
    match process_cache.open(request.clone()) {
        Err(error) if error.code == UNTRUSTED => return Ok(()),
        opened => drop(opened?),
    }
    let (keeper, request) = (Arc::downgrade(process_cache), request.clone());
    std::thread::spawn(move || {
        let opened = || keeper.upgrade()?.open(request.clone()).ok();
        let Some(context) = opened() else { return };
        let Some(changes) = keeper.upgrade().map(|process_cache| process_cache.changes(&context)) else {
            return;
        };
        drop(waking);
        let mut reported_ids = ReportedIds::of(&context);
        drop(context);
        for changed in changes {
            // While the settings are invalid, paths are reported without note IDs.
            notify(reported_ids.touched(opened().as_ref(), &changed));
        }
    });
    Ok(())
}

impl ReportedIds {
    fn of(context: &Context) -> Self {
        let mut reported = HashMap::new();
        for open in &context.vaults {
            // A vault that cannot be read now reports its IDs when it changes.
            let ids = context
                .ensure_fresh(open)
                .and_then(|()| context.query_index(open, Index::ids))
                .unwrap_or_default();
            reported
                .extend(ids.into_iter().map(|(path, id)| ((open.level, path.to_string()), id.to_string())));
        }
        Self(reported)
    }

    fn touched(&mut self, context: Option<&Context>, changed: &VaultChange) -> Vec<ChangedNoteFile> {
        let open = context.map(|context| context.vault_at(changed.level));
        let mut touched = Vec::new();
        for path in &changed.paths {
            let key = (changed.level, path.clone());
            let before = self.0.remove(&key);
            let now = open.and_then(|open| id_of(open, path));
            if let Some(id) = &now {
                self.0.insert(key, id.clone());
            }
            if before.is_some() && before != now {
                touched.push(ChangedNoteFile { path: path.clone(), id: before.clone() });
            }
            if now.is_some() || before.is_none() {
                touched.push(ChangedNoteFile { path: path.clone(), id: now });
            }
        }
        touched
    }
}

/// ID of the note at `path`; `None` for generated files, other files and notes without an ID.
fn id_of(open: &OpenVault, path: &str) -> Option<String> {
    let is_note = Path::new(path).extension().is_some_and(|end| end == "md" || end == "markdown");
    if !is_note || [layout::CORE, layout::REFLECTION].contains(&path) {
        return None;
    }
    let found = load(open, &NotePath::parse(path).ok()?).ok()?;
    found.note.id.map(|id| id.to_string())
}
