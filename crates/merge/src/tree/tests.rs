//! Tests of the merge of whole trees: in both directions, and again.

use cm_note::instant::Instant;
use cm_note::note::{RelationTable, TypeTable};
use cm_note::score::Scoring;
use proptest::prelude::*;

use super::*;

fn path(path: &str) -> NotePath {
    NotePath::parse(path).unwrap()
}

/// A memory with its id, the second in which it was made and updated, and its body.
fn note(id: u32, second: u32, body: &str) -> String {
    format!(
        "---\nid: {id:08x}-0000-4000-8000-000000000000\ntype: fact\ntitle: Note {id}\nimportance: 0.5\ncreated: 2026-01-01T00:00:{second:02}Z\nupdated: 2026-01-01T00:00:{second:02}Z\n---\n\n# Note {id}\n\n{body}\n"
    )
}

type Files = BTreeMap<String, String>;

fn files(pairs: &[(&str, &str)]) -> Files {
    pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn changes(base: &Files, side: &Files) -> Vec<SideChange> {
    let paths: BTreeSet<&String> = base.keys().chain(side.keys()).collect();
    let bytes = |files: &Files, at: &String| files.get(at).map(|text| text.clone().into_bytes());
    paths
        .into_iter()
        .filter(|at| base.get(*at) != side.get(*at))
        .map(|at| SideChange {
            path: path(at),
            old: bytes(base, at),
            new: bytes(side, at),
            executable: false,
            stamp: None,
        })
        .collect()
}

/// Merges two sides and returns the files of the merged vault.
fn merge(base: &Files, ours: &Files, theirs: &Files) -> Files {
    merge_stamped(base, (ours, None), (theirs, None))
}

/// Like [`merge`], with the commit of each side.
fn merge_stamped(
    base: &Files,
    (ours, our_stamp): (&Files, Option<ChangeStamp>),
    (theirs, their_stamp): (&Files, Option<ChangeStamp>),
) -> Files {
    let stamped = |side: &Files, stamp: &Option<ChangeStamp>| {
        let changes = changes(base, side).into_iter();
        changes.map(|change| SideChange { stamp: stamp.clone(), ..change }).collect::<Vec<_>>()
    };
    let (types, relations, scoring) = (TypeTable::default(), RelationTable::default(), Scoring::default());
    let vocabulary = Vocabulary { types: &types, relations: &relations, scoring: &scoring };
    let exists = |path: &NotePath| base.contains_key(path.as_str());
    let mut merged = ours.clone();
    let (our_changes, their_changes) = (stamped(ours, &our_stamp), stamped(theirs, &their_stamp));
    for file in merge_changes(&our_changes, &their_changes, &vocabulary, &exists) {
        match file.new {
            Some(bytes) => merged.insert(file.path.to_string(), String::from_utf8(bytes).unwrap()),
            None => merged.remove(file.path.as_str()),
        };
    }
    merged
}

/// Merges two sides in both directions, and returns the result, which must be the same.
fn merge_both_ways(base: &Files, ours: &Files, theirs: &Files) -> Files {
    let merged = merge(base, ours, theirs);
    assert_eq!(merged, merge(base, theirs, ours), "the result depends on the side");
    assert_eq!(merged, merge(ours, ours, &merged), "merging again changes the result");
    merged
}

#[test]
fn a_rename_on_one_side_and_an_edit_on_the_other_both_happen() {
    let base = files(&[("graph/facts/a.md", &note(1, 1, "One."))]);
    let renamed = files(&[("graph/facts/b.md", &note(1, 1, "One."))]);
    let edited = files(&[("graph/facts/a.md", &note(1, 1, "One and two."))]);
    let merged = merge_both_ways(&base, &renamed, &edited);
    assert_eq!(merged, files(&[("graph/facts/b.md", &note(1, 1, "One and two."))]));
}

#[test]
fn an_edit_follows_a_file_without_an_id_that_was_moved_as_it_is() {
    let pair = |name: &str, text: &str| files(&[(name, text), ("notes/same.md", "# Same\n")]);
    let base = pair("notes/a.md", "# Plain\n\nOne.\n");
    let moved = pair("notes/b.md", "# Plain\n\nOne.\n");
    let edited = pair("notes/a.md", "# Plain\n\nOne and two.\n");
    assert_eq!(merge_both_ways(&base, &moved, &edited), pair("notes/b.md", "# Plain\n\nOne and two.\n"));
    let deleted = files(&[("notes/same.md", "# Same\n")]);
    assert!(merge_both_ways(&base, &moved, &deleted)["notes/b.md"].contains("file: notes/a.md"));
    let mut copied = moved.clone();
    copied.insert("notes/c.md".to_owned(), moved["notes/b.md"].clone());
    assert_eq!(merge_both_ways(&base, &copied, &edited).len(), 4, "which of two copies it is, is open");
}

#[test]
fn of_two_renames_the_later_one_stands() {
    let base = files(&[("graph/facts/a.md", &note(1, 1, "One."))]);
    let early = files(&[("graph/facts/z.md", &note(1, 2, "One."))]);
    let late = files(&[("graph/facts/b.md", &note(1, 3, "One."))]);
    let merged = merge_both_ways(&base, &early, &late);
    assert_eq!(merged.keys().collect::<Vec<_>>(), ["graph/facts/b.md"]);
}

#[test]
fn an_edit_stays_where_the_other_side_deleted_the_note_and_a_leftover_tells_it() {
    let base = files(&[("graph/facts/a.md", &note(1, 1, "One.")), ("graph/facts/b.md", &note(2, 1, "Two."))]);
    let edited =
        files(&[("graph/facts/a.md", &note(1, 1, "One more.")), ("graph/facts/b.md", &note(2, 1, "Two."))]);
    let merged = merge_both_ways(&base, &Files::new(), &edited);
    assert_eq!(merged.keys().collect::<Vec<_>>(), ["graph/facts/a.md"]);
    let text = &merged["graph/facts/a.md"];
    assert!(
        text.contains("One more.") && text.contains("merge:") && text.contains("graph/facts/a.md"),
        "{text}"
    );
}

#[test]
fn an_edit_stays_where_the_other_side_emptied_the_note_and_a_leftover_tells_it() {
    let base = files(&[("a.md", &note(1, 1, "One."))]);
    let edited = files(&[("a.md", &note(1, 2, "Two."))]);
    let merged = merge_both_ways(&base, &files(&[("a.md", "\n")]), &edited);
    assert!(merged["a.md"].contains("Two.") && merged["a.md"].contains("title: Note 1"), "{merged:?}");
    assert!(merged["a.md"].contains("merge:\n  - file: a.md\n"), "{merged:?}");
    let emptied = files(&[("a.md", "")]);
    assert_eq!(merge_both_ways(&base, &emptied, &base), emptied, "the other side left it alone");
}

#[test]
fn a_note_keeps_its_frontmatter_where_one_side_lost_all_of_it_and_the_other_edited_it() {
    let base = files(&[("a.md", &note(1, 1, "One."))]);
    let edited = files(&[("a.md", &note(1, 2, "One."))]);
    let lost = files(&[("a.md", "# Note 1\n\nTwo.\n")]);
    let merged = merge_both_ways(&base, &lost, &edited);
    // The blank line above the text went with the frontmatter.
    assert_eq!(merged["a.md"], note(1, 2, "Two.").replace("---\n\n", "---\n"));
    assert_eq!(merge_both_ways(&base, &lost, &lost), lost);
}

#[test]
fn a_version_that_lost_twice_is_left_over_for_the_text_that_stands() {
    let texts = ["Said by the team.", "Said by Ada at noon.", "Said by Ben at one.", "Said by Cyd at two."];
    let [base, ada, ben, cyd] = [0, 1, 2, 3].map(|at| files(&[("a.md", &note(1, at as u32 + 1, texts[at]))]));
    let merged = merge_both_ways(&base, &ada, &ben);
    assert!(merged["a.md"].contains("Ben at one.\n    value: Said by Ada"), "{merged:?}");
    let merged = merge_both_ways(&base, &merged, &cyd);
    let anchors = merged["a.md"].matches("paragraph: Said by Cyd at two.").count();
    assert_eq!(anchors, 2, "{merged:?}");
}

#[test]
fn a_file_that_is_no_note_stays_byte_for_byte_where_the_other_side_deleted_it() {
    let base = files(&[("attachments/a.json", "{\"a\": 1}\n"), ("run.sh", "a\n")]);
    let edited = files(&[("attachments/a.json", "{\"a\": 2}\n"), ("run.sh", "b\n")]);
    assert_eq!(merge_both_ways(&base, &Files::new(), &edited), edited);
}

#[test]
fn a_moved_note_stays_where_the_other_side_deleted_it() {
    let base = files(&[("graph/facts/a.md", &note(1, 1, "One."))]);
    let moved = files(&[("vault/a.md", &note(1, 1, "One."))]);
    let merged = merge_both_ways(&base, &Files::new(), &moved);
    assert_eq!(merged.keys().collect::<Vec<_>>(), ["vault/a.md"]);
    assert!(merged["vault/a.md"].contains("merge:\n  - file: graph/facts/a.md\n"), "{merged:?}");
}

#[test]
fn two_notes_at_one_path_both_stay_and_the_links_of_the_later_one_follow() {
    let ours = files(&[("notes/plan.md", &note(1, 1, "First."))]);
    let theirs =
        files(&[("notes/plan.md", &note(2, 2, "Second.")), ("notes/index.md", &note(3, 2, "See [[plan]]."))]);
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    assert_eq!(
        merged.keys().collect::<Vec<_>>(),
        ["notes/index.md", "notes/plan-000000.md", "notes/plan.md"]
    );
    assert!(merged["notes/plan.md"].contains("First."), "{merged:?}");
    assert!(merged["notes/index.md"].contains("[[plan-000000"), "{merged:?}");
}

#[test]
fn two_unrelated_notes_without_an_id_at_one_path_both_stay() {
    for head in ["", "---\ntags: [x]\n---\n\n"] {
        let ours = files(&[("todo.md", &format!("{head}# Ada on databases\n\nAsk who owns the replica.\n"))]);
        let theirs = files(&[
            ("todo.md", &format!("{head}# Shopping list\n\n- milk\n- bread for the office\n")),
            ("index.md", "[list](todo.md)\n"),
        ]);
        let merged = merge_both_ways(&Files::new(), &ours, &theirs);
        assert!(merged.len() == 3 && merged.contains_key("todo.md"), "{merged:?}");
        let leftover = "merge:\n  - file: todo.md\n    value: todo.md\n";
        assert_eq!(merged.values().filter(|text| text.contains(leftover)).count(), 1, "{merged:?}");
        let without = |text: &String| text.replace(leftover, "").replace("---\n---\n", "");
        let texts: Vec<String> = merged.values().map(without).collect();
        assert!(texts.contains(&ours["todo.md"]) && texts.contains(&theirs["todo.md"]), "{merged:?}");
        let is_moved = merged["todo.md"] == ours["todo.md"];
        assert_eq!(merged["index.md"] != theirs["index.md"], is_moved, "{merged:?}");
    }
    let (ours, theirs) = (
        files(&[("todo.md", "# Todo\n\n- call Bob\n- feed the cat\n"), ("2026-11-21.md", "# Day\n\n- a\n")]),
        files(&[("todo.md", "# Todo\n\n- call Bob\n- send\n"), ("2026-11-21.md", "# Day\n\n- b\n")]),
    );
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    assert_eq!(merged.len(), 2, "mostly the same, and a day: {merged:?}");
    assert!(merged["todo.md"].contains("merge:\n  - file: todo.md\n    value: todo.md\n"), "{merged:?}");
    assert!(!merged["2026-11-21.md"].contains("merge:"), "{merged:?}");
}

#[test]
fn two_notes_with_one_id_both_stay_and_the_later_one_gets_another_id() {
    let ours = files(&[("notes/a.md", &note(1, 1, "First."))]);
    let theirs = files(&[("notes/b.md", &note(1, 2, "Second.").replace("Note 1", "Other"))]);
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    let ids: BTreeSet<_> =
        merged.iter().map(|(at, text)| pairing::id_of(&path(at), text.as_bytes())).collect();
    assert_eq!((merged.len(), ids.len()), (2, 2), "{merged:?}");
    assert_eq!(merged["notes/a.md"], ours["notes/a.md"]);
}

#[test]
fn the_same_edge_made_twice_is_one_edge() {
    let edge = |id: u32| {
        format!(
            "---\nid: {id:08x}-0000-4000-8000-000000000000\ntype: SOLVES\nfrom_id: 1\nto_id: 2\nstrength: 0.9\ncreated: 2026-01-01T00:00:0{id}Z\nupdated: 2026-01-01T00:00:0{id}Z\n---\n\nBecause {id}.\n"
        )
    };
    let ours = files(&[("graph/edges/a--SOLVES--b-000001.md", &edge(1))]);
    let theirs = files(&[("graph/edges/a--SOLVES--b-000002.md", &edge(2))]);
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    assert_eq!(merged.len(), 1, "{merged:?}");
    let text = merged.values().next().unwrap();
    assert!(text.contains("Because 1.") && text.contains("Because 2."), "{text}");
}

#[test]
fn generated_files_are_left_to_those_who_generate_them() {
    let base = files(&[("CORE.md", "old\n")]);
    let (ours, theirs) = (files(&[("CORE.md", "ours\n")]), files(&[("CORE.md", "theirs\n")]));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert!(merged == ours || merged == theirs, "{merged:?}");
    assert_eq!(merge_both_ways(&base, &ours, &Files::new()), Files::new());
}

/// One change of one side: the number of a note, and what happens to it.
type Step = (u32, u8);

fn apply(base: &Files, steps: &[Step], side: &str) -> Files {
    let mut files = base.clone();
    for (number, kind) in steps {
        let at = files
            .iter()
            .find(|(_, text)| text.contains(&format!("id: {number:08x}")))
            .map(|(at, _)| at.clone());
        match (at, kind % 4) {
            (Some(at), 0) => drop(files.remove(&at)),
            (Some(at), 1) => {
                let text = files.remove(&at).unwrap();
                files.insert(format!("graph/facts/{side}-{number}.md"), text);
            }
            (Some(at), _) => {
                let text = files.get_mut(&at).unwrap();
                text.push_str(&format!("\nParagraph {kind} of {side}.\n"));
            }
            (None, _) => {
                let body = format!("New from {side}, {kind}.");
                files.insert(format!("graph/facts/{number}.md"), note(*number, u32::from(kind % 60), &body));
            }
        }
    }
    files
}

proptest! {
    #[test]
    fn both_directions_give_the_same_files_and_every_new_line_is_in_them(
        notes in 0_u32..5,
        ours in prop::collection::vec((0_u32..8, 0_u8..60), 0..8),
        theirs in prop::collection::vec((0_u32..8, 0_u8..60), 0..8),
    ) {
        let base: Files =
            (0..notes).map(|n| (format!("graph/facts/{n}.md"), note(n, 1, &format!("Body {n}.")))).collect();
        let (ours, theirs) = (apply(&base, &ours, "ours"), apply(&base, &theirs, "theirs"));
        let merged = merge_both_ways(&base, &ours, &theirs);
        let all: String = merged.values().cloned().collect();
        for side in [&ours, &theirs] {
            for (at, text) in side {
                for line in text.lines().filter(|line| line.contains(" of ours") || line.contains(" of theirs") || line.contains("New from")) {
                    prop_assert!(all.contains(line), "`{line}` of {at} is lost: {all}");
                }
            }
        }
        // One side alone: its files exactly.
        prop_assert_eq!(&merge(&base, &ours, &base), &ours);
        prop_assert_eq!(&merge(&base, &base, &theirs), &theirs);
    }
}

#[test]
fn both_versions_of_a_file_that_cannot_be_merged_stay() {
    let base = files(&[("attachments/p.png", "\0base"), ("attachments/d.csv", "a,1\n")]);
    let ours = files(&[("attachments/p.png", "\0ours"), ("attachments/d.csv", "a,2\n")]);
    let theirs = files(&[("attachments/p.png", "\0theirs"), ("attachments/d.csv", "a,3\n")]);
    let merged = merge_both_ways(&base, &ours, &theirs);
    let mut texts: Vec<&String> = merged.values().collect();
    texts.sort();
    assert_eq!(texts, ["\0ours", "\0theirs", "a,2\n", "a,3\n"]);
    assert_eq!(
        (merged["attachments/p.png"].as_str(), merged["attachments/d.csv"].as_str()),
        ("\0theirs", "a,3\n")
    );
    let added = merge_both_ways(&Files::new(), &files(&[("n.bin", "\0one")]), &files(&[("n.bin", "\0two")]));
    assert_eq!(added.len(), 2, "{added:?}");
}

#[test]
fn both_versions_of_a_note_that_cannot_be_merged_stay_without_markers() {
    let base = files(&[("graph/facts/a.md", &note(1, 1, "One.")), (".claude/a.md", "One.\n")]);
    let side = |text: &str, importance: &str| {
        let text = note(1, 1, text).replace("importance: 0.5", importance);
        files(&[("graph/facts/a.md", &text), (".claude/a.md", &format!("{importance}\n"))])
    };
    let (ours, theirs) = (side("Two.", "importance: 0.7"), side("Three.", "importance: ["));
    let merged = merge_both_ways(&base, &ours, &theirs);
    let all: String = merged.values().cloned().collect();
    assert!(!all.contains("<<<<"), "{all}");
    assert_eq!(merged.len(), 4, "{merged:?}");
    let standing = &merged["graph/facts/a.md"];
    assert!(
        standing.contains("Two.") && standing.contains("merge:\n  - file: graph/facts/a.md"),
        "{standing}"
    );
    let copy = merged.iter().find(|(_, text)| text.contains("Three.")).unwrap();
    assert!(standing.contains(&format!("value: {}", copy.0)), "{standing}");
    let id = |at: &str| pairing::id_of(&path(at), merged[at].as_bytes());
    assert!(id(copy.0).is_some() && id(copy.0) != id("graph/facts/a.md"), "{merged:?}");
}

#[test]
fn a_note_that_both_sides_adopted_stays_one_note_and_the_edges_of_both_lead_to_it() {
    let id = |number: u32| format!("{number:08x}-0000-4000-8000-000000000000");
    let adopted = |number: u32| format!("---\nid: {}\n---\n# Plan\n\nText.\n", id(number));
    let edge = |own: u32, from: u32, to: u32| {
        let ends = format!("type: SOLVES\nfrom_id: {}\nto_id: {}", id(from), id(to));
        note(own, 1, "").replace("type: fact", &ends)
    };
    let base = files(&[("plan.md", "# Plan\n\nText.\n"), ("a.md", &note(7, 1, "A."))]);
    let side = |number: u32, name: &str| {
        let mut side = base.clone();
        side.insert("plan.md".to_owned(), adopted(number));
        side.insert(format!("graph/edges/{name}.md"), edge(10 + number, 7, number));
        side
    };
    let (ours, theirs) = (side(2, "one"), side(1, "two"));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert_eq!(merged["plan.md"], adopted(1));
    assert!(merged.values().all(|text| !text.contains(&id(2))), "{merged:?}");
    // A third clone that knew the other ID.
    let mut third = ours.clone();
    third.insert("graph/edges/three.md".to_owned(), edge(20, 2, 7));
    let merged = merge_both_ways(&ours, &third, &merged);
    assert!(merged["graph/edges/three.md"].contains(&format!("from_id: {}", id(1))), "{merged:?}");
}

#[test]
fn a_note_stays_that_one_side_deleted_and_the_other_made_an_edge_to() {
    let base = files(&[("a.md", &note(1, 1, "One.")), ("b.md", &note(2, 1, "Two."))]);
    let id = |number: u32| format!("{number:08x}-0000-4000-8000-000000000000");
    let ends = format!("type: SOLVES\nfrom_id: {}\nto_id: {}", id(1), id(2));
    let mut ours = base.clone();
    ours.insert("graph/edges/e.md".to_owned(), note(3, 1, "").replace("type: fact", &ends));
    let theirs = files(&[("a.md", &note(1, 1, "One."))]);
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert!(merged["b.md"].contains("merge:\n  - file: b.md\n"), "{merged:?}");
    assert_eq!(merged.len(), 3);
}

#[test]
fn links_that_one_side_made_follow_the_notes_that_the_other_renamed() {
    let base = files(&[("graph/facts/old-name.md", &note(1, 1, "One.")), ("index.md", "# Index\n")]);
    let mut ours = files(&[("graph/facts/New name.md", &note(1, 1, "One.")), ("index.md", "# Index\n")]);
    let mut theirs = base.clone();
    let links = |name: &str, path: &str| {
        format!(
            "# Index\n\n[[{name}]], [[{name}#One|here]], [[graph/facts/{name}]] and [x](graph/facts/{path}.md).\n"
        )
    };
    theirs.insert("index.md".to_owned(), links("old-name", "old-name"));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert_eq!(merged["index.md"], links("New name", "New%20name"));
    ours.insert("graph/facts/old-name.md".to_owned(), note(2, 2, "Another."));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert_eq!(merged["index.md"], theirs["index.md"], "another note has the name now");
}

#[test]
fn a_link_that_followed_a_rename_is_no_change_of_its_sentence() {
    let text = |link: &str, day: &str| format!("# Portal\n\nSee [[{link}]] and the long list of {day}.\n");
    let side = |link: &str, day: &str| {
        files(&[(&format!("{link}.md"), &note(1, 1, "One.")), ("Portal.md", &text(link, day))])
    };
    let merged =
        merge_both_ways(&side("Slots", "today"), &side("Booking", "today"), &side("Slots", "Friday"));
    assert_eq!(merged, side("Booking", "Friday"));
}

#[test]
fn of_two_new_names_of_a_note_the_other_one_is_an_alias_and_linking_notes_have_no_leftover() {
    let link = |name: &str| format!("# Portal\n\nSee [[{name}]] first.\n");
    let side = |name: &str| {
        let text = format!("---\nid: {:08x}-0000-4000-8000-000000000000\n---\n# {name}\n\nThirty.\n", 1);
        files(&[(&format!("{name}.md"), &text), ("Portal.md", &link(name))])
    };
    let merged = merge_both_ways(&side("Throttling"), &side("Rate limit"), &side("Quota"));
    assert_eq!(merged["Portal.md"], link("Rate limit"));
    let note = &merged["Rate limit.md"];
    assert!(note.contains("aliases: [Quota]\n") || note.contains("aliases:\n  - Quota\n"), "{note}");
}

#[test]
fn the_version_of_the_later_commit_stands_where_an_edit_by_hand_left_updated_as_it_was() {
    let side = |time: &str| files(&[("a.md", &note(1, 1, &format!("The meeting begins at {time}.")))]);
    let stamp = |hour: u32, author: &str| {
        let at = Instant::parse(&format!("2026-01-02T{hour:02}:00:00Z")).unwrap();
        Some(ChangeStamp { at, author: author.to_owned() })
    };
    let (base, ours, theirs) = (side("ten"), side("noon"), side("zero"));
    let merged = merge_stamped(&base, (&ours, stamp(9, "Ada")), (&theirs, stamp(8, "Ben")));
    assert_eq!(merged, merge_stamped(&base, (&theirs, stamp(8, "Ben")), (&ours, stamp(9, "Ada"))));
    let text = &merged["a.md"];
    assert!(text.ends_with("at noon.\n") && text.contains("author: Ben"), "{text}");
    assert!(text.contains("    updated: 2026-01-02T08:00:00Z\n"), "{text}");
}

#[test]
fn names_that_differ_only_in_how_unicode_writes_a_letter_get_two_paths() {
    let (ours, theirs) = (files(&[("Pr\u{fc}fung.md", "A\n")]), files(&[("Pru\u{308}fung.md", "B\n")]));
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    let folded: BTreeSet<_> = merged.keys().map(|at| collisions::folded(&path(at))).collect();
    assert_eq!((merged.len(), folded.len()), (2, 2), "{merged:?}");
}

#[test]
fn which_notes_an_editor_has_open_is_no_clash() {
    let at = ".obsidian/workspace.json";
    let side = |text: &str| files(&[(at, text)]);
    assert_eq!(merge_both_ways(&side("{}"), &side("{\"a\": 1}"), &side("{\"a\": 2}")), side("{\"a\": 2}"));
}

#[test]
fn a_file_and_a_folder_of_one_name_both_stay() {
    let (ours, theirs) = (files(&[("notes", "file\n")]), files(&[("notes/a.md", "A\n")]));
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    assert_eq!(merged["notes/a.md"], "A\n");
    assert!(merged.len() == 2 && !merged.contains_key("notes"), "{merged:?}");
}

#[test]
fn an_id_that_a_copy_kept_is_not_replaced() {
    let base = files(&[("a.md", &note(1, 1, "One."))]);
    let ours = files(&[
        ("a.md", &note(1, 1, "One.").replace("id: 00000001", "id: 00000002")),
        ("copy.md", &note(1, 1, "One.")),
    ]);
    let mut theirs = base.clone();
    let link = "type: SOLVES\nfrom_id: 00000001-0000-4000-8000-000000000000\nto_id: x";
    theirs.insert("graph/edges/e.md".to_owned(), note(3, 1, "").replace("type: fact", link));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert_eq!(merged["copy.md"], ours["copy.md"]);
    assert_eq!(merged["graph/edges/e.md"], theirs["graph/edges/e.md"]);
}

#[test]
fn links_to_an_attachment_that_got_another_path_lead_to_the_bytes_that_their_side_added() {
    let side = |name: &str, bytes: &str| {
        let text = "# Shot\n\n![s](att/shot.png) and ![[shot.png]] and [x](att/other.png)\n";
        files(&[("att/shot.png", bytes), (name, &format!("{text}\nBy {name}.\n"))])
    };
    let (ours, theirs) = (side("a.md", "\0a"), side("b.md", "\0b"));
    let merged = merge_both_ways(&Files::new(), &ours, &theirs);
    let copy = merged.keys().find(|at| at.starts_with("att/shot-")).unwrap();
    for (note, bytes) in [("a.md", "\0a"), ("b.md", "\0b")] {
        let at = merged.iter().find(|(_, text)| *text == bytes).unwrap().0;
        let name = at.strip_prefix("att/").unwrap();
        let expected = format!("![s]({at}) and ![[{name}]] and [x](att/other.png)");
        assert!(merged[note].contains(&expected), "{copy}: {merged:?}");
    }
}

#[test]
fn the_edges_of_a_note_stay_that_one_side_deleted_and_the_other_edited() {
    let id = |number: u32| format!("{number:08x}-0000-4000-8000-000000000000");
    let edge = |own: u32, from: u32, to: u32| {
        let ends = format!("type: CAUSES\nfrom_id: {}\nto_id: {}", id(from), id(to));
        note(own, 1, "").replace("type: fact", &ends)
    };
    let base = files(&[
        ("a.md", &note(1, 1, "One.")),
        ("b.md", &note(2, 1, "Two.")),
        ("c.md", &note(3, 1, "Three.")),
        ("graph/edges/a--CAUSES--b.md", &edge(11, 1, 2)),
        ("graph/edges/a--CAUSES--c.md", &edge(12, 1, 3)),
    ]);
    let ours = files(&[("b.md", &base["b.md"])]);
    let mut theirs = base.clone();
    theirs.insert("a.md".to_owned(), note(1, 2, "One more."));
    let merged = merge_both_ways(&base, &ours, &theirs);
    assert_eq!(
        merged.keys().collect::<Vec<_>>(),
        ["a.md", "b.md", "graph/edges/a--CAUSES--b.md"],
        "the other end of the second edge is deleted"
    );
}
