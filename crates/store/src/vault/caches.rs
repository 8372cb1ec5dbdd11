//! Safe access to the cache folders of a vault, which may contain files placed by the author of the
//! folder.
//!
//! Before a vault is used, everything in `_index`, `_state` and `_embeddings` that is not a regular
//! file or folder is removed; links are unlinked and never followed. The writer lock is exempt,
//! because replacing it would admit two writers; [`super::lock`] rejects a link in its place.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Cache folders at the vault's root.
pub const CACHES: [&str; 3] = ["_index", "_state", "_embeddings"];
/// Path of the writer lock, relative to the root.
pub const LOCK: &str = "_state/lock";
/// Maximum depth of the cache folders; deeper folders are not examined.
const MAX_CACHE_DEPTH: usize = 6;

/// Files that Git reads on opening the repository. A pipe in their place would block.
const READ_BY_GIT: [&str; 2] = [".gitattributes", ".gitignore"];

/// Removes links, pipes and other special files from the cache folders, and special files in place
/// of those that Git reads. If one cannot be removed, as on a read-only disk, [`open_regular`]
/// refuses to open it.
pub fn scrub(root: &Path) {
    each_foreign(root, &mut |place| drop(fs::remove_file(place)));
}

/// Whether [`scrub`] has nothing to remove.
pub fn are_clean(root: &Path) -> bool {
    let mut clean = true;
    each_foreign(root, &mut |_| clean = false);
    clean
}

/// Visits everything that [`scrub`] removes.
fn each_foreign(root: &Path, visit: &mut dyn FnMut(&Path)) {
    for name in CACHES {
        let place = root.join(name);
        match fs::symlink_metadata(&place) {
            Ok(stat) if stat.is_dir() => each_foreign_below(&place, &root.join(LOCK), MAX_CACHE_DEPTH, visit),
            // A plain file in the way is somebody's data, and writers say so.
            Ok(stat) if !stat.is_file() => visit(&place),
            Ok(_) => {}
            Err(_) => {}
        }
    }
    for place in READ_BY_GIT.map(|name| root.join(name)) {
        let is_special = |stat: fs::Metadata| !stat.is_file() && !stat.is_dir() && !stat.is_symlink();
        if fs::symlink_metadata(&place).is_ok_and(is_special) {
            visit(&place);
        }
    }
}

fn each_foreign_below(folder: &Path, lock: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() => {}
            Ok(kind) if kind.is_dir() => {
                if depth > 0 {
                    each_foreign_below(&entry.path(), lock, depth - 1, visit);
                }
            }
            _ if entry.path() == lock => {}
            _ => visit(&entry.path()),
        }
    }
}

/// Opens a file that `cm` owns. It does not follow a link in the last path component, does not
/// block on a pipe, and accepts only regular files of this user with a single hard link.
///
/// # Errors
///
/// Errors of the system, and [`io::ErrorKind::InvalidInput`] for a file of another type or owner.
pub fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = options.custom_flags(flags.bits().cast_signed()).open(path).map_err(with_link_hint)?;
        let stat = file.metadata()?;
        let own = stat.uid() == rustix::process::geteuid().as_raw();
        // The lock is never written, so a second name of it harms nothing.
        if !stat.is_file() || !own || (stat.nlink() > 1 && !path.ends_with(LOCK)) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is not a regular file owned by this user with a single link; remove it",
            ));
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    {
        if fs::symlink_metadata(path).is_ok_and(|stat| !stat.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file; remove it"));
        }
        options.open(path)
    }
}

/// Replaces the errors caused by `O_NOFOLLOW` and `O_NONBLOCK` with clear messages.
#[cfg(unix)]
fn with_link_hint(error: io::Error) -> io::Error {
    use rustix::io::Errno;
    match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => {
            io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link; remove it")
        }
        Some(code) if code == Errno::NXIO.raw_os_error() => {
            io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe; remove it")
        }
        _ => error,
    }
}

/// Lists the regular files below a folder, at most `depth` levels down, without following links.
pub fn files_below(folder: &Path, depth: usize) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            Ok(kind) if kind.is_dir() && depth > 0 => found.extend(files_below(&entry.path(), depth - 1)),
            _ => {}
        }
    }
    found
}

/// Reads a file opened by [`open_regular`].
///
/// # Errors
///
/// The errors of [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut open_regular(OpenOptions::new().read(true), path)?, &mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_go_and_what_they_named_stays() {
        let (vault, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("a"), "mine").unwrap();
        let root = vault.path();
        fs::create_dir_all(root.join("_state/hooks")).unwrap();
        fs::write(root.join("_state/usage.log"), "").unwrap();
        symlink(outside.path(), root.join("_index")).unwrap();
        symlink(outside.path().join("a"), root.join("_state/hooks/b")).unwrap();
        symlink(outside.path().join("a"), root.join(LOCK)).unwrap();
        assert!(!are_clean(root));
        scrub(root);
        assert!(are_clean(root));
        assert!(!root.join("_index").exists() && fs::symlink_metadata(root.join("_index")).is_err());
        assert!(fs::symlink_metadata(root.join("_state/hooks/b")).is_err());
        assert!(root.join("_state/usage.log").exists());
        assert!(root.join(LOCK).is_symlink(), "the lock is never replaced");
        assert_eq!(fs::read_to_string(outside.path().join("a")).unwrap(), "mine");
    }

    #[test]
    fn only_a_regular_file_with_one_name_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("plain"), "x").unwrap();
        assert_eq!(read_regular(&at("plain")).unwrap(), b"x");
        symlink(at("plain"), at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for name in ["link", "folder", "pipe"] {
            assert!(read_regular(&at(name)).is_err(), "{name}");
        }
        let appended = open_regular(OpenOptions::new().append(true), &at("pipe"));
        assert!(appended.is_err_and(|error| error.to_string().contains("pipe")));
        fs::hard_link(at("plain"), at("second")).unwrap();
        assert!(read_regular(&at("plain")).is_err());
    }
}
