//! Detects changes in a vault's folders without walking them.
//!
//! The kernel queues each change before the system call that made it returns, and the queue is read
//! on demand. All earlier changes are therefore visible, without a background thread. Folders that
//! the kernel cannot observe reliably, such as network drives, are not watched; callers walk them
//! instead.

use std::collections::BTreeSet;
use std::path::Path;

/// A watch on individually added folders.
#[derive(Debug)]
pub struct Watch {
    #[cfg(target_os = "linux")]
    noted: linux::InotifyQueue,
}

impl Watch {
    /// Creates a watch without folders. Returns `None` if the platform or the vault's file system
    /// does not support it.
    pub fn of(root: &Path) -> Option<Self> {
        #[cfg(target_os = "linux")]
        return Some(Self { noted: linux::InotifyQueue::of(root)? });
        #[cfg(not(target_os = "linux"))]
        {
            let _ = root;
            None
        }
    }

    /// Adds a folder, relative to the root. Adding it again has no effect.
    pub fn add(&self, folder: &str) {
        #[cfg(target_os = "linux")]
        self.noted.add(folder);
        #[cfg(not(target_os = "linux"))]
        let _ = folder;
    }

    /// Returns a number that differs after every change in the folders, or `None` once changes may
    /// have been missed.
    pub fn count(&self) -> Option<u64> {
        #[cfg(target_os = "linux")]
        return self.noted.count();
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Returns the files and folders that changed since the count was `since`, relative to the root.
    /// `None` if they are not known, for example because there were too many.
    pub fn changed_since(&self, since: u64) -> Option<BTreeSet<String>> {
        #[cfg(target_os = "linux")]
        return self.noted.changed_since(since);
        #[cfg(not(target_os = "linux"))]
        {
            let _ = since;
            None
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeSet, HashMap, VecDeque};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use parking_lot::{Mutex, MutexGuard};
    use rustix::fs::{inotify, statfs};
    use rustix::io::Errno;

    /// File systems that only this kernel writes to: ext2 to ext4, xfs, btrfs, f2fs, bcachefs, zfs,
    /// tmpfs, and overlays of these.
    const OWN_DISKS: [u64; 9] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0xf2f5_2010,
        0xca45_1a4e,
        0x2fc1_2fc1,
        0x0102_1994,
        0x8584_58f6,
        0x794c_7630,
    ];

    /// All events that change the result of a walk or the content of a file.
    const CHANGES: inotify::WatchFlags = inotify::WatchFlags::CREATE
        .union(inotify::WatchFlags::DELETE)
        .union(inotify::WatchFlags::MODIFY)
        .union(inotify::WatchFlags::CLOSE_WRITE)
        .union(inotify::WatchFlags::MOVE)
        .union(inotify::WatchFlags::ATTRIB)
        .union(inotify::WatchFlags::DELETE_SELF)
        .union(inotify::WatchFlags::MOVE_SELF)
        .union(inotify::WatchFlags::ONLYDIR)
        .union(inotify::WatchFlags::DONT_FOLLOW);

    /// Number of the latest events whose paths are known.
    const MAX_PATHS: usize = 4096;

    /// The inotify queue, and the events read from it.
    #[derive(Debug)]
    pub(super) struct InotifyQueue {
        kernel: OwnedFd,
        root: PathBuf,
        read: Mutex<WatchState>,
    }

    #[derive(Debug, Default)]
    struct WatchState {
        events: u64,
        /// Whether a folder could not be watched, for example because of the limit on watches.
        blind: bool,
        /// Watched folders by their watch descriptors.
        folders: HashMap<i32, String>,
        /// Path of each of the latest events; `None` if anything may have changed.
        paths: VecDeque<Option<String>>,
    }

    impl WatchState {
        fn take(&mut self, event: &inotify::Event<'_>) {
            self.events += 1;
            if self.paths.len() == MAX_PATHS {
                self.paths.pop_front();
            }
            let path = self.path(event);
            self.paths.push_back(path);
        }

        /// The path that an event is about; `None` for an event that a walk has to follow.
        fn path(&self, event: &inotify::Event<'_>) -> Option<String> {
            let flags = event.events();
            // A moved folder takes its watches with it, and they would name its former place.
            let moves = inotify::ReadFlags::MOVED_FROM | inotify::ReadFlags::MOVED_TO;
            let moves_folder = flags.contains(inotify::ReadFlags::ISDIR) && flags.intersects(moves);
            let name = event.file_name().filter(|_| !moves_folder)?.to_str().ok()?;
            let folder = self.folders.get(&event.wd())?;
            Some(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") })
        }
    }

    impl InotifyQueue {
        pub(super) fn of(root: &Path) -> Option<Self> {
            let disk = u64::try_from(statfs(root).ok()?.f_type).ok()?;
            let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
            let kernel = OWN_DISKS.contains(&disk).then(|| inotify::init(flags).ok())??;
            Some(Self { kernel, root: root.to_owned(), read: Mutex::default() })
        }

        fn state(&self) -> MutexGuard<'_, WatchState> {
            self.read.lock()
        }

        pub(super) fn add(&self, folder: &str) {
            let mut read = self.state();
            match inotify::add_watch(&self.kernel, self.root.join(folder), CHANGES) {
                Ok(watched) => drop(read.folders.insert(watched, folder.to_owned())),
                // A folder that is gone again was noted where it lay.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) => read.blind = true,
            }
        }

        pub(super) fn count(&self) -> Option<u64> {
            let mut read = self.state();
            self.drain(&mut read);
            (!read.blind).then_some(read.events)
        }

        pub(super) fn changed_since(&self, since: u64) -> Option<BTreeSet<String>> {
            let mut read = self.state();
            self.drain(&mut read);
            let newer = usize::try_from(read.events.checked_sub(since)?).ok()?;
            let first = read.paths.len().checked_sub(newer).filter(|_| !read.blind)?;
            read.paths.range(first..).cloned().collect()
        }

        fn drain(&self, read: &mut WatchState) {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&self.kernel, &mut buffer);
            loop {
                match events.next() {
                    // That too much happened for the kernel to note is one more thing that happened.
                    Ok(event) => read.take(&event),
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => {
                        read.blind = true;
                        break;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a temporary folder with a watch, or `None` if its file system cannot be watched.
    fn watched() -> Option<(tempfile::TempDir, Watch)> {
        let folder = tempfile::tempdir().unwrap();
        let watch = Watch::of(folder.path())?;
        watch.add("");
        Some((folder, watch))
    }

    #[test]
    fn each_way_to_change_a_folder_counts_at_once_and_reading_does_not() {
        let Some((folder, watch)) = watched() else { return };
        let (one, other) = (folder.path().join("a.md"), folder.path().join("b.md"));
        let steps: [(&str, &dyn Fn()); 7] = [
            ("write", &|| fs::write(&one, "one").unwrap()),
            ("in place", &|| fs::write(&one, "two").unwrap()),
            ("rename", &|| fs::rename(&one, &other).unwrap()),
            ("link", &|| fs::hard_link(&other, &one).unwrap()),
            ("times", &|| fs::File::open(&one).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap()),
            ("delete", &|| fs::remove_file(&one).unwrap()),
            ("folder", &|| fs::create_dir(&one).unwrap()),
        ];
        for (name, step) in steps {
            let before = watch.count().unwrap();
            assert_eq!(watch.count(), Some(before), "{name}: nothing happens by itself");
            step();
            assert!(watch.count().unwrap() > before, "{name}");
        }
        let before = watch.count();
        fs::read(&other).unwrap();
        fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(watch.count(), before);
    }

    #[test]
    fn what_changed_is_known_by_its_path() {
        let Some((folder, watch)) = watched() else { return };
        let paths =
            |since| watch.changed_since(since).map(|paths| paths.into_iter().collect::<Vec<_>>().join(" "));
        let begin = watch.count().unwrap();
        assert_eq!(paths(begin), Some(String::new()));
        fs::write(folder.path().join("a.md"), "one").unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        watch.add("b");
        fs::write(folder.path().join("b/c.md"), "one").unwrap();
        assert_eq!(paths(begin).as_deref(), Some("a.md b b/c.md"));
        let later = watch.count().unwrap();
        fs::rename(folder.path().join("a.md"), folder.path().join("b/d.md")).unwrap();
        assert_eq!(paths(later).as_deref(), Some("a.md b/d.md"));
        fs::rename(folder.path().join("b"), folder.path().join("e")).unwrap();
        assert_eq!(paths(later), None, "its watch names the old place");
        let later = watch.count().unwrap();
        (0..3000).for_each(|_| fs::write(folder.path().join("f.md"), "text").unwrap());
        assert_eq!(paths(later), None, "too many");
    }

    #[test]
    fn more_than_the_kernel_can_note_still_counts() {
        let Some((folder, watch)) = watched() else { return };
        let most: usize =
            fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
        for at in 0..most {
            fs::write(folder.path().join(format!("{}", at % 7)), "").unwrap();
        }
        let before = watch.count().unwrap();
        assert!(before > 0);
        fs::write(folder.path().join("after"), "").unwrap();
        assert!(watch.count().unwrap() > before);
    }

    #[test]
    fn a_disk_that_others_write_to_is_not_watched() {
        assert!(Watch::of(Path::new("/proc")).is_none());
    }
}
