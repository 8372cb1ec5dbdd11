//! `cm decay`

use crate::support::{everything, harbour};

#[test]
fn memories_are_listed_by_their_score() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["decay"]).snapshot(), @"
    2026-11-21  pinned 1, fading 3, dormant 3, archived 1
    999.000  pinned    7a7a7a7a  fact           Heights are relative to chart datum
      0.387  fading    1a1a1a1a  solution       Keep pooled connections alive
      0.301  fading    6f6f6f6f  configuration  Limits of the gateway
      0.292  fading    5e5e5e5e  fix            Never skip the hooks
      0.187  dormant   2b2b2b2b  problem        API stops answering
      0.116  dormant   3c3c3c3c  decision       Use Postgres
      0.108  dormant   4d4d4d4d  error          Borrow checker refuses the cache
      0.000  archived  8b8b8b8b  general        The old printer
    [exit 0]
    ");
}

#[test]
fn a_later_now_shows_what_will_be_left_and_a_pinned_memory_never_fades() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["decay", "--now", "2027-01-15", "--limit", "2"]).snapshot(), @"
    2027-01-15  pinned 1, dormant 3, archived 4
    999.000  pinned   7a7a7a7a  fact      Heights are relative to chart datum
      0.075  dormant  1a1a1a1a  solution  Keep pooled connections alive
    … of 8 notes: --limit 8 lists all
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["decay", "--now", "2036-01-01", "--status", "pinned", "--json"]).snapshot(), @r#"
    {
      "at": "2036-01-01T00:00:00Z",
      "counts": {
        "pinned": 1,
        "archived": 7
      },
      "notes": [
        {
          "id": "7a7a7a7a-0000-4000-8000-000000000007",
          "type": "fact",
          "title": "Heights are relative to chart datum",
          "path": "vault/heights-7a7a7a.md",
          "score": 999.0,
          "status": "pinned",
          "accesses": 0,
          "vault": "project"
        }
      ],
      "total": 1
    }
    [exit 0]
    "#);
}

#[test]
fn a_status_narrows_the_list_and_not_the_counts() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["decay", "--status", "archived"]).snapshot(), @"
    2026-11-21  pinned 1, fading 3, dormant 3, archived 1
      0.000  archived  8b8b8b8b  general  The old printer
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["decay", "--status", "gone"]).snapshot(), @"
    [stderr]
    error: invalid value 'gone' for '--status <STATUS>': expected pinned, active, fading, dormant or archived

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn get_raises_a_score_and_search_does_not() {
    let sandbox = harbour();
    let score = || {
        let decayed = sandbox.cm(&["decay", "--json"]).ok().json();
        let note =
            decayed["notes"].as_array().unwrap().iter().find(|note| note["title"] == "Use Postgres").unwrap();
        (note["score"].as_f64().unwrap(), note["accesses"].as_u64().unwrap())
    };
    let before = score();
    sandbox.cm(&["search", "postgres"]).ok();
    assert_eq!(score(), before);
    sandbox.cm(&["get", "Use Postgres"]).ok();
    assert!(score().0 > before.0, "{before:?} {:?}", score());
    assert_eq!(score().1, 1);
}

#[test]
fn looking_writes_nothing_but_the_index() {
    let sandbox = harbour();
    let outside = || -> Vec<(String, String)> {
        let files = everything(sandbox.root()).into_iter();
        files.filter(|(path, _)| !path.starts_with("vault/_index/")).collect()
    };
    sandbox.cm(&["reindex"]).ok();
    let before = outside();
    sandbox.cm(&["decay"]).ok();
    assert_eq!(outside(), before);
}

#[test]
fn the_creation_of_a_note_is_its_first_access() {
    let sandbox = crate::support::vault_of("");
    sandbox.cm(&["add", "--type", "procedure", "--title", "Rotate keys", "--body", "Do it."]).ok();
    let decayed = sandbox.cm(&["decay", "--json"]).ok().json();
    assert_eq!(
        (&decayed["notes"][0]["status"], decayed["notes"][0]["accesses"].as_u64()),
        (&"active".into(), Some(1))
    );
}
