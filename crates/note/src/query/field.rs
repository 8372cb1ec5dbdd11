//! Query fields and the interpretation of their values.

use super::{DateField, Group, Label, Node, Text, TextField, date};
use crate::instant::Instant;
use crate::note::Kind;
use cm_text::tokens::fold;

/// Type of a query field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    Text(TextField),
    Label(Label),
    Date(DateField),
    Path,
    Importance,
    Is,
}

const FIELDS: [(&str, Field); 25] = [
    ("title", Field::Text(TextField::Title)),
    ("body", Field::Text(TextField::Body)),
    ("heading", Field::Text(TextField::Heading)),
    ("headings", Field::Text(TextField::Heading)),
    ("tag", Field::Label(Label::Tag)),
    ("tags", Field::Label(Label::Tag)),
    ("type", Field::Label(Label::Type)),
    ("kind", Field::Label(Label::Kind)),
    ("folder", Field::Label(Label::Folder)),
    ("category", Field::Label(Label::Category)),
    ("priority", Field::Label(Label::Priority)),
    ("state", Field::Label(Label::State)),
    ("maturity", Field::Label(Label::Maturity)),
    ("scope", Field::Label(Label::Scope)),
    ("workspace", Field::Label(Label::Workspace)),
    ("agent", Field::Label(Label::Agent)),
    ("author", Field::Label(Label::Author)),
    ("session", Field::Label(Label::Session)),
    ("id", Field::Label(Label::Id)),
    ("path", Field::Path),
    ("created", Field::Date(DateField::Created)),
    ("updated", Field::Date(DateField::Updated)),
    ("importance", Field::Importance),
    ("is", Field::Is),
    ("pinned", Field::Label(Label::Pinned)),
];

const KINDS: [Kind; 8] = [
    Kind::Memory,
    Kind::Edge,
    Kind::Bullet,
    Kind::Blocked,
    Kind::Episode,
    Kind::Diary,
    Kind::Stash,
    Kind::Plain,
];

/// Returns the field with this name, ignoring case.
pub(super) fn named(name: &str) -> Option<Field> {
    FIELDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| *field)
}

/// Returns the field that a misspelled name probably means.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    // Short names are near to everything, and one letter off in the first place is rarely a slip.
    let close = |known: &str| {
        name.len() > 3
            && known.len() > 3
            && known.as_bytes()[0] == name.as_bytes()[0]
            && one_slip(&name, known)
    };
    FIELDS.iter().map(|(known, _)| *known).find(|known| close(known))
}

/// Whether two words differ by one letter inserted, deleted or replaced, or by two adjacent letters
/// swapped.
fn one_slip(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    let rest = |text: &[u8], skip: usize| text.get(skip..).map(<[u8]>::to_vec);
    rest(a, 1) == rest(b, 1) && !a.is_empty()
        || rest(a, 1).as_deref() == Some(b)
        || rest(b, 1).as_deref() == Some(a)
        || a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..]
}

impl Field {
    /// Builds the condition for a value of this field; `None` if the value is invalid.
    pub(super) fn node(self, value: &str, quoted: bool, now: Instant) -> Option<Node> {
        match self {
            Self::Text(field) => Some(Node::Text { field: Some(field), text: text(value, quoted) }),
            Self::Label(label) => labels(label, value, quoted),
            Self::Path => {
                let path = value.trim_start_matches("./").to_lowercase();
                (!path.is_empty()).then_some(Node::Path(path))
            }
            Self::Date(field) => {
                let (from, until) = date::bounds(value, now)?;
                Some(Node::Dated { date: field, from, until })
            }
            Self::Importance => importance(value),
            Self::Is => is(&value.to_lowercase()),
        }
    }
}

/// Parses a word with its operator, such as `sock*` or `sokcet~1`.
pub(super) fn text(value: &str, quoted: bool) -> Text {
    if quoted {
        return Text::Phrase(value.to_owned());
    }
    let worded = |text: &str| text.chars().any(char::is_alphanumeric);
    if let Some(prefix) = value.strip_suffix('*')
        && worded(prefix)
        && !prefix.contains('*')
    {
        return Text::Prefix(prefix.to_owned());
    }
    if let Some((word, distance)) = value.rsplit_once('~')
        && worded(word)
        && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && let Some(distance) = fuzziness(distance)
    {
        return Text::Fuzzy(word.to_owned(), distance);
    }
    Text::Word(value.to_owned())
}

fn fuzziness(written: &str) -> Option<u8> {
    match written {
        "" | "1" => Some(1),
        "0" => Some(0),
        _ => written.parse::<u32>().ok().map(|_| 2),
    }
}

fn labels(label: Label, value: &str, quoted: bool) -> Option<Node> {
    let values: Vec<&str> = if quoted { vec![value] } else { value.split(',').collect() };
    let mut nodes: Vec<Node> =
        values.into_iter().filter_map(|value| self::label(label, value, quoted)).collect();
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(Node::Group(Group { should: nodes, ..Group::default() })),
    }
}

fn label(label: Label, value: &str, quoted: bool) -> Option<Node> {
    let (value, prefix) = match value.strip_suffix('*') {
        Some(value) if !quoted => (value, true),
        _ => (value, label == Label::Id),
    };
    let value = label.folded(value);
    (!value.is_empty()).then_some(Node::Label { label, value, prefix })
}

impl Label {
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

fn importance(value: &str) -> Option<Node> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    let node = |least, most| Some(Node::Importance { least, most });
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
fn is(value: &str) -> Option<Node> {
    let (label, value) = match value {
        "pinned" => (Label::Pinned, "true"),
        "draft" | "active" | "retired" => (Label::State, value),
        "candidate" | "established" | "proven" | "deprecated" => (Label::Maturity, value),
        "rule" => (Label::Type, value),
        "anti_pattern" | "anti-pattern" => (Label::Type, "anti_pattern"),
        _ => (Label::Kind, KINDS.iter().find(|kind| kind.name() == value)?.name()),
    };
    Some(Node::Label { label, value: value.to_owned(), prefix: false })
}
