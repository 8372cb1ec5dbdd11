//! Parses a file into a note and its body's outline. Any bytes give a note; problems become
//! findings.

use std::collections::HashSet;

use crate::bullet::blocked::BlockKind;
use crate::bullet::{Bullet, BulletState, BulletType, Maturity, Scope};
use crate::finding::{Finding, FindingCode, Severity};
use crate::frontmatter::edit;
use crate::frontmatter::parse::{FrontmatterFields, parse, scalar_text};
use crate::frontmatter::split::Split;
use crate::id::NoteId;
use crate::instant::Instant;
use crate::markdown::{Outline, outline, shown_attachments};
use crate::note::turn::Speaker;
use crate::note::values::FieldReader;
use crate::note::{
    EdgeEnds, Note, NoteKind, NoteLink, Priority, RelationTable, TypeTable, bullet, check, conflict,
    hidden_characters, leftover, mapping_lists, properties,
};
use crate::path::NotePath;
use cm_text::position::line_and_column;

/// A note with the content of its body, for the text index.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedNote {
    pub note: Note,
    /// Outline of the body; its links are moved to the note.
    pub outline: Outline,
    /// Values of the frontmatter keys that no field of the note holds, one per line: all of knowledge that people
    /// write, the search anchors of diaries.
    pub properties: String,
    /// These keys, each with one of its values: `key:value`. Long values are left out.
    pub labels: Vec<String>,
}

/// Parses a note. The tables list the types and relations that the vault declares.
pub fn read(path: &NotePath, bytes: &[u8], types: &TypeTable, relations: &RelationTable) -> ParsedNote {
    let text = String::from_utf8_lossy(bytes);
    let split = Split::of(&text);
    let parsed = parse(&split);
    let mut outline = outline(split.body(), split.body_line());
    let mut findings: Vec<Finding> = self::text(path, bytes)
        .err()
        .into_iter()
        .chain(parsed.faults.into_iter().map(|fault| fault.finding(path)))
        .collect();
    let broken = findings.iter().any(|finding| finding.code != FindingCode::DuplicateKey);
    findings.extend(hidden_characters::findings(path, &text));
    findings.extend(conflict::finding(path, &text));
    findings.extend(leftover::findings(path, &parsed.fields));
    if text.trim().is_empty() {
        let empty = Finding::new(path, FindingCode::EmptyNote, Severity::Warning, "the note is empty");
        findings.push(empty.with_location(1, 1).with_hint("add text, or delete the note"));
    }
    let kind = kind(path, &parsed.fields, types);
    let required = check::required(kind);
    let mut values = FieldReader { path, fields: &parsed.fields, findings, required };
    let mut note = fill(&mut values, kind, &outline, relations);
    match kind {
        NoteKind::Bullet => note.bullet = Some(Box::new(bullet::bullet(&mut values, split.body()))),
        NoteKind::Blocked => note.blocked = Some(Box::new(bullet::blocked(&mut values))),
        _ => {}
    }
    if let Some(yaml) = split.yaml().filter(|yaml| yaml.contains("[[")) {
        note.links = frontmatter_links(yaml, split.yaml_line());
    }
    note.links.append(&mut outline.links);
    note.anchored = note.links.iter().filter(|link| link.anchor.is_some()).cloned().collect();
    if split.body().contains("![") {
        note.attachments = shown_attachments(split.body(), split.body_line());
    }
    let checked = check::NoteCheck { note: &note, body: &split, broken };
    checked.run(&mut values, types, relations);
    values.findings.sort_by_key(|finding| (finding.line, finding.column));
    values.findings.dedup();
    note.findings = values.findings;
    let (properties, labels) = match kind {
        NoteKind::Memory | NoteKind::Plain => {
            (properties::searchable_text(&parsed.fields), properties::labels(&parsed.fields))
        }
        NoteKind::Diary => (properties::search_anchors(&parsed.fields), Vec::new()),
        _ => (String::new(), Vec::new()),
    };
    ParsedNote { note, outline, properties, labels }
}

/// Reads a rule from the fields of its frontmatter alone; the rule has no text.
pub fn rule_of(path: &NotePath, fields: &FrontmatterFields) -> Option<Bullet> {
    let mut values = FieldReader { path, fields, findings: Vec::new(), required: &[] };
    let mut note = fill(&mut values, NoteKind::Bullet, &outline("", 1), &RelationTable::default());
    note.bullet = Some(Box::new(bullet::bullet(&mut values, "")));
    Bullet::of(&note)
}

/// Returns the kind by folder; elsewhere, a note with an id and a declared type is a memory.
fn kind(path: &NotePath, fields: &FrontmatterFields, types: &TypeTable) -> NoteKind {
    let declared = || {
        let text = |key: &str| fields.get(key).and_then(|field| field.text());
        text("id").is_some() && text("type").is_some_and(|name| types.get(name.trim()).is_some())
    };
    match NoteKind::of(path) {
        NoteKind::Plain if declared() => NoteKind::Memory,
        kind => kind,
    }
}

fn fill(
    values: &mut FieldReader<'_>,
    kind: NoteKind,
    outline: &Outline,
    relation_table: &RelationTable,
) -> Note {
    let bullet = kind == NoteKind::Bullet;
    let default = |text: Option<String>, default: &str| text.or_else(|| bullet.then(|| default.to_owned()));
    let note_type = match kind {
        NoteKind::Edge => values.text("type").map(|name| name.to_uppercase()),
        NoteKind::Blocked => values.one_of("kind", &BlockKind::NAMES),
        NoteKind::Bullet => values.one_of("type", &BulletType::NAMES),
        _ => values.text("type"),
    };
    let state = match kind {
        NoteKind::Bullet => values.one_of("state", &BulletState::NAMES),
        // Outside the vault's folders the key may be another tool's.
        NoteKind::Memory if NoteKind::of(values.path) == kind => values.one_of("state", &Note::STATES),
        _ => values.text("state"),
    };
    let mut one_of = |key, names: &[&str]| if bullet { values.one_of(key, names) } else { values.text(key) };
    let maturity = one_of("maturity", &Maturity::NAMES);
    let scope = one_of("scope", &Scope::NAMES);
    let category = values.text("category");
    let folder = values.path.folder().split('/').nth(1).unwrap_or("").to_owned();
    Note {
        path: values.path.clone(),
        kind,
        id: id(values),
        note_type: default(note_type, BulletType::default().name()),
        title: title(values, kind, outline),
        aliases: words(values, "aliases"),
        tags: tags(values, outline),
        importance: values.fraction("importance"),
        confidence: values.fraction("confidence"),
        created: created(values, kind),
        updated: values.date("updated"),
        last_checked: values.date("last_checked"),
        priority: values.one_of("priority", &Priority::NAMES).and_then(|name| Priority::of(&name)),
        pinned: values.flag("pinned").unwrap_or(false) || values.path.top() == "vault",
        category: if folder.is_empty() { category } else { default(category, &folder) },
        author: values.text("author"),
        agent: values.text("agent"),
        session: values.text("session"),
        speaker: values
            .fields
            .get("role")
            .and_then(|field| field.text())
            .and_then(|role| Speaker::of_role(&role)),
        workspace: values.text("workspace"),
        state: default(state, BulletState::default().name()),
        maturity: default(maturity, Maturity::default().name()),
        scope: default(scope, Scope::default().name()),
        relations: mapping_lists::relations(values, relation_table),
        edge: (kind == NoteKind::Edge).then(|| ends(values)).flatten(),
        feedback: mapping_lists::feedback(values),
        condensed_into: values.texts("condensed_into"),
        bullet: None,
        blocked: None,
        links: Vec::new(),
        anchored: Vec::new(),
        attachments: Vec::new(),
        summary: String::new(),
        findings: Vec::new(),
    }
    .with_summary(&outline.text)
}

impl Note {
    /// Sets the summary from the body's text, without a first heading that repeats the title.
    fn with_summary(mut self, text: &str) -> Self {
        let text = text.trim_start();
        let rest = text.strip_prefix(self.title.as_str()).filter(|rest| rest.starts_with('\n'));
        let text = rest.filter(|_| self.kind != NoteKind::Bullet).unwrap_or(text);
        self.summary = first_words(text, Self::MAX_SUMMARY_CHARS);
        self
    }
}

/// Returns the first words of a text on one line, at most `most` characters; a longer first word is
/// cut.
fn first_words(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(most);
    let mut length = 0;
    for word in text.split_whitespace() {
        let blank = usize::from(length > 0);
        let word_length = word.chars().count();
        if length + blank + word_length > most {
            if length == 0 {
                line.extend(word.chars().take(most));
            }
            break;
        }
        line.extend((blank == 1).then_some(' '));
        line.push_str(word);
        length += blank + word_length;
    }
    line
}

fn id(values: &mut FieldReader<'_>) -> Option<NoteId> {
    let text = values.text("id")?;
    let field = values.fields.get("id")?;
    match NoteId::parse(&text) {
        Ok(id) => Some(id),
        Err(error) => {
            let hint = "use a UUID, or remove the key and run `cm adopt`";
            values.report(field, FindingCode::InvalidValue, error.to_string(), hint);
            None
        }
    }
}

/// Returns the value of the key `id` as it is written. Most ids are read without parsing the
/// frontmatter.
pub fn id_text(text: &str) -> Option<String> {
    let split = Split::of(text);
    let line = split.yaml()?.lines().find_map(|line| line.strip_prefix("id:"))?.trim();
    let plain = line.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if plain && !line.is_empty() {
        return Some(line.to_owned());
    }
    parse(&split).fields.get("id").and_then(|field| scalar_text(&field.value))
}

fn title(values: &mut FieldReader<'_>, kind: NoteKind, outline: &Outline) -> String {
    let first_line = || outline.text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    let heading = || {
        let top = outline.headings.iter().find(|heading| heading.level == 1);
        top.map(|heading| heading.text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let written = values.text("title");
    let title = written.or_else(|| match kind {
        NoteKind::Bullet => first_line(),
        NoteKind::Blocked => values.text("pattern").or_else(|| values.text("content")).or_else(first_line),
        NoteKind::Edge => edge_title(values).or_else(heading),
        _ => heading(),
    });
    title.unwrap_or_else(|| values.path.stem().to_owned())
}

fn edge_title(values: &mut FieldReader<'_>) -> Option<String> {
    let from = values.text("from_title").or_else(|| values.text("from_id"))?;
    let to = values.text("to_title").or_else(|| values.text("to_id"))?;
    let relation = values.text("type")?.to_uppercase();
    Some(format!("{from} {relation} {to}"))
}

/// Reads a list of words, which may also be written as one string, such as `tags: a, b`.
fn words(values: &mut FieldReader<'_>, key: &str) -> Vec<String> {
    let field = values.fields.get(key);
    match field.and_then(|field| field.value.as_str()) {
        Some(text) => edit::words(key, text).collect(),
        None => values.texts(key),
    }
}

fn tags(values: &mut FieldReader<'_>, outline: &Outline) -> Vec<String> {
    let written = words(values, "tags");
    let bare = written.iter().chain(&outline.tags).map(|tag| tag.trim_start_matches('#').trim());
    let mut seen = HashSet::new();
    bare.filter(|tag| !tag.is_empty() && seen.insert(*tag)).map(str::to_owned).collect()
}

fn created(values: &mut FieldReader<'_>, kind: NoteKind) -> Option<Instant> {
    let elsewhere = match kind {
        NoteKind::Diary => "started",
        NoteKind::Plain | NoteKind::Episode => "date",
        _ => return values.date("created"),
    };
    match values.fields.get("created") {
        Some(_) => values.date("created"),
        None => values.date(elsewhere),
    }
}

fn ends(values: &mut FieldReader<'_>) -> Option<EdgeEnds> {
    let (from, to) = (values.text("from_id"), values.text("to_id"));
    let strength = values.fraction("strength").unwrap_or(1.0);
    Some(EdgeEnds { from: from?, to: to?, strength })
}

/// Returns the wikilinks of a frontmatter, quoted or not, outside comment lines.
fn frontmatter_links(yaml: &str, first_line: u32) -> Vec<NoteLink> {
    let mut links = Vec::new();
    for (line, number) in yaml.lines().zip(first_line..) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let mut from = 0;
        while let Some(open) = line[from..].find("[[").map(|at| from + at) {
            let Some(length) = line[open..].find("]]") else { break };
            let column = u32::try_from(line[..open].chars().count()).unwrap_or(u32::MAX - 1) + 1;
            let found = outline(&line[open..open + length + 2], number).links;
            links.extend(found.into_iter().map(|link| NoteLink { line: number, column, ..link }));
            from = open + length + 2;
        }
    }
    links
}

/// Returns a note's bytes as text for editing.
///
/// # Errors
/// Returns a finding with the location of the first invalid byte if they are not UTF-8.
pub fn text<'b>(path: &NotePath, bytes: &'b [u8]) -> Result<&'b str, Finding> {
    std::str::from_utf8(bytes).map_err(|error| invalid_utf8(path, bytes, error.valid_up_to()))
}

fn invalid_utf8(path: &NotePath, bytes: &[u8], at: usize) -> Finding {
    let before = String::from_utf8_lossy(&bytes[..at]);
    let (line, column) = line_and_column(&before, before.len());
    let message = format!("the file is not UTF-8: invalid byte 0x{:02X}", bytes[at]);
    Finding::new(path, FindingCode::InvalidUtf8, Severity::Error, message)
        .with_location(line, column)
        .with_hint("save the file as UTF-8")
}

#[cfg(test)]
mod tests;
