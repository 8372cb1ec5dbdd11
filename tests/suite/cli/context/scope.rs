//! Scope of the rules in a briefing of `cm context`: vault, project, folder, category and priority.

use super::{RETRIES, brief, rules};

use crate::support::{diary, vault_of};

#[test]
fn standing_rules_need_no_word_of_the_task_and_are_those_of_its_scope() {
    let sandbox = vault_of(RETRIES);
    assert_eq!(rules(&brief(&sandbox, &["paint the fence green"])), "dddddd aaaaaa eeeeee");
    let named = brief(&sandbox, &["paint the fence green", "--workspace", "Another"]);
    assert_eq!(rules(&named), "dddddd aaaaaa ffffff");
    let postgres = brief(&sandbox, &["paint the Postgres fence"]);
    assert!(rules(&postgres).contains("gggggg"), "{postgres:#}");
    let why = |id: &str| {
        let rules = postgres["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["id"].as_str().unwrap().ends_with(id)).unwrap()["why"].clone()
    };
    assert_eq!((why("dddddd"), why("gggggg")), ("standing".into(), "task".into()));
    let hit = brief(&sandbox, &["where are retry counts"]);
    assert!(rules(&hit).contains("gggggg"), "a memory that is shown names Postgres: {hit:#}");
}

#[test]
fn two_vaults_are_one_playbook_in_which_the_projects_words_win() {
    let project = vault_of(
        "--- playbook/net/a.md\n---\nid: b-mq6d3m8l-aaaaaa\nstate: active\nfeedback:\n  - {at: 2026-11-01, signal: helpful}\n---\n\nRetry as this project does.\n\
         --- playbook/net/off.md\n---\nid: b-mq6d3m8l-bbbbbb\nstate: retired\n---\n\nRetry, which this project does not.\n\
         --- blocked/x.md\n---\nid: x\nkind: deprecated\npattern: left-pad\n---\n",
    );
    let global = vault_of(
        "--- playbook/net/a.md\n---\nid: b-mq6d3m8l-aaaaaa\nstate: active\nfeedback:\n  - {at: 2026-11-02, signal: helpful}\n---\n\nWords that have nothing to do with it.\n\
         --- playbook/net/b.md\n---\nid: b-mq6d3m8l-bbbbbb\nstate: active\npinned: true\n---\n\nRetry wherever you are.\n\
         --- playbook/net/c.md\n---\nid: b-mq6d3m8l-cccccc\nstate: active\n---\n\nRetry with left-pad in the whole world.\n\
         --- playbook/net/d.md\n---\nid: b-mq6d3m8l-dddddd\nstate: active\nscope: workspace\nworkspace: elsewhere\n---\n\nRetry elsewhere.\n\
         --- blocked/y.md\n---\nid: y\nkind: deprecated\npattern: is-odd\n---\n",
    );
    project.trust(&global.vault());
    let folder = global.vault().to_string_lossy().into_owned();
    let run = |task: &str| {
        project.run(&["context", task, "--json"]).env("CM_GLOBAL_VAULT", &folder).go().ok().json()
    };
    let briefing = run("retry with is-odd");
    assert_eq!(rules(&briefing), "aaaaaa cccccc", "{briefing:#}");
    let first = &briefing["rules"][0];
    assert_eq!((&first["content"], &first["helpful"]), (&"Retry as this project does.".into(), &2.into()));
    assert_eq!((&first["vault"], &briefing["rules"][1]["vault"]), (&"project".into(), &"global".into()));
    let warned: Vec<_> =
        briefing["warnings"].as_array().unwrap().iter().map(|it| it["where"].as_str().unwrap()).collect();
    assert_eq!(warned, ["b-mq6d3m8l-cccccc", "task"]);
}

#[test]
fn a_category_and_a_priority_leave_only_what_has_them() {
    let sandbox = vault_of(
        "\
--- playbook/net/a-aaaaaa.md
---
id: b-mq6d3m8l-aaaaaa
category: net
state: active
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Retry gateway calls with jitter.
--- playbook/testing/b-bbbbbb.md
---
id: b-mq6d3m8l-bbbbbb
category: testing
state: active
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Test retries of gateway calls with a fake clock.
--- graph/observations/c.md
---
id: 1a1a1a1a-0000-4000-8000-000000000001
type: observation
title: The gateway retries three times
category: net
priority: critical
importance: 0.5
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Seen in its log.
--- graph/observations/d.md
---
id: 2b2b2b2b-0000-4000-8000-000000000002
type: observation
title: The gateway retries less on Sundays
category: net
importance: 0.5
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Seen in its log.
",
    );
    let shown = |more: &[&str]| {
        let briefing = brief(&sandbox, &[&["retries of gateway calls"], more].concat());
        ["rules", "memories"].map(|part| {
            let mut ids: Vec<String> = briefing[part]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["id"].as_str().unwrap()[..8].to_owned())
                .collect();
            ids.sort();
            ids.join(" ")
        })
    };
    assert_eq!(shown(&[]), ["b-mq6d3m b-mq6d3m", "1a1a1a1a 2b2b2b2b"]);
    assert_eq!(shown(&["--category", "net"]), ["b-mq6d3m", "1a1a1a1a 2b2b2b2b"]);
    assert_eq!(shown(&["--category", "testing"]), ["b-mq6d3m", ""]);
    assert_eq!(shown(&["--priority", "critical"]), ["b-mq6d3m b-mq6d3m", "1a1a1a1a"]);
    assert_eq!(sandbox.cm(&["context", "retries", "--priority", "high"]).code, 2);
}

#[test]
fn a_rule_of_another_folder_is_shown_only_there() {
    let rule = |id: &str, workspace: &str, text: &str| {
        format!(
            "--- playbook/net/{id}.md\n---\nid: b-mq6d3m8l-{id}\nstate: active\nscope: workspace\nworkspace: {workspace}\n---\n\n{text}\n"
        )
    };
    let own = rule("aaaaaa", "vault", "Deploy the shop with the blue script.");
    let other = rule("bbbbbb", "another", "Deploy the shop with the green script.");
    let folder = rule("cccccc", "api", "Deploy the shop with the red script.");
    let sandbox = vault_of(&(own.clone() + &other + &folder + "--- api/readme.md\nText.\n"));
    let shown = |folder: &str, more: &[&str]| {
        let words = [&["context", "deploy the shop with the script", "--json"], more].concat();
        rules(&sandbox.run(&words).within(folder).go().ok().json())
    };
    assert_eq!(shown(".", &[]), "aaaaaa");
    let in_folder = shown("api", &[]);
    assert!(in_folder.contains("aaaaaa") && in_folder.contains("cccccc"), "{in_folder}");
    assert!(!in_folder.contains("bbbbbb"), "{in_folder}");
    assert_eq!(shown(".", &["--workspace", "another"]), "bbbbbb");
    let message = serde_json::json!({
        "session_id": "s-1", "cwd": sandbox.vault(), "hook_event_name": "UserPromptSubmit",
        "prompt": "deploy the shop with the script",
    });
    let hook = sandbox.run(&["hook", "claude", "prompt"]).stdin(message.to_string()).go().ok().stdout;
    assert!(
        hook.contains("blue script") && !hook.contains("green") && !hook.contains("red script"),
        "{hook}"
    );
    // A vault without a rule of this name calls its projects otherwise.
    let sandbox = vault_of(&other);
    let briefing = brief(&sandbox, &["deploy the shop with the script"]);
    assert_eq!(rules(&briefing), "bbbbbb");
}

#[test]
fn a_session_of_another_project_is_no_history_of_this_one_and_a_diary_is_quoted_by_its_title() {
    let (project, global) = (vault_of(""), vault_of(""));
    project.trust(&global.vault());
    let folder = global.vault().to_string_lossy().into_owned();
    let history = || {
        let run = project.run(&["context", "add a field to the crew table", "--json"]);
        run.env("CM_GLOBAL_VAULT", &folder).go().ok().json()["history"].clone()
    };
    let about =
        "Extracted from the log without a model.\n\n## Commands\n\n- make crew table field (line 2)\n";
    diary(&global, "a-crew-table-field", "success", about);
    assert_eq!(history(), serde_json::json!([]), "it is a session of the folder `demo`");
    diary(&project, "b-crew-table-field", "success", about);
    assert_eq!(history()[0]["snippet"], "Session b-crew-table-field", "{}", history());
}
