//! Merges three versions of a file of a vault: the common base and the two sides. Pure.
//!
//! Nothing is dropped silently: a clash that has no answer becomes a [`Leftover`] in the note, or
//! git's conflict markers.

mod body;
mod episode;
mod file_shape;
mod generated_section;
mod lines;
mod note;
mod paragraphs;
mod revert;
mod rows;
mod same_text;
mod sections;
mod settings;
mod side;
mod three_way;
pub mod tree;
mod union;
mod words;

use cm_note::frontmatter::edit::apply;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::note::leftover::{leftovers, removal};
use cm_note::note::{NoteKind, RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_note::score::Scoring;

pub use cm_note::note::leftover::{Leftover, LeftoverPart};
pub use revert::revert;
pub use settings::{lost_values, without_lost_values};
pub use side::ChangeStamp;

/// Three versions of one file.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a> {
    /// The common ancestor; `None` if both sides created the file.
    pub base: Option<&'a [u8]>,
    pub ours: &'a [u8],
    pub theirs: &'a [u8],
}

/// How to record text that both sides changed differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// The later text stands, and the other becomes a leftover of the note. The result does not
    /// depend on which side is ours.
    Leftover,
    /// Git's conflict markers in the text.
    Markers,
    /// Git's conflict markers with the text of the common ancestor between both sides. Programs that
    /// store conflicts, such as Jujutsu, need it to read the conflict back.
    MarkersWithBase,
}

/// Settings of the vault that a merge needs.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    pub types: &'a TypeTable,
    pub relations: &'a RelationTable,
    pub scoring: &'a Scoring,
}

/// Result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub bytes: Vec<u8>,
    /// Whether git's conflict markers are left in the bytes, or a side of a binary file was not
    /// used: a person has to decide. With [`Clash::Leftover`], only text that is not a well-formed
    /// note can have markers; the merge of whole trees keeps both versions instead.
    pub markers: bool,
}

/// Merges three versions of the file at `path`.
///
/// A change of one side alone gives exactly the bytes of that side.
pub fn merge_file(
    path: &NotePath,
    versions: &Versions<'_>,
    vocabulary: &Vocabulary<'_>,
    clash: Clash,
) -> Merged {
    merge_stamped(path, versions, [None, None], vocabulary, clash)
}

/// Like [`merge_file`], with the newest commits that changed the file on our side and on theirs. An edit by hand leaves
/// `updated` as it was, so that its commit alone has its time.
pub fn merge_stamped(
    path: &NotePath,
    versions: &Versions<'_>,
    stamps: [Option<&ChangeStamp>; 2],
    vocabulary: &Vocabulary<'_>,
    clash: Clash,
) -> Merged {
    let Versions { base, ours, theirs } = *versions;
    let clean = |bytes: &[u8]| Merged { bytes: bytes.to_vec(), markers: false };
    if ours == theirs || base == Some(theirs) {
        return clean(ours);
    }
    if base == Some(ours) {
        return clean(theirs);
    }
    // Two sides in a fixed order make the result independent of who merges.
    let (versions, stamps) = match clash {
        Clash::Leftover if ours > theirs => {
            (Versions { base, ours: theirs, theirs: ours }, [stamps[1], stamps[0]])
        }
        _ => (*versions, stamps),
    };
    // The merge of whole trees gives one of two notes another path, which a merge driver cannot.
    if base.is_none() && clash != Clash::Leftover && !same_text::is_one_file(path, ours, theirs) {
        return lines::merge(&versions, clash);
    }
    if path.is_generated() || path.is_editor_state() {
        let bytes = if clash == Clash::Leftover { versions.theirs } else { versions.ours };
        return clean(bytes);
    }
    let note = note::NoteMerge { path, vocabulary, clash, stamps };
    merge_known_file(&note, &versions).unwrap_or_else(|| lines::merge(&versions, clash))
}

/// Name of the file with a vault's settings.
const SETTINGS: &str = "cm.toml";

/// Merges a file by the rules of its kind; `None` if it has none, or a version or the result is
/// malformed.
fn merge_known_file(note: &note::NoteMerge<'_>, versions: &Versions<'_>) -> Option<Merged> {
    let note::NoteMerge { path, clash, .. } = *note;
    let is_rules = matches!(path.file_name(), ".gitignore" | ".gitattributes");
    if !path.is_markdown() && !is_rules && path.as_str() != SETTINGS {
        return None;
    }
    let text = |bytes| std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let base = versions.base.map_or(Some(None), |bytes| text(bytes).map(Some))?;
    let files = file_shape::uniform(base, text(versions.ours)?, text(versions.theirs)?);
    let [base, ours, theirs] = &files.texts;
    let merge_text = |[base, ours, theirs]: [&str; 3]| match is_note(path) {
        true => note.merge(base, ours, theirs),
        false => Some(lines::merge_text(base, ours, theirs, clash)),
    };
    let (text, markers) = if is_rules {
        (lines::union(base, ours, theirs), false)
    } else if !path.is_markdown() {
        (settings::merge(base, ours, theirs)?, false)
    } else if NoteKind::of(path) == NoteKind::Plain
        && let Some(without) = generated_section::WithoutSections::of(base, ours, theirs)
    {
        let (text, markers) = merge_text(without.texts.each_ref().map(String::as_str))?;
        (without.restore(&text)?, markers)
    } else {
        merge_text([base, ours, theirs])?
    };
    Some(Merged { bytes: files.shape.restore(&text).into_bytes(), markers })
}

/// Adds a leftover to a note, unless the note has an equal one. Returns the bytes unchanged if the file
/// is not a well-formed note, or if removing the leftover would not restore them.
pub fn with_leftover(path: &NotePath, bytes: &[u8], leftover: &Leftover) -> Vec<u8> {
    let restored = |text: &str| apply(text, &removal()).is_ok_and(|text| text.as_bytes() == bytes);
    let text = std::str::from_utf8(bytes).ok().filter(|_| is_note(path));
    let edited = text.and_then(|text| {
        let has_others = !leftovers(&parse(&Split::of(text)).fields).is_empty();
        let edited = apply(text, &[leftover.edit()]).ok()?;
        (has_others || restored(&edited)).then_some(edited)
    });
    edited.map_or_else(|| bytes.to_vec(), String::into_bytes)
}

/// Whether cm reads the file as a note: Markdown outside of hidden folders that cm does not generate.
fn is_note(path: &NotePath) -> bool {
    let is_hidden = path.as_str().split('/').any(|name| name.starts_with('.'));
    path.is_markdown() && !is_hidden && !path.is_generated()
}

#[cfg(test)]
mod tests;
