//! `cm`: git-native memory for coding agents and the people who work with them.
//!
//! `domain` defines the notes, `curate` plans changes, `vault`, `git`, `index` and `config` store
//! data, `ops` implements one command per file, and `cli`, `mcp` and `http` expose them. See
//! ARCHITECTURE.md for an overview.

pub mod cli;
pub mod config;
pub mod curate;
pub mod domain;
pub mod embed;
pub mod git;
pub mod http;
pub mod index;
pub mod ingest;
pub mod llm;
pub mod mcp;
pub mod net;
pub mod operations;
pub mod ops;
pub mod render;
pub mod serving;
pub mod vault;
