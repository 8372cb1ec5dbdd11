//! Strict reading of line-based files: every line is used or reported as an error.

use std::path::Path;

use serde_json::{Map, Value};

use crate::fault::{EvalError, Result};

/// A line of a file with its position.
pub struct Line<'a> {
    path: &'a Path,
    number: usize,
    pub text: &'a str,
}

/// A line that contains a JSON object.
pub struct Object<'a> {
    /// Position of the object.
    pub line: Line<'a>,
    fields: Map<String, Value>,
}

/// Reads a file.
///
/// # Errors
///
/// The file cannot be read.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(EvalError::file(path))
}

/// Returns the lines of a text that are not blank.
pub fn lines<'a>(path: &'a Path, text: &'a str) -> impl Iterator<Item = Line<'a>> {
    let numbered = text.lines().enumerate().map(move |(at, text)| Line { path, number: at + 1, text });
    numbered.filter(|line| !line.text.trim().is_empty())
}

/// Parses the lines of a text as JSON objects.
pub fn objects<'a>(path: &'a Path, text: &'a str) -> impl Iterator<Item = Result<Object<'a>>> {
    lines(path, text).map(|line| match serde_json::from_str(line.text) {
        Ok(Value::Object(fields)) => Ok(Object { line, fields }),
        Ok(_) => Err(line.fault("a line is a JSON object")),
        Err(error) => Err(line.fault(format!("no JSON: {error}"))),
    })
}

impl Line<'_> {
    /// Creates an error for this line.
    pub fn fault(&self, message: impl Into<String>) -> EvalError {
        EvalError::Line { path: self.path.to_owned(), line: self.number, message: message.into() }
    }
}

impl Object<'_> {
    /// Returns a required text field.
    pub fn text(&self, key: &str) -> Result<String> {
        self.maybe(key)?.ok_or_else(|| self.line.fault(format!("the line has no `{key}`")))
    }

    /// Returns an optional text field. A number is converted to text.
    pub fn maybe(&self, key: &str) -> Result<Option<String>> {
        match self.fields.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(self.line.fault(format!("`{key}` is not text"))),
        }
    }
}
