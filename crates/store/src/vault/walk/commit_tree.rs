//! Walks the folders of a commit by the same rules as on disk. Part of the blob id takes the place
//! of file metadata.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use super::{EntryKind, EntryName, EntryStat, Folder, ResolvedLink, joined, walk_with};
use cm_note::listing::{self, LinkTarget, TreeEntry, VaultListing};

/// Access to the tree of a commit.
pub struct CommitTree<'a> {
    /// Returns the entries of a folder, given its path from the vault's root.
    pub entries: &'a dyn Fn(&str) -> io::Result<Vec<TreeEntry>>,
    /// Returns the target of the link at this path.
    pub target: &'a dyn Fn(&str) -> LinkTarget,
}

/// Lists the notes that [`super::walk`] would list in a checkout of the commit.
pub fn walk_recorded(recorded: &CommitTree<'_>, exclude: &[String]) -> VaultListing {
    let root = CommitFolder { recorded, path: String::new(), marks: RefCell::default() };
    walk_with(Ok(root), exclude, &mut |_| {}, &|link| match (recorded.target)(link) {
        LinkTarget::Nowhere => ResolvedLink::Nowhere,
        // What lies outside is not in the commit, or not the vault's.
        LinkTarget::Outside => ResolvedLink::Outside { folder: false },
        LinkTarget::Folder => ResolvedLink::Folder,
        LinkTarget::File { path, mark } => ResolvedLink::File(Some(path), marked(mark)),
    })
}

/// A folder of the commit, by its path, with the content fingerprints of its files once they are
/// listed.
struct CommitFolder<'a> {
    recorded: &'a CommitTree<'a>,
    path: String,
    marks: RefCell<HashMap<Vec<u8>, u64>>,
}

impl Folder for CommitFolder<'_> {
    fn open(&self, name: &EntryName) -> io::Result<Self> {
        let path = joined(&self.path, &String::from_utf8_lossy(name.bytes()));
        Ok(Self { recorded: self.recorded, path, marks: RefCell::default() })
    }

    fn entries(&self, _: &mut Vec<u8>) -> io::Result<Vec<EntryName>> {
        let entries = (self.recorded.entries)(&self.path)?;
        let names = entries.iter().map(|entry| EntryName::new(&entry.name, kind(entry.kind))).collect();
        let files = entries.into_iter().filter(|entry| entry.kind == listing::TreeEntryKind::File);
        *self.marks.borrow_mut() = files.map(|entry| (entry.name, entry.fingerprint)).collect();
        Ok(names)
    }

    fn stat(&self, name: &EntryName) -> io::Result<EntryStat> {
        match self.marks.borrow().get(name.bytes()) {
            Some(mark) => Ok(marked(*mark)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

fn kind(kind: listing::TreeEntryKind) -> EntryKind {
    match kind {
        listing::TreeEntryKind::File => EntryKind::File,
        listing::TreeEntryKind::Folder => EntryKind::Folder,
        listing::TreeEntryKind::Link => EntryKind::Link,
    }
}

/// Metadata of a file in a commit. It has no times, and its length is unknown before reading; the
/// inode is the content fingerprint, so that changed content is noticed.
fn marked(mark: u64) -> EntryStat {
    EntryStat { kind: EntryKind::File, size: 0, mtime_ns: 0, ctime_ns: 0, inode: mark }
}
