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
        let own = ranked.len();
        let mut asked = wanted;
        loop {
            let found = memory.ask(open, |index| index.search(&query, 0, asked))?;
            let exhausted = found.hits.len() == found.total || found.hits.len() < asked;
            let (hidden, hits): (Vec<_>, Vec<_>) =
                found.hits.into_iter().partition(|hit| is_hidden(memory, open, hit));
            if exhausted || hits.len() >= wanted {
                total += found.total - hidden.len();
                ranked.extend(hits.into_iter().map(|hit| (open, hit)));
                break;
            }
            asked = asked.saturating_mul(2);
        }
        ranked.truncate(own + wanted);
    }
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

/// Whether the note is one of the global vault whose id a note of the project has, which then counts instead.
pub(super) fn is_hidden(memory: &Memory, open: &OpenVault, hit: &TextHit) -> bool {
    let Some(id) = hit.note.id.as_ref().filter(|_| open.level == Level::Global) else { return false };
    memory.vaults.iter().filter(|other| other.level == Level::Project).any(|project| {
        project.index().lookup(id.as_str()).is_ok_and(|known| known.iter().any(|(other, _)| other == id))
    })
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
    let snippet =
        load(open, &note.path).map(|found| snippet(&found.text(), &note.title, query)).unwrap_or_default();
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

/// The place in the text that fits best, without the heading that only repeats the title.
pub(super) fn snippet(text: &str, title: &str, query: &Query) -> String {
    let split = crate::domain::frontmatter::split::Split::of(text);
    let outline = crate::domain::markdown::outline(split.body(), 1);
    let text = outline.text.trim_start();
    let rest = text.strip_prefix(title).filter(|rest| rest.starts_with('\n') && !rest.trim().is_empty());
    index::snippet(rest.unwrap_or(text).trim_start(), query)
}
