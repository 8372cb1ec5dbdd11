//! Collects evidence for and against a rule from past sessions, and derives a verdict without a
//! model.

use std::collections::{BTreeMap, BTreeSet};

use crate::content_words::content_words;
use crate::prose::{MessageAuthor, cut, sentences};
use crate::recurring::support::Occurrence;
use cm_playbook::conflict::{RuleStatement, opposition};
use cm_playbook::curation::history::{GateDecision, SessionCounts, SessionQuote};
use cm_session::status::SessionStatus;
use cm_text::plural::count;

/// A passage of a past session that contains the keywords of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleHit {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Line in the log, from 1.
    pub line: Option<u64>,
    /// Outcome of the session.
    pub status: SessionStatus,
    pub age_days: f64,
    /// Whether the user wrote the passage.
    pub by_person: bool,
    pub text: String,
}

/// What past sessions say about a rule; decides its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleVerdict {
    /// The sessions support the rule, so it becomes active.
    Accept,
    /// The sessions do not decide; the rule remains a draft for a person or a model.
    Refine,
    /// The rule failed too often in the sessions.
    Reject,
}

/// Verdict of past sessions on a rule, with evidence and reasons.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleValidation {
    pub verdict: RuleVerdict,
    /// Level of support that the session counts give.
    pub gate: GateDecision,
    /// Numbers of sessions, with at most [`MAX_EVIDENCE_QUOTES`] quotes.
    pub evidence: SessionCounts,
    /// Reasons for the verdict, one sentence each.
    pub reasons: Vec<String>,
}

/// Default maximum age of sessions that count as evidence, in days.
pub const DEFAULT_EVIDENCE_DAYS: f64 = 90.0;
/// Maximum number of quotes from sessions.
pub const MAX_EVIDENCE_QUOTES: usize = 5;
/// Minimum share of a rule's content words that a text must contain to be about the rule, 0–1.
const MIN_RULE_WORD_SHARE: f64 = 0.5;

/// Returns the words of a rule by which past sessions are searched: at most eight content words,
/// longest first.
pub fn keywords(rule: &str) -> Vec<String> {
    let mut words: Vec<String> = content_words(rule).into_iter().collect();
    words.sort_by(|a, b| b.chars().count().cmp(&a.chars().count()).then(a.cmp(b)));
    words.truncate(8);
    words
}

/// Returns how many of this number of keywords a text must contain to be about the rule.
pub fn min_keywords(keywords: usize) -> usize {
    let share = (keywords as f64 * MIN_RULE_WORD_SHARE).ceil() as usize;
    share.max(keywords.min(2))
}

/// Judges a rule by the passages of the last [`DEFAULT_EVIDENCE_DAYS`] days; see [`validate_within`].
pub fn validate(rule: &str, found: &[RuleHit]) -> RuleValidation {
    validate_within(rule, found, DEFAULT_EVIDENCE_DAYS)
}

/// Judges a rule by passages of the last `days` days. Each session counts once, and against the
/// rule if it failed or if the user stated the opposite in it.
pub fn validate_within(rule: &str, found: &[RuleHit], days: f64) -> RuleValidation {
    validate_with_runs(rule, found, &[], days)
}

/// Like [`validate_within`]. The sessions of `runs`, which succeeded and ran a command that the rule
/// demands, are successes unless a passage of them counts already.
pub fn validate_with_runs(rule: &str, found: &[RuleHit], runs: &[Occurrence], days: f64) -> RuleValidation {
    let words = content_words(rule);
    let own = RuleStatement::of(rule);
    let mut sessions: BTreeMap<&str, Vec<&RuleHit>> = BTreeMap::new();
    for place in found.iter().filter(|place| place.age_days <= days && mentions(&words, &place.text)) {
        sessions.entry(&place.session).or_default().push(place);
    }
    let mut evidence = SessionCounts { sessions: sessions.len(), ..SessionCounts::default() };
    let mut against = 0;
    for places in sessions.values() {
        let opposed = places.iter().any(|place| place.by_person && opposes(&own, &words, &place.text));
        against += usize::from(opposed);
        match places[0].status {
            _ if opposed => evidence.failures += 1,
            SessionStatus::Success => evidence.successes += 1,
            SessionStatus::Failure => evidence.failures += 1,
            SessionStatus::Partial | SessionStatus::Mixed | SessionStatus::Unknown => {}
        }
        let quoted = places.iter().find(|place| place.by_person).unwrap_or(&places[0]);
        if evidence.quotes.len() < MAX_EVIDENCE_QUOTES {
            let (session, agent) = (quoted.session.clone(), quoted.agent.clone());
            let ended = if opposed { SessionStatus::Failure } else { quoted.status };
            let text = cut(quoted.text.trim(), 200);
            evidence.quotes.push(SessionQuote { session, agent, line: quoted.line, ended, text });
        }
    }
    for run in runs.iter().filter(|run| !sessions.contains_key(run.session.as_str())) {
        evidence.sessions += 1;
        evidence.successes += 1;
        if evidence.quotes.len() < MAX_EVIDENCE_QUOTES {
            evidence.quotes.push(run.session_quote());
        }
    }
    let gate = GateDecision::of(&evidence);
    let verdict = match gate {
        GateDecision::Certain | GateDecision::Active => RuleVerdict::Accept,
        GateDecision::Draft => RuleVerdict::Refine,
        GateDecision::Refused => RuleVerdict::Reject,
    };
    let reasons = reasons(&evidence, against, days);
    RuleValidation { verdict, gate, evidence, reasons }
}

/// Returns `true` if a text about the rule contains a sentence that states the opposite.
fn opposes(rule: &RuleStatement, words: &BTreeSet<String>, text: &str) -> bool {
    sentences(text, MessageAuthor::Person).iter().any(|sentence| {
        mentions(words, &sentence.text) && opposition(rule, &RuleStatement::of(&sentence.text)).is_some()
    })
}

fn mentions(words: &BTreeSet<String>, text: &str) -> bool {
    let common = words.intersection(&content_words(text)).count();
    !words.is_empty()
        && common as f64 >= (words.len() as f64 * MIN_RULE_WORD_SHARE).max(2.0_f64.min(words.len() as f64))
}

fn reasons(evidence: &SessionCounts, against: usize, days: f64) -> Vec<String> {
    let SessionCounts { sessions, successes, failures, .. } = *evidence;
    let count = |number: usize| count(number, "session");
    let mut reasons = match sessions {
        0 => vec![format!("no session of the last {days} days mentions it")],
        _ => vec![format!(
            "{} of the last {days} days mention it: {successes} succeeded, {failures} speak against it",
            count(sessions)
        )],
    };
    if against > 0 {
        reasons.push(format!("the user said the opposite in {}", count(against)));
    }
    if sessions == 1 {
        reasons.push("one session is not enough to decide".to_owned());
    }
    let open = sessions.saturating_sub(successes + failures);
    if open > 0 {
        reasons.push(format!("the result of {} is unknown or mixed", count(open)));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "Use pnpm instead of npm to install packages.";

    fn found(session: &str, status: SessionStatus, text: &str) -> RuleHit {
        RuleHit {
            session: session.into(),
            agent: None,
            line: Some(3),
            status,
            age_days: 1.0,
            by_person: true,
            text: text.into(),
        }
    }

    fn judged(statuses: &[SessionStatus]) -> RuleValidation {
        let places: Vec<RuleHit> = (0..)
            .zip(statuses)
            .map(|(n, status): (usize, _)| found(&n.to_string(), *status, "install packages with pnpm"))
            .collect();
        validate(RULE, &places)
    }

    #[test]
    fn the_counts_decide() {
        use SessionStatus::{Failure, Mixed, Success};
        assert_eq!(judged(&[]).verdict, RuleVerdict::Refine);
        assert_eq!(judged(&[Success]).verdict, RuleVerdict::Refine);
        assert_eq!(judged(&[Success; 3]).verdict, RuleVerdict::Accept);
        assert_eq!(judged(&[Success; 5]).gate, GateDecision::Certain);
        assert_eq!(judged(&[Failure, Failure, Success]).verdict, RuleVerdict::Reject);
        assert_eq!(judged(&[Success, Success, Success, Failure]).verdict, RuleVerdict::Refine);
        assert_eq!(judged(&[Mixed, Mixed, Mixed]).verdict, RuleVerdict::Refine);
        assert_eq!(judged(&[Success; 9]).evidence.quotes.len(), MAX_EVIDENCE_QUOTES);
    }

    #[test]
    fn a_session_counts_once_and_neither_when_it_is_old_nor_when_it_speaks_of_something_else() {
        let same = vec![found("a", SessionStatus::Success, "install packages with pnpm"); 4];
        assert_eq!(validate(RULE, &same).evidence.sessions, 1);
        let old =
            RuleHit { age_days: 91.0, ..found("b", SessionStatus::Success, "install packages with pnpm") };
        let other = found("c", SessionStatus::Success, "install the app");
        assert_eq!(validate(RULE, &[old, other]).evidence.sessions, 0);
    }

    #[test]
    fn the_persons_opposite_word_counts_against_a_rule_in_a_session_that_ended_well() {
        let against = found("a", SessionStatus::Success, "Never use pnpm to install packages.");
        let judged = validate("Always use pnpm to install packages.", &[against]);
        assert_eq!((judged.evidence.successes, judged.evidence.failures), (0, 1));
        assert!(judged.reasons.iter().any(|reason| reason.contains("opposite")), "{judged:?}");
        let aside = "Please always use pnpm to install packages. Never touch the lock file.";
        let aside = found("a", SessionStatus::Success, aside);
        assert_eq!(validate("Always use pnpm to install packages.", &[aside]).evidence.failures, 0);
    }
}
