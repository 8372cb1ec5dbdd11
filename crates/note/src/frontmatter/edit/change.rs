//! Edits that set or remove one top-level key.

use std::ops::Range;

use yaml_serde::Value;

use super::doc::{EditableText, KeyValuePairs};
use super::{EditError, list};
use crate::frontmatter::layout::{LayoutEntry, ValueSyntax, YamlRoot};
use crate::frontmatter::write::{self, ValueStyle};

/// Sets a key. Tries several ways to write the value, smallest change first, and returns the first
/// result that `EditableText::check` accepts.
pub(super) fn set(doc: &EditableText<'_>, key: &str, value: &Value) -> Result<String, EditError> {
    let Some(index) = doc.find(key) else { return add(doc, key, value) };
    if doc.pairs[index].1 == *value {
        return Ok(doc.split.text().to_owned());
    }
    let entry = doc.entry(index, key)?;
    let mut expected = doc.pairs.clone();
    expected[index].1 = value.clone();
    let ways = match doc.layout.root {
        YamlRoot::Flow(..) => vec![(entry.span.clone(), flow_entry(doc, entry, key, value))],
        _ => block_ways(doc, entry, key, &doc.pairs[index].1, value),
    };
    first_valid(doc, ways, &expected, Some(index)).ok_or_else(|| doc.entangled(key))
}

/// Removes a key with its lines.
pub(super) fn remove(doc: &EditableText<'_>, key: &str) -> Result<String, EditError> {
    let Some(index) = doc.find(key) else { return Ok(doc.split.text().to_owned()) };
    let entry = doc.entry(index, key)?;
    let mut expected = doc.pairs.clone();
    expected.remove(index);
    let span = match doc.layout.root {
        YamlRoot::Flow(_, close) => {
            let items: Vec<Range<usize>> =
                doc.layout.entries.iter().map(|entry| entry.span.clone()).collect();
            list::without_item(&items, index, close)
        }
        _ => entry.span.clone(),
    };
    let mut ways = vec![(span.clone(), String::new())];
    if matches!(doc.layout.root, YamlRoot::Block(_)) {
        let (comments, blanks) = lines_below(doc.yaml, &span, indent_of(entry));
        ways.extend([comments, blanks].map(|end| (span.start..end, String::new())));
    }
    first_valid(doc, ways, &expected, Some(index)).ok_or_else(|| doc.entangled(key))
}

/// Returns the end of the comments below an entry that are indented deeper than its key, and the
/// end of the blank lines after them. They are removed with the entry where they would otherwise
/// become part of a block scalar above.
fn lines_below(yaml: &str, span: &Range<usize>, indent: usize) -> (usize, usize) {
    let (mut comments, mut blanks) = (span.end, span.end);
    for line in yaml[span.end..].split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let deeper = content.starts_with('#') && line.len() - content.len() > indent;
        if !deeper && !content.trim().is_empty() {
            break;
        }
        blanks += line.len();
        if deeper {
            comments = blanks;
        }
    }
    (comments, blanks)
}

fn add(doc: &EditableText<'_>, key: &str, value: &Value) -> Result<String, EditError> {
    check_key(key)?;
    let mut expected = doc.pairs.clone();
    expected.push((Value::String(key.to_owned()), value.clone()));
    let way = match doc.layout.root {
        YamlRoot::Flow(open, close) => {
            let items: Vec<Range<usize>> =
                doc.layout.entries.iter().map(|entry| entry.span.clone()).collect();
            list::with_item(doc.yaml, open, close, &items, &write::flow_pair(key, value))
        }
        YamlRoot::Block(indent) => {
            let entry = indented(&write::entry(key, value), indent);
            (doc.yaml.len()..doc.yaml.len(), entry)
        }
        YamlRoot::Empty => (doc.yaml.len()..doc.yaml.len(), write::entry(key, value)),
    };
    first_valid(doc, vec![way], &expected, None).ok_or_else(|| doc.entangled(key))
}

/// Rejects a key that YAML cannot hold on one line, and the merge key `<<`.
fn check_key(key: &str) -> Result<(), EditError> {
    let sound = !key.trim().is_empty()
        && key != "<<"
        && key.chars().count() <= 128
        && !key.chars().any(char::is_control);
    if sound { Ok(()) } else { Err(EditError::BadKey { key: key.to_owned() }) }
}

fn first_valid(
    doc: &EditableText<'_>,
    ways: Vec<(Range<usize>, String)>,
    expected: &KeyValuePairs,
    changed: Option<usize>,
) -> Option<String> {
    ways.into_iter().find_map(|(range, replacement)| {
        let text = doc.splice(range.clone(), &replacement);
        doc.check(text, expected, changed, &range)
    })
}

fn flow_entry(doc: &EditableText<'_>, entry: &LayoutEntry, key: &str, value: &Value) -> String {
    match entry.colon {
        Some(colon) => format!("{} {}", &doc.yaml[entry.span.start..colon], write::flow_item(value)),
        None => write::flow_pair(key, value),
    }
}

fn block_ways(
    doc: &EditableText<'_>,
    entry: &LayoutEntry,
    key: &str,
    old: &Value,
    new: &Value,
) -> Vec<(Range<usize>, String)> {
    let mut ways = Vec::new();
    if let (Value::Sequence(old), Value::Sequence(new)) = (old, new)
        && let Some(way) = list::changed_items(doc.yaml, entry, old, new)
    {
        ways.push(way);
    }
    let written = write::value_of(key, new, indent_of(entry), style(entry, new));
    if written.tail.is_empty() {
        ways.extend(in_line(doc.yaml, entry, &written.head));
    }
    ways.push((entry.span.clone(), whole(doc.yaml, entry, key, &written)));
    // An indented comment below would become part of a block; a value of one line stands above it unharmed.
    let written = write::value_of(key, new, indent_of(entry), ValueStyle::OneLine);
    ways.push((entry.span.clone(), whole(doc.yaml, entry, key, &written)));
    ways
}

/// Returns the byte range to replace and its replacement if only the value changes; `None` if the
/// entry spans several lines or has no colon.
fn in_line(yaml: &str, entry: &LayoutEntry, head: &str) -> Option<(Range<usize>, String)> {
    let colon = entry.colon?;
    let one_line = !yaml[entry.span.start..entry.span.end].trim_end().contains('\n');
    if !one_line {
        return None;
    }
    if entry.value.is_empty() {
        return Some((colon..colon, head.to_owned()));
    }
    Some((entry.value.clone(), head.trim_start_matches(' ').to_owned()))
}

/// Rewrites the whole entry; preserves the spelling of the key and the comment on its line.
fn whole(yaml: &str, entry: &LayoutEntry, key: &str, written: &write::WrittenValue) -> String {
    let name = match entry.colon {
        Some(colon) => yaml[entry.span.start..colon].to_owned(),
        None => format!("{}{}:", " ".repeat(indent_of(entry)), write::key(key)),
    };
    let comment = entry.comment.map_or("", |hash| {
        let line = yaml[hash..].find('\n').map_or(yaml.len(), |length| hash + length);
        let before = yaml[..hash].trim_end_matches([' ', '\t']).len();
        yaml[before..line].trim_end_matches('\r')
    });
    format!("{name}{}{comment}\n{}", written.head, written.tail)
}

fn style(entry: &LayoutEntry, new: &Value) -> ValueStyle {
    match (&entry.shape, new) {
        (ValueSyntax::BlockList(indent, _), Value::Sequence(_)) => {
            ValueStyle::Dashes(indent.saturating_sub(indent_of(entry)))
        }
        (ValueSyntax::Quoted(quote), Value::String(_)) => ValueStyle::Quotes(*quote),
        _ => ValueStyle::Usual,
    }
}

fn indent_of(entry: &LayoutEntry) -> usize {
    entry.key_start - entry.span.start
}

fn indented(text: &str, by: usize) -> String {
    let margin = " ".repeat(by);
    let line = |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("{margin}{line}") };
    text.split_inclusive('\n').map(line).collect()
}
