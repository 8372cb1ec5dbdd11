//! Tests of the sandbox itself: the real program starts in it and changes nothing without a
//! request.

use crate::support::{Sandbox, everything, hashes, vault_of};

#[test]
fn asking_for_the_version_writes_no_file_anywhere() {
    let sandbox = vault_of("--- graph/fixes/a.md\nBody\n");
    let before = everything(sandbox.root());
    let ran = sandbox.run(&["--version"]).within("graph").stdin("ignored").go().ok();
    assert_eq!(ran.stderr, "");
    assert_eq!(everything(sandbox.root()), before);
}

#[test]
fn a_new_sandbox_holds_no_vault_and_no_repository() {
    let sandbox = Sandbox::new();
    assert_eq!(hashes(&sandbox.vault()).len(), 0);
    assert_eq!(sandbox.cm(&["--version"]).code, 0);
}
