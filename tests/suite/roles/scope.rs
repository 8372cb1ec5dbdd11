//! Scopes of rules in briefings, list settings, and deceptive characters.

use crate::support::vault_of;

const RULES: &str = "\
--- playbook/test/py.md
---
id: b-mt2ssunl-aaaaaa
category: test
state: active
scope: language
scope_key: python
---

Run the tests with `pytest -x`.
--- playbook/test/rs.md
---
id: b-mt2ssunl-bbbbbb
category: test
state: active
scope: language
scope_key: rust
---

Run the tests with `cargo nextest`.
--- playbook/test/next.md
---
id: b-mt2ssunl-cccccc
category: test
state: active
scope: framework
scope_key: nextjs
---

Run the tests against the production build.
--- Cargo.toml
[package]
name = \"demo\"
--- src/main.rs
fn main() {}
";

#[test]
fn a_rule_of_a_language_or_framework_is_shown_only_where_the_work_is_of_it() {
    let sandbox = vault_of(RULES);
    let briefing = sandbox.cm(&["context", "run the tests of the parser"]).ok().stdout;
    assert!(briefing.contains("cargo nextest"), "{briefing}");
    assert!(!briefing.contains("pytest") && !briefing.contains("production build"), "{briefing}");
    let asked = sandbox.cm(&["context", "run the tests of tools/gen.py"]).ok().stdout;
    assert!(asked.contains("pytest"), "{asked}");
    sandbox.write("web/package.json", "{\"dependencies\": {\"next\": \"15\"}}");
    sandbox.write("package.json", "{\"dependencies\": {\"next\": \"15\"}}");
    let web = sandbox.cm(&["context", "run the tests of the parser"]).ok().stdout;
    assert!(web.contains("production build"), "{web}");
}

#[test]
fn a_prompt_is_given_no_rule_of_another_language() {
    let sandbox = vault_of(RULES);
    sandbox.cm(&["search", "tests"]).ok();
    let message = serde_json::json!({
        "session_id": "s", "cwd": sandbox.vault(), "hook_event_name": "UserPromptSubmit",
        "prompt": "run the tests with whatever fits, the tests fail",
    });
    let shown = sandbox.run(&["hook", "claude"]).stdin(message.to_string()).go().ok().stdout;
    assert!(shown.contains("cargo nextest"), "{shown}");
    assert!(!shown.contains("pytest"), "{shown}");
}

#[test]
fn a_list_of_settings_is_parsed_and_half_a_list_is_refused() {
    let sandbox = vault_of("");
    sandbox
        .write("cm.toml", "# ours\n[vault] # folders\nexclude = [\"a\"] # old\n\n[git]\ncommit = \"auto\"\n");
    sandbox.commit_all("Settings");
    sandbox.cm(&["config", "set", "vault.exclude", "[\"drafts\", \"old stuff\"]"]).ok();
    let text = sandbox.read("cm.toml");
    assert_eq!(
        text,
        "# ours\n[vault] # folders\nexclude = [\"drafts\", \"old stuff\"] # old\n\n[git]\ncommit = \"auto\"\n"
    );
    for bad in ["[\"a\"", "[1]", "{a = 1}", "\"a\", \"b\""] {
        let ran = sandbox.cm(&["config", "set", "vault.exclude", bad]);
        assert_eq!(ran.code, 2, "{bad}: {}", ran.snapshot());
    }
    assert_eq!(sandbox.read("cm.toml"), text);
}

#[test]
fn characters_that_turn_text_around_are_written_out() {
    let title = "Pay \u{202e}ecila\u{202c} now\u{e0041}\u{e007f}";
    let sandbox = vault_of(&format!(
        "--- graph/facts/a.md\n---\nid: 0192a000-0000-7000-8000-000000000001\ntype: fact\ntitle: \"{title}\"\nimportance: 0.5\ncreated: 2026-11-01T00:00:00Z\nupdated: 2026-11-01T00:00:00Z\n---\n\nBody \u{2066}x\u{2069}.\n"
    ));
    for command in [
        &["get", "0192a000"][..],
        &["search", "pay"],
        &["recent", "--since", "90d"],
        &["search", "pay", "--json"],
        &["validate"],
    ] {
        let ran = sandbox.cm(command);
        let deceives = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
        assert!(!ran.stdout.chars().chain(ran.stderr.chars()).any(deceives), "{command:?}: {:?}", ran.stdout);
    }
    let json = sandbox.cm(&["get", "0192a000", "--json"]).ok().json();
    assert!(
        json.to_string().contains('\u{202e}') || json["title"].as_str() == Some(title),
        "the data is the same"
    );
}
