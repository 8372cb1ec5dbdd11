//! Compares the classic rules with the reference output, ignoring number formats and key order.

use std::collections::BTreeSet;
use std::fs;

use cm_learn::friction::{FrictionRules, files};
use serde_json::Value;

use super::{analysed, corpus, logs};

/// Returns a file of the reference output.
fn reference(name: &str) -> String {
    fs::read_to_string(corpus().join("reference-output").join(name)).unwrap()
}

/// Returns our version of the file.
fn ours(name: &str) -> String {
    let files = files(&analysed(FrictionRules::Classic, &logs()));
    files.into_iter().find(|file| file.name == name).unwrap().text
}

fn json(text: &str) -> Value {
    plain(serde_json::from_str(text).unwrap())
}

/// Converts every number to a float, so that 29 equals 29.0.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}

/// Removes fields that depend on the clock or on each tool's wording.
fn without(mut value: Value, paths: &[&str]) -> Value {
    for path in paths {
        let (parent, key) = path.rsplit_once('/').unwrap();
        if let Some(fields) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
            assert!(fields.remove(*key.split('/').next_back().as_ref().unwrap()).is_some(), "{path}");
        }
    }
    value
}

#[test]
fn every_session_is_accounted_for_as_the_reference_does() {
    assert_eq!(json(&ours("friction_analysis.json")), json(&reference("friction_analysis.json")));
}

#[test]
fn all_sessions_together_come_to_the_same_verdict() {
    let clean = |text: &str| {
        // Our thresholds are hard-coded in the reference.
        let more = ["cascade_seconds", "loop_count", "abandoned", "gate", "recurring"];
        let mut value = without(json(text), &["/analyzed_at", "/config_used/notes"]);
        let thresholds = value.pointer_mut("/config_used/thresholds").unwrap().as_object_mut().unwrap();
        more.iter().for_each(|key| drop(thresholds.remove(*key)));
        value
    };
    assert_eq!(clean(&ours("friction_summary.json")), clean(&reference("friction_summary.json")));
}

#[test]
fn every_sign_is_found_where_the_reference_finds_it_and_in_its_order() {
    let lines = |text: &str| -> Vec<Value> {
        let words = "LLM claimed success but tool failed";
        let ours = "success was claimed, but the tool failed";
        text.lines().map(|line| json(&line.replace(words, ours))).collect()
    };
    assert_eq!(lines(&ours("friction_raw.jsonl")), lines(&reference("friction_raw.jsonl")));
}

#[test]
fn the_candidates_are_the_same_in_the_same_order() {
    let candidates = |text: &str| -> Vec<Value> {
        let Value::Array(candidates) = json(text) else { panic!("a list") };
        candidates.into_iter().map(|candidate| without(candidate, &["/inhibitory_instruction"])).collect()
    };
    assert_eq!(
        candidates(&ours("antigen_candidates.json")),
        candidates(&reference("antigen_candidates.json"))
    );
}

#[test]
fn the_clusters_have_the_same_scores_and_order() {
    assert_eq!(json(&ours("antigen_clusters.json")), json(&reference("antigen_clusters.json")));
}

#[test]
fn the_review_differs_in_its_time_only() {
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with("Generated:") && !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(lines(&ours("antigen_review.md")), lines(&reference("antigen_review.md")));
}

#[test]
fn the_report_has_the_reference_s_tables() {
    // The last column is worded by each tool, so only the cells before it are compared.
    let numbers = |text: &str| -> BTreeSet<String> {
        let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| +"));
        let cells = |line: &str| line.split('|').take(5).map(str::trim).collect::<Vec<_>>().join("|");
        let words = |row: &String| {
            row.starts_with("|Weight") || row.split('|').nth(3).is_some_and(|cell| cell.contains(' '))
        };
        rows.map(cells).filter(|row| !words(row)).collect()
    };
    let found = numbers(&ours("report.md"));
    assert!(found.len() > 25, "{found:?}");
    let wanted = numbers(&reference("report.md"));
    assert_eq!(wanted.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_numbers_that_the_corpus_was_made_for_come_out() {
    let analysis = analysed(FrictionRules::Classic, &logs());
    let qualities: Vec<(&str, f64)> =
        analysis.sessions.iter().map(|session| (session.quality.name(), session.peak())).collect();
    assert_eq!(
        qualities,
        [("BAD", 25.5), ("BAD", 29.0), ("FRICTION", 9.5), ("OK", 0.0), ("ONE-SHOT", 7.0), ("BAD", 28.5)]
    );
    assert_eq!(analysis.signals.iter().map(Vec::len).sum::<usize>(), 28);
    assert_eq!(analysis.summary.verdict.status.name(), "BLOAT");
    assert_eq!((analysis.candidates.len(), analysis.clusters.len()), (6, 5));
}
