//! Lexical scanner of a layout: lines, keys, quotes, flow collections and block scalars, without
//! recursion.

use std::ops::Range;

/// A line of YAML, as byte offsets.
#[derive(Debug, Clone)]
pub(super) struct YamlLine {
    pub start: usize,
    /// Number of leading spaces.
    pub indent: usize,
    /// Offset of the first byte that is not white space.
    pub content: usize,
    /// Offset of the line break.
    pub end: usize,
    /// Offset of the next line.
    pub next: usize,
    /// Whether the line is empty or only a comment.
    pub blank: bool,
    pub comment: bool,
}

/// Result of reading one logical line, which may span several lines by quotes and brackets.
pub(super) struct LogicalLine {
    pub next: usize,
    pub end: usize,
    pub comment: Option<usize>,
    pub plain: bool,
}

/// Number of unclosed quotes and brackets after which the scanner looks for no more closing ones,
/// so that a scan takes linear time.
const MAX_UNCLOSED: u32 = 8;

pub(super) struct Scanner<'a> {
    pub text: &'a str,
    bytes: &'a [u8],
    /// Number of unclosed quotes and brackets found.
    pub unclosed: u32,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes(), unclosed: 0 }
    }

    pub fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The bytes from `at`; empty past the end.
    fn rest(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    pub fn line(&self, start: usize) -> Option<YamlLine> {
        if start >= self.bytes.len() {
            return None;
        }
        let length = self.rest(start).iter().position(|byte| *byte == b'\n');
        let next = length.map_or(self.bytes.len(), |length| start + length + 1);
        let mut end = length.map_or(self.bytes.len(), |length| start + length);
        if end > start && self.byte(end - 1) == Some(b'\r') {
            end -= 1;
        }
        let indent = self.rest(start).iter().take(end - start).take_while(|byte| **byte == b' ').count();
        let content = self.after_blanks(start + indent).min(end);
        let comment = content < end && self.byte(content) == Some(b'#');
        Some(YamlLine { start, indent, content, end, next, blank: comment || content == end, comment })
    }

    /// Returns the first line from here on that is neither empty nor only a comment.
    pub fn significant_line(&self, mut at: usize) -> Option<YamlLine> {
        loop {
            let line = self.line(at)?;
            if !line.blank {
                return Some(line);
            }
            at = line.next;
        }
    }

    pub fn after_blanks(&self, at: usize) -> usize {
        at + self.rest(at).iter().take_while(|byte| is_blank(**byte)).count()
    }

    pub fn after_blanks_and_properties(&self, at: usize) -> usize {
        let mut at = self.after_blanks(at);
        while matches!(self.byte(at), Some(b'&' | b'!')) {
            at = self.after_blanks(self.word_end(at));
        }
        at
    }

    fn word_end(&self, at: usize) -> usize {
        at + self.rest(at).iter().take_while(|byte| !is_blank(**byte) && !is_break(**byte)).count()
    }

    pub fn at_end_or_comment(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| is_break(byte) || byte == b'#')
    }

    /// Whether an indicator (`-`, `?` or `:`) is at this offset, followed by white space or the
    /// end.
    pub fn is_indicator(&self, at: usize, indicator: u8) -> bool {
        self.byte(at) == Some(indicator)
            && self.byte(at + 1).is_none_or(|byte| is_blank(byte) || is_break(byte))
    }

    pub fn trimmed_end(&self, from: usize, to: usize) -> usize {
        from + self.text[from..to.max(from)].trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    /// Returns the offset of the `#` of a comment in a line of a plain scalar.
    pub fn comment_in_plain(&self, line: &YamlLine) -> Option<usize> {
        (line.content + 1..line.end)
            .find(|at| self.byte(*at) == Some(b'#') && self.byte(at - 1).is_some_and(is_blank))
    }

    /// Returns the offset of the colon after the key that begins this line.
    pub fn key_colon(&mut self, line: &YamlLine) -> Option<usize> {
        let at = self.after_blanks_and_properties(line.content);
        match self.byte(at)? {
            b'"' | b'\'' => {
                let end = self.quoted(at).filter(|end| *end <= line.end)?;
                Some(self.after_blanks(end)).filter(|colon| self.is_indicator(*colon, b':'))
            }
            b'[' | b'{' => {
                let (end, _) = self.flow(at).filter(|(end, _)| *end <= line.end)?;
                Some(self.after_blanks(end)).filter(|colon| self.is_indicator(*colon, b':'))
            }
            b'}' | b']' | b',' | b'|' | b'>' | b'%' | b'@' | b'`' | b'#' => None,
            b'-' if self.is_indicator(at, b'-') => None,
            _ => self.plain_colon(at, line.end),
        }
    }

    /// Returns the offset of `: ` in plain text on one line, before any comment.
    fn plain_colon(&self, from: usize, end: usize) -> Option<usize> {
        for at in from..end {
            match self.byte(at)? {
                b':' if self.is_indicator(at, b':') => return Some(at),
                b'#' if at > from && self.byte(at - 1).is_some_and(is_blank) => return None,
                _ => {}
            }
        }
        None
    }

    /// Reads from `at` to the end of the line on which the last quote or bracket closes.
    pub fn read_line(
        &mut self,
        start: usize,
        mut at: usize,
        open: &mut Vec<usize>,
        mut fresh: bool,
    ) -> LogicalLine {
        let mut start = start;
        let mut end = at;
        loop {
            at = self.after_blanks(at);
            let Some(byte) = self.byte(at).filter(|byte| !is_break(*byte)) else {
                return LogicalLine { next: self.after_break(at), end, comment: None, plain: false };
            };
            match byte {
                b'#' => {
                    return LogicalLine { next: self.after_break(at), end, comment: Some(at), plain: false };
                }
                b'-' | b'?' | b':' if fresh && self.is_indicator(at, byte) => {
                    deepen(open, at - start);
                    at += 1;
                    end = at;
                }
                b'&' | b'!' => {
                    at = self.word_end(at);
                    end = at;
                }
                b'"' | b'\'' | b'[' | b'{' => {
                    let Some(close) = self.closing(at) else { return self.plain_rest(at) };
                    let colon = self.after_blanks(close);
                    if self.is_indicator(colon, b':') {
                        deepen(open, at.saturating_sub(start));
                        fresh = false;
                        at = colon + 1;
                    } else {
                        at = close;
                    }
                    end = at;
                    if let Some(last) = self.text[..close].rfind('\n').filter(|last| *last >= start) {
                        start = last + 1;
                    }
                }
                b'|' | b'>' => return self.block_scalar(at, open.last().copied().unwrap_or(0)),
                _ => {
                    let line_end = self.line_end(at);
                    let Some(colon) = self.plain_colon(at, line_end).filter(|_| fresh) else {
                        return self.plain_rest(at);
                    };
                    deepen(open, at - start);
                    fresh = false;
                    at = colon + 1;
                    end = at;
                }
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        let length = self.rest(at).iter().position(|byte| *byte == b'\n');
        let end = length.map_or(self.bytes.len(), |length| at + length);
        if end > at && self.byte(end - 1) == Some(b'\r') { end - 1 } else { end }
    }

    fn after_break(&self, at: usize) -> usize {
        let length = self.rest(at).iter().position(|byte| *byte == b'\n');
        length.map_or(self.bytes.len(), |length| at + length + 1)
    }

    fn plain_rest(&self, at: usize) -> LogicalLine {
        let line_end = self.line_end(at);
        let comment = (at + 1..line_end)
            .find(|hash| self.byte(*hash) == Some(b'#') && self.byte(hash - 1).is_some_and(is_blank));
        let end = self.trimmed_end(at, comment.unwrap_or(line_end));
        LogicalLine { next: self.after_break(line_end), end, comment, plain: comment.is_none() }
    }

    fn block_scalar(&self, header: usize, parent: usize) -> LogicalLine {
        let line_end = self.line_end(header);
        let comment = (header..line_end).find(|at| self.byte(*at) == Some(b'#'));
        let mut read = LogicalLine {
            next: self.after_break(line_end),
            end: self.trimmed_end(header, comment.unwrap_or(line_end)),
            comment,
            plain: false,
        };
        let mut at = read.next;
        while let Some(line) = self.line(at) {
            let hollow = line.content == line.end;
            if !hollow && line.indent <= parent {
                break;
            }
            at = line.next;
            if !hollow {
                (read.next, read.end) = (line.next, line.end);
            }
        }
        read
    }

    fn closing(&mut self, at: usize) -> Option<usize> {
        match self.byte(at)? {
            b'"' | b'\'' => self.quoted(at),
            _ => self.flow(at).map(|(end, _)| end),
        }
    }

    /// Returns the offset after a quoted scalar; `None` if it is not closed.
    fn quoted(&mut self, open: usize) -> Option<usize> {
        if self.unclosed >= MAX_UNCLOSED {
            return None;
        }
        let quote = self.byte(open)?;
        let mut at = open + 1;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' if quote == b'"' => at += 1,
                b'\'' if quote == b'\'' && self.byte(at + 1) == Some(b'\'') => at += 1,
                byte if byte == quote => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        self.unclosed += 1;
        None
    }

    /// Returns the offset after a flow collection, and the ranges of its items; `None` if it is not
    /// closed.
    pub fn flow(&mut self, open: usize) -> Option<(usize, Vec<Range<usize>>)> {
        if self.unclosed >= MAX_UNCLOSED {
            return None;
        }
        let mut items = Vec::new();
        let mut item: Option<Range<usize>> = None;
        let (mut depth, mut plain, mut at) = (0_usize, false, open);
        while let Some(byte) = self.byte(at) {
            let from = at;
            let mut content = true;
            match byte {
                b'[' | b'{' => (depth, plain) = (depth + 1, false),
                b']' | b'}' => {
                    (depth, plain) = (depth - 1, false);
                    if depth == 0 {
                        items.extend(item);
                        return Some((at + 1, items));
                    }
                }
                b',' => {
                    plain = false;
                    if depth == 1 {
                        items.extend(item.take());
                        content = false;
                    }
                }
                b'"' | b'\'' if !plain => at = self.quoted(at)? - 1,
                b'#' if at.checked_sub(1).and_then(|at| self.byte(at)).is_some_and(is_blank_or_break) => {
                    at = self.line_end(at).max(at + 1) - 1;
                    content = false;
                }
                b':' if self.ends_key_in_flow(at) => plain = false,
                b' ' | b'\t' | b'\n' | b'\r' => content = false,
                _ => plain = true,
            }
            at += 1;
            if content && from > open {
                item = Some(item.map_or(from, |item| item.start)..at);
            }
        }
        self.unclosed += 1;
        None
    }

    fn ends_key_in_flow(&self, at: usize) -> bool {
        let quoted_before =
            matches!(at.checked_sub(1).and_then(|at| self.byte(at)), Some(b'"' | b'\'' | b']' | b'}'));
        let next = self.byte(at + 1);
        quoted_before || next.is_none_or(|next| is_blank_or_break(next) || b",[]{}".contains(&next))
    }
}

/// Adds a block collection that begins at `column` to `open`, the indentations of the open
/// collections, and removes deeper ones.
fn deepen(open: &mut Vec<usize>, column: usize) {
    while open.len() > 1 && open.last().is_some_and(|indent| *indent > column) {
        open.pop();
    }
    if open.last().is_none_or(|indent| *indent < column) {
        open.push(column);
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_blank_or_break(byte: u8) -> bool {
    is_blank(byte) || is_break(byte)
}
