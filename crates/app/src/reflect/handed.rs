//! Hands reflection to the calling agent as work packages, and accepts its answers.
//!
//! This lets every agent act as the model, without an API key. An answer is checked against the log
//! like a model's: proposals that quote nothing from the session are refused, and the program sets
//! their origin.

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

/// Maximum number of rules in a package.
const RULES: usize = 40;

/// Work packages for the calling agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Handed {
    /// One package for each session.
    pub packages: Vec<Package>,
    /// Number of sessions that remain for later calls.
    pub left: usize,
}

/// Material for reflecting on one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Package {
    /// Session id, as assigned by the agent.
    pub session: String,
    /// Agent of the session, such as `claude-code`.
    pub agent: String,
    /// Title of the session, else the beginning of its first prompt.
    pub title: String,
    /// The session's diary as a Markdown note, built without a model.
    pub diary: String,
    /// Existing rules on similar topics.
    pub rules: Vec<Rule>,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// The whole package as one prompt, with instructions and examples.
    pub prompt: String,
}

/// A rule of the playbook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rule {
    /// Rule id.
    pub id: String,
    /// Text of the rule.
    pub content: String,
}

/// Builds packages for sessions that have not been reflected on, one by default. Writes nothing.
///
/// # Errors
/// Returns an error if the filter is invalid or a log cannot be read, and "nothing done" if no
/// session is left.
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

/// Returns whether a text is an answer to a work package rather than a file of deltas.
pub fn is_answer(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("reflects").is_some())
}

/// Applies an answer: commits the session's diary and the accepted proposals, and records the
/// session as processed.
///
/// # Errors
/// Returns an error if the text is not a valid answer, if the session does not exist, or if
/// curation fails.
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
