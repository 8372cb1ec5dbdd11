//! `cm help`, and `cm` without a command

use crate::support::{Sandbox, harbour};

#[test]
fn every_command_is_listed_once_under_a_heading() {
    let help = Sandbox::new().cm(&["help", "--all"]).ok().stdout;
    for command in ["search", "ls", "add", "playbook", "sessions", "hooks", "undo", "core", "validate"] {
        let lines = help.lines().filter(|line| line.starts_with(&format!("  {command} ")));
        assert_eq!(lines.count(), 1, "{command}:\n{help}");
    }
}

#[test]
fn a_command_alone_shows_frequent_commands_and_the_next_step() {
    let sandbox = Sandbox::new();
    let shown = sandbox.cm(&[]).ok().stdout;
    assert!(shown.contains("next: cm setup chooses a folder for the memory"), "{shown}");
    assert_eq!(sandbox.cm(&["help"]).ok().stdout, shown);
    let shown = harbour().cm(&[]).ok().stdout;
    assert!(shown.contains("next: cm search WORDS searches 12 notes in "), "{shown}");
}

#[test]
fn notes_without_a_vault_are_offered_one() {
    let sandbox = Sandbox::new();
    sandbox.write(".obsidian/app.json", "{}");
    let shown = sandbox.cm(&[]).ok().stdout;
    assert!(shown.contains("next: cm init makes this Obsidian vault searchable."), "{shown}");
}

#[test]
fn help_of_a_command_that_there_is_not_is_refused() {
    insta::assert_snapshot!(Sandbox::new().cm(&["help", "playbook", "fly"]).snapshot(), @"
    [stderr]
    error: there is no command `playbook fly`
     hint: `cm help --all` lists the commands
    [exit 2]
    ");
    let mistyped = Sandbox::new().cm(&["help", "serch"]);
    assert!(mistyped.stderr.contains("did you mean `cm search`?"), "{}", mistyped.stderr);
}

#[test]
fn help_as_json_lists_the_commands_or_has_the_text_of_one() {
    let sandbox = Sandbox::new();
    let listed = sandbox.cm(&["help", "--all", "--json"]).ok().json();
    assert!(listed["groups"][0]["commands"][0]["about"].is_string(), "{listed:#}");
    for page in [&["--json"][..], &["help", "--json"]] {
        assert_eq!(sandbox.cm(page).ok().json(), listed);
    }
    let help = sandbox.cm(&["help", "search", "--json"]).ok().json();
    assert!(help["help"].as_str().unwrap().contains("Usage: cm search"), "{help:#}");
}

#[test]
fn an_unknown_command_suggests_the_one_that_is_meant() {
    let sandbox = Sandbox::new();
    for (typed, meant) in [("rm", "delete"), ("show", "get"), ("mv", "rename"), ("serach", "search")] {
        let ran = sandbox.cm(&[typed, "x"]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(&format!("a similar subcommand exists: '{meant}'")), "{}", ran.stderr);
        let json = sandbox.cm(&[typed, "x", "--json"]).json();
        assert_eq!(json["error"]["hint"], format!("did you mean `cm {meant}`?"));
    }
    // `cm delete` is no command of `cm playbook`.
    let ran = sandbox.cm(&["playbook", "rm", "x"]);
    assert!(ran.code == 2 && !ran.stderr.contains("delete"), "{}", ran.stderr);
    let json = sandbox.cm(&["playbook", "lst", "--json"]).json();
    assert_eq!(json["error"]["hint"], "did you mean `cm playbook list`?");
}
