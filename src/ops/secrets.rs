//! Keeping secrets out of a vault: what would bring one in is refused, and what lies in it can be looked through.
//!
//! What secrets look like is for `domain::secret` to say. A vault that holds one already can still be worked with.

use std::collections::HashMap;

use super::error::{Error, Result};
use super::memory::OpenVault;
use crate::domain::note::Note;
use crate::domain::path::NotePath;
use crate::domain::secret::{Removed, Rules, find, suspects};
use crate::vault::layout;

/// What lies in a vault and looks like a secret.
#[derive(Debug, Clone, Default)]
pub struct Exposed {
    /// What looks live, with the rule that found it, and its line.
    pub secrets: Vec<(NotePath, String, usize)>,
    /// What is merely random enough to be one.
    pub guesses: Vec<(NotePath, usize)>,
}

/// The rules of a vault: `redaction.enabled` and `redaction.extra`.
///
/// # Errors
/// A pattern of the vault's own that is none.
pub fn rules(open: &OpenVault) -> Result<Rules> {
    let rules = if open.settings.flag("redaction.enabled").unwrap_or(true) {
        Rules::default()
    } else {
        Rules::none()
    };
    rules.with_extra(&open.settings.texts("redaction.extra")).map_err(|error| {
        Error::refused("invalid-setting", error.to_string())
            .at(layout::SETTINGS, None, None)
            .hint("mend it, then run the command again")
    })
}

/// Refuses bytes that hold a secret which was not in the file before.
///
/// # Errors
/// Refused, with the line and what it looks like.
pub(super) fn refuse(
    rules: &Rules,
    path: &NotePath,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<()> {
    let Some(after) = after.map(String::from_utf8_lossy) else { return Ok(()) };
    let new = find(&after, rules);
    if new.is_empty() {
        return Ok(());
    }
    let before = before.map(String::from_utf8_lossy).unwrap_or_default();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for removed in find(&before, rules) {
        *known.entry(&before[removed.range]).or_default() += 1;
    }
    let is_new = |removed: &&Removed| match known.get_mut(&after[removed.range.clone()]) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let Some(Removed { rule, line, .. }) = new.iter().find(is_new) else { return Ok(()) };
    let message = format!("line {line} of {path} would hold what looks like a live secret ({rule})");
    Err(Error::refused("secret", message)
        .at(path, u32::try_from(*line).ok(), None)
        .hint("take it out; where an example is meant, write a placeholder such as <token>"))
}

/// Looks through all notes of a vault.
///
/// # Errors
/// Those of [`rules`].
pub(super) fn exposed(open: &OpenVault, notes: &[Note]) -> Result<Exposed> {
    let rules = rules(open)?;
    let mut exposed = Exposed::default();
    for note in notes {
        // What cannot be read is told by its finding.
        let Ok(bytes) = open.read(&note.path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let secrets = find(&text, &rules).into_iter();
        exposed.secrets.extend(secrets.map(|removed| (note.path.clone(), removed.rule, removed.line)));
        let guesses = suspects(&text, &rules).into_iter();
        exposed.guesses.extend(guesses.map(|suspect| (note.path.clone(), suspect.line)));
    }
    Ok(exposed)
}
