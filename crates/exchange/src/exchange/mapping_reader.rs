//! Reads the keys of a mapping in another tool's file, in snake_case or camelCase, and reports keys
//! that were not read.

use yaml_serde::Value;

use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::frontmatter::parse::scalar_text;
use cm_note::instant::Instant;

/// The unread keys of a mapping, and the problems of those that were read.
pub(super) struct MappingReader<'v> {
    /// Name in snake_case, name as written, value.
    left: Vec<(String, String, &'v Value)>,
    /// Name of the mapping for messages, such as `bullet b-1`.
    pub subject: String,
    /// First line of the mapping, from 1.
    line: u32,
    messages: Vec<(FindingCode, String)>,
}

impl<'v> MappingReader<'v> {
    /// Collects the keys of a mapping; a key that occurs in both spellings is reported.
    pub fn of(
        entries: impl Iterator<Item = (String, &'v Value)>,
        subject: impl Into<String>,
        line: u32,
    ) -> Self {
        let mut keys = Self { left: Vec::new(), subject: subject.into(), line, messages: Vec::new() };
        for (written, value) in entries {
            let name = snake_case(&written);
            match keys.left.iter().find(|(other, ..)| *other == name) {
                Some((_, first, _)) => {
                    let message = format!("`{written}` means the same as `{first}`; the first one is used");
                    keys.report_problem(FindingCode::DuplicateKey, message);
                }
                None => keys.left.push((name, written, value)),
            }
        }
        keys
    }

    /// The keys of a YAML value; `None` if it is not a mapping.
    pub fn of_value(value: &'v Value, subject: impl Into<String>, line: u32) -> Option<Self> {
        let entry = |(key, value)| Some((scalar_text(key)?, value));
        Some(Self::of(value.as_mapping()?.iter().filter_map(entry), subject, line))
    }

    pub(crate) fn report_problem(&mut self, code: FindingCode, message: impl Into<String>) {
        self.messages.push((code, message.into()));
    }

    /// Whether a key exists and has not been read.
    pub fn has(&self, name: &str) -> bool {
        self.left.iter().any(|(other, ..)| other == name)
    }

    /// Reads a value; `None` if the key is missing or the value is null.
    pub fn take(&mut self, name: &str) -> Option<&'v Value> {
        let at = self.left.iter().position(|(other, ..)| other == name)?;
        Some(self.left.remove(at).2).filter(|value| !value.is_null())
    }

    /// Reads a scalar as trimmed text; `None` if it is empty.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.take(name)?;
        let text = scalar_text(value);
        if text.is_none() {
            self.report_problem(FindingCode::InvalidValue, format!("`{name}` is not text and was skipped"));
        }
        Some(text?.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Reads an enum value through `of`, in snake_case; reports unknown values.
    pub(crate) fn enum_value<T>(&mut self, name: &str, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(name)?;
        let word = of(&snake_case(&text.replace('-', "_")));
        if word.is_none() {
            self.report_problem(
                FindingCode::InvalidValue,
                format!("`{name}` has the unknown value `{text}`; the default is used"),
            );
        }
        word
    }

    /// Reads a date, truncated to seconds.
    pub fn date(&mut self, name: &str) -> Option<Instant> {
        let text = self.text(name)?;
        match Instant::parse(&text) {
            Ok(at) => Some(Instant::from_unix(at.unix())),
            Err(error) => {
                self.report_problem(FindingCode::InvalidValue, format!("`{name}`: {error}"));
                None
            }
        }
    }

    /// Reads a finite number.
    pub fn number(&mut self, name: &str) -> Option<f64> {
        let text = self.text(name)?;
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.report_problem(FindingCode::InvalidValue, format!("`{name}` is not a number: `{text}`"));
        }
        number
    }

    /// Reads a boolean: true, false, yes or no.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        let text = self.text(name)?;
        let flag = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true),
            "false" | "no" => Some(false),
            _ => None,
        };
        if flag.is_none() {
            self.report_problem(
                FindingCode::InvalidValue,
                format!("`{name}` is not true or false: `{text}`"),
            );
        }
        flag
    }

    /// Reads the non-null items of a list; a scalar counts as a list with one item.
    pub fn list(&mut self, name: &str) -> Vec<&'v Value> {
        match self.take(name) {
            Some(Value::Sequence(items)) => items.iter().filter(|item| !item.is_null()).collect(),
            Some(one) => vec![one],
            None => Vec::new(),
        }
    }

    /// Reads the non-empty texts of a list.
    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let items = self.list(name);
        let texts: Vec<String> = items.iter().filter_map(|item| scalar_text(item)).collect();
        if texts.len() < items.len() {
            self.report_problem(
                FindingCode::InvalidValue,
                format!("`{name}` contains a value that is not text; it was skipped"),
            );
        }
        texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
    }

    /// Drops keys whose values can be computed from others.
    pub fn derived(&mut self, names: &[&str]) {
        self.left.retain(|(name, ..)| !names.contains(&name.as_str()));
    }

    /// Reads a nested mapping.
    pub fn mapping(&mut self, name: &str) -> Option<Self> {
        let value = self.take(name)?;
        let keys = Self::of_value(value, "", self.line);
        if keys.is_none() {
            self.report_problem(
                FindingCode::InvalidValue,
                format!("`{name}` is not a mapping and was skipped"),
            );
        }
        keys
    }

    /// Adds the problems of a nested mapping, prefixed with `name`.
    pub(crate) fn absorb(&mut self, mut part: MappingReader<'_>, name: &str) {
        part.report_unread();
        self.messages
            .extend(part.messages.into_iter().map(|(code, message)| (code, format!("{name}: {message}"))));
    }

    fn report_unread(&mut self) {
        let left: Vec<String> = self.left.drain(..).map(|(_, written, _)| format!("`{written}`")).collect();
        if !left.is_empty() {
            let verb = if left.len() == 1 {
                "is not supported here and was"
            } else {
                "are not supported here and were"
            };
            self.report_problem(FindingCode::UnknownKey, format!("{} {verb} skipped", left.join(", ")));
        }
    }

    /// Reports the unread keys and turns all problems into findings.
    pub fn finish(mut self, file: &str, findings: &mut Vec<Finding>) {
        self.report_unread();
        findings.extend(self.messages.into_iter().map(|(code, message)| Finding {
            path: file.to_owned(),
            line: Some(self.line),
            column: None,
            code,
            severity: Severity::Warning,
            message: format!("{}: {message}", self.subject),
            hint: None,
        }));
    }
}

/// Converts `helpfulCount` to `helpful_count`.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.trim().chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_spelling_is_one_key_and_what_nobody_takes_is_stated() {
        let value: Value =
            yaml_serde::from_str("helpfulCount: 3\nhelpful_count: 4\nmood: good\npinned: maybe\n").unwrap();
        let mut keys = MappingReader::of_value(&value, "bullet b-1", 7).unwrap();
        assert_eq!(keys.number("helpful_count"), Some(3.0));
        assert_eq!(keys.flag("pinned"), None);
        let mut findings = Vec::new();
        keys.finish("playbook.yaml", &mut findings);
        let messages: Vec<&str> = findings.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "bullet b-1: `helpful_count` means the same as `helpfulCount`; the first one is used",
                "bullet b-1: `pinned` is not true or false: `maybe`",
                "bullet b-1: `mood` is not supported here and was skipped",
            ]
        );
        assert_eq!((findings[0].line, findings[0].path.as_str()), (Some(7), "playbook.yaml"));
    }

    #[test]
    fn words_are_read_in_any_usual_spelling() {
        for name in ["camelCase", "CamelCase", "camel_case"] {
            assert_eq!(snake_case(name), "camel_case");
        }
        assert_eq!(snake_case("reason"), "reason");
    }
}
