//! Tests of reading notes of every kind, well-formed and malformed.

use crate::user_text::UserText;
use proptest::prelude::*;

use super::*;
use crate::note::types::MemoryType;
use crate::note::{FeedbackSignal, LinkForm};

fn reading(path: &str, bytes: &[u8]) -> ParsedNote {
    let mut types = TypeTable::default();
    types.declare(MemoryType {
        name: "runbook".to_owned(),
        folder: "runbooks".to_owned(),
        weight: 1.2,
        required: vec!["owner".to_owned()],
    });
    read(&NotePath::parse(path).unwrap(), bytes, &types, &RelationTable::default())
}

fn note(path: &str, text: &str) -> Note {
    reading(path, text.as_bytes()).note
}

/// Formats the code, severity, line and column of each finding.
fn found(path: &str, text: &str) -> Vec<String> {
    let note = note(path, text);
    assert!(note.findings.iter().all(|finding| finding.hint.is_some() && finding.line.is_some()));
    let place = |finding: &Finding| (finding.line.unwrap(), finding.column.unwrap());
    note.findings
        .iter()
        .map(|finding| {
            let (line, column) = place(finding);
            format!("{line}:{column} {:?} {}", finding.severity, finding.code)
        })
        .collect()
}

const ID: &str = "4f2b1c3e-5d6a-4b7c-8d9e-0f1a2b3c4d5e";

const SOUND: &str = "---
id: 4f2b1c3e-5d6a-4b7c-8d9e-0f1a2b3c4d5e
type: solution
title: Retry uploads
tags: [auth, '#net']
importance: 0.8
confidence: 0.9
created: 2026-11-01T09:30:00Z
updated: 2026-11-02
aliases: Upload retry, Retries
priority: critical
relations:
  - target: 0a1b2c3d-5d6a-4b7c-8d9e-0f1a2b3c4d5e
    type: solves
    strength: 0.9

  - {target: other, type: CAUSES, direction: incoming}
feedback:
  - at: 2026-11-03T10:00:00Z
    signal: helpful
  - at: 2026-11-04
    signal: harmful
    weight: 0.5
up: [[Home]]
see: \"[[Other#Part|shown]]\"
---
# Retry uploads

They fail when the token #expires. See [[Tokens]].
";

#[test]
fn a_sound_memory_is_read_whole_without_a_finding() {
    let note = note("graph/solutions/retry-uploads-4f2b1c.md", SOUND);
    assert_eq!(note.findings, []);
    assert_eq!(note.kind, NoteKind::Memory);
    assert_eq!(note.key(), ID);
    assert_eq!(note.title, "Retry uploads");
    assert_eq!(note.tags, ["auth", "net", "expires"]);
    assert_eq!(note.aliases, ["Upload retry", "Retries"]);
    assert_eq!((note.importance, note.confidence), (Some(0.8), Some(0.9)));
    assert_eq!(note.updated.unwrap().to_string(), "2026-11-02T00:00:00Z");
    assert_eq!(note.priority, Some(Priority::Critical));
    assert_eq!(note.summary, "They fail when the token #expires. See Tokens.");
    let [solves, causes] = &note.relations[..] else { panic!("{:?}", note.relations) };
    assert_eq!(
        (solves.relation.as_str(), solves.outgoing, solves.strength, solves.line),
        ("SOLVES", true, 0.9, 13)
    );
    assert_eq!(
        (causes.relation.as_str(), causes.outgoing, causes.strength, causes.line),
        ("CAUSES", false, 1.0, 17)
    );
    let signals: Vec<(FeedbackSignal, f64)> =
        note.feedback.iter().map(|event| (event.signal, event.weight)).collect();
    assert_eq!(signals, [(FeedbackSignal::Helpful, 1.0), (FeedbackSignal::Harmful, 0.5)]);
    let links: Vec<(&str, u32, u32)> =
        note.links.iter().map(|link| (link.target.as_str(), link.line, link.column)).collect();
    assert_eq!(links, [("Home", 24, 5), ("Other", 25, 7), ("Tokens", 29, 40)]);
    assert_eq!(note.links[1].anchor.as_deref(), Some("Part"));
    assert_eq!(note.links[1].form, LinkForm::Wiki);
}

#[test]
fn memories_tell_what_is_missing_and_wrong() {
    let path = "graph/fixes/a.md";
    assert_eq!(found(path, "# Title\n"), ["1:1 Error missing-key", "1:1 Warning missing-id"]);
    let text = "---\nid: 12\ntype: fxi\ntitle: a\nimportance: high\nconfidence: 7\ncreated: soon\nupdated: 2026-11-01\n---\nb\n";
    assert_eq!(
        found(path, text),
        [
            "2:1 Info foreign-id",
            "3:1 Warning unknown-type",
            "5:1 Error invalid-value",
            "6:1 Warning out-of-range",
            "7:1 Error invalid-value",
        ]
    );
    let note = note(path, text);
    assert_eq!(note.findings[1].hint.as_ref().map(UserText::for_terminal), Some("did you mean `fix`?"));
    assert_eq!((note.confidence, note.importance, note.created), (Some(1.0), None, None));
    assert_eq!(note.key(), "12");
}

#[test]
fn a_declared_type_has_its_own_required_keys_and_folder() {
    let text = SOUND.replace("type: solution", "type: runbook");
    assert_eq!(found("graph/runbooks/a.md", &text), ["1:1 Error missing-key"]);
    assert_eq!(found("vault/a.md", &text), ["1:1 Error missing-key"]);
    assert_eq!(found("graph/fixes/4f/a.md", SOUND), ["3:1 Info wrong-folder"]);
    assert_eq!(found("graph/solutions/4f/a.md", SOUND), [""; 0]);
    assert!(note("vault/a.md", SOUND).pinned);
}

#[test]
fn a_plain_note_is_a_memory_by_its_own_word() {
    assert_eq!(note("notes/a.md", SOUND).kind, NoteKind::Memory);
    assert_eq!(found("notes/a.md", &format!("---\nid: {ID}\ntype: fact\ntitle: a\n---\n")).len(), 3);
    let plain = note("notes/a.md", "---\ntype: daily\ndate: 2026-01-02\n---\n## Second\n\n# First\n");
    assert_eq!((plain.kind, plain.title.as_str()), (NoteKind::Plain, "First"));
    assert_eq!(plain.created.unwrap().day(), "2026-01-02");
    assert_eq!(found("notes/a.md", "text\n"), ["1:1 Info missing-id"]);
    assert_eq!(found("CORE.md", "text\n"), [""; 0]);
    assert_eq!(note("notes/Some Note.md", "text\n").title, "Some Note");
}

#[test]
fn broken_frontmatter_is_read_as_far_as_it_goes_and_nothing_is_called_missing() {
    let text = "---\nid: 4f2b1c3e-5d6a-4b7c-8d9e-0f1a2b3c4d5e\ntitle: Fix: it\ntags: [a]\n---\nbody\n";
    assert_eq!(found("graph/fixes/a.md", text), ["3:11 Error invalid-yaml"]);
    let note = note("graph/fixes/a.md", text);
    assert_eq!((note.title.as_str(), &note.tags[..], note.key()), ("Fix: it", &["a".to_owned()][..], ID));
    assert_eq!(found("graph/fixes/a.md", "---\ntitle: a\n\nbody\n"), ["1:1 Error unclosed-frontmatter"]);
    let twice = SOUND.replace("type: solution\n", "type: solution\ntitle: other\n");
    assert_eq!(found("graph/solutions/a.md", &twice), ["5:1 Error duplicate-key"]);
}

#[test]
fn entries_of_lists_are_checked_one_by_one() {
    let more = "relations:
  - type: SOLVES
  - {target: x, type: solvs, strength: 3}
  - just text
  - target: y
    direction: sideways
feedback:
  - signal: helpful
  - at: 2026-01-01
    signal: good
    weight: much
tags:
  - a
  - {b: c}
steps: x
";
    let head = SOUND.split("relations:").next().unwrap().replace("tags: [auth, '#net']\n", "");
    let text = format!("{head}{more}---\nbody\n");
    assert_eq!(
        found("graph/solutions/a.md", &text),
        [
            "12:1 Warning invalid-value",
            "13:1 Warning unknown-relation",
            "13:1 Warning out-of-range",
            "14:1 Warning invalid-value",
            "15:1 Warning invalid-value",
            "18:1 Warning invalid-value",
            "19:1 Warning invalid-value",
            "19:1 Warning invalid-value",
            "24:1 Warning invalid-value",
        ]
    );
    let note = note("graph/solutions/a.md", &text);
    assert_eq!((note.relations.len(), note.feedback.len(), note.tags.len()), (2, 0, 1));
    assert_eq!(note.relations[1].relation, "RELATED_TO");
}

#[test]
fn texts_that_yaml_takes_for_something_else_are_texts() {
    let note = note("a.md", "---\ntitle: 2024.10\ntags: [2024, yes, 1.5]\nauthor: 007\nsession: true\n---\n");
    assert_eq!(note.title, "2024.10");
    assert_eq!(note.tags, ["2024", "yes", "1.5"]);
    assert_eq!((note.author.as_deref(), note.session.as_deref()), (Some("007"), Some("true")));
}

#[test]
fn bullets_have_defaults_and_their_rule_for_a_title() {
    let text = "---\nid: b-1\n---\nRun the tests before you push.\n\n## Why\n\nBecause.\n";
    let note = note("playbook/testing/a.md", text);
    assert_eq!(note.findings, []);
    assert_eq!(note.title, "Run the tests before you push.");
    assert_eq!(note.category.as_deref(), Some("testing"));
    let texts = [note.note_type, note.state, note.maturity, note.scope].map(Option::unwrap);
    assert_eq!(texts, ["rule", "draft", "candidate", "global"]);
    let odd = "---\nid: b-1\ntype: rul\nstate: on\ncategory: Über\nhalf_life_days: 0\n---\nShort\n\n## Why\n\nlong enough reasons\n";
    assert_eq!(
        found("playbook/testing/a.md", odd),
        [
            "3:1 Warning invalid-value",
            "4:1 Warning invalid-value",
            "5:1 Warning invalid-value",
            "6:1 Warning out-of-range",
            "8:1 Warning out-of-range",
        ]
    );
}

#[test]
fn edges_blocks_episodes_and_diaries_are_read() {
    let edge = "---\nid: 4f2b1c3e-5d6a-4b7c-8d9e-0f1a2b3c4d5e\ntype: SOLVES\nfrom_id: a\nfrom_title: A\nto_id: b\nto_title: B\nstrength: 0.5\n---\nwhy\n";
    let read = note("graph/edges/a.md", edge);
    assert_eq!((read.title.as_str(), read.findings.len()), ("A SOLVES B", 0));
    assert_eq!(read.edge, Some(EdgeEnds { from: "a".into(), to: "b".into(), strength: 0.5 }));
    assert_eq!(found("graph/edges/a.md", &edge.replace("SOLVES", "SOLVE")), ["3:1 Warning unknown-relation"]);
    assert_eq!(found("graph/edges/a.md", &edge.replace("to_id: b\n", "")), ["1:1 Error missing-key"]);
    let blocked = note("blocked/a.md", "---\nid: x\nkind: toxic\npattern: rm -rf\n---\n");
    assert_eq!((blocked.title.as_str(), blocked.findings.len()), ("rm -rf", 0));
    assert_eq!(found("blocked/a.md", "---\nid: x\nkind: bad\n---\n").len(), 2);
    let episode = note("episodes/2026-11-01.md", "# 2026-11-01\n\n## 10:00 - Something\n");
    assert_eq!((episode.title.as_str(), episode.findings.len()), ("2026-11-01", 0));
    let diary =
        note("diary/a.md", "---\nid: abc\nsession: s\nstarted: 2026-11-01\nstatus: mixd\n---\n# Day\n");
    assert_eq!(diary.created.unwrap().day(), "2026-11-01");
    assert_eq!(diary.findings.len(), 1);
}

#[test]
fn bytes_that_are_no_text_are_read_with_their_place() {
    let reading = reading("a.md", b"---\nid: x\n---\nn\xc3\xa4m\xe4 \xff\n");
    assert_eq!(reading.outline.text, "näm\u{fffd} \u{fffd}");
    let finding = &reading.note.findings[1];
    assert_eq!((finding.code, finding.line, finding.column), (FindingCode::InvalidUtf8, Some(4), Some(4)));
    assert_eq!(found("a.md", ""), ["1:1 Warning empty-note", "1:1 Info missing-id"]);
    assert_eq!(found("a.md", "---\nid: x\n---\nbad\u{202e}word\n")[1], "4:4 Warning hidden-character");
}

#[test]
fn a_summary_is_whole_words_of_at_most_160_characters() {
    let words = "wörd ".repeat(60);
    let summary = note("a.md", &words).summary;
    assert_eq!(summary.chars().count(), 159);
    assert!(summary.ends_with("wörd"));
    assert_eq!(note("a.md", &"x".repeat(500)).summary.chars().count(), 160);
}

#[test]
fn the_id_is_read_without_the_rest() {
    for (frontmatter, id) in [
        ("title: A\nid: 5ad2-01\ntype: fix", Some("5ad2-01")),
        ("id: \"5ad2 01\" # old", Some("5ad2 01")),
        ("id: 7", Some("7")),
        ("title: >\n  id: 1\nidea: 2", None),
        ("id:", None),
    ] {
        let text = format!("---\n{frontmatter}\n---\nid: body\n");
        assert_eq!(id_text(&text).as_deref(), id, "{frontmatter}");
    }
    assert_eq!(id_text("id: body\n"), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for path in ["a.md", "graph/fixes/a.md", "playbook/x/a.md", "graph/edges/a.md"] {
            reading(path, &bytes);
        }
    }

    #[test]
    fn no_frontmatter_makes_it_panic(lines in prop::collection::vec(
        "(id|type|title|tags|importance|created|relations|feedback|pinned|aliases|<<): ?(.{0,12}|\\[\\[.*\\]\\]|\\{.*\\}|&a|\\*a|\\|)|  - (at|target|signal)?:? ?.{0,8}|.{0,20}", 0..12), body in "(.|\n){0,60}")
    {
        let text = format!("---\n{}\n---\n{body}", lines.join("\n"));
        for path in ["a.md", "graph/fixes/a.md", "playbook/x/a.md", "blocked/a.md", "diary/a.md"] {
            let note = note(path, &text);
            let lines = u32::try_from(text.split('\n').count()).unwrap();
            prop_assert!(note.findings.iter().all(|finding| finding.line.is_none_or(|line| (1..=lines).contains(&line))));
        }
    }
}
