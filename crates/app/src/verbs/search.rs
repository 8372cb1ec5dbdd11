//! Searches notes by words, fields and meaning.

mod grouping;
mod query_text;

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::as_of::AsOf;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::retrieve::rounded;
use crate::context::retrieve::{
    FoundBy, HitScore, RankedNote, RankingStages, Retrieval, RetrievalResult, SemanticThreshold,
};
use crate::context::snippet::{Excerpt, NoteSnippets};
use crate::error::Result;
use crate::paging::{check_offset, check_query, next_search_offset};
use crate::verbs::type_names::unknown_type;
use cm_note::bullet::BulletState;
use cm_note::instant::Instant;
use cm_note::note::{NoteKind, Priority};
use cm_note::query::{Query, field_names, selected_keys, unknown_fields};
use cm_note::rank::confidence::Confidence;
use cm_store::config::keys;
pub use grouping::SessionGrouping;
use grouping::{GroupedHits, examined, grouped};

/// Query, page and ranking options of a search.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Query in the query language.
    pub query: String,
    /// Only notes of these types, separated by commas.
    pub types: Option<String>,
    /// Only notes with all of these tags.
    pub tags: Vec<String>,
    pub category: Option<String>,
    pub priority: Option<Priority>,
    /// Maximum number of hits; by default the setting `search.limit`.
    pub limit: Option<usize>,
    /// Number of hits to skip: the `next` of an earlier answer.
    pub offset: usize,
    pub stages: RankingStages,
    /// Report the components of each score.
    pub explain: bool,
    /// Commit or date whose state of the notes is searched; `None` for the current state.
    pub as_of: Option<String>,
    /// Only notes created since this date or age; an age counts from the time that is searched.
    pub since: Option<String>,
    /// Only notes created until this date or age; a date includes that day.
    pub until: Option<String>,
    /// Group the hits by session; `None` shows every hit.
    pub group: Option<SessionGrouping>,
}

/// A note that matches the query.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchHit {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Kind of the note, such as `memory` or `bullet`.
    pub kind: NoteKind,
    /// Type of the note, such as `fix`; null if it has none.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title from the frontmatter, else derived from the content or the file name.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Relevance, 0–1, comparable between queries: the best of an answer is the estimated probability that
    /// the vault answers the query. Without vectors the best is about 1. 0 if the query only filters.
    pub score: f64,
    /// Estimated probability that the note answers the query, 0–1, comparable between queries. Absent if
    /// the query only filters, for notes found by a link, and where no vectors were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whether the note hardly answers the query.
    pub weak: bool,
    /// How the note was found; `meaning` is a weak match without any word of the query. Absent if
    /// the query only filters or if too many notes matched to examine all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_by: Option<FoundBy>,
    /// Best matching excerpt of the text, on one line.
    pub snippet: String,
    /// Byte ranges of the searched words in the snippet, for highlighting.
    #[serde(skip)]
    pub matches: Vec<Range<usize>>,
    /// Byte ranges of the searched words in the title, for highlighting.
    #[serde(skip)]
    pub title_matches: Vec<Range<usize>>,
    /// Line of the file on which most of the searched words are, from 1; absent if the file is
    /// gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Tags from the frontmatter and the body, without `#`.
    pub tags: Vec<String>,
    /// `draft`, `unverified` or `retired`; absent if the note is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Category, such as `gotcha`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Priority; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Person who wrote the note; absent if it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Time of the last change according to the note's frontmatter.
    pub updated: Option<Instant>,
    /// Session that the note is from, if hits are grouped and the note names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Number of examined hits from the same session; only if hits are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_hits: Option<usize>,
    /// Time at which the note was created; only if hits are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Instant>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
    /// Components of the score, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<HitScore>,
    /// Id of the linked hit that added most to the score, if score components were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_by: Option<String>,
}

/// Matching notes, best first; spread over sessions, in order of time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// Query, with the other options as fields.
    pub query: String,
    /// Commit whose notes were searched; absent for the current state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// Whether any note fits the query well; false if all are weak or there is none. Null without vectors, for
    /// notes that were found by another spelling, and if the query only filters.
    pub answered: Option<bool>,
    /// Hits of this page.
    pub hits: Vec<SearchHit>,
    /// Number of notes that contain the words, plus the examined notes that are similar or related;
    /// if hits are grouped, the number of examined sessions or hits.
    pub total: usize,
    /// Problems with the query, and how it was interpreted.
    pub notices: Vec<String>,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Searches all open vaults.
///
/// # Errors
/// Returns an error if the query is empty or too long, if a date is invalid, if the commit is not
/// found, or if an index can be neither used nor rebuilt.
pub fn search(context: &Context, options: &Options) -> Result<SearchResult> {
    context.at_time(options.as_of.as_deref(), |context| {
        let mut searched = answer(context, options)?;
        if searched.total == 0
            && options.stages.words
            && let Some(spelled) = with_other_spellings(&options.query)
        {
            let by_words = Options { query: spelled, stages: RankingStages::WORDS, ..options.clone() };
            let similar = answer(context, &by_words)?;
            if similar.total > 0 {
                let query = searched.query;
                searched = SearchResult { query, ..similar };
                let notice = "no note has these words; shown are notes with words that differ in one letter";
                searched.notices.push(notice.to_owned());
            }
        }
        count_retrievals(context, &searched);
        Ok(searched)
    })
}

/// Minimum number of letters of a word that may be a misspelt other one.
const MIN_MISSPELT_LETTERS: usize = 5;

/// Returns a query for words that differ in one letter from the long ones of `query`; `None` if it has
/// anything but words, or only short ones.
fn with_other_spellings(query: &str) -> Option<String> {
    let is_plain = query.chars().all(|c| c.is_alphanumeric() || c == ' ');
    let long = query.split_whitespace().filter(|word| word.chars().count() >= MIN_MISSPELT_LETTERS);
    let spelled: Vec<String> = long.map(|word| format!("{word}~1")).collect();
    (is_plain && !spelled.is_empty()).then(|| spelled.join(" "))
}

/// Adds the hits of this page to the retrieval counters.
fn count_retrievals(context: &Context, searched: &SearchResult) {
    for open in &context.vaults {
        let shown = searched.hits.iter().filter(|hit| hit.vault == open.level);
        let keys: Vec<&str> = shown.map(|hit| hit.id.as_str()).collect();
        context.count_retrieved(open, &keys);
    }
}

fn answer(context: &Context, options: &Options) -> Result<SearchResult> {
    let text = query_text::with_fields(options, context.now())?;
    check_query(&text, "cm search \"connection pool\" type:fix")?;
    check_offset(options.offset, "results", "narrow the search with a field")?;
    let mut query = Query::parse(&text, context.now());
    let limit =
        options.limit.unwrap_or_else(|| context.target().settings.integer(keys::SEARCH_LIMIT)).clamp(1, 1000);
    let hit_limit = limit.saturating_add(options.offset);
    let retrieved = if options.group.is_some() { examined(hit_limit) } else { hit_limit };
    let meaning = query.semantic_text();
    let (found, total, confidence) = if query.ranks() {
        let question = Retrieval {
            query: &query,
            meaning: &meaning,
            stages: options.stages,
            by_meaning: SemanticThreshold::Relative,
            is_task: false,
        };
        let RetrievalResult { ranked, total, confidence } = context.retrieve(question, retrieved)?;
        (ranked, total, confidence)
    } else {
        let (found, total) = selected(context, &query, retrieved)?;
        (found, total, None)
    };
    let answered = match total {
        0 => Some(false),
        _ => confidence.map(|confidence| !confidence.is_weak()),
    };
    let scale = scale(&found, confidence);
    let mut snippets = NoteSnippets::of(&query);
    let mut hit = |ranked| to_hit(ranked, scale, &mut snippets, options.explain);
    let (hits, total): (Vec<SearchHit>, usize) = match options.group {
        Some(grouping) => {
            let GroupedHits { hits, total } = grouped(found, grouping, options.offset, limit);
            (hits.into_iter().map(|(ranked, size)| of_session(ranked, size, &mut hit)).collect(), total)
        }
        None => (found.into_iter().skip(options.offset).take(limit).map(hit).collect(), total),
    };
    let next = next_search_offset(options.offset, hits.len(), total);
    let as_of = context.read_at();
    let mut notices = std::mem::take(&mut query.notices);
    if total == 0 || answered == Some(false) {
        notices.extend(unknown_names(context, &text, &query, &notices)?);
    }
    Ok(SearchResult { query: text, as_of, answered, hits, total, notices, next })
}

/// Names the types and fields of a query that do not exist.
fn unknown_names(context: &Context, text: &str, query: &Query, notices: &[String]) -> Result<Vec<String>> {
    let mut unknown = Vec::new();
    for typed in query.types() {
        unknown.extend(unknown_type(context, typed)?);
    }
    let fields = unknown_fields(text).into_iter();
    // Of a misspelled field, the query itself says so.
    let fields = fields.filter(|name| !notices.iter().any(|notice| notice.contains(&format!("`{name}:`"))));
    unknown.extend(fields.map(|name| {
        let names: Vec<&str> = field_names().collect();
        format!(
            "`{name}:` is not a field and was searched as text; `[{name}:VALUE]` selects a frontmatter key; fields are {}",
            names.join(", ")
        )
    }));
    unknown.extend(selected_keys(text).into_iter().map(|key| {
        format!("`[{key}:…]` selects notes by their key `{key}`; in quotes, it is searched as text")
    }));
    Ok(unknown)
}

/// Returns the notes of all vaults that match a query without words, newest first within each
/// vault, and their total number.
fn selected<'m>(context: &'m Context, query: &Query, wanted: usize) -> Result<(Vec<RankedNote<'m>>, usize)> {
    let mut total = 0;
    let mut found = Vec::new();
    for open in &context.vaults {
        context.ensure_fresh(open)?;
        let own = found.len();
        let mut hit_limit = wanted;
        loop {
            let answer = context.query_index(open, |index| index.search(query, 0, hit_limit))?;
            let exhausted = answer.hits.len() == answer.total || answer.hits.len() < hit_limit;
            let (hidden, hits): (Vec<_>, Vec<_>) =
                answer.hits.into_iter().partition(|hit| context.is_hidden(open, &hit.note));
            if exhausted || hits.len() >= wanted {
                total += answer.total - hidden.len();
                found.extend(hits.into_iter().map(|hit| RankedNote::unranked(open, hit.note)));
                break;
            }
            hit_limit = hit_limit.saturating_mul(2);
        }
        found.truncate(own + wanted);
    }
    Ok((found, total))
}

/// Returns the factor that makes the best score the confidence, or without one at most 1.
fn scale(found: &[RankedNote<'_>], confidence: Option<Confidence>) -> f64 {
    let best = found.first().map_or(0.0, |ranked| ranked.score);
    confidence.filter(|_| best > 0.0).map_or(1.0 / best.max(1.0), |confidence| confidence.value() / best)
}

/// Converts a hit of a session with this number of hits.
fn of_session<'m>(
    ranked: RankedNote<'m>,
    size: usize,
    hit: &mut impl FnMut(RankedNote<'m>) -> SearchHit,
) -> SearchHit {
    let (session, created) = (ranked.note.session.clone(), ranked.note.created);
    SearchHit { session, created, session_hits: Some(size), ..hit(ranked) }
}

fn to_hit(ranked: RankedNote<'_>, scale: f64, snippets: &mut NoteSnippets, explain: bool) -> SearchHit {
    let RankedNote { open, note, score, parts, confidence, passage, raised_by: drawn_by, found_by, .. } =
        ranked;
    // The file may be gone where the index was not refreshed; the hit is then shown without its text.
    let Excerpt { text: snippet, matches, line } = snippets.excerpt(open, &note, passage);
    let title_matches = snippets.matches(&note.title);
    SearchHit {
        id: note.key().to_owned(),
        kind: note.kind,
        score: rounded(score * scale),
        confidence: confidence.map(|confidence| rounded(confidence.value())),
        weak: confidence.is_some_and(Confidence::is_weak),
        found_by,
        snippet,
        matches,
        title_matches,
        line,
        updated: note.updated.or(note.created),
        note_type: note.note_type,
        title: note.title,
        path: note.path.into(),
        tags: note.tags,
        state: note.state.filter(|state| state != BulletState::Active.name()),
        category: note.category,
        priority: note.priority,
        author: note.author,
        session: None,
        session_hits: None,
        created: None,
        vault: open.level,
        parts: explain.then(|| HitScore { scale, ..parts }.rounded()),
        drawn_by: drawn_by.filter(|_| explain),
    }
}
