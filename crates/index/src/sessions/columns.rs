//! Columnar access to the numeric fields of a segment's documents.

use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, SegmentReader};

use super::opened::SessionColumnsRow;
use super::schema::{
    AT, BYTES, CONVERSATION, ENDED, FORK, KIND, PASSAGE, PIECE, PLACE, RECORD, SESSION, SPEAKER, STARTED,
    SUBAGENT,
};

/// Columns of the session documents in one segment.
pub(super) struct SessionColumns {
    number: Column<u64>,
    conversation: Column<u64>,
    fork: Column<u64>,
    subagent: Column<u64>,
    started: Column<i64>,
    ended: Column<i64>,
}

impl SessionColumns {
    pub(super) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        Ok(Self {
            number: columns.u64(SESSION)?,
            conversation: columns.u64(CONVERSATION)?,
            fork: columns.u64(FORK)?,
            subagent: columns.u64(SUBAGENT)?,
            started: columns.i64(STARTED)?,
            ended: columns.i64(ENDED)?,
        })
    }

    /// Returns the number and the properties of the session whose document is at `address`.
    pub(super) fn line(&self, address: DocAddress) -> Option<(u64, SessionColumnsRow)> {
        let doc = address.doc_id;
        let number = self.number.first(doc)?;
        let line = SessionColumnsRow {
            address,
            conversation: self.conversation.first(doc).unwrap_or(number),
            started: self.started.first(doc),
            ended: self.ended.first(doc),
            forked_from: self.fork.first(doc),
            subagent: self.subagent.first(doc).is_some(),
        };
        Some((number, line))
    }
}

/// Columns of the stretch documents in one segment.
pub(super) struct StretchColumns {
    session: Column<u64>,
    place: Column<u64>,
    piece: Column<u64>,
    kind: Column<u64>,
    speaker: Column<u64>,
    bytes: Column<u64>,
    record: Column<u64>,
    passage: Column<u64>,
    at: Column<i64>,
}

/// Numeric fields of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) session: u64,
    pub(super) place: u64,
    pub(super) piece: u64,
    pub(super) kind: u64,
    pub(super) speaker: u64,
    pub(super) bytes: u64,
    pub(super) at: Option<i64>,
}

impl StretchColumns {
    pub(super) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        Ok(Self {
            session: columns.u64(SESSION)?,
            place: columns.u64(PLACE)?,
            piece: columns.u64(PIECE)?,
            kind: columns.u64(KIND)?,
            speaker: columns.u64(SPEAKER)?,
            bytes: columns.u64(BYTES)?,
            record: columns.u64(RECORD)?,
            passage: columns.u64(PASSAGE)?,
            at: columns.i64(AT)?,
        })
    }

    /// Returns the numeric fields of a stretch, or `None` for other documents.
    pub(super) fn numbers(&self, doc: DocId) -> Option<Numbers> {
        Some(Numbers {
            place: self.place.first(doc)?,
            session: self.session.first(doc)?,
            piece: self.piece.first(doc)?,
            kind: self.kind.first(doc)?,
            speaker: self.speaker.first(doc)?,
            bytes: self.bytes.first(doc).unwrap_or_default(),
            at: self.at.first(doc),
        })
    }

    /// Returns session, place and speaker of a stretch, or `None` for other documents.
    pub(super) fn place_and_speaker(&self, doc: DocId) -> Option<(u64, u64, u64)> {
        Some((self.session.first(doc)?, self.place.first(doc)?, self.speaker.first(doc)?))
    }

    /// Returns the keys of the passages of a stretch.
    pub(super) fn passages(&self, doc: DocId) -> impl Iterator<Item = u64> + '_ {
        self.passage.values_for_doc(doc)
    }

    /// Returns the time of a stretch in Unix seconds.
    pub(super) fn at(&self, doc: DocId) -> Option<i64> {
        self.at.first(doc)
    }

    /// Returns the kind of the stretch's event, as an index into `EventName::ALL`.
    pub(super) fn kind(&self, doc: DocId) -> Option<u64> {
        self.kind.first(doc)
    }

    /// Returns the hashed id of the person's log record that begins with this document, and the
    /// number of its session; `None` for other documents.
    pub(super) fn record(&self, doc: DocId) -> Option<(u64, u64)> {
        Some((self.record.first(doc)?, self.session.first(doc)?))
    }
}
