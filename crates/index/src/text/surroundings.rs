//! Loads the notes around a note, so that a graph of these few notes has the same edges at it as the
//! graph of the whole vault.
//!
//! Every name in question is looked up in the index, with all notes that have it. Nothing is left out;
//! where too many notes would be loaded, the caller reads all of them instead.

use std::collections::{HashMap, HashSet};

use tantivy::{DocAddress, Term};

use super::TextIndex;
use super::document::{fact, further_mention_number, mention_number};
use crate::error::RebuildReason;
use cm_note::graph::{EdgeFilter, Graph, Mention, NameKey, further_mentions, keys_of, mentions};
use cm_note::note::Note;
use cm_note::path::NotePath;
use cm_note::query::LabelField;

/// Number of notes up to which they are always loaded one by one.
const MIN_LOAD_LIMIT: usize = 2_000;
/// Minimum length in bytes of an id prefix that identifies a note.
const MIN_PREFIX_BYTES: usize = 6;

impl TextIndex {
    /// Returns the note at a path and the notes around it, sorted by path. Their graph has all edges of
    /// the notes that are less than `hops` edges away on this route. Empty if there is no such note;
    /// `None` if a large part of the vault would be needed.
    pub(crate) fn surroundings(
        &self,
        path: &NotePath,
        hops: u8,
        route: &EdgeFilter,
    ) -> Result<Option<Vec<Note>>, RebuildReason> {
        self.guarded(|| {
            let mut around = Surroundings::of(self);
            let [start] = *around.load(self.with_term(&self.fields.key_term(path))?)? else {
                return Ok(Some(Vec::new()));
            };
            around.complete(start)?;
            for hop in 1..hops {
                if around.is_full() {
                    break;
                }
                around.sort();
                let Some(start) = around.notes.iter().position(|note| note.path == *path) else { break };
                let reached = Graph::connect(&around.notes).related(start, hop, route);
                let last: HashSet<usize> =
                    reached.iter().filter(|note| note.hops == hop).map(|note| note.node).collect();
                for note in last {
                    around.complete(note)?;
                }
            }
            let full = around.is_full();
            around.sort();
            Ok((!full).then_some(around.notes))
        })
    }

    /// Returns all notes that a name, a path or the beginning of an id may refer to, sorted by path, and
    /// perhaps others.
    pub(crate) fn possible_targets(&self, reference: &str) -> Result<Vec<Note>, RebuildReason> {
        self.guarded(|| {
            let mut around = Surroundings::unlimited(self);
            let name = Wanted::of(&Mention::by_name(reference), None);
            around.load(around.bearers(&name)?)?;
            around.load(self.with_beginning(reference)?)?;
            around.sort();
            Ok(around.notes)
        })
    }

    /// Returns the notes that have a mention with one of these keys.
    pub(super) fn mentioning<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k NameKey>,
    ) -> tantivy::Result<Vec<DocAddress>> {
        let mut found = Vec::new();
        for key in keys {
            for number in
                [mention_number(*key, true), mention_number(*key, false), further_mention_number(*key)]
            {
                found.extend(self.with_term(&Term::from_field_u64(self.fields.targets, number))?);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Returns the notes with this id.
    fn with_id_of(&self, id: &str) -> tantivy::Result<Vec<DocAddress>> {
        let term = fact(LabelField::Id, &LabelField::Id.folded(id));
        self.with_term(&Term::from_field_text(self.fields.facts, &term))
    }

    /// Returns the notes whose id starts with a prefix.
    fn with_beginning(&self, id: &str) -> tantivy::Result<Vec<DocAddress>> {
        let facts = self.fields.facts;
        let from = fact(LabelField::Id, &LabelField::Id.folded(id));
        let mut terms = HashSet::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(facts)?;
            let mut stream = index.terms().range().ge(&from).into_stream()?;
            while stream.advance() && stream.key().starts_with(from.as_bytes()) {
                terms
                    .extend(std::str::from_utf8(stream.key()).map(|term| Term::from_field_text(facts, term)));
            }
        }
        let mut found = Vec::new();
        for term in terms {
            found.extend(self.with_term(&term)?);
        }
        Ok(found)
    }
}

/// A name whose bearers are needed: that of a mention in a note.
#[derive(PartialEq, Eq, Hash)]
struct Wanted {
    keys: Vec<NameKey>,
    beginning: Option<String>,
    paths: Vec<NotePath>,
}

impl Wanted {
    fn of(mention: &Mention<'_>, from: Option<&NotePath>) -> Self {
        Self {
            keys: mention.keys(),
            beginning: mention.beginning().map(str::to_owned),
            paths: mention.paths(from),
        }
    }

    /// The names in a note with keys for which `is_wanted` is true, and the edge files that its relations
    /// with such names refer to. All names of an edge file, because its ends belong together.
    fn in_note<'n>(note: &'n Note, is_wanted: &'n dyn Fn(&[NameKey]) -> bool) -> impl Iterator<Item = Self> {
        let all = mentions(note).into_iter().chain(further_mentions(note));
        let own_mentions =
            all.filter(move |mention| note.edge.is_some() || is_wanted(&mention.keys_from(&note.path)));
        let relations = note.relations.iter();
        let files = relations.filter(|entry| is_wanted(&Mention::by_name(&entry.target).keys()));
        let files = files.filter_map(|entry| entry.edge_id.as_deref()).map(Mention::by_name);
        own_mentions.chain(files).map(|mention| Self::of(&mention, Some(&note.path)))
    }
}

/// Notes loaded so far.
pub(super) struct Surroundings<'t> {
    text: &'t TextIndex,
    pub(super) notes: Vec<Note>,
    pub(super) addresses: Vec<DocAddress>,
    places: HashMap<DocAddress, usize>,
    /// Names whose bearers are loaded.
    looked_up: HashSet<Wanted>,
    /// Maximum number of notes to load.
    most: usize,
}

impl<'t> Surroundings<'t> {
    fn of(text: &'t TextIndex) -> Self {
        Self {
            text,
            notes: Vec::new(),
            addresses: Vec::new(),
            places: HashMap::new(),
            looked_up: HashSet::new(),
            most: MIN_LOAD_LIMIT.max(text.count() / 4),
        }
    }

    /// Any number of notes may be loaded.
    pub(super) fn unlimited(text: &'t TextIndex) -> Self {
        Self { most: usize::MAX, ..Self::of(text) }
    }

    /// Whether more notes are needed than may be loaded.
    fn is_full(&self) -> bool {
        self.notes.len() > self.most
    }

    /// Loads the notes that are not loaded yet, in storage order, and returns the places of all.
    pub(super) fn load(&mut self, mut addresses: Vec<DocAddress>) -> tantivy::Result<Vec<usize>> {
        addresses.sort_unstable();
        addresses.dedup();
        let mut places = Vec::with_capacity(addresses.len());
        for address in addresses {
            if self.is_full() {
                break;
            }
            if !self.places.contains_key(&address) {
                self.places.insert(address, self.notes.len());
                self.notes.push(self.text.note(address)?);
                self.addresses.push(address);
            }
            places.extend(self.places.get(&address));
        }
        Ok(places)
    }

    /// Loads what the edges at a note depend on.
    fn complete(&mut self, at: usize) -> tantivy::Result<()> {
        let keys = keys_of(&self.notes[at]);
        let own: Vec<Wanted> = Wanted::in_note(&self.notes[at], &|_| true).collect();
        let naming = self.load(self.text.mentioning(&keys)?)?;
        let concerned = |theirs: &[NameKey]| theirs.iter().any(|key| keys.contains(key));
        let theirs = naming.into_iter().flat_map(|note| Wanted::in_note(&self.notes[note], &concerned));
        let all_names: HashSet<Wanted> = own.into_iter().chain(theirs).collect();
        self.look_up(all_names).map(drop)
    }

    /// Loads what the statements of these notes about edges depend on.
    pub(super) fn complete_statements(&mut self, notes: &HashSet<DocAddress>) -> tantivy::Result<()> {
        let places = self.load(notes.iter().copied().collect())?;
        let names = places.iter().flat_map(|place| Wanted::in_note(&self.notes[*place], &|_| true));
        let name_set: HashSet<Wanted> = names.collect();
        let found = self.look_up(name_set)?;
        // Where a relation names an edge file, the ends of the file count.
        let files = found.iter().map(|place| &self.notes[*place]).filter(|note| note.edge.is_some());
        let ends: HashSet<Wanted> = files.flat_map(|note| Wanted::in_note(note, &|_| true)).collect();
        self.look_up(ends).map(drop)
    }

    /// Loads the bearers of names and returns the places of those that were not looked up before.
    fn look_up(&mut self, names: HashSet<Wanted>) -> tantivy::Result<Vec<usize>> {
        let mut found = Vec::new();
        for name in names {
            if !self.looked_up.contains(&name) {
                found.extend(self.load(self.bearers(&name)?)?);
                self.looked_up.insert(name);
            }
        }
        Ok(found)
    }

    /// Returns the documents of all notes that a name may refer to.
    fn bearers(&self, wanted: &Wanted) -> tantivy::Result<Vec<DocAddress>> {
        let fields = &self.text.fields;
        let names = wanted.keys.iter().map(|key| Term::from_field_u64(fields.names, key.number()));
        let paths = wanted.paths.iter().map(|path| fields.key_term(path));
        let mut found = Vec::new();
        for term in names.chain(paths) {
            found.extend(self.text.with_term(&term)?);
        }
        if let Some(id) = &wanted.beginning {
            found.extend(if id.len() < MIN_PREFIX_BYTES {
                self.text.with_id_of(id)?
            } else {
                self.text.with_beginning(id)?
            });
        }
        Ok(found)
    }

    /// Sorts the notes by path, as in the whole vault.
    pub(super) fn sort(&mut self) {
        let mut sorted: Vec<(Note, DocAddress)> =
            self.notes.drain(..).zip(self.addresses.drain(..)).collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        self.places = sorted.iter().enumerate().map(|(place, (_, address))| (*address, place)).collect();
        (self.notes, self.addresses) = sorted.into_iter().unzip();
    }
}
