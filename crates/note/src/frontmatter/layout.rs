//! Byte ranges of each top-level key, its value and its list items in YAML, from one scan.
//!
//! The scanner only finds the extent of quotes, flow collections, block scalars and comments. It
//! does not resolve values; callers compare its keys with those of the YAML parser.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod scanner;

use std::ops::Range;

use scanner::{Scanner, YamlLine};

/// Byte ranges of a YAML text's keys, values and list items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlLayout {
    pub root: YamlRoot,
    /// Top-level keys in order, including duplicates.
    pub entries: Vec<LayoutEntry>,
    /// Whether some lines belong to no key, or a quote or bracket is never closed.
    pub broken: bool,
}

/// Outermost structure of a YAML text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlRoot {
    /// Only white space and comments.
    Empty,
    /// Block mapping of `key: value` lines, with its indentation in spaces.
    Block(usize),
    /// Flow mapping `{key: value}`, with the offsets of its two braces.
    Flow(usize, usize),
}

/// One top-level key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutEntry {
    /// The key as written, without quotes.
    pub key: String,
    /// Bytes of the entry: whole lines in a block, the pair in a flow mapping.
    pub span: Range<usize>,
    /// Offset of the key.
    pub key_start: usize,
    /// Byte offset after the colon; `None` for an explicit key (`? key`).
    pub colon: Option<usize>,
    /// Range of the value with its tag and anchor, without a comment; empty if there is no value.
    pub value: Range<usize>,
    pub shape: ValueSyntax,
    /// Offset of the `#` of a comment at the end of the key's line.
    pub comment: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSyntax {
    /// No value.
    Empty,
    /// Unquoted scalar, on one or several lines.
    Plain,
    /// Quoted scalar, with its quote character.
    Quoted(char),
    BlockScalar,
    /// Flow sequence `[a, b]`, with the range of each item.
    FlowList(Vec<Range<usize>>),
    /// Block sequence of `- a` lines, with its indentation in spaces and the lines of each item.
    BlockList(usize, Vec<Range<usize>>),
    /// A mapping, or a scalar that begins on the next line.
    Other,
}

impl YamlLayout {
    /// Scans a YAML text. Never fails: lines that belong to no key set [`YamlLayout::broken`].
    pub fn of(yaml: &str) -> Self {
        let mut scanner = Scanner::new(yaml);
        let Some(first) = scanner.significant_line(0) else {
            return Self { root: YamlRoot::Empty, entries: Vec::new(), broken: false };
        };
        if scanner.byte(first.content) == Some(b'{')
            && let Some(layout) = flow_root(&mut scanner, first.content)
        {
            return layout;
        }
        block_root(&mut scanner, &first)
    }
}

fn block_root(scanner: &mut Scanner<'_>, first: &YamlLine) -> YamlLayout {
    let base = first.indent;
    let mut layout = YamlLayout { root: YamlRoot::Block(base), entries: Vec::new(), broken: false };
    let mut at = first.start;
    while let Some(line) = scanner.significant_line(at) {
        match (line.indent == base).then(|| entry(scanner, &line)).flatten() {
            Some(entry) => {
                at = entry.span.end;
                layout.entries.push(entry);
            }
            None => {
                layout.broken = true;
                at = line.next;
            }
        }
    }
    layout.broken |= scanner.unclosed > 0;
    layout
}

fn flow_root(scanner: &mut Scanner<'_>, open: usize) -> Option<YamlLayout> {
    let (end, items) = scanner.flow(open)?;
    let rest = scanner.significant_line(end);
    let entries = items.into_iter().map(|item| flow_entry(scanner.text, item)).collect();
    Some(YamlLayout { root: YamlRoot::Flow(open, end - 1), entries, broken: rest.is_some() })
}

fn flow_entry(yaml: &str, item: Range<usize>) -> LayoutEntry {
    let pair = &yaml[item.clone()];
    let quoted = pair.chars().next().filter(|c| matches!(c, '"' | '\''));
    let key_end = quoted.and_then(|quote| pair[1..].find(quote)).map_or(0, |at| at + 2);
    let colon = pair[key_end..].find(':').map(|at| item.start + key_end + at);
    LayoutEntry {
        key: bare(&yaml[item.start..colon.unwrap_or(item.end)]),
        key_start: item.start,
        colon: colon.map(|at| at + 1),
        value: colon.map_or(item.end, |at| at + 1)..item.end,
        span: item,
        shape: ValueSyntax::Other,
        comment: None,
    }
}

/// Parses the entry that begins on this line; `None` if the line is not a key.
fn entry(scanner: &mut Scanner<'_>, line: &YamlLine) -> Option<LayoutEntry> {
    if scanner.is_indicator(line.content, b'?') {
        return Some(explicit_entry(scanner, line));
    }
    let colon = scanner.key_colon(line)?;
    let key = bare(&scanner.text[line.content..colon]);
    let after = scanner.after_blanks_and_properties(colon + 1);
    let mut value = PendingValue::begin(scanner, line, colon + 1);
    value.extend(scanner, line.indent);
    let start = scanner.after_blanks(colon + 1);
    let end = value.end.max(start);
    let shape = value.shape(scanner, after);
    let empty = start >= value.end || value.end <= colon + 1;
    Some(LayoutEntry {
        key,
        span: line.start..value.next,
        key_start: line.content,
        colon: Some(colon + 1),
        value: if empty { colon + 1..colon + 1 } else { start..end },
        shape,
        comment: value.comment,
    })
}

/// Parses `? key` with its `: value`, as one span that is only replaced as a whole.
fn explicit_entry(scanner: &mut Scanner<'_>, line: &YamlLine) -> LayoutEntry {
    let start = scanner.after_blanks(line.content + 1);
    let mut value = PendingValue::begin(scanner, line, line.content + 1);
    let key_end = value.end.max(start);
    value.extend(scanner, line.indent);
    if let Some(next) = scanner.significant_line(value.next)
        && next.indent == line.indent
        && scanner.is_indicator(next.content, b':')
    {
        value = PendingValue::begin(scanner, &next, next.content + 1);
        value.extend(scanner, line.indent);
    }
    LayoutEntry {
        key: bare(&scanner.text[start..key_end]),
        span: line.start..value.next,
        key_start: line.content,
        colon: None,
        value: start..value.end.max(start),
        shape: ValueSyntax::Other,
        comment: None,
    }
}

/// The value of a key while the scan still collects its lines.
struct PendingValue {
    /// Byte offset of the line after the value.
    next: usize,
    /// Byte offset of the end of the value, without blank lines and comments after it.
    end: usize,
    comment: Option<usize>,
    /// Indentation of the open block collections, outermost first.
    open: Vec<usize>,
    /// Whether a plain scalar may continue on the next line.
    plain: bool,
    /// Whether nothing follows the colon on the key's line, except a tag or an anchor.
    bare: bool,
    list: Option<(usize, Vec<Range<usize>>)>,
    nested: bool,
}

impl PendingValue {
    fn begin(scanner: &mut Scanner<'_>, line: &YamlLine, at: usize) -> Self {
        let first = scanner.after_blanks_and_properties(at);
        let bare = scanner.at_end_or_comment(first);
        let mut open = vec![line.indent];
        let read = scanner.read_line(line.start, at, &mut open, false);
        let comment = read.comment.filter(|hash| *hash < line.next);
        Self {
            next: read.next,
            end: read.end,
            comment,
            open,
            plain: read.plain,
            bare,
            list: None,
            nested: false,
        }
    }

    /// Adds the lines below the key that belong to its value; `base` is the indentation of the key.
    fn extend(&mut self, scanner: &mut Scanner<'_>, base: usize) {
        let mut at = self.next;
        while let Some(line) = scanner.line(at) {
            if line.blank {
                self.plain &= !line.comment;
                at = line.next;
                continue;
            }
            let dash = scanner.is_indicator(line.content, b'-');
            let in_list = self.list.as_ref().is_some_and(|(indent, _)| *indent == base);
            let unindented_item = line.indent == base && dash && self.bare && (in_list || !self.nested);
            if line.indent < base || (line.indent == base && !unindented_item) {
                return;
            }
            self.push_line(scanner, &line, dash);
            at = self.next;
        }
    }

    fn push_line(&mut self, scanner: &mut Scanner<'_>, line: &YamlLine, dash: bool) {
        let innermost = self.open.last().copied().unwrap_or(0);
        if self.plain && line.indent > innermost {
            let hash = scanner.comment_in_plain(line);
            self.plain = hash.is_none();
            self.end = scanner.trimmed_end(line.content, hash.unwrap_or(line.end));
            self.next = line.next;
        } else {
            while self.open.len() > 1 && self.open.last().is_some_and(|indent| *indent > line.indent) {
                self.open.pop();
            }
            if !self.nested && self.bare && dash {
                self.list = Some((line.indent, Vec::new()));
            }
            let read = scanner.read_line(line.start, line.content, &mut self.open, true);
            (self.next, self.end, self.plain) = (read.next, read.end, read.plain);
            if let Some((indent, items)) = &mut self.list
                && dash
                && *indent == line.indent
            {
                items.push(line.start..read.next);
            }
        }
        self.nested = true;
        if let Some(item) = self.list.as_mut().and_then(|(_, items)| items.last_mut()) {
            item.end = self.next;
        }
    }

    fn shape(&mut self, scanner: &mut Scanner<'_>, first: usize) -> ValueSyntax {
        if let Some((indent, items)) = self.list.take() {
            return ValueSyntax::BlockList(indent, items);
        }
        if self.bare {
            return if self.nested { ValueSyntax::Other } else { ValueSyntax::Empty };
        }
        match scanner.byte(first) {
            Some(b'[') => match scanner.flow(first) {
                Some((_, items)) => ValueSyntax::FlowList(items),
                None => ValueSyntax::Other,
            },
            Some(b'"') => ValueSyntax::Quoted('"'),
            Some(b'\'') => ValueSyntax::Quoted('\''),
            Some(b'|' | b'>') => ValueSyntax::BlockScalar,
            Some(b'{' | b'*') => ValueSyntax::Other,
            _ => ValueSyntax::Plain,
        }
    }
}

/// Removes the quotes around a key. Escapes stay, so such keys are matched by position.
fn bare(key: &str) -> String {
    let key = key.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    key.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(yaml: &str) -> Vec<(String, &str)> {
        let layout = YamlLayout::of(yaml);
        layout.entries.into_iter().map(|entry| (entry.key, &yaml[entry.span])).collect()
    }

    #[test]
    fn each_key_owns_its_lines_and_no_comment_before_them() {
        let yaml = "# top\na: 1 # one\n\n# about b\nb:\n  - x\n  # between\n  - y\n# last\nc: |\n  b: no\n\n  # text\nd: 'x\n  b: y'\n";
        assert_eq!(
            spans(yaml),
            [
                ("a".to_owned(), "a: 1 # one\n"),
                ("b".to_owned(), "b:\n  - x\n  # between\n  - y\n"),
                ("c".to_owned(), "c: |\n  b: no\n\n  # text\n"),
                ("d".to_owned(), "d: 'x\n  b: y'\n"),
            ]
        );
        assert!(!YamlLayout::of(yaml).broken);
    }

    #[test]
    fn lists_tell_the_lines_of_their_items() {
        let yaml = "a:\n- x\n- k: |\n    - no\n  l: [1,\n2]\n-  - in\n   - ner\nb: [p, 'q, r', {s: t}]\n";
        let layout = YamlLayout::of(yaml);
        let ValueSyntax::BlockList(0, items) = &layout.entries[0].shape else {
            panic!("{:?}", layout.entries[0].shape)
        };
        let lines: Vec<&str> = items.iter().map(|item| &yaml[item.clone()]).collect();
        assert_eq!(lines, ["- x\n", "- k: |\n    - no\n  l: [1,\n2]\n", "-  - in\n   - ner\n"]);
        let ValueSyntax::FlowList(items) = &layout.entries[1].shape else { panic!() };
        let texts: Vec<&str> = items.iter().map(|item| &yaml[item.clone()]).collect();
        assert_eq!(texts, ["p", "'q, r'", "{s: t}"]);
    }

    #[test]
    fn values_end_before_their_comment() {
        let yaml = "a: it's # x\nb: &x !t \"q # no\" # y\nc: # z\nd: a#b: c\n\"e f\" : [1] #q\n? g\n: h\ni:\n    x\n  y: 'z\n";
        let layout = YamlLayout::of(yaml);
        let values: Vec<&str> = layout.entries.iter().map(|entry| &yaml[entry.value.clone()]).collect();
        assert_eq!(&values[..5], ["it's", "&x !t \"q # no\"", "", "a#b: c", "[1]"]);
        let keys: Vec<&str> = layout.entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "d", "e f", "g", "i"]);
    }

    #[test]
    fn lines_without_a_key_and_open_quotes_are_broken() {
        for yaml in ["a: 1\nnonsense\n", "a: 'x\nb: 1\n", "a: [1\nb: 2\n", "- a\n- b\n", "  a: 1\nb: 2\n"] {
            assert!(YamlLayout::of(yaml).broken, "{yaml:?}");
        }
        let layout = YamlLayout::of("a: 'x\nb: 1\n");
        assert_eq!(layout.entries.len(), 2);
    }
}
