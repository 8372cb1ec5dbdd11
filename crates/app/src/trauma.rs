//! Destructive commands that sessions really ran and that went wrong, and keeping one as an anti-pattern.
//!
//! What happened, where and when is set here from the log; nobody types it. `cm guard` reads what is kept.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::curate::{self, Options as Curation, elsewhere, proposer, settle, with_request};
use super::error::{Error, Result};
use super::guard::{self, CATEGORY};
use super::logs::{self, Progress, Told, Wanted};
use super::memory::{Call, Memory, OpenVault};
use super::witnesses::Seen;
use super::{playbook, secrets, write};
use cm_learn::trauma::session::{Happened, incidents};
use cm_learn::trauma::{Class, Ground, PastIncident, Trace};
use cm_note::bullet::content::folded;
use cm_note::bullet::{BulletKind, BulletType, Incident, Source, State};
use cm_note::instant::Instant;
use cm_playbook::curation::curation::{self, Curated, Request};
use cm_playbook::curation::delta::{Add, Delta, DeltaFile, Proposal};
use cm_playbook::curation::{Authority, Playbook};
use cm_secrets::Rules as Secrets;

/// A destructive command that did harm.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suffered {
    /// Its number in this list, from 1.
    pub number: usize,
    /// What it is called, in every list.
    pub id: String,
    /// What was endangered.
    pub class: Class,
    /// The command line, its secrets taken out.
    pub command: String,
    /// The command without what differs from case to case.
    pub shape: String,
    /// What it does.
    pub reason: String,
    /// What shows the harm.
    pub evidence: Vec<String>,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: String,
    /// The line of the session's log, from 1.
    pub line: u64,
    /// When.
    pub at: Option<Instant>,
    /// The folder that was worked in.
    pub workspace: Option<String>,
    /// The log.
    pub log: String,
    /// The bullet that keeps it, or one like it of the same session.
    pub bullet: Option<String>,
}

/// The incidents of some sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Scanned {
    /// The incidents, the latest first.
    pub incidents: Vec<Suffered>,
    /// How many sessions were looked at.
    pub sessions: usize,
    /// How many logs there were.
    pub logs: usize,
}

/// Looks for incidents; with what the person should hear besides. Without a vault, none is known to be kept.
///
/// # Errors
/// Those of [`logs::each`].
pub fn scan(call: &Call, wanted: &Wanted, progress: Progress<'_>) -> Result<(Scanned, Vec<String>)> {
    let kept = Memory::open(call.clone()).map(|memory| guard::incidents(&memory)).unwrap_or_default();
    let home = call.home.as_ref().map(|home| home.display().to_string()).unwrap_or_default();
    let mut found: Vec<Suffered> = Vec::new();
    let (mut sessions, secrets) = (0, secrets::rules_at(call)?);
    let read = logs::each(call, wanted, progress, &mut |told| {
        sessions += 1;
        let cwd = told.meta.workspace.clone().unwrap_or_else(|| call.cwd.display().to_string());
        let ground = Ground::new(&cwd, &home);
        // Commands are judged as they were run; a placeholder would be another word to the shell.
        let happened = incidents(&told.events, &ground);
        found.extend(happened.iter().map(|happened| suffered(happened, &told, &kept, &secrets)));
    })?;
    found.sort_by(|a, b| (b.at, &a.session, a.line).cmp(&(a.at, &b.session, b.line)));
    (1..).zip(&mut found).for_each(|(number, one)| one.number = number);
    Ok((Scanned { incidents: found, sessions, logs: read.logs }, read.notices))
}

fn suffered(happened: &Happened<'_>, told: &Told, kept: &[PastIncident], secrets: &Secrets) -> Suffered {
    let safe = |text: &str| logs::text(text, secrets);
    let (incident, event, meta) = (&happened.incident, happened.event, &told.meta);
    let session = meta.id.to_string();
    let shape = safe(&incident.shape);
    let name = format!("{} {session} {} {}", meta.agent, event.line, event.part);
    let bullet = kept
        .iter()
        .find(|kept| kept.tells_of(&session) && kept.class == incident.class && kept.shape == shape);
    Suffered {
        number: 0,
        id: format!("t-{}", &blake3::hash(name.as_bytes()).to_hex()[..8]),
        class: incident.class,
        command: safe(&happened.command),
        shape,
        reason: safe(&incident.reason),
        evidence: incident.traces.iter().map(|trace| line(&safe(&words(trace)))).collect(),
        agent: meta.agent.to_string(),
        line: event.line,
        at: event.at.or(meta.started),
        workspace: meta.workspace.clone(),
        log: told.path.display().to_string(),
        bullet: bullet.map(|kept| kept.bullet.clone()),
        session,
    }
}

/// The first line, at most 160 characters.
fn line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().chars().take(160).collect()
}

fn words(trace: &Trace) -> String {
    match trace {
        Trace::Regret(said) => format!("the person said: {said}"),
        Trace::Apology(said) => format!("the agent said: {said}"),
        Trace::Restore(command) => format!("then was run: {command}"),
        Trace::Failure(output) => format!("it failed: {output}"),
    }
}

/// An incident that is kept now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Kept {
    /// The incident.
    pub id: String,
    /// The anti-pattern that keeps it.
    pub bullet: String,
    /// Its file.
    pub path: String,
    /// Active, or a draft: what an agent accepts waits for a person.
    pub state: State,
    /// Whether it is new; otherwise one that says the same keeps it.
    pub added: bool,
}

/// What became of the incidents that were named.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Accepted {
    /// Those that are kept.
    pub kept: Vec<Kept>,
    /// Those that were kept before.
    pub before: Vec<String>,
    /// The commit; null where commits are manual or nothing changed.
    pub commit: Option<String>,
}

/// Keeps incidents as anti-patterns, in one commit.
///
/// # Errors
/// Where one that is named is not found, where the playbook does not admit it, and those of [`write::apply`].
pub fn accept(
    memory: &Memory,
    wanted: &Wanted,
    named: &[String],
    progress: Progress<'_>,
) -> Result<Accepted> {
    let (scanned, notices) = scan(&memory.call, wanted, progress)?;
    notices.into_iter().for_each(|notice| memory.notice(notice));
    let mut chosen: Vec<&Suffered> = Vec::new();
    for name in named {
        let one = find(&scanned.incidents, name)?;
        if !chosen.iter().any(|known| known.id == one.id) {
            chosen.push(one);
        }
    }
    let before = chosen.iter().filter(|one| one.bullet.is_some()).map(|one| one.id.clone()).collect();
    chosen.retain(|one| one.bullet.is_none());
    if chosen.is_empty() {
        return Ok(Accepted { kept: Vec::new(), before, commit: None });
    }
    let (kept, commit) = keep(memory, &chosen)?;
    Ok(Accepted { kept, before, commit })
}

fn find<'a>(incidents: &'a [Suffered], name: &str) -> Result<&'a Suffered> {
    let number = name.parse::<usize>().ok();
    let found: Vec<&Suffered> = incidents
        .iter()
        .filter(|one| number.map_or_else(|| one.id.starts_with(name), |number| one.number == number))
        .collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::not_found(format!("there is no incident `{name}`"))
            .hint("`cm trauma scan` lists them; --days must reach as far back in both")),
        _ => Err(Error::not_found(format!("`{name}` may be several incidents"))
            .hint("write more of the id, as `cm trauma scan` shows it")),
    }
}

fn keep(memory: &Memory, chosen: &[&Suffered]) -> Result<(Vec<Kept>, Option<String>)> {
    let deltas: Vec<Delta> = chosen.iter().map(|one| Delta::Add(Box::new(add(one)))).collect();
    let subject = match chosen {
        [one] => format!("Keep the incident of {}", one.shape),
        more => format!("Keep {} incidents", more.len()),
    };
    let how = Curation {
        authority: curate::authority(memory),
        dry_run: false,
        sweep: false,
        op: "trauma-accept",
        subject: Some(subject),
    };
    let proposer = proposer(memory, &DeltaFile::default());
    let outcome = settle(memory, &how, &proposer, |open: &OpenVault| {
        let before = playbook::as_written(memory, open)?;
        let beside = elsewhere(memory, open, &before)?;
        // Their logs were read for the incidents, wherever they lie.
        let sessions: HashSet<String> = chosen.iter().map(|one| one.session.clone()).collect();
        let mut curated = with_request(memory, &[], &beside, &proposer, &how, &deltas, |request| {
            let history = Seen { history: request.history, sessions: &sessions };
            curation::curate(&before, &Request { history: &history, ..*request })
        });
        if let Some(error) = curate::refusal(&curated.report) {
            return Err(error);
        }
        trace_back(&before, &mut curated, chosen);
        join(&mut curated, chosen, how.authority);
        Ok((before, curated))
    })?;
    let mut kept: Vec<Kept> = Vec::new();
    for (one, number) in chosen.iter().zip(1..) {
        let added = outcome.report.applied.iter().find(|applied| applied.delta == number);
        let same = outcome.report.skipped.iter().find(|passed| passed.delta == number);
        // Of two that teach the same at once, the first makes the bullet.
        let first = || {
            let at = chosen.iter().position(|other| content(other) == content(one))?;
            Some(kept.get(at)?.bullet.clone())
        };
        let id = added
            .map(|applied| applied.id.clone())
            .or_else(|| same.and_then(|passed| passed.id.clone()))
            .or_else(first);
        let id = id.ok_or_else(|| write::nothing(format!("{} was not kept", one.id)))?;
        let (path, state) = match outcome.bullet(&id) {
            Some(bullet) => (bullet.path.to_string(), bullet.state),
            None => {
                let found = playbook::find_bullet(memory, &id)?.1;
                (found.path.to_string(), found.state)
            }
        };
        kept.push(Kept { id: one.id.clone(), bullet: id, path, state, added: added.is_some() });
    }
    Ok((kept, outcome.commit))
}

/// The rule that an incident teaches, without what only the program may say of it.
fn add(one: &Suffered) -> Add {
    let day = one.at.map(|at| format!(" on {}", at.day())).unwrap_or_default();
    let why = format!("It was run{day} in a session of {}, and went wrong.", one.agent);
    let bullet = Proposal {
        category: CATEGORY.to_owned(),
        content: content(one),
        bullet_type: Some(BulletType::AntiPattern),
        kind: Some(BulletKind::AntiPattern),
        reasoning: Some(why),
        evidence: evidence(one),
        ..Proposal::default()
    };
    Add { bullet, session: Some(one.session.clone()), line: Some(one.line), ..Add::default() }
}

/// What is kept of an incident besides its rule.
fn evidence(one: &Suffered) -> Vec<String> {
    let run = format!("it was run: {}", line(&one.command));
    std::iter::once(run).chain(one.evidence.clone()).map(|quote| folded(&quote)).collect()
}

fn source(one: &Suffered) -> Source {
    Source { session: one.session.clone(), agent: Some(one.agent.clone()), line: Some(one.line) }
}

fn content(one: &Suffered) -> String {
    let text = format!("AVOID: `{}`, which {}.", one.shape, one.reason);
    // A rule is at most 500 characters long.
    if text.chars().count() <= 480 { text } else { text.chars().take(479).chain(['…']).collect() }
}

/// Writes into the new bullets which incident each keeps, and whose session it was.
fn trace_back(before: &Playbook, curated: &mut Curated, chosen: &[&Suffered]) {
    let Curated { playbook, report, .. } = curated;
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

/// Writes into a bullet that says the same already where it happened again, and what shows it.
fn join(curated: &mut Curated, chosen: &[&Suffered], authority: Authority) {
    let Curated { playbook, report, .. } = curated;
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
        let told = |known: &Source| known.session == source.session && known.line == source.line;
        if fields.sources.iter().any(told) {
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
