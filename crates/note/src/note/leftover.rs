//! Leftovers of a merge: what one side wrote and the merged note does not say. They are entries of
//! the frontmatter key `merge` until a person has decided.

use yaml_serde::{Mapping, Value};

use super::leftover_message::message;
use crate::finding::{Finding, FindingCode, Severity};
use crate::frontmatter::edit::Edit;
use crate::frontmatter::parse::{FrontmatterFields, parse, scalar_text};
use crate::frontmatter::split::Split;
use crate::instant::Instant;
use crate::path::NotePath;

/// The frontmatter key of the leftovers.
pub const MERGE: &str = "merge";

/// One version of a part of a note that did not enter the merged note.
#[derive(Debug, Clone, PartialEq)]
pub struct Leftover {
    pub part: LeftoverPart,
    /// The value or text of the other side; null if that side removed the part.
    pub value: Value,
    /// Time of the other side's change: the later of `updated` of its note and its newest commit of it.
    pub updated: Option<Instant>,
    /// Author of the other side's change: that of its newest commit of the note, else `author` of its note.
    pub author: Option<String>,
}

/// The part of a note that a leftover belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftoverPart {
    /// A frontmatter key.
    Key(String),
    /// A stretch of the body: the text that stands there now.
    Paragraph(String),
    /// The file itself, by its path on the other side. The value is the path of a file with the version
    /// of that side; without a value, that side deleted it. If the value is the path itself, both sides
    /// added a file there.
    File(String),
}

impl LeftoverPart {
    /// The key of the entry that names the part, and the name.
    fn pair(&self) -> (&'static str, &str) {
        match self {
            Self::Key(name) => ("key", name),
            Self::Paragraph(line) => ("paragraph", line),
            Self::File(path) => ("file", path),
        }
    }
}

impl Leftover {
    /// Leftover of a note that the other side deleted.
    pub fn deleted(path: &NotePath) -> Self {
        let part = LeftoverPart::File(path.to_string());
        Self { part, value: Value::Null, updated: None, author: None }
    }

    /// Leftover of a note whose other version is in a file of its own.
    pub fn copied(path: &NotePath, copy: &NotePath) -> Self {
        Self { value: Value::String(copy.to_string()), ..Self::deleted(path) }
    }

    /// Leftover of a note at whose path both sides added one.
    pub fn added_twice(path: &NotePath) -> Self {
        Self::copied(path, path)
    }

    /// Returns the edit that adds the leftover to its note.
    pub fn edit(&self) -> Edit {
        Edit::Push { key: MERGE.to_owned(), item: self.item() }
    }

    /// Converts the leftover to an item of the list `merge`.
    pub fn item(&self) -> Value {
        let (kind, name) = self.part.pair();
        let pairs = [
            (kind, Value::String(name.to_owned())),
            ("value", self.value.clone()),
            ("updated", self.updated.map_or(Value::Null, |at| Value::String(at.to_string()))),
            ("author", self.author.clone().map_or(Value::Null, Value::String)),
        ];
        let written = pairs.into_iter().filter(|(_, value)| !value.is_null());
        Value::Mapping(written.map(|(key, value)| (Value::String(key.to_owned()), value)).collect())
    }

    /// Reads an item of the list `merge`; `None` if it names no part.
    pub fn of(item: &Mapping) -> Option<Self> {
        let text = |key: &str| item.get(key).and_then(scalar_text);
        let part = text("key")
            .map(LeftoverPart::Key)
            .or_else(|| text("paragraph").map(LeftoverPart::Paragraph))
            .or_else(|| text("file").map(LeftoverPart::File))?;
        Some(Self {
            part,
            value: item.get("value").cloned().unwrap_or_default(),
            updated: text("updated").and_then(|at| Instant::parse(&at).ok()),
            author: text("author"),
        })
    }
}

/// Why the other side of a leftover cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeftoverError {
    /// The text that a leftover belongs to is not in the body, or several times.
    #[error("the text next to the leftover has changed since the merge")]
    TextChanged,
    /// Several leftovers are about the same part, so that it is open which of them to take.
    #[error("several other versions are left over for the same part")]
    SeveralVersions,
    /// The leftover is about the file itself.
    #[error("the leftover is about the file itself, not about a part of the note")]
    AboutFile,
}

/// Returns the leftovers of a frontmatter, each with its line in the file. Entries of another form
/// are left out, because other tools may use the key.
pub fn leftovers(fields: &FrontmatterFields) -> Vec<(Leftover, u32)> {
    let Some(field) = fields.get(MERGE) else { return Vec::new() };
    let items = field.value.as_sequence().into_iter().flatten().enumerate();
    items.filter_map(|(at, item)| Some((Leftover::of(item.as_mapping()?)?, field.item_line(at)))).collect()
}

/// Returns the findings about the leftovers of a note.
pub(super) fn findings(path: &NotePath, fields: &FrontmatterFields) -> Vec<Finding> {
    let finding = |(leftover, line): (Leftover, u32)| {
        let (code, hint) = match &leftover.part {
            LeftoverPart::File(path) if leftover.value.as_str() == Some(path) => {
                (FindingCode::MergeCopy, "check both texts; then use `cm review --keep`")
            }
            LeftoverPart::File(_) if !leftover.value.is_null() => {
                (FindingCode::MergeCopy, "join both by hand and delete the copy; then use `cm review --keep`")
            }
            LeftoverPart::File(_) => {
                (FindingCode::MergeDeletion, "`cm delete` deletes it here too; `cm review --keep` keeps it")
            }
            _ => (FindingCode::MergeLeftover, "`cm review` takes one of the two versions"),
        };
        let finding = Finding::new(path, code, Severity::Warning, message(&leftover, fields));
        finding.with_location(line, 1).with_hint(hint)
    };
    leftovers(fields).into_iter().map(finding).collect()
}

/// Returns the edits that put the other side's versions into a note, and remove its leftovers; with `only`, those of the
/// leftover at this position.
///
/// # Errors
/// A leftover's text no longer stands in the body, several leftovers are about one part, or one is about the file.
pub fn taken(text: &str, only: Option<usize>) -> Result<Vec<Edit>, LeftoverError> {
    let split = Split::of(text);
    let fields = parse(&split).fields;
    let mut body = split.body().to_owned();
    let mut edits = Vec::new();
    let all: Vec<Leftover> = leftovers(&fields).into_iter().map(|(leftover, _)| leftover).collect();
    let chosen = || all.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
    let is_of_one_item = |leftover: &Leftover| leftover.value.is_mapping();
    for (at, leftover) in chosen().filter(|_| only.is_none()) {
        let mut others = all[..at].iter().filter(|other| !is_of_one_item(other));
        if !is_of_one_item(leftover) && others.any(|other| other.part == leftover.part) {
            return Err(LeftoverError::SeveralVersions);
        }
    }
    for (_, leftover) in chosen() {
        match &leftover.part {
            LeftoverPart::Key(key) => {
                edits.extend(edits_of_key(&fields, key.clone(), leftover.value.clone()))
            }
            LeftoverPart::Paragraph(paragraph) => {
                let line_break = split.line_break();
                let paragraph = paragraph.replace('\n', line_break);
                let mut places = body.match_indices(&paragraph).map(|(at, _)| at);
                let (Some(at), None) = (places.next(), places.next()) else {
                    return Err(LeftoverError::TextChanged);
                };
                let other = scalar_text(&leftover.value).unwrap_or_default().replace('\n', line_break);
                body.replace_range(at..at + paragraph.len(), &other);
                if other.is_empty() {
                    remove_blank_lines(&mut body, at, line_break);
                }
            }
            LeftoverPart::File(_) => return Err(LeftoverError::AboutFile),
        }
    }
    if body != split.body() {
        edits.push(Edit::SetBody { text: body });
    }
    edits.extend(without(text, only, true));
    Ok(edits)
}

/// Removes the line break of a removed paragraph, and blank lines that would stand twice.
fn remove_blank_lines(body: &mut String, at: usize, line_break: &str) {
    let is_line = at == 0 || body[..at].ends_with(line_break);
    let is_after_blank = body[..at].trim().is_empty() || body[..at].ends_with(&line_break.repeat(2));
    let mut end = at;
    while body[end..].starts_with(line_break) && (is_after_blank || (is_line && end == at)) {
        end += line_break.len();
    }
    body.replace_range(at..end, "");
    while at == body.len() && body.ends_with(&line_break.repeat(2)) {
        body.truncate(body.len() - line_break.len());
    }
}

/// Returns the edits that keep the note's own versions: they remove its leftovers; with `only`, the one at this position.
pub fn dropped(text: &str, only: Option<usize>) -> Vec<Edit> {
    without(text, only, false)
}

/// Returns the edits that remove leftovers. Where one was taken, others about its text are about the text that stands now.
fn without(text: &str, only: Option<usize>, is_taken: bool) -> Vec<Edit> {
    let fields = parse(&Split::of(text)).fields;
    let all = leftovers(&fields);
    let items = fields.get(MERGE).and_then(|field| field.value.as_sequence()).cloned().unwrap_or_default();
    let Some((removed, _)) = only.and_then(|only| all.get(only)).filter(|_| items.len() > 1) else {
        return removal().to_vec();
    };
    let now = match (&removed.part, scalar_text(&removed.value)) {
        (LeftoverPart::Paragraph(_), Some(other)) if is_taken => Some(LeftoverPart::Paragraph(other)),
        _ => None,
    };
    let mut position = 0;
    let mut rest = Vec::new();
    for item in items {
        let Some(leftover) = item.as_mapping().and_then(Leftover::of) else {
            rest.push(item);
            continue;
        };
        if Some(position) != only {
            rest.push(match &now {
                Some(now) if leftover.part == removed.part => {
                    Leftover { part: now.clone(), ..leftover }.item()
                }
                _ => item,
            });
        }
        position += 1;
    }
    vec![Edit::Set { key: MERGE.to_owned(), value: Value::Sequence(rest) }]
}

/// Returns the edits that remove the leftovers of a note, and the frontmatter if a merge created it for
/// them.
pub fn removal() -> [Edit; 2] {
    [Edit::Remove { key: MERGE.to_owned() }, Edit::RemoveEmptyFrontmatter]
}

/// Returns the edits that set a key to the other side's value. A mapping for a list is one of its
/// items and replaces the item with the same `target` and `type`.
fn edits_of_key(fields: &FrontmatterFields, key: String, value: Value) -> Vec<Edit> {
    let items = fields.get(&key).and_then(|field| field.value.as_sequence());
    match (items, value) {
        (_, Value::Null) => vec![Edit::Remove { key }],
        (Some(items), Value::Mapping(item)) => {
            let is_same = |other: &&Value| {
                let same = |name: &str| {
                    other.get(name).and_then(scalar_text) == item.get(name).and_then(scalar_text)
                };
                same("target") && same("type")
            };
            let old = items.iter().find(is_same).cloned();
            let pull = old.map(|old| Edit::Pull { key: key.clone(), item: old });
            pull.into_iter().chain([Edit::Push { key: key.clone(), item: Value::Mapping(item) }]).collect()
        }
        (_, value) => vec![Edit::Set { key, value }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::edit::apply;

    fn takes(text: &str) -> Result<String, LeftoverError> {
        taken(text, None).map(|edits| apply(text, &edits).unwrap())
    }

    #[test]
    fn the_other_versions_replace_values_items_and_texts() {
        let note = |keys: &str, body: &str| format!("---\n{keys}---\n\n{body}");
        let merge = "merge:\n  - {key: title, value: Other}\n  - {key: owner}\n  - paragraph: Ten.\n    value: Nine.\n";
        let before = note(&format!("title: One # why\nowner: x\n{merge}"), "Top.\n\nTen.\n");
        assert_eq!(takes(&before), Ok(note("title: Other # why\n", "Top.\n\nNine.\n")));
        let items = "relations:\n  - {target: a, type: SOLVES}\n  - {target: b, type: SOLVES}\n";
        let merge = "merge:\n  - {key: relations, value: {target: a, type: SOLVES, context: c}}\n";
        let after = takes(&note(&format!("{items}{merge}"), "")).unwrap();
        assert_eq!(after.matches("target: a").count(), 1, "{after}");
        assert!(after.contains("context: c") && !after.contains("merge"), "{after}");
    }

    #[test]
    fn a_frontmatter_that_has_leftovers_alone_is_removed_with_them() {
        let merge = "merge:\n  - {paragraph: Ten., value: Nine.}\n";
        assert_eq!(takes(&format!("---\n{merge}---\nTen.\n")).unwrap(), "Nine.\n");
        let kept = |text: &str| apply(text, &removal()).unwrap();
        assert_eq!(kept(&format!("\u{feff}---\n{merge}---\nTen.")), "\u{feff}Ten.");
        assert_eq!(kept(&format!("---\n# why\n{merge}---\nTen.\n")), "---\n# why\n---\nTen.\n");
    }

    #[test]
    fn a_text_that_changed_since_is_not_replaced() {
        let note = "---\nmerge:\n  - {paragraph: Ten., value: Nine.}\n---\n\nTwelve.\n";
        assert_eq!(takes(note), Err(LeftoverError::TextChanged));
        assert_eq!(takes(&note.replace("Twelve.", "Ten. Ten.")), Err(LeftoverError::TextChanged));
        assert_eq!(takes("---\nmerge: [{file: a.md}]\n---\n"), Err(LeftoverError::AboutFile));
    }

    #[test]
    fn of_several_versions_of_one_part_none_is_taken() {
        let note = "---\nmerge:\n  - {paragraph: Ten., value: Nine.}\n  - {paragraph: Ten., value: Six.}\n---\n\nTen.\n";
        assert_eq!(takes(note), Err(LeftoverError::SeveralVersions));
        let keys = "---\ntitle: A\nmerge:\n  - {key: title, value: B}\n  - {key: title, value: C}\n---\n";
        assert_eq!(takes(keys), Err(LeftoverError::SeveralVersions));
    }

    #[test]
    fn one_of_several_leftovers_is_taken_or_dropped_alone() {
        let merge = "merge:\n  - {key: status, value: done}\n  - {paragraph: Ten., value: Nine.}\n  - {paragraph: Ten., value: Six.}\n";
        let note = format!("---\nstatus: open\n{merge}---\n\nTen.\n");
        let taken = |only| apply(&note, &taken(&note, Some(only)).unwrap()).unwrap();
        let count = |text: &str| leftovers(&parse(&Split::of(text)).fields).len();
        let status = taken(0);
        assert!(status.contains("status: done\n") && status.ends_with("\nTen.\n"), "{status}");
        let nine = taken(1);
        assert!(nine.starts_with("---\nstatus: open\n") && nine.ends_with("\nNine.\n"), "{nine}");
        assert!(nine.contains("paragraph: Nine."), "the last one is about the text that stands: {nine}");
        let dropped = apply(&note, &dropped(&note, Some(0))).unwrap();
        assert!(dropped.contains("status: open\n") && !dropped.contains("done"), "{dropped}");
        assert_eq!([&status, &nine, &dropped].map(|text| count(text)), [2, 2, 2]);
    }

    #[test]
    fn a_paragraph_that_the_other_version_lacks_leaves_one_blank_line() {
        let taken =
            |body: &str| takes(&format!("---\na: 1\nmerge:\n  - {{paragraph: Two.}}\n---\n{body}")).unwrap();
        assert_eq!(taken("\nOne.\n\nTwo.\n\nThree.\n"), "---\na: 1\n---\n\nOne.\n\nThree.\n");
        assert_eq!(taken("One.\nTwo.\n\nThree.\n"), "---\na: 1\n---\nOne.\n\nThree.\n");
        assert_eq!(taken("\nOne.\n\nTwo.\n"), "---\na: 1\n---\n\nOne.\n");
    }

    #[test]
    fn a_key_of_that_name_with_other_values_is_nobodys_leftover() {
        let read = |text: &str| leftovers(&parse(&Split::of(text)).fields).len();
        assert_eq!(read("---\nmerge: yes\n---\n"), 0);
        assert_eq!(read("---\nmerge: [a, {x: 1}]\n---\n"), 0);
        assert_eq!(read("---\nmerge: [{key: a, value: b}, {file: x.md}]\n---\n"), 2);
    }
}
