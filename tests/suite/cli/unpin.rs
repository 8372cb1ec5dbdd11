//! `cm unpin`

use super::small::{RETRY, UNITS, commits, committed, message, moved, small};

#[test]
fn an_unpinned_memory_goes_back_to_the_folder_of_its_type() {
    let sandbox = small();
    let ran = sandbox.cm(&["unpin", "Names carry their unit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    5e5e5e00-0000-4000-8000-000000000004  graph/preferences/names-carry-their-unit-5e5e5e.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(committed(&sandbox), @r"
    A	graph/preferences/names-carry-their-unit-5e5e5e.md
    D	vault/names-carry-their-unit-5e5e5e.md
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Unpin "Names carry their unit"

    Cm-Op: unpin
    Cm-Id: 5e5e5e00-0000-4000-8000-000000000004
    Cm-Operation: a37b27c0d9dd460496954b39d76cc9ca
    "#);
}

#[test]
fn a_memory_that_is_pinned_by_a_key_loses_the_key_and_stays_in_its_place() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY).replace("importance: 0.8\n", "importance: 0.8\npinned: true\n"));
    sandbox.commit_all("Pin by hand");
    let ran = sandbox.cm(&["unpin", "1f0c2a", "--json"]).ok().json();
    assert_eq!(ran["path"], RETRY);
    assert!(!sandbox.read(RETRY).contains("pinned"));
    assert_eq!(sandbox.git(&["show", "--format=", "--numstat"]), format!("0\t1\t{RETRY}\n"));
}

#[test]
fn pinning_and_unpinning_gives_the_same_bytes_in_the_same_place() {
    let sandbox = small();
    let before = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    sandbox.cm(&["unpin", "1f0c2a"]).ok();
    assert_eq!(sandbox.git(&["rev-parse", "HEAD^{tree}"]), before);
    sandbox.cm(&["unpin", UNITS]).ok();
    assert_eq!(commits(&sandbox), 4);
}

#[test]
fn an_unpinned_memory_goes_back_to_the_folder_where_it_was() {
    for from in ["graph/boat/retry.md", "boat/engine/Retry.md", "Retry.md"] {
        let sandbox = small();
        moved(&sandbox, from, true);
        sandbox.commit_all("Move");
        sandbox.cm(&["pin", "1f0c2a"]).ok();
        sandbox.cm(&["update", "1f0c2a", "--append", "More."]).ok();
        assert_eq!(sandbox.cm(&["unpin", "1f0c2a", "--json"]).ok().json()["path"], from);
    }
}

#[test]
fn a_memory_that_is_not_pinned_stays_as_it_is() {
    let sandbox = small();
    let ran = sandbox.cm(&["unpin", "1f0c2a"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  nothing to change
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
    assert_eq!(sandbox.cm(&["unpin", "No such note"]).code, 4);
    assert_eq!(sandbox.cm(&["unpin"]).code, 2);
}
