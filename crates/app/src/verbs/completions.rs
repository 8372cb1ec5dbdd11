//! Suggests values for an argument that a person is typing.
//!
//! Suggestions come from the settings and from the indexes as they are. This module changes no
//! file, takes no lock and reports no error: without a usable vault there is nothing to suggest.

use std::collections::HashMap;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::request::Request;
use crate::sessions::SessionAccess;
use cm_index::sessions::{SessionIndexFilter, SessionLookup};
use cm_note::markdown::escape::visible;
use cm_note::note::{Note, NoteKind, RelationTable, TypeTable};
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode, TextCondition, TextField};
use cm_store::config::keys::KEYS;
use cm_text::tokens::fold;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 200;
/// Maximum number of notes that are compared with the beginning of a title.
const MAX_COMPARED_NOTES: usize = 1000;
/// Longest title that is suggested, in characters; of other notes, the id is.
const MAX_TITLE_CHARS: usize = 100;
/// Minimum number of characters for which ids are suggested.
const SHORTEST_ID: usize = 3;

/// What an argument accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionSubject {
    /// A note, by title or id.
    Note,
    /// A rule or anti-pattern, by its text or id.
    Bullet,
    /// A type of memories.
    Type,
    /// A type of memories or a kind of notes.
    TypeOrKind,
    Tag,
    /// A type of edges.
    Relation,
    /// A category of the playbook.
    Category,
    /// A setting.
    Setting,
    /// A session, by id.
    Session,
}

/// A value that an argument accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionValue {
    /// One line without hidden or control characters.
    pub value: String,
    /// Description in any characters: text of the vault, of a log or of the settings.
    pub about: Option<String>,
}

impl CompletionValue {
    fn new(value: impl Into<String>, about: Option<&str>) -> Self {
        Self { value: value.into(), about: about.map(str::to_owned) }
    }
}

/// Returns the values that start with `typed`, ignoring case and diacritics; at most 200. Notes and
/// sessions are sorted by time, newest first.
pub fn completions(request: &Request, subject: CompletionSubject, typed: &str) -> Vec<CompletionValue> {
    let context = Context::open_read_only(request.clone()).ok();
    let mut values = match (&context, subject) {
        (_, CompletionSubject::Setting) => {
            KEYS.iter().map(|key| CompletionValue::new(key.name, Some(key.about))).collect()
        }
        (_, CompletionSubject::Relation) => relations(context.as_ref()),
        (_, CompletionSubject::Type) => types(context.as_ref()),
        (_, CompletionSubject::TypeOrKind) => [types(context.as_ref()), kinds()].concat(),
        (None, _) => Vec::new(),
        (Some(context), CompletionSubject::Session) => sessions(context, typed),
        (Some(context), _) => {
            context.vaults.iter().flat_map(|open| of_vault(context, open, subject, typed)).collect()
        }
    };
    let typed = folded(typed);
    let mut seen = std::collections::HashSet::new();
    values.retain(|one| {
        visible(&one.value) == one.value
            && folded(&one.value).starts_with(&typed)
            && seen.insert(one.value.clone())
    });
    values.truncate(MAX_SUGGESTIONS);
    values
}

fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold(text, &mut folded);
    folded
}

fn types(context: Option<&Context>) -> Vec<CompletionValue> {
    let built_in = TypeTable::default();
    let table = context.map_or(&built_in, |context| &context.target().settings.types);
    table.iter().map(|one| CompletionValue::new(&one.name, None)).collect()
}

fn kinds() -> Vec<CompletionValue> {
    [NoteKind::Memory, NoteKind::Bullet, NoteKind::Blocked, NoteKind::Diary, NoteKind::Stash]
        .map(|kind| CompletionValue::new(kind.name(), None))
        .into()
}

fn relations(context: Option<&Context>) -> Vec<CompletionValue> {
    let built_in = RelationTable::default();
    let table = context.map_or(&built_in, |context| &context.target().settings.relations);
    table.iter().map(|name| CompletionValue::new(name, None)).collect()
}

fn sessions(context: &Context, typed: &str) -> Vec<CompletionValue> {
    let access = SessionAccess::open_without_refresh(context);
    let found = access.query(|sessions| {
        if typed.is_empty() {
            let page = sessions.list(&SessionIndexFilter::default(), 0, MAX_SUGGESTIONS)?;
            return Ok(page.list.into_iter().map(|listed| listed.session).collect());
        }
        Ok(match sessions.lookup(typed)? {
            SessionLookup::Nothing => Vec::new(),
            SessionLookup::One(listed) => vec![listed.session],
            SessionLookup::Several(several) => several,
        })
    });
    let found = found.ok().flatten().unwrap_or_default();
    found
        .iter()
        .map(|session| CompletionValue::new(session.meta.id.as_str(), session.meta.title.as_deref()))
        .collect()
}

/// Returns the suggestions from the index of one vault; none if the index cannot be used.
fn of_vault(
    context: &Context,
    open: &OpenVault,
    subject: CompletionSubject,
    typed: &str,
) -> Vec<CompletionValue> {
    let labels = |label| {
        let found = context.query_index(open, |index| index.labels(label, typed, MAX_SUGGESTIONS));
        found.unwrap_or_default().into_iter().map(|value| CompletionValue::new(value, None))
    };
    match subject {
        CompletionSubject::Tag => labels(LabelField::Tag).collect(),
        // Memories have categories, too.
        CompletionSubject::Category => labels(LabelField::Category)
            .filter(|category| {
                let of_rules = [kind(NoteKind::Bullet), label(LabelField::Category, &category.value, false)];
                !notes(context, open, of_rules.into(), 1).is_empty()
            })
            .collect(),
        CompletionSubject::Bullet => titles_and_ids(context, open, Some(NoteKind::Bullet), typed),
        _ => titles_and_ids(context, open, None, typed),
    }
}

/// Suggests notes by their title, or by their id if the title does not name them: because several
/// notes have it, or because it is long, hidden in part or looks like an option.
fn titles_and_ids(
    context: &Context,
    open: &OpenVault,
    only: Option<NoteKind>,
    typed: &str,
) -> Vec<CompletionValue> {
    let only: Vec<QueryNode> = only.map(kind).into_iter().collect();
    let narrowed = [only.clone(), title_begins(typed)].concat();
    let mut found = notes(context, open, narrowed, MAX_COMPARED_NOTES);
    if found.is_empty() {
        found = notes(context, open, only.clone(), MAX_COMPARED_NOTES);
    }
    let mut namesakes: HashMap<String, usize> = HashMap::new();
    for note in &found {
        *namesakes.entry(folded(&note.title)).or_default() += 1;
    }
    let by_id = |note: &Note| CompletionValue::new(note.key(), Some(&note.title));
    let mut values: Vec<CompletionValue> = found
        .iter()
        .map(|note| {
            let names = namesakes.get(&folded(&note.title)) == Some(&1)
                && note.title.chars().count() <= MAX_TITLE_CHARS
                && !note.title.starts_with('-')
                && visible(&note.title) == note.title;
            let about = note.note_type.as_deref().unwrap_or(note.kind.name());
            if names { CompletionValue::new(&note.title, Some(about)) } else { by_id(note) }
        })
        .collect();
    if typed.len() >= SHORTEST_ID || typed.starts_with("b-") {
        let of_id = [only, vec![label(LabelField::Id, typed, true)]].concat();
        values.extend(notes(context, open, of_id, MAX_SUGGESTIONS).iter().map(by_id));
    }
    values
}

/// Returns the newest notes that match all of `filter`, without edges and episodes.
fn notes(context: &Context, open: &OpenVault, filter: Vec<QueryNode>, most: usize) -> Vec<Note> {
    let filter = [vec![QueryNode::Everything], filter].concat();
    let not = vec![kind(NoteKind::Edge), kind(NoteKind::Episode)];
    let root = QueryNode::Group(BooleanGroup { filter, not, ..BooleanGroup::default() });
    let query = Query { root, notices: Vec::new() };
    let found = context.query_index(open, |index| index.search(&query, 0, most));
    found.map(|found| found.hits.into_iter().map(|hit| hit.note).collect()).unwrap_or_default()
}

/// Conditions that a title with this beginning meets; other titles may meet them as well.
fn title_begins(typed: &str) -> Vec<QueryNode> {
    let mut words: Vec<String> = typed
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(str::to_owned)
        .collect();
    let last = words.pop().map(TextCondition::Prefix);
    let conditions = words.into_iter().map(TextCondition::Word).chain(last);
    conditions.map(|text| QueryNode::Text { field: Some(TextField::Title), text }).collect()
}

fn kind(kind: NoteKind) -> QueryNode {
    label(LabelField::Kind, kind.name(), false)
}

fn label(label: LabelField, value: &str, prefix: bool) -> QueryNode {
    QueryNode::Label { label, value: label.folded(value), prefix }
}
