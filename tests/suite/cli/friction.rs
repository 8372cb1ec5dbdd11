//! `cm friction`

use std::path::{Path, PathBuf};

use crate::support::{Sandbox, log};

fn golden(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(path)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}

/// Creates a home folder with the golden logs at the agents' default locations.
fn with_logs() -> Sandbox {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("home");
    copy(&golden("sessions/claude_code/projects"), &home.join(".claude/projects"));
    copy(&golden("friction/input"), &home.join(".claude/projects"));
    copy(&golden("sessions/codex"), &home.join(".codex"));
    sandbox
}

#[test]
fn a_folder_of_logs_is_counted_as_other_tools_count_it() {
    let sandbox = with_logs();
    let input = golden("friction/input");
    let input = input.to_str().unwrap();
    insta::assert_snapshot!(sandbox.cm(&["friction", input, "--rules", "classic"]).snapshot(), @"
    6 sessions, 5 interactive: 3 BAD, 1 FRICTION, 1 OK, 1 ONE-SHOT
    signs: exit_error 7, false_success 3, session_abandoned 2, request_interrupted 2, user_negation 2, exit_success 2, user_intervention 1, no_resolution 1, tool_loop 1, rapid_exit 1, interrupt_cascade 1, user_curse 1, repeated_question 1, long_silence 1, compaction 1, sibling_tool_error 1
    verdict: BLOAT (Signal/noise ratio: 1.1 (threshold: 1.5))
    29.0  BAD       3 turns  dev-demo/1002-1000-bbbb2222
    28.5  BAD       3 turns  dev-demo/1006-1000-ffff6666
    25.5  BAD       4 turns  dev-demo/1001-1000-aaaa1111
    9.5   FRICTION  2 turns  dev-demo/1003-1000-cccc3333
    7.0   ONE-SHOT  1 turn   dev-demo/1005-1000-eeee5555
    6 candidates in 5 clusters: antigen_review.md
    7 files in .claude/friction
    [exit 0]
    ");
}

#[test]
fn classic_rules_judge_each_session_as_the_reference_does() {
    let sandbox = with_logs();
    let input = golden("friction/input");
    sandbox.cm(&["friction", input.to_str().unwrap(), "--rules", "classic"]).ok();
    let text = sandbox.read(".claude/friction/friction_analysis.json");
    let reference =
        std::fs::read_to_string(golden("friction/reference-output/friction_analysis.json")).unwrap();
    let ids = |text: &str| {
        let sessions: serde_json::Value = serde_json::from_str(text).unwrap();
        let sessions = sessions.as_array().unwrap().clone();
        sessions
            .iter()
            .map(|session| {
                (
                    session["session_id"].clone(),
                    session["quality"].clone(),
                    session["friction_summary"]["peak"].as_f64(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&text), ids(&reference));
}

#[test]
fn the_analysis_is_also_printed_as_json_and_written_to_a_chosen_folder() {
    let sandbox = with_logs();
    let input = golden("friction/input");
    let input = input.to_str().unwrap();
    insta::assert_snapshot!(sandbox.cm(&["friction", input, "--out", "there", "--json"]).snapshot(), @r#"
    {
      "rules": "observed",
      "logs": 6,
      "overall": {
        "total_sessions": 6,
        "interactive_sessions": 5,
        "bad_sessions": 2,
        "bad_rate": 0.4,
        "avg_friction": 9.3,
        "avg_duration_min": 3.0,
        "avg_turns": 2.3
      },
      "qualities": [
        {
          "quality": "BAD",
          "sessions": 2
        },
        {
          "quality": "FRICTION",
          "sessions": 1
        },
        {
          "quality": "OK",
          "sessions": 2
        },
        {
          "quality": "ONE-SHOT",
          "sessions": 1
        }
      ],
      "signals": [
        {
          "signal": "exit_error",
          "count": 7
        },
        {
          "signal": "false_success",
          "count": 3
        },
        {
          "signal": "user_correction",
          "count": 2
        },
        {
          "signal": "request_interrupted",
          "count": 2
        },
        {
          "signal": "exit_success",
          "count": 2
        },
        {
          "signal": "user_intervention",
          "count": 1
        },
        {
          "signal": "session_abandoned",
          "count": 1
        },
        {
          "signal": "no_resolution",
          "count": 1
        },
        {
          "signal": "tool_loop",
          "count": 1
        },
        {
          "signal": "rapid_exit",
          "count": 1
        },
        {
          "signal": "interrupt_cascade",
          "count": 1
        },
        {
          "signal": "user_curse",
          "count": 1
        },
        {
          "signal": "long_silence",
          "count": 1
        },
        {
          "signal": "compaction",
          "count": 1
        },
        {
          "signal": "sibling_tool_error",
          "count": 1
        },
        {
          "signal": "checkpoint",
          "count": 1
        }
      ],
      "verdict": {
        "status": "USEFUL",
        "reasons": [
          "a person corrected or stopped the agent in 3 of 6 sessions"
        ],
        "recommended_actions": []
      },
      "worst": [
        {
          "session_id": "demo/1006-1000-ffff6666",
          "quality": "BAD",
          "peak": 22.5,
          "turns": 3
        },
        {
          "session_id": "demo/1001-1000-aaaa1111",
          "quality": "BAD",
          "peak": 19.0,
          "turns": 3
        },
        {
          "session_id": "demo/1003-1000-cccc3333",
          "quality": "FRICTION",
          "peak": 9.5,
          "turns": 2
        },
        {
          "session_id": "demo/1002-1000-bbbb2222",
          "quality": "OK",
          "peak": 3.0,
          "turns": 3
        },
        {
          "session_id": "demo/1005-1000-eeee5555",
          "quality": "ONE-SHOT",
          "peak": 1.5,
          "turns": 1
        }
      ],
      "candidates": 4,
      "clusters": 3,
      "copies": 0,
      "unread": 0,
      "folder": "there",
      "files": [
        "friction_analysis.json",
        "friction_summary.json",
        "friction_raw.jsonl",
        "antigen_candidates.json",
        "antigen_clusters.json",
        "antigen_review.md",
        "report.md"
      ]
    }
    [exit 0]
    "#);
    assert!(sandbox.vault().join("there/antigen_review.md").is_file());
}

#[test]
fn sessions_of_the_last_days_are_found_where_agents_keep_them() {
    let sandbox = with_logs();
    insta::assert_snapshot!(sandbox.cm(&["friction", "--days", "60", "--out", "all"]).snapshot(), @"
    8 sessions, 6 interactive: 2 BAD, 2 FRICTION, 2 OK, 2 ONE-SHOT
    signs: exit_error 9, request_interrupted 4, false_success 3, user_correction 3, no_resolution 2, rapid_exit 2, compaction 2, exit_success 2, user_intervention 1, session_abandoned 1, tool_loop 1, interrupt_cascade 1, user_curse 1, long_silence 1, sibling_tool_error 1, checkpoint 1
    a person corrected or stopped the agent in 5 of 8 sessions
    22.5  BAD       3 turns  demo/1006-1000-ffff6666
    19.0  BAD       3 turns  demo/1001-1000-aaaa1111
    12.5  FRICTION  2 turns  demo/1005-0900-11111111
    9.5   FRICTION  2 turns  demo/1003-1000-cccc3333
    4.5   ONE-SHOT  1 turn   demo/1005-1000-0199aaaa
    5 candidates in 4 clusters: antigen_review.md
    7 files in all
    [exit 0]
    ");
    insta::assert_snapshot!(
        sandbox.cm(&["friction", "--days", "60", "--out", "codex", "--agent", "codex"]).snapshot(),
        @"
    1 session, 0 interactive: 1 ONE-SHOT
    signs: rapid_exit 1, request_interrupted 1, exit_error 1
    a person corrected or stopped the agent in 1 of 1 session
    4.5  ONE-SHOT  1 turn  demo/1005-1000-0199aaaa
    7 files in codex
    [exit 0]
    "
    );
    let of = |arguments: &[&str]| {
        let arguments = [&["friction", "--days", "60", "--out", "some", "--json"], arguments].concat();
        sandbox.cm(&arguments)
    };
    assert_eq!(
        of(&["--workspace", "demo"]).ok().json()["overall"]["total_sessions"],
        of(&[]).ok().json()["overall"]["total_sessions"]
    );
    assert_eq!(of(&["--workspace", "elsewhere"]).code, 8);
    // The calling agent is not the agent in the filter.
    let asked =
        sandbox.run(&["friction", "--days", "60", "--out", "some", "--json"]).env("CM_AGENT", "codex").go();
    assert_eq!(asked.json(), of(&[]).json());
}

#[test]
fn secrets_of_sessions_reach_no_file() {
    let sandbox = Sandbox::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let said = format!("no, that's not it, the token is {secret}");
    log(
        &sandbox,
        "aaaaaaaa-0000-4000-8000-000000000001",
        &[
            ("deploy it", "ls", false),
            (&said, &format!("curl -H 'Authorization: Bearer {secret}' x"), false),
            ("stop, wrong", "", true),
        ],
    );
    let home = sandbox.root().join("home/.claude/projects");
    for arguments in [
        &["friction", "--days", "7", "--out", "out"] as &[&str],
        &["friction", home.to_str().unwrap(), "--out", "out"],
        &["friction", home.to_str().unwrap(), "--rules", "classic", "--out", "out"],
    ] {
        sandbox.cm(arguments).ok();
        let mut seen = String::new();
        for entry in std::fs::read_dir(sandbox.vault().join("out")).unwrap() {
            seen += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
        }
        assert!(!seen.contains(secret), "{arguments:?}");
        assert!(seen.contains("demo/1120-1000-aaaaaaaa"), "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_analysed_is_refused() {
    let sandbox = with_logs();
    std::fs::create_dir(sandbox.vault().join("empty")).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["friction", "empty"]).snapshot(), @"
    [stderr]
    error: empty contains no session logs
     hint: pass a folder with *.jsonl logs of Claude Code, or a longer period such as `--days 30`
    [exit 8]
    ");
    insta::assert_snapshot!(sandbox.cm(&["friction", "--days", "1"]).snapshot(), @"
    [stderr]
    error: none of 8 logs matches the requested sessions
     hint: pass a folder with *.jsonl logs of Claude Code, or a longer period such as `--days 30`
    [exit 8]
    ");
    insta::assert_snapshot!(sandbox.cm(&["friction", "absent"]).snapshot(), @"
    [stderr]
    error: cannot read [ROOT]/vault/absent: No such file or directory (os error 2)
     hint: `cm help friction` shows its arguments with examples
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.cm(&["friction", "--days", "60", "--agent", "nobody"]).snapshot(), @"
    [stderr]
    error: `nobody` is not a supported agent
     hint: supported agents: claude-code, codex, cursor, aider, pi, gemini, chatgpt, opencode, cline, amp, copilot-cli, qwen
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["friction"]).code, 2);
    assert_eq!(sandbox.cm(&["friction", "empty", "--days", "2"]).code, 2);
    assert!(!sandbox.vault().join(".claude").exists(), "nothing is written where nothing is analysed");
}

#[cfg(unix)]
#[test]
fn what_nobody_named_is_written_into_no_other_folder() {
    let sandbox = with_logs();
    std::fs::create_dir(sandbox.root().join("dotfiles")).unwrap();
    std::os::unix::fs::symlink(sandbox.root().join("dotfiles"), sandbox.vault().join(".claude")).unwrap();
    insta::assert_snapshot!(sandbox.cm(&["friction", "--days", "60"]).snapshot(), @"
    [stderr]
    error: .claude/friction leads out of the working directory
     hint: set the output folder with `--out`
    [exit 5]
    ");
    assert_eq!(std::fs::read_dir(sandbox.root().join("dotfiles")).unwrap().count(), 0);
}

#[test]
fn the_vaults_own_patterns_of_secrets_are_taken_out_too() {
    let sandbox = crate::support::vault_of("");
    sandbox.write("cm.toml", "[redaction]\nextra = [\"badge = BADGE-[0-9]{6}\"]\n");
    let said = "{\"type\":\"user\",\"uuid\":\"aaaaaaaa-1\",\"message\":{\"role\":\"user\",\"content\":\"damn, BADGE-123456 again\"}}\n";
    sandbox.write("../log.jsonl", said);
    for rules in ["classic", "observed"] {
        sandbox.cm(&["friction", "../log.jsonl", "--rules", rules, "--out", "../out"]).ok();
        let raw = sandbox.read("../out/friction_raw.jsonl");
        assert!(!raw.contains("BADGE-123456"), "{rules}: {raw}");
    }
    sandbox.write("cm.toml", "[redaction]\nextra = [\"(\"]\n");
    let ran = sandbox.cm(&["friction", "../log.jsonl", "--out", "../out"]);
    assert_eq!(ran.code, 5, "{}", ran.snapshot());
}

#[test]
fn sessions_that_the_settings_keep_out_are_not_looked_at() {
    let sandbox = with_logs();
    let found = |settings: &str| {
        sandbox.write("cm.toml", settings);
        sandbox.cm(&["friction", "--days", "60", "--out", "kept", "--json"])
    };
    let count = |settings: &str| found(settings).ok().json()["overall"]["total_sessions"].clone();
    assert_eq!((count(""), count("[sessions]\nagents = [\"codex\"]\n")), (8.into(), 1.into()));
    sandbox.reads_its_project();
    sandbox.settings("[sessions]\nworkspaces = [\"/nowhere\"]\n");
    assert_eq!(found("").code, 8, "there is nothing to look at");
}

#[test]
fn a_session_in_which_the_agent_destroyed_data_is_bad() {
    let sandbox = Sandbox::new();
    log(
        &sandbox,
        "dddddddd-0000-4000-8000-000000000004",
        &[
            ("Make room in the test database", "dropdb --if-exists shop", true),
            ("you deleted everything, that was the production database", "", true),
        ],
    );
    let found = sandbox.cm(&["friction", "--days", "60", "--out", "../out", "--json"]).ok().json();
    assert_eq!(found["worst"][0]["quality"], "BAD", "{found:#}");
    assert_eq!(
        found["verdict"]["reasons"],
        serde_json::json!(["a destructive command did harm in 1 session"])
    );
}
