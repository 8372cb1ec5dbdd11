//! Records the outcome of a session in its diary note and credits the rules involved.
//!
//! Named rules get full weight, rules cited by ID a fraction, all others nothing: showing a rule is
//! not using it. Diary and feedback are one commit. Feedback for a rule of another vault is stored
//! in that vault.

mod credit;
mod diary;
mod resolve;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::progress::Progress;
use crate::error::Result;
use crate::sessions::SessionAccess;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::verbs::curate::{self, CurationOptions, CurationOutcome, ExtraChangeSet, ExtraChanges};
use crate::verbs::diary::session::SessionReader;
use crate::verbs::playbook;
use cm_learn::reflect::session_topics::SessionTopics;
use cm_note::message::CommitOp;
use cm_note::note::FeedbackSignal;
use cm_playbook::curation::SweepScope;
use cm_playbook::curation::delta::DeltaFile;
use cm_playbook::curation::history::RuleEvidenceSource;
use cm_playbook::curation::report::{Inversion, MaturityStep};
pub use cm_session::status::SessionStatus;
use credit::Credits;
use schemars::JsonSchema;
use serde::Serialize;

/// Outcome of a session and the rules that contributed to it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Session ID or a unique prefix of it.
    pub session: String,
    /// Outcome of the session.
    pub status: SessionStatus,
    /// IDs of the rules that contributed to the outcome.
    pub rules: Vec<String>,
}

/// How a rule is connected with the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreditReason {
    /// The caller named the rule.
    Named,
    /// The session cites the rule by ID.
    Cited,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CreditedRule {
    /// ID of the bullet.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Feedback given to the rule: helpful or harmful.
    pub signal: FeedbackSignal,
    /// Weight of the feedback: 1 for a named rule, a fraction for a cited one.
    pub weight: f64,
    pub why: CreditReason,
    /// Line of the log that cites the rule, from 1; null if the caller named the rule.
    pub line: Option<u64>,
}

/// A rule that received no feedback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UncreditedRule {
    /// ID of the bullet.
    pub id: String,
    /// Whether the rule was named or cited.
    pub why: CreditReason,
    /// Why the rule received no feedback.
    pub reason: String,
    /// Whether the playbook refused the feedback; false if there was none to record.
    pub refused: bool,
}

/// Result of recording a session's outcome.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OutcomeResult {
    /// Session ID.
    pub session: String,
    /// The agent of the session.
    pub agent: String,
    /// Recorded outcome.
    pub outcome: SessionStatus,
    /// Outcome recorded before; null if it was unknown.
    pub before: Option<SessionStatus>,
    /// Path of the diary's file, relative to the vault root.
    pub diary: String,
    /// Whether the diary was created by this call.
    pub created: bool,
    pub credited: Vec<CreditedRule>,
    /// Rules that received no feedback, each with the reason.
    pub passed: Vec<UncreditedRule>,
    pub promotions: Vec<MaturityStep>,
    pub demotions: Vec<MaturityStep>,
    /// Anti-patterns created from deprecated rules.
    pub inversions: Vec<Inversion>,
    /// Whether anything was written; false if outcome and feedback were recorded before.
    pub changed: bool,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

impl OutcomeResult {
    /// Whether the playbook refused feedback on a named rule.
    pub fn failed(&self) -> bool {
        self.passed.iter().any(|passed| passed.why == CreditReason::Named && passed.refused)
    }
}

/// Records the outcome of a session. New log entries are read first, unless the request disables
/// refreshes.
///
/// # Errors
/// An unknown or ambiguous session or rule, and the errors of [`crate::context::write::apply`].
pub fn outcome(
    context: &Context,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<OutcomeResult> {
    let access = SessionAccess::open(context, progress)?;
    for open in &context.vaults {
        context.ensure_fresh(open)?;
    }
    let session = resolve::resolve_session(context, &access, options)?;
    let credits = credit::credits(context, &session, options)?;
    let level = context.target().level;
    let how = CurationOptions::by_person(CommitOp::Outcome).with_subject(format!(
        "Record that session {} ended in {}",
        session.short(),
        options.status.name()
    ));
    let file = |level: VaultLevel| DeltaFile {
        session: Some(session.id.clone()),
        // Whoever says so is not the agent whose session it was.
        agent: None,
        deltas: credits.deltas(level),
    };
    let planned = diary::plan(context, &session, options)?;
    let diary_changes = |open: &_, _: &_| {
        let changes = diary::changes(context, open, &session, options)?;
        Ok(ExtraChangeSet { changes, ..ExtraChangeSet::default() })
    };
    let gathered = gathered_evidence(context, &session, options)?;
    let history = gathered.as_ref().map(|gathered| gathered as &dyn RuleEvidenceSource);
    let sweep = if history.is_some() { SweepScope::Drafts } else { SweepScope::Changed };
    let extra_changes = ExtraChanges { history, changes: &diary_changes, ..ExtraChanges::NOTHING };
    let (here, ()) = curate::curate_with(
        context,
        &file(level),
        &CurationOptions { sweep, ..how.clone() },
        &extra_changes,
    )?;
    let mut parts = vec![here];
    for open in context.vaults.iter().filter(|open| open.level != level) {
        let file = file(open.level);
        if !file.deltas.is_empty() {
            let there = context.for_vault(open)?;
            parts.push(curate::curate(&there, &file, &how)?);
            there.take_notices().into_iter().for_each(|notice| context.notice(notice));
        }
    }
    Ok(recorded(options, session, planned, credits, parts))
}

/// Returns the evidence for the drafts that the session is about, given its new outcome; `None` if its
/// log cannot be read.
fn gathered_evidence(
    context: &Context,
    session: &resolve::OutcomeSession,
    options: &Options,
) -> Result<Option<GatheredEvidence>> {
    let Some(log) = &session.log else { return Ok(None) };
    let Ok(transcript) = SessionReader::open(context)?.read(context, log, None) else { return Ok(None) };
    let mut gathered = GatheredEvidence::of_session(&log.meta);
    let evidence =
        SessionEvidence::of(context).with_stated_outcome(&session.agent, &session.id, options.status);
    let playbook = playbook::as_written(context, context.target())?;
    let topics = SessionTopics::of(&transcript.events, &transcript.trace());
    gathered.gather_drafts(&evidence, &playbook.bullets, &topics);
    Ok(Some(gathered))
}

fn recorded(
    options: &Options,
    session: resolve::OutcomeSession,
    planned: diary::PlannedDiary,
    credits: Credits,
    parts: Vec<CurationOutcome>,
) -> OutcomeResult {
    let applied = |id: &str| parts.iter().any(|part| part.report.applied.iter().any(|done| done.id == id));
    let why_not = |id: &str| {
        let refused = parts.iter().flat_map(|part| &part.report.refused).map(|passed| (passed, true));
        let skipped = parts.iter().flat_map(|part| &part.report.skipped).map(|passed| (passed, false));
        let found = refused.chain(skipped).find(|(passed, _)| passed.id.as_deref() == Some(id));
        found.map_or_else(
            || ("it no longer exists".to_owned(), true),
            |(passed, refused)| (passed.reason.clone(), refused),
        )
    };
    let (credited, not): (Vec<CreditedRule>, Vec<CreditedRule>) =
        credits.credited().partition(|credited| applied(&credited.id));
    let mut passed = credits.passed;
    passed.extend(not.into_iter().map(|one| {
        let (reason, refused) = why_not(&one.id);
        UncreditedRule { id: one.id, why: one.why, reason, refused }
    }));
    let each = |part: fn(&CurationOutcome) -> Vec<MaturityStep>| parts.iter().flat_map(part).collect();
    OutcomeResult {
        session: session.id,
        agent: session.agent,
        outcome: options.status,
        before: planned.before,
        diary: planned.path,
        created: planned.created,
        changed: planned.changes || !credited.is_empty(),
        credited,
        passed,
        promotions: each(|part| part.report.promotions.clone()),
        demotions: each(|part| part.report.demotions.clone()),
        inversions: parts.iter().flat_map(|part| part.report.inversions.clone()).collect(),
        commit: parts.into_iter().find_map(|part| part.commit),
    }
}
