//! Finds the notes one edge away from given notes by looking up names, without building the graph
//! of the whole vault.
//!
//! The index returns candidates by key, and a graph of these few notes resolves the mentions. The
//! work per note is bounded, however many notes link to it.

use std::collections::HashSet;

use tantivy::{DocAddress, Term};

use super::TextIndex;
use super::document::{fact, mention_number};
use crate::error::RebuildReason;
use cm_note::graph::{Edge, Graph, Mention, NameKey, Resolution, keys_of, mentions};
use cm_note::note::{Note, NoteKind};
use cm_note::query::LabelField;

/// Adjacent notes and their edges.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Neighbours {
    /// Adjacent notes that were not passed in, sorted by path. Edge files are never included.
    pub notes: Vec<Note>,
    /// Edges that touch a given note, without their sources. Ends are positions in the given notes
    /// followed by `notes`. A given edge file has edges to both ends of the edge that it describes.
    pub edges: Vec<Edge>,
    /// Approximate degree of each given note and each note in `notes`, for recognizing hubs. Of
    /// those in `notes` only outgoing mentions are counted.
    pub degrees: Vec<usize>,
}

/// Maximum number of incoming and of outgoing mentions to follow per note.
const MAX_MENTIONS: usize = 12;
/// Maximum number of notes that mention a note or share a name. Beyond it the mentions are ignored.
const MAX_BEARERS: usize = 4096;
/// Maximum number of notes of the same name to compare.
const MAX_COMPARED_BEARERS: usize = 12;
/// Maximum number of ids with a given prefix that are looked up in each segment.
const MAX_IDS_PER_SEGMENT: usize = 4;
/// Minimum length in bytes of an id prefix that identifies a note.
const MIN_PREFIX_BYTES: usize = 6;

impl TextIndex {
    /// Returns the notes one edge away from these, in both directions.
    pub(crate) fn neighbours(&self, notes: &[&Note]) -> Result<Neighbours, RebuildReason> {
        self.guarded(|| {
            let mut gathered = Gathered::of(self, notes)?;
            let naming = gathered.naming()?;
            gathered.load(naming)?;
            let edges_by_name = gathered.edges_by_name()?;
            gathered.load(edges_by_name)?;
            Ok(gathered.join())
        })
    }
}

/// Candidate notes, the given notes first.
struct Gathered<'t> {
    text: &'t TextIndex,
    seeds: usize,
    notes: Vec<Note>,
    visited: HashSet<DocAddress>,
    /// Name keys of the given notes.
    called: Vec<Vec<NameKey>>,
    /// Number of notes that mention each given note.
    naming: Vec<usize>,
}

impl<'t> Gathered<'t> {
    fn of(text: &'t TextIndex, notes: &[&Note]) -> tantivy::Result<Self> {
        let mut gathered = Self {
            text,
            seeds: notes.len(),
            notes: notes.iter().copied().cloned().collect(),
            visited: HashSet::new(),
            called: notes.iter().map(|note| keys_of(note)).collect(),
            naming: Vec::new(),
        };
        for note in notes {
            let mut found = Vec::new();
            gathered.documents(&text.fields.key_term(&note.path), &mut found)?;
            gathered.visited.extend(found.into_iter().map(|(_, address)| address));
        }
        Ok(gathered)
    }

    /// Adds the documents that contain a term, each with its tie-breaker, up to `MAX_BEARERS`.
    fn documents(&self, term: &Term, found: &mut Vec<(u64, DocAddress)>) -> tantivy::Result<()> {
        let columns = self.text.columns()?;
        let documents = self.text.first_with_term(term, MAX_BEARERS.saturating_sub(found.len()))?;
        found.extend(documents.into_iter().map(|address| (columns.order(address), address)));
        Ok(())
    }

    /// Returns documents that may mention a given note; mentions with a relation type come before
    /// plain links.
    fn naming(&mut self) -> tantivy::Result<Vec<DocAddress>> {
        let mut all = Vec::new();
        for keys in &self.called {
            let typed = self.naming_by(keys, true)?;
            let mut linking = self.naming_by(keys, false)?;
            linking.retain(|one| typed.binary_search(one).is_err());
            let count = typed.len() + linking.len();
            self.naming.push(count.min(MAX_BEARERS));
            if count < MAX_BEARERS {
                all.extend(typed.into_iter().chain(linking).take(MAX_MENTIONS).map(|(_, address)| address));
            }
        }
        Ok(all)
    }

    /// Returns the documents that mention one of these keys, unsorted and possibly incomplete if
    /// there are `MAX_BEARERS` or more.
    fn naming_by(&self, keys: &[NameKey], typed: bool) -> tantivy::Result<Vec<(u64, DocAddress)>> {
        let mut found = Vec::new();
        for key in keys {
            self.documents(
                &Term::from_field_u64(self.text.fields.targets, mention_number(*key, typed)),
                &mut found,
            )?;
        }
        if found.len() < MAX_BEARERS {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// Returns the documents that given notes or edge files may mention, and those that other
    /// loaded notes may mention by a name that a given note has too.
    fn edges_by_name(&self) -> tantivy::Result<Vec<DocAddress>> {
        let called_keys: HashSet<NameKey> = self.called.iter().flatten().copied().collect();
        // By keys and id: a path that climbs may share all its keys with a name, and no id is meant by it.
        let mut sought: HashSet<(Vec<NameKey>, Option<&str>)> = HashSet::new();
        let mut all = Vec::new();
        for (at, note) in self.notes.iter().enumerate() {
            let all_of_it = at < self.seeds || note.edge.is_some();
            let concerned = |mention: &Mention<'_>| {
                all_of_it || mention.keys_from(&note.path).iter().any(|key| called_keys.contains(key))
            };
            for mention in mentions(note).into_iter().filter(concerned).take(MAX_MENTIONS) {
                for path in mention.paths(Some(&note.path)) {
                    let mut found = Vec::new();
                    self.documents(&self.text.fields.key_term(&path), &mut found)?;
                    all.extend(found.into_iter().map(|(_, address)| address));
                }
                if sought.insert((mention.keys(), mention.beginning())) {
                    all.extend(self.bearers(&mention)?);
                }
            }
        }
        Ok(all)
    }

    /// Returns the first documents that a mention may refer to by name or id.
    fn bearers(&self, mention: &Mention<'_>) -> tantivy::Result<Vec<DocAddress>> {
        let mut found = Vec::new();
        for key in mention.keys() {
            self.documents(&Term::from_field_u64(self.text.fields.names, key.number()), &mut found)?;
        }
        for term in mention.beginning().map_or(Ok(Vec::new()), |id| self.ids(id))? {
            self.documents(&term, &mut found)?;
        }
        if found.len() >= MAX_BEARERS {
            found.clear();
        }
        found.sort_unstable();
        found.dedup();
        Ok(found.into_iter().take(MAX_COMPARED_BEARERS).map(|(_, address)| address).collect())
    }

    /// Returns the terms of ids with this prefix; for short prefixes only the exact id.
    fn ids(&self, id: &str) -> tantivy::Result<Vec<Term>> {
        let facts = self.text.fields.facts;
        let from = fact(LabelField::Id, &LabelField::Id.folded(id));
        let whole = Term::from_field_text(facts, &from);
        if id.len() < MIN_PREFIX_BYTES {
            return Ok(vec![whole]);
        }
        let mut terms = Vec::new();
        for segment in self.text.searcher.segment_readers() {
            let index = segment.inverted_index(facts)?;
            let mut stream = index.terms().range().ge(&from).into_stream()?;
            let mut left = MAX_IDS_PER_SEGMENT;
            while left > 0 && stream.advance() && stream.key().starts_with(from.as_bytes()) {
                terms
                    .extend(std::str::from_utf8(stream.key()).map(|term| Term::from_field_text(facts, term)));
                left -= 1;
            }
        }
        Ok(terms)
    }

    /// Loads notes that are not loaded yet, in storage order.
    fn load(&mut self, mut addresses: Vec<DocAddress>) -> tantivy::Result<()> {
        addresses.sort_unstable();
        for address in addresses {
            if self.visited.insert(address) {
                self.notes.push(self.text.note(address)?);
            }
        }
        Ok(())
    }

    /// Builds the edges of the given notes and their other ends.
    fn join(mut self) -> Neighbours {
        self.notes[self.seeds..].sort_by(|a, b| a.path.cmp(&b.path));
        let graph = Graph::connect(&self.notes);
        let touches = |edge: &Edge| edge.from < self.seeds || edge.to < self.seeds;
        let is_file = |at: usize| self.notes[at].kind == NoteKind::Edge;
        let mut edges: Vec<Edge> = graph.edges().iter().filter(|edge| touches(edge)).cloned().collect();
        edges.retain(|edge| !is_file(edge.from) && !is_file(edge.to));
        edges.extend((0..self.seeds).flat_map(|at| to_its_ends(&graph, at)).filter(|edge| !is_file(edge.to)));
        edges.iter_mut().for_each(|edge| edge.sources.clear());
        let mut degrees: Vec<usize> = self.notes.iter().map(|note| mentions(note).len()).collect();
        degrees.iter_mut().zip(&self.naming).for_each(|(degree, naming)| *degree += naming);
        keep_reached(self.seeds, self.notes, edges, degrees)
    }
}

/// Returns edges from an edge file to the two notes that it connects.
fn to_its_ends(graph: &Graph<'_>, at: usize) -> Vec<Edge> {
    let note = &graph.notes()[at];
    let Some(ends) = &note.edge else { return Vec::new() };
    let relation = note.note_type.as_deref().unwrap_or_default().to_uppercase();
    let to = |end: &String| match graph.resolve(end) {
        Resolution::One(to) => Some(Edge {
            from: at,
            to,
            relation: relation.clone(),
            strength: ends.strength,
            sources: Vec::new(),
        }),
        _ => None,
    };
    [&ends.from, &ends.to].into_iter().filter_map(to).collect()
}

/// Removes the notes that no edge touches, and renumbers the rest.
fn keep_reached(seeds: usize, notes: Vec<Note>, mut edges: Vec<Edge>, degrees: Vec<usize>) -> Neighbours {
    let reached: HashSet<usize> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    let mut places = vec![0; notes.len()];
    let mut neighbours = Neighbours::default();
    for (at, (note, degree)) in notes.into_iter().zip(degrees).enumerate() {
        places[at] = neighbours.degrees.len();
        if at < seeds || reached.contains(&at) {
            neighbours.degrees.push(degree);
            if at >= seeds {
                neighbours.notes.push(note);
            }
        }
    }
    for edge in &mut edges {
        (edge.from, edge.to) = (places[edge.from], places[edge.to]);
    }
    edges.sort_by(|a, b| (a.from, a.to, &a.relation).cmp(&(b.from, b.to, &b.relation)));
    Neighbours { edges, ..neighbours }
}
