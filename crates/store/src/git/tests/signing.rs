//! Tests of identity, signatures, hooks and maintenance.

use super::*;
use crate::git::Error;

fn hook(sandbox: &Sandbox, name: &str, script: &str) {
    sandbox.write(&format!(".git/hooks/{name}"), &format!("#!/bin/sh\n{script}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(sandbox.root.join(".git/hooks").join(name), mode).unwrap();
}

fn with_hooks() -> Options {
    Options { hooks: true, ..options() }
}

fn pin(sandbox: &Sandbox) -> Result<Option<NewCommit>> {
    let after = raise(NOTE).unwrap();
    sandbox.write("graph/a.md", &after);
    let change = write("graph/a.md", Some(NOTE), &after, Some(&raise));
    sandbox.repo().commit(&[change], &message("a"), &with_hooks())
}

#[test]
fn the_identity_is_gits_own() {
    let sandbox = Sandbox::with_note();
    let identity = sandbox.repo().identity().unwrap();
    assert_eq!((identity.name.as_str(), identity.fallback), ("Ann", false));
    sandbox.here().curate("graph/a.md").unwrap();
    let said = sandbox.git(&["log", "-1", "--format=%an <%ae> %cn %at %ct"]);
    assert_eq!(said, "Ann <ann@example.org> Ann 1793525400 1793525400\n");
}

#[test]
fn without_an_identity_a_stand_in_commits_and_is_told() {
    let sandbox = Sandbox::with_note();
    let repo = || {
        // Whoever runs the tests may have an identity; this repository shall not see it.
        let inner = gix::open_opts(&sandbox.root, gix::open::Options::isolated()).unwrap();
        Repo::take(inner, &sandbox.root).unwrap()
    };
    sandbox.git(&["config", "--unset", "user.email"]);
    let identity = repo().identity().unwrap();
    assert_eq!((identity.name.as_str(), identity.email.as_str()), ("Ann", "cm@localhost"));
    assert!(identity.fallback);
    sandbox.git(&["config", "--unset", "user.name"]);
    sandbox.write("c.md", NOTE);
    repo().commit(&[write("c.md", None, NOTE, None)], &message("c"), &options()).unwrap().unwrap();
    assert_eq!(
        sandbox.git(&["log", "-1", "--format=%an <%ae> %cn <%ce>"]),
        "cm <cm@localhost> cm <cm@localhost>\n"
    );
}

#[test]
fn commits_are_signed_where_git_would_sign_them() {
    let sandbox = Sandbox::with_note();
    let key = sandbox.dir.path().join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = sandbox.dir.path().join("allowed");
    fs::write(&allowed, format!("ann@example.org {public}")).unwrap();
    sandbox.git(&["config", "gpg.format", "ssh"]);
    sandbox.git(&["config", "user.signingkey", key.to_str().unwrap()]);
    sandbox.git(&["config", "gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()]);
    sandbox.git(&["config", "commit.gpgsign", "true"]);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    sandbox.git(&["verify-commit", "HEAD"]);
    sandbox.fsck();
    // What is said for this commit counts for more than git's setting, either way.
    sandbox.write("graph/b.md", NOTE);
    let signed = |path: &str, sign: bool| {
        let options = Options { sign: Some(sign), ..options() };
        sandbox.repo().commit(&[write(path, None, NOTE, None)], &message("b"), &options).unwrap().unwrap();
        sandbox.git(&["log", "-1", "--format=%G?"]).trim().to_owned()
    };
    assert_eq!(signed("graph/b.md", false), "N");
    sandbox.git(&["config", "commit.gpgsign", "false"]);
    sandbox.write("graph/d.md", NOTE);
    assert_eq!(signed("graph/d.md", true), "G");
    sandbox.git(&["config", "commit.gpgsign", "true"]);
    // A key that is not there: no commit, and the index stays.
    sandbox.git(&["config", "user.signingkey", "/nowhere/key"]);
    sandbox.write("graph/c.md", NOTE);
    let change = write("graph/c.md", None, NOTE, None);
    assert!(sandbox.repo().commit(&[change], &message("c"), &options()).is_err());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? graph/c.md\n");
}

#[test]
fn hooks_run_only_when_asked_for() {
    let sandbox = Sandbox::with_note();
    hook(&sandbox, "pre-commit", "exit 1");
    assert!(sandbox.here().curate("graph/a.md").unwrap().is_some());
}

#[test]
fn hooks_see_the_curation_alone_and_the_rest_stays() {
    let sandbox = Sandbox::with_note();
    sandbox.write("staged", "s\n");
    sandbox.git(&["add", "staged"]);
    sandbox.write("untracked", "u\n");
    let before = sandbox.others(&[]);
    hook(&sandbox, "pre-commit", "git diff --cached --name-only > .git/seen");
    hook(&sandbox, "commit-msg", "echo 'Checked: yes' >> \"$1\"");
    hook(&sandbox, "post-commit", "echo done > .git/after");
    let committed = pin(&sandbox).unwrap().unwrap();
    assert_eq!(sandbox.read(".git/seen"), "graph/a.md\n");
    assert_eq!(sandbox.read(".git/after"), "done\n");
    assert_eq!(sandbox.others(&[]), before);
    let said = sandbox.git(&["log", "-1", "--format=%B"]);
    assert!(said.contains("Checked: yes"));
    assert_eq!(sandbox.repo().commit_info(committed.id).unwrap().message.unwrap().op, "pin");
    assert_eq!(sandbox.git(&["log", "-1", "--format=%at"]), "1793525400\n");
    sandbox.fsck();
}

#[test]
fn a_hook_that_refuses_is_quoted_and_leaves_the_index() {
    let sandbox = Sandbox::with_note();
    hook(&sandbox, "pre-commit", "echo 'not today' >&2; exit 1");
    match pin(&sandbox) {
        Err(Error::Program { output, .. }) => assert!(output.contains("not today"), "{output}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/a.md\n");
}

#[test]
fn what_a_hook_changes_is_what_the_index_has() {
    let sandbox = Sandbox::with_note();
    let script = "echo formatted >> graph/a.md; git add graph/a.md; echo x > extra; git add extra";
    hook(&sandbox, "pre-commit", script);
    pin(&sandbox).unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "--name-only", "--format=", "HEAD"]), "extra\ngraph/a.md\n");
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn maintenance_starts_only_with_many_loose_objects() {
    let sandbox = Sandbox::with_note();
    assert!(!sandbox.repo().maintain());
    fs::create_dir_all(sandbox.root.join(".git/objects/17")).unwrap();
    for at in 0..30 {
        sandbox.write(&format!(".git/objects/17/{at:038x}"), "");
    }
    assert!(sandbox.repo().maintain());
}
