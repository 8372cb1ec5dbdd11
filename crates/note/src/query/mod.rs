//! The query language: what a person or an agent types, as a tree.
//!
//! Words and phrases side by side are wishes: the more of them a note has, the better it ranks. Fields are needed, `+`
//! makes a word needed, `-` and `NOT` exclude; `AND` and `OR` join their neighbours, `AND` the more tightly.
//!
//! Parsing never fails: what makes no sense is searched for as words, and a notice says so. It knows the
//! fields of notes but not how they are indexed.

mod date;
mod field;
mod lex;
mod parse;
mod plain;

use crate::instant::Instant;

/// What somebody asks for, and what was not understood of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The tree.
    pub root: Node,
    /// What was taken otherwise than written, each a sentence without a full stop.
    pub notices: Vec<String>,
}

/// A part of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Every note.
    Everything,
    /// No note: nothing that was written can be searched for.
    Nothing,
    /// Text looked for in title, headings, tags and body, or in one of them.
    Text {
        /// The one field to look in.
        field: Option<TextField>,
        /// What to look for.
        text: Text,
    },
    /// A fact that a note has or has not.
    Label {
        /// Which fact.
        label: Label,
        /// Its value, folded to lower case.
        value: String,
        /// Whether the value may go on.
        prefix: bool,
    },
    /// The path, in lower case: a part of it, or with `*` the whole.
    Path(String),
    /// A time from `from` on and before `until`.
    Dated {
        /// Which time.
        date: DateField,
        /// The first instant that fits.
        from: Option<Instant>,
        /// The first instant after that does not.
        until: Option<Instant>,
    },
    /// An importance within bounds, both inclusive.
    Importance {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// Several parts together.
    Group(Group),
}

/// What is looked for in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// A word or an identifier, in any of its spellings.
    Word(String),
    /// Words one after the other.
    Phrase(String),
    /// Words that begin so.
    Prefix(String),
    /// Words that differ by at most so many letters.
    Fuzzy(String, u8),
}

/// Parts of a query and what each means for a match.
///
/// A note matches when all of `must` and `filter` match and none of `not`; and, where there is no `must` but
/// a `should`, at least one of `should`. `must` and `should` rank; `filter` and `not` do not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// Needed, and ranked by.
    pub must: Vec<Node>,
    /// Wished for, and ranked by.
    pub should: Vec<Node>,
    /// Needed.
    pub filter: Vec<Node>,
    /// Excluded.
    pub not: Vec<Node>,
}

/// The fields that hold running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextField {
    /// `title:`.
    Title,
    /// `body:`.
    Body,
    /// `heading:`.
    Heading,
}

/// The fields that hold a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the field of its name")]
pub enum Label {
    Tag,
    Type,
    Kind,
    Folder,
    Category,
    Priority,
    State,
    Maturity,
    Scope,
    Workspace,
    Agent,
    Author,
    Session,
    Id,
    Pinned,
}

/// The fields that hold a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the field of its name")]
pub enum DateField {
    Created,
    Updated,
}

impl Query {
    /// Reads what was typed; ages such as `30d` count back from `now`.
    ///
    /// ```
    /// use cm::domain::{instant::Instant, query::Query};
    /// let now = Instant::parse("2026-11-21")?;
    /// let query = Query::parse(r#"type:fix "connection reset" -tag:draft sock* (created:2026-10"#, now);
    /// assert_eq!(query.notices, ["a `(` is not closed"]);
    /// # Ok::<(), cm_note::instant::NotADate>(())
    /// ```
    pub fn parse(text: &str, now: Instant) -> Self {
        parse::parse(text, now, false)
    }

    /// Like [`Query::parse`], but words side by side are all needed, as with `AND` between them. Alternatives need an `OR`.
    pub fn parse_all(text: &str, now: Instant) -> Self {
        parse::parse(text, now, true)
    }

    /// Any text, such as a person's question, as a query for its words alone: nothing in it is a field, a sign or an
    /// operator. A filter may be written beside it.
    ///
    /// ```
    /// use cm_note::query::Query;
    /// assert_eq!(Query::plain("Is -Wall \"on\" (type:error)?"), "Is Wall on type error ?");
    /// ```
    pub fn plain(text: &str) -> String {
        plain::plain(text)
    }

    /// Whether it orders what it finds; one of filters alone only selects.
    pub fn ranks(&self) -> bool {
        self.root.ranks()
    }

    /// What a note must be to be found at all, whatever words it has; none where every note may be.
    ///
    /// Words alone bound nothing, for others may mean the same. Where nothing but phrases, fields and patterns is asked
    /// for, only what has one of them is found.
    pub fn bounds(&self) -> Option<Node> {
        let group = match &self.root {
            Node::Group(group) => group,
            node => return node.is_exact().then(|| node.clone()),
        };
        let mut filter: Vec<Node> = group.must.iter().chain(&group.filter).cloned().collect();
        if group.must.is_empty() && !group.should.is_empty() && group.should.iter().all(Node::is_exact) {
            filter.push(Node::Group(Group { should: group.should.clone(), ..Group::default() }));
        }
        let bounded = !filter.is_empty() || !group.not.is_empty();
        bounded.then(|| Node::Group(Group { filter, not: group.not.clone(), ..Group::default() }))
    }

    /// What it means together: the texts that it looks for, one after the other.
    pub fn question(&self) -> String {
        self.texts().into_iter().map(Text::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The texts that it looks for, without those that it excludes, in order.
    pub fn texts(&self) -> Vec<&Text> {
        let mut texts = Vec::new();
        self.root.collect_texts(&mut texts);
        texts
    }
}

impl Node {
    /// Whether it says exactly what a note must have, and not merely what it is about.
    fn is_exact(&self) -> bool {
        match self {
            Self::Text { field, text } => field.is_some() || !matches!(text, Text::Word(_)),
            Self::Group(group) => {
                let parts = || group.must.iter().chain(&group.should).chain(&group.filter);
                parts().next().is_some() && parts().all(Self::is_exact)
            }
            Self::Everything => false,
            Self::Nothing => true,
            Self::Label { .. } | Self::Path(_) | Self::Dated { .. } | Self::Importance { .. } => true,
        }
    }

    fn ranks(&self) -> bool {
        match self {
            Self::Text { .. } => true,
            Self::Group(group) => group.must.iter().chain(&group.should).any(Self::ranks),
            Self::Everything | Self::Nothing => false,
            Self::Label { .. } | Self::Path(_) | Self::Dated { .. } | Self::Importance { .. } => false,
        }
    }

    fn collect_texts<'a>(&'a self, texts: &mut Vec<&'a Text>) {
        match self {
            Self::Text { text, .. } => texts.push(text),
            Self::Group(group) => {
                group.must.iter().chain(&group.should).for_each(|node| node.collect_texts(texts));
            }
            _ => {}
        }
    }
}

impl Text {
    /// What was written, without its operator.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Word(text) | Self::Phrase(text) | Self::Prefix(text) | Self::Fuzzy(text, _) => text,
        }
    }
}
