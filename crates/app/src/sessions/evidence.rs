//! Finds the past sessions that mention a rule, and how they ended.
//!
//! Answers come from the session index as it is; no log is read, so that curation stays fast.
//! Without an index there is no evidence.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt;

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::diaries::DiaryIndex;
use crate::sessions::recorded_outcomes::RecordedOutcomes;
use crate::sessions::{self, SessionAccess, sources};
use cm_agents::hook::injection_log::file_name;
use cm_index::sessions::{ConversationEvidence, SessionIndexFilter, SessionLookup, Speaker, Stretch};
use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::recurring::SessionTrace;
use cm_learn::recurring::named_command::{DemandedCommands, successful_runs};
use cm_learn::reflect::evidence::{RuleHit, RuleValidation, keywords, min_keywords, validate_with_runs};
use cm_note::bullet::Bullet;
use cm_note::bullet::content::fold_whitespace;
use cm_note::instant::Instant;
use cm_playbook::curation::history::{RuleEvidenceSource, SessionCounts};
use cm_session::status::SessionStatus;
use cm_store::config::keys;
use cm_store::vault::json_lines::JsonLinesFile;

/// Maximum number of conversations that are searched for a rule, best matches first.
const MAX_CONVERSATIONS: usize = 500;
/// Number of best conversations in which the user's own words are looked up if an agent's words
/// matched better.
const MAX_USER_SEARCHES: usize = 20;
/// Number of characters of a quote that are looked up.
const COMPARED_QUOTE_CHARS: usize = 40;
/// Maximum number of matching lines per conversation in which the user's words are looked up.
const MAX_LINES: usize = 3;

/// Searches the session index for evidence for and against rules.
pub(crate) struct SessionEvidence<'m> {
    context: &'m Context,
    sessions: SessionAccess,
    /// Maximum age of sessions in days.
    days: f64,
    /// Supplies outcomes of sessions that have no diary; `None` uses those that are recorded.
    ended: Option<OutcomeLookup<'m>>,
    /// Agent, id and outcome of a session that replace what its diary has.
    stated: Option<(&'m str, &'m str, SessionStatus)>,
    recorded: OnceCell<RecordedOutcomes>,
}

/// Returns the outcome of a session, given its agent and id; `None` if unknown.
pub(crate) type OutcomeLookup<'m> = &'m dyn Fn(&str, &str) -> Option<SessionStatus>;

impl fmt::Debug for SessionEvidence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionEvidence").field("days", &self.days).finish_non_exhaustive()
    }
}

impl<'m> SessionEvidence<'m> {
    /// Uses the session index without a refresh, limited to the last
    /// `sessions.validation_lookback_days` days.
    pub fn of(context: &'m Context) -> Self {
        let days = context.target().settings.number(keys::SESSIONS_VALIDATION_LOOKBACK_DAYS);
        let sessions = SessionAccess::open_without_refresh(context);
        Self { context, sessions, days, ended: None, stated: None, recorded: OnceCell::new() }
    }

    /// Uses this outcome of a session, given its agent and id, instead of the recorded one.
    pub fn with_stated_outcome(self, agent: &'m str, session: &'m str, status: SessionStatus) -> Self {
        Self { stated: Some((agent, session, status)), ..self }
    }

    /// Sets the source of outcomes for sessions that have no diary yet.
    pub fn with_outcomes(self, ended: OutcomeLookup<'m>) -> Self {
        Self { ended: Some(ended), ..self }
    }

    /// Searches past sessions for a rule and judges whether they support it.
    ///
    /// # Errors
    /// Returns an error if the session index or the diaries cannot be read.
    pub fn validation(&self, rule: &str) -> Result<RuleValidation> {
        self.validation_with_runs(rule, &[])
    }

    /// Like [`Self::validation`], for a rule that a person stated: the sessions of `traces` that
    /// succeeded and ran a command which the rule demands support it as well.
    ///
    /// # Errors
    /// Returns an error if the session index or the diaries cannot be read.
    pub fn validation_with_runs(&self, rule: &str, traces: &[&SessionTrace]) -> Result<RuleValidation> {
        let since = self.context.now().minus_days(self.days);
        let mut runs = successful_runs(rule, traces);
        runs.retain(|run| run.at.is_none_or(|at| at >= since));
        Ok(validate_with_runs(rule, &self.found(rule)?, &runs, self.days))
    }

    fn recorded(&self) -> &RecordedOutcomes {
        self.recorded.get_or_init(|| RecordedOutcomes::of(self.context, &self.sessions))
    }

    /// Returns the outcome of a session that has no diary; `None` if unknown.
    fn outcome(&self, agent: &str, session: &str) -> Option<SessionStatus> {
        match self.ended {
            Some(ended) => ended(agent, session),
            None => self.recorded().status(agent, session),
        }
    }

    /// Whether a quote of a draft is what a person typed at a prompt, according to the session index.
    pub fn is_typed(&self, quote: &str) -> bool {
        let Some(EvidenceQuote { author: StatementAuthor::Person, session, line: Some(line), text, .. }) =
            EvidenceQuote::parse(quote)
        else {
            return false;
        };
        let Ok(Some(SessionLookup::One(listed))) = self.sessions.query(|sessions| sessions.lookup(&session))
        else {
            return false;
        };
        let key = listed.session.key();
        let meta = &listed.session.meta;
        let typed = self.sessions.query(|sessions| sessions.stretches(&key, line..=line, 0, 20));
        let begins: String = fold_whitespace(&text).chars().take(COMPARED_QUOTE_CHARS).collect();
        let is_own = |stretch: &Stretch| {
            stretch.speaker == Some(Speaker::Person) && fold_whitespace(&stretch.text).contains(&begins)
        };
        !meta.subagent
            && !meta.headless
            && typed.ok().flatten().is_some_and(|stretches| stretches.iter().any(is_own))
    }

    fn found(&self, rule: &str) -> Result<Vec<RuleHit>> {
        let words = keywords(rule);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let since = Some(self.context.now().minus_days(self.days));
        let filter = SessionIndexFilter { since, without_subagents: true, ..SessionIndexFilter::default() };
        let evidence =
            self.sessions.query(|sessions| sessions.evidence(&words, min_keywords(words.len()), &filter))?;
        let mut witnesses = evidence.unwrap_or_default();
        witnesses.truncate(MAX_CONVERSATIONS);
        if witnesses.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<&str> = witnesses.iter().flat_map(sessions).map(|(_, id)| id).collect();
        let diaries = DiaryIndex::of(self.context, &ids)?;
        let mut found = Vec::new();
        for (at, witness) in witnesses.iter().enumerate() {
            // Forks are one conversation: the diary of any of them tells how it ended.
            let is_stated = |(agent, id): (&str, &str)| {
                self.stated
                    .filter(|(of, session, _)| (*of, *session) == (agent, id))
                    .map(|(.., status)| status)
            };
            let stated = sessions(witness).find_map(is_stated);
            let diary = || sessions(witness).find_map(|(agent, id)| diaries.get(Some(agent), id));
            let noted = || diary().map(|stored| stored.diary.verdict.status);
            let outcome = || sessions(witness).find_map(|(agent, id)| self.outcome(agent, id));
            let status = stated.or_else(noted).or_else(outcome).unwrap_or_default();
            let meta = &witness.session.meta;
            let place = |stretch: &Stretch| RuleHit {
                session: meta.id.to_string(),
                agent: Some(meta.agent.name().to_owned()),
                line: Some(stretch.line),
                status,
                age_days: stretch.at.or(meta.ended).map_or(0.0, |at| at.days_until(self.context.now())),
                by_person: stretch.speaker == Some(Speaker::Person) && !meta.subagent,
                text: stretch.text.clone(),
            };
            found.push(place(&witness.best));
            if at < MAX_USER_SEARCHES && witness.person > 0 && witness.best.speaker != Some(Speaker::Person) {
                found.extend(self.user_words(witness)?.iter().map(place));
            }
        }
        Ok(found)
    }

    /// Returns what the user said on the lines of a conversation that match the rule.
    fn user_words(&self, witness: &ConversationEvidence) -> Result<Vec<Stretch>> {
        let key = witness.session.key();
        let mut user_stretches = Vec::new();
        for line in witness.lines.iter().filter(|line| **line != witness.best.line).take(MAX_LINES) {
            let stretches = self.sessions.query(|sessions| sessions.stretches(&key, *line..=*line, 0, 20))?;
            let stretches = stretches.into_iter().flatten();
            user_stretches.extend(stretches.filter(|stretch| stretch.speaker == Some(Speaker::Person)));
        }
        Ok(user_stretches)
    }
}

/// Iterates over the best-matching session of a conversation and its forks, as (agent, id).
fn sessions(witness: &ConversationEvidence) -> impl Iterator<Item = (&'static str, &str)> {
    let meta = &witness.session.meta;
    let forks = witness.forks.iter().map(|fork| (fork.agent.name(), fork.id.as_str()));
    std::iter::once((meta.agent.name(), meta.id.as_str())).chain(forks)
}

impl RuleEvidenceSource for SessionEvidence<'_> {
    fn evidence(&self, rule: &str) -> SessionCounts {
        match self.validation(rule) {
            Ok(validation) => validation.evidence,
            Err(error) => {
                // What cannot be known leaves a rule a draft, and no curation fails for it.
                self.context.notice(format!("past sessions could not be searched: {}", error.message));
                SessionCounts::default()
            }
        }
    }

    fn evidence_of_draft(&self, draft: &Bullet) -> SessionCounts {
        let quotes = &draft.fields.derived_from.evidence;
        if !DemandedCommands::of(draft.content()).is_any() || !quotes.iter().any(|quote| self.is_typed(quote))
        {
            return self.evidence(draft.content());
        }
        let traces = self.recorded().traces_for(draft);
        let validation = self.validation_with_runs(draft.content(), &traces);
        validation.map_or_else(|_| self.evidence(draft.content()), |validation| validation.evidence)
    }

    fn has_seen(&self, session: &str) -> bool {
        let context = self.context;
        if sources::is_of_another_sender(context, session) {
            return false;
        }
        let found = self.sessions.query(|sessions| sessions.lookup(session)).ok().flatten();
        let indexed = match found.unwrap_or(SessionLookup::Nothing) {
            SessionLookup::Nothing => false,
            SessionLookup::One(listed) => listed.session.meta.id.as_str() == session,
            SessionLookup::Several(sessions) => sessions.iter().any(|one| one.meta.id.as_str() == session),
        };
        let hooked = |open: &OpenVault| {
            JsonLinesFile::injection_log(&open.vault, &file_name(session))
                .text()
                .is_ok_and(|record| !record.is_empty())
        };
        if context.vaults.iter().any(hooked) {
            return true;
        }
        // The speaker of an upload without a token is unknown.
        let sent = context.vaults.iter().find_map(|open| sources::is_signed_upload(open, session));
        if let Some(is_signed) = sent {
            return is_signed;
        }
        indexed
            || DiaryIndex::of(context, &[session]).is_ok_and(|diaries| diaries.get(None, session).is_some())
    }

    fn ended(&self, session: &str) -> Option<Instant> {
        let found = self.sessions.query(|sessions| sessions.lookup(session)).ok().flatten()?;
        let SessionLookup::One(listed) = found else { return None };
        let meta = &listed.session.meta;
        meta.ended.or(meta.started).filter(|_| meta.id.as_str() == session)
    }
}

/// Returns those of the named sessions that cm has a trustworthy record of: a log, a diary or an
/// injection log. If one has none, new log entries are read first, unless `no_refresh` is set.
pub(crate) fn verified_sessions<'s>(
    context: &Context,
    names: impl Iterator<Item = &'s str>,
) -> HashSet<String> {
    let names: HashSet<&str> = names.collect();
    let verified = |ids: &HashSet<&str>| -> HashSet<String> {
        let witnesses = SessionEvidence::of(context);
        ids.iter()
            .filter(|session| witnesses.has_seen(session))
            .map(|session| (*session).to_owned())
            .collect()
    };
    let seen = verified(&names);
    if seen.len() == names.len() || context.request.no_refresh || sessions::refresh(context).is_err() {
        return seen;
    }
    verified(&names)
}

/// Returns the whole ID of the session that `name` begins; `None` if `name` is a whole ID, or begins none
/// that is known. New log entries are read first if it is unknown, unless `no_refresh` is set.
///
/// # Errors
/// Returns `ambiguous` if `name` begins the IDs of several sessions.
pub(crate) fn full_session_id(context: &Context, name: &str) -> Result<Option<String>> {
    if name.trim().is_empty() || !verified_sessions(context, std::iter::once(name)).is_empty() {
        return Ok(None);
    }
    match SessionAccess::open_without_refresh(context).find(name) {
        Ok(found) => Ok(Some(found.session.meta.id.to_string()).filter(|id| id.starts_with(name))),
        Err(error) if error.code == "ambiguous" => Err(error),
        Err(_) => Ok(None),
    }
}

/// Evidence from `history`, but with a fixed set of sessions that count as real.
#[derive(Debug)]
pub(crate) struct FixedHistory<'a> {
    pub history: &'a dyn RuleEvidenceSource,
    /// Ids of the sessions that count as real.
    pub sessions: &'a HashSet<String>,
}

impl RuleEvidenceSource for FixedHistory<'_> {
    fn was_shown(&self, session: &str, rule: &str, before: Instant) -> bool {
        self.history.was_shown(session, rule, before)
    }

    fn evidence(&self, rule: &str) -> SessionCounts {
        self.history.evidence(rule)
    }

    fn evidence_of_draft(&self, draft: &Bullet) -> SessionCounts {
        self.history.evidence_of_draft(draft)
    }

    fn has_seen(&self, session: &str) -> bool {
        self.sessions.contains(session)
    }

    fn is_admitted(&self, rule: &str) -> bool {
        self.history.is_admitted(rule)
    }

    fn ended(&self, session: &str) -> Option<Instant> {
        self.history.ended(session)
    }
}
