//! Somebody's word on how a session ended: kept in the session's diary note, and credited to the rules that it is about.
//!
//! The rules that are named get the whole word, those that the session cites by id a fraction, all others nothing: shown is
//! not used. Diary and feedback are one commit. A rule of another vault gets its word there.

mod credit;
mod diary;
mod which;

use schemars::JsonSchema;
use serde::Serialize;

use super::curate::{self, Beside, Options as Curation, Outcome as Curated};
use super::error::Result;
use super::memory::{Level, Memory};
use super::sessions::{Progress, Shelf};
use cm_note::note::Signal;
use cm_playbook::curation::Authority;
use cm_playbook::curation::delta::DeltaFile;
use cm_playbook::curation::report::{Inversion, Step};
use credit::Credits;

pub use cm_session::status::SessionStatus;

/// The word.
#[derive(Debug, Clone)]
pub struct Options {
    /// The session's id, or the beginning of it.
    pub session: String,
    /// How it ended.
    pub status: SessionStatus,
    /// The rules that had a part in it.
    pub rules: Vec<String>,
}

/// Why a rule is credited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It was named.
    Named,
    /// The session cites it by its id.
    Cited,
}

/// A rule that was credited.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Credited {
    /// The rule's id.
    pub id: String,
    /// What it says.
    pub content: String,
    /// What the session says of it.
    pub signal: Signal,
    /// How much that counts: 1, or the fraction of a citation.
    pub weight: f64,
    /// Why.
    pub why: Why,
    /// The line of the log that cites it, from 1.
    pub line: Option<u64>,
}

/// A rule that was not credited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Passed {
    /// The rule's id.
    pub id: String,
    /// Whether it was named or cited.
    pub why: Why,
    /// Why it was not.
    pub reason: String,
    /// Whether the playbook refused the word; otherwise there was none to take.
    pub refused: bool,
}

/// What was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recorded {
    /// The session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// How it ended.
    pub outcome: SessionStatus,
    /// What was known of that before; null where nothing was.
    pub before: Option<SessionStatus>,
    /// The file of its diary.
    pub diary: String,
    /// Whether the diary was made for this.
    pub created: bool,
    /// Rules that were credited.
    pub credited: Vec<Credited>,
    /// Rules that were not.
    pub passed: Vec<Passed>,
    /// Rules that it promoted.
    pub promotions: Vec<Step>,
    /// Rules that it deprecated.
    pub demotions: Vec<Step>,
    /// Anti-patterns that were made of those.
    pub inversions: Vec<Inversion>,
    /// Whether anything was written; false where all of it was said before.
    pub changed: bool,
    /// The commit; null where commits are manual or nothing changed.
    pub commit: Option<String>,
}

impl Recorded {
    /// Whether a rule that was named could not take its word.
    pub fn failed(&self) -> bool {
        self.passed.iter().any(|passed| passed.why == Why::Named && passed.refused)
    }
}

/// Records how a session ended. What is new in agents' logs is read first, unless the call says not to.
///
/// # Errors
/// No such session or rule, or several; and those of [`super::write::apply`].
pub fn outcome(memory: &Memory, options: &Options, progress: &mut dyn FnMut(Progress)) -> Result<Recorded> {
    let shelf = Shelf::open(memory, progress)?;
    for open in &memory.vaults {
        memory.freshen(open)?;
    }
    let session = which::which(memory, &shelf, options)?;
    let credits = credit::credits(memory, &session, options)?;
    let level = memory.target().level;
    let how = Curation {
        authority: Authority::Person,
        dry_run: false,
        sweep: false,
        op: "outcome",
        subject: Some(format!("Note that session {} ended in {}", session.short(), options.status.name())),
    };
    let file = |level: Level| DeltaFile {
        session: Some(session.id.clone()),
        // Whoever says so is not the agent whose session it was.
        agent: None,
        deltas: credits.deltas(level),
    };
    let planned = diary::plan(memory, &session, options)?;
    let word = |open: &_| Ok((diary::changes(memory, open, &session, options)?, Vec::new()));
    let beside = Beside { history: None, changes: &word };
    let here = curate::curate_beside(memory, &file(level), &how, &beside)?;
    let mut parts = vec![here];
    for open in memory.vaults.iter().filter(|open| open.level != level) {
        let file = file(open.level);
        if !file.deltas.is_empty() {
            let there = memory.alone(open)?;
            parts.push(curate::curate(&there, &file, &how)?);
            there.take_notices().into_iter().for_each(|notice| memory.notice(notice));
        }
    }
    Ok(recorded(options, session, planned, credits, parts))
}

fn recorded(
    options: &Options,
    session: which::Which,
    planned: diary::Planned,
    credits: Credits,
    parts: Vec<Curated>,
) -> Recorded {
    let applied = |id: &str| parts.iter().any(|part| part.report.applied.iter().any(|done| done.id == id));
    let why_not = |id: &str| {
        let refused = parts.iter().flat_map(|part| &part.report.refused).map(|passed| (passed, true));
        let skipped = parts.iter().flat_map(|part| &part.report.skipped).map(|passed| (passed, false));
        let found = refused.chain(skipped).find(|(passed, _)| passed.id.as_deref() == Some(id));
        found.map_or_else(
            || ("it is no longer there".to_owned(), true),
            |(passed, refused)| (passed.reason.clone(), refused),
        )
    };
    let (credited, not): (Vec<Credited>, Vec<Credited>) =
        credits.credited().partition(|credited| applied(&credited.id));
    let mut passed = credits.passed;
    passed.extend(not.into_iter().map(|one| {
        let (reason, refused) = why_not(&one.id);
        Passed { id: one.id, why: one.why, reason, refused }
    }));
    let each = |part: fn(&Curated) -> Vec<Step>| parts.iter().flat_map(part).collect();
    Recorded {
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
