//! Hashes of files, to check that nothing changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names of derived and private folders and files, and of Git's folder.
const NOT_THE_PERSONS: [&str; 5] = [".git", "_index", "_state", "_embeddings", "_config.toml"];

/// Maps paths below `folder` to BLAKE3 hashes, for the user's own files only: without Git's folder,
/// derived files and private files.
pub fn hashes(folder: &Path) -> BTreeMap<String, String> {
    let mut all = everything(folder);
    all.retain(|path, _| !path.split('/').any(|part| NOT_THE_PERSONS.contains(&part)));
    all
}

/// Maps paths below `folder` to BLAKE3 hashes, for all files. A symbolic link is hashed by its
/// target path.
pub fn everything(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder that a test asks about can be read").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("the kind of a file is known");
        if kind.is_dir() {
            collect(root, &path, found);
            continue;
        }
        let bytes = if kind.is_symlink() {
            fs::read_link(&path).expect("a link can be read").to_string_lossy().into_owned().into_bytes()
        } else {
            fs::read(&path).expect("a file that a test asks about can be read")
        };
        let name = path.strip_prefix(root).expect("it lies below the root").to_string_lossy().into_owned();
        found.insert(name, blake3::hash(&bytes).to_hex().to_string());
    }
}

#[test]
fn one_changed_byte_shows_and_derived_files_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("graph/fixes/a.md", "one");
    let before = hashes(folder.path());
    put("_index/manifest", "derived");
    put("_config.toml", "private");
    assert_eq!(hashes(folder.path()), before);
    assert_eq!(everything(folder.path()).len(), 3);
    put("graph/fixes/a.md", "onf");
    assert_ne!(hashes(folder.path()), before);
}
