//! Document schema of the text index.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STORED, Schema, TextFieldIndexing, TextOptions,
};

use super::tokenizer::{RAW, TEXT};
use super::translate::SearchFields;

/// Names of the columns that are opened by name.
pub(super) const CREATED: &str = "created";
pub(super) const UPDATED: &str = "updated";
pub(super) const ORDER: &str = "order";
pub(super) const PASSAGES: &str = "passages";
pub(super) const TURN: &str = "turn";
pub(super) const SPEAKER: &str = "speaker";

/// The fields of the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The title and the aliases.
    pub(super) title: Field,
    pub(super) headings: Field,
    /// The tags, tokenized.
    pub(super) tags: Field,
    /// The body as plain text and the values of own frontmatter keys; of a note in another language also title and body
    /// word by word in English.
    pub(super) body: Field,
    /// Exact terms that select notes, each with a label: `type=fix`.
    pub(super) facts: Field,
    /// Hashed keys of the note's names, by which mentions of the note are resolved.
    pub(super) names: Field,
    /// Keys of the names by which the note mentions other notes.
    pub(super) targets: Field,
    pub(super) created: Field,
    pub(super) updated: Field,
    pub(super) importance: Field,
    /// Hash of the path, as the final tie-breaker.
    pub(super) order: Field,
    /// Keys of the embedded passages.
    pub(super) passages: Field,
    /// Place in a conversation, for a note that is a turn of one.
    pub(super) turn: Field,
    /// Who speaks: 1 a person, 2 an agent.
    pub(super) speaker: Field,
    /// The serialized note.
    pub(super) note: Field,
}

impl Fields {
    /// Text fields with their score weights. Short fields score high by themselves: with equal
    /// weights, title matches outranked body matches in measurements on labelled questions.
    pub(super) fn weighted(&self) -> [(Field, f32); 4] {
        [(self.title, 0.6), (self.headings, 0.15), (self.tags, 0.4), (self.body, 1.0)]
    }

    /// Returns the fields that a query for notes searches.
    pub(super) fn places(&self) -> SearchFields {
        SearchFields {
            words: self.weighted().to_vec(),
            measure: self.body,
            title: Some(self.title),
            heading: Some(self.headings),
            body: Some(self.body),
            importance: Some(self.importance),
            created: self.created,
            updated: self.updated,
            facts: self.facts,
            owner: None,
        }
    }
}

pub(super) fn schema() -> (Schema, Fields) {
    let text = || {
        let indexing = TextFieldIndexing::default().set_tokenizer(TEXT);
        TextOptions::default()
            .set_indexing_options(indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions))
    };
    let facts = TextFieldIndexing::default()
        .set_tokenizer(RAW)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let mut builder = Schema::builder();
    let fields = Fields {
        title: builder.add_text_field("title", text()),
        headings: builder.add_text_field("headings", text()),
        tags: builder.add_text_field("tags", text()),
        body: builder.add_text_field("body", text()),
        facts: builder.add_text_field("facts", TextOptions::default().set_indexing_options(facts)),
        names: builder.add_u64_field("names", NumericOptions::default().set_indexed()),
        targets: builder.add_u64_field("targets", NumericOptions::default().set_indexed()),
        created: builder.add_i64_field(CREATED, FAST),
        updated: builder.add_i64_field(UPDATED, FAST),
        importance: builder.add_f64_field("importance", FAST),
        order: builder.add_u64_field(ORDER, FAST),
        passages: builder.add_u64_field(PASSAGES, INDEXED | FAST),
        turn: builder.add_u64_field(TURN, INDEXED | FAST),
        speaker: builder.add_u64_field(SPEAKER, FAST),
        note: builder.add_text_field("note", STORED),
    };
    (builder.build(), fields)
}
