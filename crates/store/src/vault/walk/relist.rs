//! Updates a listing for paths that changed, instead of walking all folders again.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use cm_note::listing::{FileStat, VaultListing};
use cm_note::path::{GENERATED, NotePath};

use super::{DERIVED, EntryStat, FdFolder, Walk, is_excluded, is_note_name};

/// Updates `listing` for the changed files and folders, which are relative to `root`, and returns the
/// notes that were changed, created or deleted. New folders are walked with `visit`, as by
/// [`super::walk_visiting`]. Returns `None` without a change of the listing if only a walk can tell
/// the new one: if links, findings or nested repositories are involved.
pub fn relist(
    root: &Path,
    exclude: &[String],
    listing: &mut VaultListing,
    changed: &BTreeSet<String>,
    visit: &mut dyn FnMut(&str),
) -> Option<BTreeSet<NotePath>> {
    if listing.links > 0 || !listing.findings.is_empty() {
        return None;
    }
    if changed.iter().any(|path| path.rsplit('/').next() == Some(".git")) {
        return None;
    }
    let changed = changed.iter().filter(|path| is_walked(exclude, path));
    let found: Vec<(&String, Vec<FileStat>)> =
        changed.map(|path| Some((path, look(root, exclude, path, visit)?))).collect::<Option<_>>()?;
    let mut notes = BTreeSet::new();
    found.into_iter().for_each(|(path, found)| replace(listing, path, found, &mut notes));
    Some(notes)
}

/// Whether a walk would come to this path.
fn is_walked(exclude: &[String], path: &str) -> bool {
    let mut parent = "";
    path.split('/').all(|name| {
        let is_derived = parent.is_empty() && DERIVED.contains(&name);
        let is_skipped = name.starts_with('.')
            || is_derived
            || name == "node_modules"
            || is_excluded(exclude, parent, name);
        parent = path.get(..parent.len() + usize::from(!parent.is_empty()) + name.len()).unwrap_or(path);
        !is_skipped
    })
}

/// The notes at a path and below it now; `None` for links, and for what cannot be read.
fn look(root: &Path, exclude: &[String], path: &str, visit: &mut dyn FnMut(&str)) -> Option<Vec<FileStat>> {
    match std::fs::symlink_metadata(root.join(path)) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Some(Vec::new())
        }
        Ok(metadata) if metadata.is_dir() => below(root, exclude, path, visit),
        Ok(metadata) if metadata.is_file() => {
            Some(note(path, &EntryStat::from(&metadata))?.into_iter().collect())
        }
        _ => None,
    }
}

/// The file's entry in the listing; empty if it is not a note, `None` if the path is not valid.
fn note(path: &str, stat: &EntryStat) -> Option<Option<FileStat>> {
    if !is_note_name(path.as_bytes()) || GENERATED.contains(&path) {
        return Some(None);
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let EntryStat { size, mtime_ns, ctime_ns, inode, .. } = *stat;
    Some(Some(FileStat { path: NotePath::below(folder, name)?, size, mtime_ns, ctime_ns, inode }))
}

/// The notes below a folder; `None` if there are links or findings.
fn below(root: &Path, exclude: &[String], path: &str, visit: &mut dyn FnMut(&str)) -> Option<Vec<FileStat>> {
    let mut walk =
        Walk { exclude, visit, buffer: Vec::new(), links: Vec::new(), listing: VaultListing::default() };
    walk.folder(&FdFolder::root(&root.join(path)).ok()?, path, path.split('/').count());
    let is_plain = walk.links.is_empty() && walk.listing.findings.is_empty();
    is_plain.then_some(walk.listing.files)
}

/// Replaces the entries of a path and of everything below it.
fn replace(listing: &mut VaultListing, path: &str, found: Vec<FileStat>, notes: &mut BTreeSet<NotePath>) {
    let is_at = |file: &FileStat| {
        file.path.as_str().strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let before = |file: &FileStat| file.path.as_str() < path;
    let exact = listing.files.partition_point(before);
    // Between a path and what is below it, names such as `a-b` and `a.md` may come.
    let last = listing.files.partition_point(|file| before(file) || file.path.as_str().starts_with(path));
    let mut old = Vec::new();
    for at in (exact..last).rev() {
        if listing.files.get(at).is_some_and(is_at) {
            old.push(listing.files.remove(at));
        }
    }
    let differs = |one: &FileStat, others: &[FileStat]| !others.contains(one);
    notes.extend(found.iter().filter(|file| differs(file, &old)).map(|file| file.path.clone()));
    notes.extend(old.iter().filter(|file| differs(file, &found)).map(|file| file.path.clone()));
    for file in found {
        let at = listing.files.partition_point(|other| other.path < file.path);
        listing.files.insert(at, file);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::super::{walk, walk_visiting};
    use super::*;

    /// Changes the file or folder `path`, as `step` says.
    fn change(root: &Path, path: &str, step: u8) {
        let path = root.join(path);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        let _ = match step {
            0 => Ok(()),
            1 => fs::create_dir_all(&path),
            2 => fs::create_dir_all(&path).and_then(|()| fs::write(path.join("inner.md"), "text")),
            length => fs::create_dir_all(path.parent().unwrap())
                .and_then(|()| fs::write(&path, "x".repeat(usize::from(length)))),
        };
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_is_what_a_walk_would_find(
            steps in proptest::collection::vec(("(a|b|c-d|_index|node_modules)(/(a|b|[.]h))?(|[.]md|-b[.]md)", 0u8..6), 1..20),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let exclude = ["c-d/b".to_owned()];
            let (first, then) = steps.split_at(steps.len() / 2);
            first.iter().for_each(|(path, step)| change(dir.path(), path, *step));
            let mut listing = walk(dir.path(), &exclude);
            let before = listing.clone();
            then.iter().for_each(|(path, step)| change(dir.path(), path, *step));
            // Creating a folder or a file tells of each folder above it as well, when it is new.
            let changed: BTreeSet<String> = then
                .iter()
                .flat_map(|(path, _)| [path.clone(), path.split('/').next().unwrap().to_owned()])
                .collect();
            let notes = relist(dir.path(), &exclude, &mut listing, &changed, &mut |_| {}).unwrap();
            let now = walk(dir.path(), &exclude);
            prop_assert_eq!(&listing, &now);
            let differing = |one: &VaultListing, other: &VaultListing| -> Vec<NotePath> {
                one.files.iter().filter(|file| !other.files.contains(file)).map(|file| file.path.clone()).collect()
            };
            let expected: BTreeSet<NotePath> =
                differing(&before, &now).into_iter().chain(differing(&now, &before)).collect();
            prop_assert_eq!(notes, expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_repositories_need_a_walk() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "text").unwrap();
        let listing = walk_visiting(dir.path(), &[], &mut |_| {});
        let relisted = |path: &str| {
            relist(dir.path(), &[], &mut listing.clone(), &[path.to_owned()].into(), &mut |_| {}).is_some()
        };
        assert!(relisted("a.md"));
        std::os::unix::fs::symlink("a.md", dir.path().join("b.md")).unwrap();
        assert!(!relisted("b.md"));
        assert!(!relisted("sub/.git"));
        fs::create_dir(dir.path().join("c")).unwrap();
        std::os::unix::fs::symlink("../a.md", dir.path().join("c/d.md")).unwrap();
        assert!(!relisted("c"));
        let linked = walk(dir.path(), &[]);
        assert_eq!(linked.links, 2);
    }
}
