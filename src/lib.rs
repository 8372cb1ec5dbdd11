//! `cm`: a git-native memory for coding agents and the people who work with them.
//!
//! This package is the program; the crates below `crates/` do the work. ARCHITECTURE.md is the map.

pub mod cli;
