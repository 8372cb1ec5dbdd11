//! The entries of the review inbox with all that a person needs to decide on them: texts, quoted
//! evidence, scores, differences, and the notes that cast doubt.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::load;
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::error::Result;
use crate::paging::next_offset;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::evidence_quote::QuoteDetails;
use crate::verbs::history::WordDiffRun;
use crate::verbs::inbox::{InboxEntry, InboxKind, Settlement, item, waiting};
use crate::verbs::leftovers;
use crate::verbs::playbook::merged;
use crate::verbs::session_receipts::RecordedSessions;
use cm_learn::evidence_quote::quotes_in_body;
use cm_note::bullet::Bullet;
use cm_note::change::ContentHash;
use cm_note::finding::{Finding, FindingCode};
use cm_note::frontmatter::split::Split;
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::markdown::escape::{is_hidden, reveal_hidden};
use cm_note::note::types::{CONTRADICTS, DERIVED_FROM, SUPERSEDES};
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::rounding::round_to_four_decimals;
use cm_note::score::bullet::effective;
use cm_playbook::inbox::InboxNoteEntry;
use cm_text::shorten::shorten;
use cm_text::word_diff;

/// Maximum length of a text in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// Section and page of the inbox.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only the entries of this section.
    pub section: Option<InboxKind>,
    /// Maximum number of entries.
    pub limit: usize,
    /// Number of entries to skip: the `next` of an earlier answer.
    pub offset: usize,
}

/// A note of an entry, as a person reads it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReviewedText {
    /// Text below the frontmatter, at most 4,000 characters. Hidden characters are replaced by their
    /// code points, such as `⟨U+200B⟩`.
    pub text: String,
    /// Whether the note has hidden characters.
    pub has_hidden_characters: bool,
    /// Revision of the file, to pass as the expected one of an update.
    pub revision: String,
    /// State as written, such as `draft`.
    pub state: Option<String>,
    /// Maturity as written; only for rules.
    pub maturity: Option<String>,
    /// Category of a rule.
    pub category: Option<String>,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Effective score of a rule, or decay score of a memory.
    pub score: Option<f64>,
    /// Number of helpful feedback events.
    pub helpful: usize,
    /// Number of harmful feedback events.
    pub harmful: usize,
    /// Agent and session that the note comes from, or its author. Empty for a rule that records
    /// neither.
    pub origin: String,
    pub created: Option<Instant>,
    pub updated: Option<Instant>,
    /// Time when a person last confirmed the note.
    pub last_checked: Option<Instant>,
    /// Quotes from sessions that support the note.
    pub evidence: Vec<QuoteDetails>,
    /// Problems in the note, such as hidden characters with their place.
    pub findings: Vec<Finding>,
}

/// A note that an entry depends on or that speaks against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelatedNote {
    /// `DERIVED_FROM` for a source of the note, `SUPERSEDES` for a note that replaced a source, and
    /// `CONTRADICTS`.
    pub relation: String,
    /// Note id, or its path if it has none.
    pub id: String,
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// State as written, such as `retired`.
    pub state: Option<String>,
    pub updated: Option<Instant>,
}

/// An entry of the inbox with what a decision needs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InboxDetail {
    pub kind: InboxKind,
    /// Notes, reason and commands of the entry.
    #[serde(flatten)]
    pub entry: InboxEntry,
    /// Ways to settle the entry; one of them is enough.
    pub settlements: Vec<Settlement>,
    /// The texts of the notes, in their order.
    pub texts: Vec<ReviewedText>,
    /// Word-level diff from the first to the second text of a merge, or from the version of the note to the one that a merge
    /// left over; empty for other entries.
    pub diff: Vec<WordDiffRun>,
    /// Sources, replaced sources and contradicting notes; only for notes that are due.
    pub related: Vec<RelatedNote>,
}

/// A page of the inbox.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InboxDetails {
    /// Entries in the order of their sections.
    pub entries: Vec<InboxDetail>,
    /// Number of entries of all requested sections.
    pub total: usize,
    /// Number of entries of each section, also of those that are not requested; without empty ones.
    pub counts: BTreeMap<InboxKind, usize>,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
    /// Files with an unresolved merge conflict.
    pub leftovers: Vec<Finding>,
}

/// Lists entries that need a person's decision, with their details.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn inbox_details(context: &Context, options: &Options) -> Result<InboxDetails> {
    let notes = context.notes_of(context.target())?;
    let graph = notes.graph();
    let mut sections = waiting(context, None)?;
    // These are listed apart, with their lines.
    if let Some(entries) = sections.get_mut(&InboxKind::Leftovers) {
        entries.retain(|entry| entry.notes.iter().all(|at| !notes[*at].has_conflict()));
    }
    let counts = sections.iter().map(|(kind, entries)| (*kind, entries.len()));
    let counts = counts.filter(|(_, count)| *count > 0).collect();
    let selected =
        sections.into_iter().filter(|(kind, _)| options.section.is_none_or(|section| section == *kind));
    let all: Vec<_> =
        selected.flat_map(|(kind, entries)| entries.into_iter().map(move |entry| (kind, entry))).collect();
    let total = all.len();
    let reviewed = ReviewedNotes::of(context)?;
    let page = all.into_iter().enumerate().skip(options.offset).take(options.limit);
    let detail = |(at, (kind, entry)): (usize, (InboxKind, InboxNoteEntry))| {
        let texts: Vec<ReviewedText> = entry.notes.iter().map(|at| reviewed.text(&notes[*at])).collect();
        let related = if kind == InboxKind::Due { related(&graph, entry.notes[0]) } else { Vec::new() };
        let diff = match (kind, texts.as_slice()) {
            (InboxKind::Merges, [a, b]) => word_diff::diff(&a.text, &b.text),
            (InboxKind::Leftovers, [_]) => match &entry.leftover {
                Some(leftover) => leftovers::difference(context, &notes[entry.notes[0]], leftover),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        let diff = diff.into_iter().map(WordDiffRun::of).collect();
        let entry = item(context, at + 1, kind, entry, &notes);
        InboxDetail { kind, settlements: entry.settlements.clone(), entry, texts, diff, related }
    };
    let entries: Vec<InboxDetail> = page.map(detail).collect();
    let next = next_offset(options.offset, entries.len(), total);
    let is_leftover = |finding: &&Finding| finding.code == FindingCode::ConflictMarker;
    let leftovers = notes.iter().flat_map(|note| &note.findings).filter(is_leftover).cloned().collect();
    Ok(InboxDetails { entries, total, counts, next, leftovers })
}

/// Vault and notes from which the texts of entries are read.
struct ReviewedNotes<'m> {
    context: &'m Context,
    /// Rules of the target vault with the feedback of all vaults, by path.
    rules: HashMap<NotePath, Bullet>,
    scores: MemoryScores<'m>,
    evidence: SessionEvidence<'m>,
    sessions: RecordedSessions<'m>,
}

impl<'m> ReviewedNotes<'m> {
    fn of(context: &'m Context) -> Result<Self> {
        let level = context.target().level;
        let own = merged(context)?.bullets.into_iter().filter(|of_vault| of_vault.level == level);
        let rules = own.map(|of_vault| (of_vault.bullet.path.clone(), of_vault.bullet)).collect();
        let scores = MemoryScores::of(context, context.target());
        let (evidence, sessions) = (SessionEvidence::of(context), RecordedSessions::of(context));
        Ok(Self { context, rules, scores, evidence, sessions })
    }

    fn text(&self, note: &Note) -> ReviewedText {
        let open = self.context.target();
        // Of a file that is gone since it was indexed, the indexed beginning is shown.
        let bytes = load(open, &note.path).map(|found| found.bytes);
        let bytes = bytes.unwrap_or_else(|_| note.summary.clone().into_bytes());
        let file = String::from_utf8_lossy(&bytes);
        let body = Split::of(&file).body().trim();
        let rule = self.rules.get(&note.path);
        let feedback = rule.map_or(&note.feedback, |rule| &rule.feedback);
        let count = |signal| Feedback::count(feedback, signal);
        let evidence = match &note.bullet {
            Some(fields) => fields.derived_from.evidence.clone(),
            None => quotes_in_body(body),
        };
        ReviewedText {
            text: reveal_hidden(&shorten(body, MAX_TEXT_CHARS)),
            has_hidden_characters: body.chars().any(is_hidden),
            revision: ContentHash::of(&bytes).revision(),
            state: note.state.clone(),
            maturity: note.maturity.clone(),
            category: note.category.clone(),
            tags: note.tags.clone(),
            score: self.score(note, rule),
            helpful: count(FeedbackSignal::Helpful),
            harmful: count(FeedbackSignal::Harmful),
            origin: origin(note),
            created: note.created,
            updated: note.updated,
            last_checked: note.last_checked,
            evidence: evidence.iter().map(|quote| self.quote(quote)).collect(),
            findings: note.findings.clone(),
        }
    }

    /// Parses a quote and looks up its session.
    fn quote(&self, quote: &str) -> QuoteDetails {
        let parsed = QuoteDetails::parse(quote);
        let is_session_known = parsed.session.as_deref().is_some_and(|id| self.sessions.contains(id));
        let is_typed = is_session_known && self.evidence.is_typed(quote);
        QuoteDetails { is_session_known, is_typed, ..parsed }
    }

    /// Score of a rule or a memory, rounded to four decimals.
    fn score(&self, note: &Note, rule: Option<&Bullet>) -> Option<f64> {
        let score = match (rule, note.kind) {
            (Some(rule), _) => effective(rule, self.context.now(), self.scores.constants()).value(),
            (None, NoteKind::Memory) => self.scores.score(note).value(),
            _ => return None,
        };
        Some(round_to_four_decimals(score))
    }
}

/// Origin of a note. A rule names the agent and session that it comes from in its sources; one without
/// them may be from an agent or a person.
fn origin(note: &Note) -> String {
    let Some(fields) = &note.bullet else { return note.origin() };
    let Some(source) = fields.sources.first() else { return note.author.clone().unwrap_or_default() };
    let (agent, session) = (source.agent.clone(), Some(source.session.clone()));
    Note { agent, session, ..note.clone() }.origin()
}

/// Returns the sources of a note, what replaced them, and what contradicts the note or a source.
fn related(graph: &Graph<'_>, at: usize) -> Vec<RelatedNote> {
    let mut found: Vec<RelatedNote> = Vec::new();
    let mut add = |relation: &str, node: usize| {
        let note = &graph.notes()[node];
        let related = RelatedNote {
            relation: relation.to_owned(),
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.to_string(),
            state: note.state.clone(),
            updated: note.updated,
        };
        if node != at && !found.contains(&related) {
            found.push(related);
        }
    };
    let sources = graph.outgoing(at).filter(|edge| edge.relation == DERIVED_FROM).map(|edge| edge.to);
    let sources: Vec<usize> = sources.collect();
    sources.iter().for_each(|source| add(DERIVED_FROM, *source));
    for node in sources.iter().copied().chain([at]) {
        let replaced = graph.incoming(node).filter(|edge| edge.relation == SUPERSEDES);
        replaced.for_each(|edge| add(SUPERSEDES, edge.from));
        let contradicts = |relation: &str| relation == CONTRADICTS;
        graph
            .outgoing(node)
            .filter(|edge| contradicts(&edge.relation))
            .for_each(|edge| add(CONTRADICTS, edge.to));
        graph
            .incoming(node)
            .filter(|edge| contradicts(&edge.relation))
            .for_each(|edge| add(CONTRADICTS, edge.from));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;

    fn rule(number: usize, keys: &str, text: &str) -> (String, String) {
        let text = format!(
            "---\nid: b-mt2ssunl-{number:06}\ncategory: testing\ncreated: 2026-01-01\nupdated: 2026-01-01\n{keys}\n---\n\n{text}\n"
        );
        (format!("playbook/testing/{number}.md"), text)
    }

    fn memory_note(number: usize, keys: &str, text: &str) -> (String, String) {
        let text = format!(
            "---\nid: {number:08}-0000-4000-8000-000000000001\ntype: fix\ntitle: Fix {number}\ncreated: 2026-01-01\nupdated: 2026-01-01\n{keys}\n---\n\n{text}\n"
        );
        (format!("graph/fixes/{number}.md"), text)
    }

    fn details(vault: &FixtureVault, kind: InboxKind) -> InboxDetails {
        let options = Options { section: Some(kind), limit: 10, offset: 0 };
        inbox_details(&vault.at("2026-01-02"), &options).unwrap()
    }

    fn filled(notes: &[(String, String)]) -> FixtureVault {
        let vault = FixtureVault::new();
        notes.iter().for_each(|(path, text)| vault.put(path, text));
        vault
    }

    #[test]
    fn a_draft_comes_with_its_text_and_the_quotes_that_support_it() {
        let quote = "derived_from:\n  evidence:\n    - \"the user in s-7 line 12 on 2026-01-01: always run the tests\"";
        let vault = filled(&[rule(1, &format!("state: draft\n{quote}"), "Run the tests first.")]);
        let found = details(&vault, InboxKind::Drafts);
        let draft = &found.entries[0];
        assert_eq!(
            (found.total, draft.entry.number, draft.texts[0].text.as_str()),
            (1, 1, "Run the tests first.")
        );
        assert_eq!(draft.settlements, [Settlement::Accept, Settlement::Reject, Settlement::Supersede]);
        let quote = &draft.texts[0].evidence[0];
        assert_eq!((quote.session.as_deref(), quote.line), (Some("s-7"), Some(12)));
        assert_eq!(
            (quote.date.as_deref(), quote.text.as_str()),
            (Some("2026-01-01"), "always run the tests")
        );
    }

    #[test]
    fn a_quote_is_from_a_person_only_if_a_log_has_it_and_a_rule_is_by_its_sources() {
        let quote = "derived_from:\n  evidence:\n    - \"the user in s-7: always run the tests\"";
        let source = "sources:\n  - session: s-71f0a2b3c\n    agent: codex";
        let vault = filled(&[
            rule(1, &format!("state: draft\n{quote}\n{source}"), "Run the tests first."),
            rule(2, "state: draft", "Write the changelog last."),
        ]);
        let found = details(&vault, InboxKind::Drafts);
        let text_of = |title: &str| {
            let entry = found.entries.iter().find(|entry| entry.entry.notes[0].title.starts_with(title));
            &entry.unwrap().texts[0]
        };
        let tests = text_of("Run");
        assert_eq!(tests.origin, "codex, session s-71f0a2");
        assert!(!tests.evidence[0].is_session_known && !tests.evidence[0].is_typed, "{:?}", tests.evidence);
        assert_eq!(text_of("Write").origin, "");
    }

    #[test]
    fn similar_rules_come_with_both_texts_and_their_difference() {
        let vault = filled(&[
            rule(1, "state: active", "Run all unit tests before you push a branch to the server."),
            rule(2, "state: active", "Run all unit tests before you push any branch to the server."),
        ]);
        let found = details(&vault, InboxKind::Merges);
        let merge = &found.entries[0];
        assert_eq!((merge.texts.len(), merge.entry.notes.len(), merge.texts[0].score), (2, 2, Some(0.0)));
        let changed: Vec<(&str, &str)> = merge
            .diff
            .iter()
            .filter(|run| run.kind != "same")
            .map(|run| (run.kind, run.text.as_str()))
            .collect();
        assert_eq!(changed.len(), 2, "{changed:?}");
        assert!(changed.contains(&("removed", "a")) || changed.contains(&("added", "a")));
    }

    #[test]
    fn a_quarantined_note_shows_its_hidden_characters() {
        let vault = filled(&[memory_note(1, "", "Use pass\u{200b}words.")]);
        let found = details(&vault, InboxKind::Quarantined);
        let text = &found.entries[0].texts[0];
        assert_eq!((text.text.as_str(), text.has_hidden_characters), ("Use pass⟨U+200B⟩words.", true));
        assert!(found.entries[0].entry.why.contains("hidden character"));
    }

    #[test]
    fn a_note_whose_source_was_replaced_names_the_source_and_what_replaced_it() {
        let source = "00000002-0000-4000-8000-000000000001";
        let of = |relation: &str| format!("relations:\n  - {{target: {source}, type: {relation}}}");
        let (path, newer) = memory_note(3, &of("SUPERSEDES"), "Newer.");
        let newer = newer.replace("created: 2026-01-01", "created: 2026-01-02");
        let vault = filled(&[
            memory_note(1, &of("DERIVED_FROM"), "Derived."),
            memory_note(2, "", "Source."),
            (path, newer),
        ]);
        let found = details(&vault, InboxKind::Due);
        assert_eq!(found.entries.len(), 1, "{found:?}");
        let related: Vec<(&str, &str)> = found.entries[0]
            .related
            .iter()
            .map(|note| (note.relation.as_str(), note.title.as_str()))
            .collect();
        assert_eq!(related, [("DERIVED_FROM", "Fix 2"), ("SUPERSEDES", "Fix 3")]);
    }

    #[test]
    fn pages_go_on_where_the_last_one_ended_and_leftovers_of_merges_are_listed() {
        let mut notes: Vec<_> = (1..=3)
            .map(|number| rule(number, "state: draft", &format!("Check number {number} alone.")))
            .collect();
        notes.push(memory_note(9, "", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other"));
        let vault = filled(&notes);
        let page = |offset| {
            let options = Options { section: Some(InboxKind::Drafts), limit: 2, offset };
            inbox_details(&vault.at("2026-01-02"), &options).unwrap()
        };
        let (first, second) = (page(0), page(2));
        assert_eq!((first.entries.len(), first.total, first.next), (2, 3, Some(2)));
        assert_eq!(first.counts, BTreeMap::from([(InboxKind::Drafts, 3)]));
        assert_eq!((second.entries.len(), second.next, second.entries[0].entry.number), (1, None, 3));
        let leftover = &first.leftovers[0];
        assert_eq!(
            (leftover.path.as_str(), leftover.code),
            ("graph/fixes/9.md", FindingCode::ConflictMarker)
        );
    }
}
