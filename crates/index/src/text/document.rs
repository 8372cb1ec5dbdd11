//! Converts notes to documents of the text index.

use tantivy::schema::document::{DeserializeError, DocumentDeserialize, DocumentDeserializer};
use tantivy::{TantivyDocument, Term};

use super::schema::Fields;
use crate::entry::IndexedNote;
use cm_note::graph::{NameKey, further_mentions, mentions, names_of};
use cm_note::markdown::Outline;
use cm_note::note::read::ParsedNote;
use cm_note::note::turn::{Speaker, Turn};
use cm_note::note::{Note, Priority};
use cm_note::path::NotePath;
use cm_note::query::LabelField;
use cm_text::translation::to_english;

/// Prefix of the exact index term that identifies a note's document by its path.
pub(crate) const KEY: &str = "path=";

/// Returns the key of a note's document: its path in lower case, for matching path patterns,
/// followed by the exact path if that differs.
fn key(path: &NotePath) -> String {
    let lower = path.as_str().to_lowercase();
    if lower == path.as_str() { format!("{KEY}{lower}") } else { format!("{KEY}{lower}\0{path}") }
}

/// Returns the term for a label of a note, such as `type=fix`.
pub(crate) fn fact(label: LabelField, value: &str) -> String {
    let name = match label {
        LabelField::Tag => "tag",
        LabelField::Type => "type",
        LabelField::Kind => "kind",
        LabelField::Folder => "folder",
        LabelField::Category => "category",
        LabelField::Priority => "priority",
        LabelField::State => "state",
        LabelField::Maturity => "maturity",
        LabelField::Scope => "scope",
        LabelField::Workspace => "workspace",
        LabelField::Agent => "agent",
        LabelField::Author => "author",
        LabelField::Session => "session",
        LabelField::Property => "property",
        LabelField::Id => "id",
        LabelField::Pinned => "pinned",
    };
    format!("{name}={value}")
}

/// Returns the number under which a mention by this key is indexed. Its lowest bit is set if the
/// mention gives the edge a type.
pub(super) fn mention_number(key: NameKey, typed: bool) -> u64 {
    key.number() << 1 | u64::from(typed)
}

/// Returns the number under which a mention of [`further_mentions`] is indexed. Searches do not follow it.
pub(super) fn further_mention_number(key: NameKey) -> u64 {
    1 << 63 | key.number()
}

/// A serialized note, with each byte stored as the character of that code, because the library
/// reads text faster than bytes.
pub(super) struct StoredNote(String);

impl StoredNote {
    fn of(note: &Note) -> Self {
        // Writing to memory cannot fail.
        Self(postcard::to_allocvec(note).unwrap_or_default().into_iter().map(char::from).collect())
    }

    /// Parses the note. Fails if the stored text is invalid.
    pub(super) fn note(self) -> tantivy::Result<Note> {
        let bytes: Option<Vec<u8>> = match self.0.is_ascii() {
            true => Some(self.0.into_bytes()),
            false => bytes_of(self.0.as_bytes()),
        };
        let note = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        note.ok_or_else(|| tantivy::TantivyError::InternalError("a stored note cannot be read".to_owned()))
    }
}

/// Converts a UTF-8 text of characters below 256 back to bytes. Returns `None` for other
/// characters.
fn bytes_of(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = text.get(at) {
        match (first, text.get(at + 1)) {
            (0..=0x7f, _) => bytes.push(*first),
            (0xc2 | 0xc3, Some(second)) => {
                bytes.push(first << 6 | second & 0x3f);
                at += 1;
            }
            _ => return None,
        }
        at += 1;
    }
    Some(bytes)
}

impl DocumentDeserialize for StoredNote {
    fn deserialize<'de, D: DocumentDeserializer<'de>>(mut fields: D) -> Result<Self, DeserializeError> {
        // The note is the one field that is stored.
        Ok(fields.next_field::<String>()?.map_or_else(|| Self(String::new()), |(_, text)| Self(text)))
    }
}

impl Fields {
    pub(super) fn key_term(&self, path: &NotePath) -> Term {
        Term::from_field_text(self.facts, &key(path))
    }

    /// Returns the document of a note.
    pub(super) fn document(&self, entry: &IndexedNote) -> TantivyDocument {
        let ParsedNote { note, outline, properties, labels } = &entry.reading;
        let mut document = TantivyDocument::new();
        document.add_text(self.title, &note.title);
        note.aliases.iter().for_each(|alias| document.add_text(self.title, alias));
        self.add_text(&mut document, note, outline);
        if !properties.is_empty() {
            document.add_text(self.body, properties);
        }
        document.add_text(self.facts, key(&note.path));
        facts(note, |fact| document.add_text(self.facts, fact));
        for property in labels {
            let value = LabelField::Property.folded(property);
            document.add_text(self.facts, fact(LabelField::Property, &value));
        }
        self.add_names(&mut document, note);
        if let Some(created) = note.created {
            document.add_i64(self.created, created.unix());
        }
        if let Some(updated) = note.updated.or(note.created) {
            document.add_i64(self.updated, updated.unix());
        }
        if let Some(importance) = note.importance.filter(|importance| importance.is_finite()) {
            document.add_f64(self.importance, importance);
        }
        document.add_u64(self.order, order(&note.path));
        if let Some(turn) = Turn::of(note) {
            document.add_u64(self.turn, turn.number());
        }
        if let Some(speaker) = note.speaker {
            document.add_u64(self.speaker, speaker_number(speaker));
        }
        entry.passages.iter().for_each(|key| document.add_u64(self.passages, key.number()));
        document.add_text(self.note, StoredNote::of(note).0);
        document
    }

    fn add_names(&self, document: &mut TantivyDocument, note: &Note) {
        names_of(note).into_iter().for_each(|key| document.add_u64(self.names, key.number()));
        for mention in mentions(note) {
            let keys = mention.keys_from(&note.path).into_iter();
            keys.for_each(|key| document.add_u64(self.targets, mention_number(key, mention.typed)));
        }
        for key in further_mentions(note).iter().flat_map(|mention| mention.keys_from(&note.path)) {
            document.add_u64(self.targets, further_mention_number(key));
        }
    }

    fn add_text(&self, document: &mut TantivyDocument, note: &Note, outline: &Outline) {
        outline.headings.iter().for_each(|heading| document.add_text(self.headings, &heading.text));
        note.tags.iter().for_each(|tag| document.add_text(self.tags, tag));
        document.add_text(self.body, &outline.text);
        if let Some(english) = to_english(&format!("{}\n{}", note.title, outline.text)) {
            // In the same field, so that words are as rare as they are in all notes.
            document.add_text(self.body, english);
        }
    }
}

/// Returns the number that stands for a speaker in the index; 0 stands for none.
fn speaker_number(speaker: Speaker) -> u64 {
    match speaker {
        Speaker::Person => 1,
        Speaker::Agent => 2,
    }
}

/// Returns the speaker that a number of the index stands for.
pub(super) fn speaker_of(number: u64) -> Option<Speaker> {
    [Speaker::Person, Speaker::Agent].into_iter().find(|speaker| speaker_number(*speaker) == number)
}

/// Returns the first 8 bytes of the path's BLAKE3 hash, as a tie-breaker that is equal in every
/// index.
fn order(path: &NotePath) -> u64 {
    let hash = blake3::hash(path.as_str().as_bytes());
    hash.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Calls `add` with every exact index term that selects the note, such as `type=fix`.
pub(super) fn facts(note: &Note, mut add: impl FnMut(String)) {
    let mut label = |label: LabelField, value: &str| {
        let value = label.folded(value);
        if !value.is_empty() {
            add(fact(label, &value));
        }
    };
    for tag in &note.tags {
        // A tag `a/b` is an `a` as well.
        tag.match_indices('/').for_each(|(at, _)| label(LabelField::Tag, &tag[..at]));
        label(LabelField::Tag, tag);
    }
    let parts: Vec<&str> = note.path.folder().split('/').filter(|part| !part.is_empty()).collect();
    for first in 0..parts.len().min(8) {
        for past in first + 1..=parts.len().min(8) {
            label(LabelField::Folder, &parts[first..past].join("/"));
        }
    }
    let label_values = [
        (LabelField::Type, note.note_type.as_deref()),
        (LabelField::Kind, Some(note.kind.name())),
        (LabelField::Category, note.category.as_deref()),
        (LabelField::Priority, note.priority.map(Priority::name)),
        (LabelField::State, note.state.as_deref()),
        (LabelField::Maturity, note.maturity.as_deref()),
        (LabelField::Scope, note.scope.as_deref()),
        (LabelField::Workspace, note.workspace.as_deref()),
        (LabelField::Agent, note.agent.as_deref()),
        (LabelField::Author, note.author.as_deref()),
        (LabelField::Session, note.session.as_deref()),
        (LabelField::Id, note.id.as_ref().map(|id| id.as_str())),
        (LabelField::Pinned, Some(if note.pinned { "true" } else { "false" })),
    ];
    for (name, value) in label_values {
        value.into_iter().for_each(|value| label(name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_from_the_text_that_it_is_stored_as() {
        let bytes: Vec<u8> = (0..=255).chain([0, 255, 128, 127]).collect();
        let text: String = bytes.iter().copied().map(char::from).collect();
        assert_eq!(bytes_of(text.as_bytes()), Some(bytes));
        assert_eq!(bytes_of("Ā".as_bytes()), None);
    }

    #[test]
    fn a_bullet_with_a_source_of_which_little_is_known_is_read_back() {
        use cm_note::note::{RelationTable, TypeTable, read};
        use cm_note::path::NotePath;
        let path = NotePath::parse("playbook/testing/a.md").unwrap();
        let text = "---\nsources:\n- {session: s}\nderived_from: {diaries: [d]}\n---\nRun the tests.\n";
        let note = read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        assert_eq!(note.bullet.as_ref().unwrap().sources.len(), 1);
        assert_eq!(StoredNote::of(&note).note().unwrap(), note);
    }
}
