//! Access to folders outside the vault, for imports and exports.
//!
//! An import never writes to the foreign folder. An export overwrites only files that it is allowed
//! to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use walkdir::{DirEntry, WalkDir};

use super::error::Error;
use super::layout::Vault;
use super::write;
use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::import_source::{ImportFile, ImportFolder, OWN_FILES};
use cm_note::instant::Instant;
use cm_note::path::NotePath;

/// Returns the text of a file.
///
/// # Errors
///
/// [`Error::Io`] if it cannot be read as text.
pub fn text(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::io("read", path))
}

/// Returns the names of the files and of the folders in a folder, of at most `most` entries, in no
/// order. Links and names that are not UTF-8 are left out; a folder that cannot be read has none.
pub fn names(folder: &Path, most: usize) -> (Vec<String>, Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(most);
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folders.push(name),
            Ok(kind) if kind.is_file() => files.push(name),
            _ => {}
        }
    }
    (files, folders)
}

/// Reads a folder: the content of its Markdown files and the names of all other files. Hidden files
/// and folders, `node_modules` and the vault itself (`leave_out`) are skipped; links are not
/// followed.
///
/// # Errors
///
/// [`Error::Io`] if the folder cannot be read. Problems below it become findings.
pub fn read(root: &Path, leave_out: &Path) -> Result<ImportFolder, Error> {
    let root = root.canonicalize().map_err(Error::io("open", root))?;
    fs::read_dir(&root).map_err(Error::io("read", &root))?;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut folder = ImportFolder { name, tool_files: own_files(&root), ..ImportFolder::default() };
    let mut entries = WalkDir::new(&root).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().and_then(|path| path.strip_prefix(&root).ok()).unwrap_or(&root);
                folder.findings.push(finding(path, FindingCode::Unreadable, "cannot be read"));
                continue;
            }
        };
        if entry.file_type().is_dir() {
            let name = entry.file_name().to_string_lossy();
            if name.starts_with('.') && entry.depth() == 1 {
                folder.hidden.push(name.to_string());
            }
            if name.starts_with('.') || name == "node_modules" || entry.path() == leave_out {
                entries.skip_current_dir();
            }
        } else if !entry.file_name().to_string_lossy().starts_with('.') {
            take(&root, &entry, &mut folder);
        }
    }
    folder.notes.sort_by(|a, b| a.path.cmp(&b.path));
    folder.attachments.sort();
    Ok(folder)
}

/// Reads one note as a folder that has nothing else, with the name of the file. A text file (`.txt`) gets
/// the ending of a note. Returns `None` if the file is neither or is not text.
///
/// # Errors
///
/// The errors of [`file()`].
pub fn read_note(note: &Path) -> Result<Option<ImportFolder>, Error> {
    let Some(name) = note.file_name().and_then(|name| name.to_str()) else { return Ok(None) };
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let is_plain = name.to_ascii_lowercase().ends_with(".txt");
    let name = if is_plain { format!("{stem}.md") } else { name.to_owned() };
    let Some(path) = NotePath::parse(&name).ok().filter(NotePath::is_markdown) else { return Ok(None) };
    let bytes = file(note)?;
    if bytes.contains(&0) || std::str::from_utf8(&bytes).is_err() {
        return Ok(None);
    }
    let modified = fs::metadata(note).and_then(|stat| stat.modified()).map_err(Error::io("read", note))?;
    let modified = Instant::from(DateTime::<Utc>::from(modified));
    let notes = vec![ImportFile { path, bytes, modified, workspace: None }];
    Ok(Some(ImportFolder { name, notes, ..ImportFolder::default() }))
}

/// Moves the files of a folder that are text to its notes, whatever their names end in; the others
/// become findings.
pub fn take_attachments_as_notes(root: &Path, folder: &mut ImportFolder) {
    for name in std::mem::take(&mut folder.attachments) {
        let file = root.join(&name);
        let read = || {
            let path = NotePath::parse(&name).ok()?;
            let bytes = below(root, &path).ok()??;
            let is_text = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
            let modified = fs::metadata(&file).and_then(|stat| stat.modified()).ok()?;
            let modified = Instant::from(DateTime::<Utc>::from(modified));
            is_text.then_some(ImportFile { path, bytes, modified, workspace: None })
        };
        match read() {
            Some(note) => folder.notes.push(note),
            None => {
                folder.findings.push(finding(Path::new(&name), FindingCode::Unreadable, "not a text file"))
            }
        }
    }
    folder.notes.sort_by(|a, b| a.path.cmp(&b.path));
}

/// Maximum size in bytes of a single file, far above any rule file or playbook.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads one file.
///
/// # Errors
///
/// [`Error::Io`], including for files that are too large or not regular.
pub fn file(path: &Path) -> Result<Vec<u8>, Error> {
    let refuse = |kind, words: &str| Error::io("read", path)(std::io::Error::new(kind, words));
    let stat = fs::metadata(path).map_err(Error::io("read", path))?;
    if !stat.is_file() {
        return Err(refuse(std::io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if stat.len() > MAX_FILE_BYTES {
        return Err(refuse(std::io::ErrorKind::FileTooLarge, "it is larger than 16 MiB"));
    }
    fs::read(path).map_err(Error::io("read", path))
}

/// Reads one file below a folder. Returns `None` if it does not exist.
///
/// # Errors
///
/// The errors of [`file()`], and [`Error::LeadsOut`] if a symbolic link leads out of the folder.
pub fn below(folder: &Path, path: &NotePath) -> Result<Option<Vec<u8>>, Error> {
    let target = Vault::at(folder)?.file(path);
    match target.canonicalize() {
        Ok(real) if real.starts_with(folder.canonicalize().map_err(Error::io("open", folder))?) => {
            file(&real).map(Some)
        }
        Ok(_) => Err(Error::LeadsOut { path: target }),
        // A link to nowhere cannot be written through either.
        Err(_) if target.is_symlink() => Err(Error::LeadsOut { path: target }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", &target)(error)),
    }
}

/// Whether a folder has no files or does not exist.
///
/// # Errors
///
/// [`Error::Io`] if it cannot be read.
pub fn is_empty(folder: &Path) -> Result<bool, Error> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::io("read", folder)(error)),
    }
}

/// Removes one file below a folder, and parent folders that become empty.
///
/// # Errors
///
/// [`Error::Io`], and [`Error::LeadsOut`] if a symbolic link leads out of the folder.
pub fn remove(folder: &Path, path: &NotePath) -> Result<(), Error> {
    write::remove(&Vault::at(folder)?, path)
}

/// Allows everyone who may read a file below a folder to run it; has no effect on Windows.
///
/// # Errors
///
/// [`Error::Io`] if the mode cannot be changed.
pub fn make_executable(folder: &Path, path: &NotePath) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = Vault::at(folder)?.file(path);
        let mode = fs::metadata(&file).map_err(Error::io("read", &file))?.permissions().mode();
        let mode = mode | ((mode & 0o444) >> 2);
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).map_err(Error::io("change", &file))?;
    }
    #[cfg(not(unix))]
    let _ = (folder, path);
    Ok(())
}

/// Adds a file to the folder as a note or as an attachment.
fn take(root: &Path, entry: &DirEntry, folder: &mut ImportFolder) {
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
    let slash_path = relative.to_str().map(|path| path.replace(std::path::MAIN_SEPARATOR, "/"));
    let Some(path) = slash_path.and_then(|path| NotePath::parse(&path).ok()) else {
        folder.findings.push(finding(relative, FindingCode::PathNotUtf8, "the file name is not UTF-8"));
        return;
    };
    let is_note = path.is_markdown();
    if entry.path_is_symlink() {
        let message = "a symbolic link, which an import does not follow";
        folder.findings.push(Finding::new(&path, FindingCode::BadLinkFile, Severity::Warning, message));
    } else if !entry.file_type().is_file() {
        folder.findings.push(finding(relative, FindingCode::Unreadable, "not a regular file"));
    } else if !is_note {
        folder.attachments.push(path.into());
    } else {
        match fs::read(entry.path()) {
            Ok(bytes) => {
                let modified = modified(entry);
                folder.notes.push(ImportFile { path, bytes, modified, workspace: None });
            }
            Err(error) => folder.findings.push(finding(
                relative,
                FindingCode::Unreadable,
                &format!("cannot be read: {}", error.kind()),
            )),
        }
    }
}

fn modified(entry: &DirEntry) -> Instant {
    let at = entry.metadata().ok().and_then(|stat| stat.modified().ok());
    at.map_or(Instant::from_unix(0), |at| Instant::from(DateTime::<Utc>::from(at)))
}

fn own_files(root: &Path) -> BTreeMap<String, String> {
    let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|stat| stat.is_file());
    let text = |name: &str| {
        let path = Some(root.join(name)).filter(|path| is_file(path))?;
        Some((name.to_owned(), fs::read_to_string(path).ok()?))
    };
    OWN_FILES.into_iter().filter_map(text).collect()
}

fn finding(path: &Path, code: FindingCode, message: &str) -> Finding {
    Finding {
        path: path.display().to_string(),
        line: None,
        column: None,
        code,
        severity: Severity::Error,
        message: message.to_owned(),
        hint: None,
    }
}

/// Converts a typed path of a folder to a path prefix of notes: `docs/`, or empty for the vault
/// itself. The case of letters does not matter if only one folder has the name. Returns `None` if it is
/// not a folder of the vault.
pub fn folder_of(vault: &Vault, cwd: &Path, typed: &str) -> Option<String> {
    let candidates =
        [Some(cwd.join(typed)), Some(vault.root().join(typed)), in_any_case(vault.root(), typed)];
    candidates.iter().flatten().filter(|path| path.is_dir()).find_map(|path| {
        let real = path.canonicalize().ok()?;
        let inner = real.strip_prefix(vault.root()).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        Some(if inner.is_empty() { inner } else { format!("{inner}/") })
    })
}

/// Finds the folder below `root` whose path differs from the typed one in nothing but case; `None` if
/// there are several.
fn in_any_case(root: &Path, typed: &str) -> Option<PathBuf> {
    let mut found = root.to_owned();
    for name in typed.split(['/', std::path::MAIN_SEPARATOR]).filter(|name| !matches!(*name, "" | ".")) {
        let is_meant = |entry: &fs::DirEntry| {
            entry.file_name().to_string_lossy().to_lowercase() == name.to_lowercase() && entry.path().is_dir()
        };
        let mut fitting = fs::read_dir(&found).ok()?.flatten().filter(is_meant);
        let folder = fitting.next()?;
        if fitting.next().is_some() {
            return None;
        }
        found = folder.path();
    }
    Some(found)
}

/// Whether the path is the vault's folder or inside it.
pub fn is_within(vault: &Vault, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real.starts_with(vault.root()))
}

/// Whether a path is the vault's folder.
pub fn is_root(vault: &Vault, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real == vault.root())
}

/// Files that an export wrote, and those that it left because others had changed them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportReport {
    /// Files that were written.
    pub written: Vec<NotePath>,
    /// Files that already had the same content.
    pub unchanged: Vec<NotePath>,
    /// Files with other content that must not be overwritten. If there are any, nothing was
    /// written.
    pub in_the_way: Vec<NotePath>,
}

/// Writes files to a folder, creating it if necessary. `may_replace` decides whether an existing
/// file with other content may be overwritten.
///
/// # Errors
///
/// [`Error::Io`], and [`Error::LeadsOut`] if a symbolic link leads out of the folder.
pub fn write(
    folder: &Path,
    files: &[(NotePath, Vec<u8>)],
    may_replace: &dyn Fn(&NotePath, &[u8]) -> bool,
) -> Result<ExportReport, Error> {
    fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    let target = Vault::at(folder)?;
    let mut wrote = ExportReport::default();
    let mut due = Vec::new();
    for (path, bytes) in files {
        match target.read(path) {
            Ok(there) if there == *bytes => wrote.unchanged.push(path.clone()),
            Ok(there) if !may_replace(path, &there) => wrote.in_the_way.push(path.clone()),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("read", &target.file(path))(error));
            }
            _ => due.push((path, bytes)),
        }
    }
    if wrote.in_the_way.is_empty() {
        for (path, bytes) in due {
            write::write(&target, path, bytes)?;
            wrote.written.push(path.clone());
        }
    }
    Ok(wrote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    fn paths(folder: &ImportFolder) -> Vec<&str> {
        folder.notes.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn notes_are_read_and_all_else_is_named() {
        let source = folder(&[
            ("b.md", "b"),
            ("deep/a.markdown", "a"),
            ("deep/picture.png", ""),
            (".obsidian/app.json", "{}"),
            (".zk/config.toml", "x = 1"),
            (".trash/gone.md", ""),
            ("node_modules/x/readme.md", ""),
            (".memory/cm.toml", ""),
            ("mine/cm.toml", ""),
            ("mine/note.md", ""),
        ]);
        let vault = source.path().canonicalize().unwrap().join("mine");
        let read = read(source.path(), &vault).unwrap();
        assert_eq!(paths(&read), ["b.md", "deep/a.markdown"]);
        assert_eq!(read.attachments, ["deep/picture.png"]);
        assert_eq!(read.tool_files.keys().collect::<Vec<_>>(), [".zk/config.toml"]);
        assert_eq!(read.hidden, [".memory", ".obsidian", ".trash", ".zk"]);
        assert!(read.findings.is_empty());
        assert!(read.notes[0].modified > Instant::from_unix(0));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_named_and_not_followed() {
        let source = folder(&[("a.md", "a")]);
        let outside = folder(&[("secret.md", "s")]);
        std::os::unix::fs::symlink(outside.path().join("secret.md"), source.path().join("link.md")).unwrap();
        std::os::unix::fs::symlink(outside.path(), source.path().join("links")).unwrap();
        let read = read(source.path(), Path::new("/")).unwrap();
        assert_eq!(paths(&read), ["a.md"]);
        assert_eq!(read.findings.len(), 2);
    }

    #[test]
    fn what_is_no_folder_is_an_error() {
        let source = folder(&[("a.md", "a")]);
        assert!(read(&source.path().join("a.md"), Path::new("/")).is_err());
        assert!(read(&source.path().join("absent"), Path::new("/")).is_err());
    }

    #[test]
    fn only_a_plain_file_is_read_as_one() {
        let source = folder(&[("a.yaml", "a: 1")]);
        assert_eq!(file(&source.path().join("a.yaml")).unwrap(), b"a: 1");
        for (path, words) in
            [(source.path().to_owned(), "not a regular file"), (source.path().join("b"), "cannot read")]
        {
            let refused = file(&path).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_below_a_folder_is_never_read_from_outside_of_it() {
        let (folder, outside) = (folder(&[("a/b.json", "{}")]), folder(&[("c.json", "theirs")]));
        let path = |text: &str| NotePath::parse(text).unwrap();
        std::os::unix::fs::symlink("a/b.json", folder.path().join("link.json")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("c.json"), folder.path().join("out.json")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("gone.json")).unwrap();
        assert_eq!(below(folder.path(), &path("link.json")).unwrap().as_deref(), Some(&b"{}"[..]));
        assert_eq!(below(folder.path(), &path("a/none.json")).unwrap(), None);
        for out in ["out.json", "gone.json"] {
            assert!(matches!(below(folder.path(), &path(out)), Err(Error::LeadsOut { .. })), "{out}");
        }
        remove(folder.path(), &path("a/b.json")).unwrap();
        assert!(!folder.path().join("a").exists() && folder.path().exists());
    }

    #[test]
    fn an_export_writes_all_or_nothing_and_over_nothing_else() {
        let target = folder(&[("a.md", "same"), ("b.md", "theirs")]);
        let path = |text: &str| NotePath::parse(text).unwrap();
        let files = [
            (path("a.md"), b"same".to_vec()),
            (path("b.md"), b"ours".to_vec()),
            (path("c/d.md"), b"new".to_vec()),
        ];
        let refused = write(target.path(), &files, &|_, _| false).unwrap();
        assert_eq!(refused.in_the_way, [path("b.md")]);
        assert!(refused.written.is_empty() && !target.path().join("c").exists());
        let wrote = write(target.path(), &files, &|_, there| there == b"theirs").unwrap();
        assert_eq!(wrote.written, [path("b.md"), path("c/d.md")]);
        assert_eq!(wrote.unchanged, [path("a.md")]);
        assert_eq!(fs::read(target.path().join("b.md")).unwrap(), b"ours");
    }

    #[test]
    fn folders_of_the_vault_are_found_from_anywhere_and_none_outside() {
        let root = folder(&[("docs/deep/a.md", "")]);
        let vault = Vault::at(root.path()).unwrap();
        let docs = root.path().join("docs");
        assert_eq!(folder_of(&vault, &docs, "deep").as_deref(), Some("docs/deep/"));
        assert_eq!(folder_of(&vault, &docs, "docs").as_deref(), Some("docs/"));
        assert_eq!(folder_of(&vault, root.path(), ".").as_deref(), Some(""));
        assert_eq!(folder_of(&vault, &docs, "../.."), None);
        assert_eq!(folder_of(&vault, root.path(), "DOCS/Deep/").as_deref(), Some("docs/deep/"));
        assert_eq!(folder_of(&vault, root.path(), "DOCS/absent"), None);
        assert_eq!(folder_of(&vault, &docs, "deep/a.md"), None);
        assert!(is_root(&vault, &docs.join("..")) && !is_root(&vault, &docs));
        assert!(is_within(&vault, &docs) && is_within(&vault, root.path()));
        assert!(
            !is_within(&vault, root.path().parent().unwrap()) && !is_within(&vault, &docs.join("absent"))
        );
    }
}
