//! Collects edges from the four places where notes define them, merges duplicates, and reports
//! links without a target.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, FindingCode, Severity};
use crate::note::types::LINKS_TO;
use crate::note::{LinkForm, Note, NoteLink, RelationTable};

use super::title_suggestion::TitleMatcher;
use super::{Edge, EdgeSource, EdgeSourceForm, LINK_STRENGTH, NoteNames, Resolution};

/// Edge type of an edge file without `type`.
const UNTYPED: &str = "RELATED_TO";

/// Maximum number of dangling links with a "did you mean" hint; each hint takes a pass over all
/// titles.
const MAX_HINTS: usize = 50;

/// Maximum number of candidates listed for an ambiguous link.
const MAX_CANDIDATES: usize = 8;

/// Collects what the notes for which `is_wanted` is true, by position, say about edges. Without
/// `relations` there are no findings.
pub(super) fn statements<'n>(
    notes: &'n [Note],
    names: &NoteNames<'n>,
    relations: Option<&RelationTable>,
    types: &mut EdgeTypeTable,
    is_wanted: impl Fn(usize) -> bool,
) -> Statements {
    let mut collector = Collector {
        notes,
        names,
        relations,
        types,
        statements: Vec::new(),
        files: HashMap::new(),
        findings: Vec::new(),
    };
    // All edge files, because relations of other notes refer to them.
    for (position, note) in notes.iter().enumerate() {
        let from = collector.statements.len();
        let findings = collector.findings.len();
        collector.edge_file(position, note);
        if !is_wanted(position) {
            collector.statements.truncate(from);
            collector.findings.truncate(findings);
        }
    }
    for (position, note) in notes.iter().enumerate().filter(|(position, _)| is_wanted(*position)) {
        collector.frontmatter(position, note);
        collector.links(position, note);
    }
    Statements { edges: collector.statements, findings: collector.findings }
}

/// Edges that notes define, and findings about their links.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Statements {
    pub edges: Vec<EdgeStatement>,
    pub findings: Vec<LinkFinding>,
}

/// One definition of an edge, before merging.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeStatement {
    from: u32,
    to: u32,
    relation: u32,
    /// Strength, 0–1; `None` for links in the text, which cannot state one.
    strength: Option<f64>,
    source: EdgeSource,
}

/// A finding about a reference to another note.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkFinding {
    /// Position of the note with the reference.
    note: u32,
    finding: Finding,
    /// The reference, where a similar title would be a better hint.
    missing: Option<String>,
}

impl EdgeStatement {
    /// Position of the note that defines the edge.
    pub fn note(&self) -> usize {
        self.source.note
    }

    /// Renumbers the notes of the definition; `place` maps an old position to the new one. `None` if a
    /// note has no new position.
    pub fn moved(mut self, place: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        self.from = place(self.from as usize)? as u32;
        self.to = place(self.to as usize)? as u32;
        self.source.note = place(self.source.note)?;
        Some(self)
    }
}

impl LinkFinding {
    /// Position of the note with the reference.
    pub fn note(&self) -> usize {
        self.note as usize
    }

    /// Renumbers the note of the finding, like [`EdgeStatement::moved`].
    pub fn moved(mut self, place: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        self.note = place(self.note())? as u32;
        Some(self)
    }

    /// Returns the titles that the first findings about missing notes may mean, in the order of the notes.
    pub fn suggestions(findings: &[Self], notes: &[Note]) -> Vec<Option<String>> {
        let missing = findings.iter().filter_map(|finding| finding.missing.as_deref()).take(MAX_HINTS);
        let mut matcher = None;
        missing
            .map(|name| matcher.get_or_insert_with(|| TitleMatcher::of(notes)).to(name).map(str::to_owned))
            .collect()
    }

    /// Completes findings, in the order of the notes, by what [`Self::suggestions`] returned for them.
    pub fn with_suggestions(findings: Vec<Self>, suggestions: Vec<Option<String>>) -> Vec<Finding> {
        let mut suggestions = suggestions.into_iter();
        let completed = findings.into_iter().map(|LinkFinding { finding, missing, .. }| {
            match missing.and_then(|_| suggestions.next().flatten()) {
                Some(title) => finding.with_hint(format!("did you mean `{title}`?")),
                None => finding,
            }
        });
        completed.collect()
    }
}

struct Collector<'c, 'n> {
    notes: &'n [Note],
    names: &'c NoteNames<'n>,
    /// Declared edge types; `None` if findings are not wanted.
    relations: Option<&'c RelationTable>,
    types: &'c mut EdgeTypeTable,
    statements: Vec<EdgeStatement>,
    /// Ends and type of each edge file, by the position of its note.
    files: HashMap<usize, (u32, u32, u32)>,
    findings: Vec<LinkFinding>,
}

impl<'n> Collector<'_, 'n> {
    fn edge_file(&mut self, position: usize, note: &'n Note) {
        let Some(ends) = &note.edge else { return };
        let from = self.end(position, "from_id", &ends.from);
        let to = self.end(position, "to_id", &ends.to);
        let (Some(from), Some(to)) = (from, to) else { return };
        let relation = self.types.number(note.note_type.as_deref().unwrap_or(UNTYPED));
        self.files.insert(position, (from, to, relation));
        let source = EdgeSource { form: EdgeSourceForm::EdgeFile, note: position, line: None };
        self.add_statement(from, to, relation, Some(ends.strength), source);
    }

    /// Resolves `from_id` or `to_id` of an edge file to the position of a note. Reports a missing
    /// note as an error, because it makes the edge invalid.
    fn end(&mut self, position: usize, key: &str, reference: &str) -> Option<u32> {
        let note = &self.notes[position];
        match self.names.resolve(reference) {
            Resolution::One(found) => return Some(found as u32),
            _ if self.relations.is_none() => {}
            Resolution::Many(candidates) => {
                let message = format!("`{key}` matches {} notes: `{reference}`", candidates.len());
                let finding =
                    Finding::new(&note.path, FindingCode::AmbiguousLink, Severity::Warning, message);
                self.report(position, finding.with_hint(self.listed(&candidates)), None);
            }
            Resolution::None => {
                let message = format!("`{key}` refers to a missing note: `{reference}`");
                let finding = Finding::new(&note.path, FindingCode::DanglingLink, Severity::Error, message);
                self.report(position, finding.with_hint("correct the ID, or delete the edge"), None);
            }
        }
        None
    }

    fn frontmatter(&mut self, position: usize, note: &'n Note) {
        for entry in &note.relations {
            let other = self.names.resolve(&entry.target);
            let Some(other) = self.found(position, other, &entry.target, "a relation", (entry.line, 1))
            else {
                continue;
            };
            let here = position as u32;
            let (from, to) = if entry.outgoing { (here, other) } else { (other, here) };
            let stated = (from, to, self.types.number(&entry.relation));
            let (from, to, relation) =
                entry.edge_id.as_ref().and_then(|id| self.same_as(id, stated)).unwrap_or(stated);
            let source =
                EdgeSource { form: EdgeSourceForm::Frontmatter, note: position, line: Some(entry.line) };
            self.add_statement(from, to, relation, Some(entry.strength), source);
        }
    }

    /// Resolves the `edge_id` of a `relations` entry: returns start, end and type of that edge file
    /// if it joins the same two notes. The file then determines direction and type.
    fn same_as(&self, id: &str, (from, to, _): (u32, u32, u32)) -> Option<(u32, u32, u32)> {
        let Resolution::One(file) = self.names.resolve(id) else { return None };
        let edge = *self.files.get(&file)?;
        ((edge.0, edge.1) == (from, to) || (edge.0, edge.1) == (to, from)).then_some(edge)
    }

    fn links(&mut self, position: usize, note: &'n Note) {
        if note.path.is_generated() {
            return;
        }
        for link in &note.links {
            let resolution = self.names.resolve_link(position, link);
            if resolution == Resolution::None && !must_exist(note, link) {
                continue;
            }
            let place = (link.line, link.column);
            let Some(to) = self.found(position, resolution, &link.target, "a link", place) else { continue };
            // The text of an edge names its ends again; that is no other edge.
            if self.files.get(&position).is_some_and(|edge| edge.0 == to || edge.1 == to) {
                continue;
            }
            let form = if link.relation.is_some() { EdgeSourceForm::Inline } else { EdgeSourceForm::Link };
            let relation = link.relation.as_deref().unwrap_or(LINKS_TO);
            self.check_relation(position, relation, place);
            let relation = self.types.number(relation);
            let source = EdgeSource { form, note: position, line: Some(link.line) };
            self.add_statement(position as u32, to, relation, None, source);
        }
    }

    fn add_statement(
        &mut self,
        from: u32,
        to: u32,
        relation: u32,
        strength: Option<f64>,
        source: EdgeSource,
    ) {
        if from != to {
            let strength =
                strength.map(|strength| if strength.is_finite() { strength.clamp(0.0, 1.0) } else { 1.0 });
            self.statements.push(EdgeStatement { from, to, relation, strength, source });
        }
    }

    /// Returns the position of the resolved note. Otherwise reports a broken or ambiguous
    /// reference, located at line and column.
    fn found(
        &mut self,
        position: usize,
        resolution: Resolution,
        target: &str,
        what: &str,
        (line, column): (u32, u32),
    ) -> Option<u32> {
        let note = &self.notes[position];
        match resolution {
            Resolution::One(found) => return Some(found as u32),
            _ if self.relations.is_none() => {}
            Resolution::Many(candidates) => {
                let message = format!("{what} matches {} notes: `{target}`", candidates.len());
                let finding =
                    Finding::new(&note.path, FindingCode::AmbiguousLink, Severity::Warning, message);
                let finding = finding.with_location(line, column).with_hint(self.listed(&candidates));
                self.report(position, finding, None);
            }
            Resolution::None => {
                let message = format!("{what} is broken: `{target}`");
                let finding = Finding::new(&note.path, FindingCode::DanglingLink, Severity::Warning, message)
                    .with_location(line, column);
                let finding = finding.with_hint("create that note, or correct the link");
                self.report(position, finding, Some(target.to_owned()));
            }
        }
        None
    }

    fn report(&mut self, position: usize, finding: Finding, missing: Option<String>) {
        self.findings.push(LinkFinding { note: position as u32, finding, missing });
    }

    fn listed(&self, candidates: &[usize]) -> String {
        let paths: Vec<&str> =
            candidates.iter().take(MAX_CANDIDATES).map(|note| self.notes[*note].path.as_str()).collect();
        let more = candidates.len().saturating_sub(MAX_CANDIDATES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("use one of {}{more}", paths.join(", "))
    }

    fn check_relation(&mut self, position: usize, relation: &str, (line, column): (u32, u32)) {
        if self.relations.is_none_or(|relations| relations.contains(relation)) {
            return;
        }
        let message = format!("unknown edge type `{relation}`");
        let path = &self.notes[position].path;
        let finding = Finding::new(path, FindingCode::UnknownRelation, Severity::Warning, message);
        let hint = "add it to `relations` in cm.toml, or use an existing type such as RELATED_TO";
        self.report(position, finding.with_location(line, column).with_hint(hint), None);
    }
}

/// Whether a dangling link is a mistake: always for wikilinks; a Markdown link that leaves the
/// vault or does not end in `.md` may lead to a file that is not a note.
fn must_exist(note: &Note, link: &NoteLink) -> bool {
    let file = link.target.ends_with(".md") || link.target.ends_with(".markdown");
    link.form == LinkForm::Wiki || (file && note.path.resolve(&link.target).is_some())
}

/// Maps edge types to numbers, which keep an [`EdgeStatement`] small.
#[derive(Debug, Clone, Default)]
pub struct EdgeTypeTable {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl From<Vec<String>> for EdgeTypeTable {
    fn from(names: Vec<String>) -> Self {
        Self { numbers: names.iter().cloned().zip(0..).collect(), names }
    }
}

impl EdgeTypeTable {
    /// The edge types, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let upper = name.to_uppercase();
        let number = *self.numbers.entry(upper.clone()).or_insert(self.names.len() as u32);
        if number as usize == self.names.len() {
            self.names.push(upper);
        }
        // The name as written too, so that it is found at once the next time.
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// Merges statements with the same ends and type into one edge. If typed edges join the same notes
/// in the same direction, a plain link only adds a source to the strongest of them.
pub(super) fn merge(mut statements: Vec<EdgeStatement>, types: &EdgeTypeTable) -> Vec<Edge> {
    let name =
        |statement: &EdgeStatement| types.names.get(statement.relation as usize).map_or("", String::as_str);
    let is_file = |statement: &EdgeStatement| statement.source.form == EdgeSourceForm::EdgeFile;
    // Stable, so that sources keep the order of the notes, edge files first.
    statements
        .sort_by_key(|statement| (statement.from, statement.to, statement.relation, !is_file(statement)));
    let mut edges = Vec::with_capacity(statements.len());
    for pair in statements.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
        let first = edges.len();
        let mut links: &[EdgeStatement] = &[];
        for same in pair.chunk_by(|a, b| a.relation == b.relation) {
            if name(&same[0]) == LINKS_TO {
                links = same;
            } else {
                edges.push(edge(same, name(&same[0]), 1.0));
            }
        }
        let typed = &mut edges[first..];
        typed.sort_by(|a, b| a.relation.cmp(&b.relation));
        let strongest =
            typed.iter_mut().reduce(|best, edge| if edge.strength > best.strength { edge } else { best });
        match strongest {
            _ if links.is_empty() => {}
            Some(strongest) => strongest.sources.extend(links.iter().map(|link| link.source)),
            None => edges.push(edge(links, LINKS_TO, LINK_STRENGTH)),
        }
    }
    edges
}

fn edge(statements: &[EdgeStatement], relation: &str, unsaid: f64) -> Edge {
    Edge {
        from: statements[0].from as usize,
        to: statements[0].to as usize,
        relation: relation.to_owned(),
        strength: statements
            .iter()
            .filter_map(|statement| statement.strength)
            .reduce(f64::max)
            .unwrap_or(unsaid),
        sources: statements.iter().map(|statement| statement.source).collect(),
    }
}
