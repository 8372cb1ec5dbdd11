//! Prepares one session for learning: an excerpt for a reader, or a work package for an agent.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{CategoryGap, asker, bullets, done};
use crate::context::open::Context;
use crate::context::secrets;
use crate::error::{Error, Result};
use crate::sessions::logs;
use crate::sessions::{SessionAccess, SessionRow, access_log};
use crate::verbs::privacy;
use cm_index::sessions::SessionSummary;
use cm_learn::onboard::package::{INSTRUCTIONS, answer, example, framed, related};
use cm_learn::onboard::{Category, SessionCandidate, coverage, fit};
use cm_learn::reflect::excerpt::{MAX_EXCERPT_CHARS, excerpt};
use cm_playbook::curation::delta;
use cm_session::event::EventKind;

/// Text of a session for finding rules, shortened and redacted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Excerpt {
    pub session: SessionRow,
    /// Whether the session is marked as done.
    pub done: bool,
    /// Text with log line numbers, such as `L12 person: …`, with secrets redacted; the middle of a
    /// long session is omitted.
    pub excerpt: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExistingRule {
    /// ID of the bullet.
    pub id: String,
    pub category: String,
    /// Text of the rule.
    pub content: String,
}

/// Instructions and material with which an agent derives rules from one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OnboardingPackage {
    /// Instructions for the agent.
    pub instructions: String,
    pub session: SessionRow,
    /// Categories with too few rules; those that the session mentions come first.
    pub focus: Vec<CategoryGap>,
    /// Categories that the person mentions in the session, including well-covered ones.
    pub topics: Vec<Category>,
    /// Existing rules about the same topics.
    pub rules: Vec<ExistingRule>,
    /// Template of the delta file to complete and pass to `cm curate`.
    pub answer: Value,
    /// An example delta that shows the format.
    pub example: Value,
    /// JSON Schema of the delta file.
    pub schema: Value,
    /// Redacted text of the session, in the same format as [`Excerpt::excerpt`].
    pub excerpt: String,
}

/// Returns the excerpt of a session.
///
/// # Errors
/// An unknown or ambiguous session, a session that the calling agent may not read, and index
/// errors.
pub fn read(context: &Context, access: &SessionAccess, name: &str) -> Result<Excerpt> {
    let (listed, text) = redacted_text(context, access, name)?;
    let done = done::processed_keys(context)?.contains(&listed.session.key());
    Ok(Excerpt { session: access.row(&listed, context.now())?, done, excerpt: framed(&text) })
}

/// Returns the work package of a session.
///
/// # Errors
/// The errors of [`read`].
pub fn package(context: &Context, access: &SessionAccess, name: &str) -> Result<OnboardingPackage> {
    let (listed, text) = redacted_text(context, access, name)?;
    let bullets = bullets(context)?;
    let (covered, _) = coverage(&bullets);
    let prompts = spoken(access, &listed)?;
    let candidate =
        SessionCandidate { prompts: &prompts, count: prompts.len(), ..SessionCandidate::default() };
    let fills = fit(&candidate, &covered).fills;
    let mut focus: Vec<CategoryGap> = super::lacking(&covered).map(CategoryGap::from).collect();
    let place =
        |gap: &CategoryGap| fills.iter().position(|category| *category == gap.category).unwrap_or(usize::MAX);
    focus.sort_by_key(|gap| (place(gap), gap.rules, gap.category));
    let rules = related(&prompts.join("\n"), &bullets).into_iter().map(|bullet| ExistingRule {
        id: bullet.id.as_str().to_owned(),
        category: bullet.category.clone(),
        content: bullet.fields.content.clone(),
    });
    let key = listed.session.key();
    Ok(OnboardingPackage {
        instructions: INSTRUCTIONS.to_owned(),
        session: access.row(&listed, context.now())?,
        focus,
        topics: topics(&prompts),
        rules: rules.collect(),
        answer: answer(key.id.as_str(), key.agent.name()),
        example: example(),
        schema: delta::schema().to_value(),
        excerpt: framed(&text),
    })
}

/// Returns a session and its redacted text, and records the read in the access log.
///
/// # Errors
/// `cross-agent` if the caller may not read sessions of other agents.
fn redacted_text(context: &Context, access: &SessionAccess, name: &str) -> Result<(SessionSummary, String)> {
    let listed = access.find(name)?;
    let key = listed.session.key();
    let foreign = asker(&context.request).filter(|asker| *asker != key.agent.name());
    if let Some(asker) = foreign.filter(|_| !privacy::cross_agent(context)) {
        let message = format!("the session belongs to {}, but {asker} requests it", key.agent);
        return Err(Error::refused("cross-agent", message).hint(
            "a person can allow agents to see sessions of others with `cm config set sessions.cross_agent true --private`",
        ));
    }
    // What was read by rules that have changed since may still hold what they take out now.
    let (rules, _) = secrets::rules_of_logs(context, context.target())?;
    let text = logs::text(&excerpt(&access.events(&listed)?, MAX_EXCERPT_CHARS), &rules);
    let read = access_log::SessionRead {
        agent: key.agent.name().to_owned(),
        sessions: vec![key.id],
        bytes: text.len() as u64,
        ..access_log::SessionRead::default()
    };
    access_log::record(context, vec![read]);
    Ok((listed, text))
}

/// Returns the person's prompts in a session, in order.
fn spoken(access: &SessionAccess, listed: &SessionSummary) -> Result<Vec<String>> {
    let prompts = access.events(listed)?.into_iter().filter_map(|event| match event.kind {
        EventKind::UserPrompt { text } if !event.side => Some(text),
        _ => None,
    });
    Ok(prompts.collect())
}

/// Returns the categories that the prompts mention, most frequent first.
fn topics(prompts: &[String]) -> Vec<Category> {
    let (nothing, _) = coverage(&[]);
    fit(&SessionCandidate { prompts, count: prompts.len(), ..SessionCandidate::default() }, &nothing).fills
}
