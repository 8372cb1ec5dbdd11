//! Location of private files; a folder cannot provide any of them.

use super::published;
use crate::support::everything;

#[test]
fn private_settings_lie_outside_of_the_vault_and_count() {
    let sandbox = published();
    sandbox.cm(&["config", "set", "search.limit", "3", "--private"]).ok();
    assert!(!sandbox.vault().join("_config.toml").exists());
    let limit = sandbox.cm(&["config", "get", "search.limit"]).ok();
    assert!(limit.stdout.contains('3'), "{}", limit.snapshot());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn settings_for_every_vault_of_the_user_count_below_those_of_one_vault() {
    let sandbox = published();
    sandbox.cm(&["config", "set", "search.limit", "4", "--user"]).ok();
    let limit = || sandbox.cm(&["config", "get", "search.limit"]).ok().stdout;
    assert!(limit().contains('4'), "{}", limit());
    sandbox.cm(&["config", "set", "search.limit", "3", "--private"]).ok();
    assert!(limit().contains('3'), "{}", limit());
}

#[cfg(unix)]
#[test]
fn the_private_folder_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = published();
    sandbox.cm(&["config", "set", "search.limit", "3", "--private"]).ok();
    sandbox.cm(&["token", "add", "Ada"]).ok();
    let home = sandbox.root().join("home");
    for folder in [".local/state/cm", ".config/cm"] {
        let mode = std::fs::metadata(home.join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn a_kill_over_a_private_write_leaves_nothing_in_the_vault() {
    let sandbox = published();
    for name in [".cm-x1y2z3.tmp", "graph/facts/.cm-x1y2z3.tmp", "_state/tmp/.cm-a.tmp"] {
        sandbox.write(name, "half a secret");
    }
    sandbox.cm(&["commit"]);
    let committed = sandbox.git(&["log", "--all", "--name-only", "--format="]);
    assert!(!committed.contains(".cm-"), "{committed}");
    assert!(everything(&sandbox.vault()).len() > 3);
}
