//! Checks the types of notes that a filter names.

use std::collections::BTreeSet;

use crate::context::open::Context;
use crate::error::Result;
use cm_note::note::NoteKind;
use cm_note::query::LabelField;
use cm_text::spelling::nearest;

/// Says that a type is neither declared nor used, with the nearest one, or all; `None` if it is known.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub(crate) fn unknown_type(context: &Context, typed: &str) -> Result<Option<String>> {
    let vaults = context.notes()?;
    // The kind of a note stands for its type if it has none.
    let mut names: BTreeSet<&str> = NoteKind::ALL.into_iter().map(NoteKind::name).collect();
    for open in &context.vaults {
        names.extend(open.settings.types.iter().map(|one| one.name.as_str()));
    }
    for vault in &vaults {
        names.extend(vault.notes().filter_map(|note| note.note_type.as_deref()));
    }
    let folded = LabelField::Type.folded(typed);
    // The index has the folded names, a listing compares them as they are.
    if names.iter().any(|name| *name == typed || LabelField::Type.folded(name) == typed) {
        return Ok(None);
    }
    Ok(Some(match nearest(&folded, names.iter().copied()) {
        Some(near) => format!("`{typed}` is not a type here; did you mean `{near}`?"),
        None => {
            let names: Vec<&str> = names.into_iter().collect();
            format!("`{typed}` is not a type here; types are {}", names.join(", "))
        }
    }))
}
