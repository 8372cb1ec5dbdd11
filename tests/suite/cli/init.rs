//! `cm init`

use super::small::committed;
use crate::support::{Sandbox, everything, hashes, vault_of};

#[test]
fn a_folder_becomes_a_vault_in_a_repository_of_its_own() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["init", "notes"]).go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    [ROOT]/vault/notes is a vault
    wrote .gitattributes, .gitignore, cm.toml  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(hashes(&sandbox.vault()).into_keys().collect::<Vec<_>>().join("\n"), @r"
    notes/.gitattributes
    notes/.gitignore
    notes/cm.toml
    ");
    assert_eq!(sandbox.git(&["-C", "notes", "status", "--porcelain"]), "");
    let checked = sandbox.run(&["doctor", "--json"]).within("notes").go().ok().json();
    assert!(checked["checks"].as_array().unwrap().iter().all(|check| check["health"] == "ok"), "{checked:#}");
}

#[test]
fn notes_that_lie_in_the_folder_stay_as_they_are_and_uncommitted() {
    let sandbox = Sandbox::new();
    sandbox.write("ideas/a.md", "# Idea\n\nSee [[b]].\n");
    sandbox.write("b.md", "plain");
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["init"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [ROOT]/vault is a vault
    wrote .gitattributes, .gitignore, cm.toml  commit [COMMIT]
    [exit 0]
    ");
    let after = hashes(&sandbox.vault());
    assert!(before.iter().all(|(path, hash)| after.get(path) == Some(hash)));
    insta::assert_snapshot!(committed(&sandbox), @r"
    A	.gitattributes
    A	.gitignore
    A	cm.toml
    ");
    assert_eq!(sandbox.cm(&["get", "Idea", "--json"]).ok().json()["path"], "ideas/a.md");
}

#[test]
fn a_vault_that_is_one_already_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.cm(&["init"]).ok();
    let before = everything(&sandbox.vault().join(".git/refs"));
    let ran = sandbox.cm(&["init"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [ROOT]/vault is a vault
    already initialized
    [exit 0]
    ");
    assert_eq!(everything(&sandbox.vault().join(".git/refs")), before);
}

#[test]
fn inside_a_project_the_vault_uses_its_repository() {
    let sandbox = Sandbox::new();
    sandbox.write("src/main.rs", "fn main() {}\n");
    sandbox.git(&["init", "--quiet"]);
    sandbox.commit_all("Begin");
    let made = sandbox.cm(&["init", ".memory", "--json"]).ok().json();
    assert_eq!(made["repository"], sandbox.vault().to_str().unwrap());
    assert!(made["commit"].is_string());
    assert!(!sandbox.vault().join(".memory/.git").exists());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(committed(&sandbox), "A\t.memory/.gitattributes\nA\t.memory/.gitignore\nA\t.memory/cm.toml\n");
    assert_eq!(
        sandbox.run(&["stats", "--json"]).within("src").go().code,
        0,
        "found from anywhere in the project"
    );
}

#[test]
fn your_own_vault_lies_where_it_is_named_and_is_read_beside_the_projects() {
    let sandbox = vault_of("--- graph/facts/a.md\n# Alpha\n");
    sandbox.cm(&["init", "--global"]).ok();
    let global = sandbox.root().join("no-global-vault");
    assert!(global.join("cm.toml").is_file());
    sandbox
        .run(&["add", "--type", "fact", "--title", "Mine everywhere"])
        .env("CM_VAULT", global.to_str().unwrap())
        .go()
        .ok();
    assert_eq!(sandbox.cm(&["search", "everywhere", "--json"]).ok().json()["total"], 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_file_in_the_way_and_two_places_at_once_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("notes", "a file");
    let ran = sandbox.cm(&["init", "notes"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: cannot create the folder [ROOT]/vault/notes: file exists
       at: [ROOT]/vault/notes
    [exit 1]
    ");
    let ran = sandbox.cm(&["init", "notes", "--global", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "the argument '[FOLDER]' cannot be used with '--global'",
        "hint": "`cm help` lists the commands, `cm help COMMAND` their arguments"
      }
    }
    [exit 2]
    "#);
    assert_eq!(sandbox.read("notes"), "a file");
}

#[test]
fn in_a_project_with_code_it_says_that_all_markdown_of_it_is_notes_now() {
    let sandbox = Sandbox::new();
    sandbox.write("package.json", "{}\n");
    let ran = sandbox.cm(&["init"]).ok();
    assert!(
        ran.stderr.contains("package.json") && ran.stderr.contains("cm init .memory"),
        "{}",
        ran.snapshot()
    );
    let beside = sandbox.cm(&["init", ".memory"]).ok();
    assert!(!beside.stderr.contains("package.json"), "{}", beside.snapshot());
}

#[test]
fn git_ignores_what_editors_write_beside_the_notes() {
    let sandbox = Sandbox::new();
    sandbox.cm(&["init"]).ok();
    for path in ["a.md~", ".a.md.swp", ".DS_Store", ".trash/a.md", ".obsidian/workspace.json", "~$plan.docx"]
    {
        sandbox.write(path, "x\n");
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}
