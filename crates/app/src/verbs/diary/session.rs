//! Reads a session from its log with secrets redacted, and derives its diary by rules or with a
//! model.

use std::path::PathBuf;

use crate::context::meaning::{judge_statements, meaning};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::secrets;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::access_log;
use crate::sessions::load::GONE;
use crate::sessions::logs::{self, ParsedSession};
use crate::sessions::sources::{LogSources, sources};
use crate::sessions::tool_signals::signals_of;
use cm_agents::ingest::LogSource;
use cm_index::sessions::Session;
use cm_learn::diary::{self, Diary, DiaryOrigin, StatementAuthor};
use cm_learn::outcome::steps::{SessionStep, steps};
use cm_learn::prose::cut;
use cm_learn::recurring::SessionTrace;
use cm_learn::reflect::answer::{DiaryAnswer, QuotedStatement, diary_schema};
use cm_learn::reflect::later_word::without_replaced;
use cm_learn::reflect::package;
use cm_learn::reflect::stated::TypedSentences;
use cm_learn::reflect::verify::{self, QuotableSession, Rejection};
use cm_learn::statement::{self, LastingStatement, RequestCandidate, Statement, Withdrawal};
use cm_playbook::embedding_model::WordVectors;
use cm_secrets::RedactionRules;
use cm_session::event::SessionEvent;
use cm_session::{Agent, SessionMeta};

/// Maximum length of the stated reason for rejecting a model's answer, in characters.
const MAX_REASON_CHARS: usize = 200;

/// A session read from its log.
pub struct SessionTranscript {
    pub meta: SessionMeta,
    /// Events of the session, with secrets redacted.
    pub events: Vec<SessionEvent>,
    /// Commands and edits of the session, each with its result.
    pub steps: Vec<SessionStep>,
    /// The diary extracted by rules.
    pub diary: Diary,
    /// Statements of the session's user that are meant to last.
    pub lasting: Vec<LastingStatement>,
    /// Rules that the session's user withdrew.
    pub withdrawals: Vec<Withdrawal>,
    /// All sentences of the session's user.
    typed: TypedSentences,
    /// Sentences of the vault's person that may be wishes for every session.
    pub requests: Vec<RequestCandidate>,
    /// Whom quoted prompts are attributed to; not the person if another agent may have written
    /// them.
    pub prompts: StatementAuthor,
}

/// Reads sessions from their logs and redacts them. Caches the last parsed log, because consecutive
/// sessions often share one.
pub struct SessionReader {
    /// Patterns of the secrets to redact.
    pub rules: RedactionRules,
    home: Option<PathBuf>,
    found: Vec<LogSource>,
    last: Option<(PathBuf, Vec<ParsedSession>)>,
}

impl SessionReader {
    /// Creates a reader for the logs that currently exist.
    ///
    /// # Errors
    /// Returns an error if a redaction pattern is invalid.
    pub fn open(context: &Context) -> Result<Self> {
        let rules = secrets::rules_of_logs(context, context.target())?.0;
        let found = sources(context, None).map(|sources| sources.find(&[]).sources).unwrap_or_default();
        Ok(Self { rules, home: context.request.home.clone(), found, last: None })
    }

    /// Parses a session from its log and records the read in the access log. `model` names the
    /// language model that will receive the text.
    ///
    /// # Errors
    /// A log that is missing, unreadable, or no longer contains the session.
    pub fn read(
        &mut self,
        context: &Context,
        session: &Session,
        model: Option<String>,
    ) -> Result<SessionTranscript> {
        let no_log = || {
            Error::new(ErrorKind::NotFound, GONE, "its log no longer exists or no longer contains it")
                .hint("`cm sessions show` still shows what was indexed")
        };
        let path = session.log.as_deref().unwrap_or_default();
        let of =
            |source: &LogSource| source.agent == session.meta.agent && source.path.to_string_lossy() == path;
        let found_before = self.found.iter().find(|source| of(source)).cloned();
        let sources = sources(context, session.meta.workspace.as_deref()).ok_or_else(no_log)?;
        let elsewhere = || sources.find(&[]).sources.into_iter().find(of);
        let source = found_before.or_else(elsewhere).ok_or_else(no_log)?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != source.path) {
            self.last = Some((source.path.clone(), logs::of_source(&source)?));
        }
        let sessions = self.last.iter_mut().flat_map(|(_, sessions)| sessions);
        let parsed = sessions.into_iter().find(|one| one.meta.id == session.meta.id && !one.meta.ours);
        let parsed = parsed.filter(|one| sources.allow(&source, &one.meta)).ok_or_else(no_log)?;
        let parsed = ParsedSession {
            meta: parsed.meta.clone(),
            events: std::mem::take(&mut parsed.events),
            path: parsed.path.clone(),
        };
        Ok(self.transcript(context, &sources, &source, parsed, model))
    }

    /// Derives the transcript of a parsed session, and records the read in the access log.
    fn transcript(
        &self,
        context: &Context,
        sources: &LogSources,
        source: &LogSource,
        parsed: ParsedSession,
        model: Option<String>,
    ) -> SessionTranscript {
        let read = access_log::SessionRead {
            sessions: vec![parsed.meta.id.clone()],
            bytes: parsed.bytes(),
            model,
            ..access_log::SessionRead::of_log(parsed.meta.agent, parsed.path.to_string_lossy().into_owned())
        };
        access_log::record(context, vec![read]);
        let prompts = if sources.is_of_person(context.target(), source) && !parsed.meta.headless {
            StatementAuthor::Person
        } else {
            StatementAuthor::Sender
        };
        self.redacted_transcript(context.target(), parsed, prompts)
    }

    /// Parses the session of a log that is not indexed, in the format of the agent that has the most
    /// events in it; `None` if `path` is no file.
    ///
    /// # Errors
    /// A log without a session or with several, or a session of another project.
    pub fn read_unindexed(
        &self,
        context: &Context,
        path: &str,
        model: Option<String>,
    ) -> Result<Option<SessionTranscript>> {
        let path = context.request.cwd.join(path);
        let sources = sources(context, None).filter(|_| path.is_file() && !context.request.caller.has_token);
        let Some(sources) = sources else { return Ok(None) };
        let read = |agent| {
            let source = LogSource::of_file(agent, &path)?;
            let mut sessions = logs::of_source(&source).ok()?;
            sessions.retain(|one| !one.meta.subagent && !one.meta.ours && !one.events.is_empty());
            Some((source, sessions))
        };
        let events = |sessions: &[ParsedSession]| sessions.iter().map(|one| one.events.len()).sum::<usize>();
        let found = Agent::ALL.into_iter().filter_map(read).max_by_key(|(_, sessions)| events(sessions));
        let shown_path = || format!("`{}`", path.display());
        let (source, mut sessions) = found
            .filter(|(_, sessions)| !sessions.is_empty())
            .ok_or_else(|| Error::not_found(format!("no session was found in {}", shown_path())))?;
        let (Some(parsed), true) = (sessions.pop(), sessions.is_empty()) else {
            return Err(Error::usage(format!("{} has several sessions", shown_path()))
                .hint("`cm sessions --days 0` lists the IDs of sessions in known places"));
        };
        if !sources.allow(&source, &parsed.meta) {
            return Err(Error::refused(
                "other-project",
                format!("{} may not be read for this vault", shown_path()),
            )
            .hint("`cm privacy` shows which agents and folders are allowed"));
        }
        Ok(Some(self.transcript(context, &sources, &source, parsed, model)))
    }

    fn redacted_transcript(
        &self,
        open: &OpenVault,
        parsed: ParsedSession,
        prompts: StatementAuthor,
    ) -> SessionTranscript {
        // By its place below the home folder, so that it is the same on every machine, and without the folder's name.
        let home = self.home.as_deref();
        let path = home.and_then(|home| parsed.path.strip_prefix(home).ok()).unwrap_or(&parsed.path);
        let path = path.to_string_lossy().into_owned();
        let ParsedSession { meta, events, .. } = parsed.redacted(&self.rules);
        let mut content = meta.id.as_str().as_bytes().to_vec();
        events.iter().filter_map(|event| event.kind.text()).for_each(|text| content.extend(text.as_bytes()));
        // The prompts of a subagent are those of another agent.
        let typed = if meta.subagent { Vec::new() } else { statement::statements(&events) };
        let workspace = meta.workspace.as_deref();
        let typed: Vec<Statement> = typed.into_iter().map(|one| one.with_paths_in(workspace)).collect();
        let steps = steps(&events);
        let mut judged = judge_statements(open, &typed);
        statement::raise_taught_commands(&typed, &mut judged, &events, &steps);
        statement::raise_orders_after_harm(&typed, &mut judged);
        statement::raise_own_answers(&typed, &mut judged);
        let requests = match prompts {
            StatementAuthor::Person => statement::candidates(&typed, &judged),
            _ => Vec::new(),
        };
        let withdrawals = statement::withdrawals(&typed, &judged);
        let lasting = statement::lasting(&typed, &judged);
        let prompts_as_whole = statement::short_prompts(&typed, &judged, &events);
        let judged_as_whole = judge_statements(open, &prompts_as_whole);
        let lasting = statement::with_lasting_prompts(lasting, &prompts_as_whole, &judged_as_whole);
        let lasting = without_replaced(lasting, &WordVectors::of(meaning(open)));
        let lasting = statement::with_questions(statement::with_proposals(lasting, &events), &events);
        let typed = TypedSentences::of(&typed, &judged);
        let diary = diary::extract_with(&diary::id(&path, &content), &meta, &events, &lasting);
        let mut diary = without_secrets(diary, &self.rules);
        if prompts == StatementAuthor::Sender {
            diary = diary.attribute_to_sender();
        }
        SessionTranscript { meta, events, steps, diary, lasting, withdrawals, typed, requests, prompts }
    }
}

impl SessionTranscript {
    /// Reduces the session to its commands and edits.
    pub fn trace(&self) -> SessionTrace {
        SessionTrace::of(&self.meta, &self.events, &self.steps, self.diary.verdict.status)
    }

    /// Returns the parts of the session that a summary may quote.
    pub fn quotable(&self) -> QuotableSession {
        // The prompts of a subagent are those of another agent.
        let prompts = if self.meta.subagent { StatementAuthor::Agent } else { self.prompts };
        let calls = signals_of("", &self.meta, &self.events);
        let calls = calls.into_iter().filter_map(|signal| Some((signal.quote.clone(), signal.call()?)));
        QuotableSession::of(self.meta.id.as_str(), self.meta.agent.name(), &self.events, prompts)
            .with_typed(self.typed.clone(), calls.filter(|(words, _)| !words.is_empty()).collect())
    }

    /// Summarizes the session with a language model; also returns the rejected statements. Uses the
    /// diary extracted by rules if the answer is unusable.
    ///
    /// # Errors
    /// A model that cannot be reached or does not answer.
    pub fn summarize(
        &self,
        language_model: &LanguageModel,
        rules: &RedactionRules,
    ) -> std::result::Result<(Diary, Vec<Rejection>), ModelFailure> {
        let quotable = self.quotable();
        let taken = |answer: &DiaryAnswer| verify::diary(&self.diary, answer, "", &quotable);
        let founded = |answer: &DiaryAnswer| {
            let (_, refused) = taken(answer);
            let all = points(answer).count();
            if all > 0 && refused.len() == all {
                return Err(refused.iter().map(ToString::to_string).collect());
            }
            Ok(())
        };
        match language_model.ask(&package::diary(&self.events), ("diary", diary_schema()), founded) {
            Ok(answered) => {
                let model = if answered.model.is_empty() { language_model.name() } else { answered.model };
                let (diary, refused) = verify::diary(&self.diary, &answered.value, &model, &quotable);
                Ok((without_secrets(diary, rules), refused))
            }
            Err(ModelFailure::Useless(why)) => {
                let made = DiaryOrigin::Fallback(cut(&why, MAX_REASON_CHARS));
                Ok((without_secrets(Diary { origin: made, ..self.diary.clone() }, rules), Vec::new()))
            }
            Err(silent) => Err(silent),
        }
    }
}

fn points(answer: &DiaryAnswer) -> impl Iterator<Item = &QuotedStatement> {
    let DiaryAnswer { accomplishments, decisions, challenges, preferences, key_learnings, .. } = answer;
    [accomplishments, decisions, challenges, preferences, key_learnings].into_iter().flatten()
}

/// Redacts the assembled diary once more, because joined fragments can form a secret.
fn without_secrets(diary: Diary, rules: &RedactionRules) -> Diary {
    diary.map_texts(|text| logs::text(text, rules))
}
