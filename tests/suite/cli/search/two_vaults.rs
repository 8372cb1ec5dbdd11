//! `cm search` in the vault of a project and the global one.

use crate::support::{Sandbox, harbour, vault_of};

const GLOBAL: &str = "\
--- graph/facts/shared.md
---
id: 3c3c3c3c-0000-4000-8000-000000000003
type: decision
title: Use Postgres, says the global vault
importance: 0.9
created: 2026-11-20
updated: 2026-11-20
---
Global words: zanzibar and postgres.
--- graph/preferences/tabs.md
---
id: fefefefe-0000-4000-8000-000000000001
type: preference
title: Four blanks and no tabs
importance: 0.9
created: 2026-11-20
updated: 2026-11-20
---
In every project, also with postgres.
";

/// Creates a project with a vault in `.memory/`, and a global vault.
fn two_levels() -> (Sandbox, Sandbox) {
    let (project, global) = (Sandbox::new(), vault_of(GLOBAL));
    project.git(&["init", "--quiet"]);
    project.cm(&["init", ".memory"]).ok();
    let from = harbour();
    for path in ["graph/decisions/use-postgres-3c3c3c.md", "graph/problems/api-stops-answering-2b2b2b.md"] {
        project.write(&format!(".memory/{path}"), from.read(path));
    }
    (project, global)
}

#[test]
fn both_vaults_are_searched_and_the_project_wins_where_ids_collide() {
    let (project, global) = two_levels();
    let folder = global.vault().to_string_lossy().into_owned();
    let search = |words: &[&str]| {
        let run = project.run(&[&["search", "--json"], words].concat()).env("CM_GLOBAL_VAULT", &folder);
        let ran = run.go().ok().json();
        let hits =
            ran["hits"].as_array().unwrap().iter().map(|hit| {
                format!("{} ({})", hit["title"].as_str().unwrap(), hit["vault"].as_str().unwrap())
            });
        (ran["total"].as_u64().unwrap(), hits.collect::<Vec<_>>().join(" | "))
    };
    assert_eq!(
        search(&["postgres"]),
        (2, "Use Postgres (project) | Four blanks and no tabs (global)".into())
    );
    assert_eq!(search(&["postgres", "--limit", "1"]).0, 2);
    assert_eq!(
        search(&["zanzibar"]),
        (0, String::new()),
        "the project's note hides the global one whatever it says"
    );
    assert_eq!(search(&["quiet OR blanks"]).0, 2);
    let get = |words: &[&str]| project.run(words).env("CM_GLOBAL_VAULT", &folder).go();
    assert_eq!(get(&["get", "3c3c3c3c", "--json"]).ok().json()["title"], "Use Postgres");
    assert_eq!(get(&["get", "fefefefe", "--json"]).ok().json()["vault"], "global");
}

#[test]
fn a_note_that_the_project_just_received_by_hand_wins_at_once() {
    let (project, global) = two_levels();
    let folder = global.vault().to_string_lossy().into_owned();
    let get = || project.run(&["get", "fefefefe", "--json"]).env("CM_GLOBAL_VAULT", &folder).go().ok().json();
    assert_eq!(get()["vault"], "global");
    project.write(".memory/own.md", "---\nid: fefefefe-0000-4000-8000-000000000001\n---\n# Two blanks\n");
    assert_eq!((get()["vault"].clone(), get()["title"].clone()), ("project".into(), "Two blanks".into()));
}

#[test]
fn writes_go_to_the_project_and_a_named_vault_is_the_only_one() {
    let (project, global) = two_levels();
    let folder = global.vault().to_string_lossy().into_owned();
    let run = |words: &[&str]| project.run(words).env("CM_GLOBAL_VAULT", &folder).go();
    let added = run(&["add", "--type", "fact", "--title", "Tide tables", "--json"]).ok().json();
    assert!(project.vault().join(".memory").join(added["path"].as_str().unwrap()).exists());
    let only = run(&["search", "postgres", "--vault", &folder, "--json"]).ok().json();
    assert_eq!((only["total"].clone(), only["hits"][0]["vault"].clone()), (2.into(), "project".into()));
    assert_eq!(run(&["search", "quiet", "--vault", &folder, "--json"]).ok().json()["total"], 0);
    let changed = run(&["update", "fefefefe", "--set", "importance=0.1"]).ok();
    assert!(changed.stderr.contains("changed in the global vault"), "{}", changed.stderr);
    assert!(global.read("graph/preferences/tabs.md").contains("importance: 0.1"));
    assert_eq!(global.git(&["status", "--porcelain"]), "");
}

#[test]
fn outside_of_any_project_the_global_vault_is_the_one() {
    let (project, global) = two_levels();
    let folder = global.vault().to_string_lossy().into_owned();
    let outside =
        project.run(&["search", "zanzibar", "--json"]).within("..").env("CM_GLOBAL_VAULT", &folder).go();
    assert_eq!(outside.ok().json()["hits"][0]["vault"], "global");
    let nowhere = project.run(&["search", "zanzibar"]).within("..").go();
    assert_eq!(nowhere.code, 3, "{}", nowhere.snapshot());
}
