//! Text for users that refers to commands and options, which each surface words for its users.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A hint or notice: one clause without a full stop.
///
/// In a code span, `` `cm log --op delete` `` refers to a command and `` `--days` `` to an option.
/// The command line prints both as they are; for other surfaces, [`Self::reworded`] replaces them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserText(String);

/// The interface through which a caller reaches the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Interface {
    /// Commands in a shell.
    #[default]
    CommandLine,
    /// Tools of the Model Context Protocol.
    Mcp,
    /// Endpoints of the HTTP server.
    Http,
}

/// A reference in a [`UserText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A command without the leading `cm`, with its arguments.
    Command(&'a str),
    /// An option without its dashes, with its value if the text has one.
    Option(&'a str),
}

impl UserText {
    /// The text for users of the command line.
    pub fn for_terminal(&self) -> &str {
        &self.0
    }

    /// Returns the text with the code span of each reference replaced by the result of `word`.
    pub fn reworded(&self, word: impl Fn(Reference<'_>) -> String) -> String {
        // Every second piece between backticks is a code span, except after the last backtick
        // of an odd number.
        let pieces: Vec<&str> = self.0.split('`').collect();
        let spans = pieces.len().saturating_sub(1) / 2;
        let mut text = String::with_capacity(self.0.len());
        for (at, piece) in pieces.iter().enumerate() {
            let is_span = at % 2 == 1 && at / 2 < spans;
            match reference(piece).filter(|_| is_span) {
                Some(found) => text.push_str(&word(found)),
                None if is_span => text.extend(["`", piece, "`"]),
                None if at > spans * 2 => text.extend(["`", piece]),
                None => text.push_str(piece),
            }
        }
        text
    }

    /// Applies `change` to the text, for example to remove paths.
    pub fn map(self, change: impl FnOnce(String) -> String) -> Self {
        Self(change(self.0))
    }
}

impl<T: Into<String>> From<T> for UserText {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

/// The schema is that of a string, because the text is serialized as one.
impl JsonSchema for UserText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

fn reference(span: &str) -> Option<Reference<'_>> {
    span.strip_prefix("cm ")
        .map(Reference::Command)
        .or_else(|| span.strip_prefix("--").map(Reference::Option))
        .filter(|found| match found {
            Reference::Command(rest) | Reference::Option(rest) => {
                rest.starts_with(|c: char| c.is_ascii_lowercase())
            }
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reworded(text: &str) -> String {
        UserText::from(text).reworded(|found| match found {
            Reference::Command(command) => format!("<{command}>"),
            Reference::Option(option) => format!("[{option}]"),
        })
    }

    #[test]
    fn commands_and_options_are_replaced_and_other_code_stays() {
        let text = "`cm log --op delete` lists them; set `git.commit` or `--days 0`, not `git fetch --all`";
        let expected = "<log --op delete> lists them; set `git.commit` or [days 0], not `git fetch --all`";
        assert_eq!(reworded(text), expected);
    }

    #[test]
    fn an_unpaired_backtick_is_text() {
        assert_eq!(reworded("a ` b"), "a ` b");
        assert_eq!(reworded("`cm get` and ` cm get"), "<get> and ` cm get");
    }

    #[test]
    fn code_that_only_looks_like_a_reference_stays() {
        assert_eq!(reworded("`cm …`, `cm`, `--`, `---`"), "`cm …`, `cm`, `--`, `---`");
    }

    proptest! {
        #[test]
        fn text_without_references_stays_as_it_is(text in "[a-z` -]{0,40}") {
            prop_assume!(!text.contains("`cm ") && !text.contains("`--"));
            prop_assert_eq!(reworded(&text), text);
        }
    }
}
