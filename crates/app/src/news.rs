//! Which notes it is that files are, as they change, appear or go: for who waits for news of a note by its id.
//!
//! Who listens hears of a change a moment after it; what a change was is not said.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::error::Result;
use super::find::load;
use super::memory::{Call, Level, Memory, OpenVault};
use super::trust::UNTRUSTED;
use super::warm::{Changed, Warm};
use cm_index::Index;
use cm_note::path::NotePath;
use cm_store::vault::layout;

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Its path in its vault.
    pub path: String,
    /// The id of the note that it is or was; none of what is no note, or has no id.
    pub id: Option<String>,
}

/// The ids of notes by their files, as they were told last.
#[derive(Debug, Default)]
struct Known(HashMap<(Level, String), String>);

/// Tells which notes of the call's vaults change, in a thread of its own, as long as anything is kept. A change is told
/// that happens after `waking` is dropped: folders are walked and watched first, which takes a moment in a large vault.
///
/// A vault that the user does not trust has no news: each question of the agent is answered by the refusal.
///
/// # Errors
/// Those of [`Memory::open`].
pub fn follow(
    warm: &Arc<Warm>,
    call: &Call,
    waking: impl Send + 'static,
    tell: impl Fn(Vec<Touched>) + Send + 'static,
) -> Result<()> {
    match warm.open(call.clone()) {
        Err(error) if error.code == UNTRUSTED => return Ok(()),
        opened => drop(opened?),
    }
    let (keeper, call) = (Arc::downgrade(warm), call.clone());
    std::thread::spawn(move || {
        let opened = || keeper.upgrade()?.open(call.clone()).ok();
        let Some(memory) = opened() else { return };
        let Some(changes) = keeper.upgrade().map(|warm| warm.changes(&memory)) else { return };
        drop(waking);
        let mut known = Known::of(&memory);
        drop(memory);
        for changed in changes {
            // Where the settings are broken just now, files are told without what they are.
            tell(known.touched(opened().as_ref(), &changed));
        }
    });
    Ok(())
}

impl Known {
    fn of(memory: &Memory) -> Self {
        let mut known = HashMap::new();
        for open in &memory.vaults {
            // What cannot be read now is known when it changes.
            let ids = memory.freshen(open).and_then(|()| memory.ask(open, Index::ids)).unwrap_or_default();
            known.extend(ids.into_iter().map(|(path, id)| ((open.level, path.to_string()), id.to_string())));
        }
        Self(known)
    }

    fn touched(&mut self, memory: Option<&Memory>, changed: &Changed) -> Vec<Touched> {
        let open = memory.map(|memory| memory.at(changed.level));
        let mut touched = Vec::new();
        for path in &changed.paths {
            let key = (changed.level, path.clone());
            let before = self.0.remove(&key);
            let now = open.and_then(|open| id_of(open, path));
            if let Some(id) = &now {
                self.0.insert(key, id.clone());
            }
            if before.is_some() && before != now {
                touched.push(Touched { path: path.clone(), id: before.clone() });
            }
            if now.is_some() || before.is_none() {
                touched.push(Touched { path: path.clone(), id: now });
            }
        }
        touched
    }
}

/// The id of the note that lies there now.
fn id_of(open: &OpenVault, path: &str) -> Option<String> {
    let is_note = Path::new(path).extension().is_some_and(|end| end == "md" || end == "markdown");
    if !is_note || [layout::CORE, layout::REFLECTION].contains(&path) {
        return None;
    }
    let found = load(open, &NotePath::parse(path).ok()?).ok()?;
    found.note.id.map(|id| id.to_string())
}
