//! A `cm.toml` that cannot be read, which arrives from the remote, and its repair.

use super::{Clone, pair, settle};

/// Ben publishes a `cm.toml` with plain Git.
fn push_settings(ben: &Clone, text: &str) {
    ben.sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    ben.sandbox.write("cm.toml", text);
    ben.sandbox.commit_all("Settings");
    ben.sandbox.git(&["push", "--quiet"]);
}

#[test]
fn settings_that_arrive_broken_are_reported_and_their_repair_can_be_received() {
    for words in [&["sync"][..], &["sync", "--pull"]] {
        let (_remote, ada, ben) = pair();
        push_settings(&ben, "[search\n");
        let ran = ada.cm(words).ok();
        assert!(ran.stderr.contains("cm.toml that came from origin cannot be read"), "{}", ran.snapshot());
        let ran = ada.cm(&["add", "--type", "fact", "Ports differ"]);
        assert!(ran.code == 5 && ran.stderr.contains("cm.toml"), "{}", ran.snapshot());
        ada.cm(words).ok();
        push_settings(&ben, "[search]\nlimit = 7\n");
        ada.cm(words).ok();
        assert!(ada.cm(&["config", "get", "search.limit"]).ok().stdout.contains('7'));
        settle(&[&ada, &ben]);
    }
}

#[test]
fn a_clone_with_commits_of_its_own_merges_the_repair_and_sends_nothing_before() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["core"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    push_settings(&ben, "[search\n");
    let ran = ada.cm(&["sync"]);
    assert!(ran.code == 5 && ran.stderr.contains("nothing is sent"), "{}", ran.snapshot());
    assert!(ran.stderr.contains("--pull"), "{}", ran.snapshot());
    ada.cm(&["sync", "--pull"]).ok();
    push_settings(&ben, "[search]\nlimit = 7\n");
    ada.cm(&["sync"]).ok();
    settle(&[&ada, &ben]);
    assert!(ben.cm(&["search", "Ports differ"]).ok().stdout.contains("Ports differ"));
    assert!(ada.sandbox.read("CORE.md").contains("Ports differ"), "{}", ada.sandbox.read("CORE.md"));
}
