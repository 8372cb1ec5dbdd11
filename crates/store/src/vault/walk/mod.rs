//! Lists all notes below a folder, on disk or in a commit, with size and times.
//!
//! Files are not opened, and links are not followed out of the vault.

mod commit_tree;
#[cfg(target_os = "linux")]
mod linux;
mod metadata;
#[cfg(any(test, not(target_os = "linux")))]
mod portable;
mod relist;

use std::io;
use std::path::Path;

use cm_note::finding::{Finding, FindingCode, Severity};
use cm_note::listing::{FileStat, VaultListing};
use cm_note::path::{GENERATED, NotePath, is_repository_folder};

pub use commit_tree::{CommitTree, walk_recorded};
#[cfg(target_os = "linux")]
use linux::FdFolder;
#[cfg(not(target_os = "linux"))]
use portable::PathFolder as FdFolder;
pub use relist::relist;

/// Folders of derived data at the root.
const DERIVED: [&str; 3] = ["_index", "_state", "_embeddings"];
/// Maximum depth. Deeper folders are reported instead of walked, because each level needs an open
/// file.
const MAX_FOLDER_DEPTH: usize = 200;

/// Lists the notes below `root`: `*.md` and `*.markdown`. Skips hidden files and folders, derived
/// and generated data, `node_modules`, nested repositories, and the folders in `exclude`, which are
/// names, or paths if they contain `/`.
pub fn walk(root: &Path, exclude: &[String]) -> VaultListing {
    walk_visiting(root, exclude, &mut |_| {})
}

/// Like `walk`, and calls `visit` with the path of each folder before reading it. A watch added by
/// `visit` therefore misses no change that the walk does not see.
pub fn walk_visiting(root: &Path, exclude: &[String], visit: &mut dyn FnMut(&str)) -> VaultListing {
    walk_with(FdFolder::root(root), exclude, visit, &on_disk(root))
}

/// Returns the metadata of existing files at the root that a walk omits, such as CORE.md.
pub fn of_root(root: &Path, names: &[&str]) -> Vec<FileStat> {
    let stat = |name: &&str| {
        let EntryStat { size, mtime_ns, ctime_ns, inode, .. } =
            EntryStat::from(&std::fs::metadata(root.join(name)).ok()?);
        Some(FileStat { path: NotePath::parse(name).ok()?, size, mtime_ns, ctime_ns, inode })
    };
    names.iter().filter_map(stat).collect()
}

/// Lists the notes below one folder of the vault, with paths from its root. Empty if the folder
/// does not exist or is a link.
pub fn walk_below(root: &Path, folder: &str) -> VaultListing {
    let below = root.join(folder);
    match std::fs::symlink_metadata(&below) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return VaultListing::default(),
        // Links to folders are not followed.
        Ok(metadata) if metadata.is_symlink() => return VaultListing::default(),
        _ => {}
    }
    let mut listing = walk(&below, &[]);
    listing.files = listing
        .files
        .into_iter()
        .filter_map(|file| {
            let path = NotePath::parse(&format!("{folder}/{}", file.path)).ok()?;
            Some(FileStat { path, ..file })
        })
        .collect();
    listing
}

fn walk_with<F: Folder>(
    root: io::Result<F>,
    exclude: &[String],
    visit: &mut dyn FnMut(&str),
    lead: &Lead<'_>,
) -> VaultListing {
    let mut walk =
        Walk { exclude, visit, buffer: Vec::new(), links: Vec::new(), listing: VaultListing::default() };
    match root {
        Ok(folder) => walk.folder(&folder, "", 0),
        Err(error) => walk.unreadable(".", &error),
    }
    walk.follow_links(lead);
    walk.listing
}

/// Resolves the link at a path.
type Lead<'a> = dyn Fn(&str) -> ResolvedLink + 'a;

/// Target of a symbolic link in the vault.
enum ResolvedLink {
    Nowhere,
    Folder,
    Outside {
        folder: bool,
    },
    /// A file of the vault, with its path if that is UTF-8.
    File(Option<String>, EntryStat),
    /// Neither a file nor a folder.
    Other,
}

fn on_disk(root: &Path) -> impl Fn(&str) -> ResolvedLink {
    let root = root.canonicalize();
    move |link| {
        let Ok(root) = &root else { return ResolvedLink::Other };
        let Ok(target) = root.join(link).canonicalize() else { return ResolvedLink::Nowhere };
        let Ok(metadata) = target.metadata() else { return ResolvedLink::Other };
        let is_git = |inner: &Path| {
            inner.components().any(|part| is_repository_folder(&part.as_os_str().to_string_lossy()))
        };
        match target.strip_prefix(root) {
            Ok(inner) if is_git(inner) => ResolvedLink::Outside { folder: metadata.is_dir() },
            Err(_) => ResolvedLink::Outside { folder: metadata.is_dir() },
            Ok(_) if metadata.is_dir() => ResolvedLink::Folder,
            Ok(inner) if metadata.is_file() => {
                let parts: Option<Vec<&str>> =
                    inner.components().map(|part| part.as_os_str().to_str()).collect();
                ResolvedLink::File(parts.map(|parts| parts.join("/")), EntryStat::from(&metadata))
            }
            Ok(_) => ResolvedLink::Other,
        }
    }
}

/// Type of a folder entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    File,
    Folder,
    Link,
    Other,
    /// The folder listing does not contain the type.
    Unknown,
}

#[derive(Debug, Clone, Copy)]
struct EntryStat {
    kind: EntryKind,
    size: u64,
    mtime_ns: i64,
    ctime_ns: i64,
    inode: u64,
}

/// An open folder. Implementations: file descriptors where the platform supports them, paths
/// elsewhere, and folders of a commit.
trait Folder: Sized {
    /// Opens a subfolder, which must not be a link.
    fn open(&self, name: &EntryName) -> io::Result<Self>;
    /// Lists the entries; `buffer` is scratch space.
    fn entries(&self, buffer: &mut Vec<u8>) -> io::Result<Vec<EntryName>>;
    /// Returns the metadata of an entry, without following links.
    fn stat(&self, name: &EntryName) -> io::Result<EntryStat>;
}

/// Name of an entry, NUL-terminated for system calls.
#[derive(Debug, Clone)]
struct EntryName {
    bytes: Box<[u8]>,
    kind: EntryKind,
    /// Whether `bytes` is the exact name and valid UTF-8; false for a name that was converted
    /// lossily.
    utf8: bool,
}

impl EntryName {
    fn new(name: &[u8], kind: EntryKind) -> Self {
        let mut bytes = Vec::with_capacity(name.len() + 1);
        bytes.extend_from_slice(name);
        bytes.push(0);
        Self { utf8: std::str::from_utf8(name).is_ok(), bytes: bytes.into(), kind }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.bytes.len() - 1]
    }

    fn text(&self) -> Option<&str> {
        if self.utf8 { std::str::from_utf8(self.bytes()).ok() } else { None }
    }

    fn is_note(&self) -> bool {
        is_note_name(self.bytes())
    }

    /// Returns the byte at a position for sorting by path. A folder's name continues with `/`.
    fn byte(&self, at: usize) -> u8 {
        match self.bytes().get(at) {
            Some(byte) => *byte,
            None if self.kind == EntryKind::Folder => b'/',
            None => 0,
        }
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let shared = self.bytes().len().min(other.bytes().len());
        self.bytes()[..shared]
            .cmp(&other.bytes()[..shared])
            .then_with(|| self.byte(shared).cmp(&other.byte(shared)))
            .then_with(|| self.bytes().len().cmp(&other.bytes().len()))
    }

    /// Hash that is equal for names that differ only in case.
    fn caseless(&self) -> u64 {
        self.bytes().chunks(8).fold(self.bytes().len() as u64, |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let word = u64::from_le_bytes(word) | 0x2020_2020_2020_2020;
            (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// Whether a file of this name is a note.
fn is_note_name(name: &[u8]) -> bool {
    name.ends_with(b".md") || name.ends_with(b".markdown")
}

/// Whether a folder is one of `exclude`, which are names, or paths from the root if they contain `/`
/// before their end.
pub(super) fn is_excluded(exclude: &[String], parent: &str, name: &str) -> bool {
    exclude.iter().any(|excluded| {
        let is_path = excluded.trim_end_matches('/').contains('/');
        let excluded = excluded.trim_start_matches("./").trim_matches('/');
        if is_path { excluded == joined(parent, name) } else { excluded == name }
    })
}

struct Walk<'a> {
    exclude: &'a [String],
    visit: &'a mut dyn FnMut(&str),
    buffer: Vec<u8>,
    links: Vec<(String, bool)>,
    listing: VaultListing,
}

impl Walk<'_> {
    fn folder<F: Folder>(&mut self, folder: &F, path: &str, depth: usize) {
        (self.visit)(path);
        let mut names = match folder.entries(&mut self.buffer) {
            Ok(names) => names,
            Err(error) => return self.unreadable(path, &error),
        };
        // A repository within the vault is somebody else's.
        if depth > 0 && names.iter().any(|name| name.bytes() == b".git") {
            return;
        }
        names.retain(|name| !name.bytes().starts_with(b"."));
        for name in names.iter_mut().filter(|name| name.kind == EntryKind::Unknown) {
            name.kind = folder.stat(name).map_or(EntryKind::Other, |stat| stat.kind);
        }
        names.retain(|name| name.is_note() || matches!(name.kind, EntryKind::Folder | EntryKind::Link));
        names.sort_unstable_by(EntryName::order);
        self.report_collisions(path, &names);
        for name in &names {
            self.entry(folder, path, name, depth);
        }
    }

    fn entry<F: Folder>(&mut self, folder: &F, parent: &str, name: &EntryName, depth: usize) {
        let Some(text) = name.text() else {
            let lossy = String::from_utf8_lossy(name.bytes());
            let message = "the name is not UTF-8, so cm cannot refer to the note";
            return self.report(&joined(parent, &lossy), FindingCode::PathNotUtf8, message, "rename it");
        };
        match name.kind {
            EntryKind::Folder => self.subfolder(folder, parent, name, text, depth),
            EntryKind::Link => self.links.push((joined(parent, text), name.is_note())),
            EntryKind::File if !parent.is_empty() || !GENERATED.contains(&text) => {
                self.file(folder, parent, name, text);
            }
            EntryKind::File => {}
            EntryKind::Other | EntryKind::Unknown => {
                let message = "is not a regular file and is not read";
                self.report(&joined(parent, text), FindingCode::Unreadable, message, "remove or rename it");
            }
        }
    }

    fn subfolder<F: Folder>(&mut self, folder: &F, parent: &str, name: &EntryName, text: &str, depth: usize) {
        let derived = parent.is_empty() && DERIVED.contains(&text);
        if derived || text == "node_modules" || is_excluded(self.exclude, parent, text) {
            return;
        }
        let path = joined(parent, text);
        if depth >= MAX_FOLDER_DEPTH {
            let message = "is nested too deeply and is not read";
            return self.report(&path, FindingCode::Unreadable, message, "move it up");
        }
        match folder.open(name) {
            Ok(inner) => self.folder(&inner, &path, depth + 1),
            Err(error) => self.unreadable(&path, &error),
        }
    }

    fn file<F: Folder>(&mut self, folder: &F, parent: &str, name: &EntryName, text: &str) {
        let Some(path) = NotePath::below(parent, text) else {
            let message = "the path is too long, so the note is not read";
            return self.report(&joined(parent, text), FindingCode::Unreadable, message, "shorten it");
        };
        match folder.stat(name) {
            Ok(EntryStat { kind: EntryKind::File, size, mtime_ns, ctime_ns, inode }) => {
                self.listing.files.push(FileStat { path, size, mtime_ns, ctime_ns, inode });
            }
            // Replaced or removed since the folder was listed: the next walk sees what it is now.
            Ok(_) => {}
            Err(error) => self.unreadable(path.as_str(), &error),
        }
    }

    /// Adds linked notes. A link counts as a note only if its target is not listed itself.
    fn follow_links(&mut self, lead: &Lead<'_>) {
        let mut found = Vec::new();
        self.listing.links = self.links.len();
        for (link, is_note) in std::mem::take(&mut self.links) {
            match lead(&link) {
                ResolvedLink::Nowhere if is_note => self.bad_link(&link, "is broken or points to itself"),
                ResolvedLink::Folder => {
                    self.bad_link(&link, "points to a folder that is already part of the vault")
                }
                ResolvedLink::Outside { folder } if folder || is_note => {
                    self.bad_link(&link, "points out of the vault")
                }
                ResolvedLink::File(target, stat)
                    if is_note && !target.as_deref().is_some_and(|target| self.is_listed(target)) =>
                {
                    let EntryStat { size, mtime_ns, ctime_ns, inode, .. } = stat;
                    let stat = |path| FileStat { path, size, mtime_ns, ctime_ns, inode };
                    found.extend(NotePath::parse(&link).ok().map(stat));
                }
                _ => {}
            }
        }
        if !found.is_empty() {
            self.listing.files.extend(found);
            self.listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        }
    }

    fn is_listed(&self, path: &str) -> bool {
        self.listing.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    }

    fn bad_link(&mut self, path: &str, message: &str) {
        let hint = "replace the link with the file, or remove it";
        self.report(path, FindingCode::BadLinkFile, &format!("the link {message}"), hint);
    }

    fn report_collisions(&mut self, folder: &str, names: &[EntryName]) {
        let mut hashes: Vec<u64> = names.iter().map(EntryName::caseless).collect();
        hashes.sort_unstable();
        if hashes.windows(2).all(|pair| pair[0] != pair[1]) {
            return;
        }
        let mut folded: Vec<(String, &str)> =
            names.iter().filter_map(EntryName::text).map(|name| (name.to_lowercase(), name)).collect();
        folded.sort_unstable();
        for pair in folded.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let message = format!("differs from `{}` only in case", pair[0].1);
            let hint = "rename one of them: some systems treat them as the same file";
            self.report(&joined(folder, pair[1].1), FindingCode::CaseCollision, &message, hint);
        }
    }

    fn unreadable(&mut self, path: &str, error: &io::Error) {
        // Gone since its folder was listed.
        if error.kind() == io::ErrorKind::NotFound && path != "." {
            return;
        }
        let path = if path.is_empty() { "." } else { path };
        self.report(
            path,
            FindingCode::Unreadable,
            &format!("cannot be read: {error}"),
            "check its permissions",
        );
    }

    fn report(&mut self, path: &str, code: FindingCode, message: &str, hint: &str) {
        self.listing.findings.push(Finding {
            path: path.to_owned(),
            line: None,
            column: None,
            code,
            severity: Severity::Warning,
            message: message.to_owned(),
            hint: Some(hint.into()),
        });
    }
}

fn joined(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    fn vault(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        dir
    }

    /// Walks a folder with both implementations and asserts that the results are equal.
    fn walked(root: &Path, exclude: &[&str]) -> VaultListing {
        let exclude: Vec<String> = exclude.iter().map(|name| (*name).to_owned()).collect();
        let listing = walk(root, &exclude);
        assert_eq!(
            listing,
            walk_with(portable::PathFolder::root(root), &exclude, &mut |_| {}, &on_disk(root))
        );
        listing
    }

    fn paths(listing: &VaultListing) -> Vec<&str> {
        listing.files.iter().map(|file| file.path.as_str()).collect()
    }

    fn codes(listing: &VaultListing) -> Vec<(&str, FindingCode)> {
        listing.findings.iter().map(|finding| (finding.path.as_str(), finding.code)).collect()
    }

    #[test]
    fn notes_come_in_the_order_of_their_paths() {
        let dir =
            vault(&["b.md", "a/z.md", "a.md", "a-b/c.md", "a/b/c.markdown", "a/b.md", "a0.md", "x.txt"]);
        let listing = walked(dir.path(), &[]);
        assert_eq!(
            paths(&listing),
            ["a-b/c.md", "a.md", "a/b.md", "a/b/c.markdown", "a/z.md", "a0.md", "b.md"]
        );
        assert!(listing.files.is_sorted_by(|a, b| a.path < b.path));
        assert!(listing.files.iter().all(|file| file.size == 4 && file.mtime_ns > 0 && file.inode > 0));
    }

    #[test]
    fn what_is_hidden_derived_generated_or_foreign_is_no_note() {
        let dir = vault(&[
            "graph/a.md",
            ".git/x.md",
            ".obsidian/x.md",
            "graph/.hidden.md",
            "_index/x.md",
            "_state/x.md",
            "CORE.md",
            "REFLECTION.md",
            "graph/CORE.md",
            "node_modules/p/README.md",
            "other/.git/HEAD",
            "other/x.md",
            "target/x.md",
            "graph/deep/x.md",
            "deep/y.md",
        ]);
        let listing = walked(dir.path(), &["target", "graph/deep"]);
        assert_eq!(paths(&listing), ["deep/y.md", "graph/CORE.md", "graph/a.md"]);
        assert_eq!(codes(&listing), []);
    }

    #[test]
    fn links_are_followed_only_to_what_is_no_note_within_the_vault() {
        let outside = vault(&["secret.md", "folder/x.md"]);
        let dir = vault(&["real.md", "plain.txt", "folder/x.md"]);
        let root = dir.path();
        for (target, link) in [
            ("real.md", "twice.md"),
            ("plain.txt", "text.md"),
            ("nowhere", "dangling.md"),
            ("loop.md", "loop.md"),
            ("folder", "linked"),
            ("..", "folder/up"),
            ("nowhere", "dangling.txt"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(outside.path().join("secret.md"), root.join("out.md")).unwrap();
        symlink(outside.path().join("folder"), root.join("outfolder")).unwrap();
        let listing = walked(root, &[]);
        assert_eq!(paths(&listing), ["folder/x.md", "real.md", "text.md"]);
        let expected = ["dangling.md", "folder/up", "linked", "loop.md", "out.md", "outfolder"];
        assert_eq!(codes(&listing), expected.map(|path| (path, FindingCode::BadLinkFile)));
    }

    #[test]
    fn pipes_and_strange_names_are_reported_and_never_opened() {
        let dir = vault(&["Note.md", "note.md", "ok.md", "sub/x.md"]);
        let pipe = dir.path().join("pipe.md");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.md")), "x").unwrap();
        let listing = walked(dir.path(), &[]);
        assert_eq!(paths(&listing), ["Note.md", "note.md", "ok.md", "sub/x.md"]);
        assert_eq!(
            codes(&listing),
            [
                ("note.md", FindingCode::CaseCollision),
                ("caf\u{fffd}.md", FindingCode::PathNotUtf8),
                ("pipe.md", FindingCode::Unreadable)
            ]
        );
    }

    #[test]
    fn a_missing_root_is_a_finding() {
        let dir = vault(&[]);
        let listing = walked(&dir.path().join("gone"), &[]);
        assert_eq!(codes(&listing), [(".", FindingCode::Unreadable)]);
    }
}
