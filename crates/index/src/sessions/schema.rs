//! Document schema of stretches, sessions and logs, which share one index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{TantivyDocument, Term};

use super::passage_ranges::ranges_of;
use super::record::{Log, Session, SessionKey};
use super::redacted_event::{RedactedEvent, Speaker, cut};
use crate::error::Error;
use crate::text::{KEY, RAW, SearchFields, TEXT, fact};
use cm_note::passage::PassageKey;
use cm_note::query::LabelField;

/// Score weights by speaker. The text of a speaker with weight 0 is not searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of the person's text.
    pub person: f32,
    /// Weight of agents' text.
    pub agent: f32,
    /// Weight of text from tools and other programs.
    pub tool: f32,
}

impl Default for Weights {
    /// Weights agents lower, because they repeat their input at length, and excludes tools.
    fn default() -> Self {
        Self { person: 1.0, agent: 0.3, tool: 0.0 }
    }
}

/// Schema version, increased with every change.
pub(super) const SCHEMA_VERSION: u32 = 3;

/// Column names.
pub(super) const SESSION: &str = "session";
pub(super) const AT: &str = "at";
pub(super) const PLACE: &str = "place";
pub(super) const PIECE: &str = "piece";
pub(super) const KIND: &str = "kind";
pub(super) const SPEAKER: &str = "speaker";
pub(super) const BYTES: &str = "bytes";
pub(super) const RECORD: &str = "record";
pub(super) const STARTED: &str = "started";
pub(super) const ENDED: &str = "ended";
pub(super) const CONVERSATION: &str = "conversation";
pub(super) const FORK: &str = "fork";
pub(super) const PASSAGE: &str = "passage";
pub(super) const SUBAGENT: &str = "subagent";

/// Exact index terms that mark the documents of sessions and of logs.
pub(super) const IS_SESSION: &str = "is=session";
pub(super) const IS_LOG: &str = "is=log";

/// Speaker number of events without text.
pub(super) const NO_SPEAKER: u64 = Speaker::ALL.len() as u64;

/// The fields of the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// Text, one field per speaker.
    pub(super) words: [Field; 3],
    /// Session number, on stretches and sessions.
    pub(super) session: Field,
    /// Fields of a stretch: time, place in the log, piece within its event, kind, speaker and
    /// length in bytes.
    pub(super) at: Field,
    pub(super) place: Field,
    pub(super) piece: Field,
    pub(super) kind: Field,
    pub(super) speaker: Field,
    pub(super) bytes: Field,
    /// Hashed id of a person's record, by which copies of the record are recognized.
    pub(super) record: Field,
    /// Keys of the passages of a stretch that are embedded, if any.
    pub(super) passage: Field,
    /// Fields of a session: start, end, conversation, fork origin and whether an agent started it.
    pub(super) started: Field,
    pub(super) ended: Field,
    pub(super) conversation: Field,
    pub(super) fork: Field,
    pub(super) subagent: Field,
    /// Exact terms that select sessions and logs.
    pub(super) facts: Field,
    /// Text of a stretch, or the JSON of a session or log.
    pub(super) stored: Field,
}

pub(super) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let mut words = |name: &str| {
        let indexing = TextFieldIndexing::default().set_tokenizer(TEXT);
        let indexing = indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions);
        builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
    };
    let words = [words("person"), words("agent"), words("tool")];
    let facts = TextFieldIndexing::default()
        .set_tokenizer(RAW)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let fields = Fields {
        words,
        session: builder.add_u64_field(SESSION, INDEXED | FAST),
        at: builder.add_i64_field(AT, FAST),
        place: builder.add_u64_field(PLACE, FAST),
        piece: builder.add_u64_field(PIECE, FAST),
        kind: builder.add_u64_field(KIND, FAST),
        speaker: builder.add_u64_field(SPEAKER, FAST),
        bytes: builder.add_u64_field(BYTES, FAST),
        record: builder.add_u64_field(RECORD, FAST),
        passage: builder.add_u64_field(PASSAGE, FAST),
        started: builder.add_i64_field(STARTED, FAST),
        ended: builder.add_i64_field(ENDED, FAST),
        conversation: builder.add_u64_field(CONVERSATION, FAST),
        fork: builder.add_u64_field(FORK, FAST),
        subagent: builder.add_u64_field(SUBAGENT, FAST),
        facts: builder.add_text_field("facts", TextOptions::default().set_indexing_options(facts)),
        stored: builder.add_text_field("stored", STORED),
    };
    (builder.build(), fields)
}

/// Returns the exact index term for a session's id. It starts with the id in lower case, so that
/// prefixes can be looked up.
pub(super) fn session_fact(key: &SessionKey) -> String {
    format!("{}\0{}\0{}", session_prefix(key.id.as_str()), key.id, key.agent)
}

/// Returns the common prefix of the index terms of all sessions with ids that start with `id`.
pub(super) fn session_prefix(id: &str) -> String {
    format!("name={}", id.to_lowercase())
}

/// Returns the exact index term for sessions that ran in a folder. The terms of its subfolders
/// start with it, followed by a separator.
pub(super) fn workspace_fact(folder: &str) -> String {
    format!("in={}", trimmed(folder))
}

/// Returns the exact index term for sessions that were read from this log.
pub(super) fn path_fact(log: &str) -> String {
    format!("{KEY}{}", log.to_lowercase())
}

/// Strips trailing separators from a folder path.
fn trimmed(folder: &str) -> &str {
    match folder.trim_end_matches(['/', '\\']) {
        "" if !folder.is_empty() => "/",
        trimmed => trimmed,
    }
}

impl Fields {
    pub(super) fn fact(&self, fact: &str) -> Term {
        Term::from_field_text(self.facts, fact)
    }

    pub(super) fn session_term(&self, number: u64) -> Term {
        Term::from_field_u64(self.session, number)
    }

    pub(super) fn log_term(&self, path: &str) -> Term {
        self.fact(&format!("log={path}"))
    }

    /// Adds the documents of an event: one per stretch, or a single one without text if the event
    /// has none. Returns the number of bytes of text.
    pub(super) fn event(
        &self,
        session: u64,
        event: &RedactedEvent,
        mut add: impl FnMut(TantivyDocument) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut bytes = 0;
        let mut piece = 0;
        for (speaker, text) in &event.texts {
            for stretch in cut(text.as_str()) {
                let mut document = self.stretch(session, event, piece, *speaker as u64);
                document.add_text(self.words[event.indexed_as(*speaker) as usize], stretch);
                document.add_text(self.stored, stretch);
                document.add_u64(self.bytes, stretch.len() as u64);
                for range in ranges_of(event.kind, *speaker, piece, stretch) {
                    document.add_u64(self.passage, PassageKey::of(&stretch[range]).number());
                }
                bytes += stretch.len();
                piece += 1;
                add(document)?;
            }
        }
        if piece == 0 {
            add(self.stretch(session, event, 0, NO_SPEAKER))?;
        }
        Ok(bytes)
    }

    fn stretch(&self, session: u64, event: &RedactedEvent, piece: u64, speaker: u64) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_u64(self.session, session);
        document.add_u64(self.place, event.place);
        document.add_u64(self.piece, piece);
        document.add_u64(self.kind, event.kind);
        document.add_u64(self.speaker, speaker);
        if let Some(at) = event.at {
            document.add_i64(self.at, at.unix());
        }
        if let Some(record) = event.record.filter(|_| piece == 0) {
            document.add_u64(self.record, record);
        }
        document
    }

    /// Returns the document of a session.
    pub(super) fn session(&self, session: &Session) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        let key = session.key();
        let meta = &session.meta;
        document.add_u64(self.session, key.number());
        document.add_u64(self.conversation, session.conversation);
        if let Some(started) = meta.started {
            document.add_i64(self.started, started.unix());
        }
        if let Some(ended) = meta.ended.or(meta.started) {
            document.add_i64(self.ended, ended.unix());
        }
        if let Some(parent) = session.forked_from() {
            document.add_u64(self.fork, parent.number());
        }
        if meta.subagent {
            document.add_u64(self.subagent, 1);
        }
        document.add_text(self.facts, IS_SESSION);
        document.add_text(self.facts, session_fact(&key));
        let mut label =
            |label: LabelField, value: &str| document.add_text(self.facts, fact(label, &label.folded(value)));
        label(LabelField::Agent, meta.agent.name());
        label(LabelField::Session, meta.id.as_str());
        label(LabelField::Id, meta.id.as_str());
        if let Some(folder) = &meta.workspace {
            label(LabelField::Workspace, folder);
            document.add_text(self.facts, workspace_fact(folder));
        }
        if let Some(log) = &session.log {
            document.add_text(self.facts, path_fact(log));
        }
        // What holds texts and numbers only can always be written as JSON.
        document.add_text(self.stored, serde_json::to_string(session).unwrap_or_default());
        document
    }

    /// Returns the document of a log.
    pub(super) fn log(&self, log: &Log) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.facts, IS_LOG);
        document.add_text(self.facts, format!("log={}", log.path));
        document.add_text(self.stored, serde_json::to_string(log).unwrap_or_default());
        document
    }

    /// Returns the text fields of the speakers with a weight above 0.
    pub(super) fn weighted(&self, weights: Weights) -> Vec<(Field, f32)> {
        let all = self.words.into_iter().zip([weights.person, weights.agent, weights.tool]);
        all.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Returns the fields in which a query finds stretches. Speakers with weight 0 are not
    /// searched.
    pub(super) fn places(&self, weights: Weights) -> SearchFields {
        let words = self.weighted(weights);
        SearchFields {
            measure: words.first().map_or(self.words[0], |(field, _)| *field),
            words,
            title: None,
            heading: None,
            body: Some(self.words[0]),
            importance: None,
            created: self.at,
            updated: self.at,
            facts: self.facts,
            owner: Some((SESSION, self.session)),
        }
    }
}
