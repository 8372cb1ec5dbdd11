//! Searches the text of sessions.

use schemars::JsonSchema;
use serde::Serialize;

use super::cass::{ExternalHit, outside};
use super::list::{filter, lookback};
use super::session_row::{SessionInfo, speaker};
use super::vectors::SessionVectors;
use super::{SessionAccess, SessionSelection};
use crate::context::open::Context;
use crate::context::retrieve::rounded;
use crate::error::Result;
use crate::paging::{check_offset, check_query, next_search_offset};
use cm_index::sessions::{ConversationHit as Match, SessionSearchRequest, Speaker, Stretch, Weights};
use cm_learn::reflect::evidence::keywords;
use cm_note::instant::Instant;
use cm_note::query::Query;

/// Maximum number of excerpts shown per session.
const MAX_EXCERPTS: usize = 3;

/// Parts of a session that are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchScope {
    /// What the person and agents said.
    #[default]
    Said,
    /// What tools were called with and printed: commands, files, output.
    Tools,
    /// Both.
    All,
}

impl SearchScope {
    fn weights(self) -> Weights {
        let weights = Weights::default();
        match self {
            Self::Said => weights,
            Self::Tools => Weights { person: 0.0, agent: 0.0, tool: 1.0 },
            Self::All => Weights { tool: weights.agent, ..weights },
        }
    }

    fn contains(self, speaker: Option<Speaker>) -> bool {
        match self {
            Self::Said => speaker != Some(Speaker::Tool),
            Self::Tools => speaker == Some(Speaker::Tool),
            Self::All => true,
        }
    }
}

/// Query, filter and page of a search.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Query in the query language.
    pub query: String,
    /// Filter for sessions; if it sets no number of days, sessions of any age are searched.
    pub which: SessionSelection,
    /// What is searched.
    pub within: SearchScope,
    /// Maximum number of sessions.
    pub limit: usize,
    /// Number of sessions to skip: the `next` of an earlier answer.
    pub offset: usize,
}

/// An excerpt of a session that matches the query.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionMatch {
    /// Line number in the log, from 1.
    pub line: u64,
    /// Time of the matching message; null if the log has none.
    pub at: Option<Instant>,
    /// Author of the matching message: `person`, `agent` or `tool`.
    pub speaker: Option<String>,
    /// Excerpt around the match.
    pub snippet: String,
}

/// A matching session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionHit {
    /// Id, agent, times and other metadata of the session.
    #[serde(flatten)]
    pub info: SessionInfo,
    /// Score by words and meaning; comparable only within one answer. 0 if the query only filters.
    pub score: f64,
    /// The best excerpt and up to two others.
    pub places: Vec<SessionMatch>,
    /// Numbers of the first lines of the log that match, from 1.
    pub lines: Vec<u64>,
    /// Ids of forks of this session that match as well.
    pub forks: Vec<String>,
}

/// Matching sessions, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionSearchResult {
    /// Query as it was given.
    pub query: String,
    /// Sessions of this page.
    pub hits: Vec<SessionHit>,
    /// Number of matching sessions on all pages; a session and its forks count as one.
    pub total: usize,
    /// Hits of the external program `cass`, if it is enabled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<ExternalHit>,
    /// Problems with the query and explanations of its interpretation.
    pub notices: Vec<String>,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Checks the query and the offset before any log is read.
///
/// # Errors
/// Returns an error if the query is empty or too long, or if the offset is too large.
pub fn check(options: &Options) -> Result<()> {
    check_query(&options.query, "cm sessions search \"connection pool\"")?;
    check_offset(options.offset, "sessions", "narrow the search")
}

/// Searches the text of sessions by words and meaning. Text of the user weighs most, that of agents
/// less; calls of tools and their output are only searched on request, by words.
///
/// # Errors
/// Returns an error if the query, an agent name or the number of days is invalid, or if the session
/// index cannot be read.
pub fn search(context: &Context, access: &SessionAccess, options: &Options) -> Result<SessionSearchResult> {
    check(options)?;
    let query = Query::parse(&options.query, context.now());
    let days = match options.which.days {
        Some(_) => lookback(context, &options.which)?,
        None => None,
    };
    let filter = filter(context, &options.which, days)?;
    let weights = options.within.weights();
    let (offset, limit) = (options.offset, options.limit.max(1));
    let text = query.semantic_text();
    // One word is looked up, several describe what was talked about.
    let has_subject = options.within != SearchScope::Tools && keywords(&text).len() > 1;
    let meaning = SessionVectors::open(context).filter(|_| has_subject);
    let meaning = meaning.and_then(|vectors| vectors.compare(&text));
    let request = SessionSearchRequest {
        query: &query,
        filter: &filter,
        weights,
        meaning: meaning.as_ref(),
        offset,
        limit,
    };
    let found = access.query(|sessions| sessions.search(request))?.unwrap_or_default();
    let hits = found.hits.into_iter().map(|hit| access.hit(hit, &query, options.within));
    let hits = hits.collect::<Result<Vec<SessionHit>>>()?;
    let next = next_search_offset(offset, hits.len(), found.total);
    let mut elsewhere = match offset {
        0 => outside(context, options, filter.since)?,
        _ => Vec::new(),
    };
    // A log that both programs know is listed once.
    elsewhere.retain(|other| other.log.is_none() || hits.iter().all(|hit| hit.info.log != other.log));
    let (query, notices) = (options.query.clone(), query.notices);
    Ok(SessionSearchResult { query, hits, total: found.total, elsewhere, notices, next })
}

impl SessionAccess {
    fn hit(&self, found: Match, query: &Query, within: SearchScope) -> Result<SessionHit> {
        let key = found.session.key();
        let mut snippets = cm_index::Snippets::of(query);
        let mut places = vec![spot(&found.best, found.snippet)];
        for line in found.lines.iter().filter(|line| **line != found.best.line) {
            if places.len() >= MAX_EXCERPTS {
                break;
            }
            let stretches = self.query(|sessions| sessions.stretches(&key, *line..=*line, 0, 50))?;
            let in_scope = stretches.into_iter().flatten().filter(|stretch| within.contains(stretch.speaker));
            let mut fits =
                |stretch: Stretch| snippets.best(&stretch.text, &[]).map(|snippet| spot(&stretch, snippet));
            places.extend(in_scope.filter_map(&mut fits).next());
        }
        Ok(SessionHit {
            info: self.info_of(&found.session)?,
            score: rounded(found.standing.map_or(f64::from(found.score), |it| it.score.max(0.0))),
            places,
            lines: found.lines,
            forks: found.forks.into_iter().map(|fork| fork.id.as_str().to_owned()).collect(),
        })
    }
}

fn spot(stretch: &Stretch, snippet: String) -> SessionMatch {
    SessionMatch { line: stretch.line, at: stretch.at, speaker: speaker(stretch.speaker), snippet }
}
