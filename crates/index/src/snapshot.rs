//! Indexes of immutable content, such as the vault at a commit. Each has its own folder, and only
//! the most recently used ones are retained. Where no folder can be written, a temporary index
//! serves a single process.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::error::{Error, at};
use super::store::Index;

/// File whose modification time records the last use of an index.
const USED: &str = "used";
/// Prefix of the names of index folders that are being removed.
const GONE: &str = ".gone";
/// Lock file next to the index folders: shared while an index is in use, exclusive while some are
/// removed.
const LOCK: &str = "lock";

impl Index {
    /// Creates an index in a temporary folder that is removed with the handle.
    pub fn temporary() -> Result<Self, Error> {
        let folder =
            tempfile::Builder::new().prefix("cm-past-").tempdir().map_err(at(&std::env::temp_dir()))?;
        let mut index = Self::open(folder.path());
        index.passing = Some(folder);
        Ok(index)
    }

    /// Protects this index from removal while the handle lives, after deleting all sibling indexes
    /// but the `most` last used ones (this one included). Deletes nothing while another process
    /// uses a sibling; the next call tries again.
    pub fn retain_recent(&self, most: usize) {
        if self.passing.is_some() {
            return;
        }
        let Some(above) = self.folder().parent() else { return };
        // Where nothing can be written, nothing is removed either.
        let Ok(lock) = fs::create_dir_all(above).and_then(|()| fs::File::create(above.join(LOCK))) else {
            return;
        };
        if lock.try_lock().is_ok() {
            remove_all_but(most, above, self.folder());
            let _ = lock.unlock();
        }
        if lock.lock_shared().is_ok() {
            let _ = fs::create_dir_all(self.folder()).and_then(|()| fs::write(self.folder().join(USED), b""));
            self.hold(lock);
        }
    }
}

fn remove_all_but(most: usize, above: &Path, own: &Path) {
    let Ok(entries) = fs::read_dir(above) else { return };
    let mut others = Vec::new();
    for entry in entries.flatten().filter(|entry| entry.path() != own) {
        if entry.file_name().to_string_lossy().starts_with(GONE) {
            let _ = fs::remove_dir_all(entry.path());
        } else if entry.path().is_dir() {
            others.push((last_used(&entry.path()), entry.path()));
        }
    }
    others.sort_unstable_by(|a, b| b.cmp(a));
    others.into_iter().skip(most.saturating_sub(1)).for_each(|(_, folder)| remove(&folder));
}

fn last_used(folder: &Path) -> SystemTime {
    let time = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    time(&folder.join(USED)).or_else(|_| time(folder)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Renames the folder before deleting it, so that an interruption never leaves a half-empty index.
fn remove(folder: &Path) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!("{GONE}-{name}"));
    if fs::rename(folder, &aside).is_ok() {
        let _ = fs::remove_dir_all(aside);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn used(above: &Path, name: &str, seconds: u64) -> Index {
        let folder = above.join(name);
        fs::create_dir_all(&folder).unwrap();
        let file = fs::File::create(folder.join(USED)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        Index::open(&folder)
    }

    fn names(above: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(above)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_ones_used_last_are_kept_and_what_is_left_of_removed_ones_goes() {
        let above = tempfile::tempdir().unwrap();
        let index = used(above.path(), "a", 1);
        for (name, seconds) in [("b", 4), ("c", 2), ("d", 3)] {
            used(above.path(), name, seconds);
        }
        fs::create_dir(above.path().join(".gone-x")).unwrap();
        index.retain_recent(3);
        assert_eq!(names(above.path()), ["a", "b", "d", "lock"]);
    }

    #[test]
    fn what_somebody_uses_stays_until_it_is_used_no_more() {
        let above = tempfile::tempdir().unwrap();
        let busy = used(above.path(), "b", 1);
        busy.retain_recent(1);
        used(above.path(), "a", 1).retain_recent(1);
        assert_eq!(names(above.path()), ["a", "b", "lock"]);
        drop(busy);
        used(above.path(), "a", 1).retain_recent(1);
        assert_eq!(names(above.path()), ["a", "lock"]);
    }

    #[test]
    fn a_passing_index_goes_with_its_handle() {
        let index = Index::temporary().unwrap();
        let folder = index.folder().to_owned();
        assert!(folder.is_dir());
        drop(index);
        assert!(!folder.exists());
    }
}
