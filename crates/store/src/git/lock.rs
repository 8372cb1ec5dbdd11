//! Git's lock on the index, taken so that a killed process never leaves it behind permanently.
//!
//! Git's lock is the mere existence of a file, without an owner. Therefore the file is first
//! created as a mark file next to the index, locked by the kernel (which releases it on any kind of
//! exit), and then hard-linked to `index.lock`. The next process detects a mark without an owner
//! and completes or reverts the operation: if the mark's name contains a commit and the branch has
//! that commit, the new index is valid.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gix::ObjectId;
use gix::bstr::ByteSlice;

use crate::git::error::{Error, InPath, Result};
use crate::git::repo::Repo;

const MARK: &str = "index.cm-";

/// The index lock, held until it is published or dropped.
pub(super) struct IndexLock {
    index: PathBuf,
    lock: PathBuf,
    /// Path of the mark, a hard link to the lock file by which other processes recognize a lock
    /// whose owner died; `None` if the file system has no hard links.
    mark: Option<PathBuf>,
    file: File,
    published: bool,
}

impl IndexLock {
    /// Acquires the lock, waiting at most `wait`.
    pub fn take(repo: &Repo, wait: Duration) -> Result<Self> {
        repo.recover()?;
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(lock) = Self::attempt(&repo.index)? {
                return Ok(lock);
            }
            let waited = begun.elapsed();
            if waited >= wait {
                return Err(Error::Locked { path: lock_of(&repo.index), waited });
            }
            std::thread::sleep(pause.min(wait - waited));
            pause = (pause * 2).min(Duration::from_millis(100));
            repo.recover()?;
        }
    }

    fn attempt(index: &Path) -> Result<Option<Self>> {
        let lock = lock_of(index);
        if cfg!(not(unix)) {
            return Self::without_links(index, lock);
        }
        let mark = fresh_mark(index);
        let file = create(&mark).in_path(&mark)?;
        file.lock().in_path(&mark)?;
        let taken = match fs::hard_link(&mark, &lock) {
            Ok(()) => Some(Some(mark)),
            // A recovering process may have removed the mark between its making and its locking.
            Err(err) if matches!(err.kind(), ErrorKind::AlreadyExists | ErrorKind::NotFound) => {
                remove(&mark).in_path(&mark)?;
                None
            }
            Err(_) => {
                remove(&mark).in_path(&mark)?;
                return Self::without_links(index, lock);
            }
        };
        Ok(taken.map(|mark| Self { index: index.to_owned(), lock, mark, file, published: false }))
    }

    fn without_links(index: &Path, lock: PathBuf) -> Result<Option<Self>> {
        match create(&lock) {
            Ok(file) => Ok(Some(Self { index: index.to_owned(), lock, mark: None, file, published: false })),
            Err(err) if err.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(err) => Err(err).in_path(&lock),
        }
    }

    /// The lock file, which becomes the index.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Records the commit that the new index belongs to in the name of the mark. Called after the
    /// index was written and before the branch moves, so that [`Repo::recover`] can finish the
    /// commit.
    pub fn announce(&mut self, commit: ObjectId) -> Result<()> {
        let Some(mark) = &mut self.mark else { return Ok(()) };
        let renamed = self.index.with_file_name(format!("{MARK}{commit}"));
        fs::rename(&*mark, &renamed).in_path(&renamed)?;
        *mark = renamed;
        Ok(())
    }

    /// Replaces the index with the lock file.
    pub fn publish(mut self) -> Result<()> {
        if let Ok(old) = fs::metadata(&self.index) {
            self.file.set_permissions(old.permissions()).in_path(&self.lock)?;
        }
        fs::rename(&self.lock, &self.index).in_path(&self.index)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // Failures leave a mark without an owner, which the next one clears away.
        if !self.published && same_file(&self.file, &self.lock) {
            let _ = fs::remove_file(&self.lock);
        }
        if let Some(mark) = &self.mark {
            let _ = fs::remove_file(mark);
        }
    }
}

impl Repo {
    /// Completes or reverts operations of processes that died while holding the index lock.
    pub fn recover(&self) -> Result<()> {
        let folder = self.git_dir();
        let names = fs::read_dir(folder).in_path(folder)?;
        for entry in names {
            let entry = entry.in_path(folder)?;
            if let Some(commit) = entry.file_name().to_str().and_then(|name| name.strip_prefix(MARK)) {
                self.recover_mark(&entry.path(), ObjectId::from_hex(commit.as_bytes()).ok())?;
            }
        }
        Ok(())
    }

    fn recover_mark(&self, mark: &Path, commit: Option<ObjectId>) -> Result<()> {
        let file = match OpenOptions::new().read(true).write(true).open(mark) {
            Ok(file) => file,
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(()),
            Err(err) => return Err(err).in_path(mark),
        };
        // Held: its owner lives. Freed meanwhile and removed: nothing is left to do.
        if file.try_lock().is_err() || !same_file(&file, mark) {
            return Ok(());
        }
        if let Some(commit) = commit {
            self.drop_reference_locks(&file, commit)?;
        }
        let lock = lock_of(&self.index);
        if same_file(&file, &lock) {
            let landed = commit.is_some() && self.head_id()? == commit;
            if landed {
                fs::rename(&lock, &self.index).in_path(&self.index)?;
            } else {
                remove(&lock).in_path(&lock)?;
            }
        }
        remove(mark).in_path(mark)
    }

    /// Removes the reference locks that the dead process with this mark left. They contain the id
    /// of `commit`, or are empty and were created within two seconds after the mark changed.
    fn drop_reference_locks(&self, mark: &File, commit: ObjectId) -> Result<()> {
        let mut locks =
            vec![self.git_dir().join("HEAD.lock"), self.inner.common_dir().join("packed-refs.lock")];
        if let Ok(head) = self.inner.head()
            && let Some(name) = head.referent_name()
            && let Ok(name) = name.as_bstr().to_str()
        {
            locks.push(self.inner.common_dir().join(format!("{name}.lock")));
        }
        let announced = mark.metadata().and_then(|meta| meta.modified());
        for lock in locks {
            let Ok(content) = fs::read(&lock) else { continue };
            let made = fs::metadata(&lock).and_then(|meta| meta.modified());
            let at_once = match (&announced, made) {
                (Ok(announced), Ok(made)) => {
                    made.duration_since(*announced).is_ok_and(|gap| gap < Duration::from_secs(2))
                }
                _ => false,
            };
            if content.trim() == commit.to_string().as_bytes() || (content.is_empty() && at_once) {
                remove(&lock).in_path(&lock)?;
            }
        }
        Ok(())
    }
}

fn lock_of(index: &Path) -> PathBuf {
    index.with_file_name("index.lock")
}

/// Returns an unused path for a mark, made unique by the process id and a counter.
fn fresh_mark(index: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    index.with_file_name(format!("{MARK}p{}-{count}", std::process::id()))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(err) if err.kind() != ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

/// Whether the path refers to the open file.
#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
        _ => false,
    }
}

/// Always true: without marks on this platform, only the owner checks its own lock.
#[cfg(not(unix))]
fn same_file(_: &File, _: &Path) -> bool {
    true
}
