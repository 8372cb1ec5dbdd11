//! A vault made by another user provides nothing to agents until the user trusts it.

use super::published;
use crate::support::{McpClient, Sandbox, copy};

/// Creates a published vault with a rule and a CORE.md.
fn with_rule() -> Sandbox {
    let sandbox = published();
    sandbox.write(
        "playbook/net/close-idle.md",
        "---\nid: b-mt2ssunl-jq6d8j\ntype: rule\ncategory: net\nstate: active\nmaturity: proven\npinned: true\ncreated: 2026-11-01T08:00:00Z\nupdated: 2026-11-01T08:00:00Z\n---\n\nClose idle connections of the pool after a minute.\n",
    );
    sandbox.write("CORE.md", "# Core\n\n- Close idle connections of the pool after a minute.\n");
    sandbox.commit_all("A rule");
    sandbox.cm(&["reindex"]).ok();
    sandbox
}

fn hook(sandbox: &Sandbox, event: &str) -> String {
    let message = serde_json::json!({
        "session_id": "s-1", "hook_event_name": event, "cwd": sandbox.vault(), "source": "startup",
        "prompt": "raise the limit of idle connections in the pool",
    });
    sandbox.run(&["hook", "claude"]).stdin(message.to_string()).go().stdout
}

#[test]
fn an_untrusted_vault_gives_nothing_to_context_hooks_and_mcp_and_says_why() {
    let sandbox = with_rule();
    sandbox.distrust();
    let context = sandbox.cm(&["context", "raise the limit of idle connections in the pool"]);
    assert_eq!(context.code, 5, "{}", context.snapshot());
    assert!(
        context.stderr.contains("cm trust") && !context.stdout.contains("idle"),
        "{}",
        context.snapshot()
    );
    let start = hook(&sandbox, "SessionStart");
    assert!(start.contains("cm trust") && !start.contains("idle"), "{start}");
    assert!(!hook(&sandbox, "UserPromptSubmit").contains("idle"));
    let mut agent = McpClient::of(&sandbox);
    for tool in ["memory_core", "memory_recent", "memory_search", "memory_context", "memory_get"] {
        let given = serde_json::json!({
            "query": "idle connections", "task": "limit idle connections", "id": "b-mt2ssunl-jq6d8j",
        });
        let answer = agent.answer("tools/call", serde_json::json!({ "name": tool, "arguments": given }));
        assert!(!answer.to_string().contains("Close idle"), "{tool}: {answer}");
    }
    let why = agent.call("memory_core", &serde_json::json!({}));
    assert!(why["isError"] == true && why.to_string().contains("not trusted"), "{why}");
    for uri in ["cm://core", "cm://playbook", "cm://note/b-mt2ssunl-jq6d8j"] {
        let answer = agent.answer("resources/read", serde_json::json!({ "uri": uri }));
        assert!(!answer.to_string().contains("Close idle"), "{uri}: {answer}");
    }
    drop(agent);
    for command in [&["project", "--format", "agents.md"][..], &["remember"]] {
        let refused = sandbox.cm(command);
        assert_eq!(refused.code, 5, "{}", refused.snapshot());
    }
    assert!(
        sandbox.cm(&["search", "idle connections"]).ok().stdout.contains("Close idle"),
        "a person may read it"
    );
}

#[test]
fn trust_lets_the_vault_in_until_it_is_revoked_moved_or_has_another_remote() {
    let sandbox = with_rule();
    sandbox.distrust();
    let is_told =
        || sandbox.cm(&["context", "limit idle connections in the pool"]).stdout.contains("Close idle");
    sandbox.git(&["remote", "add", "origin", "https://example.org/notes.git"]);
    sandbox.cm(&["trust"]).ok();
    assert!(is_told());
    sandbox.git(&["remote", "set-url", "origin", "https://example.org/other.git"]);
    assert!(!is_told());
    let status = sandbox.cm(&["trust", "--status"]).ok();
    assert!(status.stdout.contains("https://example.org/notes.git"), "{}", status.snapshot());
    sandbox.cm(&["trust"]).ok();
    assert!(is_told());
    sandbox.cm(&["trust", "--revoke"]).ok();
    assert!(!is_told());
    sandbox.cm(&["trust"]).ok();
    let moved = sandbox.root().join("moved");
    std::fs::rename(sandbox.vault(), &moved).unwrap();
    std::fs::create_dir(sandbox.vault()).unwrap();
    let told = sandbox.cm(&["--vault", moved.to_str().unwrap(), "context", "limit idle connections"]);
    assert!(told.code == 5 && !told.stdout.contains("Close idle"), "{}", told.snapshot());
}

#[test]
fn what_cm_init_made_is_trusted_and_a_folder_that_came_with_settings_is_not() {
    let sandbox = Sandbox::new();
    sandbox.cm(&["init"]).ok();
    assert!(sandbox.cm(&["trust", "--status", "--json"]).ok().json()["trusted"].as_bool().unwrap());
    let other = with_rule();
    other.distrust();
    other.cm(&["init"]).ok();
    assert!(!other.cm(&["trust", "--status", "--json"]).ok().json()["trusted"].as_bool().unwrap());
}

#[test]
fn no_agent_trusts_a_vault() {
    let sandbox = with_rule();
    sandbox.distrust();
    let refused = sandbox.run(&["trust"]).env("CM_AGENT", "claude-code").go();
    assert_eq!(refused.code, 5, "{}", refused.snapshot());
    assert!(!sandbox.cm(&["trust", "--status", "--json"]).ok().json()["trusted"].as_bool().unwrap());
}

#[test]
fn nothing_is_written_to_the_global_vault_in_place_of_an_untrusted_project() {
    let sandbox = with_rule();
    sandbox.distrust();
    let global = sandbox.root().join("global");
    let run = |words: &[&str], stdin: &str| {
        sandbox.run(words).env("CM_GLOBAL_VAULT", global.to_str().unwrap()).stdin(stdin).go()
    };
    run(&["init", "--global"], "").ok();
    let call = serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_add",
        "arguments": {"type": "fact", "title": "Ports", "body": "The service listens on port 8080."}}});
    let hello = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let answer = run(&["mcp"], &format!("{hello}\n{call}\n"));
    assert!(answer.stdout.contains("not trusted"), "{}", answer.snapshot());
    assert!(!std::fs::exists(global.join("graph")).unwrap());
}

#[test]
fn a_linked_work_tree_is_trusted_with_the_main_one_and_a_folder_that_claims_to_be_one_is_not() {
    let sandbox = with_rule();
    sandbox.git(&["worktree", "add", "--quiet", "../tree"]);
    let context = |folder: &str| {
        sandbox.run(&["context", "raise the limit of idle connections in the pool"]).within(folder).go()
    };
    let linked = context("../tree").ok();
    assert!(linked.stdout.contains("Close idle"), "{}", linked.snapshot());
    // Its `.git` names the same private folder, which names the other work tree.
    copy(&sandbox.root().join("tree"), &sandbox.root().join("forged"));
    let forged = context("../forged");
    assert!(forged.code == 5 && !forged.stdout.contains("idle"), "{}", forged.snapshot());
    let revoked = sandbox.run(&["trust", "--revoke"]).within("../tree").go();
    assert!(revoked.code == 5 && revoked.stderr.contains("main work tree"), "{}", revoked.snapshot());
    sandbox.cm(&["trust", "--revoke"]).ok();
    assert_eq!(context("../tree").code, 5);
}
