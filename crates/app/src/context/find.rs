//! Resolves a reference to a note: an ID, an ID prefix, a path, a title or a file name.

use crate::context::find_past::find_by_later_name;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_note::graph::{NoteNames, Resolution};
use cm_note::markdown::typed_link;
use cm_note::note::Note;
use cm_note::path::NotePath;

/// A resolved note with its contents.
pub struct ResolvedNote<'a> {
    /// The vault that contains the note.
    pub open: &'a OpenVault,
    pub note: Note,
    /// Contents of the note's file.
    pub bytes: Vec<u8>,
}

impl ResolvedNote<'_> {
    /// The file as text; invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Minimum number of characters of an ID prefix.
const MIN_ID_PREFIX: usize = 4;

/// Resolves a reference in all open vaults.
///
/// An ID from the index is verified against its file without a walk; all other references refresh
/// the index first. In the past, a note is also found by the name that it has now.
///
/// # Errors
/// A note that is not found, or an ambiguous reference; the hint lists the candidates. For a note
/// that did not exist yet, the hint has its first commit.
pub fn find<'a>(context: &'a Context, reference: &str) -> Result<ResolvedNote<'a>> {
    match find_in(context, &context.vaults, reference) {
        Err(error) if error.is_not_found() && context.read_at().is_some() => {
            find_by_later_name(context, reference, error)
        }
        other => other,
    }
}

/// Resolves a reference, or one that is written as a link, as in `[[Note#Heading]]`; also returns the
/// heading or block of the link.
///
/// # Errors
/// The errors of [`find`].
pub fn find_linked<'a>(context: &'a Context, reference: &str) -> Result<(ResolvedNote<'a>, Option<String>)> {
    match (find(context, reference), typed_link(reference)) {
        (Err(error), Some((target, anchor))) if error.is_not_found() => {
            find(context, &target).map(|found| (found, anchor)).map_err(|_| error)
        }
        (found, _) => Ok((found?, None)),
    }
}

/// Resolves a reference in the target vault only.
///
/// # Errors
/// The errors of [`find`]; `other-vault` for a note of the global vault.
pub fn find_in_target<'a>(context: &'a Context, reference: &str) -> Result<ResolvedNote<'a>> {
    match find_in(context, &context.vaults[..1], reference) {
        Err(error) if error.is_not_found() && context.vaults.len() > 1 => {
            match find_in(context, &context.vaults[1..], reference) {
                Ok(found) => Err(Error::refused(
                    "other-vault",
                    format!("{} is a note of the global vault", found.note.key()),
                )
                .hint(format!("add `{}` to the command", vault_option(found.open)))),
                Err(_) => Err(error),
            }
        }
        other => other,
    }
}

/// Runs a person's change of one note in the vault that has the note: in the global vault if the target
/// vault has none of this reference. A notice then names that vault.
///
/// # Errors
/// The errors of `change`.
pub(crate) fn in_vault_of<T>(
    context: &Context,
    reference: &str,
    change: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let is_missing = || find_in(context, &context.vaults[..1], reference).is_err_and(|e| e.is_not_found());
    if context.vaults.len() < 2 || !context.is_person() || !is_missing() {
        return change(context);
    }
    match find_in(context, &context.vaults[1..], reference) {
        Ok(found) => in_other_vault(context, found.open, change),
        Err(_) => change(context),
    }
}

/// Runs a change in another vault of the request; a notice names that vault.
///
/// # Errors
/// The errors of `change`.
pub(crate) fn in_other_vault<T>(
    context: &Context,
    open: &OpenVault,
    change: impl FnOnce(&Context) -> Result<T>,
) -> Result<T> {
    let there = context.for_vault(open)?;
    let result = change(&there);
    there.take_notices().into_iter().for_each(|notice| context.notice(notice));
    let result = result?;
    context.notice(format!("changed in the global vault, {}", open.vault.root().display()));
    Ok(result)
}

/// Returns the option of a command line that selects this vault.
pub(crate) fn vault_option(open: &OpenVault) -> String {
    format!("--vault {}", shell_words::quote(&open.vault.root().display().to_string()))
}

pub(super) fn find_in<'a>(
    context: &'a Context,
    vaults: &'a [OpenVault],
    reference: &str,
) -> Result<ResolvedNote<'a>> {
    let reference = reference.trim();
    if reference.is_empty() {
        return Err(Error::usage("the note reference is empty; pass an ID, path or title"));
    }
    for open in vaults {
        let path = match &open.past {
            Some(past) => past.locate(open.vault.root(), &context.request.cwd, reference),
            None => open.vault.locate(&context.request.cwd, reference),
        };
        if let Some(path) = path.filter(NotePath::is_markdown) {
            return load(open, &path);
        }
    }
    if looks_like_id(reference) {
        for open in vaults {
            // A note of the project wins over one of the global vault, also where it came by hand just now.
            if vaults.len() > 1 || open.past.is_some() {
                context.ensure_fresh(open)?;
            }
            if let [path] = by_id(open, reference).as_slice() {
                return load(open, path);
            }
        }
    }
    by_name(context, vaults, reference)
}

fn looks_like_id(reference: &str) -> bool {
    reference.len() >= MIN_ID_PREFIX && !reference.contains(char::is_whitespace)
}

/// Paths of notes with this ID prefix in the index, verified against their files.
fn by_id(open: &OpenVault, prefix: &str) -> Vec<NotePath> {
    let mut candidates = open.index().lookup(prefix).unwrap_or_default();
    candidates.dedup();
    let mut confirmed: Vec<_> = candidates
        .into_iter()
        .filter(|(id, path)| load(open, path).is_ok_and(|found| found.note.id.as_ref() == Some(id)))
        .collect();
    if let Some(exact) = confirmed.iter().find(|(id, _)| id.as_str() == prefix).cloned() {
        confirmed.retain(|(id, _)| *id == exact.0);
    }
    let mut paths: Vec<_> = confirmed.into_iter().map(|(_, path)| path).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn by_name<'a>(context: &Context, vaults: &'a [OpenVault], reference: &str) -> Result<ResolvedNote<'a>> {
    for open in vaults {
        let notes = context.notes_named(open, reference)?;
        let fitting: Vec<&Note> = match NoteNames::of(&notes).resolve(reference) {
            Resolution::One(at) => vec![&notes[at]],
            Resolution::Many(several) => several.into_iter().map(|at| &notes[at]).collect(),
            // Links need more of an id than a person who looks at the answer.
            Resolution::None => notes.iter().filter(|note| begins_id(note, reference)).collect(),
        };
        match fitting.as_slice() {
            [one] => return load(open, &one.path),
            [] => {}
            several => return Err(ambiguous(reference, several)),
        }
    }
    let mut near = Vec::new();
    for open in vaults {
        let notes = context.notes_of(open)?;
        near.extend(notes.iter().filter(|note| resembles(&note.title, reference)).take(3).map(candidate));
    }
    let error = Error::not_found(format!("note `{reference}` not found"));
    Err(if near.is_empty() {
        error.hint("`cm search` finds notes by their words")
    } else {
        error.hint(format!("did you mean {}?", near.join(" or ")))
    })
}

fn begins_id(note: &Note, reference: &str) -> bool {
    let begins =
        |id: &str| id.get(..reference.len()).is_some_and(|part| part.eq_ignore_ascii_case(reference));
    looks_like_id(reference) && note.id.as_ref().is_some_and(|id| begins(id.as_str()))
}

fn resembles(title: &str, typed: &str) -> bool {
    let (title, typed) = (title.to_lowercase(), typed.to_lowercase());
    typed.chars().count() >= 3 && (title.contains(&typed) || typed.contains(&title))
}

fn candidate(note: &Note) -> String {
    format!("{} ({})", note.key(), note.title)
}

/// Creates the error for an ambiguous reference; the hint lists up to five candidates, with their
/// paths where IDs or titles do not tell them apart.
pub(crate) fn ambiguous(reference: &str, notes: &[&Note]) -> Error {
    let mut lines = vec!["use one of".to_owned()];
    let shown = &notes[..notes.len().min(5)];
    let alike = |a: &Note, b: &Note| a.title == b.title || a.key() == b.key();
    let is_unique = |note: &Note| shown.iter().filter(|other| alike(note, other)).count() == 1;
    lines.extend(shown.iter().map(|note| match is_unique(note) {
        true => format!("{}  {}", note.key(), note.title),
        false => format!("{}  {}  {}", note.key(), note.title, note.path),
    }));
    let more = notes.len().saturating_sub(5);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Error::ambiguous(format!("`{reference}` matches {} notes", notes.len())).hint(lines.join("\n"))
}

/// Reads and parses a note from its file, without the index.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn load<'a>(open: &'a OpenVault, path: &NotePath) -> Result<ResolvedNote<'a>> {
    let bytes = open.read_file(path)?;
    let note = open.parse(path, &bytes).note;
    Ok(ResolvedNote { open, note, bytes })
}
