//! The frontmatter edits of imported notes, by source tool.

use std::collections::{BTreeMap, BTreeSet};

use yaml_serde::Value;

use super::basic_memory::{self, NoteNameIndex};
use super::{ImportFormat, ImportOptions, PlacedFile, memory_tool, native, okf, zk};
use crate::missing_keys::{self, CompletionContext, TitleFrom};
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::edit::{Edit, EditError};
use cm_note::frontmatter::parse::{self, FrontmatterField, FrontmatterFields};
use cm_note::frontmatter::split::Split;
use cm_note::import_source::ImportFolder;
use cm_note::path::NotePath;

/// Data about the whole folder.
pub(super) struct ImportContext<'a> {
    how: &'a ImportOptions<'a>,
    /// Notes by the names in basic-memory's links.
    names: NoteNameIndex,
    syntax: zk::TagSyntax,
    /// Short names that zk's links use, by note.
    short: BTreeMap<NotePath, Vec<String>>,
    /// Paths of all files of a bundle, for links from its root.
    files: BTreeSet<String>,
}

impl<'a> ImportContext<'a> {
    pub(super) fn of(folder: &ImportFolder, placed: &[PlacedFile<'_>], how: &'a ImportOptions<'a>) -> Self {
        let config = folder.tool_files.get(".zk/config.toml").map_or("", String::as_str);
        let mut context = Self {
            how,
            names: NoteNameIndex::default(),
            syntax: zk::TagSyntax::of(config),
            short: BTreeMap::new(),
            files: BTreeSet::new(),
        };
        match how.format {
            ImportFormat::BasicMemory => placed.iter().for_each(|placed| {
                let fields = parse::parse(&Split::of(placed.file.text().unwrap_or(""))).fields;
                let text = |key: &str| fields.get(key).and_then(FrontmatterField::text);
                let (title, permalink) = (text("title"), text("permalink"));
                context.names.add(&placed.id, &placed.file.path, title.as_deref(), permalink.as_deref());
            }),
            ImportFormat::Zk => {
                let body = |placed: &'_ PlacedFile<'_>| {
                    Split::of(placed.file.text().unwrap_or("")).body().to_owned()
                };
                let bodies: Vec<String> = placed.iter().map(body).collect();
                let notes: Vec<(&NotePath, &str)> = placed
                    .iter()
                    .zip(&bodies)
                    .map(|(placed, body)| (&placed.file.path, body.as_str()))
                    .collect();
                context.short = zk::short_names(&notes);
            }
            ImportFormat::Okf => {
                let notes = folder.notes.iter().map(|file| file.path.to_string());
                context.files = notes.chain(folder.attachments.iter().cloned()).collect();
            }
            ImportFormat::ClaudeMemory
            | ImportFormat::Obsidian
            | ImportFormat::Foam
            | ImportFormat::MemoryTool
            | ImportFormat::Native
            | ImportFormat::Markdown => {}
        }
        context
    }

    /// The new bytes of a note, and findings for edits that failed. Notes that cannot be parsed are
    /// copied unchanged.
    pub(super) fn bytes_of(&self, placed: &PlacedFile<'_>) -> (Vec<u8>, Vec<Finding>) {
        let as_it_is = (placed.file.bytes.clone(), Vec::new());
        let Some(text) = placed.file.text().filter(|_| self.how.format != ImportFormat::ClaudeMemory) else {
            return as_it_is;
        };
        if self.how.format == ImportFormat::MemoryTool {
            return (memory_tool::note(placed.file, text, &placed.id).into_bytes(), Vec::new());
        }
        if self.how.format == ImportFormat::Native {
            return (native::note(placed.file, text, &placed.id).into_bytes(), Vec::new());
        }
        let split = Split::of(text);
        let parsed = parse::parse(&split);
        if !parsed.faults.is_empty() {
            return as_it_is;
        }
        let (done, refused) =
            missing_keys::apply_each(text, &self.edits(placed, &parsed.fields, split.body()));
        (done.into_bytes(), refused.into_iter().map(|error| finding(placed, &error)).collect())
    }

    fn edits(&self, placed: &PlacedFile<'_>, fields: &FrontmatterFields, body: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        if placed.own.is_none() {
            edits.push(Edit::set_text("id", placed.id.as_str()));
        }
        let title = match self.how.format {
            ImportFormat::Obsidian | ImportFormat::BasicMemory | ImportFormat::Okf => TitleFrom::Name,
            ImportFormat::Zk
            | ImportFormat::Foam
            | ImportFormat::MemoryTool
            | ImportFormat::Native
            | ImportFormat::Markdown
            | ImportFormat::ClaudeMemory => TitleFrom::Heading,
        };
        let file = placed.file;
        let written = if self.how.format == ImportFormat::Okf { okf::changed(fields) } else { None };
        let existing = CompletionContext {
            path: &file.path,
            modified: written.unwrap_or(file.modified),
            title,
            types: self.how.types,
        };
        edits.extend(missing_keys::edits(fields, body, existing));
        match self.how.format {
            ImportFormat::BasicMemory => edits.extend(self.of_basic_memory(placed, fields, body)),
            ImportFormat::Zk => edits.extend(self.of_zk(placed, fields, body)),
            ImportFormat::Okf => {
                let files = (!self.how.into.is_empty()).then_some(&self.files);
                edits.extend(okf::edits(&file.path, fields, body, files));
            }
            ImportFormat::ClaudeMemory
            | ImportFormat::Obsidian
            | ImportFormat::Foam
            | ImportFormat::MemoryTool
            | ImportFormat::Native
            | ImportFormat::Markdown => {}
        }
        edits
    }

    /// Adds the permalink as an alias, and relations whose target is in the folder.
    fn of_basic_memory(&self, placed: &PlacedFile<'_>, fields: &FrontmatterFields, body: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        let text =
            |key: &str| fields.get(key).and_then(FrontmatterField::text).map(|text| text.trim().to_owned());
        let permalink =
            text("permalink").filter(|link| !link.is_empty() && Some(link) != text("title").as_ref());
        edits.extend(permalink.map(|link| push("aliases", link)));
        for wire in basic_memory::relations(body) {
            if let Some(target) = self.names.get(&wire.target).filter(|target| **target != placed.id) {
                let item = basic_memory::entry(&wire, target, self.how.relations);
                edits.push(Edit::Push { key: "relations".to_owned(), item });
            }
        }
        edits
    }

    /// Adds keywords and tags that the settings allow, and short names as aliases.
    fn of_zk(&self, placed: &PlacedFile<'_>, fields: &FrontmatterFields, body: &str) -> Vec<Edit> {
        let keywords = fields.get("keywords").map(words).unwrap_or_default();
        let tags = keywords.into_iter().chain(self.syntax.tags(body)).map(|tag| push("tags", tag));
        let short = self.short.get(&placed.file.path).into_iter().flatten();
        tags.chain(short.map(|name| push("aliases", name.clone()))).collect()
    }
}

fn push(key: &str, item: String) -> Edit {
    Edit::Push { key: key.to_owned(), item: Value::String(item) }
}

/// The items of a list, or the words of a text separated by commas or spaces.
fn words(field: &FrontmatterField) -> Vec<String> {
    match &field.value {
        Value::Sequence(items) => items.iter().filter_map(parse::scalar_text).collect(),
        Value::String(text) => cm_note::frontmatter::edit::words("tags", text).collect(),
        _ => Vec::new(),
    }
}

fn finding(placed: &PlacedFile<'_>, error: &EditError) -> Finding {
    let found = Finding::new(&placed.target, FindingCode::InvalidValue, Severity::Warning, error.to_string());
    let found = found.with_hint(error.hint());
    match error.line() {
        Some(line) => found.with_location(line, error.column().unwrap_or(1)),
        None => found,
    }
}
