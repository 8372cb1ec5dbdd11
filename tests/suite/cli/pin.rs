//! `cm pin`

use super::small::{RETRY, UNITS, commits, committed, message, moved, small};
use crate::support::{ObsidianVault, Sandbox, hashes, vault_of};

#[test]
fn a_pinned_memory_lies_in_the_vault_folder_under_the_same_id() {
    let sandbox = small();
    let text = sandbox.read(RETRY);
    let ran = sandbox.cm(&["pin", "Retry with jitter", "--actor", "Ben Example"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  vault/retry-with-jitter-1f0c2a.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(committed(&sandbox), @r"
    D	graph/solutions/retry-with-jitter-1f0c2a.md
    A	vault/retry-with-jitter-1f0c2a.md
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Pin "Retry with jitter"

    Cm-Op: pin
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    Cm-Actor: Ben Example
    Cm-Operation: b4305f1cb38f4a779815378523a62368
    "#);
    assert_eq!(sandbox.read("vault/retry-with-jitter-1f0c2a.md"), text);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.cm(&["get", "1f0c2a", "--json"]).ok().json()["score"], 999.0);
}

#[test]
fn a_memory_that_is_pinned_stays_as_it_is() {
    let sandbox = small();
    let ran = sandbox.cm(&["pin", UNITS]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    5e5e5e00-0000-4000-8000-000000000004  vault/names-carry-their-unit-5e5e5e.md  nothing to change
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["pin", "5e5e5e", "--json"]).ok().json()["changed"], false);
    assert_eq!(commits(&sandbox), 1);
}

#[test]
fn links_follow_a_note_that_is_pinned_and_unpinned() {
    let sandbox = small();
    sandbox.cm(&["episode", "Tried it", "--memory", "1f0c2a"]).ok();
    sandbox.cm(&["update", "1f0c2a", "--append", "[gauges](../problems/gauges-time-out-77ab01.md)"]).ok();
    let before = hashes(&sandbox.vault());
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    assert_eq!(
        ObsidianVault::read(&sandbox.vault()).broken(),
        ["vault/retry-with-jitter-1f0c2a.md:15: Gauges time out"]
    );
    assert!(sandbox.read("episodes/2026-11-21.md").contains("(../vault/retry-with-jitter-1f0c2a.md)"));
    assert!(sandbox.read(PINNED).contains("[gauges](../graph/problems/gauges-time-out-77ab01.md)"));
    sandbox.cm(&["unpin", "1f0c2a"]).ok();
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn links_that_still_lead_to_the_note_stay_byte_for_byte() {
    let sandbox = vault_of(
        "--- boat/Seacock notes.md\n---\nid: 1f0c2a00-0000-4000-8000-000000000001\ntype: fact\ntitle: Seacocks\n\
         importance: 0.5\ncreated: 2026-11-01\nupdated: 2026-11-01\n---\nGrease them.\n\
         --- Log.md\nSee [[seacock notes]], [[SEACOCKS]] and [x](boat/Seacock%20notes.md).\n",
    );
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    let log = "See [[seacock notes]], [[SEACOCKS]] and [x](vault/Seacock%20notes.md).\n";
    assert_eq!(sandbox.read("Log.md"), log);
}

/// Path of the note after it is pinned.
const PINNED: &str = "vault/retry-with-jitter-1f0c2a.md";

/// Returns the hunks of a diff without the file names.
fn hunks(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let diff = sandbox.git(&[&["diff", "--no-renames"], arguments].concat());
    diff.lines().skip_while(|line| !line.starts_with("@@")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn what_is_staged_and_what_is_not_move_along_and_stay_so() {
    for key in ["", "pinned: false\n"] {
        let sandbox = small();
        let text = sandbox.read(RETRY).replace("created:", &format!("{key}created:"));
        sandbox.write(RETRY, &text);
        sandbox.git(&["commit", "--quiet", "--all", "--allow-empty", "--message", "A key"]);
        let staged = text.replace("# Retry with jitter", "# Retry, with jitter");
        sandbox.write(RETRY, &staged);
        sandbox.git(&["add", RETRY]);
        sandbox.write(RETRY, staged + "Half a thought\n");
        let body = |hunk: String| hunk.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        let before = (body(hunks(&sandbox, &["--cached"])), body(hunks(&sandbox, &[])));
        assert!(!before.0.is_empty() && !before.1.is_empty());

        sandbox.cm(&["pin", "1f0c2a"]).ok();
        assert_eq!(sandbox.git(&["show", &format!("HEAD:{PINNED}")]), text.replace(key, ""));
        assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD", RETRY]), "");
        assert_eq!((body(hunks(&sandbox, &["--cached"])), body(hunks(&sandbox, &[]))), before);
        assert_eq!(sandbox.git(&["status", "--porcelain"]), format!("MM {PINNED}\n"));
        assert!(!message(&sandbox).contains("by hand"));

        let ran = sandbox.cm(&["undo"]);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(sandbox.read(PINNED).ends_with("Half a thought\n"));
    }
}

#[test]
fn a_note_that_was_moved_by_hand_is_pinned_as_one_file() {
    for staged in [false, true] {
        let sandbox = small();
        moved(&sandbox, "sub/retry.md", staged);
        sandbox.cm(&["pin", "1f0c2a"]).ok();
        assert_eq!(committed(&sandbox), format!("D\t{RETRY}\nA\tvault/retry.md\n"));
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        sandbox.cm(&["undo"]).ok();
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
        assert!(sandbox.vault().join(RETRY).exists());
    }
}

#[test]
fn only_one_memory_that_is_found_can_be_pinned() {
    let sandbox = small();
    sandbox.cm(&["episode", "Release 1.4"]).ok();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["pin", "episodes/2026-11-21.md"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: episodes/2026-11-21.md is neither a memory nor a rule; only those can be pinned
     hint: `cm help pin` shows its arguments with examples
    [exit 2]
    ");
    let ran = sandbox.cm(&["pin", "1f0c"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    let ran = sandbox.cm(&["pin", "gone", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "note `gone` not found",
        "hint": "`cm search` finds notes by their words"
      }
    }
    [exit 4]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_file_in_the_way_refuses_and_nothing_moves() {
    let sandbox = small();
    sandbox.write("vault/retry-with-jitter-1f0c2a.md", "in the way\n");
    let ran = sandbox.cm(&["pin", RETRY]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: vault/retry-with-jitter-1f0c2a.md already exists
       at: vault/retry-with-jitter-1f0c2a.md
    [exit 5]
    ");
    assert!(sandbox.vault().join(RETRY).exists());
}
