//! One session for whoever is to learn from it: an excerpt, or the work package for an agent.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Gap, asker, bullets, done};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::sessions::{Row, Shelf, reads};
use crate::{logs, privacy, secrets};
use cm_index::sessions::Listed;
use cm_learn::onboard::package::{INSTRUCTIONS, answer, example, framed, related};
use cm_learn::onboard::{Candidate, Category, coverage, fit};
use cm_learn::reflect::excerpt::{MOST, excerpt};
use cm_playbook::curation::delta;
use cm_session::event::EventKind;

/// A session to learn from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Excerpt {
    /// The session.
    pub session: Row,
    /// Whether it is done already.
    pub done: bool,
    /// Its text without secrets, line by line as `L12 person: …`, the middle left out where it is long.
    pub excerpt: String,
}

/// A rule that is there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// Its category.
    pub category: String,
    /// What it says.
    pub content: String,
}

/// The work package for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Package {
    /// What to do.
    pub instructions: String,
    /// The session.
    pub session: Row,
    /// What to look for first: the categories that lack rules, those that the session talks of before the others.
    pub focus: Vec<Gap>,
    /// The categories that the person talked of, of whatever coverage.
    pub topics: Vec<Category>,
    /// The rules that are about the same.
    pub rules: Vec<Rule>,
    /// The delta file to fill and to give to `cm curate`.
    pub answer: Value,
    /// A delta, for its form alone.
    pub example: Value,
    /// The JSON Schema of the delta file.
    pub schema: Value,
    /// The session's text, as in an excerpt.
    pub excerpt: String,
}

/// The excerpt of a session.
///
/// # Errors
/// No such session, or several; one that the asking agent may not be shown; and those of the index.
pub fn read(memory: &Memory, shelf: &Shelf, name: &str) -> Result<Excerpt> {
    let (listed, text) = told(memory, shelf, name)?;
    let done = done::known(memory)?.contains(&listed.session.key());
    Ok(Excerpt { session: shelf.row(&listed, memory.now())?, done, excerpt: framed(&text) })
}

/// The work package of a session.
///
/// # Errors
/// Those of [`read`].
pub fn package(memory: &Memory, shelf: &Shelf, name: &str) -> Result<Package> {
    let (listed, text) = told(memory, shelf, name)?;
    let bullets = bullets(memory)?;
    let (covered, _) = coverage(&bullets);
    let prompts = spoken(shelf, &listed)?;
    let candidate = Candidate { prompts: &prompts, count: prompts.len(), ..Candidate::default() };
    let fills = fit(&candidate, &covered).fills;
    let mut focus: Vec<Gap> = super::lacking(&covered).map(Gap::from).collect();
    let place = |gap: &Gap| fills.iter().position(|category| *category == gap.category).unwrap_or(usize::MAX);
    focus.sort_by_key(|gap| (place(gap), gap.rules, gap.category));
    let rules = related(&prompts.join("\n"), &bullets).into_iter().map(|bullet| Rule {
        id: bullet.id.as_str().to_owned(),
        category: bullet.category.clone(),
        content: bullet.fields.content.clone(),
    });
    let key = listed.session.key();
    Ok(Package {
        instructions: INSTRUCTIONS.to_owned(),
        session: shelf.row(&listed, memory.now())?,
        focus,
        topics: topics(&prompts),
        rules: rules.collect(),
        answer: answer(key.id.as_str(), key.agent.name()),
        example: example(),
        schema: delta::schema().to_value(),
        excerpt: framed(&text),
    })
}

/// The session of that name and its text without secrets; that it was read is written down.
fn told(memory: &Memory, shelf: &Shelf, name: &str) -> Result<(Listed, String)> {
    let listed = shelf.one(name)?;
    let key = listed.session.key();
    let foreign = asker(&memory.call).filter(|asker| *asker != key.agent.name());
    if let Some(asker) = foreign.filter(|_| !privacy::cross_agent(memory)) {
        let message = format!("the session is one of {}, and {asker} asks for it", key.agent);
        return Err(Error::refused("cross-agent", message).hint(
            "a person may let agents be shown sessions of others: cm config set sessions.cross_agent true --private",
        ));
    }
    // What was read by rules that have changed since may still hold what they take out now.
    let (rules, _) = secrets::rules_of_logs(memory, memory.target())?;
    let text = logs::text(&excerpt(&shelf.events(&listed)?, MOST), &rules);
    let read = reads::Read {
        agent: key.agent.name().to_owned(),
        sessions: vec![key.id],
        bytes: text.len() as u64,
        ..reads::Read::default()
    };
    reads::record(memory, vec![read]);
    Ok((listed, text))
}

/// What the person said.
fn spoken(shelf: &Shelf, listed: &Listed) -> Result<Vec<String>> {
    let said = shelf.events(listed)?.into_iter().filter_map(|event| match event.kind {
        EventKind::UserPrompt { text } if !event.side => Some(text),
        _ => None,
    });
    Ok(said.collect())
}

/// The categories that the person talked of, the most talked of first.
fn topics(prompts: &[String]) -> Vec<Category> {
    let (nothing, _) = coverage(&[]);
    fit(&Candidate { prompts, count: prompts.len(), ..Candidate::default() }, &nothing).fills
}
