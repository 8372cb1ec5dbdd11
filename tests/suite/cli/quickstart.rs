//! `cm quickstart`

use crate::support::{Sandbox, hashes};

#[test]
fn a_copy_of_the_example_is_made_searched_edited_and_curated() {
    let sandbox = Sandbox::new();
    let ran = sandbox.cm(&["quickstart", "tour"]).ok();
    let shown: String = ran
        .snapshot()
        .lines()
        .filter(|line| line.starts_with(['#', '$']))
        .map(|line| format!("{line}\n"))
        .collect();
    let steps = shown.split("$ cat CORE.md").next().unwrap();
    insta::assert_snapshot!(steps, @"
    # Create a vault with its own Git repository
    $ cm init
    # Let agents read it: a vault from somebody else is not shown to agents until you trust it
    $ cm trust
    # Commit the existing notes
    $ cm commit
    # Check that the index has all notes; every command updates it by itself
    $ cm reindex
    # Search
    $ cm search 'idle connections firewall' --limit 3
    # Collect context for a task: rules, pitfalls, memories and warnings
    $ cm context 'retry the gauge requests that fail after a quiet night' --max-tokens 700
    # Briefing: retry the gauge requests that fail after a quiet night
    ## Warnings
    ## Rules
    ## Pitfalls
    ## Memories
    ## History
    # Record that a rule helped: feedback is stored in the rule's note and raises its score
    $ cm mark b-mt2ssunl-jq6d8j --helpful --reason 'no lock was held for longer than a second'
    # Relate two notes by a typed edge, stored in its own file
    $ cm relate 'Bound the per-station cache in the worker' 'Quiet hours break what busy hours hide' --type EXEMPLIFIES --why 'The leak showed only after nights without a deploy.'
    # Edit a note by hand, in any editor
    $ echo 'A seiche in the inner harbour shows only at this interval.' >> graph/facts/gauges-report-every-six-minutes-since-the-september-firmware-b6b0c7.md
    # The next search finds the manual edit without a separate step
    $ cm search seiche --limit 2
    # Commit manual edits
    $ cm commit
    # Write CORE.md for agents to load into their prompt
    $ cm core
    # List the changes
    $ cm log
    $ git log --oneline
    ");
    assert_eq!(ran.stderr, "");
    let tour = |arguments: &[&str]| sandbox.run(arguments).within("tour").go().ok();
    assert_eq!(tour(&["validate", "--json"]).json()["errors"], 0);
    assert_eq!(tour(&["search", "+seiche", "--json"]).json()["total"], 1);
    assert_eq!(tour(&["doctor", "--json"]).code, 0);
}

#[test]
fn output_of_steps_stands_below_their_commands_in_a_pipe_too() {
    let sandbox = Sandbox::new();
    let shown = sandbox.cm(&["quickstart", "tour"]).ok().stdout;
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} is missing in\n{shown}"));
    assert!(at("$ cm init") < at("is a vault"));
    assert!(at("is a vault") < at("$ cm commit"));
    assert!(at("$ cm core") < at("# Core memory"));
}

#[test]
fn without_a_name_the_copy_lies_in_the_folder_for_temporary_files() {
    let sandbox = Sandbox::new();
    let ran = sandbox.cm(&["quickstart"]).ok();
    let first = ran.stdout.lines().next().unwrap();
    assert!(first.contains(&*sandbox.root().join("tmp/cm-quickstart-").to_string_lossy()), "{first}");
    assert_eq!(hashes(&sandbox.vault()).len(), 0);
}

#[test]
fn a_folder_that_is_there_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/a.md", "mine");
    insta::assert_snapshot!(sandbox.cm(&["quickstart", "mine"]).snapshot(), @"
    [stderr]
    error: [ROOT]/vault/mine already exists
     hint: pass a new folder
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["quickstart", "--json"]).snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "quickstart does not support --json",
        "hint": "`cm help quickstart` shows its arguments with examples"
      }
    }
    [exit 2]
    "#);
    assert_eq!(hashes(&sandbox.vault()).len(), 1);
}
