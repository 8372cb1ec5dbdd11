//! A note's body as markdown: its plain text, headings, links and tags.

use crate::domain::note::Link;

/// A heading of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its plain text.
    pub text: String,
    /// The line in the file, from 1.
    pub line: u32,
}

/// What a body holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its plain text, code kept.
    pub text: String,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    /// Its links, in order.
    pub links: Vec<Link>,
    /// Its inline tags, without `#`.
    pub tags: Vec<String>,
}
