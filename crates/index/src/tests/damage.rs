//! Queries return the same results no matter which index files are damaged.

use std::fs;
use std::path::{Path, PathBuf};

use super::vault::Vault;
use crate::RebuildReason;

fn vault() -> Vault {
    let vault = Vault::of(&[]);
    for note in 0..12 {
        let text = format!(
            "tags: net\nupdated: 2026-01-{:02}\n\nThe socket timeout {}",
            note + 1,
            "retry ".repeat(note)
        );
        vault.write(&format!("graph/fixes/n{note}.md"), &text);
    }
    vault.refresh();
    // A few deltas, so that logs and deletions are there to be damaged too.
    for note in 0..2 {
        vault.write(&format!("graph/fixes/n{note}.md"), "connection reset: another socket");
        vault.refresh();
    }
    vault
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { all.extend(files(&entry)) } else { all.push(entry) }
    }
    all.sort();
    all
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

/// Damages each file in turn, starting from the same sound index each time.
fn each_file(damage: impl Fn(&Path)) {
    let vault = vault();
    let seen = vault.seen();
    let folder = vault.path("_index");
    let sound = tempfile::tempdir().unwrap();
    copy(&folder, sound.path());
    for file in files(sound.path()) {
        copy(sound.path(), &folder);
        let name = file.strip_prefix(sound.path()).unwrap();
        damage(&folder.join(name));
        vault.index.reopen();
        let refreshed = vault.refresh();
        assert_eq!(vault.seen(), seen, "{}: {refreshed:?}", name.display());
        let again = vault.refresh();
        assert_eq!((again.rebuilt, again.updated.len()), (None, 0), "{}", name.display());
    }
}

#[test]
fn any_file_may_go() {
    each_file(|file| fs::remove_file(file).unwrap());
}

#[test]
fn any_file_may_be_cut_short() {
    for part in [0, 2] {
        each_file(|file| {
            let length = fs::metadata(file).unwrap().len();
            fs::File::options().write(true).open(file).unwrap().set_len(length * part / 3).unwrap();
        });
    }
}

#[test]
fn any_file_may_have_a_flipped_bit() {
    for (part, bit) in [(1, 3), (3, 7)] {
        each_file(|file| {
            let mut bytes = fs::read(file).unwrap();
            if let Some(last) = bytes.len().checked_sub(1) {
                bytes[last * part / 3] ^= 1 << bit;
                fs::write(file, bytes).unwrap();
            }
        });
    }
}

#[test]
fn any_file_may_be_replaced_by_noise() {
    each_file(|file| fs::write(file, b"not what it was".repeat(9)).unwrap());
}

#[test]
fn a_folder_may_stand_where_a_file_was_and_a_file_where_the_index_was() {
    let vault = vault();
    let seen = vault.seen();
    for name in ["current", "lock", "queue", "queue.taken"] {
        let _ = fs::remove_file(vault.path("_index").join(name));
        fs::create_dir(vault.path("_index").join(name)).unwrap();
    }
    assert!(matches!(vault.refresh().rebuilt, Some(RebuildReason::Damaged(_))));
    assert_eq!(vault.seen(), seen);
    fs::remove_dir_all(vault.path("_index")).unwrap();
    fs::write(vault.path("_index"), "a file").unwrap();
    assert!(matches!(vault.refresh().rebuilt, Some(RebuildReason::Damaged(_))));
    assert_eq!(vault.seen(), seen);
}

#[test]
fn another_version_is_told_apart_from_damage() {
    let vault = vault();
    let current = vault.path("_index/current");
    let mut bytes = fs::read(&current).unwrap();
    bytes[4] += 1;
    fs::write(&current, bytes).unwrap();
    assert_eq!(vault.refresh().rebuilt, Some(RebuildReason::Foreign));
    fs::write(&current, "").unwrap();
    assert!(matches!(vault.refresh().rebuilt, Some(RebuildReason::Damaged(_))));
}

#[test]
fn a_copied_index_is_taken_as_it_is() {
    let vault = vault();
    let seen = vault.seen();
    let aside = tempfile::tempdir().unwrap();
    copy(&vault.path("_index"), aside.path());
    copy(aside.path(), &vault.path("_index"));
    vault.index.reopen();
    assert_eq!(vault.refresh().rebuilt, None);
    assert_eq!(vault.seen(), seen);
    assert!(vault.another().text().unwrap().text.is_sealed());
}

#[test]
fn a_build_that_died_leaves_nothing_behind() {
    let vault = vault();
    fs::create_dir_all(vault.path("_index/gabandoned/text")).unwrap();
    vault.write("new.md", "new");
    vault.refresh();
    assert!(!vault.path("_index/gabandoned").exists());
    let generations =
        fs::read_dir(vault.path("_index")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(generations.count(), 1);
}

#[test]
fn a_death_between_the_commit_and_the_manifest_is_mended() {
    let vault = vault();
    let manifest = |name: &str| {
        files(&vault.path("_index"))
            .into_iter()
            .find(|file| file.file_name().is_some_and(|file| file == name))
            .unwrap()
    };
    let log = fs::read(manifest("manifest.log")).unwrap();
    vault.write("late.md", "a late socket");
    vault.refresh();
    fs::write(manifest("manifest.log"), log).unwrap();
    fs::remove_file(vault.path("late.md")).unwrap();
    assert!(vault.refresh().rebuilt.is_some());
    assert_eq!(vault.search("late"), Vec::<String>::new());
}
