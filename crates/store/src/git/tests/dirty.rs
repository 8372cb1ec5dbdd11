//! A commit contains the operation's own lines and leaves all other changes in place.

use super::*;
use crate::git::Error;

/// Creates staged, edited, deleted, intent-to-add, untracked and ignored files next to the note.
fn dirty(sandbox: &Sandbox) {
    for name in ["staged", "edited", "both", "deleted", "unstaged-delete", "mode"] {
        sandbox.write(&format!("{name}.txt"), "one\n");
    }
    sandbox.write(".gitignore", "*.log\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "More"]);
    sandbox.write("staged.txt", "two\n");
    sandbox.write("both.txt", "two\n");
    sandbox.write("new.txt", "new\n");
    sandbox.git(&["add", "staged.txt", "both.txt", "new.txt"]);
    sandbox.git(&["rm", "-q", "deleted.txt"]);
    sandbox.git(&["update-index", "--chmod=+x", "mode.txt"]);
    sandbox.write("both.txt", "three\n");
    sandbox.write("edited.txt", "two\n");
    fs::remove_file(sandbox.root.join("unstaged-delete.txt")).unwrap();
    sandbox.write("intended.txt", "later\n");
    sandbox.git(&["add", "-N", "intended.txt"]);
    sandbox.write("untracked.txt", "u\n");
    sandbox.write("ignored.log", "i\n");
}

#[test]
fn a_commit_holds_the_note_and_nothing_else() {
    let sandbox = Sandbox::with_note();
    dirty(&sandbox);
    let (before, staged) = (sandbox.others(&[]), sandbox.git(&["diff", "--cached"]));
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole, []);
    assert_eq!(sandbox.git(&["show", "--name-status", "--format=", "HEAD"]), "M\tgraph/a.md\n");
    assert_eq!(sandbox.others(&[]), before);
    assert_eq!(sandbox.git(&["diff", "--cached"]), staged);
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]).trim(), committed.id.to_string());
    sandbox.fsck();
}

#[test]
fn new_and_removed_notes_go_in_together() {
    let sandbox = Sandbox::with_note();
    dirty(&sandbox);
    let before = sandbox.others(&[]);
    sandbox.write("graph/new/c.md", NOTE);
    fs::remove_file(sandbox.root.join("graph/b.md")).unwrap();
    let changes = [write("graph/new/c.md", None, NOTE, None), remove("graph/b.md")];
    sandbox.repo().commit(&changes, &message("c"), &options()).unwrap().unwrap();
    let shown = sandbox.git(&["show", "--no-renames", "--name-status", "--format=", "HEAD"]);
    assert_eq!(shown, "D\tgraph/b.md\nA\tgraph/new/c.md\n");
    assert_eq!(sandbox.others(&[]), before);
    sandbox.fsck();
}

#[test]
fn a_folder_goes_with_its_last_note() {
    let sandbox = Sandbox::with_note();
    sandbox.write("deep/er/c.md", NOTE);
    sandbox.repo().commit(&[write("deep/er/c.md", None, NOTE, None)], &message("c"), &options()).unwrap();
    fs::remove_dir_all(sandbox.root.join("deep")).unwrap();
    sandbox.repo().commit(&[remove("deep/er/c.md")], &message("c"), &options()).unwrap();
    assert_eq!(sandbox.git(&["ls-tree", "--name-only", "HEAD"]), "graph\n");
    assert_eq!(sandbox.others(&[]), "");
    sandbox.fsck();
}

#[test]
fn unstaged_edits_of_the_note_stay_unstaged() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", &NOTE.replace("Last line", "My own line"));
    let edits = sandbox.git(&["diff", "graph/a.md"]);
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole, []);
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
    assert_eq!(sandbox.git(&["diff", "--cached"]), "");
    let hunk = |diff: &str| diff.lines().skip_while(|line| !line.starts_with("-L")).collect::<String>();
    assert_eq!(hunk(&sandbox.git(&["diff", "graph/a.md"])), hunk(&edits));
    sandbox.fsck();
}

#[test]
fn staged_and_unstaged_edits_of_one_note_stay_what_they_are() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", &NOTE.replace("First", "Staged"));
    sandbox.git(&["add", "graph/a.md"]);
    let edited = NOTE.replace("First", "Staged").replace("Last", "Edited");
    sandbox.write("graph/a.md", &edited);
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole, []);
    let ours = raise(NOTE).unwrap();
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), ours);
    assert_eq!(sandbox.git(&["show", ":graph/a.md"]), ours.replace("First", "Staged"));
    assert_eq!(sandbox.read("graph/a.md"), raise(&edited).unwrap());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "MM graph/a.md\n");
    sandbox.fsck();
}

#[test]
fn a_wholly_staged_edit_stays_staged() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", &NOTE.replace("First", "Staged"));
    sandbox.git(&["add", "graph/a.md"]);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "M  graph/a.md\n");
}

#[test]
fn a_note_whose_edits_cannot_be_told_apart_goes_in_whole_and_says_so() {
    let sandbox = Sandbox::with_note();
    let edited = NOTE.replace("First", "Edited");
    sandbox.write("graph/a.md", &edited.replace("1", "9"));
    let change = write("graph/a.md", Some(&edited), &edited.replace("1", "9"), None);
    let committed = sandbox.repo().commit(&[change], &message("a"), &options()).unwrap().unwrap();
    assert_eq!(committed.whole, [NotePath::parse("graph/a.md").unwrap()]);
    assert_eq!(sandbox.others(&[]), "");
    let said = sandbox.git(&["log", "-1", "--format=%B"]);
    assert!(said.contains("Committed as a whole, including manual edits:\n- graph/a.md\n"), "{said}");
    let read = CommitMessage::parse(&said).unwrap();
    assert_eq!((read.op.as_str(), read.ids.as_slice()), ("pin", ["n".to_owned()].as_slice()));
}

#[test]
fn a_staged_version_that_does_not_take_the_change_goes_in_whole() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", "no score at all\n");
    sandbox.git(&["add", "graph/a.md"]);
    sandbox.write("graph/a.md", NOTE);
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole.len(), 1);
    assert_eq!(sandbox.others(&[]), "");
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
}

#[test]
fn a_note_that_was_never_committed_goes_in_whole() {
    for intended in [false, true] {
        let sandbox = Sandbox::with_note();
        sandbox.write("graph/c.md", NOTE);
        if intended {
            sandbox.git(&["add", "-N", "graph/c.md"]);
        }
        let committed = sandbox.here().curate("graph/c.md").unwrap().unwrap();
        assert_eq!(committed.whole.len(), 1);
        assert_eq!(sandbox.others(&[]), "");
        sandbox.fsck();
    }
}

#[test]
fn what_is_taken_whole_is_no_surprise() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", "staged\n");
    sandbox.git(&["add", "graph/a.md"]);
    sandbox.write("graph/a.md", "all of it\n");
    let path = NotePath::parse("graph/a.md").unwrap();
    let change =
        PathChange { path, from: Vec::new(), kind: PathChangeKind::Whole { bytes: b"all of it\n".to_vec() } };
    let committed = sandbox.repo().commit(&[change], &message("a"), &options()).unwrap().unwrap();
    assert_eq!(committed.whole, []);
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn a_removal_staged_by_hand_stays_staged() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["rm", "-q", "--cached", "graph/a.md"]);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "D  graph/a.md\n?? graph/a.md\n");
}

#[test]
fn a_note_saved_again_while_it_is_committed_stays_modified() {
    let sandbox = Sandbox::with_note();
    let after = raise(NOTE).unwrap();
    // Of the same length as what is committed, and within the same second.
    sandbox.write("graph/a.md", &after.replace("First", "Xirst"));
    let change = write("graph/a.md", Some(NOTE), &after, Some(&raise));
    sandbox.repo().commit(&[change], &message("a"), &options()).unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), after);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/a.md\n");
}

#[test]
fn an_edit_of_the_same_length_in_the_same_second_is_still_seen() {
    for _ in 0..10 {
        let sandbox = Sandbox::new();
        sandbox.write("graph/a.md", NOTE);
        sandbox.write("graph/b.md", "b\n");
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "Begin"]);
        let times = fs::metadata(sandbox.root.join("graph/b.md")).unwrap();
        // In place: the inode stays, and so does, to the second, the time.
        fs::write(sandbox.root.join("graph/b.md"), "c\n").unwrap();
        let file = fs::File::options().write(true).open(sandbox.root.join("graph/b.md")).unwrap();
        file.set_modified(times.modified().unwrap()).unwrap();
        sandbox.here().curate("graph/a.md").unwrap().unwrap();
        // A later index would otherwise vouch for the entry.
        let index = fs::File::options().write(true).open(sandbox.root.join(".git/index")).unwrap();
        index.set_modified(times.modified().unwrap() + Duration::from_secs(5)).unwrap();
        assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/b.md\n");
    }
}

#[test]
fn many_files_committed_in_the_second_of_the_index_stay_clean_by_their_stat_data() {
    let sandbox = Sandbox::with_note();
    for number in 0..400 {
        sandbox.write(&format!("graph/{number}.md"), "b\n");
    }
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "Many"]);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    // Without hashing: git's plumbing reports whatever the stat data do not vouch for.
    let index = fs::File::options().write(true).open(sandbox.root.join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
    assert_eq!(sandbox.git(&["diff-files"]), "");
}

#[test]
fn an_edit_right_after_a_commit_is_a_manual_edit() {
    for _ in 0..10 {
        let sandbox = Sandbox::with_note();
        sandbox.here().curate("graph/a.md").unwrap().unwrap();
        assert_eq!(sandbox.repo().hand_edits().unwrap(), []);
        let text = sandbox.read("graph/a.md");
        // In place and of the same length.
        fs::write(sandbox.root.join("graph/a.md"), text.replace("First", "Xirst")).unwrap();
        let path = NotePath::parse("graph/a.md").unwrap();
        assert_eq!(sandbox.repo().hand_edits().unwrap(), [(path, crate::git::EditKind::Modified)]);
    }
}

#[test]
fn git_finds_the_committed_note_clean_by_its_stat_data() {
    let sandbox = Sandbox::with_note();
    sandbox.here().curate("graph/a.md").unwrap();
    // Without hashing: git's plumbing reports whatever the stat data do not vouch for.
    let index = fs::File::options().write(true).open(sandbox.root.join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
    assert_eq!(sandbox.git(&["diff-files"]), "");
}

#[test]
fn the_cached_trees_of_the_index_stay_true() {
    let sandbox = Sandbox::with_note();
    sandbox.here().curate("graph/a.md").unwrap();
    assert_eq!(sandbox.git(&["write-tree"]), sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "Empty"]);
    assert_eq!(sandbox.git(&["diff", "HEAD~1", "HEAD"]), "");
}

#[test]
fn committing_again_changes_nothing_and_repairs_the_index() {
    let sandbox = Sandbox::with_note();
    let after = raise(NOTE).unwrap();
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    // As a crash between the branch and the index leaves it.
    sandbox.git(&["reset", "-q", "HEAD~1", "--", "graph/a.md"]);
    let change = || write("graph/a.md", Some(NOTE), &after, Some(&raise));
    assert_eq!(sandbox.repo().commit(&[change()], &message("a"), &options()).unwrap(), None);
    assert_eq!(sandbox.others(&[]), "");
    assert_eq!(sandbox.git(&["rev-list", "--count", "HEAD"]), "2\n");
}

#[test]
fn flags_and_the_executable_bit_survive() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["update-index", "--skip-worktree", "graph/b.md"]);
    sandbox.git(&["update-index", "--assume-unchanged", "graph/a.md"]);
    fs::set_permissions(sandbox.root.join("graph/a.md"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    sandbox.git(&["update-index", "--chmod=+x", "graph/a.md"]);
    sandbox.git(&["commit", "-q", "-m", "Executable"]);
    let flags = sandbox.git(&["ls-files", "-v"]);
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(sandbox.git(&["ls-files", "-v"]), flags);
    assert!(sandbox.git(&["ls-tree", "-r", "HEAD", "graph/a.md"]).starts_with("100755"));
}

#[test]
fn what_cannot_stand_beside_a_tracked_path_is_refused() {
    let sandbox = Sandbox::with_note();
    let refused = |path: &str| {
        sandbox.repo().commit(&[write(path, None, "x", None)], &message(path), &options()).unwrap_err()
    };
    let shown = sandbox.others(&[]);
    assert!(matches!(refused("graph"), Error::Collision { tracked, .. } if tracked == "graph/"));
    assert!(
        matches!(refused("graph/a.md/c.md"), Error::Collision { tracked, .. } if tracked == "graph/a.md")
    );
    // Tracked by the index alone.
    sandbox.write("later", "x");
    sandbox.git(&["add", "later"]);
    assert!(matches!(refused("later/c.md"), Error::Collision { tracked, .. } if tracked == "later"));
    sandbox.git(&["rm", "-q", "--cached", "later"]);
    fs::remove_file(sandbox.root.join("later")).unwrap();
    std::os::unix::fs::symlink("graph/a.md", sandbox.root.join("link.md")).unwrap();
    sandbox.git(&["add", "link.md"]);
    sandbox.git(&["commit", "-q", "-m", "Link"]);
    assert!(matches!(refused("link.md"), Error::NotAFile { .. }));
    assert_eq!(sandbox.others(&[]), shown);
}

#[test]
fn a_file_may_become_a_folder_in_one_curation() {
    let sandbox = Sandbox::with_note();
    fs::remove_file(sandbox.root.join("graph/b.md")).unwrap();
    sandbox.write("graph/b.md/c.md", "c");
    let changes = [write("graph/b.md/c.md", None, "c", None), remove("graph/b.md")];
    sandbox.repo().commit(&changes, &message("b"), &options()).unwrap().unwrap();
    assert_eq!(sandbox.git(&["ls-files"]), "graph/a.md\ngraph/b.md/c.md\n");
    assert_eq!(sandbox.others(&[]), "");
    sandbox.fsck();
}

#[test]
fn ignored_notes_are_refused_unless_tracked() {
    let sandbox = Sandbox::with_note();
    sandbox.write(".gitignore", "/private/\ngraph/a.md\n");
    sandbox.write("private/c.md", NOTE);
    let change = write("private/c.md", None, NOTE, None);
    let refused = sandbox.repo().commit(&[change], &message("c"), &options()).unwrap_err();
    assert!(matches!(refused, Error::Ignored { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("private/c.md"));
    assert!(sandbox.here().curate("graph/a.md").unwrap().is_some());
    sandbox.git(&["add", "-f", "private/c.md"]);
    assert!(sandbox.here().curate("private/c.md").unwrap().is_some());
}

#[test]
fn an_unresolved_note_is_refused() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", &NOTE.replace("First", "Stashed"));
    sandbox.git(&["stash", "-q"]);
    sandbox.write("graph/a.md", &NOTE.replace("First", "Other"));
    sandbox.git(&["commit", "-q", "-am", "Other"]);
    sandbox.here().fails(&["stash", "pop"]);
    let before = sandbox.others(&[]);
    let change = write("graph/a.md", Some(NOTE), &raise(NOTE).unwrap(), Some(&raise));
    let refused = sandbox.repo().commit(&[change], &message("a"), &options()).unwrap_err();
    assert!(matches!(refused, Error::Unmerged { .. }), "{refused}");
    // Other notes can be curated, and the conflict stays one.
    sandbox.write("graph/c.md", NOTE);
    sandbox
        .repo()
        .commit(&[write("graph/c.md", None, NOTE, None)], &message("c"), &options())
        .unwrap()
        .unwrap();
    assert_eq!(sandbox.others(&[]), before);
}

#[test]
fn line_endings_are_stored_as_git_would() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    let crlf = NOTE.replace('\n', "\r\n");
    sandbox.write("graph/a.md", &crlf);
    sandbox.git(&["add", "--renormalize", "."]);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
    assert_eq!(sandbox.read("graph/a.md"), raise(&crlf).unwrap());
    assert_eq!(sandbox.others(&[]), "");
    // With hand edits beside it.
    let sandbox = Sandbox::with_note();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.write("graph/a.md", &crlf.replace("First", "Edited"));
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole, []);
    assert_eq!(sandbox.git(&["show", "HEAD:graph/a.md"]), raise(NOTE).unwrap());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/a.md\n");
}

#[test]
fn a_note_stored_with_crlf_keeps_it_whatever_the_settings_say() {
    let sandbox = Sandbox::new();
    let crlf = NOTE.replace('\n', "\r\n");
    sandbox.write("graph/a.md", &crlf);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "Begin"]);
    sandbox.git(&["config", "core.autocrlf", "true"]);
    let after = raise(&crlf).unwrap();
    sandbox.write("graph/a.md", &after);
    let change = write("graph/a.md", Some(&crlf), &after, None);
    let committed = sandbox.repo().commit(&[change], &message("a"), &options()).unwrap().unwrap();
    assert_eq!(committed.whole, []);
    assert_eq!(sandbox.git(&["show", "--numstat", "--format=", "HEAD"]), "1\t1\tgraph/a.md\n");
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn clean_and_smudge_filters_apply_both_ways() {
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "filter.rot.clean", "tr a-z n-za-m"]);
    sandbox.git(&["config", "filter.rot.smudge", "tr a-z n-za-m"]);
    sandbox.write(".gitattributes", "*.md filter=rot\n");
    sandbox.begin();
    assert_ne!(sandbox.git(&["show", "HEAD:graph/a.md"]), NOTE);
    sandbox.write("graph/a.md", &NOTE.replace("First", "Edited"));
    let committed = sandbox.here().curate("graph/a.md").unwrap().unwrap();
    assert_eq!(committed.whole, []);
    let path = NotePath::parse("graph/a.md").unwrap();
    let stored = sandbox.repo().read_at(committed.id, &path).unwrap().unwrap();
    assert_eq!(String::from_utf8(stored).unwrap(), raise(NOTE).unwrap());
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M graph/a.md\n");
}
