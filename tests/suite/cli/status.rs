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
        inbox  1 due  cm review
    [exit 0]
    ");
}

#[test]
fn a_vault_without_a_repository_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("cm.toml", "");
    insta::assert_snapshot!(sandbox.cm(&["status"]).snapshot(), @"
        vault  [ROOT]/vault
       branch  no Git repository; changes are not recorded
        inbox  empty
    [exit 0]
    ");
}
