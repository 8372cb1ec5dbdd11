//! The query language, parsed into a tree.
//!
//! Adjacent words and phrases are optional: notes with more of them rank higher. Fields are
//! required, `+` makes a word required, `-` and `NOT` exclude; `AND` and `OR` join their neighbors,
//! `AND` with higher precedence.
//!
//! Parsing never fails: invalid syntax is searched for as words, with a notice. This module defines
//! the fields but not how they are indexed.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod date;
mod field;
mod lex;
mod parse;
mod plain;
pub mod several;
pub mod time_range;

use crate::instant::Instant;

/// A parsed query, with notices about invalid syntax.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Root of the tree.
    pub root: QueryNode,
    /// Notices about syntax that was reinterpreted, each one sentence without a full stop.
    pub notices: Vec<String>,
}

/// A node of the query tree.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryNode {
    /// Matches every note.
    Everything,
    /// Matches no note, because the query has nothing to search for.
    Nothing,
    /// Matches text in title, headings, tags and body, or in one field.
    Text {
        /// Field to search; `None` searches all.
        field: Option<TextField>,
        text: TextCondition,
    },
    /// Matches a property of a note.
    Label {
        label: LabelField,
        /// Value, folded to lower case.
        value: String,
        /// Whether the value is a prefix.
        prefix: bool,
    },
    /// Matches paths, in lower case: a substring, or with `*` a pattern for the whole path.
    Path(String),
    /// Matches a date within bounds.
    Dated {
        date: DateField,
        /// Inclusive lower bound.
        from: Option<Instant>,
        /// Exclusive upper bound.
        until: Option<Instant>,
    },
    /// Matches an importance within inclusive bounds.
    Importance { least: f64, most: f64 },
    /// Combines several nodes.
    Group(BooleanGroup),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextCondition {
    /// A word or identifier, in any spelling variant.
    Word(String),
    /// Consecutive words.
    Phrase(String),
    /// Words with this prefix.
    Prefix(String),
    /// Words within this edit distance.
    Fuzzy(String, u8),
}

/// Nodes with their roles.
///
/// A note matches if all of `must` and `filter` match and none of `not`. Without `must`, at least
/// one of `should` must match too, if there are any. `must` and `should` affect the ranking;
/// `filter` and `not` do not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BooleanGroup {
    /// Required; affects the ranking.
    pub must: Vec<QueryNode>,
    /// Optional if there is a `must`; affects the ranking.
    pub should: Vec<QueryNode>,
    /// Required; does not affect the ranking.
    pub filter: Vec<QueryNode>,
    /// Excluded.
    pub not: Vec<QueryNode>,
}

/// Fields with running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextField {
    Title,
    Body,
    Heading,
}

/// Fields with a name or keyword as value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelField {
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
    /// A frontmatter key of the person, with its value: `key:value`.
    Property,
    Id,
    Pinned,
}

/// Fields with a point in time as value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateField {
    Created,
    Updated,
}

impl Query {
    /// Parses a query; ages such as `30d` count back from `now`.
    ///
    /// ```
    /// use cm_note::{instant::Instant, query::Query};
    /// let now = Instant::parse("2026-11-21")?;
    /// let query = Query::parse(r#"type:fix "connection reset" -tag:draft sock* (created:2026-10"#, now);
    /// assert_eq!(query.notices, ["a `(` is not closed"]);
    /// # Ok::<(), cm_note::instant::InvalidDate>(())
    /// ```
    pub fn parse(text: &str, now: Instant) -> Self {
        parse::parse(text, now, false)
    }

    /// Like [`Query::parse`], but all adjacent words are required, as with `AND` between them.
    /// Alternatives need `OR`.
    pub fn parse_all(text: &str, now: Instant) -> Self {
        parse::parse(text, now, true)
    }

    /// Converts any text, such as a person's question, to a query for its words: removes everything
    /// that would be a field, sign or operator. Filters may be appended to the result.
    ///
    /// ```
    /// use cm_note::query::Query;
    /// assert_eq!(Query::plain("Is -Wall \"on\" (type:error)?"), "Is Wall on type error ?");
    /// ```
    pub fn plain(text: &str) -> String {
        plain::plain(text)
    }

    /// Whether the query ranks its results; a query of filters alone only selects.
    pub fn ranks(&self) -> bool {
        self.root.ranks()
    }

    /// Returns the filter that every result must match, whatever its words; `None` if any note can
    /// match.
    ///
    /// Plain words do not limit the results, because other words may have the same meaning. A query
    /// of phrases, fields and patterns alone only finds notes that match one of them.
    pub fn bounds(&self) -> Option<QueryNode> {
        let group = match &self.root {
            QueryNode::Group(group) => group,
            node => return node.is_exact().then(|| node.clone()),
        };
        let mut filter: Vec<QueryNode> = group.must.iter().chain(&group.filter).cloned().collect();
        if group.must.is_empty() && !group.should.is_empty() && group.should.iter().all(QueryNode::is_exact) {
            filter.push(QueryNode::Group(BooleanGroup {
                should: group.should.clone(),
                ..BooleanGroup::default()
            }));
        }
        let bounded = !filter.is_empty() || !group.not.is_empty();
        bounded.then(|| {
            QueryNode::Group(BooleanGroup { filter, not: group.not.clone(), ..BooleanGroup::default() })
        })
    }

    /// Returns the query's texts as one string, for semantic search.
    pub fn semantic_text(&self) -> String {
        self.texts().into_iter().map(TextCondition::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the texts of the query in order, without excluded ones.
    pub fn texts(&self) -> Vec<&TextCondition> {
        let mut texts = Vec::new();
        self.root.collect_texts(&mut texts);
        texts
    }

    /// Returns the types that the query selects, without prefixes.
    pub fn types(&self) -> Vec<&str> {
        let mut types = Vec::new();
        self.root.collect_types(&mut types);
        types
    }
}

/// Returns the words before a colon in a query that look like fields but are none, such as `colour` in
/// `colour:red`. `http://x`, `std::fmt` and `12:30` are words.
pub fn unknown_fields(text: &str) -> Vec<&str> {
    let is_name = |name: &str| name.len() > 1 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    text.split_whitespace()
        .filter_map(|chunk| chunk.trim_start_matches(['-', '+', '(']).split_once(':'))
        .filter(|(_, value)| !value.is_empty() && !value.starts_with([':', '/', '\\']))
        .map(|(name, _)| name)
        .filter(|name| is_name(name) && field::by_name(name).is_none())
        .collect()
}

/// Returns the keys that a query selects as `[key:value]` and that are no fields.
pub fn selected_keys(text: &str) -> Vec<&str> {
    let beginnings = text.match_indices('[').map(|(at, _)| &text[at..]);
    let keys = beginnings.filter_map(|rest| lex::property(rest).map(|(key, ..)| key));
    keys.filter(|key| field::by_name(key).is_none()).collect()
}

/// Names of all fields of queries.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    field::names()
}

impl QueryNode {
    /// Creates the condition that a property has exactly this value.
    pub fn label(label: LabelField, value: &str) -> Self {
        Self::Label { label, value: label.folded(value), prefix: false }
    }

    /// Whether the node is an exact condition, such as a phrase, pattern or field, rather than
    /// plain words about a topic.
    fn is_exact(&self) -> bool {
        match self {
            Self::Text { field, text } => field.is_some() || !matches!(text, TextCondition::Word(_)),
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

    fn collect_types<'a>(&'a self, types: &mut Vec<&'a str>) {
        match self {
            Self::Label { label: LabelField::Type, value, prefix: false } => types.push(value),
            Self::Group(group) => {
                let all = group.must.iter().chain(&group.should).chain(&group.filter);
                all.for_each(|node| node.collect_types(types));
            }
            _ => {}
        }
    }

    fn collect_texts<'a>(&'a self, texts: &mut Vec<&'a TextCondition>) {
        match self {
            Self::Text { text, .. } => texts.push(text),
            Self::Group(group) => {
                group.must.iter().chain(&group.should).for_each(|node| node.collect_texts(texts));
            }
            _ => {}
        }
    }
}

impl TextCondition {
    /// Returns the text without its operator.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Word(text) | Self::Phrase(text) | Self::Prefix(text) | Self::Fuzzy(text, _) => text,
        }
    }
}
