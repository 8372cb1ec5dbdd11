//! Groups the hits of a search by the session that they are from.

use std::collections::HashMap;

use crate::context::retrieve::RankedNote;
use cm_note::note::session_key::{SessionKey, order_in_time};
use cm_note::rank::spread::over_sessions;

/// How hits are grouped by session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionGrouping {
    /// The best hit of each session, best first.
    Best,
    /// Hits of several sessions, in order of time; a session with many hits leaves room for others.
    Spread,
}

/// Hits of one page, each with the number of hits of its session, and the number of hits on all pages.
pub(super) struct GroupedHits<'m> {
    pub hits: Vec<(RankedNote<'m>, usize)>,
    pub total: usize,
}

/// Minimum number of hits that are examined.
const MIN_EXAMINED_HITS: usize = 200;
/// Number of hits to examine per hit that is shown.
const PER_HIT: usize = 10;

/// Number of hits to retrieve in order to show the first `wanted` after grouping.
pub(super) fn examined(wanted: usize) -> usize {
    wanted.saturating_mul(PER_HIT).clamp(MIN_EXAMINED_HITS, MIN_EXAMINED_HITS * PER_HIT)
}

/// Groups hits, best first, and returns the page of `limit` from `offset`.
pub(super) fn grouped(
    found: Vec<RankedNote<'_>>,
    grouping: SessionGrouping,
    offset: usize,
    limit: usize,
) -> GroupedHits<'_> {
    let keys: Vec<SessionKey> = found.iter().map(|hit| SessionKey::of(&hit.note)).collect();
    let mut sizes: HashMap<&SessionKey, usize> = HashMap::new();
    keys.iter().for_each(|key| *sizes.entry(key).or_default() += 1);
    let chosen: Vec<usize> = match grouping {
        SessionGrouping::Best => {
            let is_first = |at: &usize| !keys[..*at].contains(&keys[*at]);
            (0..keys.len()).filter(is_first).collect()
        }
        SessionGrouping::Spread => {
            let scored: Vec<(&SessionKey, f64)> =
                keys.iter().zip(found.iter().map(|hit| hit.score)).collect();
            over_sessions(&scored, offset.saturating_add(limit), limit.div_ceil(2))
        }
    };
    let total = if grouping == SessionGrouping::Best { chosen.len() } else { found.len() };
    let mut notes: Vec<Option<RankedNote<'_>>> = found.into_iter().map(Some).collect();
    let page = chosen.into_iter().skip(offset).take(limit);
    let mut hits: Vec<(RankedNote<'_>, usize)> =
        page.filter_map(|at| Some((notes[at].take()?, sizes[&keys[at]]))).collect();
    if grouping == SessionGrouping::Spread {
        hits.sort_by_key(|(ranked, _)| order_in_time(&ranked.note));
    }
    GroupedHits { hits, total }
}
