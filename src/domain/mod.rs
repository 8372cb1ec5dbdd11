//! The domain model: ids, notes, links, the graph, scores, queries and changes.
//!
//! These modules do no I/O: they read no files, environment or clock, generate no random numbers
//! and print nothing. Time and random seeds are arguments, so functions are deterministic.

pub mod bullet;
pub mod canonical;
pub mod change;
pub mod command;
pub mod embedding;
pub mod finding;
pub mod foreign;
pub mod frontmatter;
pub mod graph;
pub mod id;
pub mod instant;
pub mod likeness;
pub mod listing;
pub mod markdown;
pub mod message;
pub mod note;
pub mod passage;
pub mod path;
pub mod query;
pub mod rank;
pub mod score;
pub mod secret;
pub mod session;
pub mod spelling;
pub mod token;
pub mod tokens;
pub mod words;
