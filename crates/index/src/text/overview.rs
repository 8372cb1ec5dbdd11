//! Brings a stored overview up to date with the text index, or makes it from all notes.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;
use tantivy::{DocAddress, SegmentReader};

use super::TextIndex;
use super::document::StoredNote;
use super::postings::is_alive;
use super::surroundings::Surroundings;
use crate::error::RebuildReason;
use crate::frame::unframed;
use cm_note::graph::{EdgeStatement, EdgeTypeTable, LinkFinding, NameKey, keys_of, statements};
use cm_note::note::{Note, RelationTable};
use cm_note::path::NotePath;

/// With more than one change per `NOTES_PER_CHANGE` notes, the overview is computed from scratch.
const NOTES_PER_CHANGE: usize = 10;
/// Number of changes that are always applied one by one.
const MIN_REBUILD_CHANGES: usize = 500;
/// Type of the notes whose summaries are listed.
const INSIGHT: &str = "insight";

/// All notes and what they say about edges, at one commit of the text index.
pub(crate) struct OverviewParts {
    /// The notes without what an overview leaves out, sorted by path.
    pub(crate) notes: Vec<Note>,
    addresses: Vec<DocAddress>,
    /// Ids of the segments, by ordinal.
    segments: Vec<String>,
    /// Definitions of edges, in the order of the notes that have them.
    pub(crate) edges: Vec<EdgeStatement>,
    pub(crate) types: EdgeTypeTable,
    pub(crate) findings: OverviewFindings,
    /// Number of notes that were read because they are not as stored.
    pub(crate) changes: usize,
}

/// The findings about references: serialized as they are stored, or found just now. Few commands read them.
#[derive(Debug)]
pub(crate) enum OverviewFindings {
    Stored(OwnedBytes),
    Found(ReferenceFindings),
}

impl OverviewFindings {
    /// Returns the findings; `None` if the stored ones are unsound.
    pub(crate) fn read(&self) -> Option<Cow<'_, ReferenceFindings>> {
        match self {
            Self::Found(found) => Some(Cow::Borrowed(found)),
            Self::Stored(bytes) => {
                let (findings, rest) = list(bytes)?;
                Some(Cow::Owned(ReferenceFindings {
                    findings,
                    suggestions: postcard::from_bytes(rest).ok()?,
                }))
            }
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Stored(bytes) => bytes.to_vec(),
            // Writing to memory cannot fail.
            Self::Found(found) => postcard::to_allocvec(found).unwrap_or_default(),
        }
    }
}

/// Deserializes the list at the beginning of serialized bytes, and returns the bytes behind it. Its memory is
/// allocated once, where `Vec` itself would grow by doubling.
fn list<T: DeserializeOwned>(bytes: &[u8]) -> Option<(Vec<T>, &[u8])> {
    let (length, mut rest) = postcard::take_from_bytes::<usize>(bytes).ok()?;
    // Each item takes at least one byte.
    let mut items = Vec::with_capacity(length.min(rest.len()));
    for _ in 0..length {
        let (item, after) = postcard::take_from_bytes(rest).ok()?;
        items.push(item);
        rest = after;
    }
    Some((items, rest))
}

/// The findings about references between notes.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ReferenceFindings {
    /// In the order of the notes.
    pub(crate) findings: Vec<LinkFinding>,
    /// The titles that missing notes may mean; `None` if they were not looked for.
    pub(crate) suggestions: Option<Vec<Option<String>>>,
}

/// The beginning of a stored overview, before its notes.
#[derive(Serialize, Deserialize)]
struct Head {
    basis: String,
    segments: Vec<String>,
    notes: u32,
}

/// A note of a stored overview with its segment and its document.
type StoredRecord = (u32, u32, Note);

impl OverviewParts {
    /// Returns the sections of the file.
    pub(crate) fn sections(&self, basis: &str) -> [Vec<u8>; 3] {
        let head =
            Head { basis: basis.to_owned(), segments: self.segments.clone(), notes: self.notes.len() as u32 };
        // Writing to memory cannot fail.
        let mut notes = postcard::to_allocvec(&head).unwrap_or_default();
        for (note, address) in self.notes.iter().zip(&self.addresses) {
            let place = (address.segment_ord, address.doc_id);
            notes = postcard::to_extend(&(place.0, place.1, note), notes).unwrap_or_default();
        }
        let edges = postcard::to_allocvec(&(self.types.names(), &self.edges)).unwrap_or_default();
        [notes, edges, self.findings.to_bytes()]
    }

    /// Sets what the notes say. What one note says stays in its order.
    fn set(&mut self, edges: Vec<EdgeStatement>, mut findings: Vec<LinkFinding>) {
        self.edges = edges;
        self.edges.sort_by_key(EdgeStatement::note);
        findings.sort_by_key(LinkFinding::note);
        self.findings = OverviewFindings::Found(ReferenceFindings { findings, suggestions: None });
    }

    /// Looks for the titles that missing notes may mean, once for all who read the stored overview.
    pub(crate) fn suggest(&mut self) {
        if let Some(found) = self.findings.read() {
            let suggestions = Some(LinkFinding::suggestions(&found.findings, &self.notes));
            let findings = found.into_owned().findings;
            self.findings = OverviewFindings::Found(ReferenceFindings { findings, suggestions });
        }
    }
}

/// A stored overview that is being read.
struct StoredOverview {
    head: Head,
    notes: OwnedBytes,
    edges: OwnedBytes,
    findings: OwnedBytes,
}

impl StoredOverview {
    fn open(mut bytes: OwnedBytes, basis: &str) -> Option<Self> {
        let mut section = || {
            let (payload, end) = unframed(&bytes, "overview").ok()?;
            let section = bytes.slice(end - payload.len()..end);
            bytes.advance(end);
            Some(section)
        };
        let (mut notes, edges, findings) = (section()?, section()?, section()?);
        let (head, rest) = postcard::take_from_bytes::<Head>(&notes).ok()?;
        let from = notes.len() - rest.len();
        notes.advance(from);
        (bytes.is_empty() && head.basis == basis).then_some(Self { head, notes, edges, findings })
    }

    fn edges(&self) -> Option<(EdgeTypeTable, Vec<EdgeStatement>)> {
        let (types, rest) = postcard::take_from_bytes::<Vec<String>>(&self.edges).ok()?;
        Some((types.into(), list(rest)?.0))
    }
}

/// The differences between a stored overview and the text index.
#[derive(Default)]
struct Changes {
    /// Notes that are no longer there as they were, with their former positions.
    removed: Vec<(usize, Note)>,
    added: Vec<DocAddress>,
}

impl TextIndex {
    /// Returns the overview, from a stored one if that is sound and similar enough.
    pub(crate) fn overview(
        &self,
        stored: Option<OwnedBytes>,
        basis: &str,
        relations: &RelationTable,
    ) -> Result<OverviewParts, RebuildReason> {
        self.guarded(|| {
            let stored = stored.and_then(|bytes| StoredOverview::open(bytes, basis));
            match stored.map_or(Ok(None), |stored| self.updated(stored, relations))? {
                Some(updated) => Ok(updated),
                None => self.connected(relations),
            }
        })
    }

    /// Makes the overview from all notes.
    fn connected(&self, relations: &RelationTable) -> tantivy::Result<OverviewParts> {
        let mut found = Vec::with_capacity(self.count());
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            let stored = segment.get_store_reader(0)?;
            let stored = stored.iter::<StoredNote>(segment.alive_bitset());
            for (stored, document) in stored.zip(alive(segment)) {
                found.push((stored?.note()?, DocAddress::new(ordinal, document)));
            }
        }
        found.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let (mut notes, addresses): (Vec<Note>, _) = found.into_iter().unzip();
        let mut types = EdgeTypeTable::default();
        let stated = statements(&notes, relations, &mut types, |_| true);
        notes.iter_mut().for_each(strip);
        let mut parts = OverviewParts {
            notes,
            addresses,
            segments: self.segment_ids(),
            edges: Vec::new(),
            types,
            findings: OverviewFindings::Found(ReferenceFindings::default()),
            changes: usize::MAX,
        };
        parts.set(stated.edges, stated.findings);
        Ok(parts)
    }

    pub(super) fn segment_ids(&self) -> Vec<String> {
        self.searcher.segment_readers().iter().map(|segment| segment.segment_id().uuid_string()).collect()
    }

    /// Brings a stored overview up to date; `None` if it is unsound or too much has changed.
    fn updated(
        &self,
        stored: StoredOverview,
        relations: &RelationTable,
    ) -> tantivy::Result<Option<OverviewParts>> {
        let segments = self.segment_ids();
        let readers = self.searcher.segment_readers();
        let ordinal_of = |id: &String| segments.iter().position(|segment| segment == id);
        let ordinals: Vec<Option<usize>> = stored.head.segments.iter().map(ordinal_of).collect();
        let count = stored.head.notes as usize;
        let mut notes = Vec::with_capacity(count.min(self.count()));
        let mut addresses = Vec::with_capacity(count.min(self.count()));
        // The former position of each note.
        let mut former = Vec::with_capacity(count.min(self.count()));
        let mut changes = Changes::default();
        let mut present = vec![0; segments.len()];
        let mut unread = &*stored.notes;
        for position in 0..count {
            let Ok(((segment, document, note), rest)) = postcard::take_from_bytes::<StoredRecord>(unread)
            else {
                return Ok(None);
            };
            unread = rest;
            let ordinal = ordinals.get(segment as usize).copied().flatten();
            match ordinal.filter(|ordinal| {
                document < readers[*ordinal].max_doc() && is_alive(&readers[*ordinal], document)
            }) {
                Some(ordinal) => {
                    present[ordinal] += 1;
                    addresses.push(DocAddress::new(ordinal as u32, document));
                    notes.push(note);
                    former.push(position);
                }
                None => changes.removed.push((position, note)),
            }
        }
        for (ordinal, segment) in readers.iter().enumerate() {
            if !ordinals.contains(&Some(ordinal)) {
                changes
                    .added
                    .extend(alive(segment).map(|document| DocAddress::new(ordinal as u32, document)));
            } else if present[ordinal] != segment.num_docs() {
                return Ok(None);
            }
        }
        let number = changes.removed.len().max(changes.added.len());
        if number > MIN_REBUILD_CHANGES.max(notes.len() / NOTES_PER_CHANGE) {
            return Ok(None);
        }
        let Some((types, edges)) = stored.edges() else { return Ok(None) };
        let findings = OverviewFindings::Stored(stored.findings);
        let parts = OverviewParts { notes, addresses, segments, edges, types, findings, changes: 0 };
        if number == 0 { Ok(Some(parts)) } else { self.with_changes(parts, former, changes, relations) }
    }

    /// Works changes into an overview from which what was removed is gone; `None` if it is unsound.
    fn with_changes(
        &self,
        mut parts: OverviewParts,
        former: Vec<usize>,
        changes: Changes,
        relations: &RelationTable,
    ) -> tantivy::Result<Option<OverviewParts>> {
        let mut around = Surroundings::unlimited(self);
        let places = around.load(changes.added.clone())?;
        let mut added: Vec<(Note, DocAddress)> =
            places.iter().map(|place| (stripped(&around.notes[*place]), around.addresses[*place])).collect();
        added.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let concerned = self.concerned(&mut around, &added, &changes.removed)?;
        let changed_notes: HashSet<DocAddress> = concerned.into_iter().chain(changes.added).collect();
        around.complete_statements(&changed_notes)?;
        around.sort();

        let moves = Moves::of(&parts.notes, former, &added, &changes.removed);
        moves.insert_all(&mut parts, added);
        let position = |path: &NotePath| parts.notes.binary_search_by(|note| note.path.cmp(path)).ok();
        let is_wanted = |place: usize| changed_notes.contains(&around.addresses[place]);
        let stated = statements(&around.notes, relations, &mut parts.types, is_wanted);
        let renewed: HashSet<usize> = (0..around.notes.len())
            .filter(|place| is_wanted(*place))
            .filter_map(|place| position(&around.notes[place].path))
            .collect();
        let edges = std::mem::take(&mut parts.edges);
        let Some(findings) = parts.findings.read() else { return Ok(None) };
        let findings = findings.into_owned().findings;
        // What is removed and not there anew says nothing any more.
        let is_current = |note: usize| moves.place(note).is_some_and(|place| !renewed.contains(&place));
        let before = edges.into_iter().filter(|edge| is_current(edge.note()));
        let before = before.map(|edge| edge.moved(|note| moves.place(note)));
        let now = stated.edges.into_iter().map(|edge| edge.moved(|at| position(&around.notes[at].path)));
        let Some(edges) = before.chain(now).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let before = findings.into_iter().filter(|finding| is_current(finding.note()));
        let before = before.map(|finding| finding.moved(|note| moves.place(note)));
        let now = stated.findings.into_iter();
        let now = now.map(|finding| finding.moved(|at| position(&around.notes[at].path)));
        let Some(findings) = before.chain(now).collect::<Option<Vec<_>>>() else { return Ok(None) };
        parts.set(edges, findings);
        parts.changes = changed_notes.len() + changes.removed.len();
        Ok(Some(parts))
    }

    /// Returns the notes whose references may lead elsewhere after the changes.
    fn concerned(
        &self,
        around: &mut Surroundings<'_>,
        added: &[(Note, DocAddress)],
        removed: &[(usize, Note)],
    ) -> tantivy::Result<Vec<DocAddress>> {
        let before: HashMap<&NotePath, &Note> = removed.iter().map(|(_, note)| (&note.path, note)).collect();
        let after: HashMap<&NotePath, &Note> = added.iter().map(|(note, _)| (&note.path, note)).collect();
        let keeps_names = |note: &Note| match (before.get(&note.path), after.get(&note.path)) {
            (Some(before), Some(after)) => has_same_names(before, after),
            _ => false,
        };
        let all = || removed.iter().map(|(_, note)| note).chain(added.iter().map(|(note, _)| note));
        let renamed = all().filter(|note| !keeps_names(note)).flat_map(keys_of);
        let keys: BTreeSet<NameKey> = renamed.collect();
        let mut concerned = self.mentioning(&keys)?;
        // A relation may be defined by an edge file that it names.
        let files = |notes: &mut dyn Iterator<Item = &Note>| -> BTreeSet<NameKey> {
            notes.filter(|note| note.edge.is_some()).flat_map(keys_of).collect()
        };
        let places = around.load(concerned.clone())?;
        let keys = files(&mut all().chain(places.iter().map(|place| &around.notes[*place])));
        concerned.extend(self.mentioning(&keys)?);
        Ok(concerned)
    }
}

/// How the positions of notes change.
struct Moves {
    /// Positions before which notes are inserted, ascending.
    inserted: Vec<usize>,
    /// By former position, for notes that are as they were: the position without the insertions.
    unchanged: Vec<Option<usize>>,
    /// By former position, for other notes: the position of the one that is there now at the same path.
    replaced: HashMap<usize, usize>,
}

impl Moves {
    fn of(
        notes: &[Note],
        former: Vec<usize>,
        added: &[(Note, DocAddress)],
        removed: &[(usize, Note)],
    ) -> Self {
        let inserted = added.iter().map(|(note, _)| notes.partition_point(|other| other.path < note.path));
        let inserted: Vec<usize> = inserted.collect();
        let renewed = removed.iter().filter_map(|(position, note)| {
            let at = added.binary_search_by(|(other, _)| other.path.cmp(&note.path)).ok()?;
            Some((*position, inserted[at] + at))
        });
        let replaced = renewed.collect();
        let mut unchanged = vec![None; former.len() + removed.len()];
        for (place, position) in former.into_iter().enumerate() {
            unchanged[position] = Some(place);
        }
        Self { inserted, unchanged, replaced }
    }

    /// Returns the position of the note that was at a former position.
    fn place(&self, former: usize) -> Option<usize> {
        match self.unchanged.get(former).copied().flatten() {
            Some(place) => Some(place + self.inserted.partition_point(|at| *at <= place)),
            None => self.replaced.get(&former).copied(),
        }
    }

    /// Inserts the added notes, which are sorted by path.
    fn insert_all(&self, parts: &mut OverviewParts, added: Vec<(Note, DocAddress)>) {
        let mut addresses = Vec::with_capacity(parts.addresses.len() + added.len());
        let mut rest = parts.addresses.iter().copied().enumerate().peekable();
        for ((_, address), before) in added.iter().zip(&self.inserted) {
            while let Some((_, other)) = rest.next_if(|(place, _)| place < before) {
                addresses.push(other);
            }
            addresses.push(*address);
        }
        addresses.extend(rest.map(|(_, address)| address));
        parts.addresses = addresses;
        parts.notes.extend(added.into_iter().map(|(note, _)| note));
        // Stable sorting merges the two runs.
        parts.notes.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Whether references lead to both notes alike, which are at the same path.
fn has_same_names(one: &Note, other: &Note) -> bool {
    (&one.id, &one.title, &one.aliases, one.kind) == (&other.id, &other.title, &other.aliases, other.kind)
}

fn alive(segment: &SegmentReader) -> impl Iterator<Item = u32> {
    (0..segment.max_doc()).filter(move |document| is_alive(segment, *document))
}

/// Removes what an overview leaves out.
fn strip(note: &mut Note) {
    note.relations = Vec::new();
    note.links = Vec::new();
    if note.note_type.as_deref() != Some(INSIGHT) {
        note.summary = String::new();
    }
}

fn stripped(note: &Note) -> Note {
    let mut note = note.clone();
    strip(&mut note);
    note
}
