//! Observations: facts from a program become a new note, or credit for a memory that states the
//! same.
//!
//! Similarity alone gives no credit: an observation that is similar to a memory, or contradicts it,
//! is stored as a new note and lists its neighbors.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::feedback_author::feedback_author;
use crate::context::find::{ResolvedNote, find, load};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::{Error, Result};
use crate::verbs::add;
use crate::verbs::mark;
use crate::verbs::memory_in_use::memory_in_use;
use crate::verbs::note_fields::clean_tags;
use crate::verbs::playbook;
use crate::verbs::similar;
use cm_learn::prose::cut;
use cm_note::bullet::content::{self, fold_whitespace};
use cm_note::frontmatter::split::Split;
use cm_note::note::check::is_category;
use cm_note::note::length::{MIN_STATEMENT_CHARS, is_too_short};
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind, Priority};
use cm_note::path::NotePath;
use cm_playbook::conflict::{EmbeddedStatement, OwnedStatement, StatementRelation, StatementVerdict};
use cm_playbook::embedding_model::WordVectors;
use cm_text::sentence;

/// An observation to store.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Markdown text; its first sentence becomes the title.
    pub content: String,
    /// Category, such as `gotcha` or `convention`.
    pub category: Option<String>,
    /// Priority, which determines how slowly the score decays.
    pub priority: Option<Priority>,
    /// Tags of the note.
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservationResult {
    /// ID of the new note, or of the existing one that states the same.
    pub id: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
    /// Whether the note is new.
    pub added: bool,
    /// Whether an existing note got helpful feedback instead; at most once per session, and once
    /// per person and day.
    pub credited: bool,
    /// Similar memories that state something else, most similar first.
    pub neighbours: Vec<SimilarMemory>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// A memory that is similar to a new observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SimilarMemory {
    /// ID of the note.
    pub id: String,
    pub title: String,
    /// Why the memory contradicts the observation; null if it does not.
    pub contradicts: Option<String>,
}

/// Maximum length of the text, in characters.
const MAX_TEXT_CHARS: usize = 20_000;
/// Maximum length of the generated title, in characters.
const MAX_TITLE_CHARS: usize = 80;
/// Number of memories that are compared with an observation and may be listed as similar.
const COMPARED_MEMORIES: usize = 20;
const MAX_NEIGHBOURS: usize = 3;
/// Maximum number of pairs, the likeliest first, that the pair model reads.
const MAX_READ_PAIRS: usize = 2;
/// The second pair is read only if the fast model gives it at least this probability, 0–1, of being about
/// one thing.
const READ_NEXT_FROM: f64 = 0.35;
/// Minimum similarity, 0–1, of a memory that is listed.
const MIN_LISTED_SIMILARITY: f64 = 0.5;

/// Stores an observation, or credits the memory that states the same.
///
/// # Errors
/// An invalid text or category, and the errors of [`add::add`] and [`mark::mark`].
pub fn observe(context: &Context, options: &Options) -> Result<ObservationResult> {
    let content = checked(options)?;
    // Taken before the comparison: what is written from here on is compared under the lock.
    let compared_until = context.target().cached().map(|cache| cache.writes().count());
    let Comparison { same, neighbours } = context.with_lag(|| compared(context, content))?;
    if let Some(id) = same.iter().find_map(|id| memory_in_use(context, id)) {
        return credit(context, &id, content);
    }
    let mut same = None;
    let unless_written_meanwhile = |open: &OpenVault| {
        let paths = open.cached().zip(compared_until).map(|(cache, count)| cache.writes().since(count));
        same = same_in(context, open, paths.unwrap_or_default(), content);
        match &same {
            Some(_) => Err(Error::refused("observed-meanwhile", "the same was observed at this moment")),
            None => Ok(()),
        }
    };
    let category = options.category.clone().map(|category| ("category".to_owned(), category));
    let priority = options.priority.map(|priority| ("priority".to_owned(), priority.name().to_owned()));
    let added = add::add_if(
        context,
        &add::Options {
            note_type: Note::OBSERVATION.to_owned(),
            title: title(content),
            tags: options.tags.clone(),
            body: Some(content.to_owned()),
            extra: category.into_iter().chain(priority).collect(),
            ..add::Options::default()
        },
        unless_written_meanwhile,
    );
    if let Some(id) = same {
        return credit(context, &id, content);
    }
    let added = added?;
    Ok(ObservationResult {
        id: added.id,
        path: added.path,
        added: true,
        credited: false,
        neighbours,
        commit: added.commit,
    })
}

fn checked(options: &Options) -> Result<&str> {
    let content = options.content.trim();
    let length = content.chars().count();
    if content.contains('\0') {
        return Err(Error::usage("an observation may not contain the control character U+0000")
            .hint("remove it from the text"));
    }
    clean_tags(&options.tags)?;
    if is_too_short(content) || length > MAX_TEXT_CHARS {
        return Err(Error::usage(format!(
            "an observation must have {MIN_STATEMENT_CHARS} to {MAX_TEXT_CHARS} characters; this one has {length}"
        ))
        .hint("for example: The gateway drops idle sockets after 60 s."));
    }
    if let Some(category) = options.category.as_deref().filter(|category| !is_category(category)) {
        return Err(Error::usage(format!("`{category}` is not a valid category"))
            .hint("for example: gotcha, or build-tools"));
    }
    Ok(content)
}

/// Memories like an observation, most similar first.
struct Comparison {
    /// IDs of those that state the same.
    same: Vec<String>,
    /// All that are similar.
    neighbours: Vec<SimilarMemory>,
}

/// The memory among notes that were written meanwhile that states the same.
fn same_in(context: &Context, open: &OpenVault, paths: Vec<NotePath>, content: &str) -> Option<String> {
    let (least, model) = (playbook::limits(open).duplicate(), meaning(open));
    let word_vectors = WordVectors::of(model);
    let subject = word_vectors.embed(content);
    let subject = subject.embedded();
    let states_the_same = |found: &ResolvedNote<'_>| {
        let other = word_vectors.embed(&statement_of(&found.note.title, Split::of(&found.text()).body()));
        let other = other.embedded();
        // Other threads wait meanwhile: what cannot be one statement is not read by the slower models.
        subject.says_same(&other, &word_vectors)
            && matches!(subject.verdict(&other, least, &word_vectors), StatementRelation::Same)
    };
    let mut found = paths.iter().filter_map(|path| load(open, path).ok());
    let found = found.find(|found| found.note.kind == NoteKind::Memory && states_the_same(found))?;
    memory_in_use(context, found.note.key())
}

/// Compares an observation with the most similar memories of the index, and with those that the index
/// does not have yet.
fn compared(context: &Context, content: &str) -> Result<Comparison> {
    let open = context.target();
    let (least, model) = (playbook::limits(open).duplicate(), meaning(open));
    let word_vectors =
        WordVectors::of(model).reading_at_most(MAX_READ_PAIRS).reading_next_from(READ_NEXT_FROM);
    let subject = word_vectors.embed(content);
    let subject = subject.embedded();
    let found = similar::similar_to_text(context, content, NoteKind::Memory, COMPARED_MEMORIES)?;
    let others: Vec<OwnedStatement> =
        found.iter().map(|(alike, text)| word_vectors.embed(&statement_of(&alike.title, text))).collect();
    let others: Vec<EmbeddedStatement<'_>> = others.iter().map(OwnedStatement::embedded).collect();
    let pairs: Vec<_> = others.iter().map(|other| [&subject, other]).collect();
    StatementVerdict::prepare(&pairs, 0.0, &word_vectors);
    let mut comparison = Comparison { same: Vec::new(), neighbours: Vec::new() };
    for ((alike, _), other) in found.into_iter().zip(others) {
        let contradicts = match subject.verdict(&other, least, &word_vectors) {
            StatementRelation::Same => {
                comparison.same.push(alike.id.clone());
                None
            }
            StatementRelation::Contradicts(opposition) => Some(opposition.reason),
            StatementRelation::Near(_) => None,
            StatementRelation::Different if alike.score >= MIN_LISTED_SIMILARITY => None,
            StatementRelation::Different => continue,
        };
        comparison.neighbours.push(SimilarMemory { id: alike.id, title: alike.title, contradicts });
    }
    comparison.neighbours.truncate(MAX_NEIGHBOURS);
    Ok(comparison)
}

/// Returns what a memory states: its text up to the first heading, or its title if there is none.
fn statement_of(title: &str, body: &str) -> String {
    let (text, _) = content::rule_and_why(body);
    if text.is_empty() || text.starts_with('#') { title.to_owned() } else { text }
}

/// Adds helpful feedback with the observation's text to a memory; once per person and day.
fn credit(context: &Context, id: &str, content: &str) -> Result<ObservationResult> {
    let found = find(context, id)?;
    if is_credited(context, &found) {
        let (id, path) = (found.note.key().to_owned(), found.note.path.to_string());
        return Ok(ObservationResult {
            id,
            path,
            added: false,
            credited: false,
            neighbours: Vec::new(),
            commit: None,
        });
    }
    let because = Some(format!("observed again: {}", fold_whitespace(content)));
    let feedback = mark::Options { signal: FeedbackSignal::Helpful, because, weight: None, invert: false };
    let mark::MarkResult { id, path, commit, changed, uncounted, .. } = mark::mark(context, id, &feedback)?;
    let credited = changed && uncounted.is_none();
    Ok(ObservationResult { id, path, added: false, credited, neighbours: Vec::new(), commit })
}

/// Whether the note already has helpful feedback of this person from the current day.
fn is_credited(context: &Context, found: &ResolvedNote<'_>) -> bool {
    let author = feedback_author(context, context.request.caller.session.as_deref());
    let today = |event: &Feedback| {
        event.signal == FeedbackSignal::Helpful
            && event.weight > 0.0
            && event.author == author
            && event.at.day() == context.now().day()
    };
    found.note.feedback.iter().any(today)
}

/// The first sentence of the text, shortened to [`MAX_TITLE_CHARS`] characters at a word boundary.
fn title(content: &str) -> String {
    let line = content
        .lines()
        .map(|line| line.trim_start_matches(['#', '-', '*', '>', ' ']))
        .find(|line| !line.is_empty());
    let line = line.unwrap_or(content).trim();
    let mut ends = line.match_indices('.').map(|(at, _)| at).filter(|at| sentence::ends_at(line, *at));
    let first = ends.next().map_or(line, |end| &line[..end]).trim_end_matches('.');
    cut(first, MAX_TITLE_CHARS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_is_the_first_sentence_or_as_many_words_of_it_as_fit() {
        assert_eq!(title("The gateway drops idle sockets. After 60 s."), "The gateway drops idle sockets");
        assert_eq!(title("Dr. Smith keeps the key. Ask him."), "Dr. Smith keeps the key");
        assert_eq!(title("# Heading\n\nText."), "Heading");
        let long = "word ".repeat(40);
        assert_eq!(title(&long).chars().count(), 80);
        assert!(title(&long).ends_with("word…"));
    }

    proptest! {
        #[test]
        fn a_title_is_never_longer_than_its_limit(content in any::<String>()) {
            prop_assert!(title(&content).chars().count() <= MAX_TITLE_CHARS);
        }
    }
}
