//! Merges of files that are not notes, and leftovers about files.

use super::*;

#[test]
fn a_change_of_one_side_gives_its_bytes() {
    let (base, side) = (b"a\xff\n".as_slice(), b"\0b".as_slice());
    for path in [MEMORY, "CORE.md", "cm.toml", "x.bin"] {
        for clash in [Clash::Leftover, Clash::Markers] {
            let clean = Merged { bytes: side.to_vec(), markers: false };
            assert_eq!(merged(path, Some(base), side, base, clash), clean);
            assert_eq!(merged(path, Some(base), base, side, clash), clean);
            assert_eq!(merged(path, None, side, side, clash), clean);
        }
    }
}

#[test]
fn a_side_that_does_not_parse_is_merged_as_text() {
    let base = memory("tags: [a]\n", "Text.\n");
    let broken = base.replace("[a]", "[a");
    let theirs = format!("{base}More.\n");
    assert_eq!(synced(MEMORY, &base, &broken, &theirs), format!("{broken}More.\n"));
    let doubled = base.replace("tags:", "tags: [x]\ntags:");
    assert_eq!(synced(MEMORY, &base, &doubled, &theirs), format!("{doubled}More.\n"));
}

#[test]
fn other_encodings_are_merged_by_lines() {
    let merged =
        merged("x.txt", Some(b"\xe4\nb\nc\n"), b"\xe4\xe4\nb\nc\n", b"\xe4\nb\n\xff\n", Clash::Markers);
    assert_eq!(merged, Merged { bytes: b"\xe4\xe4\nb\n\xff\n".to_vec(), markers: false });
}

#[test]
fn generated_files_are_not_merged() {
    assert_eq!(merged("CORE.md", Some(b"a\n"), b"b\n", b"c\n", Clash::Markers).bytes, b"b\n");
    assert_eq!(synced("CORE.md", "a\n", "b\n", "c\n"), "c\n");
}

#[test]
fn text_that_is_no_note_gets_gits_markers() {
    let merged = merged("x.txt", Some(b"a\n"), b"b\n", b"c\n", Clash::Leftover);
    assert!(merged.markers);
    assert_eq!(merged.bytes, b"<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n");
}

#[test]
fn markers_with_the_base_have_three_whole_versions() {
    let note = |text: &str| memory("", &format!("First.\n\nOne.\n{text}Last one.\n"));
    let (base, ours, theirs) = (note("Two a.\n"), note("Two b.\n"), note("Two c.\n"));
    for path in ["x.txt", MEMORY] {
        let merged = |clash| merged(path, Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), clash);
        let with_base = merged(Clash::MarkersWithBase);
        let text = String::from_utf8(with_base.bytes).unwrap();
        assert!(with_base.markers && text.contains("||||||| base\n"), "{text}");
        // Each version can be read back.
        for (version, label) in [(&base, "||||||| base\n"), (&ours, "<<<<<<< ours\n"), (&theirs, "=======\n")]
        {
            let at = text.find(label).unwrap() + label.len();
            let rest = &text[at..];
            let end =
                ["|||||||", "=======", ">>>>>>>"].iter().filter_map(|mark| rest.find(mark)).min().unwrap();
            let (before, after) = (text.find("<<<<<<<").unwrap(), text.find(">>>>>>> theirs\n").unwrap());
            let whole = format!("{}{}{}", &text[..before], &rest[..end], &text[after + 15..]);
            assert_eq!(&whole, version);
        }
        assert!(merged(Clash::Markers).bytes.windows(7).all(|part| part != b"|||||||"));
    }
}

#[test]
fn two_notes_under_one_path_are_not_mixed() {
    let ours = memory("", "Mine.\n");
    let theirs = ours.replace("0b8f7c52", "1c9f7c52").replace("Mine", "Yours");
    let merged = merged(MEMORY, None, ours.as_bytes(), theirs.as_bytes(), Clash::Markers);
    assert!(merged.markers);
}

#[test]
fn a_leftover_is_added_once_and_only_to_a_note() {
    let path = NotePath::parse(MEMORY).unwrap();
    let leftover = Leftover::deleted(&path);
    let note = memory("", "Text.\n");
    let with = with_leftover(&path, note.as_bytes(), &leftover);
    assert_eq!(String::from_utf8_lossy(&with), memory("merge:\n  - file: graph/facts/a.md\n", "Text.\n"));
    assert_eq!(with_leftover(&path, &with, &leftover), with);
    assert_eq!(with_leftover(&path, b"---\na: [\n---\n", &leftover), b"---\na: [\n---\n");
    assert_eq!(with_leftover(&path, b"\xff", &leftover), b"\xff");
    for path in ["x.json", ".claude/a.md", "CORE.md"] {
        let path = NotePath::parse(path).unwrap();
        assert_eq!(with_leftover(&path, b"{}\n", &leftover), b"{}\n", "{path}");
    }
}

#[test]
fn a_leftover_can_be_removed_without_a_trace() {
    let path = NotePath::parse("notes/a.md").unwrap();
    let leftover = Leftover::deleted(&path);
    for text in ["# A\r\n\r\nText", "\u{feff}Text\n", "---\nid: x\n---", "", "---\n\nRule above.\n"] {
        let with = String::from_utf8(with_leftover(&path, text.as_bytes(), &leftover)).unwrap();
        assert!(with.contains("merge:"), "{with}");
        assert_eq!(apply(&with, &removal()).unwrap(), text);
    }
    let empty = b"---\n---\nText\n";
    assert_eq!(with_leftover(&path, empty, &leftover), empty, "the empty frontmatter would be lost");
}

#[test]
fn rules_for_git_are_a_list_with_one_entry_a_line() {
    let merge = |base: &str, ours: &str, theirs: &str| synced(".gitignore", base, ours, theirs);
    assert_eq!(merge("a\n", "a\nb\nc\n", "a\nc\nd\n"), "a\nb\nc\nd\n");
    assert_eq!(merge("a\nb\n", "x\nb\n", "y\nb\n"), "x\ny\nb\n");
    assert_eq!(merge("", "/a\n", "/b"), "/a\n/b");
}

#[test]
fn a_merge_driver_marks_two_unrelated_new_notes() {
    let merge = |theirs: &[u8]| merged("todo.md", None, b"# Ada\n\nOn databases.\n", theirs, Clash::Markers);
    assert!(merge(b"# Shopping list\n\n- milk\n").markers);
    assert!(!merge(b"# Ada\n\nOn databases.\n\nMore.\n").markers);
}
