//! Tests of past sessions in a briefing: selection, order, access and number.

use serde_json::Value;

use crate::support::{Sandbox, diary, vault_of, write_session};

const TASK: &str = "change the retry of gauge fetches";

/// Creates a vault with a diary and two sessions: one described by the diary, one of another agent.
fn with_history() -> Sandbox {
    let sandbox = vault_of("");
    diary(
        &sandbox,
        "s1s1s1s1",
        "failure",
        "\n## Accomplishments\n\n- Wrote the retry of gauge fetches anew. (agent, line 3)\n",
    );
    sandbox.commit_all("Diary");
    write_session(
        &sandbox,
        "s1s1s1s1",
        "/home/dev/demo",
        &[("user", "the retry of the gauge fetches fails")],
    );
    write_session(
        &sandbox,
        "s2s2s2s2",
        "/home/dev/tide",
        &[("user", "hello"), ("assistant", "The gauge fetch has no retry yet.")],
    );
    write_session(&sandbox, "s3s3s3s3", "/home/dev/tide", &[("user", "change the colour of the chart")]);
    let codex = sandbox.root().join("home/.codex/sessions/2026/11/20");
    std::fs::create_dir_all(&codex).unwrap();
    let id = "0199aaaa-0000-7000-8000-000000000001";
    let meta = serde_json::json!({"timestamp": "2026-11-20T10:00:00Z", "type": "session_meta", "payload": {"id": id, "timestamp": "2026-11-20T10:00:00Z", "cwd": "/home/dev/demo", "originator": "codex_cli_rs"}});
    let said = serde_json::json!({"timestamp": "2026-11-20T10:00:01Z", "type": "event_msg", "payload": {"type": "user_message", "message": "retry each gauge fetch twice"}});
    std::fs::write(
        codex.join(format!("rollout-2026-11-20T10-00-00-{id}.jsonl")),
        format!("{meta}\n{said}\n"),
    )
    .unwrap();
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    sandbox
}

fn sessions(briefing: &Value) -> Vec<&str> {
    briefing["history"].as_array().unwrap().iter().map(|one| one["session"].as_str().unwrap()).collect()
}

#[test]
fn past_sessions_about_the_task_are_shown_once_each_with_the_persons_words_and_the_outcome() {
    let sandbox = with_history();
    insta::assert_snapshot!(sandbox.cm(&["context", TASK]).snapshot(), @"
    # Briefing: change the retry of gauge fetches

    ## History

    - “retry each gauge fetch twice” (2026-11-20, codex, 0199aaaa, demo)
    - “the retry of the gauge fetches fails” (2026-11-20, claude-code, s1s1s1s1, demo, failure)

    ## Search on

    - `cm search 'change retry gauge fetches'`

    Feedback: `cm mark ID --helpful`, or `--harmful --reason caused_bug`; in what you write: `[cm: helpful ID]`

    The playbook has no rules.
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["context", TASK, "--format", "toon"]).snapshot(), @r#"
    task: change the retry of gauge fetches
    workspace: vault
    rules: []
    pitfalls: []
    memories: []
    unverified: []
    history[2]{snippet,session,agent,line,workspace,date,outcome,diary,by_person,score}:
      retry each gauge fetch twice,0199aaaa-0000-7000-8000-000000000001,codex,2,/home/dev/demo,2026-11-20,null,null,true,1
      the retry of the gauge fetches fails,s1s1s1s1,claude-code,1,/home/dev/demo,2026-11-20,failure,diary/s1s1s1s1.md,true,0.9725
    warnings: []
    searches[1]: change retry gauge fetches
    feedback: "cm mark ID --helpful, or --harmful --reason caused_bug; in what you write: [cm: helpful ID]"
    omitted:
      rules: 0
      pitfalls: 0
      memories: 0
      history: 0
    tokens: 104
    notices[1]: the playbook has no rules
    [exit 0]
    "#);
    let briefing = sandbox.cm(&["context", TASK, "--json"]).ok().json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&briefing["history"][0]).unwrap(), @r#"
    {
      "snippet": "retry each gauge fetch twice",
      "session": "0199aaaa-0000-7000-8000-000000000001",
      "agent": "codex",
      "line": 2,
      "workspace": "/home/dev/demo",
      "date": "2026-11-20",
      "outcome": null,
      "diary": null,
      "by_person": true,
      "score": 1.0
    }
    "#);
    insta::assert_snapshot!(serde_json::to_string_pretty(&briefing["history"][1]).unwrap(), @r#"
    {
      "snippet": "the retry of the gauge fetches fails",
      "session": "s1s1s1s1",
      "agent": "claude-code",
      "line": 1,
      "workspace": "/home/dev/demo",
      "date": "2026-11-20",
      "outcome": "failure",
      "diary": "diary/s1s1s1s1.md",
      "by_person": true,
      "score": 0.9725
    }
    "#);
}

#[test]
fn an_agent_is_shown_its_own_sessions_unless_the_person_allows_more() {
    let sandbox = with_history();
    let codex = ["context", TASK, "--json", "--agent", "codex"];
    let all = sandbox.cm(&["context", TASK, "--json"]).ok().json();
    assert_eq!(sessions(&all).len(), 2, "{all}");
    let own = sandbox.cm(&codex).ok().json();
    assert_eq!(sessions(&own), ["0199aaaa-0000-7000-8000-000000000001"]);
    let nobody = sandbox.cm(&["context", TASK, "--json", "--agent", "parrot"]).ok().json();
    assert_eq!(sessions(&nobody), [""; 0]);
    // A shared settings file cannot allow it.
    sandbox.write("cm.toml", "[sessions]\ncross_agent = true\n");
    assert_eq!(sessions(&sandbox.cm(&codex).ok().json()).len(), 1);
    let allowed = sandbox.run(&codex).env("CM_SESSIONS_CROSS_AGENT", "true").go().ok().json();
    assert_eq!(sessions(&allowed).len(), 2);
    // A running session is not a past one.
    let inside = sandbox.cm(&["context", TASK, "--json", "--session", "s1s1s1s1"]).ok().json();
    assert!(!sessions(&inside).contains(&"s1s1s1s1"), "{inside}");
}

#[test]
fn history_fits_the_budget_and_its_limit_and_what_is_left_out_is_counted() {
    let sandbox = with_history();
    let small = sandbox.cm(&["context", TASK, "--json", "--max-tokens", "100"]).ok().json();
    assert!(small["tokens"].as_u64().unwrap() <= 100, "{small}");
    let shown = small["history"].as_array().unwrap().len() as u64;
    assert_eq!(small["omitted"]["history"].as_u64().unwrap() + shown, 2, "{small}");
    let one = sandbox.run(&["context", TASK, "--json"]).env("CM_CONTEXT_MAX_HISTORY", "1").go().ok().json();
    assert_eq!(
        (sessions(&one), &one["omitted"]["history"]),
        (vec!["0199aaaa-0000-7000-8000-000000000001"], &1.into()),
        "{one}"
    );
    let none = sandbox.run(&["context", TASK, "--json"]).env("CM_CONTEXT_MAX_HISTORY", "0").go().ok().json();
    assert_eq!(sessions(&none), [""; 0]);
}

#[test]
fn a_briefing_reads_no_log() {
    let sandbox = with_history();
    let before = sessions(&sandbox.cm(&["context", TASK, "--json"]).ok().json()).len();
    write_session(&sandbox, "s4s4s4s4", "/home/dev/demo", &[("user", "the retry of gauge fetches again")]);
    assert_eq!(sessions(&sandbox.cm(&["context", TASK, "--json"]).ok().json()).len(), before);
}

#[test]
fn a_session_is_found_by_meaning_and_reflecting_on_it_changes_no_history() {
    let sandbox = vault_of("");
    let said = [
        ("a1a1a1a1", "customers are billed twice when the payment times out"),
        ("a2a2a2a2", "rename the colour tokens of the theme"),
        ("a3a3a3a3", "update the licence header of every file"),
        ("a4a4a4a4", "the map does not scroll on phones"),
        ("a5a5a5a5", "write release notes for the next version"),
        ("a6a6a6a6", "move the icons into one sprite"),
    ];
    for (id, text) in said {
        write_session(&sandbox, id, "/home/dev/demo", &[("user", text), ("assistant", "Done.")]);
    }
    sandbox.cm(&["sessions", "--days", "0"]).ok();
    let history = |task: &str| sandbox.cm(&["context", task, "--json"]).ok().json()["history"].clone();
    let raw = history("duplicate charges on a credit card");
    assert_eq!((&raw[0]["session"], &raw[0]["by_person"]), (&"a1a1a1a1".into(), &true.into()), "{raw}");
    assert_eq!(raw.as_array().unwrap().len(), 1, "{raw}");
    assert_eq!(sandbox.cm(&["reflect", "--days", "0"]).code, 8, "nothing is worth a rule");
    let learned = history("duplicate charges on a credit card");
    let ids = |history: &Value| -> Vec<Value> {
        history.as_array().unwrap().iter().map(|one| one["session"].clone()).collect()
    };
    assert_eq!(ids(&learned), ids(&raw));
}
