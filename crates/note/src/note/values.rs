//! Converts frontmatter fields to the types of a note; values of another type become findings.

use yaml_serde::Value;

use crate::finding::{Finding, FindingCode, Severity};
use crate::frontmatter::parse::{FrontmatterField, FrontmatterFields, scalar_text};
use crate::instant::Instant;
use crate::path::NotePath;
use cm_text::spelling::nearest;

/// Reads typed values from a note's frontmatter, and collects findings about invalid ones.
pub(super) struct FieldReader<'a> {
    pub path: &'a NotePath,
    pub fields: &'a FrontmatterFields,
    pub findings: Vec<Finding>,
    /// Keys whose invalid values are errors instead of warnings.
    pub required: &'static [&'static str],
}

impl FieldReader<'_> {
    /// Reports a finding about a field.
    pub fn report(
        &mut self,
        field: &FrontmatterField,
        code: FindingCode,
        message: String,
        hint: impl Into<String>,
    ) {
        let required = code == FindingCode::InvalidValue && self.required.contains(&field.key.as_str());
        let severity = if required { Severity::Error } else { Severity::Warning };
        self.report_at(field.line, field.column, severity, code, message, hint);
    }

    /// Reports a finding at a location.
    pub fn report_at(
        &mut self,
        line: u32,
        column: u32,
        severity: Severity,
        code: FindingCode,
        message: String,
        hint: impl Into<String>,
    ) {
        self.findings.push(
            Finding::new(self.path, code, severity, message).with_location(line, column).with_hint(hint),
        );
    }

    /// Reads a text; numbers and dates as written.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let field = self.fields.get(key)?;
        match field.text() {
            Some(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            None if field.value.is_null() => None,
            None => {
                self.report(
                    field,
                    FindingCode::InvalidValue,
                    format!("`{key}` is not text"),
                    "use a single text value",
                );
                None
            }
        }
    }

    /// Reads a text that should be one of `allowed`. Any other text is returned too, with a
    /// finding.
    pub fn one_of(&mut self, key: &str, allowed: &[&str]) -> Option<String> {
        let text = self.text(key)?;
        if let Some(field) = self.fields.get(key).filter(|_| !allowed.contains(&text.as_str())) {
            let hint = match nearest(&text, allowed.iter().copied()) {
                Some(nearest_value) => format!("did you mean `{nearest_value}`?"),
                None => format!("use one of {}", allowed.join(", ")),
            };
            self.report(field, FindingCode::InvalidValue, format!("`{text}` is not a valid {key}"), hint);
        }
        Some(text)
    }

    /// Reads a finite number, also if it is quoted.
    pub fn number(&mut self, key: &str) -> Option<f64> {
        let field = self.fields.get(key).filter(|field| !field.value.is_null())?;
        let number = number(&field.value);
        if number.is_none() {
            self.report(field, FindingCode::InvalidValue, format!("`{key}` is not a number"), "use a number");
        }
        number
    }

    /// Reads a number from 0 to 1; clamps other numbers and reports them.
    pub fn fraction(&mut self, key: &str) -> Option<f64> {
        let number = self.number(key)?;
        if let Some(field) = self.fields.get(key).filter(|_| !(0.0..=1.0).contains(&number)) {
            let message = format!("`{key}` is {number}");
            self.report(field, FindingCode::OutOfRange, message, "use a number from 0.0 to 1.0");
        }
        Some(number.clamp(0.0, 1.0))
    }

    /// Reads a point in time; reports any other text.
    pub fn date(&mut self, key: &str) -> Option<Instant> {
        let text = self.text(key)?;
        let field = self.fields.get(key)?;
        match Instant::parse(&text) {
            Ok(at) => Some(at),
            Err(_) => {
                let message = format!("`{key}` is not a date: `{text}`");
                self.report(
                    field,
                    FindingCode::InvalidValue,
                    message,
                    "use 2026-11-01T09:30:00Z or 2026-11-01",
                );
                None
            }
        }
    }

    /// Reads a boolean, including YAML 1.1's `yes`, `no`, `on` and `off`.
    pub fn flag(&mut self, key: &str) -> Option<bool> {
        let text = self.text(key)?.to_ascii_lowercase();
        match text.as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => {
                let field = self.fields.get(key)?;
                let message = format!("`{key}` is not true or false");
                self.report(field, FindingCode::InvalidValue, message, "use `true` or `false`");
                None
            }
        }
    }

    /// Reads a list of texts; a single text is a list of one.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(field) = self.fields.get(key) else { return Vec::new() };
        match &field.value {
            Value::Null => Vec::new(),
            Value::Sequence(items) => self.items(field, items),
            Value::Mapping(_) => {
                let message = format!("`{key}` is not a list");
                self.report(field, FindingCode::InvalidValue, message, format!("write `{key}: [one, two]`"));
                Vec::new()
            }
            _ => self.text(key).into_iter().collect(),
        }
    }

    fn items(&mut self, field: &FrontmatterField, items: &[Value]) -> Vec<String> {
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match (scalar_text(item), linked(item)) {
                (Some(text), _) | (None, Some(text)) => texts.push(text.trim().to_owned()),
                (None, None) if item.is_null() => {}
                (None, None) => {
                    let message = format!("an item of `{}` is not text", field.key);
                    let line = field.item_line(index);
                    let hint = "put each item in quotes if it contains a colon";
                    self.report_at(
                        line,
                        field.column,
                        Severity::Warning,
                        FindingCode::InvalidValue,
                        message,
                        hint,
                    );
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        texts
    }
}

/// Converts a value to a finite number; a quoted number counts.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Tagged(tagged) => number(&tagged.value),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// Reads an unquoted `[[Note]]`, which YAML parses as nested lists.
fn linked(item: &Value) -> Option<String> {
    let parts: Option<Vec<String>> = item.as_sequence()?.iter().map(scalar_text).collect();
    parts.map(|parts| parts.join(", "))
}
