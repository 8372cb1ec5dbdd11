//! Frontmatter fields as the types that a note wants, with a finding for each that is something else.

use yaml_serde::Value;

use crate::finding::{Code, Finding, Severity};
use crate::frontmatter::parse::{Field, Fields, scalar_text};
use crate::instant::Instant;
use crate::path::NotePath;
use cm_text::spelling::nearest;

/// The fields of one note, and the findings so far.
pub(super) struct Values<'a> {
    pub path: &'a NotePath,
    pub fields: &'a Fields,
    pub findings: Vec<Finding>,
    /// Keys whose bad values are errors, not warnings.
    pub required: &'static [&'static str],
}

impl Values<'_> {
    /// A finding about a field.
    pub fn find(&mut self, field: &Field, code: Code, message: String, hint: impl Into<String>) {
        let required = code == Code::InvalidValue && self.required.contains(&field.key.as_str());
        let severity = if required { Severity::Error } else { Severity::Warning };
        self.find_at(field.line, field.column, severity, code, message, hint);
    }

    /// A finding at a place.
    pub fn find_at(
        &mut self,
        line: u32,
        column: u32,
        severity: Severity,
        code: Code,
        message: String,
        hint: impl Into<String>,
    ) {
        self.findings.push(Finding::new(self.path, code, severity, message).at(line, column).hint(hint));
    }

    /// One line of text; numbers and dates as they are written.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let field = self.fields.get(key)?;
        match field.text() {
            Some(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            None if field.value.is_null() => None,
            None => {
                self.find(field, Code::InvalidValue, format!("`{key}` is no text"), "write one text");
                None
            }
        }
    }

    /// A text that should be one of these; any other is kept, with a finding.
    pub fn one_of(&mut self, key: &str, known: &[&str]) -> Option<String> {
        let text = self.text(key)?;
        if let Some(field) = self.fields.get(key).filter(|_| !known.contains(&text.as_str())) {
            let hint = match nearest(&text, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write one of {}", known.join(", ")),
            };
            self.find(field, Code::InvalidValue, format!("`{text}` is no {key}"), hint);
        }
        Some(text)
    }

    /// A finite number; one that is written as text counts.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        let field = self.fields.get(key).filter(|field| !field.value.is_null())?;
        let number = number(&field.value);
        if number.is_none() {
            self.find(field, Code::InvalidValue, format!("`{key}` is no number"), "write a number");
        }
        number
    }

    /// A number from 0 to 1; one outside is taken for the nearer end.
    pub fn fraction(&mut self, key: &str) -> Option<f64> {
        let number = self.number(key)?;
        if let Some(field) = self.fields.get(key).filter(|_| !(0.0..=1.0).contains(&number)) {
            let message = format!("`{key}` is {number}");
            self.find(field, Code::OutOfRange, message, "write a number from 0.0 to 1.0");
        }
        Some(number.clamp(0.0, 1.0))
    }

    /// A point in time.
    pub fn date(&mut self, key: &str) -> Option<Instant> {
        let text = self.text(key)?;
        let field = self.fields.get(key)?;
        match Instant::parse(&text) {
            Ok(at) => Some(at),
            Err(_) => {
                let message = format!("`{key}` is no date: `{text}`");
                self.find(field, Code::InvalidValue, message, "write 2026-11-01T09:30:00Z or 2026-11-01");
                None
            }
        }
    }

    /// A truth value, also as the words that YAML 1.1 has for it.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        let text = self.text(key)?.to_ascii_lowercase();
        match text.as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => {
                let field = self.fields.get(key)?;
                let message = format!("`{key}` is neither true nor false");
                self.find(field, Code::InvalidValue, message, "write `true` or `false`");
                None
            }
        }
    }

    /// A list of texts; a single text counts as a list of one.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(field) = self.fields.get(key) else { return Vec::new() };
        match &field.value {
            Value::Null => Vec::new(),
            Value::Sequence(items) => self.items(field, items),
            Value::Mapping(_) => {
                let message = format!("`{key}` is no list");
                self.find(field, Code::InvalidValue, message, format!("write `{key}: [one, two]`"));
                Vec::new()
            }
            _ => self.text(key).into_iter().collect(),
        }
    }

    fn items(&mut self, field: &Field, items: &[Value]) -> Vec<String> {
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match (scalar_text(item), linked(item)) {
                (Some(text), _) | (None, Some(text)) => texts.push(text.trim().to_owned()),
                (None, None) if item.is_null() => {}
                (None, None) => {
                    let message = format!("an item of `{}` is no text", field.key);
                    let line = field.item_line(index);
                    let hint = "put each item in quotes if it holds a colon";
                    self.find_at(line, field.column, Severity::Warning, Code::InvalidValue, message, hint);
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        texts
    }
}

/// A finite number, also one in quotes.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Tagged(tagged) => number(&tagged.value),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// `[[Note]]` without quotes: a list of lists to YAML, a link to people.
fn linked(item: &Value) -> Option<String> {
    let parts: Option<Vec<String>> = item.as_sequence()?.iter().map(scalar_text).collect();
    parts.map(|parts| parts.join(", "))
}
