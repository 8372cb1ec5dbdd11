//! Adds a new memory.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use yaml_serde::Value;

use crate::context::find::find_in_target;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::write;
use crate::error::{Error, ErrorKind, Result};
use crate::verbs::memory_in_use::memory_in_use;
use crate::verbs::note_fields::{self, clean_tags, in_range, new_note_path, title_of};
use crate::verbs::quarantine;
use crate::verbs::similar_titles::{SimilarTitle, similar_titles};
use crate::verbs::templates::template_of;
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::parse;
use cm_note::frontmatter::split::Split;
use cm_note::id::NoteId;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::NoteKind;
use cm_note::note::compose::{self, MemoryDraft};
use cm_note::note::template::NoteTemplate;
use cm_note::note::types::MemoryType;
use cm_note::path::NotePath;

pub use cm_text::thought::split_thought;

/// Contents of a new memory note.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Memory type, such as `solution`.
    pub note_type: String,
    pub title: String,
    pub tags: Vec<String>,
    /// Importance, 0.0–1.0; 0.5 by default.
    pub importance: Option<f64>,
    /// Confidence, 0.0–1.0.
    pub confidence: Option<f64>,
    /// Stores the memory in `vault/`, where its score does not decay.
    pub pinned: bool,
    /// Markdown text below the title; `None` inserts the template of the memory type.
    pub body: Option<String>,
    /// Additional frontmatter keys and their values, as YAML or plain text.
    pub extra: Vec<(String, String)>,
    /// Store the note even if a memory has the same title and text.
    pub allow_duplicate: bool,
}

/// The new note and existing notes that resemble it, or the existing note with the same title and text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AddedNote {
    /// ID of the new note, or of the existing one with the same title and text.
    pub id: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// Whether the note is new. A memory with the same title and text is not stored again.
    pub added: bool,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing was stored.
    pub commit: Option<String>,
    /// Existing notes with similar titles, at most three.
    pub similar: Vec<SimilarTitle>,
}

/// Writes a new memory and commits it, unless the vault has a memory in use with its title and text.
///
/// # Errors
/// An unknown type, an invalid title, number or tag, and the errors of [`write::apply`].
pub fn add(context: &Context, options: &Options) -> Result<AddedNote> {
    let planned = plan(context, options, NoteTemplate::skeleton)?;
    require_keys(context, options, &planned)?;
    let planned = planned.with_similar(context);
    let is_compared = !options.allow_duplicate && options.body.is_some() && options.extra.is_empty();
    match is_compared.then(|| planned.duplicate(context, options)).flatten() {
        Some(existing) => Ok(existing),
        None => planned.write(context),
    }
}

/// Like [`add`], if `check` finds nothing against it while no other process writes. The caller compares
/// the note with others by itself: `similar` is empty.
///
/// # Errors
/// The errors of [`add`] and of `check`.
pub(crate) fn add_if(
    context: &Context,
    options: &Options,
    check: impl FnOnce(&OpenVault) -> Result<()>,
) -> Result<AddedNote> {
    let planned = plan(context, options, NoteTemplate::skeleton)?;
    require_keys(context, options, &planned)?;
    planned.write_if(context, check)
}

/// Opens a private draft of a new memory in `editor`, then writes and commits the result without
/// the prompts and the sections that were left as they are in the template. If the editor fails or
/// answers none of the prompts, no note is added.
///
/// # Errors
/// The errors of [`add`] and of the editor, and `unchanged`. Edited text stays in the
/// draft, and the error gives its path.
pub fn add_edited(
    context: &Context,
    options: &Options,
    editor: &dyn Fn(&PathBuf) -> Result<()>,
) -> Result<AddedNote> {
    context.persons_only("edit a note in an editor")?;
    let planned = plan(context, options, |template| template.text().to_owned())?.with_similar(context);
    let private = context.target().vault.private()?;
    let draft = private.state().join("drafts").join(planned.path.file_name());
    private.write(&draft, planned.text.as_bytes())?;
    let edited = editor(&draft);
    let text = private.read(&draft)?.unwrap_or_default();
    let answered = planned.template.answered(&text);
    if text.trim().is_empty() || answered == planned.template.answered(&planned.text) {
        private.remove(&draft)?;
        edited.map_err(|error| Error { message: format!("{error}; no note was created"), ..error })?;
        return Err(Error::new(
            ErrorKind::NothingDone,
            "unchanged",
            "the template was not changed; no note was created",
        )
        .hint("change the template in the editor, or use `--no-edit` to keep it"));
    }
    let added = edited.and_then(|()| PlannedNote { text: answered, ..planned }.write(context));
    let added = added.map_err(|error| {
        let message = format!("{error}; no note was created, and your text is in {}", draft.display());
        Error { message, ..error }
    })?;
    private.remove(&draft)?;
    Ok(added)
}

/// A new memory before it is written.
struct PlannedNote {
    id: NoteId,
    path: NotePath,
    text: String,
    /// Template of the type, also if the note does not use it.
    template: NoteTemplate,
    note_type: String,
    message: CommitMessage,
    title: String,
    similar: Vec<SimilarTitle>,
}

impl PlannedNote {
    fn with_similar(self, context: &Context) -> Self {
        Self { similar: similar_titles(context, &self.title), ..self }
    }

    /// Returns the memory in use that has the same type, title and text, and the tags and the pin that are asked for.
    fn duplicate(&self, context: &Context, options: &Options) -> Option<AddedNote> {
        let text = |text: &str| Split::of(text).body().trim().to_owned();
        let body = text(&self.text);
        let existing = self.similar.iter().filter(|near| near.title == self.title).find_map(|near| {
            let found = find_in_target(context, &near.id).ok()?;
            let is_of_type =
                found.note.kind == NoteKind::Memory && found.note.note_type.as_ref() == Some(&self.note_type);
            let has_tags = options.tags.iter().all(|tag| found.note.tags.contains(tag));
            let has_all = has_tags && (found.note.pinned || !options.pinned);
            let is_same = is_of_type && has_all && text(&found.text()) == body;
            let own = || memory_in_use(context, found.note.key()).filter(|id| id == found.note.key());
            is_same.then(own).flatten()
        })?;
        let found = find_in_target(context, &existing).ok()?;
        let (id, path) = (found.note.key().to_owned(), found.note.path.to_string());
        Some(AddedNote { id, path, added: false, commit: None, similar: Vec::new() })
    }

    fn write(self, context: &Context) -> Result<AddedNote> {
        self.write_if(context, |_| Ok(()))
    }

    fn write_if(self, context: &Context, check: impl FnOnce(&OpenVault) -> Result<()>) -> Result<AddedNote> {
        let change = VaultFileChange::Create { path: self.path.clone(), text: self.text };
        let set = ChangeSet { message: self.message, changes: vec![change] };
        let written = write::apply_with(context, |open| check(open).map(|()| set))?;
        // The creation is the first access. Where usage counts cannot be written, the note has none.
        let _ = context.target().usage().record(self.id.as_str(), context.now());
        let (id, path) = (self.id.into(), self.path.into());
        Ok(AddedNote { id, path, added: true, commit: written.commit, similar: self.similar })
    }
}

/// Plans a new memory. Without a text of its own it gets the part of the template that
/// `of_template` returns.
fn plan(
    context: &Context,
    options: &Options,
    of_template: impl FnOnce(&NoteTemplate) -> String,
) -> Result<PlannedNote> {
    let open = context.target();
    let note_type = known_type(open, &options.note_type)?;
    let title = title_of(&options.title)?;
    in_range("importance", options.importance)?;
    in_range("confidence", options.confidence)?;
    let mut extra = options.extra.iter().map(|field| further(open, field)).collect::<Result<Vec<_>>>()?;
    let keys = options.extra.iter().map(|(key, _)| key.as_str());
    quarantine::own_keys_only(context, keys)?;
    if options.pinned {
        context.persons_only("pin a note")?;
    }
    if let Some(state) = quarantine::state(context, &title, options) {
        extra.push(("state".to_owned(), Value::String(state.to_owned())));
    }
    let id = NoteId::from(context.new_uuid());
    let folder = if options.pinned { "vault".to_owned() } else { format!("graph/{}", note_type.folder) };
    let path = new_note_path(open, &folder, &title, &id)?;
    let (template, _) = template_of(context, open, &note_type.name)?;
    let body = options.body.clone().unwrap_or_else(|| of_template(&template));
    let caller = &context.request.caller;
    let text = compose::memory(&MemoryDraft {
        id: id.clone(),
        note_type: note_type.name.clone(),
        title: title.clone(),
        tags: clean_tags(&options.tags)?,
        importance: options.importance.unwrap_or(0.5),
        confidence: options.confidence,
        created: context.now(),
        author: caller.actor.clone(),
        agent: caller.agent_name(),
        session: caller.session.clone(),
        body,
        extra,
    });
    let message =
        CommitMessage::new(CommitOp::Add, format!("Add {} \"{title}\"", note_type.name)).id(id.as_str());
    let note_type = note_type.name.clone();
    Ok(PlannedNote { id, path, text, template, note_type, message, title, similar: Vec::new() })
}

/// Checks that a planned note has the keys that its type requires. In an editor, the person can still write them.
fn require_keys(context: &Context, options: &Options, planned: &PlannedNote) -> Result<()> {
    let open = context.target();
    let note_type = known_type(open, &options.note_type)?;
    let fields = parse::parse(&Split::of(&planned.text)).fields;
    match note_type.required.iter().find(|key| fields.get(key).is_none()) {
        Some(key) => Err(Error::usage(format!("a note of the type `{}` needs `{key}`", note_type.name))
            .hint(format!("add `--set {key}=VALUE`"))),
        None => Ok(()),
    }
}

/// Frontmatter keys that have their own options and cannot be set as additional keys.
const KEYS_WITH_OPTIONS: [&str; 5] = ["type", "title", "tags", "importance", "confidence"];

/// Validates an additional frontmatter key and its value; refuses those with their own option.
fn further(open: &OpenVault, (key, typed): &(String, String)) -> Result<(String, Value)> {
    if KEYS_WITH_OPTIONS.contains(&key.trim()) {
        let key = key.trim();
        return Err(Error::usage(format!("`{key}` has its own option")).hint(format!("use --{key}")));
    }
    note_fields::field_of(open, NoteKind::Memory, key, typed)
}

/// Finds a type by name or folder; the error lists the existing types.
pub(crate) fn known_type<'a>(open: &'a OpenVault, name: &str) -> Result<&'a MemoryType> {
    let types = &open.settings.types;
    types
        .get(name)
        .or_else(|| types.get(&name.replace('-', "_")))
        .or_else(|| types.of_folder(name))
        .ok_or_else(|| {
            let names: Vec<&str> = types.iter().map(|memory_type| memory_type.name.as_str()).collect();
            Error::usage(format!("unknown type `{name}`")).hint(format!("the types are {}", names.join(", ")))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;

    #[test]
    fn a_thought_that_was_just_added_is_reported_as_similar() {
        let vault = FixtureVault::new();
        let options = Options {
            note_type: "general".to_owned(),
            title: "Same thought twice".to_owned(),
            ..Options::default()
        };
        let first = add(&vault.at("2026-01-02"), &options).unwrap();
        assert_eq!(first.similar, []);
        let second = add(&vault.at("2026-01-03"), &options).unwrap();
        let similar: Vec<&str> = second.similar.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(similar, [first.id.as_str()]);
    }

    #[test]
    fn a_secret_in_a_new_text_is_refused_without_the_name_of_a_file() {
        let vault = FixtureVault::new();
        let options = Options {
            note_type: "general".to_owned(),
            title: "Das Passwort lautet: geheim12345".to_owned(),
            ..Options::default()
        };
        let error = add(&vault.at("2026-01-02"), &options).unwrap_err();
        assert_eq!(error.message, "the text may contain a real secret (password)");
        assert!(error.location.is_none());
    }
}
