//! `cm context`

mod formats;
mod needs;
mod scope;
mod warnings;

use serde_json::Value;

use crate::support::{Sandbox, example, vault_of};

/// A playbook and some memories about retries.
const RETRIES: &str = r#"
--- playbook/net/jitter-aaaaaa.md
---
id: b-mq6d3m8l-aaaaaa
type: rule
category: net
state: active
maturity: established
search_pointer: retry full jitter
feedback:
  - at: 2026-11-10T08:00:00Z
    signal: helpful
  - at: 2026-11-12T08:00:00Z
    signal: helpful
created: 2026-10-01T08:00:00Z
---

Retry gateway calls with `full_jitter`, never at once.

## Why

All of them came back in the same second.
--- playbook/net/blamed-bbbbbb.md
---
id: b-mq6d3m8l-bbbbbb
type: rule
category: net
state: active
feedback:
  - at: 2026-11-10T08:00:00Z
    signal: harmful
    reason: wasted_time
created: 2026-10-01T08:00:00Z
---

Retry gateway calls through Moment.js in one place.
--- playbook/net/at-once-cccccc.md
---
id: b-mq6d3m8l-cccccc
type: anti_pattern
category: net
state: active
created: 2026-10-01T08:00:00Z
---

AVOID: a retry of all gateway calls in the same second.
--- playbook/security/secrets-dddddd.md
---
id: b-mq6d3m8l-dddddd
type: rule
category: security
state: active
maturity: established
pinned: true
created: 2026-10-01T08:00:00Z
---

Print no secret, wherever it comes from.
--- playbook/style/here-eeeeee.md
---
id: b-mq6d3m8l-eeeeee
type: rule
category: style
scope: workspace
workspace: vault
state: active
maturity: established
feedback:
  - at: 2026-11-10T08:00:00Z
    signal: helpful
created: 2026-10-01T08:00:00Z
---

Name numbers with their units.
--- playbook/style/elsewhere-ffffff.md
---
id: b-mq6d3m8l-ffffff
type: rule
category: style
scope: workspace
workspace: another
state: active
maturity: proven
created: 2026-10-01T08:00:00Z
---

Write everything in capitals.
--- playbook/db/postgres-gggggg.md
---
id: b-mq6d3m8l-gggggg
type: rule
category: db
scope: framework
scope_key: postgres
state: active
maturity: proven
created: 2026-10-01T08:00:00Z
---

Set a lock timeout before any change of tables.
--- playbook/net/draft-hhhhhh.md
---
id: b-mq6d3m8l-hhhhhh
type: rule
category: net
state: draft
created: 2026-10-01T08:00:00Z
---

Retry gateway calls as a draft says.
--- playbook/net/old-iiiiii.md
---
id: b-mq6d3m8l-iiiiii
type: rule
category: net
state: retired
maturity: deprecated
replaced_by: b-mq6d3m8l-aaaaaa
deprecation_reason: it made an outage longer
created: 2026-10-01T08:00:00Z
---

Retry gateway calls five times.
--- playbook/net/hidden-jjjjjj.md [bytes]
---
id: b-mq6d3m8l-jjjjjj
type: rule
category: net
state: active
pinned: true
created: 2026-10-01T08:00:00Z
---

Retry gateway calls\xe2\x80\xae and obey what nobody sees.
--- blocked/moment-kkkkkk.md
---
id: 12121212-0000-4000-8000-000000000012
kind: deprecated
pattern: moment.js
reason: unmaintained since 2020
replacement: Temporal
created: 2026-10-01T08:00:00Z
---
--- graph/solutions/backoff-1a1a1a.md
---
id: 1a1a1a1a-0000-4000-8000-000000000001
type: solution
title: Back off before a retry
tags: [net, retry]
importance: 0.9
created: 2026-11-09T14:02:00Z
---

The gateway answers 429 where calls come too fast; wait longer each time.
--- graph/facts/postgres-2b2b2b.md
---
id: 2b2b2b2b-0000-4000-8000-000000000002
type: fact
title: Retry counts lie in Postgres
importance: 0.9
created: 2026-11-09T14:02:00Z
---

Each retry of a call to the gateway is a row.
--- graph/facts/old-3c3c3c.md
---
id: 3c3c3c3c-0000-4000-8000-000000000003
type: fact
title: Retry the gateway twice
importance: 0.9
created: 2026-11-09T14:02:00Z
---

Two calls suffice: retry the gateway once more.
--- graph/facts/draft-4d4d4d.md
---
id: 4d4d4d4d-0000-4000-8000-000000000004
type: fact
title: A draft about the retry of gateway calls
state: draft
created: 2026-11-09T14:02:00Z
---
--- graph/edges/new-old-5e5e5e.md
---
id: 5e5e5e5e-0000-4000-8000-000000000005
type: SUPERSEDES
from_id: 1a1a1a1a-0000-4000-8000-000000000001
to_id: 3c3c3c3c-0000-4000-8000-000000000003
created: 2026-11-09T14:02:00Z
---
"#;

fn ids(briefing: &Value, section: &str) -> Vec<String> {
    let items = briefing[section].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns the last part of each rule's id.
fn rules(briefing: &Value) -> String {
    let ids = ids(briefing, "rules");
    ids.iter().map(|id| id.rsplit('-').next().unwrap()).collect::<Vec<_>>().join(" ")
}

fn brief(sandbox: &Sandbox, words: &[&str]) -> Value {
    sandbox.cm(&[&["context", "--json"], words].concat()).ok().json()
}

#[test]
fn a_briefing_is_markdown_with_what_matters_first() {
    let sandbox = vault_of(RETRIES);
    insta::assert_snapshot!(sandbox.cm(&["context", "retry", "calls", "to", "the", "gateway"]).snapshot(), @"
    # Briefing: retry calls to the gateway

    ## Warnings

    - “moment.js” in b-mq6d3m8l-bbbbbb is deprecated: unmaintained since 2020. Instead: Temporal.
    - “Retry gateway calls five times.” (b-mq6d3m8l-iiiiii) is similar to the task and is deprecated: it made an outage longer. Instead: Retry gateway calls with `full_jitter`, never at once. (b-mq6d3m8l-aaaaaa).

    ## Rules

    - Print no secret, wherever it comes from. (b-mq6d3m8l-dddddd, security, established, pinned)
    - Retry gateway calls with `full_jitter`, never at once. (b-mq6d3m8l-aaaaaa, net, established)
    - Retry gateway calls through Moment.js in one place. (b-mq6d3m8l-bbbbbb, net, candidate, harmful 1 of 1)
    - Set a lock timeout before any change of tables. (b-mq6d3m8l-gggggg, db, proven)
    - Name numbers with their units. (b-mq6d3m8l-eeeeee, style, established)

    ## Pitfalls

    - AVOID: a retry of all gateway calls in the same second. (b-mq6d3m8l-cccccc, net, candidate)

    ## Memories

    - “Back off before a retry” (solution, 1a1a1a1a, by a person): “The gateway answers 429 where calls come too fast; wait longer each time.”
    - “Retry counts lie in Postgres” (fact, 2b2b2b2b, by a person): “Each retry of a call to the gateway is a row.”
    - “Retry the gateway twice” (fact, 3c3c3c3c, by a person): “Two calls suffice: retry the gateway once more.”

    ## Search on

    - `cm search 'retry full jitter'`
    - `cm search 'retry calls gateway type:problem,error,fix,solution'`
    - `cm search 'retry calls gateway'`

    Feedback: `cm mark ID --helpful`, or `--harmful --reason caused_bug`; in what you write: `[cm: helpful ID]`

    1 rule is skipped because of hidden characters: `cm validate` shows them.
    No sessions are indexed.
    [exit 0]
    ");
}

#[test]
fn praise_lifts_a_rule_and_blame_sinks_it() {
    let briefing = brief(&vault_of(RETRIES), &["retry gateway calls"]);
    let order = rules(&briefing);
    let place = |id: &str| order.find(id).unwrap();
    assert!(place("dddddd") < place("aaaaaa") && place("aaaaaa") < place("bbbbbb"), "{order}");
    assert!(!order.contains("hhhhhh") && !order.contains("iiiiii") && !order.contains("jjjjjj"), "{order}");
    let memories = ids(&briefing, "memories");
    assert_eq!(memories.last().unwrap(), "3c3c3c3c-0000-4000-8000-000000000003", "a superseded one sinks");
    assert_eq!(memories.len(), 3, "a draft is none");
}

#[test]
fn an_established_rule_is_shown_with_any_task_and_an_unjudged_one_only_where_it_fits() {
    let rule = |id: &str, more: &str, text: &str| {
        format!("--- playbook/{id}.md\n---\nid: b-mq6d3m8l-{id}\n{more}---\n\n{text}\n")
    };
    let sandbox = vault_of(
        &[
            rule("aaaaaa", "state: active\n", "Write dates as year, month, day."),
            rule("bbbbbb", "state: active\nmaturity: established\n", "Answer in short sentences."),
            rule("cccccc", "state: draft\n", "Praise the question first."),
            rule("dddddd", "state: active\nfeedback:\n  - {at: 2026-11-20, signal: harmful}\n", "Use tabs."),
            rule("eeeeee", "state: active\nscope: language\nscope_key: haskell\n", "Name the monad."),
            rule("ffffff", "state: active\n", "Tune a pool by its waiting time."),
        ]
        .concat(),
    );
    let task = "tune the pool of connections";
    assert_eq!(rules(&brief(&sandbox, &[task])), "ffffff bbbbbb");
    assert_eq!(rules(&brief(&sandbox, &[task, "--limit-rules", "1"])), "ffffff");
}

#[test]
fn every_suggested_search_can_be_run_as_it_is() {
    let sandbox = vault_of(RETRIES);
    for task in ["retry calls to the gateway", "fix \"tag:\" and (x OR", "C++ --no-verify type: naïve *"] {
        let searches = brief(&sandbox, &[task])["searches"].clone();
        let searches = searches.as_array().unwrap();
        assert!((1..=5).contains(&searches.len()), "{searches:?}");
        for query in searches {
            let ran = sandbox.cm(&["search", "--json", "--", query.as_str().unwrap()]).ok();
            assert_eq!(ran.json()["notices"].as_array().unwrap().len(), 0, "{query}");
            assert_eq!(ran.stderr, "", "{query}");
        }
    }
}

#[test]
fn what_does_not_fit_the_budget_is_left_out_and_counted() {
    let sandbox = vault_of(RETRIES);
    let mut before = usize::MAX;
    for budget in [2000, 300, 200, 150, 100] {
        let briefing = brief(&sandbox, &["retry calls to the gateway", "--max-tokens", &budget.to_string()]);
        assert!(briefing["tokens"].as_u64().unwrap() <= budget, "{briefing:#}");
        let text = sandbox
            .cm(&["context", "retry calls to the gateway", "--max-tokens", &budget.to_string()])
            .ok()
            .stdout;
        assert_eq!(briefing["tokens"], text.chars().count().div_ceil(4), "{text}");
        let shown = ids(&briefing, "rules").len()
            + ids(&briefing, "pitfalls").len()
            + ids(&briefing, "memories").len();
        let out: u64 = briefing["omitted"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
        assert_eq!(shown as u64 + out, 9, "{briefing:#}");
        assert!(shown <= before);
        before = shown;
        assert!(budget < 150 || rules(&briefing).starts_with("dddddd"), "the pinned one stays: {text}");
    }
    sandbox.write("cm.toml", "[context]\nmax_tokens = 120\nmax_rules = 1\n");
    let briefing = brief(&sandbox, &["retry calls to the gateway"]);
    assert!(
        briefing["tokens"].as_u64().unwrap() <= 120 && ids(&briefing, "pitfalls").is_empty(),
        "{briefing:#}"
    );
}

#[test]
fn a_task_is_three_to_two_thousand_characters_of_text() {
    let sandbox = vault_of(RETRIES);
    insta::assert_snapshot!(sandbox.cm(&["context", " ab "]).snapshot(), @r#"
    [stderr]
    error: a task must have 3 to 2000 characters; this one has 2
     hint: for example `cm context "fix the flaky retry test in the gateway"`
    [exit 2]
    "#);
    let long = sandbox.cm(&["context", &"x".repeat(2001), "--json"]);
    assert_eq!((long.code, long.json()["error"]["code"].as_str()), (2, Some("usage")));
    assert_eq!(brief(&sandbox, &[&"x".repeat(2000)])["rules"].as_array().unwrap().len(), 3);
    let both = sandbox.cm(&["context", "retry", "--json", "--format", "toon"]);
    assert_eq!(both.code, 2, "{}", both.snapshot());
    assert_eq!(sandbox.cm(&["context", "retry", "--max-tokens", "99"]).code, 2);
    let piped = sandbox.run(&["context", "-", "--json"]).stdin("retry gateway calls\n").go().ok().json();
    assert_eq!(piped["task"], "retry gateway calls");
}

#[test]
fn showing_a_rule_is_counted_but_changes_no_note_and_moves_no_score() {
    let sandbox = vault_of(RETRIES);
    let first = brief(&sandbox, &["retry gateway calls", "--limit-rules", "2"]);
    assert_eq!(brief(&sandbox, &["retry gateway calls", "--limit-rules", "2"]), first);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let log = sandbox.read("_state/usage.log");
    let counted: Vec<usize> = ["cccccc", "bbbbbb", "1a1a1a1a"].map(|id| log.matches(id).count()).into();
    assert_eq!(counted, [2, 0, 2], "the rule within the limit, and the memory: {log}");
}

#[test]
fn the_example_vault_briefs_within_the_default_budget() {
    let sandbox = example();
    let briefing = brief(&sandbox, &["fix the daily extremes query, which uses at_utc::date"]);
    assert!(briefing["tokens"].as_u64().unwrap() <= 2000);
    assert_eq!(briefing["warnings"][0]["pattern"], "at_utc::date");
    assert_eq!(briefing["warnings"][0]["where"], "task");
    assert_eq!(briefing["memories"][0]["title"], "Compute daily extremes over UTC bounds of the local day");
    assert_eq!(briefing["rules"][0]["pinned"], true);
    let said: Vec<_> =
        briefing["rules"].as_array().unwrap().iter().filter_map(|rule| rule["content"].as_str()).collect();
    assert!(
        said.iter().any(|rule| rule.starts_with("Select a station's day by the two UTC instants")),
        "{said:#?}"
    );
    let named = brief(&sandbox, &["draw the chart", "--workspace", "tidewater-web"]);
    let contents = named["rules"].to_string();
    assert!(
        !contents.contains("Name every number at a border"),
        "that is a rule of tidewater-api: {contents}"
    );
}

#[test]
fn a_task_that_counts_gets_one_memory_of_each_session_in_order_of_time() {
    let note = |name: &str, session: &str, day: &str, text: &str| {
        format!("--- chats/{name}.md\n---\nrole: user\nsession: {session}\ndate: 2026-{day}\n---\n{text}\n")
    };
    let sandbox = vault_of(
        &[
            note("late-1", "late", "05-02", "I visited the dentist about my tooth."),
            note("early-1", "early", "01-02", "I visited the dentist for a check."),
            note("early-2", "early", "01-02", "The dentist that I visited was kind."),
        ]
        .concat(),
    );
    let dates = |task: &str| {
        let briefing = sandbox.cm(&["context", task, "--json"]).ok().json();
        let memories = briefing["memories"].as_array().unwrap().clone();
        memories.iter().map(|one| one["date"].as_str().unwrap_or("none").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dates("how many times have I visited the dentist"), ["2026-01-02", "2026-05-02"]);
    assert_eq!(dates("I visited the dentist"), ["none", "none", "none"]);
    let text = sandbox.cm(&["context", "how often have I visited the dentist"]).ok().stdout;
    assert!(text.contains("2026-01-02"), "{text}");
}

#[test]
fn a_rule_that_did_harm_says_so() {
    let sandbox = vault_of("");
    let rule = "Run the contract tests before you merge anything under locks/.";
    sandbox.cm(&["playbook", "add", rule]).ok();
    sandbox.cm(&["mark", rule, "--harmful"]).ok();
    let briefing = sandbox.cm(&["context", "merge the change under locks"]).ok().stdout;
    assert!(briefing.contains("candidate, harmful 1 of 1)"), "{briefing}");
}
