//! The frontmatter edits of imported notes, by source tool.

use std::collections::BTreeMap;

use yaml_serde::Value;

use super::basic_memory::{self, Names};
use super::{Format, How, Placed, zk};
use crate::complete::{self, Known, TitleFrom};
use cm_note::finding::{Code, Finding, Severity};
use cm_note::foreign::Folder;
use cm_note::frontmatter::edit::{Edit, EditError};
use cm_note::frontmatter::parse::{self, Field, Fields};
use cm_note::frontmatter::split::Split;
use cm_note::path::NotePath;

/// Data about the whole folder.
pub(super) struct Context<'a> {
    how: &'a How<'a>,
    /// Notes by the names in basic-memory's links.
    names: Names,
    syntax: zk::Syntax,
    /// Short names that zk's links use, by note.
    short: BTreeMap<NotePath, Vec<String>>,
}

impl<'a> Context<'a> {
    pub(super) fn of(folder: &Folder, placed: &[Placed<'_>], how: &'a How<'a>) -> Self {
        let config = folder.own.get(".zk/config.toml").map_or("", String::as_str);
        let mut context =
            Self { how, names: Names::default(), syntax: zk::Syntax::of(config), short: BTreeMap::new() };
        match how.format {
            Format::BasicMemory => placed.iter().for_each(|placed| {
                let fields = parse::parse(&Split::of(placed.file.text().unwrap_or(""))).fields;
                let text = |key: &str| fields.get(key).and_then(Field::text);
                let (title, permalink) = (text("title"), text("permalink"));
                context.names.add(&placed.id, &placed.file.path, title.as_deref(), permalink.as_deref());
            }),
            Format::Zk => {
                let body =
                    |placed: &'_ Placed<'_>| Split::of(placed.file.text().unwrap_or("")).body().to_owned();
                let bodies: Vec<String> = placed.iter().map(body).collect();
                let notes: Vec<(&NotePath, &str)> = placed
                    .iter()
                    .zip(&bodies)
                    .map(|(placed, body)| (&placed.file.path, body.as_str()))
                    .collect();
                context.short = zk::short_names(&notes);
            }
            Format::ClaudeMemory | Format::Obsidian | Format::Markdown => {}
        }
        context
    }

    /// The new bytes of a note, and findings for edits that failed. Notes that cannot be parsed are
    /// copied unchanged.
    pub(super) fn bytes_of(&self, placed: &Placed<'_>) -> (Vec<u8>, Vec<Finding>) {
        let as_it_is = (placed.file.bytes.clone(), Vec::new());
        let Some(text) = placed.file.text().filter(|_| self.how.format != Format::ClaudeMemory) else {
            return as_it_is;
        };
        let split = Split::of(text);
        let parsed = parse::parse(&split);
        if !parsed.faults.is_empty() {
            return as_it_is;
        }
        let (done, refused) = complete::apply_each(text, &self.edits(placed, &parsed.fields, split.body()));
        (done.into_bytes(), refused.into_iter().map(|error| finding(placed, &error)).collect())
    }

    fn edits(&self, placed: &Placed<'_>, fields: &Fields, body: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        if placed.own.is_none() {
            edits.push(complete::set("id", placed.id.as_str()));
        }
        let title = match self.how.format {
            Format::Obsidian | Format::BasicMemory => TitleFrom::Name,
            Format::Zk | Format::Markdown | Format::ClaudeMemory => TitleFrom::Heading,
        };
        let file = placed.file;
        let known = Known { path: &file.path, modified: file.modified, title, types: self.how.types };
        edits.extend(complete::edits(fields, body, known));
        match self.how.format {
            Format::BasicMemory => edits.extend(self.of_basic_memory(placed, fields, body)),
            Format::Zk => edits.extend(self.of_zk(placed, fields, body)),
            Format::ClaudeMemory | Format::Obsidian | Format::Markdown => {}
        }
        edits
    }

    /// Adds the permalink as an alias, and relations whose target is in the folder.
    fn of_basic_memory(&self, placed: &Placed<'_>, fields: &Fields, body: &str) -> Vec<Edit> {
        let mut edits = Vec::new();
        let text = |key: &str| fields.get(key).and_then(Field::text).map(|text| text.trim().to_owned());
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
    fn of_zk(&self, placed: &Placed<'_>, fields: &Fields, body: &str) -> Vec<Edit> {
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
fn words(field: &Field) -> Vec<String> {
    match &field.value {
        Value::Sequence(items) => items.iter().filter_map(parse::scalar_text).collect(),
        Value::String(text) => cm_note::frontmatter::edit::words("tags", text).collect(),
        _ => Vec::new(),
    }
}

fn finding(placed: &Placed<'_>, error: &EditError) -> Finding {
    let found = Finding::new(&placed.target, Code::InvalidValue, Severity::Warning, error.to_string());
    let found = found.hint(error.hint());
    match error.line() {
        Some(line) => found.at(line, error.column().unwrap_or(1)),
        None => found,
    }
}
