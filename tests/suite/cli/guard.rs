//! `cm guard`

use crate::support::{Ran, Sandbox, vault_of};

const INCIDENT: &str = "\
--- playbook/incidents/reset.md
---
id: b-mq6d3m8l-x1y2z3
type: anti_pattern
state: active
incident:
  class: hard-reset
  shape: git reset --hard
  session: 0a1b2c3d
  date: 2026-11-01
---
AVOID: throwing uncommitted work away with git reset --hard.
--- playbook/incidents/draft.md
---
id: b-mq6d3n8l-a1b2c3
type: anti_pattern
state: draft
incident:
  class: files
  shape: rm <inside> -r
---
AVOID: deleting parts of the tree without a look at what is not committed.
--- blocked/npm.md
---
id: cd63c4b0-cfa3-4077-817d-e9eae7dba62c
kind: deprecated
pattern: npm install
reason: the lock file belongs to another tool
replacement: pnpm add
---
--- blocked/deploy.md
---
id: 1a1a1a1a-0000-4000-8000-000000000001
kind: toxic
pattern: deploy.sh --prod
reason: only the pipeline deploys
---
";

fn said(sandbox: &Sandbox, stdin: &str) -> Ran {
    sandbox.run(&["guard"]).stdin(stdin).go()
}

fn claude(command: &str, more: &str) -> String {
    let command = serde_json::to_string(command).unwrap();
    format!(
        "{{\"session_id\":\"s\",\"cwd\":\"\",\"hook_event_name\":\"PreToolUse\",{more}\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":{command}}}}}"
    )
}

#[test]
fn a_command_is_allowed_warned_of_or_blocked_with_the_reason() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "git", "status"]).snapshot(), @"
    allow
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "git", "reset", "--hard"]).snapshot(), @"
    warn: this discards all uncommitted changes
     instead: git stash push --include-untracked
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "rm", "-rf", "/"]).snapshot(), @"
    block: this deletes / and everything in it: a system folder
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "ls; rm -rf ~"]).snapshot(), @"
    block: this deletes ~ and everything in it: the home folder
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "echo", "rm -rf /; rm -rf ~"]).snapshot(), @"
    allow
    [exit 0]
    ");
    insta::assert_snapshot!(said(&sandbox, "git push --force origin main\n").snapshot(), @"
    block: this overwrites the remote, including the work of others; use --force-with-lease
     instead: git push --force-with-lease origin main
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--json", "--", "rm", "-rf", "/"]).snapshot(), @r#"
    {
      "decision": "block",
      "class": "files",
      "reason": "this deletes / and everything in it: a system folder",
      "incident": null,
      "instead": null
    }
    [exit 5]
    "#);
}

#[test]
fn a_command_is_judged_with_and_without_dashes_before_it() {
    let sandbox = vault_of("");
    for words in
        [&["--", "rm", "-rf", "/"][..], &["rm", "-rf", "/"], &["rm -rf /"], &["rm", "-rf", "--", "/"]]
    {
        let ran = sandbox.cm(&[&["guard"], words].concat());
        assert_eq!(ran.code, 5, "{words:?}: {}", ran.snapshot());
    }
    let ran = sandbox.cm(&["guard", "--json", "git", "status", "--json"]);
    assert_eq!((ran.code, ran.json()["decision"].as_str()), (0, Some("allow")), "{}", ran.snapshot());
}

#[test]
fn an_accepted_incident_and_blocked_patterns_of_the_vault_count() {
    let sandbox = vault_of(INCIDENT);
    insta::assert_snapshot!(sandbox.cm(&["guard", "--json", "--", "git reset --hard"]).snapshot(), @r#"
    {
      "decision": "block",
      "class": "hard-reset",
      "reason": "this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead",
      "incident": {
        "bullet": "b-mq6d3m8l-x1y2z3",
        "class": "hard-reset",
        "shape": "git reset --hard",
        "session": "0a1b2c3d",
        "date": "2026-11-01"
      },
      "instead": "git stash push --include-untracked"
    }
    [exit 5]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "npm install left-pad"]).snapshot(), @"
    warn: `npm install` is a blocked pattern (cd63c4b0-cfa3-4077-817d-e9eae7dba62c): the lock file belongs to another tool; use pnpm add instead
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "./deploy.sh --prod"]).snapshot(), @"
    block: `deploy.sh --prod` is a blocked pattern (1a1a1a1a-0000-4000-8000-000000000001): only the pipeline deploys
    [exit 5]
    ");
    // A draft is not confirmed yet.
    assert_eq!(sandbox.cm(&["guard", "--", "rm -r src"]).code, 0);
    sandbox.cm(&["validate"]).ok();
    assert!(!sandbox.cm(&["guard", "--", "ls"]).stderr.contains("note"));
}

#[test]
fn it_opens_no_index_and_writes_nothing() {
    let sandbox = vault_of(INCIDENT);
    sandbox.cm(&["guard", "--", "git reset --hard"]);
    assert!(!sandbox.vault().join("_index").exists());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn claude_code_is_answered_as_its_hooks_are() {
    let sandbox = vault_of(INCIDENT);
    insta::assert_snapshot!(said(&sandbox, &claude("ls", "")).snapshot(), @"[exit 0]");
    insta::assert_snapshot!(said(&sandbox, &claude("git reset --hard", "")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead"}}
    [exit 0]
    "#);
    insta::assert_snapshot!(said(&sandbox, &claude("git clean -fd", "")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"this deletes untracked files"}}
    [exit 0]
    "#);
    // Nobody is available to confirm the command.
    let alone = "\"permission_mode\":\"bypassPermissions\",";
    insta::assert_snapshot!(said(&sandbox, &claude("git clean -fd", alone)).snapshot(), @r#"
    {"systemMessage":"cm guard: this deletes untracked files"}
    [exit 0]
    "#);
}

#[test]
fn codex_cursor_and_gemini_are_answered_as_theirs_are() {
    let sandbox = vault_of(INCIDENT);
    let codex = |command: &str| claude(command, "\"turn_id\":\"t\",\"model\":\"m\",");
    insta::assert_snapshot!(said(&sandbox, &codex("ls")).snapshot(), @"[exit 0]");
    insta::assert_snapshot!(said(&sandbox, &codex("git reset --hard")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead"}}
    [exit 0]
    "#);
    insta::assert_snapshot!(said(&sandbox, &codex("git clean -fd")).snapshot(), @r#"
    {"systemMessage":"cm guard: this deletes untracked files"}
    [exit 0]
    "#);
    let cursor = |command: &str| {
        format!(
            "{{\"conversation_id\":\"c\",\"hook_event_name\":\"beforeShellExecution\",\"command\":\"{command}\",\"cwd\":\"\",\"workspace_roots\":[\"{}\"]}}",
            sandbox.vault().display()
        )
    };
    insta::assert_snapshot!(said(&sandbox, &cursor("ls")).snapshot(), @"
    {}
    [exit 0]
    ");
    insta::assert_snapshot!(said(&sandbox, &cursor("git clean -fd")).snapshot(), @r#"
    {"permission":"ask","user_message":"this deletes untracked files","agent_message":"this deletes untracked files"}
    [exit 0]
    "#);
    insta::assert_snapshot!(said(&sandbox, &cursor("git reset --hard")).snapshot(), @r#"
    {"permission":"deny","user_message":"this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead","agent_message":"this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead"}
    [exit 0]
    "#);
    // The vault is found from the folder in the agent's message.
    let elsewhere = sandbox.run(&["guard"]).within("..").stdin(cursor("git reset --hard")).go();
    assert_eq!(elsewhere.stdout, said(&sandbox, &cursor("git reset --hard")).stdout);
    let gemini = |command: &str| {
        format!(
            "{{\"hook_event_name\":\"BeforeTool\",\"tool_name\":\"run_shell_command\",\"tool_input\":{{\"command\":\"{command}\"}}}}"
        )
    };
    insta::assert_snapshot!(said(&sandbox, &gemini("ls")).snapshot(), @"
    {}
    [exit 0]
    ");
    insta::assert_snapshot!(said(&sandbox, &gemini("git clean -fd")).snapshot(), @r#"
    {"systemMessage":"cm guard: this deletes untracked files"}
    [exit 0]
    "#);
    insta::assert_snapshot!(said(&sandbox, &gemini("git reset --hard")).snapshot(), @r#"
    {"decision":"deny","reason":"this discards all uncommitted changes; it went wrong before on 2026-11-01 (session 0a1b2c3d, b-mq6d3m8l-x1y2z3); use `git stash push --include-untracked` instead"}
    [exit 0]
    "#);
}

#[test]
fn a_guard_that_cannot_judge_blocks_no_agent() {
    let sandbox = vault_of("");
    let run = |arguments: &[&str], stdin: &str| sandbox.run(arguments).stdin(stdin).go();
    for (arguments, stdin) in [
        (&["guard"] as &[&str], "{\"hook_event_name\":\"PreToolUse\",\"tool_inp"),
        (&["guard"], ""),
        (&["guard", "--format", "claude"], "rm -rf /"),
        (&["guard", "--format", "nobody"], "{}"),
        (&["guard", "--polite"], "{}"),
        (&["--now", "never", "guard"], "{}"),
        (&["guard"], "{\"unknown\": 1}"),
    ] {
        let ran = run(arguments, stdin);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{arguments:?} {stdin}");
        assert_ne!(ran.stderr, "", "{arguments:?} {stdin}");
    }
    let ran = run(&["guard", "--format", "cursor"], "no message");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "{}\n"));
    // A command given explicitly reports errors as usual.
    assert_eq!(sandbox.cm(&["guard", "--polite", "--", "ls"]).code, 2);
}

#[test]
fn without_a_vault_that_can_be_read_the_built_in_rules_judge() {
    let nowhere = Sandbox::new();
    insta::assert_snapshot!(nowhere.cm(&["guard", "--", "rm", "-rf", "/"]).snapshot(), @"
    block: this deletes / and everything in it: a system folder
    [stderr]
    note: there is no vault here; checked without past incidents
    [exit 5]
    ");
    let sandbox = vault_of(INCIDENT);
    sandbox.write("cm.toml", b"\xff\xfe");
    insta::assert_snapshot!(said(&sandbox, &claude("git reset --hard", "")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"this discards all uncommitted changes"}}
    [stderr]
    note: cannot read [ROOT]/vault/cm.toml: stream did not contain valid UTF-8; checked without past incidents
    [exit 0]
    "#);
    let sandbox = vault_of("--- cm.toml\n");
    sandbox.write("blocked", "a file where a folder should be");
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "ls"]).snapshot(), @"
    allow
    [stderr]
    note: blocked: cannot be read: Not a directory (os error 20)
    [exit 0]
    ");
}

fn write_tool(tool: &str, path: &str) -> String {
    let input = serde_json::json!({ "file_path": path, "content": "x" });
    serde_json::json!({
        "session_id": "s", "cwd": "", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input
    })
    .to_string()
}

#[test]
fn tools_that_write_and_edit_are_judged_by_their_target() {
    let sandbox = vault_of("");
    let home = sandbox.root().join("home").display().to_string();
    insta::assert_snapshot!(said(&sandbox, &write_tool("Write", "src/main.rs")).snapshot(), @"[exit 0]");
    insta::assert_snapshot!(said(&sandbox, &write_tool("Write", ".git/hooks/pre-commit")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"this changes .git/hooks/pre-commit: a hook that Git runs automatically"}}
    [exit 0]
    "#);
    insta::assert_snapshot!(said(&sandbox, &write_tool("Edit", ".claude/settings.json")).snapshot(), @r#"
    {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"this changes .claude/settings.json: agent settings with hooks, servers and permissions"}}
    [exit 0]
    "#);
    for path in [format!("{home}/.ssh/authorized_keys"), "/etc/sudoers".to_owned()] {
        let ran = said(&sandbox, &write_tool("Write", &path));
        assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{path}: {ran:?}");
    }
    let ran = said(&sandbox, &write_tool("Edit", &format!("{home}/.bashrc")));
    assert!(ran.stdout.contains(r#""permissionDecision":"ask""#), "{ran:?}");
    let ran = sandbox.run(&["hook", "claude", "pre-tool"]).stdin(write_tool("Write", "/etc/sudoers")).go();
    assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_judged_by_what_it_leads_to() {
    use std::os::unix::fs::symlink;
    let sandbox = vault_of("");
    let home = sandbox.root().join("home");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::create_dir_all(home.join("projects/shop/.git")).unwrap();
    symlink(&home, sandbox.vault().join("build")).unwrap();
    symlink(home.join(".ssh"), sandbox.vault().join("docs-link")).unwrap();
    let word = |command: &str| {
        let ran = sandbox.cm(&["guard", "--", command]);
        ran.stdout.split([':', '\n']).next().unwrap_or_default().to_owned()
    };
    // The link itself is a regular path; its target is not.
    assert_eq!(word("rm -rf build"), "allow");
    assert_eq!(word("rm -rf build/*"), "block");
    assert_eq!(word("cd build && rm -rf *"), "block");
    assert_eq!(word("echo key >> docs-link/authorized_keys"), "block");
    assert_eq!(word("rm -rf ~/projects/shop"), "block");
    assert_eq!(word("rm -rf target node_modules dist"), "allow");
}

#[test]
fn a_whole_project_is_blocked_from_wherever_it_is_named() {
    let sandbox = vault_of("");
    let projects = sandbox.root().join("home/projects");
    std::fs::create_dir_all(projects.join("shop/.git")).unwrap();
    for command in [
        "cd ~/projects && rm -rf shop",
        "rm -rf ~/projects/shop",
        "cd ~ && rm -rf projects",
        "P=~/projects; rm -rf \"$P\"",
    ] {
        let ran = sandbox.cm(&["guard", "--", command]);
        assert!(ran.stdout.starts_with("block"), "{command}: {ran:?}");
    }
    let here = sandbox.run(&["guard", "--", "rm -rf shop"]).within("../home/projects").go();
    assert!(here.stdout.starts_with("block"), "{here:?}");
}

#[test]
fn the_safe_form_passes_after_an_incident_of_the_unsafe_one() {
    let incident = INCIDENT
        .replace("class: hard-reset", "class: force-push")
        .replace("shape: git reset --hard", "shape: git push --force");
    let sandbox = vault_of(&incident);
    insta::assert_snapshot!(sandbox.cm(&["guard", "--", "git push --force-with-lease origin HEAD"]).snapshot(), @"
    allow
    [exit 0]
    ");
    let blocked = sandbox.cm(&["guard", "--", "git push --force"]).stdout;
    assert!(blocked.contains("use --force-with-lease") && blocked.contains("2026-11-01"), "{blocked}");
}

#[test]
fn a_project_is_recognized_by_its_repository_or_its_manifest() {
    let sandbox = vault_of("");
    let folder = sandbox.root().join("home/work");
    for (name, file) in [("build", ".git/HEAD"), ("dist", "package.json"), ("api", "go.mod"), ("out", "a.o")]
    {
        let path = folder.join(name).join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let judged = |name: &str| {
        let ran = sandbox.run(&["guard", "--", "rm", "-rf", name]).within("../home/work").go();
        ran.stdout.lines().next().unwrap_or_default().to_owned()
    };
    for name in ["build", "dist", "api"] {
        assert_eq!(judged(name), format!("block: this deletes {name} and everything in it: a whole project"));
    }
    assert_eq!(judged("out"), "allow");
}
