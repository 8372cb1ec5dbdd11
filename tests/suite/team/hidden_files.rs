//! Files that Git leaves out of the work tree: those of a sparse checkout, and those whose edits a person hid.

use super::{Clone, FACT_FILE, pair, settle};

#[test]
fn edits_that_a_person_hid_from_git_are_not_published() {
    let (_remote, ada, ben) = pair();
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let hidden = format!("Mine alone, {flag}.\n");
        ada.sandbox.git(&["update-index", flag, FACT_FILE]);
        let committed = ada.sandbox.git(&["show", &format!("HEAD:{FACT_FILE}")]);
        ada.sandbox.write(FACT_FILE, format!("{committed}\n{hidden}"));
        assert_eq!(ada.sync()["committed"], serde_json::Value::Null, "{flag}");
        assert!(ada.sandbox.read(FACT_FILE).contains(&hidden), "{flag}");
        ada.sandbox.git(&["update-index", flag.replace("--", "--no-").as_str(), FACT_FILE]);
        ada.sandbox.write(FACT_FILE, &committed);
    }
    // Another person's change enters the history, and the hidden edit stays where it is.
    ada.sandbox.git(&["update-index", "--skip-worktree", FACT_FILE]);
    ada.sandbox.write(FACT_FILE, "Mine alone.\n");
    ben.cm(&["update", "Prices are cached", "--append", "Ben doubts it."]).ok();
    ben.sync();
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    settle(&[&ada, &ben]);
    assert_eq!(ada.sandbox.read(FACT_FILE), "Mine alone.\n");
    assert!(ada.sandbox.git(&["show", &format!("HEAD:{FACT_FILE}")]).contains("Ben doubts it."));
}

/// A clone of Ada with the folders `a` and `playbook` alone, and Ben's change of `b/b.md`.
fn sparse(arguments: &[&str]) -> (super::Remote, Clone, Clone) {
    let remote = super::Remote::new();
    let files = format!("{}--- a/a.md\n# A\n--- b/b.md\n# B\n\nOne.\n", super::VAULT);
    let ada = Clone::first(&remote, "ada", &files);
    let ben = Clone::of(&remote, "ben");
    ada.sandbox.git(&[&["sparse-checkout", "set"], arguments, &["a", "playbook"]].concat());
    assert!(!ada.sandbox.vault().join("b").exists());
    ben.sandbox.write("b/b.md", "# B\n\nOne and two.\n");
    ben.sandbox.write("b/new.md", "# New\n");
    ben.sandbox.write("a/new.md", "# New too\n");
    ben.sync();
    (remote, ada, ben)
}

#[test]
fn a_sparse_checkout_takes_changes_of_folders_that_it_does_not_have() {
    for arguments in [&[][..], &["--sparse-index"]] {
        for has_own in [false, true] {
            let (_remote, ada, ben) = sparse(arguments);
            if has_own {
                ada.sandbox.write("a/a.md", "# A\n\nBy Ada.\n");
            }
            settle(&[&ada, &ben]);
            assert_eq!(ben.sandbox.read("b/b.md"), "# B\n\nOne and two.\n");
            assert!(ada.sandbox.git(&["show", "HEAD:b/b.md"]).contains("two"));
            assert_eq!(ada.sandbox.read("a/new.md"), "# New too\n");
            assert!(!ada.sandbox.vault().join("b").exists(), "the folder stays out of the work tree");
            ben.sandbox.git(&["rm", "--quiet", "b/new.md"]);
            ben.sandbox.commit_all("Remove");
            settle(&[&ben, &ada]);
            assert!(!ada.tree().contains("b/new.md"));
        }
    }
}
