//! `cm undo`

use super::small::{RETRY, commits, message, small};
use crate::support::{Sandbox, hashes, vault_of};

fn tree(sandbox: &Sandbox, revision: &str) -> String {
    sandbox.git(&["rev-parse", &format!("{revision}^{{tree}}")])
}

#[test]
fn a_new_note_is_taken_back_by_a_commit_that_names_what_it_undoes() {
    let sandbox = small();
    sandbox.cm(&["add", "--type", "fact", "--title", "Too early"]).ok();
    let ran = sandbox.cm(&["undo", "--reason", "was a guess"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    reverted [COMMIT]: Add fact "Too early"  commit [COMMIT]
      graph/facts/too-early-82fbb1.md
    [exit 0]
    "#);
    insta::assert_snapshot!(message(&sandbox).replace(sandbox.git(&["rev-parse", "HEAD~1"]).trim(), "[COMMIT]"), @r#"
    Undo: Add fact "Too early"

    This takes back commit [COMMIT].

    Cm-Op: undo
    Cm-Id: 82fbb1d7-7ae1-4c51-9cde-d64d40680f04
    Cm-Reason: was a guess
    Cm-Operation: daf40e9123014df98bcc2fc096640c82
    "#);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, "HEAD~2"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.cm(&["search", "early", "--json"]).ok().json()["total"], 0);
}

#[test]
fn a_move_is_taken_back_to_the_old_place() {
    let sandbox = small();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    let undone = sandbox.cm(&["undo", "--json"]).ok().json();
    assert_eq!(undone["ids"], serde_json::json!(["1f0c2a00-0000-4000-8000-000000000001"]));
    assert_eq!(undone["paths"].as_array().unwrap().len(), 2);
    assert!(sandbox.vault().join(RETRY).exists());
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, "HEAD~2"));
}

#[test]
fn a_person_who_is_named_by_the_call_or_by_git_is_the_same_person() {
    let sandbox = small();
    let own = sandbox.git(&["config", "user.name"]).trim().to_owned();
    sandbox.cm(&["pin", "1f0c2a", "--actor", &own]).ok();
    sandbox.cm(&["undo"]).ok();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    sandbox.cm(&["undo", "--actor", &own]).ok();
    sandbox.cm(&["pin", "1f0c2a", "--actor", "Ben"]).ok();
    assert_ne!(sandbox.cm(&["undo"]).code, 0);
    sandbox.cm(&["undo", "--actor", "Ben"]).ok();
}

#[test]
fn undoing_twice_takes_the_next_older_one_back_and_then_there_is_none() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9"]).ok();
    sandbox.cm(&["pin", "1f0c99"]).ok();
    let subject = |undone: serde_json::Value| undone["subject"].as_str().unwrap().to_owned();
    assert_eq!(subject(sandbox.cm(&["undo", "--json"]).ok().json()), "Pin \"Close idle connections\"");
    assert_eq!(
        subject(sandbox.cm(&["undo", "--json"]).ok().json()),
        "Update \"Retry with jitter\": importance"
    );
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, "HEAD~4"));
    let ran = sandbox.cm(&["undo"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: nothing to undo
    [exit 8]
    ");
}

#[test]
fn an_undo_can_itself_be_undone_by_its_id() {
    let sandbox = small();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    sandbox.cm(&["undo"]).ok();
    let ran = sandbox.cm(&["undo", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    reverted [COMMIT]: Undo: Pin "Retry with jitter"  commit [COMMIT]
      graph/solutions/retry-with-jitter-1f0c2a.md
      vault/retry-with-jitter-1f0c2a.md
    [exit 0]
    "#);
    assert_eq!(tree(&sandbox, "HEAD"), tree(&sandbox, "HEAD~2"));
}

#[test]
fn a_curation_that_later_ones_changed_is_refused_and_they_are_named() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9"]).ok();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.7"]).ok();
    sandbox.cm(&["episode", "In between"]).ok();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["undo", "HEAD~2"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [stderr]
    error: later commits changed graph/solutions/retry-with-jitter-1f0c2a.md
       at: graph/solutions/retry-with-jitter-1f0c2a.md
     hint: undo these first: [COMMIT] Update "Retry with jitter": importance
    [exit 5]
    "#);
    let ran = sandbox.cm(&["undo", "HEAD~2", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "depended-on",
        "message": "later commits changed graph/solutions/retry-with-jitter-1f0c2a.md",
        "hint": "undo these first: [COMMIT] Update \"Retry with jitter\": importance",
        "path": "graph/solutions/retry-with-jitter-1f0c2a.md"
      }
    }
    [exit 5]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(commits(&sandbox), 4);
    sandbox.cm(&["undo", "HEAD~1"]).ok();
    sandbox.cm(&["undo", "HEAD~3"]).ok();
    assert_eq!(sandbox.git(&["diff", "--name-only", "HEAD~5", "HEAD"]), "episodes/2026-11-21.md\n");
}

#[test]
fn a_rename_is_taken_back_in_notes_that_were_edited_since() {
    let sandbox = vault_of(
        "--- Pump.md\n# Pump\n\nIt runs.\n\nIt stops.\n--- Log.md\nThe [[Pump]] failed.\n\nMonday\n\nTuesday\n",
    );
    let renamed = sandbox.cm(&["rename", "Pump", "Bilge pump", "--json"]).ok().json();
    let renamed = renamed["commit"].as_str().unwrap();
    sandbox.write("Log.md", sandbox.read("Log.md").replace("Tuesday", "Tuesday: repaired"));
    sandbox.write("Bilge pump.md", sandbox.read("Bilge pump.md").replace("stops.", "stops at night."));
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["undo", renamed]).ok();
    assert_eq!(sandbox.read("Log.md"), "The [[Pump]] failed.\n\nMonday\n\nTuesday: repaired\n");
    assert_eq!(sandbox.read("Pump.md"), "# Pump\n\nIt runs.\n\nIt stops at night.\n");
    assert!(!sandbox.vault().join("Bilge pump.md").exists());
    sandbox.cm(&["rename", "Pump", "Bilge pump"]).ok();
    sandbox.cm(&["rename", "Bilge pump", "Sump pump"]).ok();
    assert_eq!(sandbox.cm(&["undo", "HEAD~1"]).code, 5, "the note was moved on");
}

#[test]
fn hand_edits_in_the_way_refuse_and_stay() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9"]).ok();
    sandbox.write(RETRY, sandbox.read(RETRY) + "Half a thought\n");
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["undo"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/solutions/retry-with-jitter-1f0c2a.md has uncommitted changes
       at: graph/solutions/retry-with-jitter-1f0c2a.md
     hint: commit them first with `cm commit`; the undo then keeps them
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(commits(&sandbox), 2);
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["undo", "HEAD~1"]).ok();
    assert!(sandbox.read(RETRY).ends_with("Half a thought\n"));
    assert!(!sandbox.read(RETRY).contains("importance: 0.9"));
    assert_eq!(sandbox.cm(&["undo", "HEAD~2"]).code, 8, "it is undone already");
}

#[test]
fn hand_edits_elsewhere_stay_as_they_are() {
    let sandbox = small();
    sandbox.cm(&["pin", "1f0c99"]).ok();
    sandbox.write(RETRY, sandbox.read(RETRY) + "Half a thought\n");
    sandbox.cm(&["undo"]).ok();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {RETRY}\n"));
}

#[test]
fn what_is_no_commit_a_merge_and_a_vault_without_curations_are_told_apart() {
    let sandbox = small();
    let ran = sandbox.cm(&["undo"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: nothing to undo
    [exit 8]
    ");
    let ran = sandbox.cm(&["undo", "abcdef0"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `abcdef0` is neither a commit of this repository nor a date
     hint: `cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h
    [exit 4]
    ");
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    sandbox.write("graph/facts/b.md", "Theirs\n");
    sandbox.commit_all("Theirs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.git(&["merge", "--quiet", "--no-ff", "--message", "Merge", "other"]);
    let ran = sandbox.cm(&["undo", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: [COMMIT] is a merge, so there is no single parent to return to
     hint: `git revert -m 1 [COMMIT]` takes back all that it brought; `cm undo COMMIT` takes back one of its commits
    [exit 5]
    ");
    sandbox.git(&["commit", "--quiet", "--allow-empty", "--message", "Nothing"]);
    let ran = sandbox.cm(&["undo", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: [COMMIT] changed nothing in the vault
    [exit 5]
    ");
}

#[test]
fn the_only_copy_of_a_note_that_a_person_made_stays() {
    let sandbox = small();
    sandbox.write("graph/facts/new.md", sandbox.read(RETRY).replace("1f0c2a00", "2e2e2e00"));
    sandbox.cm(&["update", "2e2e2e", "--add-tag", "new"]).ok();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["undo"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/facts/new.md was in no commit before [COMMIT]; undoing would remove it
       at: graph/facts/new.md
     hint: change the note with `cm edit`, or remove it with `cm delete`
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    assert_eq!(commits(&sandbox), 2);
}

#[test]
fn a_file_that_was_no_valid_note_comes_back_byte_for_byte() {
    let sandbox = small();
    sandbox.write(
        "graph/facts/incomplete.md",
        "---\nid: 2e2e2e00-0000-4000-8000-000000000009\ntype: fact\ntitle: Half\n---\nBody\n",
    );
    sandbox.write("graph/facts/yaml.md", "---\ntype: fact\ntitle: [x\n---\nBody\n");
    sandbox.write("graph/facts/latin.md", b"# Caf\xe9\n".as_slice());
    sandbox.commit_all("By hand");
    let before = hashes(&sandbox.vault());
    for command in [
        &["delete", "Half", "graph/facts/yaml.md", "graph/facts/latin.md"][..],
        &["update", "Half", "--append", "more"],
        &["rename", "Half", "Whole"],
    ] {
        sandbox.cm(command).ok();
        sandbox.cm(&["undo"]).ok();
        assert_eq!(hashes(&sandbox.vault()), before, "{command:?}");
    }
    sandbox.cm(&["delete", "graph/facts/latin.md"]).ok();
    sandbox.cm(&["restore", "graph/facts/latin.md@HEAD~1"]).ok();
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn an_undo_without_a_name_touches_no_commit_while_the_newest_change_is_in_none() {
    let sandbox = small();
    sandbox.cm(&["config", "set", "git.commit", "manual"]).ok();
    let added = sandbox.cm(&["add", "A thought about tapes", "--json"]).ok().json();
    let ran = sandbox.cm(&["undo"]);
    assert_eq!(ran.code, 8, "{}", ran.snapshot());
    let path = added["path"].as_str().unwrap();
    assert!(ran.stderr.contains(&format!("the change of {path} is not committed")), "{}", ran.snapshot());
    assert!(sandbox.read("cm.toml").contains("manual"));
    let log = sandbox.cm(&["log"]).ok();
    assert!(
        log.stderr.contains("1 file has changes that appear here after `cm commit`"),
        "{}",
        log.snapshot()
    );
    sandbox.cm(&["commit"]).ok();
    assert!(!sandbox.cm(&["log"]).ok().stderr.contains("appear here"));
}

#[test]
fn a_note_that_was_moved_since_is_found_by_its_id() {
    let sandbox = small();
    sandbox.cm(&["add", "--type", "fact", "--title", "VPN", "The VPN runs on the router."]).ok();
    let file = sandbox.git(&["diff", "--name-only", "HEAD~1", "HEAD"]).trim().to_owned();
    let elsewhere = sandbox.vault().join("Terminal");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(sandbox.vault().join(&file), elsewhere.join("vpn.md")).unwrap();
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["update", "VPN", "--add-tag", "net"]).ok();
    std::fs::rename(elsewhere.join("vpn.md"), sandbox.vault().join(&file)).unwrap();
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["undo"]).ok();
    assert!(!sandbox.read(&file).contains("net"), "{}", sandbox.read(&file));
    sandbox.cm(&["undo"]).ok();
    assert!(!sandbox.vault().join(&file).exists());
}

#[test]
fn other_keys_that_later_commits_changed_stay() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9"]).ok();
    sandbox.cm(&["update", "1f0c2a", "--add-tag", "postgres"]).ok();
    sandbox.cm(&["undo", "HEAD~1"]).ok();
    let note = sandbox.read(RETRY);
    assert!(note.contains("postgres") && !note.contains("importance: 0.9"), "{note}");
}

#[test]
fn the_hint_names_neither_merges_nor_undos_and_counts_the_rest() {
    let sandbox = small();
    for importance in 1..9 {
        sandbox.cm(&["update", "1f0c2a", "--set", &format!("importance=0.{importance}")]).ok();
    }
    sandbox.cm(&["undo"]).ok();
    let refused = sandbox.cm(&["undo", "HEAD~8"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert!(refused.stderr.contains("; and 1 more"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("Undo:"), "{}", refused.stderr);
    assert_eq!(refused.stderr.matches(": importance").count(), 5, "{}", refused.stderr);
}

#[test]
fn a_note_that_was_related_since_stays_and_the_commits_of_its_edges_are_named() {
    let sandbox = small();
    sandbox.cm(&["add", "--type", "problem", "--title", "Locks open twice", "--body", "A lost link."]).ok();
    sandbox.cm(&["relate", "Locks open twice", "RELATED_TO", "1f0c2a"]).ok();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["undo", "HEAD~1"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [stderr]
    error: graph/edges/locks-open-twice--RELATED_TO--retry-with-jitter-80d278.md refers to a note that the undo would remove
       at: graph/edges/locks-open-twice--RELATED_TO--retry-with-jitter-80d278.md
     hint: undo these first: [COMMIT] Relate "Locks open twice" RELATED_TO "Retry with jitter"
    [exit 5]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["undo", "HEAD"]).ok();
    sandbox.cm(&["undo", "HEAD~2"]).ok();
    sandbox.cm(&["validate"]).ok();
}

#[test]
fn a_mark_is_taken_back_alone_after_others_marked_the_same_rule() {
    let sandbox = vault_of("");
    let rule = "Run the contract tests before you merge anything under locks/.";
    sandbox.cm(&["playbook", "add", rule]).ok();
    sandbox.cm(&["mark", rule, "--harmful"]).ok();
    sandbox.cm(&["mark", rule, "--helpful", "--actor", "Nora", "--session", "s1"]).ok();
    sandbox.cm(&["mark", rule, "--helpful", "--actor", "Ilya", "--session", "s2"]).ok();
    sandbox.cm(&["undo", "HEAD~2"]).ok();
    let path = sandbox.cm(&["get", rule, "--json"]).ok().json()["path"].as_str().unwrap().to_owned();
    let shown = sandbox.read(&path);
    assert!(!shown.contains("harmful") && shown.matches("signal: helpful").count() == 2, "{shown}");
    sandbox.cm(&["validate"]).ok();
}
