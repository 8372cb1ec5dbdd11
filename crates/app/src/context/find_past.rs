//! Finds a note of the past under a name that it got later.

use crate::context::find::{ResolvedNote, find, find_in, load};
use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::error::{Error, Result};

/// Resolves a reference that names no note of the past, but one of the present: by the ID of that
/// note, else by the paths that it had.
///
/// # Errors
/// `error` if the present has no such note either; else an error with the note's first commit.
pub(super) fn find_by_later_name<'a>(
    context: &'a Context,
    reference: &str,
    error: Error,
) -> Result<ResolvedNote<'a>> {
    let Ok(present) = Context::open_with(context.request.clone(), context.cache.clone()) else {
        return Err(error);
    };
    let Ok(now) = find(&present, reference) else { return Err(error) };
    if let Some(id) = &now.note.id
        && let Ok(found) = find_in(context, &context.vaults, id.as_str())
    {
        return Ok(found);
    }
    let is_same = |bytes: &[u8]| {
        let other = now.open.parse(&now.note.path, bytes).note;
        other.id.is_some() && other.id == now.note.id
    };
    let versions = repository(now.open)?.history_of(&now.note.path, &is_same)?;
    let is_then = |found: &ResolvedNote<'_>| found.note.id == now.note.id;
    if let Some(open) = context.vaults.iter().find(|open| open.level == now.open.level)
        && let Some(found) =
            versions.iter().find_map(|version| load(open, &version.path).ok().filter(is_then))
    {
        return Ok(found);
    }
    let past = context.read_at().map(|past| past.to_string()).unwrap_or_default();
    let error = Error::not_found(format!("note `{reference}` did not exist {past}"));
    Err(match versions.last() {
        Some(first) => {
            let first = &first.commit;
            error.hint(format!("its first commit is {} of {}", first.id.short(), first.time.day()))
        }
        None => error.hint("it has no commit yet"),
    })
}
