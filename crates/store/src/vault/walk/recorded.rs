//! Walks the folders of a commit by the same rules as on disk. Part of the blob id takes the place
//! of file metadata.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;

use super::{End, EntryKind, Folder, Name, Stat, joined, walk_with};
use cm_note::listing::{self, Entry, Listing, Target};

/// Access to the tree of a commit.
pub struct Recorded<'a> {
    /// Returns the entries of a folder, given its path from the vault's root.
    pub entries: &'a dyn Fn(&str) -> io::Result<Vec<Entry>>,
    /// Returns the target of the link at this path.
    pub target: &'a dyn Fn(&str) -> Target,
}

/// Lists the notes that [`super::walk`] would list in a checkout of the commit.
pub fn walk_recorded(recorded: &Recorded<'_>, exclude: &[String]) -> Listing {
    let root = Handle { recorded, path: String::new(), marks: RefCell::default() };
    walk_with(Ok(root), exclude, &mut |_| {}, &|link| match (recorded.target)(link) {
        Target::Nowhere => End::Nowhere,
        // What lies outside is not in the commit, or not the vault's.
        Target::Outside => End::Outside { folder: false },
        Target::Folder => End::Folder,
        Target::File { path, mark } => End::File(Some(path), marked(mark)),
    })
}

/// Path of a folder, with the marks of its files once they are listed.
struct Handle<'a> {
    recorded: &'a Recorded<'a>,
    path: String,
    marks: RefCell<HashMap<Vec<u8>, u64>>,
}

impl Folder for Handle<'_> {
    fn open(&self, name: &Name) -> io::Result<Self> {
        let path = joined(&self.path, &String::from_utf8_lossy(name.bytes()));
        Ok(Self { recorded: self.recorded, path, marks: RefCell::default() })
    }

    fn entries(&self, _: &mut Vec<u8>) -> io::Result<Vec<Name>> {
        let entries = (self.recorded.entries)(&self.path)?;
        let names = entries.iter().map(|entry| Name::new(&entry.name, kind(entry.kind))).collect();
        let files = entries.into_iter().filter(|entry| entry.kind == listing::EntryKind::File);
        *self.marks.borrow_mut() = files.map(|entry| (entry.name, entry.mark)).collect();
        Ok(names)
    }

    fn stat(&self, name: &Name) -> io::Result<Stat> {
        match self.marks.borrow().get(name.bytes()) {
            Some(mark) => Ok(marked(*mark)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

fn kind(kind: listing::EntryKind) -> EntryKind {
    match kind {
        listing::EntryKind::File => EntryKind::File,
        listing::EntryKind::Folder => EntryKind::Folder,
        listing::EntryKind::Link => EntryKind::Link,
    }
}

/// Metadata of a file in a commit. It has no times, and its length is unknown before reading; the
/// mark distinguishes contents.
fn marked(mark: u64) -> Stat {
    Stat { kind: EntryKind::File, size: 0, mtime_ns: 0, ctime_ns: 0, inode: mark }
}
