//! Finding notes by their words and fields.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::memory::{Level, Memory};
use super::past::AsOf;
use super::retrieve::{ByMeaning, FoundBy, Parts, Question, Ranked, Retrieved, Stages};
use super::snippet::Snippets;
use cm_note::instant::Instant;
use cm_note::note::Kind;
use cm_note::query::Query;

/// What is searched, and how much of it is wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The query, in the query language.
    pub query: String,
    /// Hits at most; the setting `search.limit` where nothing is said.
    pub limit: Option<usize>,
    /// Hits to leave out at the front: the `next` of an earlier answer.
    pub offset: usize,
    /// The stages of ranking.
    pub stages: Stages,
    /// Whether each hit tells what its score is made of.
    pub explain: bool,
    /// A commit or a date: the answer is of then.
    pub as_of: Option<String>,
}

/// A note that fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hit {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// How well it answers, about 0–1; comparable within one answer only. 0 where the query only selects.
    pub score: f64,
    /// By what it was found: `meaning` is a weak answer, without any word of the query. Absent where the query only
    /// selects, and where so many notes have its words that not all were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_by: Option<FoundBy>,
    /// The place in its text that fits best, on one line.
    pub snippet: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// `draft`, `unverified` or `retired`, where it is not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// When it was last changed, as it says itself.
    pub updated: Option<Instant>,
    /// Which vault it is from.
    pub vault: Level,
    /// What the score is made of, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// The hit that it hangs together with and that added most to its score, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_by: Option<String>,
}

/// The notes that fit, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// The query.
    pub query: String,
    /// The commit that the answer is from; absent where it is from the vault as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// The hits.
    pub hits: Vec<Hit>,
    /// How many notes have its words, or, as far as was looked, are near to what it means or hang together with those.
    pub total: usize,
    /// What was wrong with the query and how it was read instead.
    pub notices: Vec<String>,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// The longest query, in characters.
const LONGEST: usize = 2_000;
/// The furthest page that is answered.
const FURTHEST: usize = 10_000;

/// Searches all open vaults.
///
/// # Errors
/// An empty or overlong query, no such commit or date to answer from, or an index that can neither be used nor rebuilt.
pub fn search(memory: &Memory, options: &Options) -> Result<Searched> {
    check(options)?;
    match &options.as_of {
        Some(named) => answer(&memory.as_of(named)?, options),
        None => {
            let searched = answer(memory, options)?;
            count_retrievals(memory, &searched);
            Ok(searched)
        }
    }
}

/// Counts that these notes were shown, and nothing else.
fn count_retrievals(memory: &Memory, searched: &Searched) {
    for open in &memory.vaults {
        let shown = searched.hits.iter().filter(|hit| hit.vault == open.level);
        let keys: Vec<&str> = shown.map(|hit| hit.id.as_str()).collect();
        // A vault on a read-only disk can still be read from.
        let _ = open.usage().retrieved(&keys, memory.now());
    }
}

fn answer(memory: &Memory, options: &Options) -> Result<Searched> {
    let query = Query::parse(&options.query, memory.now());
    let limit =
        options.limit.unwrap_or_else(|| memory.target().settings.whole("search.limit")).clamp(1, 1000);
    let wanted = limit.saturating_add(options.offset);
    let meaning = query.question();
    let (found, total) = if query.ranks() {
        let question = Question {
            query: &query,
            meaning: &meaning,
            stages: options.stages,
            by_meaning: ByMeaning::Relative,
        };
        let Retrieved { ranked, total } = memory.retrieve(question, wanted)?;
        (ranked, total)
    } else {
        selected(memory, &query, wanted)?
    };
    let mut snippets = Snippets::of(&query);
    let hits: Vec<Hit> = found
        .into_iter()
        .skip(options.offset)
        .take(limit)
        .map(|ranked| shown(ranked, &mut snippets, options.explain))
        .collect();
    let end = options.offset + hits.len();
    let next = (end < total && !hits.is_empty() && end < FURTHEST).then_some(end);
    let as_of = memory.read_at();
    Ok(Searched { query: options.query.clone(), as_of, hits, total, notices: query.notices, next })
}

/// The notes that a query selects without ranking them, of all vaults, the newest of each first.
fn selected<'m>(memory: &'m Memory, query: &Query, wanted: usize) -> Result<(Vec<Ranked<'m>>, usize)> {
    let mut total = 0;
    let mut found = Vec::new();
    for open in &memory.vaults {
        memory.freshen(open)?;
        let own = found.len();
        let mut asked = wanted;
        loop {
            let answer = memory.ask(open, |index| index.search(query, 0, asked))?;
            let exhausted = answer.hits.len() == answer.total || answer.hits.len() < asked;
            let (hidden, hits): (Vec<_>, Vec<_>) =
                answer.hits.into_iter().partition(|hit| memory.is_hidden(open, &hit.note));
            if exhausted || hits.len() >= wanted {
                total += answer.total - hidden.len();
                found.extend(hits.into_iter().map(|hit| Ranked::unranked(open, hit.note)));
                break;
            }
            asked = asked.saturating_mul(2);
        }
        found.truncate(own + wanted);
    }
    Ok((found, total))
}

fn check(options: &Options) -> Result<()> {
    let length = options.query.chars().count();
    if options.query.trim().is_empty() {
        return Err(
            Error::usage("a search needs words").hint("for example: cm search \"connection pool\" type:fix")
        );
    }
    if length > LONGEST {
        return Err(Error::usage(format!("a query has at most {LONGEST} characters, and this one {length}")));
    }
    if options.offset > FURTHEST {
        return Err(
            Error::usage(format!("pages end at {FURTHEST} hits")).hint("narrow the search by a field")
        );
    }
    Ok(())
}

fn shown(ranked: Ranked<'_>, snippets: &mut Snippets, explain: bool) -> Hit {
    let Ranked { open, note, score, parts, passage, drawn_by, found_by } = ranked;
    // The file may be gone where the index was not refreshed; the hit is then shown without its text.
    let snippet = snippets.of_note(open, &note, passage);
    Hit {
        id: note.key().to_owned(),
        kind: note.kind,
        score: rounded(score),
        found_by,
        snippet,
        updated: note.updated.or(note.created),
        note_type: note.note_type,
        title: note.title,
        path: note.path.into(),
        tags: note.tags,
        state: note.state.filter(|state| state != "active"),
        vault: open.level,
        parts: explain.then(|| parts.rounded()),
        drawn_by: drawn_by.filter(|_| explain),
    }
}

/// A score as it is told: four decimals.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
