//! Exports memories and plain notes as a bundle of the Open Knowledge Format, version 0.2.
//!
//! Notes keep their paths and all their keys; the format allows more keys than its own. Rules, daily
//! logs, diaries and raw captures are not exported.

use std::collections::{BTreeMap, HashSet};

use yaml_serde::{Mapping, Value};

use crate::import::okf::{RESERVED, VERSION_KEY};
use crate::links::{self, BodyLink, LinkChange};
use crate::missing_keys::{apply_each, written};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::{self, FrontmatterField};
use cm_note::frontmatter::split::Split;
use cm_note::frontmatter::write;
use cm_note::graph::{EdgeSourceForm, Graph, NoteNames, Resolution};
use cm_note::markdown::escape::{escape_inline, escape_link_text, link_destination};
use cm_note::note::{LinkForm, Note, NoteKind, NoteLink};
use cm_note::path::NotePath;

/// Version of the format that the bundle declares.
const VERSION: &str = "0.2";

/// Type of a note that has none.
const UNTYPED: &str = "Note";

/// A vault as the exporter reads it.
pub struct OkfVault<'a> {
    /// All notes.
    pub notes: &'a [Note],
    /// Text of each note, in the same order; `None` if it is not exported or cannot be read.
    pub texts: &'a [Option<String>],
    /// Paths of the vault's other files.
    pub attachments: &'a [String],
}

/// Whether a note becomes a concept.
pub fn is_concept(note: &Note) -> bool {
    matches!(note.kind, NoteKind::Memory | NoteKind::Plain) && !note.path.is_generated()
}

/// The files of the bundle: concepts, an `index.md` for each folder, and `log.md`.
pub fn bundle(vault: &OkfVault<'_>) -> Vec<(NotePath, String)> {
    let graph = Graph::connect(vault.notes);
    let names = NoteNames::of(vault.notes);
    let paths = target_paths(vault.notes);
    let bundle = Bundle { vault, names, paths };
    let mut files = BTreeMap::new();
    let mut listed = Vec::new();
    for (at, note) in vault.notes.iter().enumerate() {
        let (Some(path), Some(text)) = (bundle.path(at), vault.texts.get(at).and_then(Option::as_ref)) else {
            continue;
        };
        let text = bundle.concept(&graph, at, text);
        listed.push(Listed { note, path, description: description(&text) });
        files.insert(path.clone(), text);
    }
    for (path, text) in indexes(&listed) {
        files.insert(path, text);
    }
    if let Ok(path) = NotePath::parse("log.md") {
        files.insert(path, log(&listed));
    }
    files.into_iter().collect()
}

/// Path of each concept in the bundle, by the note's position. A name that the format reserves gets
/// a number, and every name ends in `.md`.
fn target_paths(notes: &[Note]) -> BTreeMap<usize, NotePath> {
    let is_reserved =
        |path: &NotePath| RESERVED.iter().any(|name| path.file_name().eq_ignore_ascii_case(name));
    let mut taken: HashSet<NotePath> = notes.iter().map(|note| note.path.clone()).collect();
    let mut target = |path: &NotePath| {
        if path.as_str().ends_with(".md") && !is_reserved(path) {
            return Some(path.clone());
        }
        let stem = path.as_str().strip_suffix(".md").or_else(|| path.as_str().strip_suffix(".markdown"))?;
        let names = (0..).map(|n| if n == 0 { format!("{stem}.md") } else { format!("{stem}-{n}.md") });
        let mut paths = names.filter_map(|name| NotePath::parse(&name).ok());
        paths.find(|path| !is_reserved(path) && taken.insert(path.clone()))
    };
    let concepts = notes.iter().enumerate().filter(|(_, note)| is_concept(note));
    concepts.filter_map(|(at, note)| Some((at, target(&note.path)?))).collect()
}

struct Bundle<'a> {
    vault: &'a OkfVault<'a>,
    names: NoteNames<'a>,
    paths: BTreeMap<usize, NotePath>,
}

impl Bundle<'_> {
    fn path(&self, at: usize) -> Option<&NotePath> {
        self.paths.get(&at)
    }

    /// The text of a concept: frontmatter with the keys of the format, and a body with standard
    /// links.
    fn concept(&self, graph: &Graph<'_>, at: usize, text: &str) -> String {
        let note = &self.vault.notes[at];
        let split = Split::of(text);
        let parsed = parse::parse(&split);
        let body = self.body(at, split.body()) + &self.relations(graph, at, split.body());
        if !parsed.faults.is_empty() || split.yaml().is_none() {
            // A concept must have frontmatter that can be parsed; the rest is kept as text.
            let body = if split.yaml().is_none() { body } else { text.to_owned() };
            let keys = [("type", UNTYPED), ("title", &note.title), ("description", &note.summary)];
            let written = keys.iter().filter(|(_, value)| !value.is_empty());
            let keys: String =
                written.map(|(key, value)| write::entry(key, &Value::String((*value).to_owned()))).collect();
            return format!("---\n{keys}---\n{body}");
        }
        let mut edits = Vec::new();
        let text_of = |key: &str| parsed.fields.get(key).and_then(FrontmatterField::text);
        if let Some(source) = text_of("source_type") {
            // The type that the note had in the bundle that it came from.
            edits.extend([Edit::set_text("type", source), Edit::Remove { key: "source_type".to_owned() }]);
        } else if !written(&parsed.fields, "type") {
            edits.push(Edit::set_text("type", UNTYPED));
        }
        let mut add = |key: &str, value: Option<Value>| {
            if let Some(value) = value.filter(|_| !written(&parsed.fields, key)) {
                edits.push(Edit::Set { key: key.to_owned(), value });
            }
        };
        let text_value = |text: &str| (!text.is_empty()).then(|| Value::String(text.to_owned()));
        add("title", text_value(&note.title));
        add("description", text_value(&note.summary));
        add("status", note.is_waiting().then(|| Value::from("draft")));
        add("timestamp", note.updated.map(|at| Value::from(at.to_string())));
        add("generated", generated(note));
        edits.push(Edit::SetBody { text: body });
        apply_each(text, &edits).0
    }

    fn body(&self, at: usize, body: &str) -> String {
        links::rewrite(body, &|link| self.link(at, link))
    }

    /// A wikilink as a standard link, and a link to a renamed note as one to its new name.
    fn link(&self, at: usize, link: &BodyLink<'_>) -> Option<LinkChange> {
        let from = self.path(at)?.folder();
        let (target, anchor) = match link.destination.split_once(['#', '^']) {
            Some((target, _)) => (target, link.destination.get(target.len()..)?),
            None => (link.destination, ""),
        };
        let shown = link.alias.filter(|alias| !alias.trim().is_empty());
        let form = if link.is_wiki { LinkForm::Wiki } else { LinkForm::Markdown };
        let found =
            NoteLink { form, target: target.to_owned(), anchor: None, relation: None, line: 0, column: 0 };
        if let Resolution::One(note) = self.names.resolve_link(at, &found)
            && let Some(path) = self.path(note)
        {
            let note = &self.vault.notes[note];
            if !link.is_wiki && note.path == *path {
                return None;
            }
            let anchor = anchor.strip_prefix('#').map(|anchor| format!("#{}", link_destination(anchor)));
            let destination = link_destination(&path.relative_to(from)) + anchor.as_deref().unwrap_or("");
            return Some(if link.is_wiki {
                let text = escape_link_text(shown.unwrap_or(&note.title));
                LinkChange::Whole(format!("[{text}]({destination})"))
            } else {
                LinkChange::Destination(destination)
            });
        }
        if !link.is_wiki {
            return None;
        }
        let own = &self.vault.notes[at].path;
        let file = crate::import::attachments::find(self.vault.attachments, own, target.trim())?;
        let destination = link_destination(&NotePath::parse(file).ok()?.relative_to(from));
        let mark = if link.is_image { "!" } else { "" };
        // Obsidian writes the width of an image after the bar.
        let text = shown.filter(|text| !text.chars().all(|c| c.is_ascii_digit() || c == 'x'));
        Some(LinkChange::Whole(format!(
            "{mark}[{}]({destination})",
            escape_link_text(text.unwrap_or(target))
        )))
    }

    /// Typed edges of the note that its body does not have, one on each line.
    fn relations(&self, graph: &Graph<'_>, at: usize, body: &str) -> String {
        let mut lines = Vec::new();
        for edge in graph.outgoing(at).filter(|edge| edge.relation != "LINKS_TO") {
            let Some(path) = self.path(edge.to) else { continue };
            let title = escape_link_text(&self.vault.notes[edge.to].title);
            let from = self.path(at).map_or("", NotePath::folder);
            let line =
                format!("{}:: [{title}]({})", edge.relation, link_destination(&path.relative_to(from)));
            if edge.sources.iter().all(|source| source.form != EdgeSourceForm::Inline) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            return String::new();
        }
        let gap = if body.is_empty() || body.ends_with('\n') { "\n" } else { "\n\n" };
        format!("{gap}# Relations\n\n{}\n", lines.join("\n\n"))
    }
}

/// Who wrote the note and when; `None` if the note does not say who.
fn generated(note: &Note) -> Option<Value> {
    let by = match (&note.agent, &note.author) {
        (Some(agent), _) if agent.contains('/') => agent.clone(),
        (Some(agent), _) => format!("{agent}/unknown"),
        (None, Some(author)) => format!("human:{author}"),
        (None, None) => return None,
    };
    let mut pairs = Mapping::new();
    pairs.insert("by".into(), by.into());
    pairs.insert("at".into(), note.updated?.to_string().into());
    Some(Value::Mapping(pairs))
}

struct Listed<'a> {
    note: &'a Note,
    path: &'a NotePath,
    description: String,
}

fn description(text: &str) -> String {
    let fields = parse::parse(&Split::of(text)).fields;
    fields.get("description").and_then(FrontmatterField::text).unwrap_or_default()
}

/// An `index.md` for each folder, with its concepts and subfolders.
fn indexes(listed: &[Listed<'_>]) -> Vec<(NotePath, String)> {
    let mut folders: BTreeMap<&str, (Vec<&Listed<'_>>, Vec<&str>)> =
        BTreeMap::from([("", Default::default())]);
    for one in listed {
        let mut folder = one.path.folder();
        folders.entry(folder).or_default().0.push(one);
        while !folder.is_empty() {
            let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            let inner = &mut folders.entry(parent).or_default().1;
            if !inner.contains(&folder) {
                inner.push(folder);
            }
            folder = parent;
        }
    }
    let index = |(folder, (mut concepts, mut inner)): (&str, (Vec<&Listed<'_>>, Vec<&str>))| {
        concepts.sort_by(|a, b| a.path.cmp(b.path));
        inner.sort_unstable();
        let mut text = if folder.is_empty() {
            format!("---\n{VERSION_KEY}: \"{VERSION}\"\n---\n")
        } else {
            String::new()
        };
        if !concepts.is_empty() {
            text.push_str("# Notes\n\n");
        }
        for one in &concepts {
            let destination = link_destination(one.path.file_name());
            text.push_str(&format!("* [{}]({destination})", escape_link_text(&one.note.title)));
            if !one.description.is_empty() {
                text.push_str(&format!(" - {}", escape_inline(&one.description)));
            }
            text.push('\n');
        }
        if !inner.is_empty() {
            text.push_str(if concepts.is_empty() { "# Folders\n\n" } else { "\n# Folders\n\n" });
        }
        for folder in inner {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            text.push_str(&format!("* [{}]({}/)\n", escape_link_text(name), link_destination(name)));
        }
        let path = if folder.is_empty() { "index.md".to_owned() } else { format!("{folder}/index.md") };
        Some((NotePath::parse(&path).ok()?, text))
    };
    folders.into_iter().filter_map(index).collect()
}

/// `log.md`: on which day each concept was created, newest first.
fn log(listed: &[Listed<'_>]) -> String {
    let mut days: BTreeMap<String, Vec<&Listed<'_>>> = BTreeMap::new();
    for one in listed {
        if let Some(created) = one.note.created {
            days.entry(created.day()).or_default().push(one);
        }
    }
    let mut text = "# Log\n".to_owned();
    for (day, mut created) in days.into_iter().rev() {
        created.sort_by(|a, b| a.path.cmp(b.path));
        text.push_str(&format!("\n## {day}\n"));
        for one in created {
            let (title, path) = (escape_link_text(&one.note.title), link_destination(one.path.as_str()));
            text.push_str(&format!("* **Creation**: [{title}](/{path})\n"));
        }
    }
    text
}
