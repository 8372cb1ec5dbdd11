//! `cm sync`: what a person reads. The merge itself is tested in `team/`.

use super::small::small;
use crate::support::Sandbox;

fn with_remote(sandbox: &Sandbox) {
    let remote = sandbox.root().join("remote.git").display().to_string();
    sandbox.git(&["init", "--quiet", "--bare", &remote]);
    sandbox.git(&["remote", "add", "origin", &remote]);
}

#[test]
fn the_first_one_sends_everything_and_the_next_has_nothing_to_do() {
    let sandbox = small();
    insta::assert_snapshot!(sandbox.cm(&["sync"]).snapshot(), @"
    [stderr]
    error: the repository has no remote
     hint: `git remote add origin URL` adds one
    [exit 5]
    ");
    with_remote(&sandbox);
    sandbox.write("graph/facts/by-hand.md", "# By hand\n");
    insta::assert_snapshot!(sandbox.cm(&["sync", "--dry-run"]).snapshot(), @"
    would commit manual edits in 1 file
    would send 1 commit to origin/main
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sync"]).snapshot(), @"
    committed manual edits in 1 file  [COMMIT]
    sent 2 commits to origin/main
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["sync"]).snapshot(), @"
    up to date with origin/main
    [exit 0]
    ");
}

#[test]
fn a_file_with_a_secret_stays_here_and_the_exit_code_says_so() {
    let sandbox = small();
    with_remote(&sandbox);
    let secret = ["ghp_", "9fK2mVx81LqZ0bNcT5rYw7HdJ3sPaE6uGi4o"].concat();
    sandbox.write("graph/facts/key.md", format!("# Key\n\n{secret}\n"));
    let ran = sandbox.cm(&["sync"]);
    assert_eq!(ran.code, 1, "{}", ran.snapshot());
    assert!(ran.stdout.contains("possible secrets"), "{}", ran.snapshot());
    let sent = sandbox.git(&["ls-tree", "-r", "--name-only", "refs/cm/fetched/origin/main"]);
    assert!(!sent.contains("key.md"), "{sent}");
}
