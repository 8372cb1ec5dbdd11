//! Adds and removes list items, changing only the lines of those items if they have their own
//! lines.

use std::ops::Range;

use yaml_serde::Value;

use super::doc::EditableText;
use super::{EditError, change};
use crate::frontmatter::layout::{LayoutEntry, ValueSyntax};
use crate::frontmatter::write;

/// Appends an item to a list, unless it has an equal one; creates the list if it is absent.
pub(super) fn push(doc: &EditableText<'_>, key: &str, item: &Value) -> Result<String, EditError> {
    let mut items = items_of(doc, key)?;
    if items.contains(item) {
        return Ok(doc.split.text().to_owned());
    }
    items.push(item.clone());
    change::set(doc, key, &Value::Sequence(items))
}

/// Removes all equal items, and the key with the last one.
pub(super) fn pull(doc: &EditableText<'_>, key: &str, item: &Value) -> Result<String, EditError> {
    let mut items = items_of(doc, key)?;
    let before = items.len();
    items.retain(|existing| existing != item);
    match items.len() {
        left if left == before => Ok(doc.split.text().to_owned()),
        0 => change::remove(doc, key),
        _ => change::set(doc, key, &Value::Sequence(items)),
    }
}

/// Returns the items of a key. Splits `tags: a, b` written as one text, which is common.
fn items_of(doc: &EditableText<'_>, key: &str) -> Result<Vec<Value>, EditError> {
    let value = doc.find(key).map(|index| &doc.pairs[index].1);
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Sequence(items)) => Ok(items.clone()),
        Some(Value::String(text)) if matches!(key, "tags" | "aliases") => {
            Ok(words(key, text).map(Value::String).collect())
        }
        Some(Value::Mapping(_) | Value::Tagged(_)) => {
            Err(EditError::NotAList { key: key.to_owned(), line: doc.line(key) })
        }
        Some(scalar) => Ok(vec![scalar.clone()]),
    }
}

/// Splits a list that was written as one text: at commas, or at white space for tags without
/// commas.
pub fn words<'a>(key: &str, text: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let blanks = key == "tags" && !text.contains(',');
    let parts = text.split(move |c: char| if blanks { c.is_whitespace() } else { c == ',' });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned)
}

/// Returns the byte range to replace and its replacement, if the new list is the old one with some
/// items removed and others appended; `None` otherwise, or if the items have no ranges of their
/// own.
pub(super) fn changed_items(
    yaml: &str,
    entry: &LayoutEntry,
    old: &[Value],
    new: &[Value],
) -> Option<(Range<usize>, String)> {
    let (retained, more) = difference(old, new)?;
    match &entry.shape {
        ValueSyntax::BlockList(indent, items) if items.len() == old.len() => {
            let first = items.first()?.start;
            let last = items.last()?.end;
            let mut text = String::new();
            let mut at = first;
            for (item, _) in items.iter().zip(&retained).filter(|(_, retained)| !**retained) {
                text.push_str(&yaml[at..item.start]);
                at = item.end;
            }
            text.push_str(&yaml[at..last]);
            let gap = gap_after_dash(yaml, *indent, items.last()?);
            text.extend(more.iter().map(|item| write::dash(item, *indent, gap)));
            // Only the bytes that differ are replaced, so that their line breaks alone are made.
            let same = yaml[first..last].len().min(text.len());
            let prefix = if text.starts_with(&yaml[first..last]) { same } else { 0 };
            Some((first + prefix..last, text.split_off(prefix)))
        }
        ValueSyntax::FlowList(items) if items.len() == old.len() => {
            let (range, text) = flow_items(yaml, entry, items, &retained, more)?;
            Some((range, text))
        }
        _ => None,
    }
}

/// Returns whether each old item remains, and the new items appended after them; `None` if the
/// lists differ in any other way.
fn difference<'a>(old: &[Value], new: &'a [Value]) -> Option<(Vec<bool>, &'a [Value])> {
    let mut retained = vec![false; old.len()];
    let mut at = 0;
    for (index, item) in new.iter().enumerate() {
        match old[at..].iter().position(|existing| existing == item) {
            Some(offset) => {
                retained[at + offset] = true;
                at += offset + 1;
            }
            None => {
                let more = &new[index..];
                let only_new = more.iter().all(|item| !old[at..].contains(item));
                return only_new.then_some((retained, more));
            }
        }
    }
    Some((retained, &[]))
}

fn gap_after_dash(yaml: &str, indent: usize, item: &Range<usize>) -> usize {
    let after = &yaml[item.start + indent + 1..item.end];
    let gap = after.bytes().take_while(|byte| *byte == b' ').count();
    if after[gap..].trim_start().is_empty() || after[gap..].starts_with(['\r', '\n']) { 1 } else { gap }
}

fn flow_items(
    yaml: &str,
    entry: &LayoutEntry,
    items: &[Range<usize>],
    retained: &[bool],
    more: &[Value],
) -> Option<(Range<usize>, String)> {
    let open = yaml[..items.first().map_or(entry.value.end, |item| item.start)].rfind('[')?;
    let open = if items.is_empty() { entry.value.start + yaml[entry.value.clone()].find('[')? } else { open };
    let close = entry.value.end.checked_sub(1)?;
    if items.is_empty() && more.iter().any(Value::is_mapping) {
        return None;
    }
    let mut text = yaml[open..=close].to_owned();
    let mut left: Vec<Range<usize>> = items.iter().map(|item| item.start - open..item.end - open).collect();
    for index in (0..items.len()).rev().filter(|index| !retained[*index]) {
        let gap = without_item(&left, index, text.len() - 1);
        text.replace_range(gap.clone(), "");
        left.remove(index);
        for item in left.iter_mut().filter(|item| item.start >= gap.end) {
            *item = item.start - gap.len()..item.end - gap.len();
        }
    }
    for item in more {
        let (range, added) = with_item(&text, 0, text.len() - 1, &left, &write::flow_item(item));
        let start = range.start + added.len() - added.trim_start_matches([',', ' ']).len();
        left.push(start..range.start + added.len());
        text.replace_range(range, &added);
    }
    Some((open..close + 1, text))
}

/// Returns the byte range of a flow item together with one comma.
pub(super) fn without_item(items: &[Range<usize>], index: usize, close: usize) -> Range<usize> {
    match (items.get(index + 1), index.checked_sub(1).map(|before| &items[before])) {
        (Some(next), _) => items[index].start..next.start,
        (None, Some(before)) => before.end..items[index].end,
        (None, None) => items[index].start..close.max(items[index].end),
    }
}

/// Returns where to insert an item at the end of a flow collection, and its text with the necessary
/// comma.
pub(super) fn with_item(
    yaml: &str,
    open: usize,
    close: usize,
    items: &[Range<usize>],
    item: &str,
) -> (Range<usize>, String) {
    let Some(last) = items.last() else { return (open + 1..open + 1, item.to_owned()) };
    let after = &yaml[last.end..close];
    match after.trim_start().starts_with(',') {
        true => {
            let comma = last.end + after.find(',').unwrap_or(0) + 1;
            (comma..comma, format!(" {item}"))
        }
        false => (last.end..last.end, format!(", {item}")),
    }
}
