//! `cm hooks`: installs hooks in existing settings files and removes them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::support::{Ran, Sandbox, everything, hashes, vault_of};

const CLAUDE: &str = "{\n    \"model\": \"opus\",\n    \"env\": { \"TOKEN\": \"ghp_0123456789abcdefghijABCDEFGHIJ012345\" },\n    \
                      \"hooks\": {\n        \"Stop\": [\n            { \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }\n        ]\n    }\n}";
const CODEX: &str = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"notify\"}]}]}}\n";
const CURSOR: &str = "\u{feff}{\r\n\t// mine\r\n\t\"version\": 1,\r\n\t\"hooks\": {\r\n\t\t\"stop\": [{ \"command\": \"./mine.sh\" }],\r\n\t},\r\n}\r\n";
const GEMINI: &str = "{\n  // the dark one\n  \"theme\": \"dark\",\n  \"hooks\": {}\n}\n";

/// Creates a project with settings of all agents except opencode.
fn project() -> Sandbox {
    let sandbox = vault_of("");
    for (path, text) in FILES {
        sandbox.write(path, text);
    }
    sandbox
}

const FILES: [(&str, &str); 4] = [
    (".claude/settings.json", CLAUDE),
    (".codex/hooks.json", CODEX),
    (".cursor/hooks.json", CURSOR),
    (".gemini/settings.json", GEMINI),
];

/// Runs `cm` with the program's folder in `PATH`, as agents require.
fn cm(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_cm")).parent().unwrap().display().to_string();
    sandbox.run(arguments).env("PATH", &folder).go()
}

#[test]
fn the_change_is_shown_and_made_and_everything_else_stays() {
    let sandbox = vault_of("");
    sandbox.write(".gemini/settings.json", GEMINI);
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install"]).snapshot(), @r#"
    .gemini/settings.json
    @@ -3,3 +3,58 @@
       "theme": "dark",
    -  "hooks": {}
    +  "hooks": {
    +
    +    "BeforeAgent": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "cm hook gemini prompt",
    +            "name": "cm",
    +            "timeout": 5000,
    +            "description": "cm reads the prompt and adds notes that fit it"
    +          }
    +        ]
    +      }
    +    ],
    +    "BeforeTool": [
    +      {
    +        "matcher": "run_shell_command|write_file|replace",
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "cm hook gemini pre-tool",
    +            "name": "cm",
    +            "timeout": 5000,
    +            "description": "cm checks the command or edit against known dangers"
    +          }
    +        ]
    +      }
    +    ],
    +    "AfterAgent": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "cm hook gemini stop",
    +            "name": "cm",
    +            "timeout": 5000,
    +            "description": "cm adds this session to its index on this machine, or sends it to your team server"
    +          }
    +        ]
    +      }
    +    ],
    +    "SessionEnd": [
    +      {
    +        "hooks": [
    +          {
    +            "type": "command",
    +            "command": "cm hook gemini session-end",
    +            "name": "cm",
    +            "timeout": 10000,
    +            "description": "cm adds this session to its index on this machine, or sends it to your team server"
    +          }
    +        ]
    +      }
    +    ]
    +  }
     }
    changed .gemini/settings.json
    [stderr]
    note: Gemini CLI does not run hooks in an untrusted folder: see /permissions in Gemini CLI
    [exit 0]
    "#);
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install"]).snapshot(), @"
    unchanged .gemini/settings.json
    [stderr]
    note: Gemini CLI does not run hooks in an untrusted folder: see /permissions in Gemini CLI
    [exit 0]
    ");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "status"]).snapshot(), @"
    gemini    project  prompt pre-tool stop session-end
                       [ROOT]/vault/.gemini/settings.json

    What the hooks do
    prompt         cm reads the prompt and adds notes that fit it
    pre-tool       cm checks the command or edit against known dangers
    stop           cm adds this session to its index on this machine, or sends it to your team server
    session-end    cm adds this session to its index on this machine, or sends it to your team server
    Hooks work on this machine. Text leaves it only through a provider that you set: `cm privacy` shows it.
    [exit 0]
    ");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "uninstall"]).snapshot(), @r#"
    .gemini/settings.json
    @@ -3,58 +3,3 @@
       "theme": "dark",
    -  "hooks": {
    -
    -    "BeforeAgent": [
    -      {
    -        "hooks": [
    -          {
    -            "type": "command",
    -            "command": "cm hook gemini prompt",
    -            "name": "cm",
    -            "timeout": 5000,
    -            "description": "cm reads the prompt and adds notes that fit it"
    -          }
    -        ]
    -      }
    -    ],
    -    "BeforeTool": [
    -      {
    -        "matcher": "run_shell_command|write_file|replace",
    -        "hooks": [
    -          {
    -            "type": "command",
    -            "command": "cm hook gemini pre-tool",
    -            "name": "cm",
    -            "timeout": 5000,
    -            "description": "cm checks the command or edit against known dangers"
    -          }
    -        ]
    -      }
    -    ],
    -    "AfterAgent": [
    -      {
    -        "hooks": [
    -          {
    -            "type": "command",
    -            "command": "cm hook gemini stop",
    -            "name": "cm",
    -            "timeout": 5000,
    -            "description": "cm adds this session to its index on this machine, or sends it to your team server"
    -          }
    -        ]
    -      }
    -    ],
    -    "SessionEnd": [
    -      {
    -        "hooks": [
    -          {
    -            "type": "command",
    -            "command": "cm hook gemini session-end",
    -            "name": "cm",
    -            "timeout": 10000,
    -            "description": "cm adds this session to its index on this machine, or sends it to your team server"
    -          }
    -        ]
    -      }
    -    ]
    -  }
    +  "hooks": {}
     }
    changed .gemini/settings.json
    [exit 0]
    "#);
    assert_eq!(sandbox.read(".gemini/settings.json"), GEMINI);
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "uninstall"]).snapshot(), @"
    unchanged .gemini/settings.json
    [exit 0]
    ");
}

#[test]
fn install_install_again_and_uninstall_give_the_very_bytes_from_before() {
    let sandbox = project();
    // The merge driver stays in the clone's configuration, because others use it as well.
    let without_config = |mut files: BTreeMap<String, String>| {
        files.remove(".git/config");
        files
    };
    let before = without_config(everything(&sandbox.vault()));
    cm(&sandbox, &["hooks", "install"]).ok();
    let installed = everything(&sandbox.vault());
    for (path, text) in FILES {
        let now = sandbox.read(path);
        assert!(now != text && now.contains("hook"), "{path}: {now}");
        for theirs in ["say done", "notify", "./mine.sh", "// mine", "\"dark\""] {
            assert_eq!(now.contains(theirs), text.contains(theirs), "{path}: {theirs}");
        }
    }
    cm(&sandbox, &["hooks", "install"]).ok();
    assert_eq!(everything(&sandbox.vault()), installed, "twice is once");
    cm(&sandbox, &["hooks", "uninstall"]).ok();
    assert_eq!(without_config(everything(&sandbox.vault())), before);
    // Files that did not exist before are removed.
    let bare = vault_of("");
    let before = hashes(&bare.vault());
    let all = ["claude", "codex", "cursor", "gemini", "opencode"];
    let with =
        |words: &[&'static str], more: &[&'static str]| -> Vec<&'static str> { [words, &all, more].concat() };
    cm(&bare, &with(&["hooks", "install"], &["--skills", "--mcp"])).ok();
    assert!(bare.read(".opencode/plugins/cm.js").starts_with("// cm hooks:"));
    assert!(bare.read(".claude/skills/cm-recall/SKILL.md").contains("name: cm-recall"));
    let status = cm(&bare, &["hooks", "status", "--project", "--json"]).ok().json();
    let states: Vec<_> =
        status["agents"].as_array().unwrap().iter().map(|one| (&one["state"], &one["skills"])).collect();
    assert_eq!(states.len(), 5);
    assert!(states.iter().all(|(state, skills)| **state == "current" && **skills == 5), "{status:#}");
    let servers: Vec<_> =
        status["agents"].as_array().unwrap().iter().map(|one| one["mcp"].as_bool()).collect();
    assert_eq!(servers, [Some(true), None, Some(true), Some(true), Some(true)], "{status:#}");
    cm(&bare, &with(&["hooks", "uninstall"], &[])).ok();
    assert_eq!(hashes(&bare.vault()), before);
    assert!(!bare.vault().join(".claude").exists() && !bare.vault().join(".opencode").exists());
}

#[test]
fn agents_are_told_of_the_server_where_they_look_for_servers() {
    let sandbox = vault_of("");
    sandbox.write("opencode.json", "{\n  \"theme\": \"dark\"\n}\n");
    sandbox.write(
        ".mcp.json",
        "{\"mcpServers\":{\"cm\":{\"command\":\"cm\",\"args\":[\"--vault\",\"notes\",\"mcp\"]}}}",
    );
    let before = hashes(&sandbox.vault());
    let all = ["claude", "codex", "cursor", "gemini", "opencode"];
    let ran = cm(&sandbox, &[&["hooks", "install", "--project", "--mcp"], &all[..]].concat()).ok();
    insta::assert_snapshot!(ran.stderr, @"
    note: Claude Code runs a project's hooks only after you trust its folder
    note: codex registers the server with its own command: codex mcp add cm -- cm mcp
    note: Codex skips hooks silently until you trust them: run /hooks in Codex
    note: Cursor runs a project's hooks only in a trusted workspace
    note: Gemini CLI does not run hooks in an untrusted folder: see /permissions in Gemini CLI
    note: opencode loads plugins at startup: restart it
    ");
    insta::assert_snapshot!(sandbox.read(".cursor/mcp.json"), @r#"
    {
      "mcpServers": {
        "cm": {
          "command": "cm",
          "args": ["mcp"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(sandbox.read("opencode.json"), @r#"
    {
      "theme": "dark",
      "mcp": {
        "cm": {
          "type": "local",
          "command": ["cm", "mcp"],
          "enabled": true
        }
      }
    }
    "#);
    let gemini: serde_json::Value = serde_json::from_str(&sandbox.read(".gemini/settings.json")).unwrap();
    assert_eq!(gemini["mcpServers"]["cm"]["args"], serde_json::json!(["mcp"]));
    assert!(gemini["hooks"]["BeforeAgent"].is_array());
    assert!(sandbox.read(".mcp.json").contains("notes"), "what a person set up stays");
    cm(&sandbox, &[&["hooks", "uninstall", "--project"], &all[..]].concat()).ok();
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_dry_run_shows_all_and_writes_nothing() {
    let sandbox = project();
    let before = everything(&sandbox.vault());
    let shown = cm(&sandbox, &["hooks", "install", "claude", "codex", "--skills", "--dry-run"]).ok();
    assert!(
        shown.stdout.contains("+") && shown.stdout.contains("would change .claude/settings.json"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("would create .agents/skills/cm-recall/SKILL.md"));
    let json = cm(&sandbox, &["hooks", "install", "--dry-run", "--json"]).ok();
    assert!(json.json()["dry_run"] == true && !json.stdout.contains("ghp_0123"), "{}", json.stdout);
    assert_eq!(everything(&sandbox.vault()), before);
}

#[test]
fn settings_that_cannot_be_read_are_refused_with_their_place_and_nothing_is_written() {
    let sandbox = project();
    sandbox.write(".gemini/settings.json", "{\n  \"theme\": dark\n}\n");
    let before = everything(&sandbox.vault());
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install"]).snapshot(), @"
    [stderr]
    error: invalid value `dark`
       at: .gemini/settings.json:2:12
     hint: fix the file, then run the command again; nothing was written
    [exit 5]
    ");
    sandbox.write(".gemini/settings.json", b"{\"a\": \"\xff\"}");
    assert_eq!(cm(&sandbox, &["hooks", "install", "gemini"]).code, 5);
    sandbox.write(".gemini/settings.json", "{\n  \"theme\": dark\n}\n");
    assert_eq!(everything(&sandbox.vault()), before);
    let status = cm(&sandbox, &["hooks", "status", "--json"]).ok().json();
    let gemini =
        status["agents"].as_array().unwrap().iter().find(|one| one["agent"] == "gemini").unwrap().clone();
    assert!(gemini["problem"].is_string(), "{gemini:#}");
    sandbox.write(".opencode/plugins/cm.js", "export const Mine = 1\n");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install", "opencode"]).snapshot(), @"
    [stderr]
    error: the file was not written by cm, because it does not begin with a comment `cm hooks:`; move it away
       at: .opencode/plugins/cm.js
     hint: fix the file, then run the command again; nothing was written
    [exit 5]
    ");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "uninstall", "opencode"]).snapshot(), @"
    unchanged .opencode/plugins/cm.js
    [exit 0]
    ");
    assert_eq!(sandbox.read(".opencode/plugins/cm.js"), "export const Mine = 1\n");
}

#[test]
fn unknown_agents_and_folders_without_agents_are_refused() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install", "emacs"]).snapshot(), @"
    [stderr]
    error: `emacs` is not an agent with hooks
     hint: supported agents: claude, codex, cursor, pi, gemini, opencode, cline, copilot, qwen
    [exit 2]
    ");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install"]).snapshot(), @"
    [stderr]
    error: no agent keeps settings in [ROOT]/vault
     hint: pass an agent, as in `cm hooks install claude`; or `--user` for your own settings
    [exit 8]
    ");
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "status"]).snapshot(), @"
    no agent settings found here or in your home directory; `cm hooks install claude` creates them
    [exit 0]
    ");
    assert_eq!(cm(&sandbox, &["hooks", "install", "--project", "--user"]).code, 2);
}

#[test]
fn a_persons_own_settings_lie_in_the_home_and_a_second_pair_of_hooks_is_told() {
    let sandbox = vault_of("");
    sandbox.write("../home/.codex/hooks.json", CODEX);
    cm(&sandbox, &["hooks", "install", "--user"]).ok();
    assert!(sandbox.read("../home/.codex/hooks.json").contains("cm hook codex prompt"));
    let ran = cm(&sandbox, &["hooks", "install", "codex", "--project"]).ok();
    assert!(ran.stderr.contains("runs both") && ran.stderr.contains("/hooks in Codex"), "{}", ran.stderr);
    let elsewhere = sandbox.run(&["hooks", "uninstall"]).within("../home").go().ok();
    assert!(
        elsewhere.stdout.contains("changed .codex/hooks.json"),
        "outside of a repository one's own are meant"
    );
    assert_eq!(sandbox.read("../home/.codex/hooks.json"), CODEX);
}

#[test]
fn agents_that_cannot_find_the_program_are_told_of() {
    let sandbox = vault_of("");
    let ran = sandbox.run(&["hooks", "install", "claude", "--dry-run"]).env("PATH", "/nowhere").go().ok();
    assert!(ran.stderr.contains("not on the PATH"), "{}", ran.stderr);
}

#[test]
fn a_skill_of_anothers_stays_as_it_is() {
    let sandbox = vault_of("");
    sandbox.write(".claude/skills/cm-recall/SKILL.md", "---\nname: mine\n---\n");
    let ran = cm(&sandbox, &["hooks", "install", "claude", "--skills"]).ok();
    assert!(ran.stderr.contains("cm-recall/SKILL.md was not installed by cm"), "{}", ran.stderr);
    cm(&sandbox, &["hooks", "uninstall", "claude"]).ok();
    assert_eq!(sandbox.read(".claude/skills/cm-recall/SKILL.md"), "---\nname: mine\n---\n");
    assert!(!sandbox.vault().join(".claude/skills/cm-stash").exists());
}

#[cfg(unix)]
#[test]
fn modes_stay_links_within_are_followed_and_links_that_lead_out_are_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = vault_of("");
    sandbox.write("dotfiles/claude.json", CLAUDE);
    fs::create_dir(sandbox.vault().join(".claude")).unwrap();
    let (link, file) =
        (sandbox.vault().join(".claude/settings.json"), sandbox.vault().join("dotfiles/claude.json"));
    symlink("../dotfiles/claude.json", &link).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    cm(&sandbox, &["hooks", "install", "claude"]).ok();
    assert!(link.is_symlink() && sandbox.read("dotfiles/claude.json").contains("\"claude\""));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    cm(&sandbox, &["hooks", "uninstall", "claude"]).ok();
    assert_eq!(sandbox.read("dotfiles/claude.json"), CLAUDE);
    sandbox.write("../outside.json", CLAUDE);
    fs::remove_file(&link).unwrap();
    symlink("../../outside.json", &link).unwrap();
    insta::assert_snapshot!(cm(&sandbox, &["hooks", "install", "claude"]).snapshot(), @"
    [stderr]
    error: .claude/settings.json is a symbolic link that is broken or leads out of the folder
       at: .claude/settings.json
     hint: cm does not write through it; install the hooks in the folder it points to
    [exit 5]
    ");
    assert_eq!(sandbox.read("../outside.json"), CLAUDE);
}

#[test]
fn an_empty_settings_file_does_not_survive_uninstall() {
    let sandbox = vault_of("");
    for file in [".claude/settings.json", ".mcp.json", ".cursor/hooks.json"] {
        sandbox.write(file, "");
    }
    cm(&sandbox, &["hooks", "uninstall", "claude", "cursor", "--project"]).ok();
    for file in [".claude/settings.json", ".mcp.json", ".cursor/hooks.json"] {
        assert!(!sandbox.vault().join(file).exists(), "{file}");
    }
}

#[test]
fn status_says_what_each_hook_reads_and_which_plugin_brings_the_same_hooks() {
    let sandbox = project();
    let settings = "../home/.claude/settings.json";
    sandbox.write(settings, r#"{"enabledPlugins": {"other@market": true, "cm@cm-tools": true}}"#);
    let installed = cm(&sandbox, &["hooks", "install", "claude"]).ok();
    assert!(installed.stderr.contains("enables the plugin of cm"), "{}", installed.stderr);
    let status = cm(&sandbox, &["hooks", "status", "claude", "--json"]).ok().json();
    let purposes = status["purposes"].as_array().unwrap();
    assert_eq!(purposes.len(), 7);
    assert_eq!(purposes[1]["purpose"], "cm reads the prompt and adds notes that fit it");
    let plugins: Vec<_> = status["agents"].as_array().unwrap().iter().map(|it| &it["plugin"]).collect();
    assert!(plugins[0].is_null() && plugins[1].as_str().unwrap().ends_with("home/.claude/settings.json"));
    let text = cm(&sandbox, &["hooks", "status", "claude"]).ok().stdout;
    assert!(text.contains("What the hooks do") && text.contains("Text leaves it only"), "{text}");
    let written = sandbox.read(".claude/settings.json");
    assert!(
        written.contains(r#""statusMessage": "cm reads the prompt and adds notes that fit it""#),
        "{written}"
    );
    sandbox.write(settings, r#"{"enabledPlugins": {"cm@cm-tools": false}}"#);
    let again = cm(&sandbox, &["hooks", "install", "claude"]).ok();
    assert!(!again.stderr.contains("plugin"), "{}", again.stderr);
}

#[cfg(unix)]
#[test]
fn hooks_of_other_agents_come_and_go_and_clines_are_programs() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.vault()).unwrap();
    sandbox.git(&["init", "--quiet"]);
    let agents = ["pi", "cline", "copilot", "qwen"];
    let run = |words: &[&str]| {
        let all: Vec<&str> = words.iter().copied().chain(agents).collect();
        cm(&sandbox, &all).ok()
    };
    run(&["hooks", "install", "--skills", "--mcp"]);
    for path in [
        ".pi/extensions/cm.js",
        ".pi/skills/cm-recall/SKILL.md",
        ".clinerules/hooks/PreToolUse",
        ".cline/skills/cm-recall/SKILL.md",
        ".github/hooks/cm.json",
        ".github/mcp.json",
        ".qwen/settings.json",
    ] {
        assert!(sandbox.read(path).contains("cm"), "{path}");
    }
    let mode = fs::metadata(sandbox.vault().join(".clinerules/hooks/PreToolUse")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o100, 0o100);
    let status = run(&["hooks", "status", "--project", "--json"]).json();
    for agent in status["agents"].as_array().unwrap() {
        assert_eq!(agent["state"], "current", "{agent}");
    }
    sandbox.write(".clinerules/hooks/PreToolUse", "#!/bin/sh\nexit 0\n");
    run(&["hooks", "uninstall"]);
    assert_eq!(sandbox.read(".clinerules/hooks/PreToolUse"), "#!/bin/sh\nexit 0\n");
    assert!(!sandbox.vault().join(".github").exists() && !sandbox.vault().join(".pi").exists());
}
