//! What a memory is: ids, notes, links, the graph, scores, queries and changes.
//!
//! Nothing here reads a file, the environment or the clock, draws a random number, or prints. Time and
//! seeds come in as arguments, so that every function answers the same twice.

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
