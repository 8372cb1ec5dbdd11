//! Past sessions about a task, by words and meaning of what was said in them; then those of which
//! only a diary exists.
//!
//! Uses the session index without refreshing it, so that no briefing waits for logs. An agent sees
//! only its own sessions unless `sessions.cross_agent` allows more; a caller without an agent name
//! sees all of them.

use std::collections::{BTreeSet, HashSet};

use super::SessionPassage;
use super::builder::BriefingBuilder;
use super::candidates::{MIN_SHARE_OF_BEST, index_hits, label};
use crate::context::find::load;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use crate::sessions::diaries::DiaryIndex;
use crate::sessions::vectors::SessionVectors;
use crate::sessions::{SessionAccess, agent};
use crate::verbs::privacy;
use cm_index::sessions::{
    ConversationHit, SessionHits, SessionIndexFilter, SessionSearchRequest, Sessions, Speaker, Weights,
};
use cm_learn::diary::read::read;
use cm_learn::diary::{Diary, DiaryOrigin};
use cm_learn::reflect::evidence::keywords;
use cm_note::bullet::visibility::same_project;
use cm_note::bullet::{Bullet, Maturity};
use cm_note::markdown::escape::visible;
use cm_note::markdown::outline;
use cm_note::note::Note;
use cm_note::note::suspicion::suspicion;
use cm_note::query::several::asks_for_several;
use cm_note::query::{BooleanGroup, LabelField, Query, QueryNode};
use cm_note::rank::relevance;
use cm_playbook::briefing::OmittedCounts;
use cm_session::status::SessionStatus;
use cm_text::similarity;
use cm_text::stop_words::is_stop_word;

/// Factor for the score of a session in another project, if the caller named a project.
const OTHER_PROJECT_FACTOR: f64 = 0.5;
/// Minimum score of a diary, as a share of the best diary's.
const MIN_DIARY_SHARE: f32 = 0.5;
/// A session found by words alone contains one in this many words of the task.
const TASK_WORDS_PER_MATCH: usize = 3;
/// The same for a session that stands out but is not near in meaning.
const TASK_WORDS_PER_DISTANT_MATCH: usize = 2;
/// Maximum number of rules and memories out of use that are compared with the sessions.
const MAX_UNUSED_STATEMENTS: usize = 50;
/// Minimum Jaccard similarity of an excerpt and a statement that it repeats.
const MIN_REPEATED_SHARE: f64 = 0.5;
/// Minimum number of words of a statement that is recognized in an excerpt.
const MIN_REPEATED_WORDS: usize = 4;
/// Words of an excerpt that says that something else holds now.
const CHANGES: [&str; 10] =
    ["not", "longer", "anymore", "instead", "forget", "nicht", "mehr", "stattdessen", "ya", "plus"];
/// Number of sessions to retrieve per shown session, because some are filtered out.
const RETRIEVED_PER_SHOWN_SESSION: usize = 4;

impl BriefingBuilder<'_> {
    /// Returns up to `limit` past sessions that match the task, in order of time if it counts or orders; `None` if no session is indexed and
    /// no diary matches.
    pub fn history(&self, limit: usize, omitted: &mut OmittedCounts) -> Result<Option<Vec<SessionPassage>>> {
        if limit == 0 || self.task.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let access = SessionAccess::open_without_refresh(self.context);
        let logs = self.logs(&access, limit)?;
        let indexed = logs.is_some();
        let mut shown: HashSet<String> = self.context.request.caller.session.iter().cloned().collect();
        let mut parts = [once(logs.unwrap_or_default(), &mut shown), Vec::new()];
        for open in &self.context.vaults {
            self.diaries(&access, open, limit, &mut shown, &mut parts[1])?;
        }
        for part in &mut parts {
            part.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.date.cmp(&a.date)));
        }
        let unused = self.unused_statements()?;
        let mut passages: Vec<SessionPassage> = parts.into_iter().flatten().collect();
        passages.retain(|passage| !unused.iter().any(|statement| repeats(&passage.snippet, statement)));
        omitted.history += passages.len().saturating_sub(limit);
        passages.truncate(limit);
        if asks_for_several(self.task) {
            passages.sort_by(|a, b| a.date.cmp(&b.date));
        }
        Ok((indexed || !passages.is_empty()).then_some(passages))
    }

    /// Returns the words of each rule and memory about the task that is no longer in use. What a person took back is
    /// not quoted from the session in which they said it.
    fn unused_statements(&self) -> Result<Vec<BTreeSet<String>>> {
        let unused = vec![
            label(LabelField::State, Note::RETIRED),
            label(LabelField::Maturity, Maturity::Deprecated.name()),
        ];
        let unused = QueryNode::Group(BooleanGroup { should: unused, ..BooleanGroup::default() });
        let group = BooleanGroup { filter: vec![unused, self.candidates.words()], ..BooleanGroup::default() };
        let mut statements = Vec::new();
        for open in &self.context.vaults {
            let hits = index_hits(self.context, open, group.clone(), MAX_UNUSED_STATEMENTS)?;
            statements.extend(hits.iter().map(|hit| match Bullet::of(&hit.note) {
                Some(bullet) => similarity::words(bullet.content()),
                None => similarity::words(&hit.note.title),
            }));
        }
        Ok(statements)
    }

    /// The agent to whose own sessions the caller is restricted; `None` without such a restriction.
    fn only_agent(&self) -> Option<String> {
        self.context.request.caller.agent_name().filter(|_| !privacy::cross_agent(self.context))
    }

    fn here(&self, workspace: Option<&str>) -> f64 {
        let elsewhere =
            workspace.is_some_and(|own| self.is_explicit && !same_project(project(own), &self.workspace));
        if elsewhere { OTHER_PROJECT_FACTOR } else { 1.0 }
    }

    /// Adds sessions that only a diary records. Of an indexed session its log decides whether it is
    /// shown, so that a diary displaces nothing that the person said.
    fn diaries(
        &self,
        access: &SessionAccess,
        open: &OpenVault,
        limit: usize,
        shown: &mut HashSet<String>,
        passages: &mut Vec<SessionPassage>,
    ) -> Result<()> {
        let found = self.candidates.diaries(self.context, open, limit * RETRIEVED_PER_SHOWN_SESSION)?;
        let best = found.iter().map(|(_, score)| *score as f32).fold(0.0, f32::max);
        for (note, score) in found {
            if self.is_chance(score as f32) || (score as f32) < MIN_DIARY_SHARE * best {
                continue;
            }
            let Ok(loaded) = load(open, &note.path) else { continue };
            let Some(diary) = read(&loaded.text()) else { continue };
            let is_of_other_agent = self.only_agent().is_some_and(|only| only != diary.agent);
            let is_foreign = !self.scope.includes_session(diary.workspace.as_deref(), open.level);
            if is_of_other_agent || is_foreign || shown.contains(&diary.session) {
                continue;
            }
            if access.query(|sessions| sessions.contains(&diary.session))?.unwrap_or_default() {
                continue;
            }
            let snippet = done(&note, &diary);
            if is_steering(&snippet) {
                continue;
            }
            shown.insert(diary.session.clone());
            passages.push(SessionPassage {
                snippet: visible(&snippet),
                line: None,
                date: diary.started.map(|at| at.day()),
                outcome: Some(diary.verdict.status).filter(|it| *it != SessionStatus::Unknown).map(name),
                diary: Some(note.path.to_string()),
                by_person: false,
                score: relevance(score as f32, best) * self.here(diary.workspace.as_deref()),
                workspace: diary.workspace,
                agent: Some(diary.agent).filter(|agent| !agent.is_empty()),
                session: diary.session,
            });
        }
        Ok(())
    }

    /// Returns a query that matches any word of the task with a meaning of its own, or any word if
    /// there is none.
    fn content_words(&self) -> QueryNode {
        let QueryNode::Group(mut group) = self.candidates.words() else { return QueryNode::Nothing };
        let is_content = |node: &QueryNode| match node {
            QueryNode::Text { text, .. } => !is_stop_word(&text.as_str().to_lowercase()),
            _ => true,
        };
        if group.should.iter().any(is_content) {
            group.should.retain(is_content);
        }
        QueryNode::Group(group)
    }

    /// Session messages that match the task, best first; `None` without a session index.
    fn logs(&self, access: &SessionAccess, limit: usize) -> Result<Option<Vec<LogPassage>>> {
        if let Ok(None) = access.query(Sessions::version) {
            return Ok(None);
        }
        let agents = match self.only_agent().as_deref().map(agent) {
            None => Vec::new(),
            Some(Some(agent)) => vec![agent],
            // An agent whose logs nobody reads has no sessions here.
            Some(None) => return Ok(Some(Vec::new())),
        };
        let filter = SessionIndexFilter {
            agents,
            until: self.context.read_at().map(|past| past.instant),
            without_subagents: true,
            ..SessionIndexFilter::default()
        };
        let query = Query { root: self.content_words(), notices: Vec::new() };
        let words = keywords(self.task);
        let meaning = SessionVectors::open(self.context).and_then(|vectors| vectors.compare(self.task));
        if words.is_empty() && meaning.is_none() {
            return Ok(Some(Vec::new()));
        }
        let request = SessionSearchRequest {
            query: &query,
            filter: &filter,
            weights: Weights::default(),
            meaning: meaning.as_ref(),
            offset: 0,
            limit: limit * RETRIEVED_PER_SHOWN_SESSION,
        };
        let found = match access.query(|sessions| sessions.search(request)) {
            Ok(found) => found.unwrap_or_default(),
            Err(error) => {
                self.context.notice(format!("past sessions could not be searched: {}", error.message));
                SessionHits::default()
            }
        };
        let best = found.hits.first().map_or(0.0, rank_of);
        let fits = |hit: &&ConversationHit| match hit.standing {
            None => {
                hit.score >= MIN_SHARE_OF_BEST * best
                    && mentions(&words, TASK_WORDS_PER_MATCH, &hit.best.text)
            }
            Some(standing) => {
                standing.stands_out
                    && (standing.is_near || mentions(&words, TASK_WORDS_PER_DISTANT_MATCH, &hit.best.text))
            }
        };
        let hits: Vec<&ConversationHit> = found.hits.iter().filter(fits).collect();
        let ids: Vec<&str> = hits.iter().map(|hit| hit.session.meta.id.as_str()).collect();
        let diaries = DiaryIndex::of(self.context, &ids)?;
        Ok(Some(hits.into_iter().map(|hit| self.logged(hit, best, &diaries)).collect()))
    }

    fn logged(&self, hit: &ConversationHit, best: f32, diaries: &DiaryIndex) -> LogPassage {
        let meta = &hit.session.meta;
        let (id, agent) = (meta.id.as_str(), meta.agent.name());
        let stored = diaries.get(Some(agent), id);
        let status =
            stored.map(|stored| stored.diary.verdict.status).filter(|it| *it != SessionStatus::Unknown);
        let passage = SessionPassage {
            snippet: visible(&hit.snippet),
            session: id.to_owned(),
            agent: Some(agent.to_owned()),
            line: Some(hit.best.line),
            workspace: meta.workspace.clone(),
            date: meta.ended.or(meta.started).map(|at| at.day()),
            outcome: status.map(name),
            diary: stored.map(|stored| stored.path.to_string()),
            by_person: hit.best.speaker == Some(Speaker::Person),
            score: relevance(rank_of(hit), best) * self.here(meta.workspace.as_deref()),
        };
        let forks = hit.forks.iter().map(|fork| fork.id.as_str().to_owned()).collect();
        LogPassage { passage, forks }
    }
}

/// An excerpt of a session log that matches the task.
struct LogPassage {
    passage: SessionPassage,
    /// IDs of other sessions that contain the same conversation.
    forks: Vec<String>,
}

/// Returns the excerpts of conversations that `shown` does not contain yet, and adds their sessions
/// to it.
fn once(logs: Vec<LogPassage>, shown: &mut HashSet<String>) -> Vec<SessionPassage> {
    let mut passages = Vec::new();
    for LogPassage { passage, forks } in logs {
        let is_shown = shown.contains(&passage.session) || forks.iter().any(|id| shown.contains(id));
        if !is_shown && !is_steering(&passage.snippet) {
            shown.insert(passage.session.clone());
            passages.push(passage);
        }
    }
    passages
}

/// Whether an excerpt of a session has the words of a statement and few others, and does not say what holds instead.
fn repeats(snippet: &str, statement: &BTreeSet<String>) -> bool {
    let words = similarity::words(snippet);
    let is_change = words.difference(statement).any(|word| CHANGES.contains(&word.as_str()));
    statement.len() >= MIN_REPEATED_WORDS
        && !is_change
        && similarity::jaccard(&words, statement) >= MIN_REPEATED_SHARE
}

/// Whether a text looks like a prompt injection rather than a record of work.
fn is_steering(snippet: &str) -> bool {
    suspicion(snippet).is_some()
}

fn name(status: SessionStatus) -> String {
    status.name().to_owned()
}

/// The last component of a workspace path, used as the project's name.
pub(super) fn project(workspace: &str) -> &str {
    let inner = workspace.trim_end_matches(['/', '\\']);
    inner.rsplit(['/', '\\']).next().unwrap_or(inner)
}

/// Returns the topic of a session and, if the diary records one, its result on one line.
fn done(note: &Note, diary: &Diary) -> String {
    if diary.origin == DiaryOrigin::OutcomeOnly {
        let reason = diary.recorded_outcome.as_ref().and_then(|judged| judged.reason.as_deref());
        return reason.map_or_else(|| note.title.clone(), |reason| format!("{}: {reason}", note.title));
    }
    match diary.accomplishments.first().or(diary.learnings.first()).or(diary.challenges.first()) {
        Some(reached) => format!("{}: {}", note.title, outline(&reached.text, 1).text.trim()),
        None => note.title.clone(),
    }
}

/// Score by which the hits of one search are ordered.
fn rank_of(hit: &ConversationHit) -> f32 {
    hit.standing.map_or(hit.score, |standing| standing.score as f32)
}

/// Whether a text contains one in `share` of the task's words, and at least two; words match if
/// their first four characters do.
fn mentions(words: &[String], share: usize, text: &str) -> bool {
    let text = text.to_lowercase();
    let text_words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let stem = |word: &str| word.chars().take(4).collect::<String>();
    let is_mentioned = |word: &&String| {
        let stem = stem(word);
        text_words.iter().any(|other| other.starts_with(&stem))
    };
    let least = words.len().div_ceil(share).max(words.len().min(2));
    !words.is_empty() && words.iter().filter(is_mentioned).count() >= least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_speaks_of_a_task_where_enough_of_its_words_stand_together() {
        let words = keywords("change the retry of gauge fetches");
        assert!(mentions(&words, TASK_WORDS_PER_MATCH, "The gauges were fetched twice."));
        assert!(!mentions(&words, TASK_WORDS_PER_MATCH, "I changed the colours."));
        assert!(mentions(&keywords("retries"), TASK_WORDS_PER_MATCH, "retry it"));
        assert_eq!((project("/home/dev/demo/"), project("demo")), ("demo", "demo"));
    }
}
