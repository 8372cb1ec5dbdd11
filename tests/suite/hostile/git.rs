//! Tests with programs configured in the `.git` folder of an untrusted vault.

use std::os::unix::fs::PermissionsExt as _;

use super::published;
use crate::support::Sandbox;

/// Creates an untrusted vault with programs in its Git configuration. Each program creates the file
/// `ran`.
fn unpacked(config: &dyn Fn(&str) -> String) -> (Sandbox, std::path::PathBuf) {
    let sandbox = published();
    sandbox.distrust();
    let mark = sandbox.root().join("ran");
    let program = sandbox.root().join("trap.sh");
    std::fs::write(&program, format!("#!/bin/sh\ntouch {}\ncat\n", mark.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = sandbox.vault().join(".git/config");
    let text = std::fs::read_to_string(&file).unwrap() + &config(&program.display().to_string());
    std::fs::write(file, text).unwrap();
    for hook in ["pre-commit", "post-commit", "pre-auto-gc", "reference-transaction", "post-index-change"] {
        let hook = sandbox.vault().join(".git/hooks").join(hook);
        std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::fs::copy(&program, hook).unwrap();
    }
    (sandbox, mark)
}

/// Runs commands that read and write through Git.
fn use_it(sandbox: &Sandbox) {
    for command in [
        &["add", "--type", "fact", "--title", "Ports", "--body", "The service listens on port 8080."][..],
        &["search", "pool"],
        &["update", "Pool", "--add-tag", "net"],
        &["commit"],
        &["log"],
        &["diff", "HEAD~1", "HEAD"],
        &["history", "Pool"],
        &["undo"],
        &["doctor", "--fix"],
    ] {
        sandbox.cm(command);
    }
}

#[test]
fn an_unpacked_folder_runs_no_program_that_its_git_configuration_names() {
    let config = |program: &str| {
        format!(
            "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n[gpg \"ssh\"]\n\tprogram = {program}\n\tdefaultKeyCommand = {program}\n\
             [user]\n\tsigningkey = ABCDEF12\n[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\teditor = {program}\n\tpager = {program}\n\
             [diff]\n\texternal = {program}\n[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n[credential]\n\thelper = {program}\n"
        )
    };
    let (sandbox, mark) = unpacked(&config);
    // Enough loose objects to trigger Git's maintenance.
    for n in 0..40 {
        sandbox.write(&format!(".git/objects/17/{n:038x}"), "");
    }
    sandbox.cm(&["config", "set", "git.hooks", "true", "--private"]).ok();
    use_it(&sandbox);
    assert!(!mark.exists());
}

#[test]
fn an_unpacked_folder_commits_nothing_to_a_repository_that_its_git_file_names() {
    let (victim, attacker) = (published(), published());
    std::fs::remove_dir_all(attacker.vault().join(".git")).unwrap();
    attacker.write(".git", format!("gitdir: {}\n", victim.vault().join(".git").display()));
    let head = victim.git(&["rev-parse", "HEAD"]);
    for command in [
        &["add", "--type", "fact", "--title", "Ports", "--body", "It listens on port 8080."][..],
        &["commit"],
    ] {
        let refused = attacker.cm(command);
        assert_eq!(refused.code, 5, "{}", refused.snapshot());
    }
    assert_eq!(victim.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(victim.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_filter_of_an_unpacked_folder_neither_runs_nor_is_left_out_in_silence() {
    let config = |program: &str| format!("[filter \"trap\"]\n\tclean = {program}\n\tsmudge = {program}\n");
    let (sandbox, mark) = unpacked(&config);
    sandbox.write(".gitattributes", "*.md filter=trap\n");
    use_it(&sandbox);
    assert!(!mark.exists());
    let refused = sandbox.cm(&["update", "Pool", "--add-tag", "net"]);
    assert_eq!(refused.code, 5, "{}", refused.snapshot());
    assert!(refused.stderr.contains("cm trust"), "{}", refused.snapshot());
    sandbox.trust(&sandbox.vault());
    sandbox.cm(&["update", "Pool", "--add-tag", "net"]).ok();
    assert!(mark.exists(), "a trusted repository's filters run");
}
