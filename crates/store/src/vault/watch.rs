//! Detects changes in a vault's folders without walking them.
//!
//! The kernel queues each change before the system call that made it returns, and the queue is read
//! on demand. All earlier changes are therefore visible, without a background thread. Folders that
//! the kernel cannot observe reliably, such as network drives, are not watched; callers walk them
//! instead.

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

    /// Adds a folder. Adding it again has no effect.
    pub fn add(&self, folder: &Path) {
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
}

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::{Mutex, PoisonError};

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

    /// The inotify queue, and the events read from it.
    #[derive(Debug)]
    pub(super) struct InotifyQueue {
        kernel: OwnedFd,
        read: Mutex<WatchState>,
    }

    #[derive(Debug, Default)]
    struct WatchState {
        events: u64,
        /// Whether a folder could not be watched, for example because of the limit on watches.
        blind: bool,
    }

    impl InotifyQueue {
        pub(super) fn of(root: &Path) -> Option<Self> {
            let disk = u64::try_from(statfs(root).ok()?.f_type).ok()?;
            let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
            let kernel = OWN_DISKS.contains(&disk).then(|| inotify::init(flags).ok())??;
            Some(Self { kernel, read: Mutex::default() })
        }

        pub(super) fn add(&self, folder: &Path) {
            match inotify::add_watch(&self.kernel, folder, CHANGES) {
                // A folder that is gone again was noted where it lay.
                Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) => self.read.lock().unwrap_or_else(PoisonError::into_inner).blind = true,
            }
        }

        pub(super) fn count(&self) -> Option<u64> {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&self.kernel, &mut buffer);
            loop {
                match events.next() {
                    // That too much happened for the kernel to note is one more thing that happened.
                    Ok(_) => read.events += 1,
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => {
                        read.blind = true;
                        break;
                    }
                }
            }
            (!read.blind).then_some(read.events)
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
        watch.add(folder.path());
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
