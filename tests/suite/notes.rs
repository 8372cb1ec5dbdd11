//! The example vault read as notes: every one is sound, and its edges and links are all seen.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "the example vault is files of the project")]

use std::path::{Path, PathBuf};

use cm::domain::frontmatter::edit::{Edit, apply};
use cm::domain::note::read::read;
use cm::domain::note::types::MemoryType;
use cm::domain::note::{Kind, Note, RelationTable, TypeTable};
use cm::domain::path::NotePath;

fn texts() -> Vec<(NotePath, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("example-vault");
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push((NotePath::parse(name).unwrap(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn notes() -> Vec<Note> {
    let mut types = TypeTable::default();
    types.declare(MemoryType {
        name: "runbook".to_owned(),
        folder: "runbooks".to_owned(),
        weight: 1.2,
        required: vec!["owner".to_owned()],
    });
    let relations = RelationTable::default();
    texts().iter().map(|(path, text)| read(path, text.as_bytes(), &types, &relations).note).collect()
}

#[test]
fn the_example_vault_has_no_findings() {
    let notes = notes();
    assert!(notes.len() > 40, "{}", notes.len());
    for note in &notes {
        assert_eq!(note.findings, [], "{}", note.path);
        assert!(!note.title.is_empty() && !note.summary.is_empty(), "{}", note.path);
        let named = note.id.as_ref().is_none_or(|id| note.path.stem().ends_with(&id.short()));
        assert!(named || matches!(note.kind, Kind::Plain), "{}", note.path);
    }
    let count = |kind: Kind| notes.iter().filter(|note| note.kind == kind).count();
    for kind in
        [Kind::Memory, Kind::Edge, Kind::Bullet, Kind::Blocked, Kind::Episode, Kind::Diary, Kind::Stash]
    {
        assert!(count(kind) > 0, "{kind:?}");
    }
    assert!(notes.iter().filter(|note| note.kind == Kind::Edge).all(|note| note.edge.is_some()));
    assert!(notes.iter().any(|note| !note.links.is_empty() && !note.feedback.is_empty()));
}

#[test]
fn its_notes_can_be_edited_and_edited_back() {
    let generated = ["CORE.md", "REFLECTION.md"];
    for (path, text) in texts().into_iter().filter(|(path, _)| !generated.contains(&path.as_str())) {
        let set = Edit::Set { key: "zz".to_owned(), value: "x: y".into() };
        let edited = apply(&text, &[set, Edit::Remove { key: "zz".to_owned() }]).unwrap();
        assert_eq!(edited, text, "{path}");
    }
}
