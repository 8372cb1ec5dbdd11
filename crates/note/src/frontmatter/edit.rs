//! Lossless edits: changing a key changes only that key's lines.
//!
//! Every edit is verified: the new text is parsed again, and an edit that would affect another key,
//! its value or its lines, or the body, is refused.

mod change;
mod doc;
mod list;

use std::collections::HashMap;

use yaml_serde::Value;

use crate::finding::FindingCode;
use crate::frontmatter::FrontmatterFault;
use crate::frontmatter::split::{BOM, Split};

use doc::EditableText;
pub use list::words;

/// One change of a note's text. All other bytes stay as they are.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Edit {
    /// Sets a top-level key; appends the key if it is absent.
    Set { key: String, value: Value },
    /// Removes a top-level key, if it exists.
    Remove { key: String },
    /// Appends an item to a list, unless the list has an equal one; creates the list if it is
    /// absent.
    Push {
        /// Key of the list.
        key: String,
        item: Value,
    },
    /// Removes all equal items from a list; removes the key with the last item.
    Pull {
        /// Key of the list.
        key: String,
        item: Value,
    },
    /// Removes the frontmatter with its markers if nothing is between them.
    RemoveEmptyFrontmatter,
    /// Replaces the body, the text after the closing `---` line.
    SetBody { text: String },
    /// Appends text to the body, on a new line.
    AppendBody { text: String },
    /// Replaces one line of the file; a file without that line stays as it is.
    ReplaceLine {
        /// The line, without its line break.
        line: String,
        /// Number of equal lines before it.
        nth: usize,
        /// The new line, without a line break.
        with: String,
    },
}

impl Edit {
    /// Sets a top-level key to a text.
    pub fn set_text(key: &str, text: impl Into<String>) -> Self {
        Self::Set { key: key.to_owned(), value: Value::String(text.into()) }
    }
}

/// Reason why an edit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The frontmatter is malformed, so nothing in it can be changed safely.
    #[error("{message}")]
    Malformed {
        /// Kind of problem.
        code: FindingCode,
        /// Line in the file, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// Description of the problem.
        message: String,
        /// How to fix it.
        hint: String,
    },
    /// An item was to be added to or removed from a value that is not a list.
    #[error("`{key}` is not a list")]
    NotAList {
        key: String,
        /// Line of the key in the file, from 1.
        line: u32,
    },
    /// The key's lines cannot be changed without changing others.
    #[error("`{key}` cannot be changed without changing other lines")]
    Entangled {
        key: String,
        /// Line of the key in the file, from 1.
        line: u32,
    },
    /// The text cannot be a key.
    #[error("`{key}` is not a valid key: a key is one line of 1 to 128 characters, and not `<<`")]
    BadKey {
        /// The rejected text.
        key: String,
    },
    /// The new body would be parsed as frontmatter.
    #[error("the new body starts with `---` and would be read as frontmatter")]
    BodyOpensFrontmatter,
}

impl EditError {
    /// Returns how to fix the problem.
    pub fn hint(&self) -> &str {
        match self {
            Self::Malformed { hint, .. } => hint,
            Self::NotAList { .. } => "set the key to a list first",
            Self::Entangled { .. } => {
                "other keys use its anchor, or it has an unusual format: change it by hand"
            }
            Self::BadKey { .. } => "use letters, digits, `_` and `-`",
            Self::BodyOpensFrontmatter => "start the body with another line",
        }
    }

    /// Line in the file, from 1, if the error has a location.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Malformed { line, .. } | Self::NotAList { line, .. } | Self::Entangled { line, .. } => {
                Some(*line)
            }
            Self::BadKey { .. } | Self::BodyOpensFrontmatter => None,
        }
    }

    /// Column in characters, from 1, if the error has a location.
    pub fn column(&self) -> Option<u32> {
        if let Self::Malformed { column, .. } = self { Some(*column) } else { None }
    }
}

impl From<FrontmatterFault> for EditError {
    fn from(fault: FrontmatterFault) -> Self {
        let FrontmatterFault { code, line, column, message, hint } = fault;
        Self::Malformed { code, line, column, message, hint }
    }
}

/// Applies edits in order; fails as a whole if one of them is refused.
///
/// ```
/// use cm_note::frontmatter::edit::{Edit, apply};
/// let note = "---\ntitle: Old  # keep\ntags: [a]\n---\nBody";
/// let edits = [Edit::Set { key: "title".into(), value: "New".into() }];
/// assert_eq!(apply(note, &edits)?, "---\ntitle: New  # keep\ntags: [a]\n---\nBody");
/// # Ok::<(), cm_note::frontmatter::edit::EditError>(())
/// ```
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for edit in edits {
        text = one(&text, edit)?;
    }
    Ok(text)
}

/// Returns edits that replace the lines in which two texts of equal length differ; `None` if they
/// have another number of lines.
pub fn line_edits(before: &str, after: &str) -> Option<Vec<Edit>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if old.len() != new.len() {
        return None;
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut edits = Vec::new();
    for (line, with) in old.into_iter().zip(new) {
        let nth = seen.entry(line).or_default();
        if line != with {
            edits.push(Edit::ReplaceLine { line: line.to_owned(), nth: *nth, with: with.to_owned() });
        }
        *nth += 1;
    }
    // From the last to the first: a replaced line no longer counts.
    edits.reverse();
    Some(edits)
}

fn one(text: &str, edit: &Edit) -> Result<String, EditError> {
    if let Edit::ReplaceLine { line, nth, with } = edit {
        return replace_line(text, line, *nth, with);
    }
    let doc = EditableText::open(text)?;
    match edit {
        Edit::ReplaceLine { .. } => Ok(text.to_owned()),
        Edit::Set { key, value } => change::set(&doc, key, value),
        Edit::Remove { key } => change::remove(&doc, key),
        Edit::Push { key, item } => list::push(&doc, key, item),
        Edit::Pull { key, item } => list::pull(&doc, key, item),
        Edit::RemoveEmptyFrontmatter => without_empty_frontmatter(&doc.split),
        Edit::SetBody { text: body } => set_body(&doc.split, body),
        Edit::AppendBody { text: more } => {
            let body = doc.split.body();
            let between = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
            let more = in_line_breaks(&format!("{between}{more}"), doc.split.line_break());
            keeping_split(&doc.split, format!("{}{more}", after_closing(&doc.split, text)))
        }
    }
}

fn replace_line(text: &str, line: &str, nth: usize, with: &str) -> Result<String, EditError> {
    let content =
        |line: &str| line.strip_suffix('\n').map_or(line.len(), |line| line.trim_end_matches('\r').len());
    let mut at = 0;
    let mut places = text.split_inclusive('\n').filter_map(|whole| {
        let range = at..at + content(whole);
        at += whole.len();
        (text[range.clone()] == *line).then_some(range)
    });
    let Some(range) = places.nth(nth) else { return Ok(text.to_owned()) };
    let new = format!("{}{with}{}", &text[..range.start], &text[range.end..]);
    let (old_split, split) = (Split::of(text), Split::of(&new));
    let same = split.yaml().is_some() == old_split.yaml().is_some()
        && split.fault().is_none() == old_split.fault().is_none();
    if same { Ok(new) } else { Err(EditError::BodyOpensFrontmatter) }
}

fn without_empty_frontmatter(split: &Split<'_>) -> Result<String, EditError> {
    if split.yaml() != Some("") {
        return Ok(split.text().to_owned());
    }
    let bom = if split.text().starts_with(BOM) { "\u{feff}" } else { "" };
    let text = format!("{bom}{}", split.body());
    let new = Split::of(&text);
    let is_body = new.yaml().is_none() && new.fault().is_none();
    if is_body { Ok(text) } else { Err(EditError::BodyOpensFrontmatter) }
}

fn set_body(split: &Split<'_>, body: &str) -> Result<String, EditError> {
    let head = after_closing(split, &split.text()[..split.body_start()]);
    keeping_split(split, format!("{head}{}", in_line_breaks(body, split.line_break())))
}

/// Returns `text` with a line break appended if the original file ends right after the closing
/// `---`, so that a body can follow.
fn after_closing(split: &Split<'_>, text: &str) -> String {
    let missing = split.yaml().is_some() && split.body().is_empty() && !split.text().ends_with('\n');
    format!("{text}{}", if missing { split.line_break() } else { "" })
}

fn keeping_split(old: &Split<'_>, new: String) -> Result<String, EditError> {
    let split = Split::of(&new);
    let same = split.yaml_range() == old.yaml_range() && split.fault().is_none();
    if same { Ok(new) } else { Err(EditError::BodyOpensFrontmatter) }
}

/// Returns a text with all its line breaks as `line_break`, which is `\n` or `\r\n`.
pub fn in_line_breaks(text: &str, line_break: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    if line_break == "\n" { unix } else { unix.replace('\n', line_break) }
}

#[cfg(test)]
mod tests;
