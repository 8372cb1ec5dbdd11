//! Pairs the files of both sides with those of the base: by id where a note has one, so that a moved
//! note is the same one, else by path, or by content if a file was moved as it is.

use std::collections::{BTreeMap, HashMap, HashSet};

use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::note::{Note, read};
use cm_note::path::NotePath;

use super::SideChange;
use crate::{ChangeStamp, Vocabulary, same_text};

/// One version of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileVersion<'a> {
    pub path: &'a NotePath,
    pub bytes: &'a [u8],
    pub executable: bool,
    /// The newest commit that changed the file on this side; `None` if it is as in the base.
    pub stamp: Option<&'a ChangeStamp>,
}

impl FileVersion<'_> {
    pub fn note(&self, vocabulary: &Vocabulary<'_>) -> Note {
        read::read(self.path, self.bytes, vocabulary.types, vocabulary.relations).note
    }
}

/// The versions of one file or note.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MergeItem<'a> {
    pub base: Option<FileVersion<'a>>,
    pub ours: Option<FileVersion<'a>>,
    pub theirs: Option<FileVersion<'a>>,
}

/// Returns the `id` in the frontmatter.
pub(super) fn id_of(path: &NotePath, bytes: &[u8]) -> Option<String> {
    if !path.is_markdown() || path.is_generated() {
        return None;
    }
    read::id_text(std::str::from_utf8(bytes).ok()?)
}

/// Returns the number of leftovers in a note.
pub(super) fn leftovers(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    if !text.contains("\nmerge:") {
        return 0;
    }
    let parsed = parse(&Split::of(text));
    parsed.fields.get("merge").and_then(|field| field.value.as_sequence()).map_or(0, |items| items.len())
}

/// The files of one side at the paths that either side changed.
struct SideFiles<'a> {
    files: HashMap<&'a NotePath, FileVersion<'a>>,
    /// New paths by the id of their note.
    added: HashMap<String, &'a NotePath>,
    /// New paths of files without an id by their content, with all its removed and new copies.
    moved: HashMap<&'a [u8], MovedFile<'a>>,
    /// Paths that belong to an item.
    paired: HashSet<&'a NotePath>,
}

/// Copies of one content that a side removed and added. It was moved if there is one of each.
#[derive(Default)]
struct MovedFile<'a> {
    removed: usize,
    added: Vec<&'a NotePath>,
}

impl<'a> SideFiles<'a> {
    fn of(own: &'a [SideChange], other: &'a [SideChange]) -> Self {
        let mut files = HashMap::new();
        for change in other {
            if let Some(bytes) = &change.old {
                let version = FileVersion { path: &change.path, bytes, executable: false, stamp: None };
                files.insert(&change.path, version);
            }
        }
        let mut added = HashMap::new();
        let mut moved: HashMap<&[u8], MovedFile<'_>> = HashMap::new();
        for change in own {
            files.remove(&change.path);
            let Some(bytes) = &change.new else {
                let old = change.old.as_deref().unwrap_or_default();
                moved.entry(old).or_default().removed += 1;
                continue;
            };
            let executable = change.executable;
            let stamp = change.stamp.as_ref();
            files.insert(&change.path, FileVersion { path: &change.path, bytes, executable, stamp });
            if change.old.is_none() {
                match id_of(&change.path, bytes) {
                    Some(id) => drop(added.entry(id).or_insert(&change.path)),
                    None if !bytes.is_empty() => moved.entry(bytes).or_default().added.push(&change.path),
                    None => {}
                }
            }
        }
        moved.retain(|_, file| file.removed == 1 && file.added.len() == 1);
        Self { files, added, moved, paired: HashSet::new() }
    }

    /// Takes the version of a file or note of the base: where it moved to, else at its path.
    fn take(&mut self, base: &FileVersion<'a>, id: Option<&str>) -> Option<FileVersion<'a>> {
        let path = base.path;
        let moved = match id {
            Some(id) => self.added.get(id).copied(),
            None => self.moved.get(base.bytes).and_then(|file| file.added.first().copied()),
        };
        let here = self.files.get(path).copied();
        let is_same = |here: FileVersion<'_>| id.is_none() || id_of(path, here.bytes).as_deref() == id;
        let stays = here.is_some_and(|here| moved.is_none() || is_same(here));
        let found = if stays { here } else { moved.and_then(|moved| self.files.get(moved).copied()) }?;
        self.paired.insert(found.path);
        Some(found)
    }

    /// Takes the version without an ID at the path to which the other side moved a file that is gone here.
    fn take_at(&mut self, path: &NotePath) -> Option<FileVersion<'a>> {
        let found = *self.files.get(path)?;
        let is_free = !self.paired.contains(found.path) && id_of(found.path, found.bytes).is_none();
        is_free.then(|| {
            self.paired.insert(found.path);
            found
        })
    }

    /// Removes and returns the versions that belong to no item yet, in the order of their paths.
    fn rest(&self) -> Vec<FileVersion<'a>> {
        let rest = self.files.values().filter(|file| !self.paired.contains(file.path));
        let mut rest: Vec<_> = rest.copied().collect();
        rest.sort_by_key(|file| file.path);
        rest
    }
}

/// Returns the files and notes that a side changed, with their versions.
pub(super) fn pair<'a>(
    ours: &'a [SideChange],
    theirs: &'a [SideChange],
    vocabulary: &Vocabulary<'_>,
) -> Vec<MergeItem<'a>> {
    let (mut own, mut other) = (SideFiles::of(ours, theirs), SideFiles::of(theirs, ours));
    let mut base: BTreeMap<&NotePath, &[u8]> = BTreeMap::new();
    for change in ours.iter().chain(theirs) {
        if let Some(old) = &change.old {
            base.insert(&change.path, old);
        }
    }
    let moves = [&own, &other].iter().any(|side| !side.added.is_empty() || !side.moved.is_empty());
    let mut items = Vec::with_capacity(base.len());
    for (path, bytes) in base {
        let id = if moves { id_of(path, bytes) } else { None };
        let base = FileVersion { path, bytes, executable: false, stamp: None };
        let (ours, theirs) = (own.take(&base, id.as_deref()), other.take(&base, id.as_deref()));
        let moved_to =
            |side: Option<FileVersion<'a>>| side.map(|file| file.path).filter(|moved| *moved != path);
        let (ours, theirs) = match (moved_to(ours), moved_to(theirs)) {
            (Some(moved), None) if id.is_none() => (ours, theirs.or_else(|| other.take_at(moved))),
            (None, Some(moved)) if id.is_none() => (ours.or_else(|| own.take_at(moved)), theirs),
            _ => (ours, theirs),
        };
        items.push(MergeItem { base: Some(base), ours, theirs });
    }
    items.extend(pair_new(own.rest(), other.rest(), vocabulary));
    items
}

/// Pairs the files that the base does not have: by id, edges by their ends, files without id by path.
fn pair_new<'a>(
    ours: Vec<FileVersion<'a>>,
    theirs: Vec<FileVersion<'a>>,
    vocabulary: &Vocabulary<'_>,
) -> Vec<MergeItem<'a>> {
    let mut by_key: HashMap<NewKey, FileVersion<'a>> = HashMap::new();
    for version in theirs.iter().rev() {
        by_key.insert(NewKey::of(version, vocabulary), *version);
    }
    let mut paired: HashSet<&NotePath> = HashSet::new();
    let mut items = Vec::new();
    for version in ours {
        let other = by_key.get(&NewKey::of(&version, vocabulary)).copied();
        let other = other
            .filter(|other| !paired.contains(other.path) && is_same_note(&version, other, vocabulary))
            .or_else(|| without_id_at(&theirs, &version))
            .filter(|other| {
                version.path != other.path || same_text::is_one_file(version.path, version.bytes, other.bytes)
            });
        if let Some(other) = other {
            paired.insert(other.path);
        }
        items.push(MergeItem { base: None, ours: Some(version), theirs: other });
    }
    let rest = theirs.into_iter().filter(|version| !paired.contains(version.path));
    items.extend(rest.map(|version| MergeItem { theirs: Some(version), ..MergeItem::default() }));
    items
}

/// The file of the other side at the same path, if one of the two has no id.
fn without_id_at<'a>(theirs: &[FileVersion<'a>], version: &FileVersion<'a>) -> Option<FileVersion<'a>> {
    let at = theirs.binary_search_by_key(&version.path, |other| other.path).ok()?;
    let other = *theirs.get(at)?;
    let has_id = |file: &FileVersion<'_>| id_of(file.path, file.bytes).is_some();
    (!has_id(version) || !has_id(&other)).then_some(other)
}

/// Key of a file that the base does not have: two files with equal keys are versions of one note.
#[derive(PartialEq, Eq, Hash)]
enum NewKey {
    /// Start, type and end of an edge.
    Edge(String, String, String),
    Id(String),
    Path(String),
}

impl NewKey {
    fn of(version: &FileVersion<'_>, vocabulary: &Vocabulary<'_>) -> Self {
        if version.path.as_str().starts_with("graph/edges/") {
            let note = version.note(vocabulary);
            if let (Some(ends), Some(relation)) = (note.edge, note.note_type) {
                return Self::Edge(ends.from, relation, ends.to);
            }
        }
        match id_of(version.path, version.bytes) {
            Some(id) => Self::Id(id),
            None => Self::Path(version.path.to_string()),
        }
    }
}

/// Whether two new files with one id are the same note, and not two notes that were given it.
fn is_same_note(one: &FileVersion<'_>, other: &FileVersion<'_>, vocabulary: &Vocabulary<'_>) -> bool {
    if one.bytes == other.bytes {
        return true;
    }
    let (one, other) = (one.note(vocabulary), other.note(vocabulary));
    one.path == other.path || one.edge.is_some() || one.created == other.created || one.title == other.title
}
