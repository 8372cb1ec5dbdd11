//! `cm stash`

use crate::support::{Sandbox, log, vault_of};

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const SESSION: &str = "aaaaaaaa-0000-4000-8000-000000000001";

fn with_session() -> Sandbox {
    let sandbox = vault_of("");
    log(
        &sandbox,
        SESSION,
        &[
            ("make the login test pass", "cargo test login", false),
            (
                &format!("from now on use pnpm instead of npm, the token is {SECRET}"),
                "cargo test login",
                true,
            ),
            ("thanks, works", "git commit -am fixed", true),
        ],
    );
    sandbox
}

fn kept(sandbox: &Sandbox, path: &serde_json::Value) -> String {
    sandbox.read(path.as_str().unwrap())
}

#[test]
fn a_text_from_standard_input_is_kept_as_a_note_in_one_commit() {
    let sandbox = vault_of("");
    let ran = sandbox
        .run(&["stash", "Talk about the cache", "--tags", "cache,forecast"])
        .stdin("- no cache\n- or 60 s\n");
    insta::assert_snapshot!(ran.go().snapshot(), @"
    0788a860  stash/talk-about-the-cache-0788a8.md  commit [COMMIT]
    [exit 0]
    ");
    let list = sandbox.cm(&["stash", "list", "--json"]).ok().json();
    insta::assert_snapshot!(kept(&sandbox, &list["stashes"][0]["path"]), @"
    ---
    id: 0788a860-417e-42de-bded-f143e0f688eb
    title: Talk about the cache
    tags: [cache, forecast]
    created: 2026-11-21T12:00:00Z
    workspace: vault
    ---

    # Talk about the cache

    - no cache
    - or 60 s
    ");
    assert_eq!(sandbox.git(&["log", "--format=%s", "-1"]), "Stash \"Talk about the cache\"\n");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_session_is_kept_readable_and_without_its_secrets() {
    let sandbox = with_session();
    let stashed = sandbox.cm(&["stash", "Login", "--session", "aaaaaaaa", "--json"]).ok().json();
    let note = kept(&sandbox, &stashed["path"]);
    assert!(!note.contains(SECRET), "{note}");
    insta::assert_snapshot!(note, @r"
    ---
    id: 0e89f522-81cf-4eef-a929-b53341fe635e
    title: Login
    created: 2026-11-21T12:00:00Z
    agent: claude-code
    session: aaaaaaaa-0000-4000-8000-000000000001
    workspace: /home/dev/demo
    ---

    # Login

    Session aaaaaaaa-0000-4000-8000-000000000001 of claude-code in /home/dev/demo, branch main, 2026-11-20 10:00 to 2026-11-20 10:02.

    Outcome: success
    - for: `cargo test` passed when it was last run (line 6)

    ## What the user said

    - make the login test pass (person, line 1)
    - from now on use pnpm instead of npm, the token is \[redacted: github-token\] (person, line 4)
    - thanks, works (person, line 7)

    ## Preferences

    - from now on use pnpm instead of npm, the token is \[redacted: github-token\] (person, line 4)

    ## Accomplishments

    - Committed: fixed (agent, line 8)

    ## Commands

    - cargo test (line 2)
    - git commit (line 8)
    ");
    // Without a name, the session gets its own stash.
    let own = sandbox.cm(&["stash", "--session", "aaaaaaaa", "--json"]).ok().json();
    assert_eq!(own["title"], "make the login test pass");
    assert_eq!(sandbox.cm(&["stash", "x", "--session", "bbbb"]).code, 4);
    sandbox.cm(&["outcome", SESSION, "failure", "--reason", "it logs the token"]).ok();
    let later = sandbox.cm(&["stash", "--session", "aaaaaaaa", "--json"]).ok().json();
    let later = kept(&sandbox, &later["path"]);
    assert!(later.contains("\n\nOutcome: failure\n\n"), "the recorded outcome stands: {later}");
}

#[test]
fn an_agent_that_hands_over_no_text_has_its_session_kept() {
    let sandbox = with_session();
    let own = sandbox.run(&["stash", "Mine", "--json"]).env("CM_SESSION", SESSION).go().ok().json();
    assert!(kept(&sandbox, &own["path"]).contains("## What the user said"));
    let text =
        sandbox.run(&["stash", "Text", "--json"]).env("CM_SESSION", SESSION).stdin("Words.").go().ok().json();
    let note = kept(&sandbox, &text["path"]);
    assert!(
        note.ends_with("# Text\n\nWords.\n") && note.contains(&format!("session: {SESSION}\n")),
        "{note}"
    );
}

#[test]
fn secrets_are_taken_out_of_a_text_and_its_name_and_counted() {
    let sandbox = vault_of("");
    let ran = sandbox
        .run(&["stash", &format!("Token {SECRET}")])
        .stdin(format!("One {SECRET}\nand {SECRET}\n"))
        .go();
    assert!(ran.stdout.contains("3 secrets removed from the text"), "{}", ran.snapshot());
    let everything = sandbox.git(&["log", "-p"]) + &sandbox.git(&["status", "--porcelain"]);
    assert!(!everything.contains(SECRET) && everything.contains("[redacted: "), "{everything}");
}

#[test]
fn the_same_name_twice_makes_two_notes() {
    let sandbox = vault_of("");
    for text in ["One.", "Two."] {
        sandbox.run(&["stash", "Again"]).stdin(text).go().ok();
    }
    let list = sandbox.cm(&["stash", "list", "--json"]).ok().json();
    assert_eq!(list["total"], 2);
    let both = [&list["stashes"][0], &list["stashes"][1]].map(|stash| kept(&sandbox, &stash["path"]));
    assert!(both.iter().any(|note| note.contains("One.")) && both.iter().any(|note| note.contains("Two.")));
    // The name alone is ambiguous.
    assert_eq!(sandbox.cm(&["stash", "show", "again"]).code, 4);
    let id = list["stashes"][0]["id"].as_str().unwrap();
    assert!(sandbox.cm(&["stash", "show", id]).ok().stdout.contains("# Again"));
}

#[test]
fn what_is_written_in_the_editor_is_kept() {
    let sandbox = vault_of("");
    sandbox.write("../write.sh", "printf 'Plan: release on Tuesday.' > \"$1\"\n");
    let editor = format!("sh {}/write.sh", sandbox.root().display());
    let ran = sandbox.run(&["stash", "Plan", "--edit"]).env("EDITOR", &editor).go();
    assert_eq!(ran.code, 0, "{}", ran.snapshot());
    let shown = sandbox.cm(&["stash", "show", "Plan"]).ok().stdout;
    assert!(shown.ends_with("# Plan\n\nPlan: release on Tuesday.\n"), "{shown}");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let sandbox = vault_of(
        "--- graph/facts/a.md\n---\nid: a4855549-0184-4510-b102-e83a63a6de27\ntype: fact\ntitle: Ports\nimportance: 0.5\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\n\nx\n",
    );
    assert_eq!(sandbox.cm(&["stash", "Empty"]).code, 8);
    assert_eq!(sandbox.run(&["stash"]).stdin("Words.").go().code, 2);
    assert_eq!(sandbox.cm(&["stash", "x", "--edit", "--session", "a"]).code, 2);
    assert_eq!(sandbox.cm(&["stash", "show", "Ports"]).code, 4);
    assert_eq!(sandbox.cm(&["stash", "show", "Nothing"]).code, 4);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}
