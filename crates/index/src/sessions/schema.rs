//! The fields of the documents: stretches, sessions and logs, side by side in one index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{TantivyDocument, Term};

use super::opened::Opened;
use super::record::{Log, Session, SessionKey};
use super::search::Weights;
use super::told::{Speaker, Told, cut};
use crate::error::Error;
use crate::text::{KEY, Places, RAW, TEXT, fact};
use cm_note::query::Label;

/// The layout of the documents; raised when it changes.
pub(super) const LAYOUT: u32 = 2;

/// The names of the columns.
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
pub(super) const SUBAGENT: &str = "subagent";

/// The facts that tell documents apart.
pub(super) const IS_SESSION: &str = "is=session";
pub(super) const IS_LOG: &str = "is=log";

/// The speaker of an event that holds no words.
pub(super) const NOBODY: u64 = Speaker::ALL.len() as u64;

/// The fields, each by what it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The words, one field a speaker.
    pub(super) words: [Field; 3],
    /// The number of the session, of stretches and of the session itself.
    pub(super) session: Field,
    /// Of a stretch: when, where in the log, which stretch of its event, what happened, who spoke, how many bytes.
    pub(super) at: Field,
    pub(super) place: Field,
    pub(super) piece: Field,
    pub(super) kind: Field,
    pub(super) speaker: Field,
    pub(super) bytes: Field,
    /// The id of a person's record, by which copies of it are known.
    pub(super) record: Field,
    /// Of a session: its bounds, its conversation, where it was forked from, whether an agent started it.
    pub(super) started: Field,
    pub(super) ended: Field,
    pub(super) conversation: Field,
    pub(super) fork: Field,
    pub(super) subagent: Field,
    /// What selects sessions and logs.
    pub(super) facts: Field,
    /// The words of a stretch; a session or a log as JSON.
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

/// The fact that names a session: its id in lower case first, so that it can be found by its beginning.
pub(super) fn session_fact(key: &SessionKey) -> String {
    format!("{}\0{}\0{}", session_prefix(key.id.as_str()), key.id, key.agent)
}

/// What the facts of the sessions begin with whose id begins so.
pub(super) fn session_prefix(id: &str) -> String {
    format!("name={}", id.to_lowercase())
}

/// What the facts of the sessions in a folder begin with; the folder itself, and those below it after a separator.
pub(super) fn workspace_fact(folder: &str) -> String {
    format!("in={}", trimmed(folder))
}

/// The fact that a log told a session.
pub(super) fn path_fact(log: &str) -> String {
    format!("{KEY}{}", log.to_lowercase())
}

/// A folder without the separators at its end.
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

    /// The documents of an event; one without words where nobody spoke.
    pub(super) fn event(
        &self,
        session: u64,
        told: &Told,
        mut add: impl FnMut(TantivyDocument) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut bytes = 0;
        let mut piece = 0;
        for (speaker, text) in &told.texts {
            for stretch in cut(text.as_str()) {
                let mut document = self.stretch(session, told, piece, *speaker as u64);
                document.add_text(self.words[*speaker as usize], stretch);
                document.add_text(self.stored, stretch);
                document.add_u64(self.bytes, stretch.len() as u64);
                bytes += stretch.len();
                piece += 1;
                add(document)?;
            }
        }
        if piece == 0 {
            add(self.stretch(session, told, 0, NOBODY))?;
        }
        Ok(bytes)
    }

    fn stretch(&self, session: u64, told: &Told, piece: u64, speaker: u64) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_u64(self.session, session);
        document.add_u64(self.place, told.place);
        document.add_u64(self.piece, piece);
        document.add_u64(self.kind, told.kind);
        document.add_u64(self.speaker, speaker);
        if let Some(at) = told.at {
            document.add_i64(self.at, at.unix());
        }
        if let Some(record) = told.record.filter(|_| piece == 0) {
            document.add_u64(self.record, record);
        }
        document
    }

    /// The document of a session.
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
            |label: Label, value: &str| document.add_text(self.facts, fact(label, &label.folded(value)));
        label(Label::Agent, meta.agent.name());
        label(Label::Session, meta.id.as_str());
        label(Label::Id, meta.id.as_str());
        if let Some(folder) = &meta.workspace {
            label(Label::Workspace, folder);
            document.add_text(self.facts, workspace_fact(folder));
        }
        if let Some(log) = &session.log {
            document.add_text(self.facts, path_fact(log));
        }
        // What holds texts and numbers only can always be written as JSON.
        document.add_text(self.stored, serde_json::to_string(session).unwrap_or_default());
        document
    }

    /// The document of a log.
    pub(super) fn log(&self, log: &Log) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.facts, IS_LOG);
        document.add_text(self.facts, format!("log={}", log.path));
        document.add_text(self.stored, serde_json::to_string(log).unwrap_or_default());
        document
    }

    /// The fields of the speakers that count, each with its weight.
    pub(super) fn weighted(&self, weights: Weights) -> Vec<(Field, f32)> {
        let all = self.words.into_iter().zip([weights.person, weights.agent, weights.tool]);
        all.filter(|(_, weight)| *weight > 0.0).collect()
    }

    /// Where a query for stretches looks.
    pub(super) fn places(&self, weights: Weights) -> Places {
        let words = self.weighted(weights);
        Places {
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

/// The facts that begin so, sorted.
pub(super) fn fact_range(opened: &Opened, beginning: &str) -> tantivy::Result<Vec<String>> {
    let mut facts = Vec::new();
    for segment in opened.searcher.segment_readers() {
        let index = segment.inverted_index(opened.fields.facts)?;
        let mut stream = index.terms().range().ge(beginning).into_stream()?;
        while stream.advance() && stream.key().starts_with(beginning.as_bytes()) {
            facts.extend(std::str::from_utf8(stream.key()).ok().map(str::to_owned));
        }
    }
    facts.sort_unstable();
    facts.dedup();
    Ok(facts)
}
