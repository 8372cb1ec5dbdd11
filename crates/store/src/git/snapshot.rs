//! Read access to the vault at a commit: folders, files and links as a checkout would write them.
//!
//! It uses neither work tree nor index, and does not decide which files are notes.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use crate::git::blobs::Filters;
use crate::git::error::Result;
use crate::git::history::CommitInfo;
use crate::git::repo::{CommitId, Repo};
use crate::git::trees::GitTreeEntry;
use cm_note::listing::{LinkTarget, TreeEntry, TreeEntryKind};
use cm_note::path::NotePath;

/// Name of attribute files.
const ATTRIBUTES: &str = ".gitattributes";
/// Maximum number of links to follow; longer chains count as cycles, as in the kernel.
const MAX_HOPS: usize = 40;

/// The vault at a commit, with caches of everything that was read.
pub struct VaultSnapshot {
    repo: Repo,
    commit: CommitInfo,
    /// Folders by their path from the root of the work tree.
    folders: RefCell<HashMap<String, Option<Rc<TreeFolder>>>>,
    /// Attribute files found so far, by path.
    attributes: RefCell<BTreeMap<BString, ObjectId>>,
    /// Filters built from the attribute files; `None` after another file was found.
    filters: RefCell<Option<Filters>>,
}

type TreeFolder = BTreeMap<BString, GitTreeEntry>;

impl Repo {
    /// Returns the vault at this commit, or `None` if its folder did not exist.
    pub fn snapshot(&self, commit: CommitId) -> Result<Option<VaultSnapshot>> {
        let past = VaultSnapshot {
            repo: self.clone(),
            commit: self.commit_info(commit)?,
            folders: RefCell::default(),
            attributes: RefCell::default(),
            filters: RefCell::default(),
        };
        let there = past.folder(self.prefix.trim_end_matches('/'))?.is_some();
        Ok(there.then_some(past))
    }
}

impl VaultSnapshot {
    pub fn commit(&self) -> &CommitInfo {
        &self.commit
    }

    /// Lists a folder, given by its path from the vault's root. Submodules are omitted.
    ///
    /// # Errors
    ///
    /// An object cannot be read.
    pub fn entries(&self, folder: &str) -> Result<Vec<TreeEntry>> {
        let Some(folder) = self.folder(&self.place(folder))? else { return Ok(Vec::new()) };
        let entry = |(name, leaf): (&BString, &GitTreeEntry)| {
            let kind = match leaf {
                leaf if leaf.mode.is_tree() => TreeEntryKind::Folder,
                leaf if leaf.mode.is_link() => TreeEntryKind::Link,
                leaf if leaf.is_file() => TreeEntryKind::File,
                _ => return None,
            };
            Some(TreeEntry { name: name.to_vec(), kind, fingerprint: mark(leaf.id) })
        };
        Ok(folder.iter().filter_map(entry).collect())
    }

    /// Resolves a link, given by its path from the vault's root. A link that leaves the vault on
    /// the way is outside, even if it comes back.
    ///
    /// # Errors
    ///
    /// An object cannot be read.
    pub fn target(&self, link: &str) -> Result<LinkTarget> {
        let mut ahead: VecDeque<String> = link.split('/').map(str::to_owned).collect();
        let (mut way, mut hops, mut at) = (Vec::new(), 0, None);
        while let Some(part) = ahead.pop_front() {
            if part.is_empty() || part == "." {
                continue;
            }
            if at.is_some_and(|leaf: GitTreeEntry| !leaf.mode.is_tree()) {
                return Ok(LinkTarget::Nowhere);
            }
            if part == ".." {
                if way.pop().is_none() {
                    return Ok(LinkTarget::Outside);
                }
                at = None;
                continue;
            }
            let folder = self.folder(&self.place(&way.join("/")))?;
            let Some(leaf) = folder.and_then(|folder| folder.get(part.as_bytes().as_bstr()).copied()) else {
                return Ok(LinkTarget::Nowhere);
            };
            if leaf.mode.is_link() {
                let text = self.repo.blob(leaf.id)?;
                hops += 1;
                match text.to_str() {
                    Ok(text) if text.starts_with('/') => return Ok(LinkTarget::Outside),
                    Ok(text) if hops <= MAX_HOPS => {
                        text.rsplit('/').for_each(|part| ahead.push_front(part.to_owned()))
                    }
                    _ => return Ok(LinkTarget::Nowhere),
                }
            } else {
                way.push(part);
                at = Some(leaf);
            }
        }
        Ok(match at {
            Some(leaf) if leaf.is_file() => LinkTarget::File { path: way.join("/"), mark: mark(leaf.id) },
            _ => LinkTarget::Folder,
        })
    }

    /// Whether the path is a file, or a link to a file in the vault.
    pub fn holds(&self, path: &NotePath) -> bool {
        matches!(self.target(path.as_str()), Ok(LinkTarget::File { .. }))
    }

    /// Returns a file of the vault as a checkout would write it, following links within the vault.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::NotFound`] if the commit has no such file; an object cannot be read.
    pub fn read(&self, path: &NotePath) -> io::Result<Vec<u8>> {
        let LinkTarget::File { path, .. } = self.target(path.as_str()).map_err(io::Error::other)? else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let folder = self.folder(&self.place(folder)).map_err(io::Error::other)?;
        let leaf = folder.and_then(|folder| folder.get(name.as_bytes().as_bstr()).copied());
        let leaf = leaf.ok_or(io::ErrorKind::NotFound)?;
        self.checked_out(&self.place(&path), leaf.id).map_err(io::Error::other)
    }

    fn checked_out(&self, place: &str, id: ObjectId) -> Result<Vec<u8>> {
        let stored = self.repo.blob(id)?;
        let mut filters = self.filters.borrow_mut();
        let filters = match &mut *filters {
            Some(filters) => filters,
            none => none.insert(self.filters()?),
        };
        filters.smudge(&self.repo, place.into(), &stored)
    }

    /// Builds the filters from the attributes of the commit.
    fn filters(&self) -> Result<Filters> {
        use gix::index::entry::{Flags, Mode, Stat};
        let mut index = gix::index::State::new(self.repo.inner.object_hash());
        for (place, id) in &*self.attributes.borrow() {
            index.dangerously_push_entry(Stat::default(), *id, Flags::empty(), Mode::FILE, place.as_ref());
        }
        index.sort_entries();
        Filters::new(&self.repo, &index, false)
    }

    /// Converts a path in the vault to a path from the root of the work tree.
    fn place(&self, path: &str) -> String {
        format!("{}{path}", self.repo.prefix).trim_end_matches('/').to_owned()
    }

    /// Returns a folder by its path from the root of the work tree, or `None` if it does not exist.
    fn folder(&self, place: &str) -> Result<Option<Rc<TreeFolder>>> {
        if let Some(cached) = self.folders.borrow().get(place) {
            return Ok(cached.clone());
        }
        let tree = if place.is_empty() {
            Some(self.repo.tree_of(self.commit.id.0)?)
        } else {
            let (above, name) = place.rsplit_once('/').unwrap_or(("", place));
            let leaf = self.folder(above)?.and_then(|folder| folder.get(name.as_bytes().as_bstr()).copied());
            leaf.filter(|leaf| leaf.mode.is_tree()).map(|leaf| leaf.id)
        };
        let folder = match tree {
            Some(tree) => Some(Rc::new(self.repo.entries(Some(tree))?.into_iter().collect::<TreeFolder>())),
            None => None,
        };
        self.note_attributes(place, folder.as_deref());
        self.folders.borrow_mut().insert(place.to_owned(), folder.clone());
        Ok(folder)
    }

    fn note_attributes(&self, place: &str, folder: Option<&TreeFolder>) {
        let written = folder.and_then(|folder| folder.get(ATTRIBUTES.as_bytes().as_bstr()));
        let Some(leaf) = written.filter(|leaf| leaf.is_file()) else { return };
        let name = if place.is_empty() { ATTRIBUTES.to_owned() } else { format!("{place}/{ATTRIBUTES}") };
        self.attributes.borrow_mut().insert(name.into(), leaf.id);
        *self.filters.borrow_mut() = None;
    }
}

/// Returns the fingerprint of a blob: the first eight bytes of its id.
fn mark(id: ObjectId) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&id.as_bytes()[..8]);
    u64::from_be_bytes(bytes)
}
