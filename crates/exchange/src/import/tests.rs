//! Imports from each tool into an in-memory vault.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use cm_note::instant::Instant;

type Files = BTreeMap<NotePath, Vec<u8>>;

fn path(text: &str) -> NotePath {
    NotePath::parse(text).unwrap()
}

fn folder(notes: &[(&str, &str)]) -> ImportFolder {
    let file = |(at, text): &(&str, &str)| ImportFile {
        path: path(at),
        bytes: text.as_bytes().to_vec(),
        modified: Instant::parse("2026-05-01T10:00:00Z").unwrap(),
        workspace: None,
    };
    ImportFolder {
        name: "My Notes".into(),
        notes: notes.iter().map(file).collect(),
        ..ImportFolder::default()
    }
}

fn planned(folder: &ImportFolder, format: ImportFormat, into: &str, vault: &Files) -> ImportPlan {
    let at = |path: &NotePath| vault.get(path).cloned();
    let of_id = |id: &NoteId| {
        let holds = |bytes: &Vec<u8>| std::str::from_utf8(bytes).ok().and_then(own_id).as_ref() == Some(id);
        vault.iter().find(|(_, bytes)| holds(bytes)).map(|(path, _)| path.clone())
    };
    let (types, relations) = (TypeTable::default(), RelationTable::default());
    let how =
        ImportOptions { format, into, types: &types, relations: &relations, read_file: &at, of_id: &of_id };
    plan(folder, &how)
}

fn carry_out(plan: &ImportPlan, vault: &mut Files) {
    for file in &plan.incoming {
        assert!(vault.insert(file.target.clone(), file.bytes.clone()).is_none(), "nothing is written over");
    }
}

fn text<'v>(vault: &'v Files, at: &str) -> &'v str {
    std::str::from_utf8(&vault[&path(at)]).unwrap()
}

fn skipped(plan: &ImportPlan) -> Vec<(&str, ImportSkipReason)> {
    plan.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.why)).collect()
}

/// The text with generated ids replaced by a placeholder.
fn without_ids(text: &str) -> String {
    let line = |line: &str| if line.starts_with("id: ") { "id: ID".to_owned() } else { line.to_owned() };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn obsidian_notes_keep_their_places_and_their_bytes() {
    let body = "# Heading\r\n\r\n> [!note] Callout\r\n> ![[picture.png|100]] [[Other#^block|alias]]\r\n\r\nA line. ^block\r\n#tag #nested/tag";
    let note = format!("---\r\naliases:\r\n  - One   # kept\r\ncssclasses: wide\r\n---\r\n{body}");
    let mut source = folder(&[("Decisions/A note.md", &note), ("Empty.md", "")]);
    source.attachments = vec!["picture.png".into()];
    let mut vault = Files::new();
    let plan = planned(&source, ImportFormat::Obsidian, "my-notes", &vault);
    carry_out(&plan, &mut vault);
    let after = text(&vault, "my-notes/Decisions/A note.md");
    assert!(after.ends_with(&format!("---\r\n{body}")));
    insta::assert_snapshot!(without_ids(&after.replace("\r\n", "\n")), @r"
    ---
    aliases:
      - One   # kept
    cssclasses: wide
    id: ID
    type: decision
    title: A note
    importance: 0.5
    created: 2026-05-01T10:00:00Z
    updated: 2026-05-01T10:00:00Z
    ---
    # Heading

    > [!note] Callout
    > ![[picture.png|100]] [[Other#^block|alias]]

    A line. ^block
    #tag #nested/tag
    ");
    assert_eq!(plan.attachments, Vec::<String>::new(), "what a note uses comes along");
    assert!(plan.incoming.iter().all(|file| file.id.as_ref().is_some_and(NoteId::is_uuid)));
}

#[test]
fn a_second_import_changes_nothing_even_of_notes_that_were_edited_or_moved() {
    let own = "---\nid: 20240102\ntags: a, b\ntype: Person\n---\nown";
    let source = folder(&[("a.md", "# A\n"), ("b.md", "b"), ("own.md", own), ("bad.md", "---\na: [\n---\n")]);
    let mut vault = Files::new();
    let first = planned(&source, ImportFormat::Markdown, "in", &vault);
    carry_out(&first, &mut vault);
    assert_eq!(first.incoming.len(), 4);
    let again = planned(&source, ImportFormat::Markdown, "in", &vault);
    assert!(again.incoming.is_empty());
    let b = vault.remove(&path("in/b.md")).unwrap();
    vault.insert(path("elsewhere/b.md"), [b.as_slice(), b" and more"].concat());
    let a = text(&vault, "in/a.md").replace("importance: 0.5", "importance: 0.9");
    vault.insert(path("in/a.md"), a.into_bytes());
    let mut later = source.clone();
    later.notes.iter_mut().for_each(|file| file.modified = Instant::parse("2026-09-09").unwrap());
    let again = planned(&later, ImportFormat::Markdown, "in", &vault);
    let already = ImportSkipReason::ThereAlready;
    assert_eq!(
        skipped(&again),
        [("a.md", already), ("b.md", already), ("bad.md", already), ("own.md", already)]
    );
    assert!(again.incoming.is_empty() && again.findings.is_empty());
}

#[test]
fn what_lies_in_the_way_is_never_written_over() {
    let mut vault = Files::from([
        (path("in/a.md"), b"theirs".to_vec()),
        (path("graph/facts/x.md"), b"---\nid: x1\n---\nanother".to_vec()),
    ]);
    let source = folder(&[("a.md", "ours"), ("b.md", "new"), ("x.md", "---\nid: x1\n---\nmine")]);
    let plan = planned(&source, ImportFormat::Obsidian, "in", &vault);
    assert_eq!(skipped(&plan), [("a.md", ImportSkipReason::PathTaken), ("x.md", ImportSkipReason::IdTaken)]);
    assert_eq!(plan.incoming.len(), 1);
    carry_out(&plan, &mut vault);
    let mut changed = source.clone();
    changed.notes[1].bytes = b"new and changed".to_vec();
    let plan = planned(&changed, ImportFormat::Obsidian, "in", &vault);
    assert_eq!(
        skipped(&plan)[1],
        ("b.md", ImportSkipReason::PathTaken),
        "a changed source is told, not taken for a new note"
    );
}

#[test]
fn folders_that_mean_something_here_take_no_foreign_notes() {
    let source = folder(&[("diary/a.md", "a"), ("playbook/x/b.md", "b"), ("c.md", "c"), ("CORE.md", "d")]);
    let plan = planned(&source, ImportFormat::Markdown, "", &Files::new());
    let why = ImportSkipReason::MeaningFolder;
    assert_eq!(skipped(&plan), [("CORE.md", why), ("diary/a.md", why), ("playbook/x/b.md", why)]);
    assert_eq!(into_folder("./notes/deep/").as_deref(), Ok("notes/deep"));
    assert_eq!(into_folder(".").as_deref(), Ok(""));
    for typed in ["../x", "/x", ".hidden", "episodes", "graph/edges", "_index/x"] {
        assert!(into_folder(typed).is_err(), "{typed}");
    }
    let names = ["My Notes", "Diary", "graph", "日本", "💡", ".."].map(default_into);
    assert_eq!(names, ["my-notes", "imported-diary", "imported-graph", "ri-ben", "imported", "imported"]);
}

#[test]
fn broken_notes_come_in_as_they_are_and_are_reported() {
    let mut source = folder(&[("bad.md", "---\ntitle: a: b\n---\ntext"), ("open.md", "---\ntitle: x\ntext")]);
    source.notes.push(ImportFile { bytes: b"caf\xe9".to_vec(), ..source.notes[0].clone() });
    source.notes[2].path = path("latin.md");
    let plan = planned(&source, ImportFormat::Obsidian, "in", &Files::new());
    for (file, incoming) in source.notes.iter().zip(&plan.incoming) {
        assert_eq!((&file.bytes, &incoming.id), (&incoming.bytes, &None));
        let messages =
            |found: &Finding| found.path == incoming.target.as_str() && found.severity == Severity::Error;
        assert!(plan.findings.iter().any(messages), "{}", incoming.target);
    }
}

#[test]
fn relations_of_basic_memory_are_written_next_to_its_text() {
    let coffee = "---\ntitle: Coffee\ntype: note\npermalink: drinks/coffee\ntags: [brewing]\n---\n\n- [method] Pour over #slow (tried)\n- requires [[Grinder]] (always)\n- pairs_with [[drinks/chocolate]]\n- relates_to [[Nowhere]]\n- [[Grinder]]\n";
    let source = folder(&[
        ("drinks/Coffee.md", coffee),
        ("Grinder.md", "---\ntitle: Grinder\ntype: Tool\npermalink: grinder\n---\n"),
        ("drinks/Chocolate.md", "---\ntitle: Dark chocolate\npermalink: drinks/chocolate\n---\n"),
    ]);
    let mut vault = Files::new();
    let plan = planned(&source, ImportFormat::BasicMemory, "bm", &vault);
    carry_out(&plan, &mut vault);
    let mut after = text(&vault, "bm/drinks/Coffee.md").to_owned();
    for file in &plan.incoming {
        after = after.replace(file.id.as_ref().unwrap().as_str(), file.target.stem());
    }
    insta::assert_snapshot!(after, @r"
    ---
    title: Coffee
    type: general
    permalink: drinks/coffee
    tags: [brewing]
    id: Coffee
    importance: 0.5
    created: 2026-05-01T10:00:00Z
    updated: 2026-05-01T10:00:00Z
    aliases: [drinks/coffee]
    relations:
      - target: Grinder
        type: REQUIRES
        direction: outgoing
        context: always
      - target: Chocolate
        type: RELATED_TO
        direction: outgoing
        context: pairs_with
    ---

    - [method] Pour over #slow (tried)
    - requires [[Grinder]] (always)
    - pairs_with [[drinks/chocolate]]
    - relates_to [[Nowhere]]
    - [[Grinder]]
    ");
    let grinder = text(&vault, "bm/Grinder.md");
    assert!(grinder.contains("type: general\n") && grinder.contains("source_type: Tool\n"), "{grinder}");
    assert!(planned(&source, ImportFormat::BasicMemory, "bm", &vault).incoming.is_empty());
}

#[test]
fn relations_lead_to_notes_that_came_in_earlier() {
    let mut source = folder(&[("a.md", "- requires [[b]]\n")]);
    let b = folder(&[("b.md", "b")]);
    let mut vault = Files::new();
    carry_out(&planned(&b, ImportFormat::BasicMemory, "in", &vault), &mut vault);
    let id = own_id(text(&vault, "in/b.md")).unwrap();
    source.notes.push(ImportFile { bytes: b"b, changed since".to_vec(), ..b.notes[0].clone() });
    let plan = planned(&source, ImportFormat::BasicMemory, "in", &vault);
    assert!(std::str::from_utf8(&plan.incoming[0].bytes).unwrap().contains(&format!("target: {id}")));
}

#[test]
fn a_zk_notebook_brings_its_tags_and_its_short_names() {
    let first = "---\ndate: 2021-03-04 05:06:07\nkeywords: [essay, craft]\naliases: [Draft]\n---\n# First\n\n:book:later: [second](wxyz)\n";
    let mut source = folder(&[("abcd.md", first), ("wxyz-second.md", "# Second\n\n[[abcd]] #one\n")]);
    let config = "[format.markdown]\ncolon-tags = true\n";
    source.tool_files.insert(".zk/config.toml".into(), config.into());
    let mut vault = Files::new();
    carry_out(&planned(&source, ImportFormat::Zk, "zk", &vault), &mut vault);
    insta::assert_snapshot!(without_ids(text(&vault, "zk/abcd.md")), @r"
    ---
    date: 2021-03-04 05:06:07
    keywords: [essay, craft]
    aliases: [Draft]
    id: ID
    type: general
    title: First
    importance: 0.5
    created: 2021-03-04T05:06:07Z
    updated: 2026-05-01T10:00:00Z
    tags: [essay, craft, book, later]
    ---
    # First

    :book:later: [second](wxyz)
    ");
    let second = text(&vault, "zk/wxyz-second.md");
    assert!(
        second.contains("title: Second\n") && second.contains("aliases: [wxyz]\n---\n# Second\n"),
        "{second}"
    );
    assert!(!second.contains("tags:"), "an inline tag is one already");
}

#[test]
fn a_vault_of_the_earlier_tool_comes_in_byte_for_byte() {
    let note = "---\nid: 5f0c0a52-7b1c-4b39-9d3a-0d7a4b1f6a11\ntype: fix\n---\nx";
    let mut source = folder(&[
        ("CORE.md", "generated"),
        ("episodes/2026-05-01.md", "# 2026-05-01\n\n## 10:00 - Done\n"),
        ("graph/fixes/a-5f0c0a.md", note),
    ]);
    source.attachments = ["_config.json", "_embeddings.json", "_index.json", "_state.json", "docs/a.pdf"]
        .map(String::from)
        .into();
    let state = r#"{"version": 1, "entries": {"5f0c0a52-7b1c-4b39-9d3a-0d7a4b1f6a11": {"access_count": 2}}}"#;
    source.tool_files.insert("_state.json".into(), state.into());
    let mut vault = Files::new();
    let plan = planned(&source, ImportFormat::ClaudeMemory, "", &vault);
    carry_out(&plan, &mut vault);
    assert_eq!(skipped(&plan), [("CORE.md", ImportSkipReason::Generated)]);
    assert_eq!(plan.attachments, ["docs/a.pdf"]);
    assert_eq!(plan.usage.len(), 1);
    assert_eq!(text(&vault, "graph/fixes/a-5f0c0a.md"), note);
    let ids: Vec<Option<bool>> =
        plan.incoming.iter().map(|file| file.id.as_ref().map(NoteId::is_uuid)).collect();
    assert_eq!(ids, [None, Some(true)]);
    let again = planned(&source, ImportFormat::ClaudeMemory, "", &vault);
    assert!(again.incoming.is_empty() && again.skipped.iter().all(|skipped| !skipped.why.failed()));
    vault.insert(path("episodes/2026-05-01.md"), b"another day".to_vec());
    let again = planned(&source, ImportFormat::ClaudeMemory, "", &vault);
    assert_eq!(skipped(&again)[1], ("episodes/2026-05-01.md", ImportSkipReason::PathTaken));
    source.tool_files.insert("_state.json".into(), "{".into());
    assert_eq!(
        planned(&source, ImportFormat::ClaudeMemory, "", &Files::new()).findings[0].path,
        "_state.json"
    );
}

#[test]
fn two_notes_of_one_id_both_come_in_and_are_reported() {
    let note = "---\nid: x1\n---\n";
    let plan =
        planned(&folder(&[("a.md", note), ("b.md", note)]), ImportFormat::Markdown, "in", &Files::new());
    assert_eq!(plan.incoming.len(), 2);
    assert!(
        plan.findings.iter().any(|found| found.code == FindingCode::DuplicateId && found.path == "in/b.md")
    );
}

/// The formats whose files are notes already.
fn tools_with_frontmatter() -> Vec<ImportFormat> {
    ImportFormat::ALL
        .into_iter()
        .filter(|format| !matches!(format, ImportFormat::MemoryTool | ImportFormat::Native))
        .collect()
}

proptest! {
    #[test]
    fn whatever_a_note_holds_its_body_stays_and_a_second_import_brings_nothing(
        yaml in "([a-z]{1,6}: [a-z0-9\\[\\], '\"#-]{0,12}\n){0,4}",
        fenced in any::<bool>(),
        body in "(\\PC|\n|- uses \\[\\[b\\]\\]\n|:a:b:){0,60}",
        format in proptest::sample::select(tools_with_frontmatter()),
    ) {
        let note = if fenced { format!("---\n{yaml}---\n{body}") } else { body };
        let mut source = folder(&[("a.md", &note), ("b.md", "b")]);
        source.tool_files.insert(".zk/config.toml".into(), "[format.markdown]\ncolon-tags = true".into());
        let mut vault = Files::new();
        let plan = planned(&source, format, "in", &vault);
        prop_assert_eq!(plan.incoming.len(), 2);
        carry_out(&plan, &mut vault);
        let after = std::str::from_utf8(&plan.incoming[0].bytes).unwrap();
        prop_assert_eq!(Split::of(after).body(), Split::of(&note).body());
        for line in note.lines().filter(|line| !line.starts_with("type:")) {
            prop_assert!(after.contains(line.split('[').next().unwrap_or("")), "{:?} in {:?}", line, after);
        }
        prop_assert!(planned(&source, format, "in", &vault).incoming.is_empty());
    }
}
