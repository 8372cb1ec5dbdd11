//! Any three versions of a file are merged without a panic, and neither side is preferred.
#![no_main]

use cm_merge::{Clash, Versions, Vocabulary, merge_file};
use cm_note::note::{RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_note::score::Scoring;
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] =
    ["graph/facts/a.md", "playbook/net/a.md", "episodes/2026-11-21.md", "AGENTS.md", "cm.toml", "a.txt"];

fuzz_target!(|input: (u8, Option<&[u8]>, &[u8], &[u8])| {
    let (which, base, ours, theirs) = input;
    let Ok(path) = NotePath::parse(PATHS[usize::from(which) % PATHS.len()]) else { return };
    let (types, relations, scoring) = (TypeTable::default(), RelationTable::default(), Scoring::default());
    let vocabulary = Vocabulary { types: &types, relations: &relations, scoring: &scoring };
    let merge = |ours, theirs, clash| merge_file(&path, &Versions { base, ours, theirs }, &vocabulary, clash);
    let merged = merge(ours, theirs, Clash::Leftover);
    assert_eq!(merged, merge(theirs, ours, Clash::Leftover), "no side is preferred");
    merge(ours, theirs, Clash::Markers);
    if base == Some(theirs) {
        assert_eq!(merged.bytes, ours, "a change of one side alone gives its bytes");
    }
});
