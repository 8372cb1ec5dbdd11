//! The map of small vaults in temporary folders.
#![allow(clippy::disallowed_methods, reason = "tests write vaults")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::context::actor::CallerIdentity;
use crate::context::progress::ProgressWatch;
use crate::context::request::Request;
use cm_note::instant::Instant;

fn context(root: &Path) -> Context {
    Context::open(Request {
        cwd: root.to_owned(),
        vault: Some(root.to_owned()),
        home: None,
        global: None,
        private: None,
        variables: BTreeMap::new(),
        environment: BTreeMap::new(),
        now: Instant::from_unix(1_800_000_000),
        now_is_given: true,
        seed: Some("map".to_owned()),
        no_refresh: false,
        for_prompts: false,
        caller: CallerIdentity::default(),
        clock: || 0,
        threads: 1,
        verb: "cm web".to_owned(),
        holder: "process 1 (cm web)".to_owned(),
        watch: ProgressWatch::default(),
    })
    .unwrap()
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join("graph/fixes").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Two groups of four notes that link to each other, and a note without links.
fn two_topics() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cm.toml"), "").unwrap();
    for (at, topic) in ["pool", "cache"].into_iter().enumerate() {
        for number in 0..4 {
            let links: Vec<String> =
                (0..4).filter(|other| *other != number).map(|other| format!("[[{topic} {other}]]")).collect();
            let text = format!(
                "---\nid: 1f0c2a00-0000-4000-8000-0000000000{at}{number}\ntype: fix\ntitle: {topic} {number}\ntags: [{topic}]\nupdated: 2026-01-0{}T00:00:00Z\n---\n\n{}\n",
                number + 1,
                links.join(" and "),
            );
            write(folder.path(), &format!("{topic}-{number}.md"), &text);
        }
    }
    write(folder.path(), "alone.md", "---\ntype: fix\ntitle: Alone\n---\n\nNo link.\n");
    folder
}

#[test]
fn the_table_has_each_topic_and_the_notes_without_links() {
    let folder = two_topics();
    let table = table(&context(folder.path())).unwrap();
    let labels: Vec<(&str, usize)> =
        table.regions.iter().map(|one| (one.label.as_str(), one.notes)).collect();
    assert_eq!(table.notes, 9);
    assert_eq!(labels.len(), 3);
    assert!(labels.contains(&("pool", 4)) && labels.contains(&("cache", 4)));
    assert_eq!(table.regions[2].kind, RegionKind::Unlinked);
    assert_eq!(table.regions[2].communities[0].top[0].title, "Alone");
}

#[test]
fn a_community_has_its_notes_and_the_edges_among_them() {
    let folder = two_topics();
    let context = context(folder.path());
    let first = community(&context, 0).unwrap();
    assert_eq!((first.notes.len(), first.edges.len()), (4, 6));
    assert_eq!(community(&context, 3).unwrap_err().code, "not-found");
}

#[test]
fn the_neighbourhood_of_a_note_is_found_by_id_and_by_title() {
    let folder = two_topics();
    let context = context(folder.path());
    let by_title = near(&context, "pool 1").unwrap();
    assert_eq!((by_title.notes.len(), by_title.edges.len()), (4, 6));
    let id = &by_title.notes.iter().find(|note| note.title == "pool 1").unwrap().id;
    assert_eq!(near(&context, id).unwrap(), by_title);
    assert!(near(&context, "absent").is_err());
}

#[test]
fn hits_of_a_search_have_their_places() {
    let folder = two_topics();
    let context = context(folder.path());
    let hits = find(&context, "cache", 10).unwrap();
    assert_eq!(hits.notes.len(), 4);
    assert!(hits.notes.iter().all(|note| note.title.starts_with("cache")));
}

#[test]
fn the_map_is_read_from_its_file_until_a_note_changes() {
    let folder = two_topics();
    let first = image(&context(folder.path())).unwrap();
    let stored = folder.path().join("_index/map");
    let written = fs::metadata(&stored).unwrap().modified().unwrap();
    assert_eq!(image(&context(folder.path())).unwrap(), first);
    assert_eq!(fs::metadata(&stored).unwrap().modified().unwrap(), written);
    write(folder.path(), "new.md", "---\ntype: fix\ntitle: New\n---\n\nSee [[pool 1]].\n");
    let second = image(&context(folder.path())).unwrap();
    assert_ne!(second.version, first.version);
    assert_eq!(second.gzip[..2], [0x1f, 0x8b]);
    assert_eq!(table(&context(folder.path())).unwrap().notes, 10);
}

#[test]
fn damaged_and_foreign_files_are_built_again() {
    let folder = two_topics();
    let (first, rows) = (image(&context(folder.path())).unwrap(), table(&context(folder.path())).unwrap());
    for name in ["map", "map-notes"] {
        let path = folder.path().join("_index").join(name);
        fs::write(&path, b"something else").unwrap();
        assert_eq!(image(&context(folder.path())).unwrap(), first);
        assert_eq!(table(&context(folder.path())).unwrap(), rows);
    }
}
