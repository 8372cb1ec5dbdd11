//! Finding notes by their words and fields.

use schemars::JsonSchema;
use serde::Serialize;

use super::error::{Error, Result};
use super::find::load;
use super::memory::{Level, Memory, OpenVault};
use crate::domain::instant::Instant;
use crate::domain::note::Kind;
use crate::domain::query::Query;
use crate::index::{self, Hit as TextHit};

/// What is searched, and how much of it is wanted.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The query, in the query language.
    pub query: String,
    /// Hits at most; the setting `search.limit` where nothing is said.
    pub limit: Option<usize>,
    /// Hits to leave out at the front: the `next` of an earlier answer.
    pub offset: usize,
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
    /// How well it fits, by BM25; comparable within one answer only.
    pub score: f64,
    /// The place in its text that fits best, on one line.
    pub snippet: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was last changed, as it says itself.
    pub updated: Option<Instant>,
    /// Which vault it is from.
    pub vault: Level,
}

/// The notes that fit, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// The query.
    pub query: String,
    /// The hits.
    pub hits: Vec<Hit>,
    /// How many notes fit in all.
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
/// An empty or overlong query, or an index that can neither be used nor rebuilt.
pub fn search(memory: &Memory, options: &Options) -> Result<Searched> {
    check(options)?;
    let query = Query::parse(&options.query, memory.now());
    let limit =
        options.limit.unwrap_or_else(|| memory.target().settings.whole("search.limit")).clamp(1, 1000);
    let wanted = limit.saturating_add(options.offset);
    let mut total = 0;
    let mut ranked: Vec<(&OpenVault, TextHit)> = Vec::new();
    for open in &memory.vaults {
        memory.freshen(open)?;
        let hits = memory.ask(open, |index| index.search(&query, 0, wanted))?;
        total += hits.total;
        ranked.extend(hits.hits.into_iter().map(|hit| (open, hit)));
    }
    let twice = |at: usize| {
        let (open, hit) = &ranked[at];
        open.level == Level::Global
            && ranked.iter().any(|(other, own)| {
                other.level == Level::Project && own.note.id.is_some() && own.note.id == hit.note.id
            })
    };
    let dropped: Vec<bool> = (0..ranked.len()).map(twice).collect();
    total -= dropped.iter().filter(|dropped| **dropped).count();
    let mut kept = dropped.into_iter();
    ranked.retain(|_| !kept.next().unwrap_or(false));
    if memory.vaults.len() > 1 {
        ranked.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    }
    let hits: Vec<Hit> = ranked
        .into_iter()
        .skip(options.offset)
        .take(limit)
        .map(|(open, hit)| shown(open, hit, &query))
        .collect();
    let end = options.offset + hits.len();
    let next = (end < total && !hits.is_empty() && end < FURTHEST).then_some(end);
    Ok(Searched { query: options.query.clone(), hits, total, notices: query.notices, next })
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

fn shown(open: &OpenVault, hit: TextHit, query: &Query) -> Hit {
    let note = hit.note;
    // The file may be gone where the index was not refreshed; the hit is then shown without its text.
    let snippet = load(open, &note.path).map(|found| snippet(&found.text(), query)).unwrap_or_default();
    Hit {
        id: note.key().to_owned(),
        kind: note.kind,
        score: f64::from(hit.score),
        snippet,
        updated: note.updated.or(note.created),
        note_type: note.note_type,
        title: note.title,
        path: note.path.into(),
        tags: note.tags,
        vault: open.level,
    }
}

fn snippet(text: &str, query: &Query) -> String {
    let split = crate::domain::frontmatter::split::Split::of(text);
    let outline = crate::domain::markdown::outline(split.body(), 1);
    index::snippet(&outline.text, query)
}
