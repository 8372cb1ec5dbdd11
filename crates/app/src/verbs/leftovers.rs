//! Leftovers of merges in the inbox. Of a note with several, each has a name: a person can take one and drop another.

use crate::context::find::{ResolvedNote, load};
use crate::context::open::Context;
use crate::error::{Error, Result};
use cm_note::finding::{Finding, FindingCode};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::{parse, scalar_text};
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::note::leftover::{self, Leftover, LeftoverError, LeftoverPart, MERGE};
use cm_note::note::{Note, NoteKind, name};
use cm_text::word_diff::{self, DiffPiece};

/// Length of the name of a leftover, in hexadecimal digits.
const NAME_DIGITS: usize = 4;

/// Returns the leftovers of a note.
pub(super) fn of(note: &Note) -> impl Iterator<Item = &Finding> {
    note.findings.iter().filter(|finding| finding.code.is_leftover())
}

/// The name of a leftover, which stays while others of its note are decided, unless they are about the same paragraph.
fn name_of(leftover: &Finding) -> String {
    blake3::hash(leftover.message.as_bytes()).to_hex()[..NAME_DIGITS].to_owned()
}

/// Returns a reference to a leftover: that of its note if it is the only one, else with its name.
pub(super) fn reference(note: &Note, leftover: &Finding) -> String {
    match of(note).nth(1) {
        None => note.key().to_owned(),
        Some(_) => format!("{}:{}", note.key(), name_of(leftover)),
    }
}

/// Splits a reference into the note and the name of a leftover.
pub(super) fn split_reference(reference: &str) -> Option<(&str, &str)> {
    let (note, name) = reference.rsplit_once(':')?;
    let is_name = name.len() == NAME_DIGITS && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_name.then_some((note, name))
}

/// Returns the position of a leftover in its note.
fn position(note: &Note, name: &str) -> Result<usize> {
    of(note).position(|leftover| name_of(leftover) == name).ok_or_else(|| {
        Error::refused("no-leftover", format!("{} has no leftover `{name}`", note.key()))
            .at(&note.path, None, None)
            .hint("`cm review --kind leftovers` lists them with their names")
    })
}

/// Returns the edits that drop what a merge left over: all of it, or the leftover of this name.
pub(super) fn dropped(found: &ResolvedNote<'_>, name: Option<&str>) -> Result<Vec<Edit>> {
    let only = chosen(&found.note, name)?;
    Ok(leftover::dropped(&found.text(), only))
}

/// Returns the edits that take what a merge left over: all of it, or the leftover of this name.
pub(super) fn taken(found: &ResolvedNote<'_>, name: Option<&str>, now: Instant) -> Result<Vec<Edit>> {
    let note = &found.note;
    let only = chosen(note, name)?;
    let text = found.text();
    let mut edits = leftover::taken(&text, only).map_err(|error| {
        let hint = match error {
            LeftoverError::TextChanged | LeftoverError::SeveralVersions => {
                "change the note by hand, then use `cm review --keep`".to_owned()
            }
            LeftoverError::AboutFile => decisions(note),
        };
        Error::refused("leftover", format!("{}: {error}", note.key())).at(&note.path, None, None).hint(hint)
    })?;
    // A note without frontmatter has no date, and gets none.
    if parse(&Split::of(&text)).fields.iter().any(|field| field.key != MERGE) {
        edits.push(Edit::set_text("updated", now.to_string()));
    }
    Ok(edits)
}

/// The decisions about a note one of whose leftovers is about the file itself: its other leftovers can be taken.
fn decisions(note: &Note) -> String {
    let about_text = of(note).filter(|leftover| leftover.code == FindingCode::MergeLeftover);
    let takes = about_text.map(|leftover| format!("`cm review --take {}`", reference(note, leftover)));
    let id = note.key();
    takes
        .chain([format!("`cm review --keep {id}`"), format!("`cm delete {id}`")])
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the position of the leftover of this name, if one is given. Checks that a merge left something over.
fn chosen(note: &Note, name: Option<&str>) -> Result<Option<usize>> {
    if of(note).next().is_none() {
        let error =
            Error::refused("no-leftover", format!("{} has nothing left over from a merge", note.key()));
        return Err(error.at(&note.path, None, None).hint("`cm review --kind leftovers` lists the notes"));
    }
    name.map(|name| position(note, name)).transpose()
}

/// Returns the name of the leftover that is another title of a note whose file has the title as its name, and that title.
/// Only of the leftover of this name, if one is given.
pub(super) fn new_name(found: &ResolvedNote<'_>, leftover_name: Option<&str>) -> Option<(String, String)> {
    let note = &found.note;
    let stem = note.path.stem();
    let is_titled = matches!(note.kind, NoteKind::Memory | NoteKind::Plain)
        && (stem == name::file_stem(&note.title)
            || note.id.as_ref().is_some_and(|id| stem.ends_with(&format!("-{}", id.short()))));
    let heading = |text: &str| {
        let title = text.strip_prefix("# ").map(str::trim).filter(|title| !title.contains('\n'))?;
        (!title.is_empty()).then(|| title.to_owned())
    };
    let text = found.text();
    let all = leftover::leftovers(&parse(&Split::of(&text)).fields);
    let leftovers_by_name =
        all.into_iter().zip(of(note)).map(|((leftover, _), finding)| (leftover, name_of(finding)));
    let chosen = leftovers_by_name.filter(|(_, name)| leftover_name.is_none_or(|wanted| wanted == name));
    chosen.filter(|_| is_titled).find_map(|(leftover, name)| match &leftover.part {
        LeftoverPart::Paragraph(own) if heading(own).as_deref() == Some(note.title.as_str()) => {
            Some((name, heading(&scalar_text(&leftover.value)?)?))
        }
        _ => None,
    })
}

/// Returns the difference from the version of the note to the one that is left over; empty for a leftover about the file.
pub(crate) fn difference(context: &Context, note: &Note, leftover: &Finding) -> Vec<DiffPiece> {
    let Ok(found) = load(context.target(), &note.path) else { return Vec::new() };
    let text = found.text();
    let fields = parse(&Split::of(&text)).fields;
    let place = of(&found.note).position(|finding| finding.message == leftover.message);
    let all = leftover::leftovers(&fields);
    let Some((Leftover { part, value, .. }, _)) = place.and_then(|place| all.get(place)) else {
        return Vec::new();
    };
    let own = match part {
        LeftoverPart::Paragraph(own) => own.clone(),
        LeftoverPart::Key(key) => fields.get(key).and_then(|field| field.text()).unwrap_or_default(),
        LeftoverPart::File(_) => return Vec::new(),
    };
    word_diff::diff(&own, &scalar_text(value).unwrap_or_default())
}
