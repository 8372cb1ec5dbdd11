//! Examples of merges, and the laws that hold for all of them.

mod body;
mod episodes;
mod keys;
mod laws;
mod rules;
mod sample;
mod settings;
mod text;

use cm_note::note::{RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_note::score::Scoring;

use super::*;

const MEMORY: &str = "graph/facts/a.md";

/// Merges with default settings.
fn merged(path: &str, base: Option<&[u8]>, ours: &[u8], theirs: &[u8], clash: Clash) -> Merged {
    let (types, relations, scoring) = (TypeTable::default(), RelationTable::default(), Scoring::default());
    let vocabulary = Vocabulary { types: &types, relations: &relations, scoring: &scoring };
    merge_file(&NotePath::parse(path).unwrap(), &Versions { base, ours, theirs }, &vocabulary, clash)
}

/// Merges two texts for `cm sync` and checks that neither side is preferred.
fn synced(path: &str, base: &str, ours: &str, theirs: &str) -> String {
    let merge = |ours: &str, theirs: &str| {
        merged(path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), Clash::Leftover)
    };
    let both = merge(ours, theirs);
    assert_eq!(both, merge(theirs, ours), "the sides are equal");
    assert!(!both.markers, "{}", String::from_utf8_lossy(&both.bytes));
    String::from_utf8(both.bytes).unwrap()
}

/// A memory with these lines in its frontmatter and this body.
fn memory(keys: &str, body: &str) -> String {
    format!("---\nid: 0b8f7c52-1f0e-4d7a-9d5e-2f6f1f0b1a01\ntype: fact\ntitle: A\n{keys}---\n\n{body}")
}
