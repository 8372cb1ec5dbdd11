//! Tests of answers as of a commit or date.
#![allow(clippy::disallowed_methods, reason = "tests read and remove files")]

use std::collections::BTreeSet;

use crate::context::open::Context;
use crate::fixture_vault::{FixtureVault, rename};
use crate::verbs::{context, generate, get, graph, history, mark, related, search};
use cm_note::note::FeedbackSignal;
use serde_json::Value;

fn note(number: usize, title: &str, body: &str) -> String {
    format!(
        "---\nid: {number:08}-0000-4000-8000-000000000001\ntype: fix\ntitle: {title}\ncreated: 2026-01-02\nupdated: 2026-01-02\n---\n\n{body}\n"
    )
}

/// A vault in which a note was changed, linked and moved, and another one deleted.
fn changed() -> FixtureVault {
    let vault = FixtureVault::new();
    let begin = [note(1, "Retry", "Old text."), note(2, "Gone", "See [[Retry]].")];
    vault.commit("2026-01-02", &[("graph/fixes/retry.md", &begin[0]), ("graph/fixes/gone.md", &begin[1])]);
    generate::core(&vault.at("2026-01-03"), false).unwrap();
    let later = [note(1, "Retry with jitter", "New text."), note(3, "Later", "See [[Retry with jitter]].")];
    vault.commit("2026-01-10", &[("graph/fixes/retry.md", &later[0]), ("graph/fixes/later.md", &later[1])]);
    rename(&vault.at("2026-01-11"), "graph/fixes/retry.md", "graph/fixes/again.md");
    crate::verbs::delete::delete(&vault.at("2026-01-12"), &["Gone".to_owned()], None).unwrap();
    vault
}

#[test]
fn a_note_is_read_as_of_a_commit_with_its_edges_and_its_score_of_then() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let past = context.as_of("2026-01-03").unwrap();
    let then = get::get(&past, "00000001", None).unwrap();
    assert_eq!(
        (then.title.as_str(), then.body.trim(), then.path.as_str()),
        ("Retry", "Old text.", "graph/fixes/retry.md")
    );
    let ends: Vec<&str> = then.backlinks.iter().map(|link| link.title.as_str()).collect();
    assert_eq!(ends, ["Gone"]);
    let now = get::get(&context, "00000001", None).unwrap();
    let ends: Vec<&str> = now.backlinks.iter().map(|link| link.title.as_str()).collect();
    assert_eq!((now.path.as_str(), ends), ("graph/fixes/again.md", vec!["Later"]));
    // Importance and use count half each, and the score has decayed until the end of the next day.
    assert_eq!(then.score.unwrap().to_string(), "0.2354");
    assert_eq!(get::get(&past, "Later", None).unwrap_err().code, "not-found");
}

#[test]
fn the_graph_and_core_md_are_read_as_of_a_commit() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let past = context.as_of("2026-01-03").unwrap();
    let near = related::related(&past, "Retry", &related::Options::default()).unwrap();
    assert_eq!(near.notes.iter().map(|note| note.title.as_str()).collect::<Vec<_>>(), ["Gone"]);
    let around = graph::graph(&past, Some("Retry"), 2, graph::GraphFormat::Json).unwrap();
    assert!(around.contains("Gone") && !around.contains("Later"), "{around}");
    let core = get::written(&past, "CORE.md").unwrap();
    assert!(core.contains("Retry") && !core.contains("jitter"), "{core}");
    let planned = generate::core(&past, true).unwrap().text.unwrap();
    assert_eq!(planned.lines().skip(3).collect::<Vec<_>>(), core.lines().skip(3).collect::<Vec<_>>());
    assert_eq!(generate::core(&past, false).unwrap_err().code, "past");
}

#[test]
fn reading_the_past_counts_no_use_and_the_history_stays_whole() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let past = context.as_of("2026-01-03").unwrap();
    get::get(&past, "Retry", None).unwrap();
    assert!(context.target().usage().load().0.values().all(|used| used.accesses == 0));
    assert_eq!(history::history(&context, "00000001", 9).unwrap().versions.len(), 3);
}

#[test]
fn a_note_of_the_past_is_found_by_the_name_that_it_has_now() {
    let vault = changed();
    let past = vault.at("2026-03-01").as_of("2026-01-03").unwrap();
    for later_name in ["Retry with jitter", "graph/fixes/again.md", "00000001"] {
        let then = get::get(&past, later_name, None).unwrap();
        assert_eq!((then.title.as_str(), then.path.as_str()), ("Retry", "graph/fixes/retry.md"));
    }
    let near = related::related(&past, "Retry with jitter", &related::Options::default()).unwrap();
    assert_eq!(near.title, "Retry");
}

#[test]
fn a_renamed_note_without_an_id_is_found_by_the_name_that_it_has_now() {
    let vault = FixtureVault::new();
    vault.commit("2026-01-02", &[("notes/old.md", "# Tides\n\nHigh at six.\n")]);
    rename(&vault.at("2026-01-03"), "notes/old.md", "notes/new.md");
    let past = vault.at("2026-03-01").as_of("2026-01-02").unwrap();
    assert_eq!(get::get(&past, "notes/new.md", None).unwrap().path, "notes/old.md");
}

#[test]
fn the_error_for_a_note_that_did_not_exist_yet_has_its_first_commit() {
    let vault = changed();
    let past = vault.at("2026-03-01").as_of("2026-01-03").unwrap();
    let error = get::get(&past, "Later", None).unwrap_err();
    assert_eq!(error.code, "not-found");
    assert!(
        error.message.starts_with("note `Later` did not exist as of 2026-01-03 00:00, commit "),
        "{error}"
    );
    let hint = error.hint.unwrap().for_terminal().to_owned();
    assert!(hint.starts_with("its first commit is ") && hint.ends_with(" of 2026-01-10"), "{hint}");
    let absent = get::get(&past, "Nowhere", None).unwrap_err();
    assert_eq!(absent.message, "note `Nowhere` not found");
    let gone = vault.at("2026-03-01").as_of("2026-01-20").unwrap();
    assert_eq!(get::get(&gone, "Gone", None).unwrap_err().code, "not-found");
    assert_eq!(get::get(&past, "Gone", None).unwrap().title, "Gone");
}

#[test]
fn every_answer_has_the_commit_and_the_instant_that_ages_count_from() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let of_date = context.as_of("2026-01-05").unwrap();
    let read = of_date.read_at().unwrap();
    assert_eq!(
        (read.date.to_string(), read.instant.day()),
        ("2026-01-03T00:00:00Z".into(), "2026-01-05".into())
    );
    let of_commit = context.as_of(&read.commit).unwrap().read_at().unwrap();
    assert_eq!(of_commit.instant, read.date);
    let future = context.as_of("2027-01-01").unwrap().read_at().unwrap();
    assert_eq!(future.instant, context.now(), "nothing is read from the future");
    let expected = serde_json::json!(read);
    let drawn: Value =
        serde_json::from_str(&graph::graph(&of_date, None, 1, graph::GraphFormat::Json).unwrap()).unwrap();
    let options =
        context::Options { task: Some("retry the request".to_owned()), ..context::Options::default() };
    for answer in [
        drawn,
        serde_json::json!(get::get(&of_date, "Retry", None).unwrap()),
        serde_json::json!(related::related(&of_date, "Retry", &related::Options::default()).unwrap()),
        serde_json::json!(generate::core(&of_date, true).unwrap()),
        serde_json::json!(context::context(&of_date, &options).unwrap()),
    ] {
        assert_eq!(answer["as_of"], expected, "{answer:#}");
    }
    let now = serde_json::json!(get::get(&context, "Later", None).unwrap());
    assert!(now.get("as_of").is_none(), "{now}");
}

const RULE: &str = "---\nid: b-mo76pd48-ckhtk7\ntype: rule\ncategory: testing\nmaturity: candidate\nstate: active\nsource: manual\ncreated: 2026-01-02\n---\n\nRetry a request with jitter.\n";

fn briefed(context: &Context) -> context::Briefing {
    let options = context::Options {
        task: Some("retry the request with jitter".to_owned()),
        ..context::Options::default()
    };
    context::context(context, &options).unwrap()
}

#[test]
fn a_briefing_as_of_a_date_has_the_rules_memories_and_scores_of_then() {
    let vault = changed();
    vault.commit("2026-01-13", &[("playbook/testing/b-mo76pd48-ckhtk7.md", RULE)]);
    mark::mark(
        &vault.at("2026-02-01"),
        "b-mo76pd48-ckhtk7",
        &mark::Options { signal: FeedbackSignal::Helpful, because: None, weight: None, invert: false },
    )
    .unwrap();
    let context = vault.at("2026-03-01");
    let early = briefed(&context.as_of("2026-01-03").unwrap());
    assert!(early.rules.is_empty(), "{}", early.text);
    let titles: BTreeSet<&str> = early.memories.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles, BTreeSet::from(["Gone", "Retry"]));
    assert!(early.text.contains("This is the memory as of 2026-01-03 00:00, commit "), "{}", early.text);
    let marked = |day: &str| {
        let briefing = briefed(&context.as_of(day).unwrap());
        let [rule] = &briefing.rules[..] else { panic!("{}", briefing.text) };
        (rule.helpful, rule.score)
    };
    let (before, fresh, older) = (marked("2026-01-20"), marked("2026-02-01"), marked("2026-02-20"));
    assert_eq!((before.0, fresh.0, older.0), (0, 1, 1));
    assert!(fresh.1.value() > older.1.value(), "feedback decays until the day that is asked for");
    let titles: Vec<String> = briefed(&context).memories.into_iter().map(|one| one.title).collect();
    assert!(titles.contains(&"Retry with jitter".to_owned()), "{titles:?}");
}

#[test]
fn an_edge_that_came_later_is_not_followed() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let count = |day: &str| {
        let past = context.as_of(day).unwrap();
        related::related(&past, "00000001", &related::Options::default()).unwrap().total
    };
    assert_eq!((count("2026-01-03"), count("2026-01-10"), count("2026-02-01")), (1, 2, 1));
}

#[test]
fn a_time_that_cannot_be_read_is_an_error_with_the_reason() {
    let vault = changed();
    let context = vault.at("2026-03-01");
    let error = |named: &str| context.as_of(named).map(drop).unwrap_err();
    for wrong in ["2026-13-45", "soon", "deadbeefdeadbeef"] {
        assert_eq!(
            error(wrong).message,
            format!("`{wrong}` is neither a commit of this repository nor a date")
        );
    }
    let early = error("2025-01-01");
    assert_eq!(early.code, "not-found");
    assert!(early.hint.is_some_and(|hint| hint.for_terminal().starts_with("the first commit is from ")));
}

#[test]
fn a_vault_outside_a_repository_has_no_past() {
    let vault = FixtureVault::new();
    std::fs::remove_dir_all(vault.file(".git")).unwrap();
    assert_eq!(vault.at("2026-03-01").as_of("2026-01-03").map(drop).unwrap_err().code, "no-repository");
}

#[test]
fn no_answer_of_the_past_is_written_credited_or_counted() {
    let vault = changed();
    vault.commit("2026-01-13", &[("playbook/testing/b-mo76pd48-ckhtk7.md", RULE)]);
    let context = vault.at_by("2026-03-01", "claude-code", "s1");
    let files = |vault: &FixtureVault| {
        let mut all = Vec::new();
        let mut folders = vec![vault.file("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true if path.ends_with("_index") => {}
                    true => folders.push(path),
                    false => all.push((std::fs::read(&path).unwrap(), path)),
                }
            }
        }
        all.sort();
        all
    };
    let before = files(&vault);
    let past = context.as_of("2026-01-14").unwrap();
    get::get(&past, "00000001", None).unwrap();
    related::related(&past, "00000001", &related::Options::default()).unwrap();
    generate::core(&past, true).unwrap();
    briefed(&past);
    let options = search::Options {
        query: "retry".to_owned(),
        as_of: Some("2026-01-14".to_owned()),
        ..search::Options::default()
    };
    assert!(!search::search(&context, &options).unwrap().hits.is_empty());
    assert!(past.take_shown().is_empty() && context.take_shown().is_empty());
    assert_eq!(files(&vault), before);
}
