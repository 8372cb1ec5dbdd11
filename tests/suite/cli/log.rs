//! `cm log`

use super::small::{RETRY, inside, small};
use crate::support::Sandbox;

/// The small vault with three changes by an agent and two people on three days.
fn curated() -> Sandbox {
    let sandbox = small();
    let at = |day: &str, arguments: &[&str]| {
        sandbox.run(arguments).env("CM_NOW", day).go().ok();
    };
    at(
        "2026-11-22",
        &["update", "1f0c2a", "--set", "importance=0.9", "--agent", "otter", "--session", "s-1"],
    );
    at("2026-11-23", &["pin", "1f0c2a", "--actor", "Cleo Example", "--reason", "asked twice"]);
    at("2026-11-24", &["delete", "1f0c99", "--actor", "Ben Example"]);
    sandbox
}

#[test]
fn curations_are_told_newest_first_with_who_and_why() {
    let sandbox = curated();
    let ran = sandbox.cm(&["log"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [COMMIT]  2026-11-24 00:00  delete  Delete "Close idle connections"  Ben Example
    [COMMIT]  2026-11-23 00:00  pin     Pin "Retry with jitter"  Cleo Example: asked twice
    [COMMIT]  2026-11-22 00:00  update  Update "Retry with jitter": importance  Ada Example through otter
    [COMMIT]  2026-11-21 11:59  -       Begin  Ada Example
    [exit 0]
    "#);
}

#[test]
fn every_filter_leaves_what_it_names() {
    let sandbox = curated();
    let ops = |arguments: &[&str]| {
        let logged = sandbox.cm(&[&["log", "--json"], arguments].concat()).ok().json();
        let commits = logged["commits"].as_array().unwrap().clone();
        commits
            .iter()
            .map(|commit| commit["op"].as_str().unwrap_or("-").to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (arguments, expected) in [
        (&["--id", "1f0c2a"][..], "pin update -"),
        (&["--id", "Retry with jitter"], "pin update -"),
        (&["--id", "1f0c9900-0000-4000-8000-000000000002"], "delete -"),
        (&["--id", "1f0c99"], "delete -"),
        (&["--id", "1f0c2a", "--op", "pin"], "pin"),
        (&["--op", "pin"], "pin"),
        (&["--op", "polish"], ""),
        (&["--agent", "otter"], "update"),
        (&["--session", "s-1"], "update"),
        (&["--since", "2026-11-23"], "delete pin"),
        (&["--limit", "2"], "delete pin"),
        (&[], "delete pin update -"),
    ] {
        assert_eq!(ops(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn the_json_of_a_curation_holds_its_trailers() {
    let sandbox = curated();
    let ran = sandbox.cm(&["log", "--op", "pin", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "commits": [
        {
          "id": "[COMMIT]",
          "at": "2026-11-23T00:00:00Z",
          "op": "pin",
          "ids": [
            "1f0c2a00-0000-4000-8000-000000000001"
          ],
          "actor": "Cleo Example",
          "agent": null,
          "session": null,
          "reason": "asked twice",
          "subject": "Pin \"Retry with jitter\""
        }
      ],
      "next": null
    }
    [exit 0]
    "#);
}

#[test]
fn in_a_larger_repository_only_commits_of_the_vault_are_told() {
    let sandbox = inside();
    sandbox.write("src/main.rs", "fn main() { run() }\n");
    sandbox.commit_all("Run");
    sandbox.write(&format!("memory/{RETRY}"), sandbox.read(&format!("memory/{RETRY}")) + "By hand.\n");
    sandbox.run(&["commit"]).within("memory").go().ok();
    let ran = sandbox.run(&["log"]).within("memory").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    [COMMIT]  2026-11-21 12:00  commit  Commit modified graph/solutions/retry-with-jitter-1f0c2a.md  Ada Example
    [COMMIT]  2026-11-21 11:59  -       Begin  Ada Example
    [exit 0]
    ");
}

#[test]
fn a_note_that_is_ambiguous_a_date_that_is_none_and_a_folder_without_repository_are_refused() {
    let sandbox = small();
    let ran = sandbox.cm(&["log", "--id", "1f0c"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    let ran = sandbox.cm(&["log", "--id", "No such note"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `No such note` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    let ran = sandbox.cm(&["log", "--since", "soon"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: --since: `soon` is not a date: write 2026-11-01, 2026-11-01T09:30:00Z, or an age such as 7d, 12h or 3w
     hint: `cm help log` shows its arguments with examples
    [exit 2]
    ");
    let bare = Sandbox::new();
    bare.write("cm.toml", "");
    let ran = bare.cm(&["log", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "no-repository",
        "message": "the vault is not in a Git repository",
        "hint": "`cm init` creates one"
      }
    }
    [exit 5]
    "#);
    let ran = Sandbox::new().cm(&["log"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: no vault found at or above [ROOT]/vault
     hint: create one here with `cm init`, or select one with `--vault` or CM_VAULT
    [exit 3]
    ");
}

#[test]
fn an_empty_history_says_that_commits_are_manual() {
    let sandbox = small();
    sandbox.cm(&["config", "set", "git.commit", "manual"]).ok();
    let added = sandbox.cm(&["add", "--type", "fact", "--title", "Not yet", "--json"]).ok().json();
    let id = added["id"].as_str().unwrap();
    for arguments in [&["log", "--id", id][..], &["history", id]] {
        let ran = sandbox.cm(arguments).ok();
        assert!(ran.stderr.contains("`git.commit` is manual"), "{}", ran.snapshot());
    }
    sandbox.cm(&["commit"]).ok();
    for arguments in [&["log", "--id", id][..], &["history", id]] {
        assert_eq!(sandbox.cm(arguments).ok().stderr, "", "what is found needs no word about it");
    }
}

#[test]
fn commits_of_manual_edits_belong_to_a_note() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY) + "By hand.\n");
    sandbox.cm(&["commit"]).ok();
    sandbox.write(RETRY, sandbox.read(RETRY) + "With Git.\n");
    sandbox.commit_all("With Git");
    sandbox.cm(&["relate", "1f0c2a", "REQUIRES", "1f0c99"]).ok();
    let logged = sandbox.cm(&["log", "--id", "1f0c2a"]).ok().stdout;
    let subjects = ["Relate", "With Git", "Commit modified", "Begin"];
    assert_eq!(logged.lines().count(), 4, "{logged}");
    for (line, subject) in logged.lines().zip(subjects) {
        assert!(line.contains(subject), "{logged}");
    }
}

#[test]
fn an_operation_that_no_commit_has_is_told_with_those_that_there_are() {
    let sandbox = curated();
    let ran = sandbox.cm(&["log", "--op", "nosuch"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    no commits
    [stderr]
    note: the history has no operation `nosuch`, only delete, pin, update
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["log", "--op", "pin", "--since", "2026-11-24"]).ok().stderr, "");
}

#[test]
fn a_page_of_commits_leads_to_the_next_one() {
    let sandbox = curated();
    let page = |offset: &str| sandbox.cm(&["log", "--limit", "3", "--offset", offset, "--json"]).ok().json();
    assert_eq!((page("0")["commits"].as_array().unwrap().len(), page("0")["next"].as_u64()), (3, Some(3)));
    assert_eq!((page("3")["commits"].as_array().unwrap().len(), page("3")["next"].as_u64()), (1, None));
    assert!(sandbox.cm(&["log", "--limit", "3"]).ok().stdout.ends_with("… older commits: --offset 3\n"));
}
