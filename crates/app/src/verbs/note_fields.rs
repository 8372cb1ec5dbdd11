//! Validation of the fields of a note that a person or an agent gives, and the place of a new note.

use std::collections::HashSet;

use yaml_serde::Value;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use crate::verbs::add::known_type;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::note::NoteKind;
use cm_note::note::check::MAX_TAGS;
use cm_note::note::compose::{self, EdgeDraft, EdgeEnd};
use cm_note::note::leftover::MERGE;
use cm_note::note::name;
use cm_note::note::types::SUPERSEDES;
use cm_note::path::NotePath;
use cm_text::shorten::fold_whitespace;

/// Number of files in a folder from which on new notes go to subfolders, named by two hex digits.
pub(crate) const MAX_FOLDER_FILES: usize = 1000;

/// Normalizes a title to one line and checks its length, 1–300 characters.
pub(crate) fn title_of(typed: &str) -> Result<String> {
    let title = fold_whitespace(typed);
    match title.chars().count() {
        0 => Err(Error::usage("the title is empty").hint("describe it in a few words")),
        1..=300 => Ok(title),
        n => Err(Error::usage(format!("a title may have at most 300 characters; this one has {n}"))),
    }
}

pub(crate) fn in_range(key: &str, value: Option<f64>) -> Result<()> {
    match value {
        Some(x) if !(0.0..=1.0).contains(&x) => {
            Err(Error::usage(format!("{key} must be between 0.0 and 1.0, not {x}")))
        }
        _ => Ok(()),
    }
}

/// Refuses more than [`MAX_TAGS`] tags.
///
/// # Errors
/// A usage error with the number.
pub(crate) fn check_tag_count(count: usize) -> Result<()> {
    if count <= MAX_TAGS {
        return Ok(());
    }
    Err(Error::usage(format!("a note may have at most {MAX_TAGS} tags; this one has {count}"))
        .hint("give the few words under which it is looked for"))
}

/// Splits tags at commas, trims them, strips leading `#` and removes duplicates.
///
/// # Errors
/// A usage error for a control character, and for more than [`MAX_TAGS`] tags.
pub(crate) fn clean_tags(typed: &[String]) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for tag in typed.iter().flat_map(|several| several.split(',')) {
        let tag = tag.trim().trim_start_matches('#');
        if tag.chars().any(char::is_control) {
            return Err(Error::usage("a tag must be a word without control characters"));
        }
        if !tag.is_empty() && seen.insert(tag) {
            tags.push(tag.to_owned());
        }
    }
    check_tag_count(tags.len())?;
    Ok(tags)
}

/// Returns the path of a new note: in `folder`, or in a subfolder by ID if that is full.
pub(crate) fn new_note_path(open: &OpenVault, folder: &str, title: &str, id: &NoteId) -> Result<NotePath> {
    sharded(open, folder, &name::file_name(title, id), id)
}

/// Returns the path of a file in `folder`, or in the subfolder named by the first two hex digits of
/// the ID if the folder is full.
pub(crate) fn sharded(open: &OpenVault, folder: &str, file: &str, id: &NoteId) -> Result<NotePath> {
    let shard = if open.vault.count_files(folder, MAX_FOLDER_FILES) >= MAX_FOLDER_FILES {
        format!("/{}", &id.short()[..2])
    } else {
        String::new()
    };
    Ok(NotePath::parse(&format!("{folder}{shard}/{file}"))?)
}

/// Returns the path and the text of an edge from a note to the older one that it replaces.
pub(crate) fn supersedes_edge(
    context: &Context,
    open: &OpenVault,
    (newer, older): (&EdgeEnd, &EdgeEnd),
    why: &str,
) -> Result<(NoteId, NotePath, String)> {
    // The same on every machine, so that merges give one edge.
    let hash = blake3::hash(format!("{SUPERSEDES} {} {}", newer.id, older.id).as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    let id = NoteId::from(uuid::Builder::from_random_bytes(bytes).into_uuid());
    let file = name::edge_file_name(&newer.title, SUPERSEDES, &older.title, &id);
    let path = sharded(open, "graph/edges", &file, &id)?;
    let text = compose::edge(&EdgeDraft {
        id: id.clone(),
        relation: SUPERSEDES.to_owned(),
        from: newer.clone(),
        to: older.clone(),
        strength: 1.0,
        created: context.now(),
        body: why.to_owned(),
    });
    Ok((id, path, text))
}

/// Validates a frontmatter key.
pub(crate) fn key_of(typed: &str) -> Result<String> {
    let key = typed.trim();
    let sound =
        !key.is_empty() && key.len() <= 100 && !key.chars().any(|c| c.is_control() || c == ':' || c == '#');
    if sound { Ok(key.to_owned()) } else { Err(Error::usage(format!("`{typed}` is not a valid key"))) }
}

/// Validates a key and the value that a person or an agent sets in a note of this kind.
///
/// # Errors
/// Returns a usage error for `id` and `merge`, an invalid key, too many tags, a type that the vault does not have, and a title, date or
/// number that is none.
pub(crate) fn field_of(open: &OpenVault, kind: NoteKind, key: &str, typed: &str) -> Result<(String, Value)> {
    let key = key_of(key)?;
    let value = match key.as_str() {
        "id" => {
            return Err(Error::usage("an ID cannot be set")
                .hint("it never changes, because other notes refer to it; `cm adopt` adds a missing one"));
        }
        MERGE => {
            return Err(Error::usage("`merge` cannot be set: it has what a merge did not take")
                .hint("`cm review` shows it; `cm review --take` and `--keep` decide about it"));
        }
        "title" => Value::String(title_of(typed)?),
        "type" if matches!(kind, NoteKind::Memory | NoteKind::Plain) => {
            Value::String(known_type(open, typed)?.name.clone())
        }
        "created" | "updated" | "last_checked" if Instant::parse(typed.trim()).is_err() => {
            return Err(Error::usage(format!("{key} must be a date, not `{typed}`"))
                .hint("write 2026-11-01 or 2026-11-01T09:30:00Z"));
        }
        _ => value_of(&key, typed)?,
    };
    if key == "tags" {
        check_tag_count(value.as_sequence().map_or(1, Vec::len))?;
    }
    Ok((key, value))
}

/// Keys whose values are always text, even if they look like another YAML type.
const TEXTS: [&str; 10] = [
    "title",
    "category",
    "author",
    "agent",
    "session",
    "workspace",
    "created",
    "updated",
    "last_checked",
    "id",
];

/// Keys with values from 0 to 1.
const SHARES: [&str; 3] = ["importance", "confidence", "strength"];

/// Keys with lists of texts; a plain value is split at commas.
const LISTS: [&str; 6] = ["aliases", "condensed_into", "postconditions", "preconditions", "steps", "tags"];

/// Parses a typed value as YAML, or as text if it is not valid YAML. Values of [`SHARES`] must be
/// from 0 to 1.
fn value_of(key: &str, typed: &str) -> Result<Value> {
    if TEXTS.contains(&key) {
        return Ok(Value::String(typed.to_owned()));
    }
    if LISTS.contains(&key) && !typed.trim_start().starts_with('[') {
        let items = typed.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Ok(Value::Sequence(items.map(|item| Value::String(item.to_owned())).collect()));
    }
    let value = match yaml_serde::from_str::<Value>(typed) {
        Ok(Value::Null | Value::Tagged(_)) | Err(_) => Value::String(typed.to_owned()),
        Ok(value) => value,
    };
    if SHARES.contains(&key) {
        in_range(key, value.as_f64())?;
    }
    Ok(value)
}
