//! The work of learning from a session, handed to the agent that is already running, and its answer taken.
//!
//! So every agent is a model without a key. Its answer is held against the log as a model's is: what the session does not say
//! is refused, and where something comes from is set by the program.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::record::Record;
use super::todo::{Todo, name, plan};
use super::witness::Gathered;
use super::work::{Proposed, Work, is_live};
use super::{Options, terms};
use crate::curate::Outcome;
use crate::diary::session::Reader;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::sessions::Shelf;
use crate::{logs, playbook, write};
use cm_learn::outcome::feedback::Known;
use cm_learn::reflect::answer::{AgentAnswer, DeltasAnswer, Step, agent_schema};
use cm_learn::reflect::draft::What;
use cm_learn::reflect::near::near;
use cm_learn::reflect::{check, package};
use cm_note::bullet::Bullet;
use cm_playbook::curation::report::Passed;

/// The most rules of a package.
const RULES: usize = 40;

/// Work that is handed on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Handed {
    /// A session each.
    pub packages: Vec<Package>,
    /// How many sessions are left for the next time.
    pub left: usize,
}

/// What an agent is given to learn from a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Package {
    /// The session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// What it is called.
    pub title: String,
    /// Its diary, by rules, as a note.
    pub diary: String,
    /// The rules that are about the same.
    pub rules: Vec<Rule>,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// All of it as one text, with what is to be done and examples.
    pub prompt: String,
}

/// A rule of the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// What it says.
    pub content: String,
}

/// Puts together the work on the sessions that nobody has learned from; one where nothing else is said. Nothing is written.
///
/// # Errors
/// Those of [`super::reflect`]; nothing done where there is no such session.
pub fn hand(memory: &Memory, shelf: &Shelf, options: &Options) -> Result<Handed> {
    let record = Record::heard(memory)?;
    let plan = plan(memory, shelf, &record, &options.which, true)?;
    if plan.todo.is_empty() {
        return Err(write::nothing("there is no session to learn from")
            .hint("`cm sessions list` shows what was learned from; --days looks further back"));
    }
    let mut reader = Reader::open(memory)?;
    let playbook = playbook::as_written(memory, memory.target())?;
    let live: Vec<&Bullet> = playbook.bullets.iter().filter(|bullet| is_live(bullet)).collect();
    let known: Vec<Known<'_>> =
        live.iter().map(|bullet| Known { id: bullet.id.as_str(), content: bullet.content() }).collect();
    let mut packages = Vec::new();
    for todo in plan.todo.iter().take(options.most.unwrap_or(1)) {
        let heard = reader.read(memory, &todo.listed.session, None)?;
        let rules = near(&known, &heard.diary, &heard.events, RULES);
        packages.push(Package {
            session: heard.diary.session.clone(),
            agent: heard.diary.agent.clone(),
            title: heard.diary.title.clone(),
            diary: cm_learn::diary::note::note(&heard.diary),
            prompt: logs::text(&package::handed(&heard.diary, &heard.events, &rules), &reader.rules),
            rules: rules
                .iter()
                .map(|rule| Rule { id: rule.id.to_owned(), content: rule.content.to_owned() })
                .collect(),
            schema: agent_schema().to_value(),
        });
    }
    let left = plan.todo.len() - packages.len();
    Ok(Handed { packages, left })
}

/// Whether a text is meant as the answer to handed work, and not as a file of deltas.
pub fn is_answer(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("reflects").is_some())
}

/// Takes an answer: the session's diary, what is proposed of it, and that it was learned from, in one commit.
///
/// # Errors
/// A text that is no answer, a session that is not there, and those of a curation.
pub fn take(memory: &Memory, shelf: &Shelf, text: &str, file: &str, dry_run: bool) -> Result<Outcome> {
    let answer: AgentAnswer = serde_json::from_str(text).map_err(|error| {
        let place = (u32::try_from(error.line()).ok(), u32::try_from(error.column()).ok());
        Error::usage(format!("this is no answer to `cm reflect --emit`: {error}"))
            .at(file, place.0, place.1)
            .hint("`cm reflect --emit --json` prints its schema")
    })?;
    let listed = shelf.one(&answer.reflects)?;
    let mut reader = Reader::open(memory)?;
    let heard = reader.read(memory, &listed.session, None)?;
    let playbook = playbook::as_written(memory, memory.target())?;
    let ids =
        playbook.bullets.iter().filter(|bullet| is_live(bullet)).map(|bullet| bullet.id.as_str()).collect();
    let steps = DeltasAnswer { deltas: answer.deltas };
    let (drafts, unfounded) = check::deltas(&steps, &ids, &heard.quotable());
    let todo = Todo { conversation: [name(&listed)].into(), listed, forks: Vec::new() };
    let terms = super::Terms { again: true, ..terms(memory, dry_run) };
    let record = Record::heard(memory)?;
    let mut work = Work { memory, reader, record, asker: None, earlier: Vec::new(), terms };
    let drafts = work.fresh(drafts, &todo);
    let mut gathered = Gathered::default();
    let here = (heard.diary.agent.as_str(), heard.diary.session.as_str(), heard.diary.verdict.status);
    for draft in &drafts {
        if let What::Delta(cm_playbook::curation::delta::Delta::Add(add)) = &draft.what {
            let said = super::witness::judged(memory, &work.record, &add.bullet.content, here)?;
            gathered.keep(&add.bullet.content, said.evidence);
        }
    }
    let proposed = Proposed { todo: &todo, diary: heard.diary.clone(), drafts };
    let carried = work.carry(&proposed, &gathered)?;
    carried.notices.iter().for_each(|notice| memory.notice(notice));
    let mut outcome = carried.outcome;
    outcome.report.refused.extend(unfounded.into_iter().map(|(delta, why)| Passed {
        delta,
        op: steps.deltas.get(delta - 1).map_or("", |one| op(&one.step)).to_owned(),
        id: None,
        code: "unfounded".to_owned(),
        reason: logs::text(&why.to_string(), &work.reader.rules),
        credited: false,
    }));
    outcome.notes =
        outcome.files.iter().map(ToString::to_string).filter(|path| !path.starts_with("playbook/")).collect();
    if !dry_run {
        work.settle_answer(&proposed, outcome.report.applied.len() + carried.memories.len())?;
    }
    Ok(outcome)
}

fn op(step: &Step) -> &'static str {
    match step {
        Step::Add { .. } => "add",
        Step::Helpful { .. } => "helpful",
        Step::Harmful { .. } => "harmful",
        Step::Replace { .. } => "replace",
        Step::Deprecate { .. } => "deprecate",
        Step::Merge { .. } => "merge",
        Step::Fact { .. } => "fact",
        Step::Preference { .. } => "preference",
    }
}
