//! Lookup tables for names: exact names as keys, derived names by hash, ids also by prefix.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use crate::note::Note;

use super::Resolution;

/// Minimum length of an id prefix that identifies a note, in bytes.
pub(super) const MIN_PREFIX_BYTES: usize = 6;

/// Maps a name to the notes that have it. Most names have one note, which needs no list.
pub(super) struct NameTable<K>(HashMap<K, NotesOfName>);

pub(super) enum NotesOfName {
    One(u32),
    Many(Vec<u32>),
}

impl<K: Eq + Hash> NameTable<K> {
    pub(super) fn of(expected: usize, names: impl Iterator<Item = (K, u32)>) -> Self {
        let mut table: HashMap<K, NotesOfName> = HashMap::with_capacity(expected);
        for (name, note) in names {
            table.entry(name).and_modify(|bearers| bearers.add(note)).or_insert(NotesOfName::One(note));
        }
        Self(table)
    }

    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, name: &Q) -> Option<&NotesOfName>
    where
        K: Borrow<Q>,
    {
        self.0.get(name)
    }
}

impl NotesOfName {
    /// Adds a note. Notes arrive in ascending order, so a duplicate is always the last one.
    fn add(&mut self, note: u32) {
        match self {
            Self::One(first) if *first == note => {}
            Self::One(first) => *self = Self::Many(vec![*first, note]),
            Self::Many(notes) if notes.last() == Some(&note) => {}
            Self::Many(notes) => notes.push(note),
        }
    }
}

impl From<Option<&NotesOfName>> for Resolution {
    fn from(bearers: Option<&NotesOfName>) -> Self {
        match bearers {
            None => Self::None,
            Some(NotesOfName::One(note)) => Self::One(*note as usize),
            Some(NotesOfName::Many(notes)) => Self::Many(notes.iter().map(|note| *note as usize).collect()),
        }
    }
}

/// Derived names by hash. They are rarely needed, so the table stores no text; the caller
/// recomputes the name to compare.
pub(super) struct HashedNames(Vec<(u64, u32)>);

impl HashedNames {
    pub(super) fn of(names: impl Iterator<Item = (impl AsRef<str>, u32)>) -> Self {
        let mut sorted: Vec<(u64, u32)> = names.map(|(name, note)| (hash_of(name.as_ref()), note)).collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// Returns the notes that may have this name; the caller must compare, because hashes can
    /// collide.
    pub(super) fn get(&self, name: &str) -> impl Iterator<Item = usize> {
        let hash = hash_of(name);
        let begin = self.0.partition_point(|(name_hash, _)| *name_hash < hash);
        self.0[begin..]
            .iter()
            .take_while(move |(name_hash, _)| *name_hash == hash)
            .map(|(_, note)| *note as usize)
    }
}

fn hash_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(name.as_bytes());
    hasher.finish()
}

/// The ids, for lookup by whole id or by prefix.
pub(super) struct IdTable<'n> {
    notes: &'n [Note],
    whole: NameTable<&'n str>,
    sorted: OnceLock<Vec<(&'n str, u32)>>,
    /// For each of the first six positions of an id, the bytes that occur there in some id. A
    /// reference with another byte, such as most titles, is not an id.
    begins: [[bool; 256]; MIN_PREFIX_BYTES],
}

impl<'n> IdTable<'n> {
    pub(super) fn of(notes: &'n [Note]) -> Self {
        let mut begins = [[false; 256]; MIN_PREFIX_BYTES];
        for (id, _) in ids(notes) {
            for (place, byte) in begins.iter_mut().zip(id.bytes()) {
                place[byte as usize] = true;
            }
        }
        Self { notes, whole: NameTable::of(notes.len(), ids(notes)), sorted: OnceLock::new(), begins }
    }

    pub(super) fn whole(&self, reference: &str) -> Resolution {
        if self.plausible(reference) { self.whole.get(reference).into() } else { Resolution::None }
    }

    pub(super) fn beginning_with(&self, prefix: &str) -> Resolution {
        if prefix.len() < MIN_PREFIX_BYTES || !self.plausible(prefix) {
            return Resolution::None;
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut sorted: Vec<(&str, u32)> = ids(self.notes).collect();
            sorted.sort_unstable();
            sorted
        });
        let begin = sorted.partition_point(|(id, _)| *id < prefix);
        let run = sorted[begin..].iter().take_while(|(id, _)| id.starts_with(prefix));
        run.map(|(_, note)| *note as usize).collect::<Vec<_>>().into()
    }

    fn plausible(&self, begin: &str) -> bool {
        self.begins.iter().zip(begin.bytes()).all(|(place, byte)| place[byte as usize])
    }
}

fn ids(notes: &[Note]) -> impl Iterator<Item = (&str, u32)> {
    notes.iter().zip(0..).filter_map(|(note, position)| Some((note.id.as_ref()?.as_str(), position)))
}
