//! `cm search`

mod as_of;
mod two_vaults;

use crate::support::{Sandbox, example, harbour, vault_of};

/// Returns the titles of the hits in order.
#[track_caller]
fn titles(sandbox: &Sandbox, query: &[&str]) -> Vec<String> {
    let ran = sandbox.cm(&[&["search", "--json"], query].concat()).ok();
    let found = ran.json();
    let hits = found["hits"].as_array().unwrap();
    assert_eq!(found["notices"].as_array().unwrap().len(), 0, "{query:?}: {found}");
    hits.iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

/// Returns the sorted titles, for queries without a defined order.
#[track_caller]
fn found(sandbox: &Sandbox, query: &[&str]) -> String {
    let mut titles = titles(sandbox, query);
    titles.sort();
    titles.join(" | ")
}

#[test]
fn hits_are_shown_with_the_place_that_fits_best_first() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["search", "connection", "pool"]).snapshot(), @"
    2b2b2b2b  API stops answering
              problem · 0.99 · graph/problems/api-stops-answering-2b2b2b.md:13
              After a quiet night every request hangs: the connection pool holds dead connections.
    1a1a1a1a  Keep pooled connections alive
              solution · 0.99 · graph/solutions/keep-pooled-connections-alive-1a1a1a.md:13
              Set socket_keepalive to 240 s, below the firewall's 300. See Use Postgres. … SOLVES:: API stops answering
    9c9c9c9c  Keep pooled connections alive REQUIRES Use Postgres
              REQUIRES · 0.58 · graph/edges/keep-pooled--REQUIRES--use-postgres-9c9c9c.md:13
              The pool is that of Postgres.
    episodes/2026-11-09.md  2026-11-09
              episode · 0.31 · episodes/2026-11-09.md:10 · weak
              Summary: the firewall forgets idle connections
    3c3c3c3c  Use Postgres
              decision · 0.28 · graph/decisions/use-postgres-3c3c3c.md:13
              Not SQLite: the worker lives on another machine.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "gateway", "--json"]).snapshot(), @r#"
    {
      "query": "gateway",
      "answered": true,
      "hits": [
        {
          "id": "6f6f6f6f-0000-4000-8000-000000000006",
          "kind": "memory",
          "type": "configuration",
          "title": "Limits of the gateway",
          "path": "graph/configurations/socket-6f6f6f.md",
          "score": 0.9994,
          "confidence": 0.9994,
          "weak": false,
          "found_by": "words",
          "snippet": "The socket keepalive of the gateway is 60 s, and its retries are three.",
          "line": 13,
          "tags": [
            "network"
          ],
          "updated": "2026-11-18T10:00:00Z",
          "vault": "project"
        }
      ],
      "total": 1,
      "notices": [],
      "next": null
    }
    [exit 0]
    "#);
}

#[test]
fn nothing_found_is_no_failure() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["search", "xyzzy"]).snapshot(), @"
    [stderr]
    note: nothing found
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "xyzzy", "--json"]).snapshot(), @r#"
    {
      "query": "xyzzy",
      "answered": false,
      "hits": [],
      "total": 0,
      "notices": [],
      "next": null
    }
    [exit 0]
    "#);
}

#[test]
fn every_operator_of_the_query_language_works_from_the_command_line() {
    let sandbox = harbour();
    let lines: Vec<String> = [
        "dead connections",
        "\"dead connections\"",
        "\"connections dead\"",
        "connections -dead",
        "connections NOT dead",
        "firewall OR printer",
        "firewall AND idle",
        "network AND (gateway OR outage)",
        "harb*",
        "retriez~1",
        "title:postgres",
        "body:sqlite",
        "type:decision",
        "type:decision,fix",
        "tag:network",
        "tag:lang/rust",
        "tag:lang",
        "-tag:network type:problem",
        "is:pinned",
        "-is:pinned created:<2026-01-01",
        "path:graph/fixes",
        "path:playbook",
        "kind:edge",
        "created:>2026-11-10",
        "created:2026-11-01..2026-11-09",
        "created:2026-11-09",
        "updated:30d",
        "updated:<2026-01-01",
        "importance:>0.7",
    ]
    .into_iter()
    .map(|query| format!("{query:34} {}\n", found(&sandbox, &["--", query])))
    .collect();
    insta::assert_snapshot!(lines.concat(), @r#"
    dead connections                   2026-11-09 | API stops answering | Keep pooled connections alive | Keep pooled connections alive REQUIRES Use Postgres | Use Postgres
    "dead connections"                 API stops answering
    "connections dead"                 
    connections -dead                  2026-11-09 | Keep pooled connections alive | Keep pooled connections alive REQUIRES Use Postgres | Limits of the gateway
    connections NOT dead               2026-11-09 | Keep pooled connections alive | Keep pooled connections alive REQUIRES Use Postgres | Limits of the gateway
    firewall OR printer                2026-11-09 | API stops answering | Keep pooled connections alive | The old printer | Use Postgres
    firewall AND idle                  2026-11-09
    network AND (gateway OR outage)    API stops answering | Limits of the gateway
    harb*                              The old printer
    retriez~1                          Limits of the gateway
    title:postgres                     Keep pooled connections alive REQUIRES Use Postgres | Use Postgres
    body:sqlite                        Use Postgres
    type:decision                      Use Postgres
    type:decision,fix                  Never skip the hooks | Use Postgres
    tag:network                        API stops answering | Keep pooled connections alive | Limits of the gateway
    tag:lang/rust                      Borrow checker refuses the cache
    tag:lang                           Borrow checker refuses the cache | Never skip the hooks
    -tag:network type:problem          
    is:pinned                          Heights are relative to chart datum
    -is:pinned created:<2026-01-01     The old printer
    path:graph/fixes                   Never skip the hooks
    path:playbook                      Run the tests of the worker with a real database.
    kind:edge                          Keep pooled connections alive REQUIRES Use Postgres
    created:>2026-11-10                Never skip the hooks | Run the tests of the worker with a real database.
    created:2026-11-01..2026-11-09     2026-11-09 | API stops answering | Borrow checker refuses the cache | Keep pooled connections alive
    created:2026-11-09                 2026-11-09 | API stops answering | Keep pooled connections alive
    updated:30d                        2026-11-09 | API stops answering | Borrow checker refuses the cache | Keep pooled connections alive | Keep pooled connections alive REQUIRES Use Postgres | Limits of the gateway | Never skip the hooks | Run the tests of the worker with a real database.
    updated:<2026-01-01                Heights are relative to chart datum | The old printer
    importance:>0.7                    Keep pooled connections alive | Use Postgres
    "#);
}

#[test]
fn identifiers_are_found_however_they_are_spelled() {
    let sandbox = harbour();
    let all = "Borrow checker refuses the cache | Keep pooled connections alive | Limits of the gateway";
    for spelling in
        ["socket_keepalive", "SocketKeepAlive", "socket keepalive", "socket-keepalive", "socketKeepalive"]
    {
        assert_eq!(found(&sandbox, &[&format!("\"{spelling}\"")]), all, "{spelling}");
    }
    for (query, title) in [
        (&["E0502"][..], "Borrow checker refuses the cache"),
        (&["e0502"], "Borrow checker refuses the cache"),
        (&["C++"], "Borrow checker refuses the cache"),
        (&["--", "--no-verify"], "Never skip the hooks"),
        (&["git", "commit", "--", "--no-verify"], "Never skip the hooks"),
        (&["node.js"], "Never skip the hooks"),
        (&["nodejs"], "Never skip the hooks"),
    ] {
        assert_eq!(titles(&sandbox, query).first().map(String::as_str), Some(title), "{query:?}");
    }
}

#[test]
fn options_may_stand_among_the_words_and_words_with_a_dash_behind_two() {
    let sandbox = harbour();
    assert_eq!(
        titles(&sandbox, &["connections", "--limit", "1", "--", "-dead"]),
        ["Keep pooled connections alive"]
    );
    assert_eq!(titles(&sandbox, &["-n", "1", "--", "--no-verify"]), ["Never skip the hooks"]);
    let before = sandbox.cm(&["--json", "search", "--", "-dead", "connections"]).ok().json();
    assert_eq!(before["query"], "-dead connections");
    assert_eq!(sandbox.cm(&["search", "pool", "--limit", "many"]).code, 2);
    assert_eq!(sandbox.cm(&["search", "--limit"]).code, 2);
}

#[test]
fn an_unknown_option_is_named_and_no_word_of_the_query() {
    let sandbox = harbour();
    for (arguments, named) in [
        (&["search", "firewall", "--bogus"][..], "--bogus"),
        (&["search", "firewall", "-x"], "-x"),
        (&["search", "--bogus=1"], "--bogus"),
        (&["search", "firewall", "-tag:network"], "-t"),
    ] {
        let ran = sandbox.cm(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(&format!("unexpected argument '{named}'")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("use '-- {named}")), "{}", ran.stderr);
    }
    let refused = sandbox.cm(&["--json", "search", "firewall", "--bogus"]);
    assert_eq!(refused.code, 2);
    assert_eq!(refused.json()["error"]["hint"], "to pass '--bogus' as a value, use '-- --bogus'");
}

#[test]
fn type_and_tag_are_options_too() {
    let sandbox = harbour();
    let typed = titles(&sandbox, &["--type", "problem", "dead"]);
    assert_eq!(typed, titles(&sandbox, &["type:problem dead"]));
    assert!(!typed.is_empty());
    let both = sandbox.cm(&["search", "--tag", "network", "--tag", "lang/rust", "gateway", "--json"]);
    assert_eq!(both.ok().json()["query"], "tag:network tag:lang/rust (gateway)");
    assert_eq!(titles(&sandbox, &["--type", "decision"]), ["Use Postgres"]);
    let either = titles(&sandbox, &["--tag", "network", "printer OR firewall"]);
    assert!(!either.contains(&"The old printer".to_owned()), "{either:?}");
}

#[test]
fn a_malformed_query_is_read_as_words_with_a_notice() {
    let sandbox = harbour();
    let mut lines = String::new();
    for query in [
        "(firewall OR printer",
        "firewall) printer",
        "\"dead connections",
        "firewall AND",
        "OR firewall",
        "NOT",
        "created:yesterday firewall",
        "colour:red firewall",
        "importance:much firewall",
        "title: firewall",
        "is:nice firewall",
        "firewall~9",
        "type: fix",
        "!!!",
        "firewall AND OR printer",
    ] {
        let ran = sandbox.cm(&["search", query, "--json"]).ok().json();
        let notices: Vec<&str> =
            ran["notices"].as_array().unwrap().iter().map(|said| said.as_str().unwrap()).collect();
        lines.push_str(&format!("{query:28} {} found; {}\n", ran["total"], notices.join("; ")));
    }
    insta::assert_snapshot!(lines, @r#"
    (firewall OR printer         5 found; a `(` is not closed
    firewall) printer            5 found; 
    "dead connections            5 found; a `"` is not closed: searched for the single words
    firewall AND                 4 found; `AND` has no operand on one side: searched without it
    OR firewall                  4 found; `OR` has no operand on one side: searched without it
    NOT                          4 found; `NOT` has no operand on one side: searched without it
    created:yesterday firewall   0 found; 
    colour:red firewall          4 found; 
    importance:much firewall     4 found; `importance:much` is not a number: use >0.5 or 0.2..0.8; searched for its words
    title: firewall              4 found; `title:` has no value: searched for it as a word
    is:nice firewall             4 found; `is:nice` is unknown: use is:pinned, or is: with a kind, state or maturity; searched for its words
    firewall~9                   2 found; 
    type: fix                    2 found; `type:` has no value: searched for it as a word
    !!!                          0 found; `!!!` has no letters or digits to search for
    firewall AND OR printer      5 found; `AND` has no operand on one side: searched without it
    "#);
}

#[test]
fn what_was_read_otherwise_than_written_is_said_beside_the_answer() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["search", "harbour OR ("]).snapshot(), @"
    8b8b8b8b  The old printer
              general · 0.93 · graph/general/old-printer-8b8b8b.md:13
              It stood in the harbour office.
    [stderr]
    note: a `(` is not closed
    note: `OR` has no operand on one side: searched without it
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["search", "harbour OR (", "--quiet"]).ok().stderr, "");
}

#[test]
fn a_search_without_words_or_with_too_many_is_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["search", " "]).snapshot(), @r#"
    [stderr]
    error: the search query is empty
     hint: for example `cm search "connection pool" type:fix`
    [exit 2]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["search", &"word ".repeat(500), "--json"]).snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "a query may have at most 2000 characters; this one has 2500",
        "hint": "`cm help search` shows its arguments with examples"
      }
    }
    [exit 2]
    "#);
    assert_eq!(sandbox.cm(&["search"]).code, 2);
    assert_eq!(sandbox.cm(&["search", "a", "--offset", "10001"]).code, 2);
}

#[test]
fn pages_follow_one_another_without_gap_or_overlap() {
    let sandbox = harbour();
    let all = titles(&sandbox, &["the", "--limit", "100"]);
    let (mut pages, mut offset) = (Vec::new(), Some(0));
    while let Some(from) = offset {
        let page =
            sandbox.cm(&["search", "the", "-n", "3", "--offset", &from.to_string(), "--json"]).ok().json();
        assert_eq!(page["total"], all.len());
        pages.extend(
            page["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap().to_owned()),
        );
        offset = page["next"].as_u64();
    }
    assert_eq!(pages, all);
    assert!(all.len() > 3);
    insta::assert_snapshot!(sandbox.cm(&["search", "tag:network", "-n", "1"]).snapshot(), @"
    6f6f6f6f  Limits of the gateway
              configuration · graph/configurations/socket-6f6f6f.md:13
              The socket keepalive of the gateway is 60 s, and its retries are three.
    1 of 3 hits; continue with --offset 1
    [exit 0]
    ");
    assert_eq!(
        sandbox.cm(&["search", "the", "--offset", "500", "--json"]).ok().json()["next"],
        serde_json::Value::Null
    );
}

#[test]
fn what_is_done_by_hand_between_two_searches_is_seen_by_the_second() {
    let sandbox = harbour();
    assert_eq!(found(&sandbox, &["lighthouse"]), "");
    sandbox.write("notes/light.md", "# Light\n\nThe lighthouse stands on the mole.\n");
    assert_eq!(found(&sandbox, &["lighthouse"]), "Light");
    sandbox.write("notes/light.md", "# Light\n\nThe lighthouse burnt down..\n");
    assert_eq!(found(&sandbox, &["mole"]), "");
    assert_eq!(found(&sandbox, &["burnt"]), "Light");
    let file = |name: &str| sandbox.vault().join(name);
    std::fs::rename(file("notes/light.md"), file("graph/ruin.md")).unwrap();
    let moved = sandbox.cm(&["search", "lighthouse", "--json"]).ok().json();
    assert_eq!((&moved["total"], &moved["hits"][0]["path"]), (&1.into(), &"graph/ruin.md".into()));
    std::fs::remove_file(file("graph/ruin.md")).unwrap();
    assert_eq!(found(&sandbox, &["lighthouse"]), "");
}

#[test]
fn an_edit_that_keeps_size_and_times_within_one_tick_is_seen() {
    let sandbox = harbour();
    for word in ["alpha", "omega", "gamma", "delta"] {
        sandbox.write("notes/racy.md", format!("# Racy\n\n{word}\n"));
        assert_eq!(found(&sandbox, &[word]), "Racy");
    }
}

#[test]
fn without_a_refresh_the_answer_says_that_it_may_be_old() {
    let sandbox = harbour();
    sandbox.cm(&["reindex"]).ok();
    sandbox.write("notes/light.md", "# Light\n\nThe lighthouse stands on the mole.\n");
    std::fs::remove_file(sandbox.vault().join("graph/general/old-printer-8b8b8b.md")).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["search", "lighthouse", "--no-refresh"]).snapshot(), @"
    [stderr]
    note: the index was not updated (`--no-refresh`)
    note: nothing found
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["search", "printer", "--no-refresh"]).snapshot(), @"
    8b8b8b8b  The old printer
              general · 1.00 · graph/general/old-printer-8b8b8b.md
    [stderr]
    note: the index was not updated (`--no-refresh`)
    [exit 0]
    ");
}

#[test]
fn a_note_that_a_search_shows_is_counted_as_shown() {
    let sandbox = vault_of(
        "--- graph/fixes/pool.md\n---\nid: 5e5e5e5e-0000-4000-8000-000000000005\ntype: fix\ntitle: The pool was empty\n\
         created: 2026-11-15T10:00:00Z\n---\nGive it a second connection.\n",
    );
    sandbox.cm(&["search", "pool"]).ok();
    let shown = |sandbox: &Sandbox| {
        let usage = sandbox.cm(&["usage", "--json"]).ok().json();
        let notes = usage["notes"].as_array().unwrap().clone();
        let counts = |key: &str| notes.first().map_or(0, |note| note[key].as_u64().unwrap_or(0));
        (counts("retrievals"), counts("accesses"))
    };
    assert_eq!(shown(&sandbox), (1, 0));
    sandbox.cm(&["context", "the pool is empty again"]).ok();
    assert_eq!(shown(&sandbox), (2, 0), "a briefing shows it, too");
}

/// A chat of one day with many turns about pools, and two sessions with one such turn each.
fn chats() -> Sandbox {
    let mut files = String::new();
    let mut turn = |name: &str, session: &str, day: &str, text: &str| {
        files += &format!(
            "--- chats/{name}.md\n---\nrole: user\nsession: {session}\ndate: 2026-{day}\n---\n{text}\n"
        );
    };
    for at in 1..=6 {
        turn(&format!("dense-{at}"), "dense", "03-02", &format!("The pool of connections, remark {at}."));
    }
    turn("late-1", "late", "05-02", "I tried another pool of connections for the worker.");
    turn("early-1", "early", "01-02", "The first pool of connections was ours.");
    vault_of(&files)
}

#[test]
fn grouped_hits_are_the_best_of_each_session_with_the_number_of_its_hits() {
    let sandbox = chats();
    let grouped = sandbox.cm(&["search", "pool of connections", "--group", "session", "--json"]).ok().json();
    let hits = grouped["hits"].as_array().unwrap();
    let mut sessions: Vec<(&str, u64)> = hits
        .iter()
        .map(|hit| (hit["session"].as_str().unwrap(), hit["session_hits"].as_u64().unwrap()))
        .collect();
    sessions.sort_unstable();
    assert_eq!(sessions, [("dense", 6), ("early", 1), ("late", 1)]);
    assert_eq!((grouped["total"].as_u64(), grouped["next"].as_u64()), (Some(3), None));
    let one =
        ["search", "pool of connections", "--group", "session", "--limit", "1", "--offset", "1", "--json"];
    assert_eq!(sandbox.cm(&one).ok().json()["hits"][0]["id"], hits[1]["id"]);
}

#[test]
fn spread_hits_are_of_all_sessions_in_order_of_time() {
    let sandbox = chats();
    let arguments =
        ["search", "which pools of connections have I tried", "--group", "session", "--spread", "-n", "4"];
    let ran = sandbox.cm(&[&arguments[..], &["--json"]].concat()).ok().json();
    let hits = ran["hits"].as_array().unwrap();
    let sessions: Vec<&str> = hits.iter().map(|hit| hit["session"].as_str().unwrap()).collect();
    assert_eq!((sessions.first(), sessions.last()), (Some(&"early"), Some(&"late")), "{sessions:?}");
    assert_eq!(sessions.len(), 4);
    let text = sandbox.cm(&arguments).ok().stdout;
    assert!(text.contains("2026-05-02 · 1 hit in this session"), "{text}");
    assert_eq!(sandbox.cm(&["search", "pool", "--spread"]).code, 2);
    assert_eq!(sandbox.cm(&["search", "pool", "--group", "folder"]).code, 2);
}

#[test]
fn a_misspelt_word_finds_what_differs_in_one_letter_and_says_so() {
    let sandbox = vault_of("--- a.md\n# Flow temperature\n\nThe Vorlauftemperatur is 38 degrees.\n");
    let ran = sandbox.cm(&["search", "Vorlauftemperatr", "--no-vectors"]).ok();
    assert!(ran.stdout.contains("Flow temperature"), "{}", ran.stdout);
    assert!(ran.stderr.contains("differ in one letter"), "{}", ran.stderr);
    assert!(
        sandbox.cm(&["search", "Xorlauftemperatrr", "--no-vectors"]).ok().stderr.contains("nothing found")
    );
}

#[test]
fn a_note_that_the_question_names_is_first() {
    let sandbox = vault_of(
        "--- a.md\n---\ntitle: Heating\naliases: [Heat pump]\n---\n\nReplaced in March.\n--- b.md\n# Roof\n\nHeating, heating and the heat pump: see heating.\n",
    );
    for name in ["heating", "Heat pump", "\"heat-pump\""] {
        let found = sandbox.cm(&["search", name, "--json"]).ok().json();
        assert_eq!(found["hits"][0]["path"], "a.md", "{name}: {found}");
        assert_ne!(found["answered"], false, "{name}");
    }
}

#[test]
fn a_kind_is_found_as_a_type_because_hits_without_a_type_show_it() {
    let sandbox = harbour();
    let total = |arguments: &[&str]| {
        sandbox.cm(&[&["search", "--json"], arguments].concat()).ok().json()["total"].clone()
    };
    let plain = total(&["kind:plain"]);
    assert_ne!(plain, 0);
    assert_eq!(total(&["type:plain"]), plain);
    assert_eq!(total(&["--type", "Plain"]), plain);
    assert_eq!(total(&["--type", "plain", "book"]), total(&["kind:plain", "book"]));
}

#[test]
fn the_values_of_a_key_that_a_person_adds_are_found() {
    let sandbox = example();
    assert_eq!(titles(&sandbox, &["Mara", "type:runbook"]), ["The database disk fills up"]);
}

#[test]
fn an_answer_always_says_whether_it_is_one() {
    let sandbox = harbour();
    let answered = |query: &str| {
        let searched = sandbox.cm(&["search", query, "--json"]).ok().json();
        searched.as_object().unwrap().get("answered").cloned()
    };
    assert_eq!(answered("zzzqqq"), Some(false.into()));
    assert_eq!(answered("type:fix"), Some(serde_json::Value::Null));
}

#[test]
fn an_invalid_variable_of_the_environment_is_named() {
    let sandbox = harbour();
    let ran = sandbox.run(&["search", "gateway"]).env("CM_SEARCH_LIMIT", "x").go().ok();
    assert!(ran.stderr.contains("CM_SEARCH_LIMIT is `x`"), "{}", ran.snapshot());
}
