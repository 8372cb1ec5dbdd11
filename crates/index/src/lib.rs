//! The derived index of a vault's notes.
//!
//! A manifest lists the indexed files and their hashes; a text index holds their words and their
//! stored notes. The index can be deleted at any time: the next refresh rebuilds it from the notes.
//! This module reads notes only through the functions passed to it, and prints nothing.
#![allow(clippy::disallowed_methods, reason = "this layer owns the files below `_index`")]

mod build;
mod diff;
mod entry;
mod error;
mod frame;
mod lock;
mod manifest;
mod past;
mod queue;
mod refresh;
pub mod sessions;
mod store;
mod text;
mod vector;

#[cfg(test)]
mod tests;

pub use entry::Entry;
pub use error::{Error, Unusable};
pub use refresh::{Options, Refreshed, Stale};
pub use store::{Candidates, Index};
pub use text::{Asked, Candidate, Found, Hit, Near, Neighbours, Snippets, admits, beginning, is_stopword};
pub use vector::{Scan, Table, Vectors, Version, Writer as VectorWriter};
