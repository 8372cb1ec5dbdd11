//! The derived index of a vault's notes.
//!
//! A manifest lists the indexed files and their hashes; a text index holds their words and their
//! stored notes. The index can be deleted at any time: the next refresh rebuilds it from the notes.
//! This module reads notes only through the functions passed to it, and prints nothing.
#![allow(clippy::disallowed_methods, reason = "this layer owns the files below `_index`")]

mod build;
mod derived;
mod diff;
mod entry;
mod error;
mod frame;
mod lock;
mod manifest;
mod note_records;
mod overview;
mod queue;
mod refresh;
pub mod sessions;
mod snapshot;
mod store;
mod text;
mod vector;

#[cfg(test)]
mod tests;

pub use entry::IndexedNote;
pub use error::{Error, RebuildReason};
pub use note_records::NoteRecords;
pub use overview::Overview;
pub use queue::QueueEntry;
pub use refresh::{PendingRefresh, RefreshReport};
pub use store::{Candidates, Index};
pub use text::{
    Candidate, CandidateRequest, Neighbours, NoteHit, NoteHits, PassageSimilarity, Snippets, admits,
    beginning,
};
pub use vector::{IndexVersion, SimilarityScan, VectorTable, VectorWriter, Vectors};
