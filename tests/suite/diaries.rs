//! Golden diaries of example sessions. `CM_BLESS=1` rewrites them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cm_learn::diary::note::note;
use cm_learn::diary::{Diary, extract, id, read};
use cm_learn::outcome::feedback::{DEFAULT_DERIVED_WEIGHT, RuleFeedback, RuleRef, feedback};
use cm_learn::outcome::steps::steps;
use cm_learn::reflect::{DraftChange, SessionInput, reflect};
use cm_note::note::read::read as read_note;
use cm_note::note::{RelationTable, TypeTable};
use cm_note::path::NotePath;
use cm_playbook::curation::delta::CurationDelta;
use cm_session::{SessionMeta, event::SessionEvent};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diary")
}

fn sessions() -> Vec<(String, SessionMeta, Vec<SessionEvent>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(golden().join("sessions")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let told = |path: PathBuf| {
        let value: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let meta = serde_json::from_value(value["meta"].clone()).unwrap();
        let events = serde_json::from_value(value["events"].clone()).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), meta, events)
    };
    paths.into_iter().map(told).collect()
}

fn hold(name: &str, actual: &str) {
    let path = golden().join(name);
    if std::env::var_os("CM_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{} differs; it should say\n{actual}", path.display());
}

#[test]
fn the_diary_of_every_example_session_is_as_it_was_and_reads_back() {
    for (name, meta, events) in sessions() {
        let diary = extract(&id(&name, b""), &meta, &events);
        let text = note(&diary);
        hold(&format!("{name}.md"), &text);
        assert_eq!(note(&read::read(&text).unwrap()), text, "{name}");
        let path = NotePath::parse(&format!("diary/{name}.md")).unwrap();
        let told = read_note(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note;
        assert_eq!((told.findings, told.links), (vec![], vec![]), "{name}");
    }
}

#[test]
fn the_drafts_of_the_longer_sessions_are_as_they_were() {
    let told: Vec<(Diary, Vec<RuleFeedback>)> = sessions()
        .into_iter()
        .filter(|(name, ..)| name.starts_with("long-"))
        .map(|(name, meta, events)| {
            let diary = extract(&id(&name, b""), &meta, &events);
            let rules = [
                RuleRef { id: "b-mt2ssunl-jq6d8j", content: "Give every request a timeout." },
                RuleRef { id: "b-mt2ssunm-000001", content: "Retry with jitter." },
            ];
            let words =
                feedback(&events, &steps(&events), &rules, diary.verdict.status, DEFAULT_DERIVED_WEIGHT);
            (diary, words)
        })
        .collect();
    let all: Vec<SessionInput<'_>> = told
        .iter()
        .map(|(diary, feedback)| SessionInput { feedback, ..SessionInput::of_diary(diary) })
        .collect();
    let mut text = String::new();
    for draft in reflect(&all).drafts {
        let what = match &draft.what {
            DraftChange::Memory(context) => {
                format!("{} ({} observed): {}", context.note_type, context.observations, context.text)
            }
            DraftChange::Delta(CurationDelta::Add(add)) => {
                format!("add {}: {}", add.bullet.category, add.bullet.content)
            }
            DraftChange::Delta(CurationDelta::Helpful(judge) | CurationDelta::Harmful(judge)) => {
                format!(
                    "{} {} weight {:?}: {:?}",
                    draft_name(&draft.what),
                    judge.id,
                    judge.weight,
                    judge.reason
                )
            }
            DraftChange::Delta(delta) => delta.kind().name().to_owned(),
        };
        let from: Vec<String> =
            draft.origins.iter().map(|origin| format!("{}:{}", origin.session, origin.line)).collect();
        let _ = writeln!(text, "{what} [{}]", from.join(", "));
    }
    hold("drafts.txt", &text);
}

fn draft_name(what: &DraftChange) -> &'static str {
    match what {
        DraftChange::Delta(delta) => delta.kind().name(),
        DraftChange::Memory(context) => context.note_type,
    }
}
