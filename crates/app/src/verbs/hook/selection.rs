//! Selects rules and memories for a prompt or a failed tool call: notes that match by words and
//! meaning, and that were not injected into the session before.

use super::check_indexes;
use crate::context::find::{ResolvedNote, load};
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::project_scope::ProjectScope;
use crate::context::retrieve::{RankedNote, RankingStages, Retrieval, SemanticThreshold};
use crate::context::snippet::NoteSnippets;
use crate::context::superseded::SupersededNotes;
use crate::error::Result;
use crate::verbs::context::kinds::WorkspaceKinds;
use crate::verbs::context::words;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
use cm_agents::hook::relevance::{
    ContentWords, FAILURE_TYPES, is_of_other_failure, relevance, relevance_of_confidence, relevance_of_need,
};
use cm_agents::hook::selection::{InjectionCandidate, SelectionLimits, choose};
use cm_agents::hook::{HookEvent, HookMessage, memory_text};
use cm_note::bullet::visibility::may_be_shown;
use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::markdown::escape::visible;
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode};
use cm_playbook::briefing::warning::MentionIndex;
use cm_playbook::briefing::{UNVERIFIED_SHARE, lines};
use cm_store::config::keys;
use cm_text::stop_words::is_stop_word;
use std::collections::BTreeSet;

/// Number of characters of a prompt that are used for the search; longer prompts usually end in
/// pasted text.
const MAX_QUESTION_CHARS: usize = 2_000;
/// Number of words up to which the fine model embeds a prompt, which takes some ten milliseconds; longer ones are
/// compared by the coarse model.
const MAX_FINE_WORDS: usize = 60;
/// Maximum number of notes that are considered for injection.
const MAX_CANDIDATES: usize = 30;
/// Maximum number of unverified notes that are considered for injection.
const MAX_UNVERIFIED: usize = 10;

/// Selects the notes to inject for a question. `received_ids` contains the IDs and CORE.md links that the
/// session has received already.
pub(super) fn parts(
    context: &Context,
    message: &HookMessage,
    question: &str,
    received_ids: &BTreeSet<String>,
) -> Result<Vec<InjectionPart>> {
    let text: String = question.chars().take(MAX_QUESTION_CHARS).collect();
    let is_failure = message.event == Some(HookEvent::ToolFailure);
    let settings = &context.target().settings;
    let limits = SelectionLimits {
        threshold: settings.number(keys::HOOKS_THRESHOLD),
        notes: settings.integer(keys::HOOKS_MAX_NOTES),
        characters: settings.integer(keys::HOOKS_MAX_CHARACTERS),
    };
    let words = ContentWords::of(&text, is_stop_word);
    if words.is_empty() || limits.notes == 0 {
        return Ok(Vec::new());
    }
    check_indexes(context)?;
    let selection = Selection {
        context,
        scope: ProjectScope::of(context, None),
        kinds: WorkspaceKinds::of(context, false),
        seen: MentionIndex::of(&text),
        text: &text,
        words,
        failure: is_failure.then(|| format!("{text}\n{}", message.error.as_deref().unwrap_or_default())),
        superseded: SupersededByVault::of(context)?,
        received_ids,
        threshold: limits.threshold,
    };
    let confirmed =
        choose(&selection.candidates(wish(&text, message), MAX_CANDIDATES)?, received_ids, &limits);
    // Asked apart, so that many of them displace nothing that is confirmed.
    let room = SelectionLimits {
        notes: limits.notes.div_ceil(UNVERIFIED_SHARE).min(limits.notes - confirmed.len()),
        characters: limits.characters / UNVERIFIED_SHARE,
        ..limits
    };
    let few = match room.notes {
        0 => Vec::new(),
        _ => selection.candidates(unverified(&text, message), MAX_UNVERIFIED)?,
    };
    Ok(parts_of(confirmed, choose(&few, received_ids, &room)))
}

/// The question, and what decides which notes may be injected for it.
struct Selection<'s> {
    context: &'s Context,
    scope: ProjectScope<'s>,
    kinds: WorkspaceKinds<'s>,
    /// Words and phrases of the question, in which scopes are looked for.
    seen: MentionIndex,
    text: &'s str,
    words: ContentWords,
    /// A failed command and its output; `None` if the question is a prompt.
    failure: Option<String>,
    superseded: SupersededByVault,
    received_ids: &'s BTreeSet<String>,
    /// Minimum relevance of a candidate.
    threshold: f64,
}

impl Selection<'_> {
    /// Returns the candidates among the `most` notes that match the query best.
    fn candidates(&self, root: QueryNode, most: usize) -> Result<Vec<InjectionCandidate>> {
        let query = Query { root, notices: Vec::new() };
        let fine = self.text.split_whitespace().count() <= MAX_FINE_WORDS;
        let retrieval = Retrieval {
            query: &query,
            meaning: self.text,
            stages: RankingStages { fine, graph: false, ..RankingStages::default() },
            by_meaning: SemanticThreshold::Near,
            is_task: self.failure.is_none(),
        };
        let ranked = self.context.retrieve(retrieval, most)?.ranked;
        let may_be_given = |ranked: &&RankedNote<'_>| {
            let note = &ranked.note;
            !self.superseded.contains(ranked)
                && self.scope.includes_memory(note, ranked.open.level)
                && !self.received_ids.contains(note.key())
                && !is_in_core(note, self.received_ids)
                && Bullet::of(note).is_none_or(|bullet| self.kinds.holds(&bullet, &self.seen))
        };
        Ok(ranked.iter().filter(may_be_given).filter_map(|ranked| self.candidate(ranked, &query)).collect())
    }

    /// Converts a search hit into a candidate for injection; `None` if it may not be shown or its
    /// relevance is too low.
    fn candidate(&self, ranked: &RankedNote<'_>, query: &Query) -> Option<InjectionCandidate> {
        let note = &ranked.note;
        let statement = match Bullet::of(note) {
            Some(bullet) => bullet.content().to_owned(),
            None => format!("{} {}", note.title, note.tags.join(" ")),
        };
        if self.failure.as_ref().is_some_and(|failure| is_of_other_failure(&statement, failure, is_stop_word))
        {
            return None;
        }
        let by_words =
            relevance(&self.words, &ContentWords::of(&statement, is_stop_word), ranked.parts.coarse);
        // The confidence by the coarse model alone says too little, and any note that names the failed tool has some.
        let confidence = ranked.confidence.filter(|_| ranked.parts.fine.is_some() && self.failure.is_none());
        let by_meaning = match (ranked.need, confidence) {
            (Some(need), _) => relevance_of_need(need.value()),
            (None, Some(confidence)) => relevance_of_confidence(confidence.value()),
            (None, None) => 0.0,
        };
        let relevance = by_words.max(by_meaning);
        if relevance < self.threshold {
            return None;
        }
        let found = load(ranked.open, &note.path).ok()?;
        let snippet = match note.kind {
            NoteKind::Bullet => String::new(),
            _ => NoteSnippets::of(query).of_text(&found.note, &found.text(), ranked.passage),
        };
        let line = line(&self.scope, ranked.open.level, &found, snippet)?;
        Some(InjectionCandidate { id: note.key().to_owned(), line, relevance })
    }
}

/// Whether CORE.md in the session's context already contains the whole note: CORE.md lists titles,
/// and the title of a one-line rule is the whole rule.
fn is_in_core(note: &Note, received_ids: &BTreeSet<String>) -> bool {
    let is_whole = Bullet::of(note).is_some_and(|bullet| bullet.content().trim() == note.title.trim());
    is_whole
        && memory_text::note_references(note.key(), &note.path).iter().any(|name| received_ids.contains(name))
}

/// Formats the notes with these IDs for injection, in the given order.
pub(super) fn held(context: &Context, ids: &[String]) -> Result<Vec<InjectionPart>> {
    check_indexes(context)?;
    let nothing = Query { root: QueryNode::Group(BooleanGroup::default()), notices: Vec::new() };
    let scope = ProjectScope::of(context, None);
    let (mut entries, mut unverified) = (Vec::new(), Vec::new());
    for id in ids {
        for open in &context.vaults {
            let indexed = open.index().lookup(id).unwrap_or_default();
            let path =
                indexed.into_iter().find(|(indexed_id, _)| indexed_id.as_str() == id).map(|(_, path)| path);
            let found = path.and_then(|path| load(open, &path).ok());
            let is_unverified = found.as_ref().is_some_and(|found| found.note.is_unverified());
            let line = found.and_then(|found| {
                let beginning = NoteSnippets::of(&nothing).of_text(&found.note, &found.text(), None);
                line(&scope, open.level, &found, beginning)
            });
            if let Some(text) = line {
                let list = if is_unverified { &mut unverified } else { &mut entries };
                list.push(InjectionEntry { id: Some(id.clone()), text, relevance: None });
                break;
            }
        }
    }
    Ok(parts_of(entries, unverified))
}

fn parts_of(confirmed: Vec<InjectionEntry>, unverified: Vec<InjectionEntry>) -> Vec<InjectionPart> {
    let heading = Some(format!("## {}", lines::UNVERIFIED));
    let kind = PartKind::Notes;
    vec![
        InjectionPart { kind, heading: None, entries: confirmed },
        InjectionPart { kind, heading, entries: unverified },
    ]
}

/// The notes of each vault that its edges supersede.
struct SupersededByVault(Vec<(VaultLevel, SupersededNotes)>);

impl SupersededByVault {
    fn of(context: &Context) -> Result<Self> {
        let of_vault =
            |open: &OpenVault| Ok((open.level, SupersededNotes::of(context, open, std::iter::empty())?));
        context.vaults.iter().map(of_vault).collect::<Result<_>>().map(Self)
    }

    fn contains(&self, ranked: &RankedNote<'_>) -> bool {
        self.0.iter().any(|(level, notes)| *level == ranked.open.level && notes.contains(&ranked.note))
    }
}

/// Formats a note as one line for injection; `None` if it may not be shown.
fn line(
    scope: &ProjectScope<'_>,
    level: VaultLevel,
    found: &ResolvedNote<'_>,
    snippet: String,
) -> Option<String> {
    let note = &found.note;
    let Some(bullet) = Bullet::of(note).filter(|_| note.kind == NoteKind::Bullet) else {
        return remembered(note, &snippet);
    };
    let shown = scope.includes(&bullet, level) && may_be_shown(&bullet, note);
    let pinned = if bullet.pinned { "pinned" } else { "" };
    let events = |signal| Feedback::count(&bullet.feedback, signal);
    let harm = lines::harm(events(FeedbackSignal::Helpful), events(FeedbackSignal::Harmful));
    let labels = [bullet.id.as_str(), &bullet.category, bullet.maturity.name(), pinned, &harm];
    shown.then(|| lines::rule(bullet.content(), &labels))
}

fn remembered(note: &Note, snippet: &str) -> Option<String> {
    let waits = note.is_draft() || note.is_retired() || note.has_conflict();
    if !matches!(note.kind, NoteKind::Memory | NoteKind::Plain) || waits || note.staleness().is_some() {
        return None;
    }
    let origin = format!("by {}", visible(&note.origin()));
    let labels = [note.note_type.as_deref().unwrap_or_default(), note.key(), &origin];
    Some(lines::memory(&visible(&note.title), &labels, &visible(snippet)))
}

/// Builds the query for unverified memories that contain any word of the question. After a failed
/// tool call, it selects only memories about failures.
fn unverified(question: &str, message: &HookMessage) -> QueryNode {
    let state = QueryNode::label(LabelField::State, Note::UNVERIFIED);
    let filter = memory_kinds(message).into_iter().chain([state]).collect();
    QueryNode::Group(BooleanGroup { filter, should: words(question), ..BooleanGroup::default() })
}

fn any(nodes: Vec<QueryNode>) -> QueryNode {
    QueryNode::Group(BooleanGroup { should: nodes, ..BooleanGroup::default() })
}

/// Returns filters for memories; after a failed tool call, only those of [`FAILURE_TYPES`].
fn memory_kinds(message: &HookMessage) -> Vec<QueryNode> {
    let mut kinds = vec![any([NoteKind::Memory, NoteKind::Plain]
        .map(|kind| QueryNode::label(LabelField::Kind, kind.name()))
        .into())];
    if message.event == Some(HookEvent::ToolFailure) {
        let types = FAILURE_TYPES.map(|name| QueryNode::label(LabelField::Type, name));
        kinds.push(any(types.into()));
    }
    kinds
}

/// Builds the query for active rules and confirmed memories that contain any word of the question.
/// After a failed tool call, it selects only memories about failures.
fn wish(question: &str, message: &HookMessage) -> QueryNode {
    let rules = BooleanGroup {
        filter: vec![
            QueryNode::label(LabelField::Kind, NoteKind::Bullet.name()),
            QueryNode::label(LabelField::State, BulletState::Active.name()),
        ],
        not: vec![QueryNode::label(LabelField::Maturity, Maturity::Deprecated.name())],
        ..BooleanGroup::default()
    };
    let memories = BooleanGroup {
        filter: memory_kinds(message),
        not: [Note::DRAFT, Note::RETIRED, Note::UNVERIFIED]
            .map(|state| QueryNode::label(LabelField::State, state))
            .into(),
        ..BooleanGroup::default()
    };
    let shown = any(vec![QueryNode::Group(rules), QueryNode::Group(memories)]);
    QueryNode::Group(BooleanGroup { filter: vec![shown], should: words(question), ..BooleanGroup::default() })
}
