//! One file at a time, written so that a reader sees the old bytes or the new ones and nothing between.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::layout::Vault;
use crate::domain::path::NotePath;

/// How temporary files begin: hidden, so that no walk takes them for notes.
const PREFIX: &str = ".cm-";
const SUFFIX: &str = ".tmp";

/// Writes a note: a temporary file beside it, fsync, rename, fsync of the folder. Permissions of an existing file stay.
/// A symbolic link is written through where its target lies in the vault.
///
/// # Errors
/// [`Error::LeadsOut`] and [`Error::Io`]; the note is then as it was.
pub fn write(vault: &Vault, path: &NotePath, bytes: &[u8]) -> Result<(), Error> {
    let target = target(vault, path)?;
    replace(&target, bytes)
}

/// Removes a note and the folders that it leaves empty, up to the vault's root. Nothing happens where it is gone.
///
/// # Errors
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
    for empty in folder.ancestors().take_while(|folder| *folder != vault.root()) {
        // Fails on the first folder that still holds something, which ends the climb.
        if fs::remove_dir(empty).is_err() {
            break;
        }
    }
    Ok(())
}

/// Removes temporary files beside a note that a killed writer left; only the holder of the vault's lock may call it.
///
/// # Errors
/// [`Error::Io`].
pub fn sweep(vault: &Vault, path: &NotePath) -> Result<(), Error> {
    let file = vault.file(path);
    let Some(Ok(entries)) = file.parent().map(fs::read_dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX)) {
            fs::remove_file(entry.path()).map_err(Error::io("remove", &entry.path()))?;
        }
    }
    Ok(())
}

/// Writes any file of the program's own the same safe way.
///
/// # Errors
/// [`Error::Io`]; the file is then as it was.
pub fn replace(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    replace_with(target, bytes, permissions(target))
}

/// Writes a file that only its owner may read (mode 0600 where the platform has modes).
///
/// # Errors
/// [`Error::Io`]; the file is then as it was.
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    #[cfg(unix)]
    let owner_only = {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(0o600)
    };
    #[cfg(not(unix))]
    let owner_only = permissions(target);
    replace_with(target, bytes, owner_only)
}

fn replace_with(target: &Path, bytes: &[u8], permissions: fs::Permissions) -> Result<(), Error> {
    let folder = target.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    let mut new = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(SUFFIX)
        .permissions(permissions)
        .tempfile_in(folder)
        .map_err(Error::io("write in", folder))?;
    new.write_all(bytes).map_err(Error::io("write", target))?;
    new.as_file().sync_all().map_err(Error::io("write", target))?;
    new.persist(target).map_err(|failed| Error::io("write", target)(failed.error))?;
    sync_folder(folder)
}

/// The permissions that the new file gets: those of the old one, else what the umask leaves of 0666.
fn permissions(target: &Path) -> fs::Permissions {
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

/// Makes a rename or removal survive a loss of power, where the platform can.
fn sync_folder(folder: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        let open = File::open(folder).map_err(Error::io("open", folder))?;
        open.sync_all().map_err(Error::io("write in", folder))?;
    }
    Ok(())
}

/// The file that a path means, with its folder made; refused where a symbolic link leads out of the vault.
fn target(vault: &Vault, path: &NotePath) -> Result<PathBuf, Error> {
    let file = vault.file(path);
    let folder = file.parent().unwrap_or_else(|| vault.root());
    // Checked from the nearest folder that exists, before anything is made beyond it.
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or_else(|| vault.root());
    inside(vault, existing)?;
    fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    if file.is_symlink() {
        let real = file.canonicalize().map_err(Error::io("follow", &file))?;
        inside(vault, &real)?;
        return Ok(real);
    }
    Ok(file)
}

/// Refuses what does not lie in the vault once all links are followed.
fn inside(vault: &Vault, path: &Path) -> Result<(), Error> {
    let real = path.canonicalize().map_err(Error::io("open", path))?;
    if real.starts_with(vault.root()) { Ok(()) } else { Err(Error::LeadsOut { path: path.to_owned() }) }
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
        sweep(&vault, &path("a/b.md")).unwrap();
        sweep(&vault, &path("absent/b.md")).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(vault.root().join("a")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".cm-notes", "b.md"]);
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
