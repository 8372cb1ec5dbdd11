//! Property tests of settings: removal undoes installation, installation is idempotent, and other
//! entries are preserved.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

use crate::agents::claude_code::ClaudeCode;
use crate::agents::codex::Codex;
use crate::agents::copilot_cli::CopilotCli;
use crate::agents::cursor::Cursor;
use crate::agents::gemini::Gemini;
use crate::agents::qwen::Qwen;
use crate::hook::program::is_cm_hook;

const AGENTS: [HookAgent; 6] = [&ClaudeCode, &Codex, &Cursor, &Gemini, &CopilotCli, &Qwen];

fn there_and_back(agent: HookAgent, text: &str) -> String {
    let program = ProgramPath::default();
    let installed =
        install(agent, text, &program).unwrap_or_else(|fault| panic!("{agent} {text:?}: {fault}"));
    assert_eq!(status(agent, &installed, &program), Ok(InstallStatus::Current), "{installed}");
    assert_eq!(super::installed(agent, &installed).unwrap().len(), agent.installed_events().len());
    assert_eq!(install(agent, &installed, &program).as_ref(), Ok(&installed), "twice is once");
    assert_eq!(uninstall(agent, &installed).as_deref(), Ok(text), "{installed}");
    installed
}

#[test]
fn a_file_that_is_not_there_becomes_one_that_reads_well() {
    let installed = there_and_back(&Gemini, "");
    assert!(
        installed.starts_with("{\n  \"hooks\": {\n    \"BeforeAgent\": [\n      {\n        \"hooks\": [\n"),
        "{installed}"
    );
    assert!(installed.ends_with("\n    ]\n  }\n}\n"), "{installed}");
    let cursor = there_and_back(&Cursor, "");
    assert!(cursor.ends_with("  },\n  \"version\": 1\n}\n"), "{cursor}");
}

#[test]
fn any_layout_comes_back_byte_for_byte() {
    for text in [
        "",
        "\n",
        "\r\n\r\n",
        "\u{feff}",
        "{}",
        "{ }",
        "{\n}",
        "{}\n",
        "{\r\n}\r\n",
        "\u{feff}{}",
        "\n{ }\n\n",
        "{\t}",
        "{\"a\":1}",
        "{ \"a\": 1 }",
        "{\"a\": 1, \"b\": [1,2]}\n",
        "{\n  \"a\": 1\n}",
        "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n",
        "{\r\n    \"a\": 1\r\n}\r\n",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {}\n}",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\"hooks\":{\"SessionStart\":[]}}",
        "{\"hooks\":{\"SessionStart\":[ ]},\"version\":1}",
        "{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"Stop\": [\n    ],\n    \"stop\": []\n  }\n}\n",
        "{\n  \"version\": 1\n}\n",
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {},\n  \"version\": 1\n}\n",
        "{\n  \"hooks\": {\"SessionStart\": [{\"matcher\": \"x\", \"hooks\": [{\"type\": \"command\", \"command\": \"say hi\"}]}]}\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [ { \"command\": \"lint\" } ] }\n    ]\n  },\n  \"z\": null\n}\n",
        "{\"a\": \"é😀\\ud800\\n\",\n\"b\": 1e999}",
        "{\n\n  \"a\": 1\n\n}",
    ] {
        for agent in AGENTS {
            there_and_back(agent, text);
        }
    }
}

#[test]
fn comments_stay_where_they_are() {
    for text in [
        "{ // none yet\n}\n",
        "// head\n{\n  \"a\": 1 // one\n}\n// end\n",
        "{\n  \"a\": 1, // one   \n  // two\n  \"b\": 2 /* three */ // four\n  // five\n}\n",
        "{ \"a\": 1 /* x */ }",
        "{\"a\":1/* x */}",
        "{\n  /* x */ \"a\": 1\n}",
        "{\n  \"hooks\": { /* empty */ }\n}\n",
        "{\n  \"hooks\": {\n    // mine\n    \"SessionStart\": [ /* none */ ],\n    \"sessionStart\": [ // none\n    ]\n  }\n}\n",
    ] {
        for agent in [&Gemini as HookAgent, &Cursor] {
            there_and_back(agent, text);
        }
    }
    for text in [
        "{\n  \"a\": 1, // one\n}\n",
        "{\"a\":1,}",
        "{\n  \"hooks\": {\"stop\": [{\"command\": \"x\"},],},\n}",
    ] {
        there_and_back(&Cursor, text);
        assert!(install(&Gemini, text, &ProgramPath::default()).is_err());
    }
}

#[test]
fn what_is_no_settings_file_is_refused_with_its_place() {
    for (agent, text, line, column, word) in [
        (&ClaudeCode as HookAgent, "{\n  \"a\": 1,\n}", 3, 1, "key"),
        (&ClaudeCode, "{\n  // mine\n}", 2, 3, "comments"),
        (&Codex, "[]", 1, 1, "object"),
        (&Codex, "{\"hooks\": []}", 1, 11, "object"),
        (&ClaudeCode, "{\"hooks\": {\"Stop\": {}}}", 1, 20, "list"),
        (&Cursor, "{\"hooks\": {}, \"hooks\": {}}", 1, 15, "duplicate"),
        (&Gemini, "hooks: yes", 1, 1, "invalid value"),
    ] {
        let fault = install(agent, text, &ProgramPath::default()).unwrap_err();
        assert_eq!((fault.line, fault.column), (line, column), "{text}: {fault}");
        assert!(fault.message.contains(word), "{fault}");
        assert_eq!(uninstall(agent, text), Err(fault));
    }
}

#[test]
fn hooks_of_an_older_version_of_us_are_replaced_and_those_of_others_stay() {
    let old = r#"{
  "hooks": {
    "SessionStart": [
      { "hooks": [ { "type": "command", "command": "/old/path/cm hook session-start" } ] },
      { "hooks": [ { "type": "command", "command": "greet" } ] }
    ],
    "PostToolUse": [
      { "matcher": "*", "hooks": [ { "command": "cm hook post-tool" }, { "command": "lint" } ] }
    ],
    "Notification": [
      { "hooks": [ { "type": "command", "command": "cm hook notify" } ] }
    ]
  }
}
"#;
    let program = ProgramPath::new("/new/cm");
    assert_eq!(status(&ClaudeCode, old, &program), Ok(InstallStatus::Outdated));
    let installed = install(&ClaudeCode, old, &program).unwrap();
    assert_eq!(status(&ClaudeCode, &installed, &program), Ok(InstallStatus::Current));
    assert!(
        !installed.contains("/old/path")
            && !installed.contains("Notification")
            && !installed.contains("post-tool")
    );
    let left = uninstall(&ClaudeCode, &installed).unwrap();
    let expected = r#"{
  "hooks": {
    "SessionStart": [
      { "hooks": [ { "type": "command", "command": "greet" } ] }
    ],
    "PostToolUse": [
      { "matcher": "*", "hooks": [ { "command": "lint" } ] }
    ]
  }
}
"#;
    assert_eq!(left, expected);
}

#[test]
fn what_others_wrote_behind_ours_stays_when_ours_go() {
    let installed = install(&Codex, "{\n  \"a\": 1\n}\n", &ProgramPath::default()).unwrap();
    let grown = installed.replace(
        "\n  }\n}\n",
        ",\n    \"Interrupt\": [{\"hooks\": [{\"command\": \"x\"}]}]\n  },\n  \"b\": 2\n}\n",
    );
    assert_eq!(install(&Codex, &grown, &ProgramPath::default()).as_ref(), Ok(&grown));
    let left: Value = serde_json::from_str(&uninstall(&Codex, &grown).unwrap()).unwrap();
    assert_eq!(
        left,
        json!({ "a": 1, "hooks": { "Interrupt": [{ "hooks": [{ "command": "x" }] }] }, "b": 2 })
    );
}

#[test]
fn comments_that_a_person_wrote_around_ours_stay() {
    let installed = install(&Gemini, "", &ProgramPath::default()).unwrap();
    for (from, to, left) in [
        ("{\n  \"hooks\"", "{\n  // my hooks\n  \"hooks\"", "{\n  // my hooks\n}\n"),
        ("\"hooks\": {\n", "\"hooks\": { // cm\n", "{\n  \"hooks\": { // cm\n  }\n}\n"),
        ("{\n  \"hooks\"", "// my settings\n{\n  \"hooks\"", "// my settings\n{}\n"),
        ("\n  }\n}\n", "\n  }\n  // end\n}\n", "{\n  // end\n}\n"),
    ] {
        let grown = installed.replacen(from, to, 1);
        assert_ne!(grown, installed);
        assert_eq!(uninstall(&Gemini, &grown).as_deref(), Ok(left));
    }
}

#[test]
fn entries_are_recognized_and_belong_to_their_event() {
    for agent in AGENTS {
        for event in agent.installed_events() {
            let entries = agent.entries(*event, &ProgramPath::default());
            assert!(!entries.is_empty());
            for (name, entry) in entries {
                assert_eq!(HookEvent::from_name(name), Some(*event));
                assert!(handlers(&entry).all(is_cm_hook), "{entry}");
            }
        }
    }
}

/// Generates whitespace between two tokens, with comments if the dialect allows them.
fn blanks(comments: bool) -> impl Strategy<Value = String> {
    let plain = prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\r\n\t", "\n\n ", "  "])
        .prop_map(str::to_owned);
    let comment =
        prop::sample::select(vec!["/* c */", " // c \n", "\n// , {\n  ", "/*\n*/ "]).prop_map(str::to_owned);
    if comments { prop_oneof![6 => plain, 1 => comment].boxed() } else { plain.boxed() }
}

fn document(comments: bool, commas: bool) -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-0.5e3",
        "true",
        "null",
        "\"x\"",
        "\"a\\\"b,{\"",
        "[]",
        "{}",
        "\"cm guard\"",
        "{\"command\": \"lint\"}",
        "{\"hooks\": [{\"type\": \"command\",\"command\":\"greet\"}]}",
    ])
    .prop_map(str::to_owned);
    let value = leaf.prop_recursive(3, 20, 4, move |inner| {
        container(inner, comments, commas, &["a", "b", "ü", "command"])
    });
    let list = prop::collection::vec((blanks(comments), value.clone(), blanks(comments)), 0..3)
        .prop_flat_map(move |items| (Just(items), blanks(comments), any::<bool>()));
    let list =
        list.prop_map(move |(items, empty, trailing)| joined('[', ']', &items, &empty, commas && trailing));
    let events = ["SessionStart", "Stop", "PreToolUse", "sessionStart", "stop", "BeforeTool", "PreCompact"];
    let hooks = container(list.boxed(), comments, commas, &events);
    let keys = ["hooks", "a", "version", "env", "mcpServers"];
    let root = prop::collection::vec(value, 5).prop_flat_map(move |values| {
        (
            Just(values),
            hooks.clone(),
            prop::sample::subsequence(keys.to_vec(), 0..=5).prop_shuffle(),
            blanks(comments),
            any::<bool>(),
        )
    });
    let root = root.prop_flat_map(move |(values, hooks, keys, empty, trailing)| {
        let spaces =
            prop::collection::vec((blanks(comments), blanks(comments), blanks(comments)), keys.len());
        spaces.prop_map(move |spaces| {
            let item =
                |((key, (before, colon, after)), value): ((&&str, &(String, String, String)), &String)| {
                    let value = if *key == "hooks" { &hooks } else { value };
                    (before.clone(), format!("\"{key}\":{colon}{value}"), after.clone())
                };
            let items: Vec<_> = keys.iter().zip(&spaces).zip(&values).map(item).collect();
            joined('{', '}', &items, &empty, commas && trailing)
        })
    });
    (prop::bool::weighted(0.1), blanks(comments), root, blanks(comments)).prop_map(
        |(mark, before, root, after)| format!("{}{before}{root}{after}", if mark { "\u{feff}" } else { "" }),
    )
}

fn container(
    inner: BoxedStrategy<String>,
    comments: bool,
    commas: bool,
    keys: &[&'static str],
) -> BoxedStrategy<String> {
    let keys = prop::sample::subsequence(keys.to_vec(), 0..=3);
    let items = keys.prop_flat_map(move |keys| {
        let spaces = prop::collection::vec(
            (blanks(comments), blanks(comments), inner.clone(), blanks(comments)),
            keys.len(),
        );
        (Just(keys), spaces, blanks(comments), any::<bool>())
    });
    items
        .prop_map(move |(keys, spaces, empty, trailing)| {
            let item = |(key, (before, colon, value, after)): (&&str, &(String, String, String, String))| {
                (before.clone(), format!("\"{key}\":{colon}{value}"), after.clone())
            };
            let items: Vec<_> = keys.iter().zip(&spaces).map(item).collect();
            joined('{', '}', &items, &empty, commas && trailing)
        })
        .boxed()
}

fn joined(
    open: char,
    close: char,
    items: &[(String, String, String)],
    empty: &str,
    trailing: bool,
) -> String {
    let written: Vec<String> =
        items.iter().map(|(before, item, after)| format!("{before}{item}{after}")).collect();
    let comma = if trailing && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{empty}{close}", written.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn taking_out_gives_the_bytes_from_before_for_any_json(text in document(false, false), agent in prop::sample::select(AGENTS.to_vec())) {
        there_and_back(agent, &text);
    }

    #[test]
    fn taking_out_gives_the_bytes_from_before_with_comments_too(text in document(true, false)) {
        there_and_back(&Gemini, &text);
    }

    #[test]
    fn taking_out_gives_the_bytes_from_before_with_all_that_is_read(text in document(true, true)) {
        there_and_back(&Cursor, &text);
    }

    #[test]
    fn any_text_is_edited_or_refused(text in "[\\[\\]{}\":,/* \nhoks0-9]{0,30}", agent in prop::sample::select(AGENTS.to_vec())) {
        let program = ProgramPath::default();
        if let Ok(installed) = install(agent, &text, &program) {
            prop_assert_eq!(uninstall(agent, &installed), uninstall(agent, &text));
        }
    }
}
