//! JSON parser that records the byte range of each value, so that the text can be edited without
//! reformatting.
//!
//! Comments and trailing commas are accepted if the agent accepts them.

use std::ops::Range;

use serde_json::{Map, Value};

/// JSON dialect of an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonDialect {
    /// Whether `//` and `/* */` comments are allowed.
    pub comments: bool,
    /// Whether a comma after the last item is allowed.
    pub trailing_commas: bool,
}

impl JsonDialect {
    /// Plain JSON.
    pub const STRICT: Self = Self { comments: false, trailing_commas: false };
    pub const WITH_COMMENTS: Self = Self { comments: true, trailing_commas: false };
    /// Comments and trailing commas.
    pub const LOOSE: Self = Self { comments: true, trailing_commas: true };
}

/// Syntax error in a settings text, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SettingsError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    pub message: String,
}

impl SettingsError {
    pub(in crate::hook) fn at(text: &str, at: usize, message: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column =
            before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1;
        Self { line, column, message: message.into() }
    }
}

/// A value with its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonNode {
    /// Byte range in the text.
    pub range: Range<usize>,
    pub kind: JsonKind,
}

/// Kind of a JSON value, with the items of containers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKind {
    /// Object; its items have keys.
    Object(Vec<JsonItem>),
    Array(Vec<JsonItem>),
    /// String, number, boolean or null.
    Scalar,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonItem {
    /// Key, if the container is an object.
    pub key: Option<String>,
    /// Byte offset of the whitespace before the item: after the opening bracket, a comma or a
    /// comment.
    pub lead: usize,
    /// Byte offset of the item: of its key or, in an array, its value.
    pub start: usize,
    pub value: JsonNode,
    /// Byte offset of the comma after the item.
    pub comma: Option<usize>,
}

impl JsonItem {
    /// Byte offset of the end of the value, before any comma.
    pub fn end(&self) -> usize {
        self.value.range.end
    }
}

impl JsonNode {
    /// Items of an object or array; empty for scalars.
    pub fn items(&self) -> &[JsonItem] {
        match &self.kind {
            JsonKind::Object(items) | JsonKind::Array(items) => items,
            JsonKind::Scalar => &[],
        }
    }

    /// Byte offset of the closing bracket.
    pub fn close(&self) -> usize {
        self.range.end - 1
    }

    /// First item with this key, and its index.
    pub fn find(&self, key: &str) -> Option<(usize, &JsonItem)> {
        self.items().iter().enumerate().find(|(_, item)| item.key.as_deref() == Some(key))
    }

    /// Value of the first item with this key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.find(key).map(|(_, item)| &item.value)
    }

    /// Converts the node to a JSON value. Invalid numbers become null; of duplicate keys, the last
    /// one wins.
    pub fn value(&self, text: &str) -> Value {
        match &self.kind {
            JsonKind::Object(items) => {
                let field = |item: &JsonItem| (item.key.clone().unwrap_or_default(), item.value.value(text));
                Value::Object(items.iter().map(field).collect::<Map<_, _>>())
            }
            JsonKind::Array(items) => items.iter().map(|item| item.value.value(text)).collect(),
            JsonKind::Scalar => serde_json::from_str(&text[self.range.clone()]).unwrap_or(Value::Null),
        }
    }
}

/// Parses a text; `None` if it is blank.
///
/// # Errors
/// Fails if the text is not valid JSON of this dialect.
pub fn read(text: &str, syntax: JsonDialect) -> Result<Option<JsonNode>, SettingsError> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = JsonReader { text, at: start, syntax, depth: 0 };
    reader.blanks()?;
    if reader.peek().is_none() && text[start..].trim_matches(BLANKS).is_empty() {
        return Ok(None);
    }
    let node = reader.node()?;
    reader.blanks()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.fault("unexpected text after the value")),
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// Maximum nesting depth.
const MAX_NESTING: usize = 100;

struct JsonReader<'a> {
    text: &'a str,
    at: usize,
    syntax: JsonDialect,
    depth: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, message: impl Into<String>) -> SettingsError {
        SettingsError::at(self.text, self.at, message)
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips whitespace and comments. Returns the end of the last comment, or the start if there is
    /// none.
    fn blanks(&mut self) -> Result<usize, SettingsError> {
        let mut lead = self.at;
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches(BLANKS).len();
            let length = if self.rest().starts_with("//") {
                let line = self.rest().lines().next().unwrap_or_default();
                line.len()
            } else if self.rest().starts_with("/*") {
                match self.rest()[2..].find("*/") {
                    Some(end) => end + 4,
                    None => return Err(self.fault("the comment is not closed")),
                }
            } else {
                return Ok(lead);
            };
            if !self.syntax.comments {
                return Err(self.fault("comments are not allowed here"));
            }
            self.at += length;
            lead = self.at;
        }
    }

    fn node(&mut self) -> Result<JsonNode, SettingsError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => JsonKind::Object(self.items(b'}')?),
            Some(b'[') => JsonKind::Array(self.items(b']')?),
            Some(b'"') => {
                self.string()?;
                JsonKind::Scalar
            }
            _ => {
                self.word()?;
                JsonKind::Scalar
            }
        };
        Ok(JsonNode { range: start..self.at, kind })
    }

    fn items(&mut self, close: u8) -> Result<Vec<JsonItem>, SettingsError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err(self.fault("values are nested too deeply"));
        }
        self.at += 1;
        let mut items: Vec<JsonItem> = Vec::new();
        loop {
            let lead = self.blanks()?;
            let comma = items.last().is_none_or(|last| last.comma.is_some());
            if self.peek() == Some(close) && (items.is_empty() || !comma || self.syntax.trailing_commas) {
                self.at += 1;
                self.depth -= 1;
                return Ok(items);
            }
            if !comma {
                return Err(self.fault(format!("expected a comma or `{}`", char::from(close))));
            }
            let start = self.at;
            let key = if close == b'}' { Some(self.key()?) } else { None };
            let value = self.node()?;
            self.blanks()?;
            let comma = self.takes(b',').then(|| self.at - 1);
            if comma.is_none() {
                // What stands before the closing bracket belongs to no item.
                self.at = value.range.end;
            }
            items.push(JsonItem { key, lead, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, SettingsError> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("expected a key in quotes"));
        }
        let start = self.at;
        self.string()?;
        let written = &self.text[start..self.at];
        let key = serde_json::from_str(written).unwrap_or_else(|_| written.trim_matches('"').to_owned());
        self.blanks()?;
        if !self.takes(b':') {
            return Err(self.fault("expected `:`"));
        }
        self.blanks()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<(), SettingsError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.fault("the string is not closed"));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    let escape = self.rest().as_bytes();
                    let hex = escape.get(2..6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
                    self.at += match escape.get(1) {
                        Some(b'u') if hex => 6,
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        _ => return Err(self.fault("invalid escape sequence in a string")),
                    };
                }
                Some(byte) if byte < 0x20 => {
                    return Err(self.fault("a string contains a line break or control character"));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Parses `true`, `false`, `null` or a number.
    fn word(&mut self) -> Result<(), SettingsError> {
        let end = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c))
            .unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        if !matches!(word, "true" | "false" | "null") && !is_number(word) {
            let line = self.rest().lines().next().unwrap_or_default();
            let shown: String = line.chars().take(12).collect();
            let message = if self.rest().is_empty() {
                "the file ends inside a value".to_owned()
            } else {
                format!("invalid value `{shown}`")
            };
            return Err(self.fault(message));
        }
        self.at += end;
        Ok(())
    }
}

fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = word.strip_prefix('-').unwrap_or(word);
    let (base, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(base, exponent)| (base, Some(exponent)));
    let (whole, fraction) =
        base.split_once('.').map_or((base, None), |(whole, fraction)| (whole, Some(fraction)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STRICT: JsonDialect = JsonDialect::STRICT;
    const LOOSE: JsonDialect = JsonDialect::LOOSE;

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, line, column) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3),
            ("{\"a\": }", 1, 7),
            ("{\"a\" 1}", 1, 6),
            ("{a: 1}", 1, 2),
            ("[1,]", 1, 4),
            ("[1", 1, 3),
            ("\u{feff}{\"é\": nope}", 1, 7),
            ("{} x", 1, 4),
            ("{ // no\n}", 1, 3),
            ("[\"a\nb\"]", 1, 4),
            ("[\"\\x\"]", 1, 3),
            ("[01]", 1, 2),
            ("\"open", 1, 1),
            ("{", 1, 2),
        ] {
            let fault = read(text, STRICT).unwrap_err();
            assert_eq!((fault.line, fault.column), (line, column), "{text:?}: {fault}");
        }
        assert!(read(&"[".repeat(200), STRICT).is_err());
        assert!(read("[1 /* open", LOOSE).is_err());
    }

    #[test]
    fn comments_and_a_last_comma_are_read_where_the_syntax_has_them() {
        let text = "{ // one\n \"a\": [1, /* two */ 2,], }\n// end";
        let node = read(text, LOOSE).unwrap().unwrap();
        assert_eq!(node.value(text), serde_json::json!({ "a": [1, 2] }));
        let list = node.get("a").unwrap();
        assert_eq!(&text[list.items()[1].lead..list.items()[1].start], " ");
        assert_eq!(read(" \r\n\u{20}", STRICT), Ok(None));
        assert_eq!(read("\u{feff}", STRICT), Ok(None));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[\\[\\]{}\":,/*\\\\ntrue0-9eE.é \n-]{0,40}") {
            let ours = read(&text, STRICT);
            // The one reader of the whole project for JSON must agree, but for numbers that it cannot hold.
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(ours.as_ref().unwrap().as_ref().unwrap().value(&text), value);
            } else if !text.trim_matches(BLANKS).is_empty() && !text.contains(['e', 'E']) && !text.contains("\\u") {
                prop_assert!(ours.is_err(), "{:?}", text);
            }
            let _ = read(&text, LOOSE);
        }
    }
}
