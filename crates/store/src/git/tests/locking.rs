//! Tests with concurrent writers, locks of other programs, and locks left by killed processes.

use super::*;
use crate::git::Error;
use crate::git::lock::IndexLock;

fn short() -> Options {
    Options { wait: Duration::from_millis(200), ..options() }
}

#[test]
fn two_writers_lose_nothing() {
    let sandbox = Sandbox::with_note();
    let each = 15;
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                let repo = sandbox.repo();
                for at in 0..each {
                    let path = format!("graph/{writer}/{at}.md");
                    sandbox.write(&path, NOTE);
                    let change = write(&path, None, NOTE, None);
                    repo.commit(&[change], &message(&path), &options()).unwrap().unwrap();
                }
            });
        }
    });
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), format!("{}\n", 2 * each + 1));
    assert_eq!(sandbox.git(&["ls-files"]).lines().count(), 2 * each + 2);
    assert_eq!(sandbox.others(&[]), "");
    sandbox.fsck();
}

#[test]
fn somebody_elses_lock_is_waited_for_and_then_named() {
    let sandbox = Sandbox::with_note();
    let lock = sandbox.root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let after = raise(NOTE).unwrap();
    sandbox.write("graph/a.md", &after);
    let change = || [write("graph/a.md", Some(NOTE), &after, None)];
    let refused = sandbox.repo().commit(&change(), &message("a"), &short()).unwrap_err();
    assert!(matches!(&refused, Error::Locked { path, .. } if *path == lock), "{refused}");
    assert!(refused.hint().unwrap().contains("index.lock"));
    assert!(lock.exists(), "a lock that is not ours stays");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "1\n");
    // It goes while somebody waits for it.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            fs::remove_file(&lock).unwrap();
        });
        sandbox.repo().commit(&change(), &message("a"), &options()).unwrap().unwrap();
    });
    assert_eq!(sandbox.others(&[]), "");
}

/// Creates the files that a process killed while holding the lock leaves behind.
fn dead(sandbox: &Sandbox, content: &[u8], mark: &str) -> PathBuf {
    let git_dir = sandbox.root.join(".git");
    let mark = git_dir.join(format!("index.cm-{mark}"));
    fs::write(&mark, content).unwrap();
    fs::hard_link(&mark, git_dir.join("index.lock")).unwrap();
    mark
}

#[test]
fn the_lock_of_a_dead_process_is_dropped() {
    let sandbox = Sandbox::with_note();
    let mark = dead(&sandbox, b"half an ind", "p1-0");
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert!(!mark.exists());
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn the_lock_of_a_live_process_is_respected() {
    let sandbox = Sandbox::with_note();
    let repo = sandbox.repo();
    let lock = IndexLock::take(&repo, Duration::ZERO).unwrap();
    sandbox.here().fails(&["add", "-A", "--renormalize", "."]);
    assert!(matches!(IndexLock::take(&sandbox.repo(), Duration::from_millis(50)), Err(Error::Locked { .. })));
    drop(lock);
    sandbox.git(&["add", "-A"]);
    let left: Vec<_> = fs::read_dir(sandbox.root.join(".git"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("index") && name != "index")
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_commit_that_died_before_its_index_was_in_place_is_finished() {
    let sandbox = Sandbox::with_note();
    let old = fs::read(sandbox.root.join(".git/index")).unwrap();
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    let new = fs::read(sandbox.root.join(".git/index")).unwrap();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    fs::write(sandbox.root.join(".git/index"), &old).unwrap();
    dead(&sandbox, &new, head.trim());
    sandbox.repo().recover().unwrap();
    assert!(!sandbox.root.join(".git/index.lock").exists());
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn a_commit_that_died_before_the_branch_moved_is_undone() {
    let sandbox = Sandbox::with_note();
    let old = fs::read(sandbox.root.join(".git/index")).unwrap();
    let commit = "1".repeat(40);
    dead(&sandbox, b"whatever", &commit);
    for name in ["HEAD.lock", "refs/heads/main.lock"] {
        fs::write(sandbox.root.join(".git").join(name), format!("{commit}\n")).unwrap();
    }
    sandbox.repo().recover().unwrap();
    assert_eq!(fs::read(sandbox.root.join(".git/index")).unwrap(), old);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn reference_locks_of_others_stay() {
    let sandbox = Sandbox::with_note();
    let lock = sandbox.root.join(".git/refs/heads/main.lock");
    fs::write(&lock, "").unwrap();
    let after = raise(NOTE).unwrap();
    sandbox.write("graph/a.md", &after);
    let change = write("graph/a.md", Some(NOTE), &after, None);
    assert!(sandbox.repo().commit(&[change], &message("a"), &short()).is_err());
    assert!(lock.exists());
    fs::remove_file(lock).unwrap();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/a.md\n", "neither branch nor index moved");
}

#[test]
fn an_index_of_garbage_is_an_error_and_stays() {
    let sandbox = Sandbox::with_note();
    fs::write(sandbox.root.join(".git/index"), "garbage").unwrap();
    assert!(sandbox.here().curate("graph/a.md").is_err());
    assert_eq!(fs::read(sandbox.root.join(".git/index")).unwrap(), b"garbage");
    assert!(!sandbox.root.join(".git/index.lock").exists());
}
