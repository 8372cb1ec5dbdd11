//! Lexer for queries: words, phrases, fields, operators and parentheses.

use super::field::{self, QueryField};
use super::{LabelField, QueryNode, TextCondition};
use crate::instant::Instant;
use cm_text::tokens::Tokenizer;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum QueryToken {
    Leaf(QueryNode),
    And,
    Or,
    Not,
    Must,
    Open,
    Close,
}

/// Maximum nesting of parentheses.
const MAX_PARENTHESIS_DEPTH: usize = 32;
/// Maximum number of words and conditions.
const MAX_LEAVES: usize = 256;

pub(super) struct QueryLexer<'a> {
    rest: &'a str,
    now: Instant,
    open: usize,
    leaves: usize,
    pub(super) items: Vec<QueryToken>,
    pub(super) notices: Vec<String>,
}

impl<'a> QueryLexer<'a> {
    pub(super) fn new(text: &'a str, now: Instant) -> Self {
        Self { rest: text, now, open: 0, leaves: 0, items: Vec::new(), notices: Vec::new() }
    }

    /// Reads the whole text, and closes parentheses that are still open.
    pub(super) fn run(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(first) = self.rest.chars().next() else { break };
            if self.leaves == MAX_LEAVES {
                self.notice(format!("only the first {MAX_LEAVES} words of the query are used"));
                break;
            }
            self.piece(first);
        }
        if self.open > 0 {
            self.notice("a `(` is not closed".to_owned());
            self.items.extend(std::iter::repeat_n(QueryToken::Close, self.open));
        }
    }

    fn piece(&mut self, first: char) {
        match first {
            '"' | '“' | '”' => self.quote(first),
            '(' if self.open < MAX_PARENTHESIS_DEPTH => {
                self.open += 1;
                self.take(first, QueryToken::Open);
            }
            '(' => {
                self.notice("the parentheses are nested too deeply: the inner ones are ignored".to_owned());
                self.rest = &self.rest[1..];
            }
            ')' if self.open > 0 => {
                self.open -= 1;
                self.take(first, QueryToken::Close);
            }
            ')' if !self.rest[1..].starts_with(|c: char| c.is_alphanumeric()) => {
                self.notice("a `)` without `(`".to_owned());
                self.rest = &self.rest[1..];
            }
            '[' if self.property() => {}
            '-' if self.signs() => self.take(first, QueryToken::Not),
            '+' if self.signs() => self.take(first, QueryToken::Must),
            _ => self.chunk(),
        }
    }

    /// Whether the `+` or `-` at the start of `rest` is an operator rather than part of a word such
    /// as `--flag`, `-c` or `->`. Nobody excludes a single letter.
    fn signs(&self) -> bool {
        let word = self.rest[1..].split(|c: char| c.is_whitespace() || c == ')').next().unwrap_or_default();
        if self.rest.starts_with('-')
            && word.trim_end_matches(['.', ',', ';', '?', '!']).len() == 1
            && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return false;
        }
        let next = word.chars().next();
        property(&self.rest[1..]).is_some()
            || next.is_some_and(|c| c.is_alphanumeric() || !c.is_ascii() || "\"(#@_./".contains(c))
    }

    fn take(&mut self, first: char, item: QueryToken) {
        self.rest = &self.rest[first.len_utf8()..];
        self.items.push(item);
    }

    fn quote(&mut self, first: char) {
        let inner = &self.rest[first.len_utf8()..];
        match quoted(self.rest) {
            Some((text, rest)) => {
                self.rest = rest;
                self.text(TextCondition::Phrase(text.to_owned()));
            }
            None => {
                self.notice("a `\"` is not closed: searched for the single words".to_owned());
                self.rest = inner;
            }
        }
    }

    /// Reads `[key:value]` at the start of `rest`; returns whether it did.
    fn property(&mut self) -> bool {
        let Some((key, value, rest)) = property(self.rest) else { return false };
        self.rest = rest;
        match field::by_name(key) {
            Some(field) => self.field(key, field, value, true),
            None => self.leaf(QueryNode::label(LabelField::Property, &format!("{key}:{value}"))),
        }
        true
    }

    /// Reads a chunk up to white space, including balanced parentheses within it.
    fn chunk(&mut self) {
        let mut inner = 0usize;
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match c {
                '(' => inner += 1,
                ')' if inner > 0 => inner -= 1,
                ')' if self.open > 0 => {
                    end = at;
                    break;
                }
                ':' if inner == 0 && self.quoted_field(at) => return,
                _ if c.is_whitespace() => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (chunk, rest) = self.rest.split_at(end);
        self.rest = rest;
        match chunk {
            "AND" => self.items.push(QueryToken::And),
            "OR" => self.items.push(QueryToken::Or),
            "NOT" => self.items.push(QueryToken::Not),
            "*" => self.leaf(QueryNode::Everything),
            _ => self.word(chunk),
        }
    }

    /// Reads `field:"value"`, if the `:` at `at` is the first one of its chunk; returns whether it
    /// did.
    fn quoted_field(&mut self, at: usize) -> bool {
        let (name, rest) = (&self.rest[..at], &self.rest[at + 1..]);
        let Some(field) = field::by_name(name) else { return false };
        let Some((value, rest)) = quoted(rest) else { return false };
        self.rest = rest;
        self.field(name, field, value, true);
        true
    }

    fn word(&mut self, chunk: &str) {
        let Some((name, value)) = chunk.split_once(':') else { return self.text(field::text(chunk, false)) };
        let plain =
            name.is_empty() || value.starts_with([':', '/', '\\']) || value.is_empty() && chunk.len() > 12;
        match field::by_name(name) {
            Some(field) if !plain || value.starts_with('/') => self.field(name, field, value, false),
            None if !plain && !value.is_empty() => {
                if let Some(near) = field::nearest(name) {
                    self.notice(format!("unknown field `{name}:`, did you mean `{near}:`?"));
                }
                self.text(TextCondition::Word(chunk.to_owned()));
            }
            _ => self.text(field::text(chunk, false)),
        }
    }

    fn field(&mut self, name: &str, field: QueryField, value: &str, quoted: bool) {
        match field.node(value, quoted, self.now) {
            Some(QueryNode::Text { field, text }) if searchable(text.as_str()) => {
                self.leaf(QueryNode::Text { field, text });
            }
            Some(node) if !matches!(node, QueryNode::Text { .. }) => self.leaf(node),
            _ => {
                self.notice(refusal(name, field, value));
                self.text(TextCondition::Word(format!("{name} {value}")));
            }
        }
    }

    fn text(&mut self, text: TextCondition) {
        if searchable(text.as_str()) {
            self.leaf(QueryNode::Text { field: None, text });
        }
    }

    fn leaf(&mut self, node: QueryNode) {
        self.leaves += 1;
        self.items.push(QueryToken::Leaf(node));
    }

    pub(super) fn notice(&mut self, notice: String) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }
}

/// Returns the text within the quotes at the start, and the text after them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next()?;
    let closing: &[char] = match first {
        '"' => &['"'],
        '“' | '”' => &['”', '“', '"'],
        _ => return None,
    };
    let inner = &text[first.len_utf8()..];
    let end = inner.find(closing)?;
    let close = inner[end..].chars().next().map_or(0, char::len_utf8);
    Some((&inner[..end], &inner[end + close..]))
}

/// Returns key and value of `[key:value]` at the start, as in Obsidian, and the text after it; `None` for
/// links and code in brackets.
pub(super) fn property(text: &str) -> Option<(&str, &str, &str)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (key, value) = inner.split_once(':')?;
    let is_key = key.starts_with(char::is_alphabetic)
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_value = value.starts_with(|c: char| c.is_alphanumeric() || c == '"') && !value.contains('[');
    let is_whole = rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ')');
    (is_key && is_value && is_whole).then(|| (key, value.trim_matches('"').trim(), rest))
}

fn searchable(text: &str) -> bool {
    Tokenizer::default().next_unit(text, &mut 0).is_some()
}

fn refusal(name: &str, field: QueryField, value: &str) -> String {
    let expected = match field {
        _ if value.is_empty() => return format!("`{name}:` has no value: searched for it as a word"),
        QueryField::Date(_) => "not a date: use 2026-11-01, 2026-11, >2026-01-01, 2026-01..2026-03 or 30d",
        QueryField::Importance => "not a number: use >0.5 or 0.2..0.8",
        QueryField::Is => "unknown: use is:pinned, or is: with a kind, state or maturity",
        _ => "not searchable",
    };
    format!("`{name}:{value}` is {expected}; searched for its words")
}
