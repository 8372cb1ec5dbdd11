//! Finding sessions by what was said in them.

use schemars::JsonSchema;
use serde::Serialize;

use super::list::{filter, lookback};
use super::outside::{Outside, outside};
use super::row::{Named, speaker};
use super::{Shelf, Which};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::search::rounded;
use cm_index::sessions::{Asked, Hit as Match, Speaker, Stretch, Weights};
use cm_note::instant::Instant;
use cm_note::query::Query;

/// The longest query, in characters.
const LONGEST: usize = 2_000;
/// The furthest page that is answered.
const FURTHEST: usize = 10_000;
/// How many places of a session are shown.
const MOST_PLACES: usize = 3;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The words, in the query language.
    pub query: String,
    /// In which sessions; in those of all times where no days are given.
    pub which: Which,
    /// Whether what tools said counts too.
    pub tools: bool,
    /// Sessions at most.
    pub limit: usize,
    /// Sessions to leave out at the front: the `next` of an earlier answer.
    pub offset: usize,
}

/// A place in a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Spot {
    /// The line of the log, from 1.
    pub line: u64,
    /// When it was said.
    pub at: Option<Instant>,
    /// Whose words: `person`, `agent` or `tool`.
    pub speaker: Option<String>,
    /// The words around what was looked for.
    pub snippet: String,
}

/// A session in which it was said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hit {
    /// The session.
    #[serde(flatten)]
    pub named: Named,
    /// How well its best place fits; comparable within one answer only. 0 where the query only selects.
    pub score: f64,
    /// The best place, and the first of the others.
    pub places: Vec<Spot>,
    /// The first lines of its log with a match.
    pub lines: Vec<u64>,
    /// Ids of sessions that are forks of this one, and match as well.
    pub forks: Vec<String>,
}

/// The sessions in which it was said, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Searched {
    /// The query.
    pub query: String,
    /// The sessions.
    pub hits: Vec<Hit>,
    /// How many sessions match, forks counted as one.
    pub total: usize,
    /// What another program found besides, where a person wants it asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Outside>,
    /// What was wrong with the query and how it was read instead.
    pub notices: Vec<String>,
    /// The offset of the next page, where there is more.
    pub next: Option<usize>,
}

/// Checks what is asked, before any log is read.
///
/// # Errors
/// No words, or too many.
pub fn check(options: &Options) -> Result<()> {
    if options.query.trim().is_empty() {
        return Err(
            Error::usage("a search needs words").hint("for example: cm sessions search \"connection pool\"")
        );
    }
    let length = options.query.chars().count();
    if length > LONGEST {
        return Err(Error::usage(format!("a query has at most {LONGEST} characters, and this one {length}")));
    }
    if options.offset > FURTHEST {
        return Err(Error::usage(format!("pages end at {FURTHEST} sessions")).hint("narrow the search"));
    }
    Ok(())
}

/// Searches what was said. The person's words count most, agents' less, tools' only where asked for.
///
/// # Errors
/// Those of [`check`], no such agent, and those of the index.
pub fn search(memory: &Memory, shelf: &Shelf, options: &Options) -> Result<Searched> {
    check(options)?;
    let query = Query::parse(&options.query, memory.now());
    let days = match options.which.days {
        Some(_) => lookback(memory, &options.which)?,
        None => None,
    };
    let filter = filter(memory, &options.which, days)?;
    let tool = if options.tools { 0.3 } else { 0.0 };
    let weights = Weights { tool, ..Weights::default() };
    let (offset, limit) = (options.offset, options.limit.max(1));
    let asked = Asked { query: &query, filter: &filter, weights, offset, limit };
    let found = shelf.ask(|sessions| sessions.search(asked))?.unwrap_or_default();
    let hits = found.hits.into_iter().map(|hit| shelf.hit(hit, &query, options.tools));
    let hits = hits.collect::<Result<Vec<Hit>>>()?;
    let end = offset + hits.len();
    let next = (end < found.total && !hits.is_empty() && end <= FURTHEST).then_some(end);
    let mut elsewhere = match offset {
        0 => outside(memory, options, filter.since)?,
        _ => Vec::new(),
    };
    // What a log tells that both of us know is told once.
    elsewhere.retain(|other| other.log.is_none() || hits.iter().all(|hit| hit.named.log != other.log));
    let (query, notices) = (options.query.clone(), query.notices);
    Ok(Searched { query, hits, total: found.total, elsewhere, notices, next })
}

impl Shelf {
    fn hit(&self, found: Match, query: &Query, tools: bool) -> Result<Hit> {
        let key = found.session.key();
        let mut snippets = cm_index::Snippets::of(query);
        let mut places = vec![spot(&found.best, found.snippet)];
        for line in found.lines.iter().filter(|line| **line != found.best.line) {
            if places.len() >= MOST_PLACES {
                break;
            }
            let said = self.ask(|sessions| sessions.stretches(&key, *line..=*line, 0, 50))?;
            let heard =
                said.into_iter().flatten().filter(|said| tools || said.speaker != Some(Speaker::Tool));
            let mut fits = |said: Stretch| snippets.best(&said.text).map(|snippet| spot(&said, snippet));
            places.extend(heard.filter_map(&mut fits).next());
        }
        Ok(Hit {
            named: self.named(&found.session)?,
            score: rounded(f64::from(found.score)),
            places,
            lines: found.lines,
            forks: found.forks.into_iter().map(|fork| fork.id.as_str().to_owned()).collect(),
        })
    }
}

fn spot(said: &Stretch, snippet: String) -> Spot {
    Spot { line: said.line, at: said.at, speaker: speaker(said.speaker), snippet }
}
