//! Hands reflection to the calling agent as work packages, and accepts its answers.
//!
//! This lets every agent act as the model, without an API key. An answer is checked against the log
//! like a model's: proposals that quote nothing from the session are refused, and the program sets
//! their origin.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::queue::{QueuedSession, plan, session_key};
use super::recorded::{settle_verdicts, without_recorded};
use super::session_processor::{SessionProcessor, SessionProposals};
use super::standing_rules::{rule_refs, standing_rules};
use super::traces::TraceLibrary;
use super::{Options, run_options};
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::write;
use crate::error::{Error, Result};
use crate::sessions::SessionAccess;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::gathered_evidence::{GatheredEvidence, evidence_for};
use crate::sessions::logs;
use crate::sessions::reflection_log::{ReflectionLog, SessionReaderKind};
use crate::verbs::curate::CurationOutcome;
use crate::verbs::diary::session::{SessionReader, SessionTranscript};
use crate::verbs::diary::with_related;
use crate::verbs::playbook;
use cm_index::sessions::SessionSummary;
use cm_learn::diary::Diary;
use cm_learn::diary::StatementAuthor;
use cm_learn::outcome::feedback::RuleRef;
use cm_learn::reflect::answer::{
    AgentAnswer, DeltasAnswer, ProposedChange, ProposedDelta, agent_schema, deltas_schema,
};
use cm_learn::reflect::draft::{DraftChange, ReflectionDraft};
use cm_learn::reflect::relevant_rules::relevant_rules;
use cm_learn::reflect::session_topics::SessionTopics;
use cm_learn::reflect::{package, verify};
use cm_learn::statement::Certainty;
use cm_note::bullet::Bullet;
use cm_playbook::curation::delta::CurationDelta;
use cm_playbook::curation::report::{UnappliedCode, UnappliedDelta};
use cm_secrets::RedactionRules;

/// Maximum number of existing rules in a work package.
const MAX_RULES: usize = 40;

/// Work packages with which the calling agent takes the place of a language model.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkPackages {
    /// One package for each session.
    pub packages: Vec<WorkPackage>,
    /// Number of sessions for which later calls return packages.
    pub left: usize,
}

/// Material from which an agent proposes rules and memories for one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkPackage {
    /// Session id, as assigned by the agent.
    pub session: String,
    /// Agent of the session, such as `claude-code`.
    pub agent: String,
    /// Title of the session, else the beginning of its first prompt.
    pub title: String,
    /// The session's diary as a Markdown note, built without a model.
    pub diary: String,
    /// Existing rules on similar topics.
    pub rules: Vec<PackageRule>,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Instructions, material and examples as one prompt.
    pub prompt: String,
}

/// An existing rule, so that the agent does not propose it again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PackageRule {
    pub id: String,
    /// Text of the rule.
    pub content: String,
}

/// Builds work packages for sessions that no agent or model has read yet, one by default, or for the
/// session with this ID, whoever has read it; writes nothing.
///
/// # Errors
/// Returns an error if the filter is invalid, the session unknown or a log cannot be read, and
/// "nothing done" if no session is left.
pub fn build_packages(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
    session: Option<&str>,
) -> Result<WorkPackages> {
    let todo = match session {
        Some(reference) => vec![access.find(reference)?],
        None => unread_sessions(context, access, options)?,
    };
    let mut reader = SessionReader::open(context)?;
    let playbook = playbook::as_written(context, context.target())?;
    let standing = standing_rules(&playbook.bullets);
    let mut packages = Vec::new();
    for listed in todo.iter().take(options.limit.unwrap_or(1)) {
        let transcript = reader.read(context, &listed.session, None)?;
        let rules = rules_for(context, &standing, &transcript);
        packages.push(WorkPackage {
            session: transcript.diary.session.clone(),
            agent: transcript.diary.agent.clone(),
            title: transcript.diary.title.clone(),
            diary: cm_learn::diary::note::note(&transcript.diary),
            prompt: logs::text(
                &package::work_package(&transcript.diary, &transcript.events, &rules),
                &reader.rules,
            ),
            rules: rules
                .iter()
                .map(|rule| PackageRule { id: rule.id.to_owned(), content: rule.content.to_owned() })
                .collect(),
            schema: agent_schema().to_value(),
        });
    }
    let left = todo.len() - packages.len();
    Ok(WorkPackages { packages, left })
}

/// Returns the rules on the subjects of a session, at most [`MAX_RULES`].
fn rules_for<'a>(
    context: &Context,
    standing: &[&'a Bullet],
    transcript: &SessionTranscript,
) -> Vec<RuleRef<'a>> {
    let model = meaning(context.target());
    relevant_rules(&rule_refs(standing), &transcript.diary, &transcript.events, MAX_RULES, model)
}

fn unread_sessions(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
) -> Result<Vec<SessionSummary>> {
    let record = ReflectionLog::load_with_notice(context)?;
    let kind = if options.again { SessionReaderKind::Again } else { SessionReaderKind::Agent };
    let plan = plan(context, access, &record, &options.selection, kind)?;
    if plan.todo.is_empty() {
        return Err(write::nothing_done("there is no session to learn from").hint(
            "`cm sessions list` shows processed sessions; use `--days` for older ones, `--again` or an ID for these",
        ));
    }
    Ok(plan.todo.into_iter().map(|one| one.listed).collect())
}

/// Returns whether a text is the answer to a work package rather than a delta file.
pub fn is_answer(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("reflects").is_some())
}

/// Applies an agent's answer to a work package: commits the diary and the accepted proposals, and
/// records the session as processed.
///
/// # Errors
/// Returns an error if the text is not a valid answer, if the session does not exist, or if
/// curation fails.
pub fn apply_answer(
    context: &Context,
    access: &SessionAccess,
    text: &str,
    file: &str,
    dry_run: bool,
) -> Result<CurationOutcome> {
    let answer: AgentAnswer = serde_json::from_str(text).map_err(|error| {
        let place = (u32::try_from(error.line()).ok(), u32::try_from(error.column()).ok());
        Error::usage(format!("this is not an answer to `cm reflect --emit`: {error}"))
            .at(file, place.0, place.1)
            .hint("`cm reflect --emit --json` prints its schema")
    })?;
    apply_deltas(context, access, &answer.reflects, answer.deltas, dry_run)
}

/// Lets a model read a session and applies its proposals, like those of the calling agent.
///
/// # Errors
/// An unknown session, "nothing done" for a session that no person typed or that was read since, a
/// model that does not answer, and the errors of curation.
pub(crate) fn read_with(
    context: &Context,
    access: &SessionAccess,
    session: &str,
    model: impl FnOnce(&RedactionRules) -> Result<LanguageModel>,
) -> Result<CurationOutcome> {
    let listed = access.find(session)?;
    if !ReflectionLog::load(context.target())?.is_open(&listed, SessionReaderKind::Agent) {
        return Err(write::nothing_done(format!("session {session} was read already")));
    }
    let mut reader = SessionReader::open(context)?;
    let language_model = model(&reader.rules)?;
    let transcript = reader.read(context, &listed.session, Some(language_model.name()))?;
    if transcript.prompts != StatementAuthor::Person {
        return Err(write::nothing_done(format!("no person typed the prompts of session {session}")));
    }
    let playbook = playbook::as_written(context, context.target())?;
    let standing = standing_rules(&playbook.bullets);
    let rules = rules_for(context, &standing, &transcript);
    let prompt = package::reflect(&transcript.diary, &transcript.events, &rules, &[]);
    let answer = language_model.ask::<DeltasAnswer>(&prompt, ("deltas", deltas_schema()), |_| Ok(()));
    let deltas = answer.map_err(ModelFailure::into_error)?.value.deltas;
    apply_deltas(context, access, session, deltas, false)
}

fn apply_deltas(
    context: &Context,
    access: &SessionAccess,
    session: &str,
    deltas: Vec<ProposedDelta>,
    dry_run: bool,
) -> Result<CurationOutcome> {
    let listed = access.find(session)?;
    let mut reader = SessionReader::open(context)?;
    let transcript = reader.read(context, &listed.session, None)?;
    let playbook = playbook::as_written(context, context.target())?;
    let standing = standing_rules(&playbook.bullets);
    let ids = standing.iter().map(|bullet| bullet.id.as_str()).collect();
    let steps = DeltasAnswer { deltas };
    let (drafts, unfounded) = verify::deltas(&steps, &ids, &transcript.quotable());
    let todo = QueuedSession { conversation: [session_key(&listed)].into(), listed, forks: Vec::new() };
    let run_options = super::RunOptions { reprocess: true, ..run_options(context, dry_run) };
    let record = ReflectionLog::load_with_notice(context)?;
    let traces = TraceLibrary::default();
    let mut work = SessionProcessor {
        context,
        access,
        reader,
        record,
        model: None,
        earlier: Vec::new(),
        traces,
        run_options,
    };
    let drafts = work.without_repeats(drafts, &todo);
    let drafts = without_recorded(context, drafts, transcript.diary.session.as_str(), &standing);
    let mut gathered = gather_evidence(context, &work.record, &todo, &transcript.diary, &drafts)?;
    let diary = with_related(context, access, transcript.diary.clone())?;
    let proposed = SessionProposals {
        todo: &todo,
        diary,
        drafts,
        counted: HashMap::new(),
        times: HashMap::new(),
        is_of_person: false,
        withdrawn: Vec::new(),
    };
    let own = transcript.trace();
    let evidence = SessionEvidence::of(context);
    gathered.gather_drafts(&evidence, &playbook.bullets, &SessionTopics::of(&transcript.events, &own));
    let committed = work.commit(&proposed, &gathered)?;
    committed.notices.iter().for_each(|notice| context.notice(notice));
    if !dry_run {
        settle_verdicts(context, &proposed, &committed).into_iter().for_each(|notice| context.notice(notice));
    }
    let mut outcome = committed.outcome;
    outcome.report.refused.extend(unfounded.into_iter().map(|(delta, why)| {
        let op = steps.deltas.get(delta - 1).map_or("", |one| op(&one.step)).to_owned();
        let reason = logs::text(&why.to_string(), &work.reader.rules);
        UnappliedDelta { delta, op, id: None, code: UnappliedCode::Unfounded, reason, credited: false }
    }));
    outcome.notes =
        outcome.files.iter().map(ToString::to_string).filter(|path| !path.starts_with("playbook/")).collect();
    if !dry_run {
        work.record_answer(&proposed, outcome.report.applied.len() + committed.memories.len())?;
    }
    Ok(outcome)
}

/// Gathers what past sessions show about the rules that a session proposes.
fn gather_evidence(
    context: &Context,
    record: &ReflectionLog,
    session: &QueuedSession,
    diary: &Diary,
    drafts: &[ReflectionDraft],
) -> Result<GatheredEvidence> {
    let mut gathered = GatheredEvidence::of_session(&session.listed.session.meta);
    let here = (diary.agent.as_str(), diary.session.as_str(), diary.verdict.status);
    for draft in drafts {
        if let DraftChange::Delta(CurationDelta::Add(add)) = &draft.what {
            let found = evidence_for(context, record, &add.bullet.content, here, &[])?;
            gathered.insert(&add.bullet.content, found.evidence);
            if draft.certainty == Some(Certainty::High) {
                gathered.admit(&add.bullet.content);
            }
        }
    }
    Ok(gathered)
}

fn op(step: &ProposedChange) -> &'static str {
    match step {
        ProposedChange::Add { .. } => "add",
        ProposedChange::Helpful { .. } => "helpful",
        ProposedChange::Harmful { .. } => "harmful",
        ProposedChange::Replace { .. } => "replace",
        ProposedChange::Deprecate { .. } => "deprecate",
        ProposedChange::Merge { .. } => "merge",
        ProposedChange::Fact { .. } => "fact",
        ProposedChange::Preference { .. } => "preference",
        ProposedChange::Decision { .. } => "decision",
        ProposedChange::Fix { .. } => "fix",
    }
}
