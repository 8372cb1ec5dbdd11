//! `cm status`

use super::small::small;
use crate::support::Sandbox;

#[test]
fn branch_remote_edits_and_inbox_fit_on_one_screen() {
    let sandbox = small();
    sandbox.write("graph/facts/by-hand.md", "# By hand\n");
    insta::assert_snapshot!(sandbox.cm(&["status"]).snapshot(), @"
        vault  [ROOT]/vault
       branch  main  [COMMIT]
       remote  none
        edits  1 file  cm commit
               added graph/facts/by-hand.md
        notes  1 error  cm validate
        inbox  1 due  cm review
    [exit 0]
    ");
    let remote = sandbox.root().join("remote.git").display().to_string();
    sandbox.git(&["init", "--quiet", "--bare", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
    insta::assert_snapshot!(sandbox.cm(&["status"]).snapshot(), @"
        vault  [ROOT]/vault
       branch  main  [COMMIT]
       remote  origin/main  never fetched  cm sync
    last sync  never
      merging  not registered in this clone  cm sync registers it
        edits  1 file  cm commit
               added graph/facts/by-hand.md
        notes  1 error  cm validate
        inbox  1 due  cm review
    [exit 0]
    ");
    sandbox.cm(&["sync"]).ok();
    sandbox.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["status"]).snapshot(), @"
        vault  [ROOT]/vault
       branch  main  [COMMIT]
       remote  origin/main  1 commit to send  cm sync
    last sync  2026-11-21T12:00:00Z
        edits  none
        notes  1 error  cm validate
        inbox  1 due  cm review
    [exit 0]
    ");
}

#[test]
fn the_remote_is_told_while_a_merge_is_in_progress() {
    let sandbox = small();
    sandbox.git(&["remote", "add", "origin", "/nowhere.git"]);
    sandbox.git(&["switch", "--quiet", "-c", "other"]);
    sandbox.write("by-hand.txt", "one");
    sandbox.commit_all("one");
    sandbox.git(&["switch", "--quiet", "-"]);
    sandbox.git(&["merge", "--quiet", "--no-ff", "--no-commit", "other"]);
    let status = sandbox.cm(&["status", "--json"]).ok().json();
    assert_eq!(status["repository"]["remote"]["name"], "origin", "{status}");
    assert!(status["repository"]["in_progress"].is_string(), "{status}");
}

#[test]
fn a_vault_without_a_repository_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("cm.toml", "");
    insta::assert_snapshot!(sandbox.cm(&["status"]).snapshot(), @"
        vault  [ROOT]/vault
        trust  not trusted at this place, so agents get nothing  cm trust
       branch  no Git repository; changes are not recorded
        inbox  empty
    [exit 0]
    ");
}
