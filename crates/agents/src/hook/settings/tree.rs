//! JSON as it lies in a text: each value with its bytes, so that one can be added or taken out and all others stay.
//!
//! Comments and a comma behind the last item are read where the agent reads them too. It changes nothing itself.

use std::ops::Range;

use serde_json::{Map, Value};

/// What of JSON's kin an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syntax {
    /// `//` and `/* */`.
    pub comments: bool,
    /// A comma behind the last item.
    pub trailing_commas: bool,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    pub(in crate::hook) fn at(text: &str, at: usize, message: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column =
            before.rsplit('\n').next().unwrap_or_default().trim_start_matches('\u{feff}').chars().count() + 1;
        Self { line, column, message: message.into() }
    }
}

/// A value and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// An object, whose items have keys.
    Object(Vec<Item>),
    /// A list.
    Array(Vec<Item>),
    /// Anything else.
    Scalar,
}

/// A value in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its key, in an object.
    pub key: Option<String>,
    /// Where what stands before it ends: the container's opening, a comma, or a comment.
    pub lead: usize,
    /// Its first byte: that of its key, where it has one.
    pub start: usize,
    /// The value.
    pub value: Node,
    /// The comma behind it.
    pub comma: Option<usize>,
}

impl Item {
    /// The byte behind it, the comma not counted.
    pub fn end(&self) -> usize {
        self.value.range.end
    }
}

impl Node {
    /// The items of an object or list; none of anything else.
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::Scalar => &[],
        }
    }

    /// The place of its closing bracket.
    pub fn close(&self) -> usize {
        self.range.end - 1
    }

    /// The number of the item with that key.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.items().iter().position(|item| item.key.as_deref() == Some(key))
    }

    /// The value with that key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.find(key).map(|at| &self.items()[at].value)
    }

    /// The value as data. Numbers that no machine holds are null; of a key that stands twice the last counts.
    pub fn value(&self, text: &str) -> Value {
        match &self.kind {
            Kind::Object(items) => {
                let field = |item: &Item| (item.key.clone().unwrap_or_default(), item.value.value(text));
                Value::Object(items.iter().map(field).collect::<Map<_, _>>())
            }
            Kind::Array(items) => items.iter().map(|item| item.value.value(text)).collect(),
            Kind::Scalar => serde_json::from_str(&text[self.range.clone()]).unwrap_or(Value::Null),
        }
    }
}

/// Reads a text; none where it holds nothing but blanks.
///
/// # Errors
/// Where it is no JSON of this syntax.
pub fn read(text: &str, syntax: Syntax) -> Result<Option<Node>, Fault> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, syntax, depth: 0 };
    reader.blanks()?;
    if reader.peek().is_none() && text[start..].trim_matches(BLANKS).is_empty() {
        return Ok(None);
    }
    let node = reader.node()?;
    reader.blanks()?;
    match reader.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(reader.fault("nothing may stand behind the value")),
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
/// How deep values may lie in each other.
const DEEPEST: usize = 100;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    syntax: Syntax,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::at(self.text, self.at, message)
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Passes blanks and comments; gives where the last comment ends, or where it began.
    fn blanks(&mut self) -> Result<usize, Fault> {
        let mut lead = self.at;
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches(BLANKS).len();
            let length = if self.rest().starts_with("//") {
                let line = self.rest().lines().next().unwrap_or_default();
                line.len()
            } else if self.rest().starts_with("/*") {
                match self.rest()[2..].find("*/") {
                    Some(end) => end + 4,
                    None => return Err(self.fault("this comment is not closed")),
                }
            } else {
                return Ok(lead);
            };
            if !self.syntax.comments {
                return Err(self.fault("comments are not read here"));
            }
            self.at += length;
            lead = self.at;
        }
    }

    fn node(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.items(b'}')?),
            Some(b'[') => Kind::Array(self.items(b']')?),
            Some(b'"') => {
                self.string()?;
                Kind::Scalar
            }
            _ => {
                self.word()?;
                Kind::Scalar
            }
        };
        Ok(Node { range: start..self.at, kind })
    }

    fn items(&mut self, close: u8) -> Result<Vec<Item>, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.fault("values lie too deep in each other"));
        }
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            let lead = self.blanks()?;
            let comma = items.last().is_none_or(|last| last.comma.is_some());
            if self.peek() == Some(close) && (items.is_empty() || !comma || self.syntax.trailing_commas) {
                self.at += 1;
                self.depth -= 1;
                return Ok(items);
            }
            if !comma {
                return Err(self.fault(format!("a comma or `{}` is missing", char::from(close))));
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
            items.push(Item { key, lead, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a key in quotes is missing"));
        }
        let start = self.at;
        self.string()?;
        let written = &self.text[start..self.at];
        let key = serde_json::from_str(written).unwrap_or_else(|_| written.trim_matches('"').to_owned());
        self.blanks()?;
        if !self.takes(b':') {
            return Err(self.fault("a `:` is missing"));
        }
        self.blanks()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.fault("this text is not closed"));
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
                        _ => return Err(self.fault("JSON has no such escape")),
                    };
                }
                Some(byte) if byte < 0x20 => {
                    return Err(self.fault("a line break or control character stands within a text"));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// `true`, `false`, `null` or a number.
    fn word(&mut self) -> Result<(), Fault> {
        let end = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c))
            .unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        if !matches!(word, "true" | "false" | "null") && !is_number(word) {
            let line = self.rest().lines().next().unwrap_or_default();
            let shown: String = line.chars().take(12).collect();
            let message = if self.rest().is_empty() {
                "the text ends within a value".to_owned()
            } else {
                format!("`{shown}` is no value")
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

    const STRICT: Syntax = Syntax { comments: false, trailing_commas: false };
    const LOOSE: Syntax = Syntax { comments: true, trailing_commas: true };

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
