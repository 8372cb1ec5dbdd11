//! Finds notes similar to a note or text, by common words or by meaning.
//!
//! The index proposes candidates; the score is the higher of word overlap and semantic similarity.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{find, load};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::retrieve::rounded;
use crate::context::retrieve::{RankingStages, Retrieval, SemanticThreshold};
use crate::error::{Error, Result};
use cm_note::bullet::Bullet;
use cm_note::bullet::id::BulletId;
use cm_note::frontmatter::split::Split;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode, TextCondition};
use cm_playbook::conflict::{self, EmbeddedStatement, RuleStatement};
use cm_playbook::embedding_model::WordVectors;
use cm_playbook::health::statement;
use cm_text::similarity;

/// Note or text to compare with, and filter and limit of the result.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Id, path or title of a note; any other input is compared as text.
    pub like: String,
    /// Maximum number of notes.
    pub limit: usize,
    /// Only notes of this kind.
    pub kind: Option<NoteKind>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SimilarNote {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Kind of the note, such as `memory` or `bullet`.
    pub kind: NoteKind,
    /// Type of the note, such as `fix`; null if it has none.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title of the note; for a bullet, the text of the rule.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Similarity, 0–1: the greater of `words` and `meaning`.
    pub score: f64,
    /// Largest Jaccard index of the words of the titles, notes or rules, 0–1.
    pub words: f64,
    /// Cosine similarity by the best model that has embedded the note; null if none has.
    pub meaning: Option<f64>,
    /// For a bullet, why it contradicts the given note or text; null if it does not.
    pub contradicts: Option<String>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
}

/// Notes that resemble a note or text, most similar first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SimilarNotes {
    /// Id of the given note; null if a text was given.
    pub id: Option<String>,
    /// Title of the given note, or the given text.
    pub like: String,
    /// Up to `limit` notes of all open vaults.
    pub notes: Vec<SimilarNote>,
}

/// Number of notes taken from the index: `CANDIDATES_PER_NOTE` per requested note, at least `MIN_CANDIDATES`.
const CANDIDATES_PER_NOTE: usize = 5;
const MIN_CANDIDATES: usize = 50;
/// Minimum number of candidates when a new text is compared before it is stored: the texts that say the
/// same rank highest, so that fewer suffice.
const MIN_WRITE_CANDIDATES: usize = 20;
/// Minimum word overlap and minimum cosine of a similar note, 0–1; lower values occur by chance.
const MIN_SIMILARITY: f64 = 0.05;
const MIN_COSINE: f64 = 0.4;
/// Maximum number of words in the index query for candidates.
const MAX_QUERY_WORDS: usize = 64;
/// Maximum length of the given text, in characters.
const MAX_TEXT_CHARS: usize = 20_000;

/// The note or text that others are compared with.
struct ComparisonSubject {
    note: Option<(VaultLevel, NotePath)>,
    id: Option<String>,
    title: String,
    statement: RuleStatement,
    /// Text from which the embedding models compute its vector.
    embedding_text: String,
    title_words: BTreeSet<String>,
    /// Words of title and text together.
    all_words: BTreeSet<String>,
}

/// Finds notes of all open vaults that are similar to a note or text.
///
/// # Errors
/// Returns an error if the reference is empty or too long, if it looks like a note reference but is
/// not found, or if an index can be neither used nor rebuilt.
pub fn similar(context: &Context, options: &Options) -> Result<SimilarNotes> {
    let subject = subject(context, &options.like)?;
    let proposed = options.limit.saturating_mul(CANDIDATES_PER_NOTE).max(MIN_CANDIDATES);
    let notes = compare(context, &subject, options.kind, proposed, options.limit)?;
    Ok(SimilarNotes {
        id: subject.id,
        like: subject.title,
        notes: notes.into_iter().map(|compared| compared.note).collect(),
    })
}

/// Returns the notes of a kind that are similar to a text, most similar first, each with the body
/// of its file. If the request reads an index that lacks the latest changes, their notes are compared as well.
///
/// # Errors
/// Returns an error if the text is too long, or if an index can be neither used nor rebuilt.
pub(crate) fn similar_to_text(
    context: &Context,
    text: &str,
    kind: NoteKind,
    limit: usize,
) -> Result<Vec<(SimilarNote, String)>> {
    let found = compare(context, &text_subject(text)?, Some(kind), limit.max(MIN_WRITE_CANDIDATES), limit)?;
    let with_body = |ComparedNote { note, path, text }: ComparedNote| {
        let text = text.or_else(|| text_of(context.vault_at(note.vault), &path));
        let body = text.map_or_else(|| note.title.clone(), |text| Split::of(&text).body().to_owned());
        (note, body)
    };
    Ok(found.into_iter().map(with_body).collect())
}

/// A note that was compared with the subject.
struct ComparedNote {
    note: SimilarNote,
    path: NotePath,
    /// Contents of its file, if they were read.
    text: Option<String>,
}

fn compare(
    context: &Context,
    subject: &ComparisonSubject,
    kind: Option<NoteKind>,
    proposed: usize,
    limit: usize,
) -> Result<Vec<ComparedNote>> {
    let query = query_for(subject, kind);
    let mut notes = Vec::new();
    for open in &context.vaults {
        // Taken before the index is read: it may be brought up to date meanwhile.
        let indexed = open.cached().map(|cache| cache.writes().indexed());
        let stages = RankingStages { coarse: true, fine: true, ..RankingStages::WORDS };
        let question = Retrieval {
            query: &query,
            meaning: &subject.embedding_text,
            stages,
            by_meaning: SemanticThreshold::Near,
            is_task: false,
        };
        let hits = context.retrieve_from(std::slice::from_ref(open), question, proposed)?.ranked;
        let newer: BTreeSet<NotePath> = match open.cached().zip(indexed).filter(|_| open.is_lagging()) {
            Some((cache, indexed)) => cache.writes().since(indexed).into_iter().collect(),
            None => BTreeSet::new(),
        };
        let is_compared = |note: &Note| {
            let itself = subject.note.as_ref();
            let is_itself = itself.is_some_and(|(level, path)| (*level, path) == (open.level, &note.path));
            !is_itself && note.kind != NoteKind::Edge
        };
        for hit in hits {
            if is_compared(&hit.note) && !newer.contains(&hit.note.path) {
                let cosine = hit.parts.fine.or(hit.parts.coarse);
                let compared = compare_note(open, &hit.note, subject, cosine);
                notes.extend(compared.filter(|compared| exceeds_chance(&compared.note)));
            }
        }
        let word_vectors = WordVectors::of(meaning(open));
        for note in newer.iter().filter_map(|path| Some(load(open, path).ok()?.note)) {
            if is_compared(&note)
                && kind.is_none_or(|kind| note.kind == kind)
                && !context.is_hidden(open, &note)
            {
                let passages = open.passages_of(&note.path);
                let cosine = |text: &str| word_vectors.text_cosine(&subject.embedding_text, text);
                let cosines =
                    passages.iter().map(|passage| cosine(&passage.text)).chain([cosine(&note.title)]);
                let nearest = cosines.fold(0.0, f64::max);
                notes.extend(compare_note(open, &note, subject, (nearest > 0.0).then_some(nearest)));
            }
        }
    }
    notes.sort_by(|ComparedNote { note: a, .. }, ComparedNote { note: b, .. }| {
        b.score.total_cmp(&a.score).then_with(|| (&a.id, &a.path).cmp(&(&b.id, &b.path)))
    });
    notes.truncate(limit);
    Ok(notes)
}

fn subject(context: &Context, like: &str) -> Result<ComparisonSubject> {
    let like = like.trim();
    if like.is_empty() {
        return Err(Error::usage("the text is empty").hint("for example `cm similar \"retry with backoff\"`"));
    }
    match find(context, like) {
        Ok(found) => {
            let statement = rule_of(&found.note).unwrap_or_else(|| RuleStatement::of(&found.note.title));
            let passage = found.open.passages_of(&found.note.path).into_iter().next();
            Ok(ComparisonSubject {
                note: Some((found.open.level, found.note.path.clone())),
                id: Some(found.note.key().to_owned()),
                title: shown(&found.note),
                embedding_text: passage.map_or_else(|| shown(&found.note), |passage| passage.text),
                statement,
                title_words: content(&found.note.title),
                all_words: whole(&found.note, &found.text()),
            })
        }
        Err(error) if error.is_not_found() && !names_a_note(like) => text_subject(like),
        Err(error) => Err(error),
    }
}

fn text_subject(text: &str) -> Result<ComparisonSubject> {
    let length = text.chars().count();
    if length > MAX_TEXT_CHARS {
        return Err(Error::usage(format!(
            "a text may have at most {MAX_TEXT_CHARS} characters; this one has {length}"
        )));
    }
    let words = content(text);
    let statement = RuleStatement::of(text);
    Ok(ComparisonSubject {
        note: None,
        id: None,
        title: text.to_owned(),
        embedding_text: text.to_owned(),
        statement,
        title_words: words.clone(),
        all_words: words,
    })
}

/// Returns whether the input looks like an id, an id prefix or a path, so that it is not treated as
/// text. Words such as `utf-8` and `facade` are text.
fn names_a_note(typed: &str) -> bool {
    let has_digit = typed.contains(|c: char| c.is_ascii_digit());
    let id = BulletId::parse(typed).is_ok() || begins_uuid(typed);
    !typed.contains(char::is_whitespace) && (id && has_digit || typed.ends_with(".md"))
}

fn begins_uuid(typed: &str) -> bool {
    let fits = |(at, c): (usize, char)| match at {
        8 | 13 | 18 | 23 => c == '-',
        _ => c.is_ascii_hexdigit(),
    };
    (6..=36).contains(&typed.len()) && typed.char_indices().all(fits)
}

/// Builds an index query for the words of the subject; of too many words, the longest are used,
/// because they are the most specific.
fn query_for(subject: &ComparisonSubject, kind: Option<NoteKind>) -> Query {
    let mut words: Vec<&String> = subject.all_words.iter().collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    let should = words
        .into_iter()
        .take(MAX_QUERY_WORDS)
        .map(|word| QueryNode::Text { field: None, text: TextCondition::Word(word.clone()) });
    let filter = kind.map(|kind| QueryNode::Label {
        label: LabelField::Kind,
        value: kind.name().to_owned(),
        prefix: false,
    });
    let root = QueryNode::Group(BooleanGroup {
        should: should.collect(),
        filter: filter.into_iter().collect(),
        ..BooleanGroup::default()
    });
    Query { root, notices: Vec::new() }
}

/// Compares a note with the subject; `None` if the note's file no longer exists.
fn compare_note(
    open: &OpenVault,
    note: &Note,
    subject: &ComparisonSubject,
    cosine: Option<f64>,
) -> Option<ComparedNote> {
    let title = content(&note.title);
    let titles = similarity::jaccard(&subject.title_words, &title);
    let rule = rule_of(note);
    let (whole, text) = match &rule {
        Some(rule) => (rule.words().clone(), None),
        None => {
            let text = text_of(open, &note.path)?;
            (&title | &content(Split::of(&text).body()), Some(text))
        }
    };
    let words = titles.max(similarity::jaccard(&subject.all_words, &whole));
    let meaning = cosine.map(|cosine| rounded(cosine.max(0.0)));
    let contradicts = rule.and_then(|rule| contradiction(open, &subject.statement, &rule));
    let alike = SimilarNote {
        id: note.key().to_owned(),
        kind: note.kind,
        note_type: note.note_type.clone(),
        title: shown(note),
        path: note.path.to_string(),
        score: rounded(words).max(meaning.unwrap_or(0.0)),
        words: rounded(words),
        meaning,
        contradicts,
        vault: open.level,
    };
    Some(ComparedNote { note: alike, path: note.path.clone(), text })
}

/// Contents of a note's file; `None` if it cannot be read.
fn text_of(open: &OpenVault, path: &NotePath) -> Option<String> {
    Some(String::from_utf8_lossy(&open.read(path).ok()?).into_owned())
}

/// The reason, for display, why two rules contradict each other.
fn contradiction(open: &OpenVault, one: &RuleStatement, other: &RuleStatement) -> Option<String> {
    let word_vectors = WordVectors::of(meaning(open));
    let embeddings = [one, other].map(|statement| word_vectors.statement(statement));
    let one = EmbeddedStatement { statement: one, embedding: embeddings[0].as_ref() };
    let other = EmbeddedStatement { statement: other, embedding: embeddings[1].as_ref() };
    Some(one.contradiction(&other, &word_vectors)?.reason)
}

/// Returns whether the notes are more similar than by chance.
fn exceeds_chance(alike: &SimilarNote) -> bool {
    alike.words >= MIN_SIMILARITY || alike.meaning >= Some(MIN_COSINE)
}

fn rule_of(note: &Note) -> Option<RuleStatement> {
    Bullet::of(note).map(|bullet| statement(&bullet))
}

fn shown(note: &Note) -> String {
    match Bullet::of(note) {
        Some(bullet) if !bullet.content().is_empty() => bullet.content().to_owned(),
        _ => note.title.clone(),
    }
}

/// Returns the content words of a text.
fn content(text: &str) -> BTreeSet<String> {
    conflict::words(text)
}

/// Returns the words of a note's title and body; for a bullet, those of its rule.
fn whole(note: &Note, text: &str) -> BTreeSet<String> {
    match rule_of(note) {
        Some(rule) => rule.words().clone(),
        None => &content(&note.title) | &content(Split::of(text).body()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shaped_like_an_id_or_a_path_must_be_a_note() {
        for note in ["1f0c2a", "1f0c2a00-0000-4000-8000-000000000001", "b-mt2ssunl-jq6d8j", "graph/none.md"] {
            assert!(names_a_note(note), "{note}");
        }
        for text in
            ["utf-8", "sha-256", "facade", "1f0c2", "b-tree-lookup", "x86-64", "2026-11-21", "see a.md"]
        {
            assert!(!names_a_note(text), "{text}");
        }
    }
}
