//! Lists what needs a person's review: drafts, open conflicts, quarantined notes, merge candidates,
//! and notes that are due for a check.
//!
//! The person decides what happens with each entry.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conflict::Similarity;
use crate::current_notes::supersessions;
use crate::rule_pairs::{PairFinder, RulePairs};
use cm_note::bullet::{Bullet, BulletState, BulletType, Maturity};
use cm_note::finding::{Finding, FindingCode};
use cm_note::graph::{Edge, Graph};
use cm_note::instant::Instant;
use cm_note::note::suspicion::order;
use cm_note::note::types::{CONTRADICTS, DERIVED_FROM};
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_text::canonical::CanonicalForm;
use cm_text::shorten::shorten;

/// Number of days in which trust in a note halves unless a person checks the note.
const HALF_LIFE: f64 = 90.0;
/// A note whose trust, 0–1, is below this value should be checked again.
const MIN_TRUST: f64 = 0.25;
/// Maximum length of a title that a reason quotes, in characters.
const MAX_QUOTED_CHARS: usize = 80;

/// Sections of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InboxKind {
    /// Rules that are not in use yet.
    Drafts,
    /// Notes that cannot both be followed.
    Conflicts,
    /// Notes with hidden characters, and draft memories.
    Quarantined,
    /// Pairs of similar rules, of memories with one title, and of a rule and a memory that say the same.
    Merges,
    /// Notes that were not checked for a long time, or whose sources changed.
    Due,
    /// Rules that were retired as harmful and have no anti-pattern.
    Inversions,
    /// Rules that people had to repeat in several sessions that had been shown them.
    NotFollowed,
    /// Notes of which a merge did not take a version, or with conflict markers.
    Leftovers,
}

impl InboxKind {
    /// All sections, in display order.
    pub const ALL: [Self; 8] = [
        Self::Drafts,
        Self::Conflicts,
        Self::Quarantined,
        Self::Merges,
        Self::Due,
        Self::Inversions,
        Self::NotFollowed,
        Self::Leftovers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Drafts => "drafts",
            Self::Conflicts => "conflicts",
            Self::Quarantined => "quarantined",
            Self::Merges => "merges",
            Self::Due => "due",
            Self::Inversions => "inversions",
            Self::NotFollowed => "not_followed",
            Self::Leftovers => "leftovers",
        }
    }
}

/// An item that a person should review: one or two notes, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxNoteEntry {
    /// Indices of the one or two notes to review.
    pub notes: Vec<usize>,
    /// Reason why the notes need review, for display.
    pub why: String,
    /// Time since which the problem exists, if known.
    pub since: Option<Instant>,
    /// The leftover of a merge to decide on.
    pub leftover: Option<Finding>,
}

/// Review items by inbox section, most important first in each.
pub type InboxSections = BTreeMap<InboxKind, Vec<InboxNoteEntry>>;

/// Collects the sections that depend on the notes alone: all but [`InboxKind::Due`], which [`due`]
/// collects. `pairs` compares the live rules.
pub fn timeless_sections(graph: &Graph<'_>, pairs: &PairFinder<'_>) -> InboxSections {
    let past = past(graph);
    let rules = LiveRules::of(graph.notes(), pairs);
    let edges = contradicted(graph, &past);
    InboxSections::from([
        (InboxKind::Drafts, drafts(graph.notes(), &contradictions_by_note(&edges))),
        (InboxKind::Conflicts, conflicts(graph, &edges, &rules)),
        (InboxKind::Quarantined, quarantined(graph.notes(), &past)),
        (InboxKind::Merges, merge_entries(graph.notes(), &rules, &past)),
        (InboxKind::Inversions, inversions(graph.notes())),
        (InboxKind::NotFollowed, not_followed(graph.notes())),
        (InboxKind::Leftovers, leftovers(graph.notes())),
    ])
}

/// For each contradicted note, by index, its first open CONTRADICTS edge.
type ContradictionsByNote<'e> = HashMap<usize, &'e Edge>;

fn contradictions_by_note<'e>(edges: &[&'e Edge]) -> ContradictionsByNote<'e> {
    let mut against = ContradictionsByNote::new();
    for edge in edges {
        against.entry(edge.from).or_insert(edge);
        against.entry(edge.to).or_insert(edge);
    }
    against
}

/// For each note, whether it is obsolete: retired, deprecated, condensed or superseded.
fn past(graph: &Graph<'_>) -> Vec<bool> {
    let given_up = |note: &Note| {
        let is = |word: &Option<String>, name: &str| word.as_deref() == Some(name);
        let replaced = note.bullet.as_ref().is_some_and(|fields| fields.replaced_by.is_some());
        note.is_retired()
            || is(&note.maturity, Maturity::Deprecated.name())
            || replaced
            || !note.condensed_into.is_empty()
    };
    let mut past: Vec<bool> = graph.notes().iter().map(given_up).collect();
    for edge in supersessions(graph) {
        past[edge.to] = true;
    }
    past
}

/// Returns the CONTRADICTS edges between notes that are not obsolete, one for each pair of notes.
fn contradicted<'g>(graph: &'g Graph<'_>, past: &[bool]) -> Vec<&'g Edge> {
    let mut seen = HashSet::new();
    let open = |edge: &&Edge| {
        edge.relation == CONTRADICTS && !past[edge.from] && !past[edge.to] && edge.from != edge.to
    };
    let edges = graph.edges().iter().filter(open);
    edges.filter(|edge| seen.insert(pair(edge.from, edge.to))).collect()
}

/// Returns the two note indices in ascending order, as a key for an unordered pair.
fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Whether a person confirmed both notes after their last changes and after the edge between them
/// was written, at `since`. Such a pair is not a conflict.
pub fn both_hold(a: &Note, b: &Note, since: Option<Instant>) -> bool {
    let changed = |note: &Note| note.updated.or(note.created);
    let last = since.max(changed(a)).max(changed(b));
    [a, b].iter().all(|note| note.last_checked.is_some_and(|checked| Some(checked) >= last))
}

/// The live rules of a vault, compared with each other.
struct LiveRules {
    at: Vec<usize>,
    bullets: Vec<Bullet>,
    pairs: RulePairs,
}

impl LiveRules {
    fn of(notes: &[Note], pairs: &PairFinder<'_>) -> Self {
        let live =
            |(at, note): (usize, &Note)| Bullet::of(note).filter(Bullet::is_live).map(|bullet| (at, bullet));
        let (at, bullets): (Vec<_>, Vec<_>) = notes.iter().enumerate().filter_map(live).unzip();
        let pairs = pairs(&bullets.iter().collect::<Vec<_>>());
        Self { at, bullets, pairs }
    }
}

/// Whether the note is a rule that is not in use yet.
fn is_draft(note: &Note) -> bool {
    Bullet::of(note)
        .is_some_and(|bullet| bullet.state == BulletState::Draft && bullet.maturity != Maturity::Deprecated)
}

/// Returns the number of drafts that contradict a note. They are listed as drafts, not as conflicts.
pub fn contradicting_drafts(graph: &Graph<'_>) -> usize {
    let past = past(graph);
    let against = contradictions_by_note(&contradicted(graph, &past));
    graph.notes().iter().enumerate().filter(|(at, note)| is_draft(note) && against.contains_key(at)).count()
}

/// Lists draft rules, oldest first; the reason quotes a note that the draft contradicts.
fn drafts(notes: &[Note], against: &ContradictionsByNote<'_>) -> Vec<InboxNoteEntry> {
    let why = |at: usize| match against.get(&at) {
        Some(edge) => {
            let other = &notes[if edge.from == at { edge.to } else { edge.from }];
            format!(
                "a draft that contradicts “{}” ({})",
                shorten(&other.title, MAX_QUOTED_CHARS),
                other.key()
            )
        }
        None => "a draft, not shown to agents".to_owned(),
    };
    let drafts = notes.iter().enumerate().filter(|(_, note)| is_draft(note));
    let mut entries: Vec<InboxNoteEntry> = drafts
        .map(|(at, note)| InboxNoteEntry {
            notes: vec![at],
            why: why(at),
            since: note.created,
            leftover: None,
        })
        .collect();
    entries.sort_by_key(|entry| (entry.since, entry.notes[0]));
    entries
}

/// Lists conflicting notes: first those with a CONTRADICTS edge, then rules with contradictory
/// wording. Left out are pairs that a person confirmed, and those with a draft: whoever decides on the draft
/// decides on the conflict.
fn conflicts(graph: &Graph<'_>, contradicted: &[&Edge], rules: &LiveRules) -> Vec<InboxNoteEntry> {
    let notes = graph.notes();
    let is_settled = |a: usize, b: usize, since| {
        both_hold(&notes[a], &notes[b], since) || is_draft(&notes[a]) || is_draft(&notes[b])
    };
    let open = contradicted.iter().filter(|edge| !is_settled(edge.from, edge.to, graph.written(edge)));
    let mut entries: Vec<InboxNoteEntry> = open
        .map(|edge| InboxNoteEntry {
            notes: vec![edge.from, edge.to],
            why: "marked as contradicting each other".to_owned(),
            since: graph.written(edge),
            leftover: None,
        })
        .collect();
    let with_entry: HashSet<_> = entries.iter().map(|entry| pair(entry.notes[0], entry.notes[1])).collect();
    let bullets: Vec<&Bullet> = rules.bullets.iter().collect();
    for (a, b, found) in rules.pairs.contradictions(&bullets) {
        let at = (rules.at[*a], rules.at[*b]);
        if !with_entry.contains(&pair(at.0, at.1)) && !is_settled(at.0, at.1, None) {
            let why = found.reason.clone();
            entries.push(InboxNoteEntry { notes: vec![at.0, at.1], why, since: None, leftover: None });
        }
    }
    entries
}

fn quarantined(notes: &[Note], past: &[bool]) -> Vec<InboxNoteEntry> {
    let why = |note: &Note| {
        let hidden = note.findings.iter().find(|finding| finding.code == FindingCode::HiddenCharacter);
        let line = |line: Option<u32>| line.map(|line| format!(" in line {line}")).unwrap_or_default();
        let draft = note.kind == NoteKind::Memory && note.state.as_deref() == Some(BulletState::Draft.name());
        match hidden {
            Some(finding) => Some(format!("{}{}", finding.message, line(finding.line))),
            None if note.is_unverified() => Some(format!("unverified, by {}", note.origin())),
            None if draft => Some(reason_of_draft_memory(note)),
            None => None,
        }
    };
    let waiting = notes.iter().enumerate().filter(|(at, _)| !past[*at]);
    let entry = |(at, note): (usize, &Note)| {
        Some(InboxNoteEntry { notes: vec![at], why: why(note)?, since: note.created, leftover: None })
    };
    waiting.filter_map(entry).collect()
}

fn reason_of_draft_memory(note: &Note) -> String {
    let doubt = order(&note.title).or_else(|| order(&note.summary));
    let is_of_agent = note.agent.is_some() || note.session.is_some();
    match doubt {
        Some(doubt) => format!("a draft memory: {doubt}"),
        None if is_of_agent => format!("a draft memory: by {}, confirmed by no person", note.origin()),
        None => "a draft memory".to_owned(),
    }
}

/// Lists pairs of similar live rules of one category, most similar first. Pairs that a person
/// confirmed are left out.
fn merges(notes: &[Note], rules: &LiveRules) -> Vec<InboxNoteEntry> {
    let bullets: Vec<&Bullet> = rules.bullets.iter().collect();
    let why = |near: Similarity| match near {
        Similarity::Words(share) => format!("{:.0} % of their words are the same", share * 100.0),
        near => near.to_string(),
    };
    let entry = |(a, b, near): (usize, usize, Similarity)| InboxNoteEntry {
        notes: vec![rules.at[a], rules.at[b]],
        why: why(near),
        since: None,
        leftover: None,
    };
    let pairs = rules.pairs.merge_candidates(&bullets).into_iter();
    pairs
        .filter(|(a, b, _)| !both_hold(&notes[rules.at[*a]], &notes[rules.at[*b]], None))
        .map(entry)
        .collect()
}

/// Lists the pairs that may be one: two rules, two memories, and a rule and a memory.
fn merge_entries(notes: &[Note], rules: &LiveRules, past: &[bool]) -> Vec<InboxNoteEntry> {
    [merges(notes, rules), namesakes(notes, past), learned_twice(notes, past)].concat()
}

/// Lists pairs of a rule and a memory that state the same, such as a lesson that was learned as both, with the rule
/// first. Pairs that a person confirmed are left out.
fn learned_twice(notes: &[Note], past: &[bool]) -> Vec<InboxNoteEntry> {
    let form = |text: &str| CanonicalForm::of(text).as_str().to_owned();
    let mut rules: HashMap<String, usize> = HashMap::new();
    for (at, note) in notes.iter().enumerate().filter(|(at, _)| !past[*at]) {
        if let Some(bullet) = Bullet::of(note).filter(Bullet::is_standing) {
            rules.entry(form(bullet.content())).or_insert(at);
        }
    }
    let twin = |(at, note): (usize, &Note)| {
        let rule = *rules.get(&form(&note.title))?;
        let since = note.created.max(notes[rule].created);
        let why = "a rule and a memory state the same".to_owned();
        (!both_hold(&notes[rule], note, None)).then_some(InboxNoteEntry {
            notes: vec![rule, at],
            why,
            since,
            leftover: None,
        })
    };
    let memories = notes.iter().enumerate();
    memories.filter(|(at, note)| note.kind == NoteKind::Memory && !past[*at]).filter_map(twin).collect()
}

/// Lists pairs of memories of one type and one title, such as two people's answers to one question. Pairs that a person
/// confirmed are left out.
fn namesakes(notes: &[Note], past: &[bool]) -> Vec<InboxNoteEntry> {
    let mut first: HashMap<(&str, String), usize> = HashMap::new();
    let mut entries = Vec::new();
    for (at, note) in
        notes.iter().enumerate().filter(|(at, note)| note.kind == NoteKind::Memory && !past[*at])
    {
        let Some(note_type) = note.note_type.as_deref() else { continue };
        let title = note.title.trim().to_lowercase();
        let other = *first.entry((note_type, title)).or_insert(at);
        if other != at && !both_hold(&notes[other], note, None) {
            let since = note.created.max(notes[other].created);
            let why = "two memories of one type have this title".to_owned();
            entries.push(InboxNoteEntry { notes: vec![other, at], why, since, leftover: None });
        }
    }
    entries
}

/// Lists rules that could become anti-patterns: retired after at least two harmful feedback events,
/// last retired first. Rules that a person confirmed since are left out.
fn inversions(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let harmful = |event: &&Feedback| event.signal == FeedbackSignal::Harmful && event.weight > 0.0;
    let waits = |bullet: &Bullet| {
        bullet.bullet_type == BulletType::Rule
            && bullet.state == BulletState::Retired
            && bullet.maturity == Maturity::Deprecated
            && bullet.fields.replaced_by.is_none()
            && bullet.feedback.iter().filter(harmful).count() >= 2
            && bullet.last_checked.is_none_or(|checked| Some(checked) < bullet.updated)
    };
    let retired =
        notes.iter().enumerate().filter_map(|(at, note)| Some((at, Bullet::of(note).filter(waits)?)));
    let mut entries: Vec<InboxNoteEntry> = retired
        .map(|(at, bullet)| InboxNoteEntry {
            notes: vec![at],
            why: "retired by its feedback, without an anti-pattern as a warning".to_owned(),
            since: bullet.updated,
            leftover: None,
        })
        .collect();
    entries.sort_by_key(|entry| (std::cmp::Reverse(entry.since), entry.notes.clone()));
    entries
}

/// Lists the leftovers of merges, each with its note, and the notes with conflict markers, last changed first.
fn leftovers(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let mut entries = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let has_conflict = note.has_conflict();
        let is_left = |finding: &&Finding| match has_conflict {
            true => finding.code == FindingCode::ConflictMarker,
            false => finding.code.is_leftover(),
        };
        let entry = |finding: &Finding| InboxNoteEntry {
            notes: vec![at],
            why: finding.message.clone(),
            // The message has the time of the other version.
            since: note.updated.filter(|_| finding.code != FindingCode::MergeLeftover),
            leftover: finding.code.is_leftover().then(|| finding.clone()),
        };
        entries.extend(note.findings.iter().filter(is_left).map(entry));
    }
    entries.sort_by_key(|entry| {
        let updated = entry.notes.first().and_then(|at| notes[*at].updated);
        (std::cmp::Reverse(updated), entry.notes.clone())
    });
    entries
}

/// Number of sessions in which a rule was ignored, from which on its wording is to be reviewed.
const IGNORED_SESSIONS: usize = 2;

/// Lists active rules that were ignored in several sessions since a person last checked them, the
/// most ignored first.
fn not_followed(notes: &[Note]) -> Vec<InboxNoteEntry> {
    let mut ranked = Vec::new();
    for (at, note) in notes.iter().enumerate() {
        let Some(bullet) = Bullet::of(note).filter(|bullet| bullet.is_live() && !bullet.pinned) else {
            continue;
        };
        let events: Vec<&Feedback> = bullet.ignored_since_check().collect();
        let sessions: HashSet<&str> = events.iter().filter_map(|event| event.session.as_deref()).collect();
        if sessions.len() >= IGNORED_SESSIONS {
            let last = events.iter().max_by_key(|event| event.at).and_then(|event| event.note.as_deref());
            let quote = last.map(|quote| format!(": \"{quote}\"")).unwrap_or_default();
            let why =
                format!("repeated by a person in {} sessions that were shown it{quote}", sessions.len());
            let since = events.iter().map(|event| event.at).min();
            ranked.push((sessions.len(), InboxNoteEntry { notes: vec![at], why, since, leftover: None }));
        }
    }
    ranked.sort_by_key(|(sessions, entry)| (std::cmp::Reverse(*sessions), entry.notes.clone()));
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

/// Remaining trust in a note, 0–1: halves every [`HALF_LIFE`] days since its last check, update or
/// creation.
fn trust(note: &Note, now: Instant) -> f64 {
    let Some(looked) = note.last_checked.or(note.updated).or(note.created) else { return 0.0 };
    0.5_f64.powf(looked.days_until(now).max(0.0) / HALF_LIFE)
}

/// Lists memories and live rules that are due for a check: first those that are contradicted or
/// whose source changed, then the least recently checked.
pub fn due(graph: &Graph<'_>, now: Instant) -> Vec<InboxNoteEntry> {
    let past = past(graph);
    // A draft that contradicts a note is decided itself; until then the note stands.
    let is_in_use = |edge: &&Edge| [edge.from, edge.to].iter().all(|end| !graph.notes()[*end].is_waiting());
    let open: Vec<&Edge> = contradicted(graph, &past).into_iter().filter(is_in_use).collect();
    let against = contradictions_by_note(&open);
    let mut newer = HashMap::new();
    for edge in supersessions(graph) {
        newer.entry(edge.to).or_insert(edge);
    }
    let doubts = Doubts { graph, past: &past, against: &against, newer: &newer };
    let mut ranked = Vec::new();
    for (at, note) in graph.notes().iter().enumerate() {
        let draft = note.state.as_deref() == Some(BulletState::Draft.name()) || note.is_unverified();
        let is_live = Bullet::of(note).is_none_or(|bullet| bullet.is_live());
        if !matches!(note.kind, NoteKind::Memory | NoteKind::Bullet) || past[at] || draft || !is_live {
            continue;
        }
        let trust = trust(note, now);
        let looked = note.last_checked.or(note.updated).or(note.created);
        let doubt = doubts.of(at);
        let is_new =
            |since: Option<Instant>| since.is_none_or(|since| looked.is_none_or(|looked| looked < since));
        let doubted = doubt.as_ref().is_some_and(|(_, since)| is_new(*since));
        if trust < MIN_TRUST || doubted {
            ranked.push((!doubted, trust, at, entry_of_due(at, note, now, doubt.filter(|_| doubted))));
        }
    }
    ranked.sort_by(|a, b| (a.0).cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
    ranked.into_iter().map(|(.., entry)| entry).collect()
}

fn entry_of_due(
    at: usize,
    note: &Note,
    now: Instant,
    doubt: Option<(String, Option<Instant>)>,
) -> InboxNoteEntry {
    let looked = note.last_checked.or(note.updated).or(note.created);
    let why = match (doubt, looked) {
        (Some((why, _)), _) => why,
        (None, Some(looked)) => format!("not reviewed for {:.0} days", looked.days_until(now)),
        (None, None) => "it has no date".to_owned(),
    };
    InboxNoteEntry { notes: vec![at], why, since: looked, leftover: None }
}

/// Why notes may no longer hold, regardless of their age.
struct Doubts<'d, 'n> {
    graph: &'d Graph<'n>,
    past: &'d [bool],
    against: &'d ContradictionsByNote<'d>,
    /// For each superseded note, by index, the first edge that supersedes it.
    newer: &'d HashMap<usize, &'d Edge>,
}

impl Doubts<'_, '_> {
    /// Returns the reason to doubt a note, such as a contradiction, and since when it applies.
    fn of(&self, at: usize) -> Option<(String, Option<Instant>)> {
        let Self { graph, past, against, newer } = self;
        if let Some(edge) = against.get(&at) {
            return Some(("another note contradicts it".to_owned(), graph.written(edge)));
        }
        let sources = graph.outgoing(at).filter(|edge| edge.relation == DERIVED_FROM);
        let is_condensed_here = |source: usize| {
            graph.notes()[source].condensed_into.iter().any(|id| id == graph.notes()[at].key())
        };
        for source in sources.map(|edge| edge.to).filter(|source| !is_condensed_here(*source)) {
            let title = &graph.notes()[source].title;
            if past[source] {
                let newer = newer.get(&source);
                let since = newer.and_then(|edge| graph.written(edge).or(graph.notes()[edge.from].created));
                return Some((format!("its source “{title}” is no longer valid"), since));
            }
            if let Some(edge) = against.get(&source) {
                return Some((
                    format!("its source “{title}” is contradicted by another note"),
                    graph.written(edge),
                ));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conflict::MinSimilarity;
    use crate::embedding_model::{NoEmbeddings, WordVectors};
    use cm_note::note::{RelationTable, TypeTable, read};
    use cm_note::path::NotePath;

    fn notes(texts: &[(&str, &str, &str)]) -> Vec<Note> {
        let read = |(path, keys, body): &(&str, &str, &str)| {
            let text = format!("---\n{keys}\n---\n\n{body}\n");
            let path = NotePath::parse(path).unwrap();
            read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
        };
        texts.iter().map(read).collect()
    }

    fn listed(notes: &[Note], waiting: InboxKind) -> Vec<(Vec<usize>, String)> {
        let now = Instant::parse("2026-11-21T12:00:00Z").unwrap();
        let least = MinSimilarity { jaccard: 0.7, cosine: 0.85 };
        let graph = Graph::connect(notes);
        let word_vectors = WordVectors::of(&NoEmbeddings);
        let mut inbox = timeless_sections(&graph, &|rules| RulePairs::of(rules, least, &word_vectors));
        inbox.insert(InboxKind::Due, due(&graph, now));
        inbox.remove(&waiting).unwrap().into_iter().map(|entry| (entry.notes, entry.why)).collect()
    }

    #[test]
    fn drafts_wait_and_deprecated_ones_do_not() {
        let notes = notes(&[
            ("playbook/a/1.md", "id: b-1-aaaaaa\nstate: draft\nupdated: 2026-11-20", "Run the tests first."),
            ("playbook/a/2.md", "id: b-1-bbbbbb\nstate: draft\nmaturity: deprecated", "Run no tests at all."),
            ("playbook/a/3.md", "id: b-1-cccccc\nstate: active\nupdated: 2026-11-20", "Write a changelog."),
        ]);
        assert_eq!(listed(&notes, InboxKind::Drafts), [(vec![0], "a draft, not shown to agents".to_owned())]);
        assert_eq!(listed(&notes, InboxKind::Due), []);
    }

    #[test]
    fn a_draft_that_contradicts_a_rule_is_listed_once_and_quotes_the_rule() {
        let notes = notes(&[
            (
                "playbook/a/1.md",
                "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20",
                "Always squash commits.",
            ),
            (
                "playbook/a/2.md",
                "id: b-1-bbbbbb\nstate: draft\nupdated: 2026-11-20\nrelations:\n  - target: b-1-aaaaaa\n    type: CONTRADICTS",
                "Never squash commits.",
            ),
        ]);
        let why = "a draft that contradicts “Always squash commits.” (b-1-aaaaaa)".to_owned();
        assert_eq!(listed(&notes, InboxKind::Drafts), [(vec![1], why)]);
        assert_eq!(listed(&notes, InboxKind::Conflicts), []);
        assert_eq!(listed(&notes, InboxKind::Due), [], "the rule stands until the draft is accepted");
    }

    #[test]
    fn a_conflict_is_open_until_one_end_is_given_up_and_is_listed_once() {
        let edge = "id: e-1\ntype: CONTRADICTS\nfrom_id: m-1\nto_id: m-2\ncreated: 2026-11-01";
        let both = [
            ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nupdated: 2026-11-20", "A"),
            (
                "graph/facts/b.md",
                "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-11-20\nrelations:\n  - target: m-1\n    type: CONTRADICTS",
                "B",
            ),
            ("graph/edges/e.md", edge, ""),
        ];
        let open = notes(&both);
        assert_eq!(listed(&open, InboxKind::Conflicts).len(), 1);
        let mut settled = both;
        settled[1].1 = "id: m-2\ntype: fact\ntitle: B\nstate: retired";
        assert_eq!(listed(&notes(&settled), InboxKind::Conflicts), []);
    }

    #[test]
    fn rules_that_oppose_each_other_are_found_without_an_edge() {
        let notes = notes(&[
            (
                "playbook/a/1.md",
                "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20",
                "Always squash commits before merging a branch.",
            ),
            (
                "playbook/a/2.md",
                "id: b-1-bbbbbb\nstate: active\nupdated: 2026-11-20",
                "Never squash commits before merging a branch.",
            ),
        ]);
        assert_eq!(listed(&notes, InboxKind::Conflicts).len(), 1);
        assert_eq!(listed(&notes, InboxKind::Merges), [], "what contradicts is not merged");
    }

    #[test]
    fn a_pair_of_which_both_were_confirmed_waits_no_more_until_one_of_them_or_the_edge_is_newer() {
        let rules = |checked: [&str; 2], updated: &str| {
            let keys = |id: &str, checked: &str, updated: &str| {
                format!("id: {id}\nstate: active\nupdated: {updated}\nlast_checked: {checked}")
            };
            let (a, b) =
                (keys("b-1-aaaaaa", checked[0], "2026-11-01"), keys("b-1-bbbbbb", checked[1], updated));
            let (c, d) =
                (keys("b-1-cccccc", checked[0], "2026-11-01"), keys("b-1-dddddd", checked[1], updated));
            notes(&[
                ("playbook/a/1.md", &a, "Always squash commits before merging a branch."),
                ("playbook/a/2.md", &b, "Never squash commits before merging a branch."),
                (
                    "playbook/b/3.md",
                    &c,
                    "Put a timeout on every query that the worker sends to the database.",
                ),
                ("playbook/b/4.md", &d, "Put a timeout on every query the worker sends to our database."),
                (
                    "graph/edges/e.md",
                    "id: e-1\ntype: CONTRADICTS\nfrom_id: b-1-cccccc\nto_id: b-1-dddddd\ncreated: 2026-11-10",
                    "",
                ),
            ])
        };
        let waiting = |checked, updated| {
            let notes = rules(checked, updated);
            let of =
                |waiting| listed(&notes, waiting).into_iter().map(|(notes, _)| notes).collect::<Vec<_>>();
            (of(InboxKind::Conflicts), of(InboxKind::Merges))
        };
        let all = (vec![vec![2, 3], vec![0, 1]], vec![vec![2, 3]]);
        assert_eq!(waiting(["2026-11-20", "2026-11-20"], "2026-11-19"), (vec![], vec![]));
        assert_eq!(waiting(["2026-11-20", "2026-10-01"], "2026-11-19"), all, "one was looked at alone");
        assert_eq!(
            waiting(["2026-11-18", "2026-11-20"], "2026-11-19"),
            all,
            "one changed after the other's check"
        );
        assert_eq!(
            waiting(["2026-11-05", "2026-11-05"], "2026-11-01"),
            (vec![vec![2, 3]], vec![]),
            "only the edge is newer"
        );
    }

    #[test]
    fn a_rule_and_a_memory_that_state_the_same_are_offered_until_one_is_given_up() {
        let notes = |state: &str| {
            let memory = format!(
                "id: m-1\ntype: fix\ntitle: Run make seed before the tests\nupdated: 2026-11-20{state}"
            );
            notes(&[
                (
                    "playbook/a/1.md",
                    "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20",
                    "Run `make seed` before the tests.",
                ),
                ("graph/fixes/a.md", &memory, "A"),
                (
                    "graph/facts/b.md",
                    "id: m-2\ntype: fact\ntitle: Never run make seed before the tests\nupdated: 2026-11-20",
                    "B",
                ),
            ])
        };
        let why = "a rule and a memory state the same".to_owned();
        assert_eq!(listed(&notes(""), InboxKind::Merges), [(vec![0, 1], why)]);
        assert_eq!(listed(&notes("\nstate: retired"), InboxKind::Merges), []);
    }

    #[test]
    fn hidden_characters_and_drafts_of_memories_are_in_quarantine() {
        let notes = notes(&[
            ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nstate: draft\nupdated: 2026-11-20", "A"),
            ("graph/facts/b.md", "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-11-20", "pass\u{200b}word"),
            ("graph/facts/c.md", "id: m-3\ntype: fact\ntitle: C\nupdated: 2026-11-20", "C"),
        ]);
        let found = listed(&notes, InboxKind::Quarantined);
        assert_eq!(found[0], (vec![0], "a draft memory".to_owned()));
        assert_eq!(found[1].0, [1]);
        assert!(found[1].1.contains("U+200B") && found[1].1.ends_with("line 8"), "{found:?}");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn two_half_lives_without_a_look_are_enough_and_a_check_resets_them() {
        let notes = notes(&[
            ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nupdated: 2026-05-24", "A"),
            ("graph/facts/b.md", "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-05-26", "B"),
            (
                "graph/facts/c.md",
                "id: m-3\ntype: fact\ntitle: C\nupdated: 2025-01-01\nlast_checked: 2026-11-01",
                "C",
            ),
            ("graph/facts/d.md", "id: m-4\ntype: fact\ntitle: D\nupdated: 2026-01-01", "D"),
        ]);
        let due: Vec<_> = listed(&notes, InboxKind::Due).into_iter().map(|(notes, _)| notes[0]).collect();
        assert_eq!(due, [3, 0]);
    }

    #[test]
    fn a_note_whose_source_was_superseded_comes_before_what_is_only_old() {
        let notes = notes(&[
            ("graph/facts/old.md", "id: m-1\ntype: fact\ntitle: Old\nupdated: 2026-01-01", "Old"),
            (
                "graph/facts/new.md",
                "id: m-2\ntype: fact\ntitle: New\ncreated: 2026-11-10\nupdated: 2026-11-10\nrelations:\n  - target: m-1\n    type: SUPERSEDES",
                "New",
            ),
            (
                "graph/facts/made.md",
                "id: m-3\ntype: fact\ntitle: Made\nupdated: 2026-11-01\nrelations:\n  - target: m-1\n    type: DERIVED_FROM",
                "Made",
            ),
            ("graph/facts/dusty.md", "id: m-4\ntype: fact\ntitle: Dusty\nupdated: 2026-01-01", "Dusty"),
            (
                "graph/facts/seen.md",
                "id: m-5\ntype: fact\ntitle: Seen\nupdated: 2026-11-01\nlast_checked: 2026-11-12\nrelations:\n  - target: m-1\n    type: DERIVED_FROM",
                "Seen",
            ),
        ]);
        let due = listed(&notes, InboxKind::Due);
        assert_eq!(due.iter().map(|(notes, _)| notes[0]).collect::<Vec<_>>(), [2, 3], "{due:?}");
        assert_eq!(due[0].1, "its source “Old” is no longer valid");
    }
}
