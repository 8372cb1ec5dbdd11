//! What Git alone merged, two synchronizations at once, and files that are no notes.

use super::{FACT_FILE, pair, settle};

#[test]
fn generated_files_are_written_anew_after_a_merge_of_git() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["core"]).ok();
    settle(&[&ada, &ben]);
    ada.cm(&["add", "--type", "decision", "Use Postgres for the ledger"]).ok();
    ada.cm(&["core"]).ok();
    ada.sync();
    ben.cm(&["add", "--type", "solution", "Clear the cache of the proxy"]).ok();
    ben.cm(&["core"]).ok();
    ben.sandbox.git(&["fetch", "--quiet", "origin"]);
    ben.sandbox.git(&["merge", "--quiet", "--no-edit", "-X", "ours", "origin/main"]);
    ben.sandbox.git(&["push", "--quiet", "origin", "main"]);
    let answer = ben.sync();
    assert_eq!(answer["regenerated"], serde_json::json!(["CORE.md"]), "{answer}");
    let core = ben.sandbox.read("CORE.md");
    assert!(core.contains("Postgres") && core.contains("Clear the cache"), "{core}");
    settle(&[&ben, &ada]);
}

#[test]
fn two_synchronizations_at_once_both_succeed() {
    let (_remote, ada, ben) = pair();
    for round in 0..4 {
        ben.cm(&["add", "--type", "fact", &format!("Port {round}")]).ok();
        ben.sync();
        ada.cm(&["add", "--type", "fact", &format!("Host {round}")]).ok();
        let now = ada.tick();
        let children: Vec<_> = (0..3)
            .map(|seed: u32| {
                let mut command = ada.sandbox.command(&["sync"]);
                command.env("CM_NOW", &now).env("CM_SEED", format!("{round}{seed}"));
                command.stderr(std::process::Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in children {
            let ended = child.wait_with_output().unwrap();
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        }
    }
    settle(&[&ada, &ben]);
}

#[test]
fn a_file_that_is_no_note_stays_as_it_is_where_the_other_side_deleted_it() {
    let (_remote, ada, ben) = pair();
    ada.sandbox.write("attachments/a.json", "{\"a\": 1}\n");
    ada.sandbox.write("notes/plain.md", "# Plain\n\nOne.\n");
    settle(&[&ada, &ben]);
    for path in ["attachments/a.json", "notes/plain.md"] {
        std::fs::remove_file(ada.sandbox.vault().join(path)).unwrap();
    }
    ada.sync();
    ben.sandbox.write("attachments/a.json", "{\"a\": 2}\n");
    ben.sandbox.write("notes/plain.md", "# Plain\n\nOne and two.\n");
    let told = ben.cm(&["sync"]).ok().stdout;
    assert!(told.contains("unchanged attachments/a.json  kept, although one side deleted it\n"), "{told}");
    settle(&[&ben, &ada]);
    assert_eq!(ada.sandbox.read("attachments/a.json"), "{\"a\": 2}\n");
    assert!(ada.sandbox.read("notes/plain.md").contains("merge:"));
    ada.cm(&["review", "--keep", "notes/plain.md"]).ok();
    assert_eq!(ada.sandbox.read("notes/plain.md"), "# Plain\n\nOne and two.\n");
}

#[test]
fn clashes_of_notes_without_frontmatter_wait_in_review() {
    let (_remote, ada, ben) = pair();
    ada.sandbox.write("notes/plain.md", "# Plain\n\nTen.\n");
    settle(&[&ada, &ben]);
    ada.sandbox.write("notes/plain.md", "# Plain\n\nNine.\n\nOf Ada.\n");
    ben.sandbox.write("notes/plain.md", "# Plain\n\nTwelve.\n\nOf Ben.\n");
    settle(&[&ada, &ben]);
    let note = ada.sandbox.read("notes/plain.md");
    assert!(note.contains("Of Ada.") && note.contains("Of Ben.") && !note.contains("<<<<"), "{note}");
    let status = ada.cm(&["status"]).ok().stdout;
    assert!(status.contains("1 left over from a merge"), "{status}");
    ada.cm(&["review", "--take", "notes/plain.md"]).ok();
    let note = ada.sandbox.read("notes/plain.md");
    assert!(note.starts_with("# Plain\n") && note.contains("Nine."), "{note}");
}

#[test]
fn a_setting_that_lost_is_told() {
    let (_remote, ada, ben) = pair();
    ada.cm(&["config", "set", "search.limit", "9"]).ok();
    ben.cm(&["config", "set", "search.limit", "10"]).ok();
    ada.sync();
    let told = ben.cm(&["sync"]).ok().stdout;
    assert!(told.contains("cm.toml: another side set `limit = 9`"), "{told}");
    assert!(ben.cm(&["status"]).ok().stdout.contains("another side set `limit = 9`"));
}

#[test]
fn status_says_why_there_is_no_remote_and_lists_conflicts() {
    let (remote, ada, ben) = pair();
    let url = remote.path.display().to_string();
    ada.sandbox.git(&["checkout", "--quiet", "--detach"]);
    let status = ada.cm(&["status"]).ok().stdout;
    assert!(status.contains("remote  HEAD is not on a branch"), "{status}");
    ada.sandbox.git(&["switch", "--quiet", "main"]);
    for (name, clone) in [("Nine", &ada), ("Twelve", &ben)] {
        let text = clone.sandbox.read(FACT_FILE).replace("five", name);
        clone.sandbox.write(FACT_FILE, text);
        clone.sandbox.commit_all(name);
    }
    ben.sandbox.git(&["push", "--quiet", "origin", "main"]);
    ada.sandbox.git(&["fetch", "--quiet", "origin"]);
    assert_ne!(ada.sandbox.shell("git merge origin/main").code, 0);
    let status = ada.cm(&["status"]).ok().stdout;
    assert!(status.contains("conflicts  1 file") && status.contains(FACT_FILE), "{status}");
    assert!(!status.contains("cm sync") && !status.contains("cm commit"), "{status}");
    ada.sandbox.git(&["merge", "--abort"]);
    ada.sandbox.git(&["branch", "--unset-upstream"]);
    ada.sandbox.git(&["remote", "rename", "origin", "one"]);
    ada.sandbox.git(&["remote", "add", "two", &url]);
    let status = ada.cm(&["status"]).ok().stdout;
    assert!(status.contains("remote  the repository has several remotes"), "{status}");
}

#[test]
fn the_branch_follows_the_remote_after_the_first_synchronization() {
    let (_remote, ada, _ben) = pair();
    ada.sandbox.git(&["branch", "--unset-upstream"]);
    ada.sync();
    assert_eq!(ada.sandbox.git(&["rev-parse", "--abbrev-ref", "main@{upstream}"]).trim(), "origin/main");
}
