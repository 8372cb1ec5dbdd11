//! Finds destructive commands that caused harm in past sessions, and stores them as anti-patterns
//! for `cm guard`.
//!
//! The data of an incident comes from the session's log, never from user input.

use crate::context::meaning::judge_reactions;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::progress::Progress;
use crate::context::request::Request;
use crate::context::{secrets, write};
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::evidence::FixedHistory;
use crate::sessions::logs;
use crate::sessions::logs::LogSelection;
use crate::verbs::curate::{
    CurationInputs, CurationOptions, ExtraChangeSet, PlannedCuration, check_refusals, elsewhere, proposer,
    write_curation,
};
use crate::verbs::guard::CATEGORY;
use crate::verbs::{guard, playbook};
use cm_learn::trauma::reaction::HarmJudge;
use cm_learn::trauma::session::{SessionIncident, incidents};
use cm_learn::trauma::{DangerClass, HarmEvidence, PastIncident, PathContext, sql_operation};
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::{BulletKind, BulletState, BulletType, Incident, SessionSource};
use cm_note::instant::Instant;
use cm_note::message::CommitOp;
use cm_note::user_text::UserText;
use cm_playbook::curation::apply::{CurationRequest, CurationResult};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, DeltaFile, RuleProposal};
use cm_playbook::curation::{Authority, Playbook, apply};
use cm_secrets::RedactionRules as Secrets;
use cm_session::SessionMeta;
use cm_session::event::SessionEvent;
use cm_text::shorten::shorten;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;

/// A destructive command in a past session that caused harm.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScannedIncident {
    /// Stable id of the incident.
    pub id: String,
    /// Kind of damage that the command can cause.
    pub class: DangerClass,
    /// Command line with secrets redacted.
    pub command: String,
    /// The command without its variable parts, for comparison with later commands.
    pub shape: String,
    /// Effect of the command, such as what it deletes.
    pub reason: String,
    /// Signs of the harm in the log: regret, apology, repair or failure.
    pub evidence: Vec<String>,
    /// Agent of the session, such as `claude-code`.
    pub agent: String,
    /// Session id, as assigned by the agent.
    pub session: String,
    /// Line number in the session's log, from 1.
    pub line: u64,
    /// Time of the command; else the start of the session.
    pub at: Option<Instant>,
    /// Working directory of the session.
    pub workspace: Option<String>,
    /// Path of the log file that contains the session.
    pub log: String,
    /// Id of the bullet that records this incident, or a similar one of the same session.
    pub bullet: Option<String>,
}

/// Incidents found in session logs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IncidentScan {
    /// Incidents, most recent first.
    pub incidents: Vec<ScannedIncident>,
    /// Number of scanned sessions.
    pub sessions: usize,
    /// Number of scanned logs.
    pub logs: usize,
}

/// Searches session logs for incidents; also returns notices. Without a vault, `bullet` is null in
/// every incident.
///
/// # Errors
/// Returns an error if the filter is invalid, or if a redaction rule or a log cannot be used.
pub fn scan(
    request: &Request,
    wanted: &LogSelection,
    progress: &dyn Fn(Progress),
) -> Result<(IncidentScan, Vec<UserText>)> {
    let context = Context::open(request.clone()).ok();
    let past_incidents = context.as_ref().map(guard::incidents).unwrap_or_default();
    let open = context.as_ref().map(Context::target);
    let judge = |author, sentences: &[&str]| judge_reactions(open, author, sentences);
    let mut found: Vec<ScannedIncident> = Vec::new();
    let (mut sessions, secrets) = (0, secrets::rules_for_request(request)?);
    let read = logs::each(request, wanted, progress, &mut |session| {
        sessions += 1;
        // Commands are judged as they were run; a placeholder would be another word to the shell.
        let happened = incidents_of(request, &session.meta, &session.events, &judge);
        let log = session.path.display().to_string();
        let scanned =
            |one: &SessionIncident<'_>| to_incident(one, (&session.meta, &log), &past_incidents, &secrets);
        found.extend(happened.iter().map(scanned));
    })?;
    found.sort_by(|a, b| (b.at, &a.session, a.line).cmp(&(a.at, &b.session, b.line)));
    Ok((IncidentScan { incidents: found, sessions, logs: read.logs }, read.notices))
}

/// Finds the harmful commands of a session, seen from its working directory.
pub(super) fn incidents_of<'s>(
    request: &Request,
    meta: &SessionMeta,
    events: &'s [SessionEvent],
    judge: HarmJudge<'_>,
) -> Vec<SessionIncident<'s>> {
    let home = request.home.as_ref().map(|home| home.display().to_string()).unwrap_or_default();
    let cwd = meta.workspace.clone().unwrap_or_else(|| request.cwd.display().to_string());
    incidents(events, &PathContext::new(&cwd, &home), judge)
}

/// Stores the incidents of a session as drafts, so that a person can accept or reject them in review. Those that
/// only a failure indicates are left to [`scan`]. Returns the commands of the new drafts.
///
/// # Errors
/// Returns an error if a redaction rule cannot be used or the write fails. What a person rejected before is not
/// an error.
pub(super) fn propose(context: &Context, meta: &SessionMeta, events: &[SessionEvent]) -> Result<Vec<String>> {
    let judge = |author, sentences: &[&str]| judge_reactions(Some(context.target()), author, sentences);
    let mut happened = incidents_of(&context.request, meta, events, &judge);
    let is_evident = |trace: &HarmEvidence| !matches!(trace, HarmEvidence::Failure(_));
    happened.retain(|one| one.incident.traces.iter().any(is_evident));
    if happened.is_empty() {
        return Ok(Vec::new());
    }
    let (past, secrets) = (guard::incidents(context), secrets::rules_for_request(&context.request)?);
    let found: Vec<ScannedIncident> =
        happened.iter().map(|one| to_incident(one, (meta, ""), &past, &secrets)).collect();
    let new: Vec<&ScannedIncident> = found.iter().filter(|one| one.bullet.is_none()).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let mut added = Vec::new();
    // One by one: what was rejected before refuses the whole curation.
    for incident in new {
        match store(context, &[incident], CurationOptions::by_program(CommitOp::Reflect)) {
            Ok((stored, _)) => {
                added.extend(stored.iter().any(|one| one.added).then(|| incident.shape.clone()))
            }
            Err(error) if error.kind == ErrorKind::Refused => {}
            Err(error) => return Err(error),
        }
    }
    Ok(added)
}

fn to_incident(
    happened: &SessionIncident<'_>,
    (meta, log): (&SessionMeta, &str),
    stored: &[PastIncident],
    secrets: &Secrets,
) -> ScannedIncident {
    let safe = |text: &str| logs::text(text, secrets);
    let (incident, event) = (&happened.incident, happened.event);
    let session = meta.id.to_string();
    let shape = safe(&incident.shape);
    let name = format!("{} {session} {} {}", meta.agent, event.line, event.part);
    let bullet = stored.iter().find(|incident_before| {
        incident_before.happened_in(&session)
            && incident_before.class == incident.class
            && incident_before.shape == shape
    });
    ScannedIncident {
        id: format!("t-{}", &blake3::hash(name.as_bytes()).to_hex()[..8]),
        class: incident.class,
        command: safe(&happened.command),
        shape,
        reason: safe(&incident.reason),
        evidence: incident.traces.iter().map(|trace| line(&safe(&describe_trace(trace)))).collect(),
        agent: meta.agent.to_string(),
        line: event.line,
        at: event.at.or(meta.started),
        workspace: meta.workspace.clone(),
        log: log.to_owned(),
        bullet: bullet.map(|past| past.bullet.clone()),
        session,
    }
}

/// Returns the first line of a text, truncated to 160 characters.
fn line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(160).collect()
}

fn describe_trace(trace: &HarmEvidence) -> String {
    match trace {
        HarmEvidence::Regret(quote) => format!("the user said: {quote}"),
        HarmEvidence::Apology(quote) => format!("the agent said: {quote}"),
        HarmEvidence::Restore(command) => format!("then this was run: {command}"),
        HarmEvidence::Failure(output) => format!("it failed: {output}"),
    }
}

/// An incident that was stored as an anti-pattern.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StoredIncident {
    pub id: String,
    /// Id of the anti-pattern that warns of the command.
    pub bullet: String,
    /// Path of the anti-pattern.
    pub path: String,
    /// State of the anti-pattern: active, or draft if an agent accepted it.
    pub state: BulletState,
    /// Whether the anti-pattern is new, rather than an existing one with the same rule.
    pub added: bool,
}

/// Result of storing incidents as anti-patterns.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AcceptResult {
    /// Incidents that were stored.
    pub kept: Vec<StoredIncident>,
    /// Ids of incidents that had been stored before.
    pub before: Vec<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Stores incidents as anti-patterns, in one commit.
///
/// # Errors
/// Returns an error if an incident is not found, if curation refuses its rule, or if the write
/// fails.
pub fn accept(
    context: &Context,
    wanted: &LogSelection,
    names: &[String],
    progress: &dyn Fn(Progress),
) -> Result<AcceptResult> {
    let (scanned, notices) = scan(&context.request, wanted, progress)?;
    notices.into_iter().for_each(|notice| context.notice(notice));
    let mut chosen: Vec<&ScannedIncident> = Vec::new();
    for name in names {
        let one = find(&scanned.incidents, name)?;
        if !chosen.iter().any(|other| other.id == one.id) {
            chosen.push(one);
        }
    }
    let before = chosen.iter().filter(|one| one.bullet.is_some()).map(|one| one.id.clone()).collect();
    chosen.retain(|one| one.bullet.is_none());
    if chosen.is_empty() {
        return Ok(AcceptResult { kept: Vec::new(), before, commit: None });
    }
    let how = CurationOptions::by_caller(context, CommitOp::TraumaAccept);
    let (stored, commit) = store(context, &chosen, how)?;
    Ok(AcceptResult { kept: stored, before, commit })
}

fn find<'a>(incidents: &'a [ScannedIncident], name: &str) -> Result<&'a ScannedIncident> {
    let found: Vec<&ScannedIncident> = incidents.iter().filter(|one| one.id.starts_with(name)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::not_found(format!("incident `{name}` not found"))
            .hint("`cm trauma scan --days 365` lists incidents with their IDs")),
        _ => Err(Error::ambiguous(format!("`{name}` matches several incidents"))
            .hint("use a longer prefix of the ID from `cm trauma scan`")),
    }
}

fn store(
    context: &Context,
    chosen: &[&ScannedIncident],
    how: CurationOptions,
) -> Result<(Vec<StoredIncident>, Option<String>)> {
    let deltas: Vec<CurationDelta> =
        chosen.iter().map(|one| CurationDelta::Add(Box::new(add(one)))).collect();
    let subject = match chosen {
        [one] => format!("Store the incident of {}", one.shape),
        more => format!("Store {} incidents", more.len()),
    };
    let how = how.with_subject(subject);
    let proposer = proposer(context, &DeltaFile::default());
    let (outcome, ()) = write_curation(context, &how, &proposer, |open: &OpenVault| {
        let before = playbook::as_written(context, open)?;
        let other_vaults = elsewhere(context, open, &before)?;
        // Their logs were read for the incidents, wherever they lie.
        let sessions: HashSet<String> = chosen.iter().map(|one| one.session.clone()).collect();
        let inputs = CurationInputs::of(context, &proposer, &how);
        let request = inputs.request(&other_vaults, &deltas);
        let history = FixedHistory { history: request.history, sessions: &sessions };
        let mut curated = apply::curate(&before, &CurationRequest { history: &history, ..request });
        check_refusals(&curated.report)?;
        set_incident_fields(&before, &mut curated, chosen);
        merge_into_existing(&mut curated, chosen, how.authority);
        Ok(PlannedCuration { before, curated, extra: ExtraChangeSet::default() })
    })?;
    let mut incidents: Vec<StoredIncident> = Vec::new();
    for (one, number) in chosen.iter().zip(1..) {
        let added = outcome.report.applied.iter().find(|applied| applied.delta == number);
        let same = outcome.report.skipped.iter().find(|passed| passed.delta == number);
        // Of two that teach the same at once, the first makes the bullet.
        let first = || {
            let at = chosen.iter().position(|other| content(other) == content(one))?;
            Some(incidents.get(at)?.bullet.clone())
        };
        let id = added
            .map(|applied| applied.id.clone())
            .or_else(|| same.and_then(|passed| passed.id.clone()))
            .or_else(first);
        let id = id.ok_or_else(|| write::nothing_done(format!("{} was not stored", one.id)))?;
        let bullet = outcome.stored(context, &id)?;
        incidents.push(StoredIncident {
            id: one.id.clone(),
            bullet: id,
            path: bullet.path.to_string(),
            state: bullet.state,
            added: added.is_some(),
        });
    }
    Ok((incidents, outcome.commit))
}

/// Creates the delta that adds an anti-pattern for an incident.
fn add(one: &ScannedIncident) -> AddDelta {
    let day = one.at.map(|at| format!(" on {}", at.day())).unwrap_or_default();
    let why = format!("It was run{day} in a session of {} and went wrong.", one.agent);
    let bullet = RuleProposal {
        category: CATEGORY.to_owned(),
        content: content(one),
        bullet_type: Some(BulletType::AntiPattern),
        kind: Some(BulletKind::AntiPattern),
        reasoning: Some(why),
        evidence: evidence(one),
        ..RuleProposal::default()
    };
    AddDelta { bullet, session: Some(one.session.clone()), line: Some(one.line), ..AddDelta::default() }
}

/// Returns the quotes to store with the anti-pattern: the command, then the signs of harm.
fn evidence(one: &ScannedIncident) -> Vec<String> {
    let run = format!("this was run: {}", line(&one.command));
    std::iter::once(run).chain(one.evidence.clone()).map(|quote| fold_whitespace(&quote)).collect()
}

fn source(one: &ScannedIncident) -> SessionSource {
    SessionSource { session: one.session.clone(), agent: Some(one.agent.clone()), line: Some(one.line) }
}

fn content(one: &ScannedIncident) -> String {
    // The shape of `psql -c "TRUNCATE …"` does not say what is to be avoided.
    let operation = sql_operation(&one.command).filter(|_| one.class == DangerClass::Database);
    let operation = operation.filter(|name| !one.shape.to_uppercase().contains(name.as_str()));
    let with = operation.map(|name| format!(" with `{name}`")).unwrap_or_default();
    let text = format!("AVOID: `{}`{with}, which {}.", one.shape, one.reason);
    // A rule is at most 500 characters long.
    shorten(&text, 480).into_owned()
}

/// Sets incident and session of each bullet that the curation added.
fn set_incident_fields(before: &Playbook, curated: &mut CurationResult, chosen: &[&ScannedIncident]) {
    let CurationResult { playbook, report, .. } = curated;
    for bullet in &mut playbook.bullets[before.bullets.len()..] {
        let applied = report.applied.iter().find(|applied| applied.id == bullet.id.as_str());
        let Some(one) = applied.and_then(|applied| chosen.get(applied.delta.checked_sub(1)?)) else {
            continue;
        };
        bullet.fields.incident = Some(Incident {
            class: one.class.name().to_owned(),
            shape: one.shape.clone(),
            session: Some(one.session.clone()),
            date: one.at.map(|at| at.day()),
        });
        bullet.fields.sources = vec![source(one)];
    }
}

/// Adds session and evidence of an incident to an existing bullet with the same rule.
fn merge_into_existing(curated: &mut CurationResult, chosen: &[&ScannedIncident], authority: Authority) {
    let CurationResult { playbook, report, .. } = curated;
    let id_of = |number: usize| {
        let applied = report.applied.iter().find(|applied| applied.delta == number);
        applied.map(|applied| applied.id.clone()).or_else(|| {
            let same = report.skipped.iter().find(|passed| passed.delta == number);
            same.and_then(|passed| passed.id.clone())
        })
    };
    for one in chosen {
        // Of two that teach the same at once, the first makes the bullet.
        let first = chosen.iter().position(|other| content(other) == content(one));
        let Some(id) = first.and_then(|at| id_of(at + 1)) else { continue };
        let bullet = playbook.bullets.iter_mut().find(|bullet| bullet.id.as_str() == id);
        let Some(bullet) = bullet.filter(|bullet| !bullet.pinned || authority == Authority::Person) else {
            continue;
        };
        let (source, fields) = (source(one), &mut bullet.fields);
        let is_same_place =
            |other: &SessionSource| other.session == source.session && other.line == source.line;
        if fields.sources.iter().any(is_same_place) {
            continue;
        }
        fields.sources.push(source);
        for quote in evidence(one) {
            if !fields.derived_from.evidence.contains(&quote) {
                fields.derived_from.evidence.push(quote);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_of_several_incidents_is_ambiguous() {
        let incident = |id: &str| ScannedIncident {
            id: id.to_owned(),
            class: DangerClass::HardReset,
            command: "git reset --hard".to_owned(),
            shape: "git reset --hard".to_owned(),
            reason: "discards all uncommitted changes".to_owned(),
            evidence: Vec::new(),
            agent: "codex".to_owned(),
            session: "s".to_owned(),
            line: 1,
            at: None,
            workspace: None,
            log: "log.jsonl".to_owned(),
            bullet: None,
        };
        let incidents = [incident("t-12"), incident("t-13")];
        assert_eq!(find(&incidents, "t-12").unwrap().id, "t-12");
        assert!(find(&incidents, "t-2").unwrap_err().is_not_found());
        assert!(find(&incidents, "t-1").unwrap_err().is_ambiguous());
    }
}
