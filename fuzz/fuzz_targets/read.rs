//! Any bytes are parsed as a note (frontmatter, Markdown, links and findings) without a panic.
#![no_main]

use cm_note::note::{RelationTable, TypeTable, read};
use cm_note::path::NotePath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for path in ["graph/fixes/a.md", "graph/edges/a.md", "playbook/x/a.md", "episodes/2026-11-21.md", "a.md"]
    {
        let path = NotePath::parse(path).expect("these paths are sound");
        let reading = read::read(&path, bytes, &TypeTable::default(), &RelationTable::default());
        assert_eq!(reading.note.path, path);
    }
});
