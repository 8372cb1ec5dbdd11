//! `cm`: a git-native memory for coding agents and the people beside them.
//!
//! `domain` says what a memory is, `curate` plans better ones, the stores (`vault`, `git`, `index`, `config`)
//! keep them, `ops` does one verb a file, and the surfaces show what came of it. ARCHITECTURE.md is the map.

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
