//! Inserts one value into a JSON text or removes it, without changing any other byte.
//!
//! Removal restores the exact bytes from before the insertion. To make this possible for a
//! container that was empty, insertion adds a blank line before the first item (in a single-line
//! text, a space on each side). Removal then knows that the container already existed.

use std::ops::Range;

use serde_json::Value;

use super::json::{JsonItem, JsonKind, JsonNode};

/// Formatting style of a text, detected from its content.
struct JsonLayout<'a> {
    newline: &'static str,
    unit: &'a str,
    /// Whether the text spans several lines.
    spread: bool,
    /// Whether colons are not followed by a space.
    tight: bool,
}

impl<'a> JsonLayout<'a> {
    fn of(text: &'a str, root: &JsonNode) -> Self {
        let inside = &text[root.range.clone()];
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let first = root.items().first();
        let indent = first.map(|item| indent(text, item.start)).filter(|indent| !indent.is_empty());
        let behind_colon =
            first.filter(|item| item.key.is_some()).map(|item| &text[..item.value.range.start]);
        Self {
            newline,
            unit: indent.unwrap_or("  "),
            spread: inside.contains('\n') || first.is_none(),
            tight: behind_colon.is_some_and(|before| before.ends_with(':')),
        }
    }

    /// Formats an item on several lines at this indentation.
    fn spread(&self, key: Option<&str>, value: &Value, indent: &str) -> String {
        let value = self.lines(value, indent);
        key.map_or(value.clone(), |key| format!("{}: {value}", Value::from(key)))
    }

    /// Formats a value on several lines; an array of scalars stays on one line.
    fn lines(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let (open, close, items): (_, _, Vec<String>) = match value {
            Value::Object(fields) if !fields.is_empty() => {
                ('{', '}', fields.iter().map(|(key, value)| self.spread(Some(key), value, &inner)).collect())
            }
            Value::Array(values) if values.iter().any(|value| value.is_object() || value.is_array()) => {
                ('[', ']', values.iter().map(|value| self.lines(value, &inner)).collect())
            }
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                return format!("[{}]", values.join(", "));
            }
            plain => return plain.to_string(),
        };
        let line = format!("{}{inner}", self.newline);
        format!("{open}{line}{}{}{indent}{close}", items.join(&format!(",{line}")), self.newline)
    }

    /// Formats an item on one line.
    fn line(&self, key: Option<&str>, value: &Value) -> String {
        let (comma, colon) = if self.tight { (",", ":") } else { (", ", ": ") };
        let written = match value {
            Value::Object(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(key, value)| self.line(Some(key), value)).collect();
                format!("{{{}}}", fields.join(comma))
            }
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(|value| self.line(None, value)).collect();
                format!("[{}]", values.join(comma))
            }
            plain => plain.to_string(),
        };
        key.map_or(written.clone(), |key| format!("{}{colon}{written}", Value::from(key)))
    }
}

/// Inserts a value after the last item of a container.
pub fn insert(text: &str, root: &JsonNode, container: &JsonNode, key: Option<&str>, value: &Value) -> String {
    let layout = JsonLayout::of(text, root);
    match container.items().last() {
        None => put_first(text, &layout, container, key, value),
        Some(last) => insert_after(text, &layout, container, last, key, value),
    }
}

fn put_first(
    text: &str,
    layout: &JsonLayout<'_>,
    container: &JsonNode,
    key: Option<&str>,
    value: &Value,
) -> String {
    let (before, after) = text.split_at(container.close());
    if !layout.spread {
        return format!("{before} {} {after}", layout.line(key, value));
    }
    let outer = indent_of_line(text, container.range.start);
    let inner = format!("{outer}{}", layout.unit);
    let nl = layout.newline;
    format!("{before}{nl}{nl}{inner}{}{nl}{outer}{after}", layout.spread(key, value, &inner))
}

fn insert_after(
    text: &str,
    layout: &JsonLayout<'_>,
    container: &JsonNode,
    last: &JsonItem,
    key: Option<&str>,
    value: &Value,
) -> String {
    let place = behind_comments(text, last.comma.map_or(last.end(), |comma| comma + 1));
    let own_line = text[last.lead..last.start].contains('\n');
    let behind_line_comment =
        text[place..].starts_with(['\r', '\n']) && place > last.comma.unwrap_or(last.end()) + 1;
    let (between, item) = if own_line || behind_line_comment {
        let indent = if own_line {
            indent(text, last.start).to_owned()
        } else {
            format!("{}{}", indent_of_line(text, container.range.start), layout.unit)
        };
        (format!("{}{indent}", layout.newline), layout.spread(key, value, &indent))
    } else {
        let around = &text[last.lead..last.start];
        let alone = container.items().len() == 1;
        let blank = if alone { if layout.tight { "" } else { " " } } else { around };
        (blank.to_owned(), layout.line(key, value))
    };
    match last.comma {
        Some(_) => format!("{}{between}{item},{}", &text[..place], &text[place..]),
        None => {
            let (end, before) = (last.end(), &text[..last.end()]);
            format!("{before},{}{between}{item}{}", &text[end..place], &text[place..])
        }
    }
}

/// Returns the position after the comments that follow on the same line.
fn behind_comments(text: &str, from: usize) -> usize {
    let mut place = from;
    loop {
        let rest = text[place..].trim_start_matches([' ', '\t']);
        let start = text.len() - rest.len();
        if rest.starts_with("//") {
            return start + rest.lines().next().unwrap_or_default().len();
        }
        match rest.strip_prefix("/*").and_then(|inner| inner.find("*/")) {
            Some(end) => place = start + end + 4,
            None => return place,
        }
    }
}

/// Result of removing an item.
#[derive(Debug, PartialEq, Eq)]
pub enum Removal {
    /// The text without the item.
    Text(String),
    /// The item was the only one of a container that was created for it; the container must be
    /// removed instead.
    Nothing,
}

/// Removes the item with the index `number` and its comma.
pub fn remove(text: &str, container: &JsonNode, number: usize) -> Removal {
    let items = container.items();
    let Some(item) = items.get(number) else { return Removal::Text(text.to_owned()) };
    let behind = item.comma.map_or(item.end(), |comma| comma + 1);
    if items.len() == 1 {
        return take_only(text, container, item, behind);
    }
    let previous = number.checked_sub(1).and_then(|before| items.get(before));
    if let (None, Some(next)) = (previous, items.get(1)) {
        // What stands before it stays before the next one.
        let to = if next.lead == behind { next.start } else { behind };
        return Removal::Text(without_ranges(text, &[item.start..item.end(), item.end()..to]));
    }
    let comma = match item.comma {
        Some(comma) => comma,
        // The comma before it goes; comments behind that comma stay.
        None => previous.and_then(|item| item.comma).unwrap_or(item.lead),
    };
    let mut cuts = vec![comma..(comma + 1), item.lead..item.end()];
    cuts.sort_by_key(|cut| cut.start);
    Removal::Text(without_ranges(text, &cuts))
}

fn take_only(text: &str, container: &JsonNode, item: &JsonItem, behind: usize) -> Removal {
    let before = &text[item.lead..item.start];
    let after = &text[behind..container.close()];
    let blank_line = before.rfind('\n').and_then(|second| {
        let line = |end: usize| before[..end].strip_suffix('\r').unwrap_or(&before[..end]);
        let first = line(second).rfind('\n')?;
        (line(second).len() == first + 1).then(|| item.lead + line(first).len())
    });
    let from = match blank_line {
        Some(from) => from,
        None if !before.contains('\n') && before.ends_with(' ') && after.starts_with(' ') => item.start - 1,
        None if is_commented(text, container, item, behind) => {
            // Somebody's comment keeps the container.
            let comma = item.comma.map_or(behind..behind, |comma| comma..behind);
            return Removal::Text(without_ranges(text, &[item.lead..item.end(), comma]));
        }
        None => return Removal::Nothing,
    };
    let to = if after.trim().is_empty() { container.close() } else { behind };
    Removal::Text(without_ranges(text, &[from..item.end(), item.end()..to]))
}

/// Returns `true` if a container has comments around its only item.
fn is_commented(text: &str, container: &JsonNode, item: &JsonItem, behind: usize) -> bool {
    let around = [container.range.start + 1..item.start, item.end()..behind, behind..container.close()];
    around.into_iter().any(|range| !text[range].trim_matches([' ', '\t', '\r', '\n', ',']).is_empty())
}

/// Removes the first item of a path together with the containers that were created for it. The path
/// leads from the item's container to the root.
pub fn take_whole(text: &str, root: &JsonNode, path: &[(&JsonNode, usize)]) -> String {
    let left = path.iter().find_map(|(container, number)| match remove(text, container, *number) {
        Removal::Text(text) => Some(text),
        Removal::Nothing => None,
    });
    left.unwrap_or_else(|| without_value(text, root))
}

/// Removes byte ranges that do not overlap.
fn without_ranges(text: &str, cuts: &[Range<usize>]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        rest.push_str(&text[from..cut.start]);
        from = cut.end;
    }
    rest + &text[from..]
}

pub fn insert_into_blank(text: &str, value: &Value) -> String {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mark, blanks) = text.split_at(mark);
    let newline = if blanks.contains("\r\n") { "\r\n" } else { "\n" };
    let layout = JsonLayout { newline, unit: "  ", spread: true, tight: false };
    format!("{mark}{}{newline}{blanks}", layout.spread(None, value, ""))
}

/// Removes the whole value, as inserted by [`insert_into_blank`].
fn without_value(text: &str, root: &JsonNode) -> String {
    let (before, after) = (&text[..root.range.start], &text[root.range.end..]);
    if [before, after].iter().any(|around| !around.trim_start_matches('\u{feff}').trim().is_empty()) {
        // Comments alone would be no JSON.
        return format!("{before}{{}}{after}");
    }
    let line_break = if after.starts_with("\r\n") { 2 } else { usize::from(after.starts_with('\n')) };
    format!("{before}{}", &after[line_break..])
}

pub fn is_object(node: &JsonNode) -> bool {
    matches!(node.kind, JsonKind::Object(_))
}

/// Returns the whitespace between the start of the line and `at`; empty if there is anything else.
fn indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    if before.chars().all(|c| c == ' ' || c == '\t') { before } else { "" }
}

/// Returns the leading whitespace of the line that contains `at`.
fn indent_of_line(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    &before[..before.len() - before.trim_start_matches([' ', '\t']).len()]
}
