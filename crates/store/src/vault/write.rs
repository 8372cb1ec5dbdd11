//! Atomic writes of single files: a reader sees either the old or the new content.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::layout::Vault;
use cm_note::path::{NotePath, is_repository_folder};

/// Prefix of temporary files. They are hidden, so that no walk treats them as notes.
const PREFIX: &str = ".cm-";
const SUFFIX: &str = ".tmp";

/// Whether the name is that of a temporary file, which a killed writer may leave behind.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// Writes a note atomically: temporary file, fsync, rename, fsync of the folder. Permissions of an
/// existing file are preserved. A symbolic link is written through if its target is in the vault.
///
/// # Errors
///
/// [`Error::LeadsOut`] and [`Error::Io`]; the note is then unchanged.
pub fn write(vault: &Vault, path: &NotePath, bytes: &[u8]) -> Result<(), Error> {
    let target = target(vault, path)?;
    replace(&target, bytes)
}

/// Removes a note, and parent folders that become empty, up to the vault's root. Does nothing if
/// the note does not exist.
///
/// # Errors
///
/// [`Error::LeadsOut`] and [`Error::Io`].
pub fn remove(vault: &Vault, path: &NotePath) -> Result<(), Error> {
    let file = vault.file(path);
    let Some(folder) = file.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
    inside(vault, folder)?;
    match fs::remove_file(&file) {
        Ok(()) => sync_folder(folder)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("remove", &file)(error)),
    }
    remove_empty(vault, folder);
    Ok(())
}

/// Removes a folder and its parents as long as they are empty, up to the vault's root.
pub(super) fn remove_empty(vault: &Vault, folder: &Path) {
    for empty in folder.ancestors().take_while(|folder| *folder != vault.root()) {
        // Fails on the first folder that still holds something, which ends the climb.
        if fs::remove_dir(empty).is_err() {
            break;
        }
    }
}

/// Removes temporary files that a killed writer left next to a note. Only the holder of the vault's
/// lock may call this. `contents` are the contents that the writer handled. A file with other
/// content was saved by another program at that moment, and is renamed to a visible name.
///
/// # Errors
///
/// [`Error::Io`].
pub fn sweep(vault: &Vault, path: &NotePath, contents: &[&[u8]]) -> Result<(), Error> {
    let file = vault.file(path);
    let Some(Ok(entries)) = file.parent().map(fs::read_dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_temporary) {
            // One that cannot be read may hold what another program saved, and stays.
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            // A temporary file that was cut off holds the beginning of what it was to hold.
            if bytes.is_empty() || contents.iter().any(|contents| contents.starts_with(&bytes)) {
                fs::remove_file(entry.path()).map_err(Error::io("remove", &entry.path()))?;
            } else {
                let saved_file = file.with_file_name(format!(
                    "{}-saved-{}.md",
                    path.stem(),
                    blake3::hash(&bytes).to_hex().split_at(6).0
                ));
                fs::rename(entry.path(), &saved_file).map_err(Error::io("rename", &entry.path()))?;
            }
        }
    }
    Ok(())
}

/// Writes a file of the program atomically.
///
/// # Errors
///
/// [`Error::Io`]; the file is then unchanged.
pub fn replace(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(target, bytes, permissions(target))
}

/// Writes a file that only its owner may read (mode 0600 on platforms with modes).
///
/// # Errors
///
/// [`Error::Io`]; the file is then unchanged.
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(target, bytes, owner_only(target))
}

/// Like [`replace_private`], for a file that must not exist yet.
///
/// # Errors
///
/// [`Error::Io`], with kind `AlreadyExists` if the file exists; it is then unchanged.
pub fn create_private(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = folder_of(target)?;
    let new = temporary(folder, target, bytes, owner_only(target))?;
    new.persist_noclobber(target).map_err(|failed| Error::io("write", target)(failed.error))?;
    sync_folder(folder)
}

#[cfg(unix)]
fn owner_only(_target: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o600)
}

#[cfg(not(unix))]
fn owner_only(target: &Path) -> fs::Permissions {
    permissions(target)
}

fn replace_with(target: &Path, bytes: &[u8], permissions: fs::Permissions) -> Result<(), Error> {
    replace_unsynced(target, bytes, permissions, temporary)?;
    sync_folder(folder_of(target)?)
}

/// Like [`replace_private`], but a power failure may lose the file or its content until the caller
/// has passed it to [`sync_all`].
///
/// # Errors
///
/// [`Error::Io`]; the file is then unchanged.
pub fn replace_private_unsynced(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_unsynced(target, bytes, owner_only(target), temporary_unsynced)
}

fn replace_unsynced(
    target: &Path,
    bytes: &[u8],
    permissions: fs::Permissions,
    temporary: impl Fn(&Path, &Path, &[u8], fs::Permissions) -> Result<Temporary, Error>,
) -> Result<(), Error> {
    let new = temporary(folder_of(target)?, target, bytes, permissions)?;
    new.persist(target).map(drop).map_err(|failed| Error::io("write", target)(failed.error))
}

/// Syncs the content of a file. Does nothing if it is gone.
fn sync_file(file: &Path) -> Result<(), Error> {
    match File::open(file) {
        Ok(open) => open.sync_all().map_err(Error::io("write", file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("open", file)(error)),
    }
}

/// Number of threads that [`sync_all`] uses: the disk joins syncs that wait at the same time.
const SYNC_THREADS: usize = 16;

/// Syncs files that were written unsynced, and their folders. Files that are gone are left out.
///
/// # Errors
///
/// [`Error::Io`].
pub fn sync_all(files: &[PathBuf]) -> Result<(), Error> {
    let part = files.len().div_ceil(SYNC_THREADS).max(1);
    let sync_part = |part: &[PathBuf]| part.iter().try_for_each(|file| sync_file(file));
    std::thread::scope(|scope| {
        let threads: Vec<_> = files.chunks(part).map(|part| scope.spawn(move || sync_part(part))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.into_iter().filter(|folder| folder.is_dir()).try_for_each(sync_folder)
}

/// Returns the parent folder of a file, creating it if necessary.
fn folder_of(target: &Path) -> Result<&Path, Error> {
    let folder = target.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    Ok(folder)
}

/// A temporary file, removed when dropped.
pub(super) type Temporary = tempfile::NamedTempFile;

/// Creates a temporary file in `folder` with this content, synced to disk.
pub(super) fn temporary(
    folder: &Path,
    target: &Path,
    bytes: &[u8],
    permissions: fs::Permissions,
) -> Result<Temporary, Error> {
    let new = temporary_unsynced(folder, target, bytes, permissions)?;
    new.as_file().sync_all().map_err(Error::io("write", target))?;
    Ok(new)
}

/// Like [`temporary`], but not synced.
pub(super) fn temporary_unsynced(
    folder: &Path,
    target: &Path,
    bytes: &[u8],
    permissions: fs::Permissions,
) -> Result<Temporary, Error> {
    let mut new = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .permissions(permissions)
        .tempfile_in(folder)
        .map_err(Error::io("write to", folder))?;
    new.write_all(bytes).map_err(Error::io("write", target))?;
    Ok(new)
}

/// Returns the permissions for the new file: those of the old one, or 0666 restricted by the umask.
pub(super) fn permissions(target: &Path) -> fs::Permissions {
    if let Ok(stat) = fs::metadata(target) {
        return stat.permissions();
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The mode passes through `open`, so the umask applies as it does for any new file.
        fs::Permissions::from_mode(0o666)
    }
    #[cfg(not(unix))]
    {
        let mut plain = fs::metadata(std::env::temp_dir()).map(|stat| stat.permissions());
        if let Ok(permissions) = &mut plain {
            permissions.set_readonly(false);
        }
        plain.unwrap_or_else(|_| unreachable!("the temporary folder exists"))
    }
}

/// Syncs a folder, so that a rename or removal survives a power failure, on platforms that support
/// it.
pub(super) fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        let open = File::open(folder).map_err(Error::io("open", folder))?;
        open.sync_all().map_err(Error::io("write to", folder))?;
    }
    Ok(())
}

/// Returns the file of a note and creates its folder. Fails if a symbolic link leads out of the
/// vault.
pub(super) fn target(vault: &Vault, path: &NotePath) -> Result<PathBuf, Error> {
    let file = vault.file(path);
    let folder = file.parent().unwrap_or_else(|| vault.root());
    // Checked from the nearest folder that exists, before anything is made beyond it.
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or_else(|| vault.root());
    inside(vault, existing)?;
    fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    if file.is_symlink() {
        let real = file.canonicalize().map_err(Error::io("follow", &file))?;
        inside(vault, &real)?;
        return Ok(real);
    }
    Ok(file)
}

/// Fails if the path, with links resolved, is outside the vault or inside Git's own folder.
pub(super) fn inside(vault: &Vault, path: &Path) -> Result<(), Error> {
    let real = path.canonicalize().map_err(Error::io("open", path))?;
    let refused = || Error::LeadsOut { path: path.to_owned() };
    let inner = real.strip_prefix(vault.root()).map_err(|_| refused())?;
    if inner.components().any(|part| is_repository_folder(&part.as_os_str().to_string_lossy())) {
        return Err(refused());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> (tempfile::TempDir, Vault) {
        let folder = tempfile::tempdir().unwrap();
        let vault = Vault::at(folder.path()).unwrap();
        (folder, vault)
    }

    fn path(text: &str) -> NotePath {
        NotePath::parse(text).unwrap()
    }

    #[test]
    fn writing_leaves_one_file_and_removing_leaves_no_empty_folder() {
        let (_folder, vault) = vault();
        write(&vault, &path("graph/fixes/a.md"), b"one").unwrap();
        write(&vault, &path("graph/fixes/a.md"), b"two").unwrap();
        assert_eq!(vault.read(&path("graph/fixes/a.md")).unwrap(), b"two");
        let names = fs::read_dir(vault.root().join("graph/fixes")).unwrap().count();
        assert_eq!(names, 1, "no temporary file stays");
        remove(&vault, &path("graph/fixes/a.md")).unwrap();
        remove(&vault, &path("graph/fixes/a.md")).unwrap();
        assert!(!vault.root().join("graph").exists());
    }

    #[test]
    fn what_a_killed_writer_left_beside_a_note_is_swept_and_nothing_else() {
        let (_folder, vault) = vault();
        write(&vault, &path("a/b.md"), b"one").unwrap();
        fs::write(vault.root().join("a/.cm-x1.tmp"), "half").unwrap();
        fs::write(vault.root().join("a/.cm-notes"), "theirs").unwrap();
        fs::write(vault.root().join("a/.cm-x2.tmp"), "saved by an editor").unwrap();
        sweep(&vault, &path("a/b.md"), &[b"half of it"]).unwrap();
        sweep(&vault, &path("absent/b.md"), &[]).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(vault.root().join("a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        let names: Vec<_> = names.into_iter().map(|name| name.into_string().unwrap()).collect();
        assert_eq!(
            (names.len(), names[0].as_str(), names[2].as_str()),
            (3, ".cm-notes", "b.md"),
            "{names:?}"
        );
        assert!(names[1].starts_with("b-saved-") && names[1].ends_with(".md"), "what an editor saved shows");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_vault_is_never_written_through() {
        let (_folder, vault) = vault();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("a.md"), "theirs").unwrap();
        std::os::unix::fs::symlink(outside.path(), vault.root().join("out")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("a.md"), vault.root().join("a.md")).unwrap();
        for target in ["out/b.md", "out/deep/b.md", "a.md"] {
            let refused = write(&vault, &path(target), b"ours");
            assert!(matches!(refused, Err(Error::LeadsOut { .. })), "{target}");
        }
        assert!(matches!(remove(&vault, &path("out/a.md")), Err(Error::LeadsOut { .. })));
        assert_eq!(fs::read(outside.path().join("a.md")).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_a_note_stay() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, vault) = vault();
        write(&vault, &path("a.md"), b"one").unwrap();
        let file = vault.file(&path("a.md"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        write(&vault, &path("a.md"), b"two").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
