//! Plans the changes to other files that keep links valid when a note gets another path or title.

use yaml_serde::Value;

use crate::context::find;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use cm_note::canvas;
use cm_note::change::VaultFileChange;
use cm_note::frontmatter::edit::{self, Edit};
use cm_note::frontmatter::{parse, split::Split};
use cm_note::graph::Relinker;
use cm_note::note::Note;
use cm_note::path::{GENERATED, NotePath};
use cm_store::config::keys;
use cm_store::vault::attachment;

/// A note before and after a change of its path, title or aliases.
pub(crate) struct RelinkedNote<'a> {
    /// Position in the notes of the vault.
    pub(crate) at: usize,
    /// Path and text after the change.
    pub(crate) path: NotePath,
    pub(crate) text: &'a str,
    /// Old and new text of the heading that changes with the title.
    pub(crate) heading: Option<(String, String)>,
}

/// Edits that keep the links of a vault.
#[derive(Default)]
pub(crate) struct LinkChanges {
    /// Edits of the changed note's own links.
    pub(crate) own: Vec<Edit>,
    /// Edits of other files: path, text before, and edits.
    pub(crate) others: Vec<(NotePath, String, Vec<Edit>)>,
}

impl LinkChanges {
    /// Returns the edits of other files as changes of the vault.
    pub(crate) fn file_changes(&self) -> impl Iterator<Item = VaultFileChange> {
        let change = |(path, _, edits): &(NotePath, String, Vec<Edit>)| {
            VaultFileChange::edit(path.clone(), edits.clone())
        };
        self.others.iter().map(change)
    }
}

/// Plans the edits that make every link and edge lead to the same note after the change as before.
///
/// # Errors
/// Returns an error if a file cannot be read or edited.
pub(crate) fn plan(
    context: &Context,
    open: &OpenVault,
    notes: &[Note],
    change: RelinkedNote<'_>,
) -> Result<LinkChanges> {
    let RelinkedNote { at, path, text, heading } = change;
    // Generated files are no notes of the vault, but people follow their links.
    let generated = GENERATED.iter().filter_map(|name| NotePath::parse(name).ok());
    let generated = generated.filter_map(|path| find::load(open, &path).ok()).map(|found| found.note);
    let notes: Vec<Note> = notes.iter().cloned().chain(generated).collect();
    let notes = notes.as_slice();
    let mut renamed = notes.to_vec();
    renamed[at] = open.parse(&path, text.as_bytes()).note;
    let mut relinker = Relinker::new(notes, &renamed, at);
    if let Some((old, new)) = &heading {
        relinker = relinker.with_heading(old, new);
    }
    let mut planned = LinkChanges { own: links(&relinker, at, text), others: Vec::new() };
    let key_changed = notes[at].key() != renamed[at].key() || notes[at].title != renamed[at].title;
    let linked = relinker.affected();
    for (position, note) in notes.iter().enumerate().filter(|(position, _)| *position != at) {
        let is_linked = linked.binary_search(&position).is_ok();
        if !is_linked && !(key_changed && (note.edge.is_some() || !note.relations.is_empty())) {
            continue;
        }
        let found = find::load(open, &note.path)?;
        let Ok(text) = std::str::from_utf8(&found.bytes) else {
            context.notice(format!("{} is not UTF-8; its links were not changed", note.path));
            continue;
        };
        let mut edits = references(&relinker, note, text, &notes[at], &renamed[at]);
        if is_linked {
            edits.extend(links(&relinker, position, text));
        }
        if !edits.is_empty() {
            planned.others.push((note.path.clone(), text.to_owned(), edits));
        }
    }
    if notes[at].path != path {
        planned.others.extend(canvases(open, &notes[at].path, &path));
    }
    Ok(planned)
}

/// Returns the edits of the canvases of Obsidian that show a note which moves.
fn canvases(open: &OpenVault, from: &NotePath, to: &NotePath) -> Vec<(NotePath, String, Vec<Edit>)> {
    let exclude = open.settings.texts(keys::VAULT_EXCLUDE);
    let change = |path: NotePath| {
        let text = String::from_utf8(attachment::read(&open.vault, &path, &exclude).ok()?).ok()?;
        let moved = canvas::with_moved_file(&text, from.as_str(), to.as_str())?;
        let edits = edit::line_edits(&text, &moved)?;
        Some((path, text, edits))
    };
    attachment::with_ending(&open.vault, canvas::ENDING, &exclude).into_iter().filter_map(change).collect()
}

fn links(relinker: &Relinker<'_>, position: usize, text: &str) -> Vec<Edit> {
    edit::line_edits(text, &relinker.relinked(position, text)).unwrap_or_default()
}

/// Returns edits of the keys that name the changed note: ends of an edge and targets of relations.
fn references(relinker: &Relinker<'_>, note: &Note, text: &str, old: &Note, new: &Note) -> Vec<Edit> {
    let fields = parse::parse(&Split::of(text)).fields;
    let mut edits = Vec::new();
    if let Some(ends) = &note.edge {
        for (end, id, title) in [(&ends.from, "from_id", "from_title"), (&ends.to, "to_id", "to_title")] {
            if relinker.loses(end) {
                edits.push(Edit::set_text(id, new.key()));
            }
            let is_end = end == old.key() || relinker.loses(end);
            if is_end && old.title != new.title && fields.get(title).is_some() {
                edits.push(Edit::set_text(title, &new.title));
            }
        }
    }
    if note.relations.iter().any(|entry| relinker.loses(&entry.target))
        && let Some(items) = fields.get("relations").and_then(|field| field.value.as_sequence())
    {
        let mut items = items.clone();
        for item in &mut items {
            let target = item.get("target").and_then(Value::as_str).map(str::to_owned);
            if let (Some(target), Some(entry)) = (target, item.as_mapping_mut())
                && relinker.loses(&target)
            {
                entry.insert("target".into(), Value::String(new.key().to_owned()));
            }
        }
        edits.push(Edit::Set { key: "relations".to_owned(), value: Value::Sequence(items) });
    }
    edits
}

/// Applies planned edits to a text.
///
/// # Errors
/// Returns an error if an edit is refused.
pub(crate) fn edited(path: &NotePath, text: &str, edits: &[Edit]) -> Result<String> {
    edit::apply(text, edits).map_err(|error| Error::of_edit(path, &error))
}
