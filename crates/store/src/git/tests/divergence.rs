//! Histories beside each other, compared with what `git` says of them.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::process::Stdio;

use super::Sandbox;
use crate::git::CommitId;

/// A linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Creates commits with one or two earlier ones as parents, and with clocks that go wrong. Returns
/// their ids.
fn history(sandbox: &Sandbox, commits: usize, random: &mut Random) -> Vec<CommitId> {
    let mut stream = String::new();
    for at in 1..=commits {
        let time = 1_700_000_000 + random.below(1_000_000);
        stream +=
            &format!("commit refs/heads/b{at}\nmark :{at}\ncommitter A <a@b> {time} +0000\ndata 1\nx\n");
        if at > 1 {
            stream += &format!("from :{}\n", 1 + random.below(at - 1));
            if random.below(3) == 0 {
                stream += &format!("merge :{}\n", 1 + random.below(at - 1));
            }
        }
        stream += "\n";
    }
    let mut import = sandbox.here().command();
    import.args(["fast-import", "--quiet", "--force", "--date-format=raw"]);
    let mut child = import.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let ids = (1..=commits).map(|at| sandbox.git(&["rev-parse", &format!("b{at}")]));
    ids.map(|id| CommitId::parse(id.trim()).unwrap()).collect()
}

#[test]
fn whether_a_commit_contains_another_does_not_depend_on_clocks() {
    let sandbox = Sandbox::new();
    let mut random = Random(7);
    let ids = history(&sandbox, 40, &mut random);
    let repo = sandbox.repo();
    for newer in &ids {
        let reachable = sandbox.git(&["rev-list", &newer.to_string()]);
        for older in &ids {
            let expected = reachable.contains(&older.to_string());
            assert_eq!(repo.contains(*newer, *older).unwrap(), expected, "{newer} {older}");
        }
    }
}

#[test]
fn the_best_common_ancestors_do_not_depend_on_clocks() {
    for seed in 1..=4 {
        let sandbox = Sandbox::new();
        let ids = history(&sandbox, 30, &mut Random(seed));
        let repo = sandbox.repo();
        let reachable: HashMap<CommitId, HashSet<CommitId>> = ids
            .iter()
            .map(|id| {
                let found = sandbox.git(&["rev-list", &id.to_string()]);
                (*id, found.lines().map(|line| CommitId::parse(line).unwrap()).collect())
            })
            .collect();
        for (one, other) in ids.iter().flat_map(|one| ids.iter().map(move |other| (one, other))) {
            let common: HashSet<CommitId> = &reachable[one] & &reachable[other];
            let is_best =
                |id: &CommitId| common.iter().all(|later| later == id || !reachable[later].contains(id));
            let expected: HashSet<CommitId> = common.iter().copied().filter(is_best).collect();
            let found: HashSet<CommitId> = repo.merge_bases(*one, *other).unwrap().into_iter().collect();
            assert_eq!(found, expected, "seed {seed}: {one} {other}");
            let own = reachable[one].difference(&reachable[other]).count();
            let counted = repo.count_commits(*one, Some(*other)).unwrap();
            assert!(
                counted >= own && (counted == 0) == (own == 0),
                "seed {seed}: {one} {other}: {counted}, {own}"
            );
        }
    }
}

#[test]
fn common_ancestors_are_those_that_git_finds() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["switch", "-q", "-c", "one"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "One"]);
    sandbox.git(&["switch", "-q", "main"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "Main"]);
    let repo = sandbox.repo();
    let (one, main) = (repo.resolve("one").unwrap(), repo.resolve("main").unwrap());
    let bases = repo.merge_bases(one, main).unwrap();
    assert_eq!(bases, [repo.resolve("main~1").unwrap()]);
    assert_eq!(
        (repo.count_commits(one, Some(main)).unwrap(), repo.count_commits(one, None).unwrap()),
        (1, 2)
    );
    sandbox.git(&["switch", "-q", "--orphan", "other"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "Other"]);
    let other = repo.resolve("other").unwrap();
    assert_eq!(repo.merge_bases(one, other).unwrap(), []);
    assert!(!repo.contains(one, other).unwrap());
}

#[test]
fn remotes_and_the_followed_branch_are_read_from_the_configuration() {
    let sandbox = Sandbox::with_note();
    assert_eq!(sandbox.repo().remotes(), []);
    for name in ["upstream", "origin"] {
        sandbox.git(&["remote", "add", name, &format!("https://example.org/{name}.git")]);
    }
    sandbox.git(&["config", "branch.main.remote", "upstream"]);
    sandbox.git(&["config", "branch.main.merge", "refs/heads/team"]);
    let repo = sandbox.repo();
    let names: Vec<String> = repo.remotes().into_iter().map(|remote| remote.name).collect();
    assert_eq!(names, ["origin", "upstream"]);
    assert_eq!(repo.upstream("main"), (Some("upstream".to_owned()), Some("team".to_owned())));
    assert_eq!(repo.upstream("other"), (None, None));
}

#[test]
fn a_reference_is_set_without_the_lock_of_packed_references_and_without_hooks() {
    let sandbox = Sandbox::new();
    let commit = history(&sandbox, 1, &mut Random(1))[0];
    let repo = sandbox.repo();
    let folder = repo.git_dir().to_owned();
    std::fs::write(folder.join("packed-refs.lock"), "").unwrap();
    let hook = folder.join("hooks/reference-transaction");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    repo.set_reference("refs/cm/synced/origin/main", commit).unwrap();
    assert_eq!(repo.reference("refs/cm/synced/origin/main").unwrap(), Some(commit));
    assert!(repo.set_reference("refs/cm/no..name", commit).is_err());
}
