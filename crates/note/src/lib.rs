//! Notes, rules, edges, scores and queries as data. Pure: time and seeds are arguments.

pub mod bullet;
pub mod canvas;
pub mod change;
pub mod finding;
pub mod frontmatter;
pub mod graph;
pub mod id;
pub mod import_source;
pub mod instant;
pub mod listing;
pub mod markdown;
pub mod message;
pub mod note;
pub mod passage;
pub mod path;
pub mod query;
pub mod rank;
pub mod rounding;
pub mod score;
pub mod token;
pub mod union_find;
pub mod user_text;
