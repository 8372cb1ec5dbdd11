//! Detects whether the vault already contains an imported note, or another note in its place.

use yaml_serde::Value;

use super::{ImportFormat, ImportOptions, ImportSkipReason, PlacedFile};
use cm_note::frontmatter::edit;
use cm_note::frontmatter::parse::{self, FrontmatterField};
use cm_note::frontmatter::split::Split;

/// Why a note with these planned bytes is left out; `None` if it is imported.
pub(super) fn skip_reason(
    placed: &PlacedFile<'_>,
    planned: &[u8],
    how: &ImportOptions<'_>,
) -> Option<ImportSkipReason> {
    let at_target = (how.read_file)(&placed.target);
    if at_target.as_deref() == Some(planned) {
        return Some(ImportSkipReason::ThereAlready);
    }
    // Made of its path and bytes, this id is on no other note; that one may have been edited or moved since.
    if placed.own.is_none() && (how.of_id)(&placed.derived).is_some() {
        return Some(ImportSkipReason::ThereAlready);
    }
    let holder = placed.own.as_ref().and_then(|id| (how.of_id)(id));
    let (there, otherwise) = match holder {
        Some(path) => ((how.read_file)(&path), ImportSkipReason::IdTaken),
        None => (at_target, ImportSkipReason::PathTaken),
    };
    let there = there?;
    let same = how.format != ImportFormat::ClaudeMemory && contains_all(&placed.file.bytes, planned, &there);
    Some(if same || there == placed.file.bytes { ImportSkipReason::ThereAlready } else { otherwise })
}

/// Whether a note of the vault still contains everything from its source: the body as planned, and
/// equal keys except those that an import may change.
fn contains_all(source: &[u8], planned: &[u8], there: &[u8]) -> bool {
    let text = |bytes| std::str::from_utf8(bytes).ok();
    let (Some(source), Some(planned), Some(there)) = (text(source), text(planned), text(there)) else {
        return false;
    };
    let (source, there) = (Split::of(source), Split::of(there));
    if Split::of(planned).body() != there.body() {
        return false;
    }
    let (source, there) = (parse::parse(&source), parse::parse(&there));
    source.faults.is_empty()
        && source.fields.iter().filter(|field| field.key != "type" && !field.value.is_null()).all(|field| {
            there
                .fields
                .get(&field.key)
                .is_some_and(|existing| existing.value == field.value || holds(existing, field))
        })
}

/// Whether a list contains all items of another, which may be written as one text.
fn holds(existing: &FrontmatterField, source: &FrontmatterField) -> bool {
    let Value::Sequence(existing) = &existing.value else { return false };
    match &source.value {
        Value::Sequence(items) => items.iter().all(|item| existing.contains(item)),
        Value::String(text) => {
            let mut words = edit::words(&source.key, text).map(Value::String);
            words.all(|word| existing.contains(&word))
        }
        _ => false,
    }
}
