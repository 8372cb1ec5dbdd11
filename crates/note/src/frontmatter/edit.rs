//! Lossless edits: changing one key changes that key's lines only.
//!
//! Every edit is checked before it counts: the new text is parsed again, and an edit that would touch another
//! key, its value or its lines, or the body, is refused.

mod change;
mod doc;
mod list;

use yaml_serde::Value;

use crate::finding::Code;
use crate::frontmatter::Fault;
use crate::frontmatter::split::Split;

use doc::Doc;
pub use list::words;

/// One change of a note's text. All bytes that it does not speak of stay as they are.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Edit {
    /// Gives a top-level key this value; adds the key at the end where it is absent.
    Set {
        /// The key.
        key: String,
        /// Its new value.
        value: Value,
    },
    /// Removes a top-level key; nothing happens where it is absent.
    Remove {
        /// The key.
        key: String,
    },
    /// Adds an item at the end of a list, making the list where it is absent; nothing happens where an equal item is in it.
    Push {
        /// The list's key.
        key: String,
        /// The item.
        item: Value,
    },
    /// Removes the equal items of a list; the key goes with the last one.
    Pull {
        /// The list's key.
        key: String,
        /// The item.
        item: Value,
    },
    /// A new body, from after the closing `---` line on.
    SetBody {
        /// The text.
        text: String,
    },
    /// Text at the end of the body, after a line break where the body has none at its end.
    AppendBody {
        /// The text.
        text: String,
    },
}

/// Why a text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The frontmatter is not sound, so nothing in it can be changed safely.
    #[error("{message}")]
    Malformed {
        /// What kind of thing is wrong.
        code: Code,
        /// The line in the file, from 1.
        line: u32,
        /// The column in characters, from 1.
        column: u32,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// An item was to be added to or removed from something that is no list.
    #[error("`{key}` holds no list")]
    NotAList {
        /// The key.
        key: String,
        /// Its line in the file, from 1.
        line: u32,
    },
    /// The key's lines cannot be changed without changing others.
    #[error("`{key}` cannot be changed without changing other lines")]
    Entangled {
        /// The key.
        key: String,
        /// Its line in the file, from 1.
        line: u32,
    },
    /// A text that cannot be a key.
    #[error("`{key}` cannot be a key: it is one line of 1 to 128 characters, and not `<<`")]
    BadKey {
        /// What was given.
        key: String,
    },
    /// The new body would be taken for frontmatter.
    #[error("the new body begins with `---` and would be read as frontmatter")]
    BodyOpensFrontmatter,
}

impl EditError {
    /// What to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Malformed { hint, .. } => hint,
            Self::NotAList { .. } => "set the key to a list first",
            Self::Entangled { .. } => {
                "other keys use its anchor, or it is written in an unusual way: change it by hand"
            }
            Self::BadKey { .. } => "use letters, digits, `_` and `-`",
            Self::BodyOpensFrontmatter => "begin the body with another line",
        }
    }

    /// The line in the file that it is about, from 1.
    pub fn line(&self) -> Option<u32> {
        match self {
            Self::Malformed { line, .. } | Self::NotAList { line, .. } | Self::Entangled { line, .. } => {
                Some(*line)
            }
            Self::BadKey { .. } | Self::BodyOpensFrontmatter => None,
        }
    }

    /// The column in characters, from 1.
    pub fn column(&self) -> Option<u32> {
        if let Self::Malformed { column, .. } = self { Some(*column) } else { None }
    }
}

impl From<Fault> for EditError {
    fn from(fault: Fault) -> Self {
        let Fault { code, line, column, message, hint } = fault;
        Self::Malformed { code, line, column, message, hint }
    }
}

/// The text after all edits, in order; refused as a whole where one is refused.
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

fn one(text: &str, edit: &Edit) -> Result<String, EditError> {
    let doc = Doc::open(text)?;
    match edit {
        Edit::Set { key, value } => change::set(&doc, key, value),
        Edit::Remove { key } => change::remove(&doc, key),
        Edit::Push { key, item } => list::push(&doc, key, item),
        Edit::Pull { key, item } => list::pull(&doc, key, item),
        Edit::SetBody { text: body } => set_body(&doc.split, body),
        Edit::AppendBody { text: more } => {
            let body = doc.split.body();
            let between = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
            let more = in_line_breaks(&format!("{between}{more}"), doc.split.line_break());
            keeping_split(&doc.split, format!("{}{more}", after_closing(&doc.split, text)))
        }
    }
}

fn set_body(split: &Split<'_>, body: &str) -> Result<String, EditError> {
    let head = after_closing(split, &split.text()[..split.body_start()]);
    keeping_split(split, format!("{head}{}", in_line_breaks(body, split.line_break())))
}

/// The text, with a line break where it ends right after the closing `---`.
fn after_closing(split: &Split<'_>, text: &str) -> String {
    let missing = split.yaml().is_some() && split.body().is_empty() && !split.text().ends_with('\n');
    format!("{text}{}", if missing { split.line_break() } else { "" })
}

fn keeping_split(old: &Split<'_>, new: String) -> Result<String, EditError> {
    let split = Split::of(&new);
    let same = split.yaml_range() == old.yaml_range() && split.fault().is_none();
    if same { Ok(new) } else { Err(EditError::BodyOpensFrontmatter) }
}

fn in_line_breaks(text: &str, line_break: &str) -> String {
    let unix = text.replace("\r\n", "\n");
    if line_break == "\n" { unix } else { unix.replace('\n', line_break) }
}

#[cfg(test)]
mod tests;
