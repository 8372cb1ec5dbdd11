//! Semantic search: effect of each stage, reported details, and invariants.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, vault_of};

/// Creates notes that answer queries in other words; one is long enough for several passages.
fn harbourmaster() -> Sandbox {
    let filler = "The form has a field for the berth, one for the draught and one for the flag. ".repeat(25);
    let text = format!(
        "\
--- graph/facts/throttle.md
---
id: a1a1a1a1-0000-4000-8000-000000000001
type: fact
title: The service throttles us
updated: 2026-11-20
---
Too many requests in a minute are refused.
--- graph/facts/backup.md
---
id: b2b2b2b2-0000-4000-8000-000000000002
type: fact
title: Backups run at night
importance: 1.0
updated: 2026-11-01
---
A copy of every database is made, see [[Restoring]].
--- graph/facts/manual.md
---
id: c3c3c3c3-0000-4000-8000-000000000003
type: fact
title: Manual of the berth form
updated: 2024-01-01
---
## Fields

{filler}

## Payment

A skipper settles the harbour dues by card before sailing.
--- graph/procedures/restoring.md
---
id: d4d4d4d4-0000-4000-8000-000000000004
type: procedure
title: Restoring
updated: 2026-05-01
---
Fetch the tape from the safe; SOLVES:: [[Lost disk]]
--- graph/facts/sqlite.md
---
id: e5e5e5e5-0000-4000-8000-000000000005
type: fact
title: Copying sqlite files
updated: 2026-05-01
---
A sqlite database is copied with its journal.
"
    );
    vault_of(&text)
}

fn search(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.cm(&[&["search", "--json"], arguments].concat()).ok().json()
}

fn titles(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect()
}

#[test]
fn a_note_is_found_by_what_it_means_alone_with_the_passage_that_says_it() {
    let sandbox = harbourmaster();
    let answer = search(&sandbox, &["paying", "boat", "fees"]);
    assert_eq!(titles(&answer)[0], "Manual of the berth form");
    assert_eq!(answer["hits"][0]["snippet"], "A skipper settles the harbour dues by card before sailing.");
    assert_eq!(titles(&search(&sandbox, &["paying", "boat", "fees", "--no-vectors"])), [""; 0]);
    assert_eq!(titles(&search(&sandbox, &["paying", "boat", "fees", "type:procedure"])), [""; 0]);
}

#[test]
fn nonsense_finds_nothing() {
    let sandbox = harbourmaster();
    for query in ["qwxzv", "qwxzv blorptang", "xx99yy zz88qq vv77", "9f8e7d6c5b4a", "ßßß"] {
        assert_eq!(sandbox.cm(&["search", query]).ok().stdout, "", "{query}");
    }
}

#[test]
fn what_is_excluded_comes_in_by_no_way() {
    let sandbox = harbourmaster();
    assert!(titles(&search(&sandbox, &["database copy"])).contains(&"Copying sqlite files"));
    assert!(!titles(&search(&sandbox, &["database copy -sqlite"])).contains(&"Copying sqlite files"));
    assert!(titles(&search(&sandbox, &["database copy"])).contains(&"Restoring"));
    for query in ["database copy -type:procedure", "database copy -safe", "database copy type:fact"] {
        assert!(!titles(&search(&sandbox, &[query])).contains(&"Restoring"), "{query}");
    }
}

#[test]
fn a_filter_finds_the_same_by_meaning_however_many_notes_it_selects() {
    let sandbox = harbourmaster();
    for filter in ["type:fact", "updated:2024-01-01", "-type:procedure", "type:fact updated:2024-01-01"] {
        let found = search(&sandbox, &[&format!("paying boat fees {filter}"), "--no-words"]);
        assert_eq!(titles(&found)[0], "Manual of the berth form", "{filter}");
    }
    for filter in ["type:procedure", "updated:>2025-01-01", "type:fact -payment"] {
        let found = search(&sandbox, &[&format!("paying boat fees {filter}"), "--no-words", "--no-graph"]);
        assert!(!titles(&found).contains(&"Manual of the berth form"), "{filter}");
    }
}

#[test]
fn explain_tells_what_each_score_is_made_of() {
    let sandbox = harbourmaster();
    insta::assert_snapshot!(sandbox.cm(&["search", "database copy", "--explain"]).snapshot(), @"
    e5e5e5e5  Copying sqlite files
              fact · 1.00 · graph/facts/sqlite.md:7
              words 1.00 (BM25 3.7), meaning 1.00 (cosine 0.76, small model): relevance 1.00; graph +0.00, age ×0.98, use ×1.00; confidence ×1.02
              A sqlite database is copied with its journal.
    b2b2b2b2  Backups run at night
              fact · 0.87 · graph/facts/backup.md:8
              words 0.76 (BM25 2.8), meaning 0.81 (cosine 0.67, small model): relevance 0.80; graph +0.00, age ×1.03, use ×1.05; confidence ×1.02
              A copy of every database is made, see Restoring.
    d4d4d4d4  Restoring
              procedure · 0.08 · graph/procedures/restoring.md:7
              words 0.00 (BM25 0.0), meaning 0.00: relevance 0.00; graph +0.08 by b2b2b2b2, age ×0.98, use ×1.00; confidence ×1.02
              Fetch the tape from the safe; SOLVES:: Lost disk
    [exit 0]
    ");
    insta::assert_snapshot!(
        sandbox.cm(&["search", "database copy", "--explain", "--limit", "1", "--json"]).snapshot(), @r#"
    {
      "query": "database copy",
      "answered": true,
      "hits": [
        {
          "id": "e5e5e5e5-0000-4000-8000-000000000005",
          "kind": "memory",
          "type": "fact",
          "title": "Copying sqlite files",
          "path": "graph/facts/sqlite.md",
          "score": 0.9997,
          "confidence": 0.9997,
          "weak": false,
          "found_by": "words",
          "snippet": "A sqlite database is copied with its journal.",
          "line": 7,
          "tags": [],
          "updated": "2026-05-01T00:00:00Z",
          "vault": "project",
          "parts": {
            "bm25": 3.6622,
            "words": 1.0,
            "coverage": 0.9507,
            "coarse": 0.7615,
            "fine": null,
            "meaning": 1.0,
            "relevance": 1.0,
            "conversation": 0.0,
            "graph": 0.0,
            "title": 0.0,
            "time": 1.0,
            "recency": 0.9846,
            "usefulness": 1.0,
            "scale": 1.0154
          }
        }
      ],
      "total": 3,
      "notices": [],
      "next": 1
    }
    [exit 0]
    "#
    );
    let answer = search(&sandbox, &["database copy", "--explain"]);
    for hit in answer["hits"].as_array().unwrap() {
        let part = |name: &str| hit["parts"][name].as_f64().unwrap();
        let base = part("relevance") + part("conversation") + part("graph");
        let made = base * part("time") * part("recency") * part("usefulness") * part("scale");
        assert!((made - hit["score"].as_f64().unwrap()).abs() < 0.001, "{hit}");
    }
}

#[test]
fn each_stage_can_be_left_out() {
    let sandbox = harbourmaster();
    let part = |flag: &str, name: &str| -> Vec<Value> {
        let answer = search(&sandbox, &["database copy", "--explain", flag]);
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["parts"][name].clone()).collect()
    };
    let all = |parts: &[Value], value: f64| parts.iter().all(|part| part.as_f64() == Some(value));
    for (flag, name, neutral) in [
        ("--no-words", "words", 0.0),
        ("--no-vectors", "meaning", 0.0),
        ("--no-graph", "graph", 0.0),
        ("--no-recency", "recency", 1.0),
        ("--no-usefulness", "usefulness", 1.0),
    ] {
        let without = part(flag, name);
        assert!(!without.is_empty() && all(&without, neutral), "{flag}: {without:?}");
        assert!(!all(&part("--limit=9", name), neutral), "{name} counts otherwise");
    }
    assert!(!titles(&search(&sandbox, &["database copy", "--no-graph"])).contains(&"Restoring"));
    let none = search(&sandbox, &["database copy", "--no-words", "--no-vectors"]);
    assert_eq!(titles(&none), [""; 0]);
}

#[test]
fn vectors_that_are_gone_are_made_again_and_those_of_the_finer_model_are_missed_by_nobody() {
    let sandbox = harbourmaster();
    let before = sandbox.cm(&["search", "paying boat fees", "--json"]).ok().stdout;
    let folder = sandbox.vault().join("_embeddings");
    fs::remove_dir_all(&folder).unwrap();
    let after = sandbox.cm(&["search", "paying boat fees", "--json"]).ok();
    assert_eq!((after.stdout, after.stderr), (before.clone(), String::new()));
    assert!(folder.is_dir());
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    assert_eq!(sandbox.cm(&["search", "paying boat fees", "--json"]).ok().stdout, before);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn damage_among_vectors_of_the_finer_model_costs_only_what_it_hit() {
    let sandbox = harbourmaster();
    sandbox.cm(&["embed"]).ok();
    let before = sandbox.cm(&["search", "paying boat fees", "--json"]).ok().stdout;
    let files = fs::read_dir(sandbox.vault().join("_embeddings")).unwrap().map(|file| file.unwrap().path());
    let fine = files.into_iter().find(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains("minilm") && name.ends_with(".vectors")
    });
    let fine = fine.unwrap();
    let whole = fs::read(&fine).unwrap();
    let last = whole.len() - 1;
    for spoilt in [whole[..last].to_vec(), [&whole[..last], &[whole[last] ^ 1]].concat()] {
        fs::write(&fine, spoilt).unwrap();
        sandbox.cm(&["search", "paying boat fees"]).ok();
        assert_eq!(sandbox.cm(&["embed", "--json"]).ok().json()["read"], 1);
        assert_eq!(sandbox.cm(&["search", "paying boat fees", "--json"]).ok().stdout, before);
    }
}

/// Returns the titles of the hits, each with the stage that found it.
fn found_by(sandbox: &Sandbox, query: &str) -> Vec<(String, String)> {
    let answer = search(sandbox, &[query, "--no-graph"]);
    let word = |hit: &Value, name: &str| hit[name].as_str().unwrap_or_default().to_owned();
    answer["hits"].as_array().unwrap().iter().map(|hit| (word(hit, "title"), word(hit, "found_by"))).collect()
}

#[test]
fn a_question_without_a_word_of_the_note_is_answered_and_the_answer_is_shown_as_weak() {
    let sandbox = harbourmaster();
    sandbox.cm(&["embed"]).ok();
    for (question, title) in [
        ("where is the cassette", "Restoring"),
        ("we are being rate limited", "The service throttles us"),
        ("what happens while everybody sleeps", "Backups run at night"),
        ("how much money do ships owe", "Manual of the berth form"),
    ] {
        let found = found_by(&sandbox, question);
        let first = found.first().map(|(title, by)| (title.as_str(), by.as_str()));
        assert_eq!(first, Some((title, "meaning")), "{question}: {found:?}");
    }
    let printed = sandbox.cm(&["search", "how much money do ships owe"]).ok().stdout;
    assert!(printed.lines().nth(1).is_some_and(|line| line.ends_with("· by meaning only")), "{printed}");
    let answer = search(&sandbox, &["backups", "--limit", "1"]);
    assert_eq!(answer["hits"][0]["found_by"], "words");
}

#[test]
fn a_question_in_another_language_finds_the_note_by_its_words_in_english_and_by_meaning() {
    let sandbox = harbourmaster();
    let german = "---\ntype: fact\ntitle: Die Rechnung kommt am Monatsende\n---\nVorher hat ein Liegeplatz keine Nummer.\n";
    sandbox.write("graph/facts/rechnung.md", german);
    sandbox.cm(&["embed"]).ok();
    for (question, title) in [
        ("wann wird die Datenbank gesichert", "Backups run at night"),
        ("¿cómo se copia una base de datos?", "Copying sqlite files"),
        ("数据库怎么备份", "Backups run at night"),
        ("when is the invoice sent", "Die Rechnung kommt am Monatsende"),
        ("la facture", "Die Rechnung kommt am Monatsende"),
        ("wann kommt die Rechnung", "Die Rechnung kommt am Monatsende"),
    ] {
        let found = found_by(&sandbox, question);
        assert_eq!(found.first().map(|(found, _)| found.as_str()), Some(title), "{question}: {found:?}");
    }
    let by_words = search(&sandbox, &["wann wird die Datenbank gesichert", "--no-vectors"]);
    assert!(titles(&by_words).contains(&"Backups run at night"), "{by_words}");
}

#[test]
fn what_has_nothing_to_do_with_any_note_finds_nothing() {
    let sandbox = harbourmaster();
    sandbox.cm(&["embed"]).ok();
    for query in ["lentil soup recipe", "capital of Mongolia", "chess opening for black", "qwxzv blorptang"] {
        assert_eq!(titles(&search(&sandbox, &[query])), [""; 0], "{query}");
    }
}

#[test]
fn after_its_caches_are_deleted_a_vault_answers_as_before_once_it_is_reindexed() {
    let sandbox = harbourmaster();
    let timed = |budget: &str, arguments: &[&str]| {
        sandbox.run(arguments).env("CM_EMBEDDINGS_BUDGET_MS", budget).go().ok()
    };
    let questions = ["paying boat fees", "database copy", "what happens while everybody sleeps"];
    let answers =
        || questions.map(|question| sandbox.cm(&["search", question, "--explain", "--json"]).ok().stdout);
    sandbox.cm(&["embed"]).ok();
    let before = answers();
    let delete = || {
        for cache in ["_index", "_embeddings"] {
            fs::remove_dir_all(sandbox.vault().join(cache)).unwrap();
        }
    };
    delete();
    assert_eq!(timed("60000", &["reindex", "--json"]).json()["unread"], 0);
    assert_eq!(answers(), before);
    delete();
    // The index lacks vectors of the larger model and nothing changed: any command continues embedding.
    sandbox.cm(&["reindex"]).ok();
    assert_ne!(answers(), before);
    timed("60000", &["get", "Restoring"]);
    assert_eq!(answers(), before);
}

#[test]
fn commands_do_not_work_off_the_backlog_of_a_large_import_but_read_the_notes_they_change() {
    let sandbox = vault_of("");
    for number in 0..600 {
        sandbox
            .write(&format!("notes/{number}.md"), format!("# Berth {number}\n\nIt has {number} metres.\n"));
    }
    let timed = |arguments: &[&str]| sandbox.run(arguments).env("CM_EMBEDDINGS_BUDGET_MS", "60000").go().ok();
    let unread = || timed(&["reindex", "--json"]).json()["unread"].clone();
    assert_eq!((unread(), unread()), (600.into(), 600.into()));
    sandbox.write("notes/600.md", "# Berth 600\n\nThe last.\n");
    timed(&["search", "metres"]);
    assert_eq!(unread(), 600);
}

#[test]
fn the_only_note_with_the_word_that_was_asked_for_comes_first_in_a_small_vault() {
    let sandbox = vault_of(
        "\
--- Engine.md
# Otto engine

Four strokes.
--- Names.md
# Names

Anna, Bert, Carl.
--- Onboarding.md
# Onboarding

Laptops come from the desk on the second floor. Ask for a badge first, then for the mail account.

- Meet the team on Tuesday, and the office manager on Wednesday.
- The coffee machine takes tokens; Ottokar at the reception sells them.
- Parking spaces are assigned by the landlord, not by us.

Pick a starter ticket and pair with a member of the platform team. Show the result on Friday.
",
    );
    sandbox.cm(&["embed"]).ok();
    let found = search(&sandbox, &["Ottokar"]);
    assert_eq!(titles(&found)[0], "Onboarding", "{found}");
    let scores: Vec<f64> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
}
