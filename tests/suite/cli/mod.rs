//! The commands, one file each: what they print, their JSON, and their refusals.

mod core;
mod decay;
mod get;
mod graph;
mod quickstart;
mod recent;
mod reflection;
mod reindex;
mod related;
mod search;
mod stats;
mod tags;
mod validate;
