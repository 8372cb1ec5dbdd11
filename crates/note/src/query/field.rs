//! Query fields and the interpretation of their values.

use super::{BooleanGroup, DateField, LabelField, QueryNode, TextCondition, TextField, date};
use crate::instant::Instant;
use crate::note::NoteKind;
use cm_text::spelling::edit_distance;
use cm_text::tokens::fold;

/// Type of a query field.
#[derive(Debug, Clone, Copy)]
pub(super) enum QueryField {
    Text(TextField),
    Label(LabelField),
    Date(DateField),
    Path,
    Importance,
    Is,
}

const FIELDS: [(&str, QueryField); 25] = [
    ("title", QueryField::Text(TextField::Title)),
    ("body", QueryField::Text(TextField::Body)),
    ("heading", QueryField::Text(TextField::Heading)),
    ("headings", QueryField::Text(TextField::Heading)),
    ("tag", QueryField::Label(LabelField::Tag)),
    ("tags", QueryField::Label(LabelField::Tag)),
    ("type", QueryField::Label(LabelField::Type)),
    ("kind", QueryField::Label(LabelField::Kind)),
    ("folder", QueryField::Label(LabelField::Folder)),
    ("category", QueryField::Label(LabelField::Category)),
    ("priority", QueryField::Label(LabelField::Priority)),
    ("state", QueryField::Label(LabelField::State)),
    ("maturity", QueryField::Label(LabelField::Maturity)),
    ("scope", QueryField::Label(LabelField::Scope)),
    ("workspace", QueryField::Label(LabelField::Workspace)),
    ("agent", QueryField::Label(LabelField::Agent)),
    ("author", QueryField::Label(LabelField::Author)),
    ("session", QueryField::Label(LabelField::Session)),
    ("id", QueryField::Label(LabelField::Id)),
    ("path", QueryField::Path),
    ("created", QueryField::Date(DateField::Created)),
    ("updated", QueryField::Date(DateField::Updated)),
    ("importance", QueryField::Importance),
    ("is", QueryField::Is),
    ("pinned", QueryField::Label(LabelField::Pinned)),
];

/// Names of all fields.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name)
}

/// Returns the field with this name, ignoring case.
pub(super) fn by_name(name: &str) -> Option<QueryField> {
    FIELDS.iter().find(|(field_name, _)| field_name.eq_ignore_ascii_case(name)).map(|(_, field)| *field)
}

/// Returns the field that a misspelled name probably means.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    // Short names are near to everything, and one letter off in the first place is rarely a slip.
    let close = |field_name: &str| {
        let is_cut = name.len() == 3 && field_name.len() == 4 && field_name.starts_with(&name);
        is_cut
            || name.len() > 3
                && field_name.len() > 3
                && field_name.bytes().next() == name.bytes().next()
                && edit_distance(&name, field_name) == 1
    };
    FIELDS.iter().map(|(field_name, _)| *field_name).find(|field_name| close(field_name))
}

impl QueryField {
    /// Builds the condition for a value of this field; `None` if the value is invalid.
    pub(super) fn node(self, value: &str, quoted: bool, now: Instant) -> Option<QueryNode> {
        match self {
            Self::Text(field) => Some(QueryNode::Text { field: Some(field), text: text(value, quoted) }),
            Self::Label(label) => labels(label, value, quoted),
            Self::Path => {
                let path = value.trim_start_matches("./").to_lowercase();
                (!path.is_empty()).then_some(QueryNode::Path(path))
            }
            Self::Date(field) => {
                let (from, until) = date::bounds(value, now)?;
                Some(QueryNode::Dated { date: field, from, until })
            }
            Self::Importance => importance(value),
            Self::Is => is(&value.to_lowercase()),
        }
    }
}

/// Parses a word with its operator, such as `sock*` or `sokcet~1`.
pub(super) fn text(value: &str, quoted: bool) -> TextCondition {
    if quoted {
        return TextCondition::Phrase(value.to_owned());
    }
    let worded = |text: &str| text.chars().any(char::is_alphanumeric);
    if let Some(prefix) = value.strip_suffix('*')
        && worded(prefix)
        && !prefix.contains('*')
    {
        return TextCondition::Prefix(prefix.to_owned());
    }
    if let Some((word, distance)) = value.rsplit_once('~')
        && worded(word)
        && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && let Some(distance) = fuzziness(distance)
    {
        return TextCondition::Fuzzy(word.to_owned(), distance);
    }
    TextCondition::Word(value.to_owned())
}

fn fuzziness(written: &str) -> Option<u8> {
    match written {
        "" | "1" => Some(1),
        "0" => Some(0),
        _ => written.parse::<u32>().ok().map(|_| 2),
    }
}

fn labels(label: LabelField, value: &str, quoted: bool) -> Option<QueryNode> {
    let values: Vec<&str> = if quoted { vec![value] } else { value.split(',').collect() };
    let mut nodes: Vec<QueryNode> =
        values.into_iter().filter_map(|value| self::label(label, value, quoted)).collect();
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(QueryNode::Group(BooleanGroup { should: nodes, ..BooleanGroup::default() })),
    }
}

fn label(label: LabelField, value: &str, quoted: bool) -> Option<QueryNode> {
    let (value, prefix) = match value.strip_suffix('*') {
        Some(value) if !quoted => (value, true),
        _ => (value, label == LabelField::Id),
    };
    let value = label.folded(value);
    // A note without a type is shown with its kind in place of one.
    let kind = NoteKind::ALL.iter().find(|kind| label == LabelField::Type && !prefix && kind.name() == value);
    let node = |label| QueryNode::Label { label, value: value.clone(), prefix };
    match kind {
        _ if value.is_empty() => None,
        Some(_) => {
            let should = [label, LabelField::Kind].map(node).into();
            Some(QueryNode::Group(BooleanGroup { should, ..BooleanGroup::default() }))
        }
        None => Some(node(label)),
    }
}

impl LabelField {
    /// Normalizes a value for comparison: lower case, without optional prefixes and with uniform
    /// separators.
    pub fn folded(self, value: &str) -> String {
        let value = value.trim();
        let bare = match self {
            Self::Tag => value.trim_start_matches('#'),
            Self::Folder => value.trim_start_matches("./").trim_matches('/'),
            _ => value,
        };
        let mut folded = String::with_capacity(bare.len());
        fold(bare, &mut folded);
        match self {
            Self::Type | Self::Kind | Self::State | Self::Maturity => folded.replace(['-', ' '], "_"),
            Self::Tag => folded.replace(' ', "-"),
            _ => folded,
        }
    }
}

fn importance(value: &str) -> Option<QueryNode> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    let node = |least, most| Some(QueryNode::Importance { least, most });
    if let Some((from, to)) = value.split_once("..") {
        let side = |text: &str, open| if text.is_empty() { Some(open) } else { number(text) };
        return (value != "..").then(|| node(side(from, least)?, side(to, most)?)).flatten();
    }
    if let Some(value) = value.strip_prefix(">=") {
        node(number(value)?, most)
    } else if let Some(value) = value.strip_prefix("<=") {
        node(least, number(value)?)
    } else if let Some(value) = value.strip_prefix('>') {
        node(number(value)?.next_up(), most)
    } else if let Some(value) = value.strip_prefix('<') {
        node(least, number(value)?.next_down())
    } else {
        let value = number(value.strip_prefix('=').unwrap_or(value))?;
        node(value, value)
    }
}

/// Parses the value of `is:`: `pinned`, or a kind, state or maturity.
fn is(value: &str) -> Option<QueryNode> {
    let (label, value) = match value {
        "pinned" => (LabelField::Pinned, "true"),
        "draft" | "active" | "retired" => (LabelField::State, value),
        "candidate" | "established" | "proven" | "deprecated" => (LabelField::Maturity, value),
        "rule" => (LabelField::Type, value),
        "anti_pattern" | "anti-pattern" => (LabelField::Type, "anti_pattern"),
        _ => (LabelField::Kind, NoteKind::ALL.iter().find(|kind| kind.name() == value)?.name()),
    };
    Some(QueryNode::Label { label, value: value.to_owned(), prefix: false })
}
