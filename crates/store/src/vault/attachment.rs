//! Reads files of a vault that are no notes, such as images, for people who may see the notes.
//!
//! A file is reached folder by folder without following a link, so no path leads out of the vault.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::caches::CACHES;
use super::layout::Vault;
use super::walk::is_excluded;
use cm_note::markdown::escape::is_hidden;
use cm_note::path::NotePath;

/// Largest attachment that is read, in bytes.
pub const MAX_ATTACHMENT_BYTES: u64 = 32 << 20;
/// Maximum number of folders and of files with a wanted name that a search examines.
const MAX_ENTRIES: usize = 200_000;

/// Reads a file. `exclude` has the folders that are excluded from the vault.
///
/// # Errors
///
/// [`io::ErrorKind::NotFound`] for hidden, derived and excluded folders and nested repositories;
/// [`io::ErrorKind::InvalidInput`] for a link or another special file;
/// [`io::ErrorKind::FileTooLarge`] above [`MAX_ATTACHMENT_BYTES`]; and errors of the file system.
pub fn read(vault: &Vault, path: &NotePath, exclude: &[String]) -> io::Result<Vec<u8>> {
    if is_private(path, exclude) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let file = open(vault.root(), path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes =
        Vec::with_capacity(usize::try_from(metadata.len().min(MAX_ATTACHMENT_BYTES)).unwrap_or_default());
    file.take(MAX_ATTACHMENT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_ATTACHMENT_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 32 MiB"));
    }
    Ok(bytes)
}

/// Finds the file with the shortest path that ends with `target`, ignoring case, as Obsidian resolves
/// `[[target]]`.
pub fn find_by_end(vault: &Vault, target: &str, exclude: &[String]) -> Option<NotePath> {
    let end = format!("/{}", target.trim_start_matches('/').to_lowercase());
    let mut files = with_ending(vault, &end, exclude);
    files.sort_by_key(|path| path.as_str().len());
    files.into_iter().next()
}

/// Returns the files whose path, after a `/`, ends with `end`, ignoring case, sorted by path.
pub fn with_ending(vault: &Vault, end: &str, exclude: &[String]) -> Vec<NotePath> {
    let mut files = files(vault, exclude, |_| true);
    files.retain(|path| format!("/{path}").to_lowercase().ends_with(end));
    files
}

/// Returns the files with one of these names, which are in lower case, sorted by path.
pub fn with_names(vault: &Vault, names: &HashSet<String>, exclude: &[String]) -> Vec<NotePath> {
    files(vault, exclude, |name| names.contains(&name.to_lowercase()))
}

/// Returns the files with a wanted name, sorted by path.
fn files(vault: &Vault, exclude: &[String], is_wanted: impl Fn(&str) -> bool) -> Vec<NotePath> {
    let relative = |entry: &walkdir::DirEntry| {
        let inner = entry.path().strip_prefix(vault.root()).ok()?.to_str()?;
        NotePath::parse(&inner.replace(std::path::MAIN_SEPARATOR, "/")).ok()
    };
    // The name is compared first: most files of a vault are notes.
    let is_shown = |entry: &walkdir::DirEntry| {
        let is_unwanted = entry.file_type().is_file() && !entry.file_name().to_str().is_some_and(&is_wanted);
        entry.depth() == 0 || !is_unwanted && relative(entry).is_some_and(|path| !is_private(&path, exclude))
    };
    let entries = walkdir::WalkDir::new(vault.root()).into_iter().filter_entry(is_shown).take(MAX_ENTRIES);
    let found = entries.flatten().filter(|entry| entry.file_type().is_file());
    let mut files: Vec<NotePath> = found.filter_map(|entry| relative(&entry)).collect();
    files.sort();
    files
}

/// Whether a path is in a folder that is not part of the vault's notes. Names are compared without
/// case, because some file systems ignore it.
fn is_private(path: &NotePath, exclude: &[String]) -> bool {
    let path = path.as_str().to_lowercase();
    let exclude: Vec<String> = exclude.iter().map(|folder| folder.to_lowercase()).collect();
    let mut parent = String::new();
    for (depth, name) in path.split('/').enumerate() {
        let is_derived = depth == 0 && CACHES.contains(&name);
        // Some file systems ignore hidden characters, so that such a name may be another one.
        let is_odd = name.starts_with('.') || name.chars().any(|c| is_hidden(c) || c.is_control());
        if is_derived || is_odd || name == "node_modules" || is_excluded(&exclude, &parent, name) {
            return true;
        }
        if !parent.is_empty() {
            parent.push('/');
        }
        parent.push_str(name);
    }
    false
}

#[cfg(unix)]
fn open(root: &Path, path: &NotePath) -> io::Result<File> {
    use rustix::fs::{AtFlags, Mode, OFlags, openat, statat};
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut parent = rustix::fs::open(root, folder, Mode::empty())?;
    for name in path.folder().split('/').filter(|name| !name.is_empty()) {
        parent = openat(&parent, name, folder | OFlags::NOFOLLOW, Mode::empty()).map_err(refusal)?;
        if statat(&parent, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    // A pipe would block without `NONBLOCK`.
    let file = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(openat(&parent, path.file_name(), file, Mode::empty()).map_err(refusal)?))
}

/// A link in a path causes `ELOOP` for a file and `ENOTDIR` for a folder.
#[cfg(unix)]
fn refusal(error: rustix::io::Errno) -> io::Error {
    match error {
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR | rustix::io::Errno::NXIO => {
            io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
        }
        other => other.into(),
    }
}

#[cfg(not(unix))]
fn open(root: &Path, path: &NotePath) -> io::Result<File> {
    let mut place = root.to_path_buf();
    for name in path.as_str().split('/') {
        place.push(name);
        if std::fs::symlink_metadata(&place)?.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        if place.join(".git").exists() {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    File::open(place)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn vault() -> (tempfile::TempDir, Vault) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("vault");
        for inner in ["a/b", "_state", ".git", ".hidden", "secret", "repo/.git"] {
            fs::create_dir_all(root.join(inner)).unwrap();
        }
        for file in ["a/b/x.png", "_state/x.png", ".git/x.png", ".hidden/x.png", "secret/x.png", "repo/x.png"]
        {
            fs::write(root.join(file), file).unwrap();
        }
        fs::write(folder.path().join("outside.png"), "outside").unwrap();
        let vault = Vault::at(&root).unwrap();
        (folder, vault)
    }

    fn kind(vault: &Vault, path: &str) -> io::ErrorKind {
        read(vault, &NotePath::parse(path).unwrap(), &["secret".to_owned()]).unwrap_err().kind()
    }

    #[test]
    fn private_folders_excluded_folders_and_nested_repositories_are_not_found() {
        let (_folder, vault) = vault();
        for path in
            ["_state/x.png", "_STATE/x.png", ".hidden/x.png", "secret/x.png", "repo/x.png", "a/no.png"]
        {
            assert_eq!(kind(&vault, path), io::ErrorKind::NotFound, "{path}");
        }
        assert_eq!(read(&vault, &NotePath::parse("a/b/x.png").unwrap(), &[]).unwrap(), b"a/b/x.png");
        assert!(NotePath::parse(".git/x.png").is_err() && NotePath::parse("../outside.png").is_err());
    }

    #[test]
    fn links_pipes_folders_and_large_files_are_refused() {
        let (folder, vault) = vault();
        let at = |path: &str| vault.root().join(path);
        symlink(folder.path().join("outside.png"), at("a/out.png")).unwrap();
        symlink(at("a/b/x.png"), at("a/in.png")).unwrap();
        symlink(folder.path(), at("linked")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("a/pipe.png"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        for path in ["a/out.png", "a/in.png", "linked/outside.png", "a/pipe.png", "a/b"] {
            assert_eq!(kind(&vault, path), io::ErrorKind::InvalidInput, "{path}");
        }
        File::create(at("a/large.png")).unwrap().set_len(MAX_ATTACHMENT_BYTES + 1).unwrap();
        assert_eq!(kind(&vault, "a/large.png"), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_name_finds_the_file_with_the_shortest_path_outside_private_folders() {
        let (_folder, vault) = vault();
        fs::write(vault.root().join("a/X.png"), "").unwrap();
        let exclude = ["secret".to_owned(), "repo".to_owned()];
        let found = |target: &str| find_by_end(&vault, target, &exclude).map(String::from);
        assert_eq!(found("x.png").as_deref(), Some("a/X.png"));
        assert_eq!(found("b/x.png").as_deref(), Some("a/b/x.png"));
        assert_eq!(found("y.png"), None);
    }
}
