//! Tests of how entries are created, become hot, fail and expire.

use std::collections::BTreeMap;

use super::*;
use crate::friction::antigen::by_words::{Confidence, FrictionSeverity, SuggestedNote};
use crate::friction::signal::SignalKind;

/// Builds a cluster of conversations that ended on these days of the year 2026.
fn cluster(days: &[u32]) -> WordCluster {
    about("port eighty / port / eighty", days)
}

fn about(theme: &str, days: &[u32]) -> WordCluster {
    WordCluster {
        theme: theme.to_owned(),
        suggested_artifact: SuggestedNote::Antigen,
        confidence: Confidence::of(days.len()),
        severity: FrictionSeverity::Severe,
        signals: BTreeMap::new(),
        anchor_signal: SignalKind::UserCurse,
        tool_pattern: String::new(),
        count: days.len(),
        score: 0.0,
        sessions: days.len(),
        session_ids: days.iter().map(|day| format!("demo/0101-1000-{day:08x}")).collect(),
        ended: days.iter().map(|day| Some(on(*day))).collect(),
        projects: vec!["demo".to_owned()],
        median_peak: 0.0,
        max_peak: 0.0,
        contexts: vec!["no".to_owned()],
        errors: Vec::new(),
        preceding: None,
        self_suspect: false,
        top_keywords: theme.split(" / ").map(str::to_owned).collect(),
    }
}

/// Returns midnight, `day` days after 2026-01-01.
fn on(day: u32) -> Instant {
    Instant::parse("2026-01-01").unwrap().minus_days(-f64::from(day))
}

fn seen(days: &[u32]) -> FrictionLedger {
    let mut ledger = FrictionLedger::default();
    ledger.observe(&[cluster(days)], on(*days.last().unwrap()));
    ledger
}

#[test]
fn an_entry_needs_two_conversations_and_is_hot_at_five() {
    assert!(seen(&[1]).entries.is_empty());
    let two = seen(&[1, 2]);
    assert_eq!((two.entries[0].id.as_str(), two.entries[0].status), ("ag-001", EntryStatus::Observing));
    assert!(two.advice().is_empty());
    let five = seen(&[1, 2, 3, 4, 5]);
    assert_eq!(five.entries[0].status, EntryStatus::Hot);
    assert_eq!(five.advice(), [LedgerAction::Write { id: "ag-001".into() }]);
}

#[test]
fn the_same_clusters_once_more_change_nothing() {
    let mut ledger = seen(&[1, 2, 3]);
    let before = ledger.clone();
    ledger.observe(&[cluster(&[1, 2, 3])], on(4));
    assert_eq!(ledger, before);
}

#[test]
fn other_words_are_another_entry_and_the_same_words_are_not() {
    let mut ledger = seen(&[1, 2]);
    ledger.observe(
        &[about("migration files / migration / files", &[3, 4]), about("port eighty / port / proxy", &[5])],
        on(5),
    );
    assert_eq!(ledger.entries.iter().map(|entry| entry.evidence.sessions).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(ledger.entries[1].id, "ag-002");
}

#[test]
fn a_rule_under_which_it_recurs_twice_is_rephrased_and_after_two_a_person_is_reported() {
    let mut ledger = seen(&[1, 2, 3, 4, 5]);
    ledger.adopt("ag-001", "Use port 8080", on(6)).unwrap();
    assert!(ledger.advice().is_empty());
    ledger.observe(&[cluster(&[1, 2, 3, 4, 5, 7])], on(7));
    assert_eq!((ledger.entries[0].recurred_while_hot, ledger.advice().len()), (1, 0));
    ledger.observe(&[cluster(&[7, 8])], on(8));
    assert_eq!(ledger.advice(), [LedgerAction::Rephrase { id: "ag-001".into() }]);
    assert!(matches!(ledger.adopt("ag-001", "Use port 8080", on(9)), Err(FrictionLedgerError::Tried(_))));
    ledger.adopt("ag-001", "Never bind below 1024", on(9)).unwrap();
    assert_eq!(ledger.entries[0].recurred_while_hot, 0);
    ledger.observe(&[cluster(&[10, 11])], on(11));
    assert_eq!(ledger.advice(), [LedgerAction::Escalate { id: "ag-001".into() }]);
    assert!(matches!(ledger.adopt("ag-001", "x", on(12)), Err(FrictionLedgerError::Closed { .. })));
}

#[test]
fn a_conversation_from_before_the_rule_does_not_count_against_it() {
    let mut ledger = seen(&[1, 2, 3, 4, 9]);
    ledger.adopt("ag-001", "Use port 8080", on(10)).unwrap();
    ledger.observe(&[cluster(&[5, 6, 7])], on(11));
    assert_eq!((ledger.entries[0].recurred_while_hot, ledger.entries[0].evidence.sessions), (0, 8));
}

#[test]
fn what_is_observed_expires_after_eight_weeks_and_what_is_hot_never_does() {
    let mut ledger = seen(&[1, 2]);
    ledger.observe(&[], on(2 + 56));
    assert_eq!(ledger.entries[0].status, EntryStatus::Observing);
    ledger.observe(&[], on(2 + 57));
    assert_eq!(ledger.entries[0].status, EntryStatus::Expired);
    ledger.observe(&[cluster(&[60])], on(60));
    assert_eq!(ledger.entries[0].status, EntryStatus::Observing);
    let mut hot = seen(&[1, 2, 3, 4, 5]);
    hot.observe(&[], on(365));
    assert_eq!(hot.entries[0].status, EntryStatus::Hot);
}

#[test]
fn what_a_person_rejected_stays_rejected() {
    let mut ledger = seen(&[1, 2]);
    ledger.reject("ag-001", on(3)).unwrap();
    ledger.observe(&[cluster(&[4, 5, 6, 7])], on(7));
    assert_eq!((ledger.entries.len(), ledger.entries[0].status), (1, EntryStatus::Rejected));
    assert!(ledger.advice().is_empty());
    assert!(matches!(ledger.reject("ag-009", on(3)), Err(FrictionLedgerError::NoEntry(_))));
}

#[test]
fn a_ledger_is_read_back_with_what_others_wrote_into_it() {
    let mut ledger = seen(&[1, 2, 3, 4, 5]);
    ledger.adopt("ag-001", "Use port 8080", on(6)).unwrap();
    ledger.entries[0].other.insert("note".into(), "kept".into());
    assert_eq!(FrictionLedger::parse(&ledger.to_text()).unwrap(), ledger);
    assert!(matches!(FrictionLedger::parse("{\"version\":2}"), Err(FrictionLedgerError::Newer(2))));
    assert!(matches!(FrictionLedger::parse("{"), Err(FrictionLedgerError::Damaged(_))));
}

#[test]
fn a_conversation_is_recognized_again_under_another_project_and_hour() {
    let mut ledger = seen(&[1, 2]);
    let mut moved = cluster(&[1, 2]);
    moved.session_ids = vec!["renamed/0101-1200-00000001".into(), "renamed/0101-1200-00000002".into()];
    ledger.observe(&[moved.clone()], on(3));
    assert_eq!(ledger.entries[0].evidence.sessions, 2);
    moved.session_ids = vec!["demo/0101-1000-rollout-".into(), "demo/0101-1001-rollout-".into()];
    ledger.observe(&[moved], on(3));
    assert_eq!(ledger.entries[0].evidence.sessions, 4, "a name that many sessions share tells none");
}

#[test]
fn a_ledger_of_another_tool_is_understood() {
    let text = r#"{"version":1,"entries":[{"id":"ag-007","class":"port eighty","class_hints":["port eighty","port"],
        "status":"hot","rule":"Use 8080","attempts":[{"n":1,"rule":"Use 8080","adopted":"2026-01-03","outcome":"active"}],
        "evidence":{"sessions":5,"session_ids":[{"id":"x/0101-1000-00000001","seen":"2026-01-01"}],"projects":["x"],
        "quotes":[],"last_seen":"2026-01-02"},"recurred_while_hot":1,"history":[{"date":"2026-01-03","event":"hot"}]}]}"#;
    let mut ledger = FrictionLedger::parse(text).unwrap();
    assert!(ledger.advice().is_empty());
    ledger.observe(&[cluster(&[1, 7])], on(8));
    assert_eq!(ledger.advice(), [LedgerAction::Rephrase { id: "ag-007".into() }]);
    assert_eq!(ledger.entries[0].evidence.sessions, 6);
    assert!(ledger.to_text().contains("\"last_seen\": \"2026-01-08\""));
    assert!(ledger.to_text().contains("\"outcome\": \"failed\""));
}

#[test]
fn a_fact_should_be_short() {
    assert_eq!(
        (fit(&"é".repeat(160)), fit(&"é".repeat(161)), fit(&"é".repeat(181))),
        (FactLength::Fits, FactLength::Long, FactLength::TooLong)
    );
    assert_eq!(fit(&"é".repeat(180)), FactLength::Long);
}
