//! Finds the memory that stands for another one: the one that states the same as a new text.

use crate::context::find::find;
use crate::context::open::Context;

/// The memory to credit for a statement of the memory `id`: itself, or the one that it was condensed
/// into. `None` if that one is retired or deprecated, or waits for a person and the caller is one.
pub(super) fn memory_in_use(context: &Context, id: &str) -> Option<String> {
    let found = find(context, id).ok()?;
    let found = match found.note.condensed_into.first() {
        Some(into) => find(context, into).ok()?,
        None => found,
    };
    let note = &found.note;
    let is_out_of_use = match note.is_waiting() {
        true => context.is_person(),
        false => note.is_retired() || note.is_deprecated(),
    };
    (!is_out_of_use).then(|| found.note.key().to_owned())
}
