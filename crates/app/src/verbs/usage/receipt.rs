//! The receipt of one session: what it was shown, and what became of each rule.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{KindTokens, by_kind};
use crate::context::open::Context;
use crate::context::receipts::{ReceiptEntry, ShownRules};
use crate::error::{Error, Result};
use crate::sessions::SessionAccess;
use crate::sessions::load::load_from_log;
use crate::verbs::playbook::merged;
use cm_learn::outcome::feedback::{RuleRef, cited};
use cm_learn::outcome::steps::steps;
use cm_note::bullet::Bullet;
use cm_note::note::{Feedback, FeedbackSignal};

/// Everything that one session was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReceipt {
    /// Session id.
    pub session: String,
    /// Name of the agent; empty if unknown.
    pub agent: String,
    /// Estimated tokens.
    pub tokens: usize,
    /// The same by kind, largest first.
    pub kinds: Vec<KindTokens>,
    /// What was shown, in order.
    pub entries: Vec<ReceiptEntry>,
    /// Rules that were shown or repeated, in the order in which they were first shown.
    pub rules: Vec<RuleReceipt>,
}

/// What became of one rule in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleReceipt {
    /// ID of the rule.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Number of times that it was shown.
    pub shown: usize,
    /// Whether the agent cited it by its ID; null if the session's log cannot be read.
    pub cited: Option<bool>,
    /// Whether a person repeated it although it had been shown.
    pub ignored: bool,
}

/// Returns the receipt of the session with this id, or with the only id that begins so.
///
/// # Errors
/// No receipt of the session, several sessions that begin so, or rules that cannot be read.
pub(super) fn receipt(
    context: &Context,
    mut entries: Vec<ReceiptEntry>,
    name: &str,
) -> Result<SessionReceipt> {
    entries.retain(|entry| entry.session.as_deref().is_some_and(|session| session.starts_with(name)));
    let mut ids: Vec<String> = entries.iter().filter_map(|entry| entry.session.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    let session = match ids.iter().find(|id| *id == name).or(ids.first()) {
        Some(id) if ids.len() == 1 || id == name => id.clone(),
        Some(_) => {
            return Err(Error::ambiguous(format!("`{name}` matches several sessions"))
                .hint(format!("use one of {}", ids.join(", "))));
        }
        None => {
            return Err(Error::not_found(format!("no receipt of session `{name}`"))
                .hint("`cm usage` lists the sessions that were shown something"));
        }
    };
    entries.retain(|entry| entry.session.as_ref() == Some(&session));
    let agents = entries.iter().map(|entry| entry.agent.clone());
    let agent = agents.into_iter().find(|agent| !agent.is_empty()).unwrap_or_default();
    let tokens = entries.iter().map(|entry| entry.tokens).sum();
    let rules = rules(context, &session, &entries)?;
    Ok(SessionReceipt { session, agent, tokens, kinds: by_kind(&entries), entries, rules })
}

/// Returns the rules of all open vaults that the session was shown, or that a person repeated in it.
fn rules(context: &Context, session: &str, entries: &[ReceiptEntry]) -> Result<Vec<RuleReceipt>> {
    let bullets: Vec<Bullet> =
        merged(context)?.bullets.into_iter().map(|vault_bullet| vault_bullet.bullet).collect();
    let shown = ShownRules::of_entries(entries, &bullets.iter().collect::<Vec<_>>());
    let is_ignored = |bullet: &Bullet| {
        let own = |event: &&Feedback| event.session.as_deref() == Some(session);
        bullet.feedback.iter().filter(own).any(|event| event.signal == FeedbackSignal::Ignored)
    };
    let mut found: Vec<&Bullet> =
        bullets.iter().filter(|bullet| shown.count(bullet.id.as_str()) > 0 || is_ignored(bullet)).collect();
    found.sort_by_key(|bullet| shown.first(bullet.id.as_str()));
    let cited = cited_rules(context, session, &found);
    let receipt = |bullet: &Bullet| RuleReceipt {
        id: bullet.id.to_string(),
        content: bullet.content().to_owned(),
        shown: shown.count(bullet.id.as_str()),
        cited: cited.as_ref().map(|cited| cited.contains(bullet.id.as_str())),
        ignored: is_ignored(bullet),
    };
    Ok(found.into_iter().map(receipt).collect())
}

/// Returns the ids of the rules that the agent cites in the session's log; `None` if the log is
/// unknown or cannot be read.
fn cited_rules(context: &Context, session: &str, rules: &[&Bullet]) -> Option<HashSet<String>> {
    let listed = SessionAccess::open_without_refresh(context).find(session).ok()?.session;
    let log = load_from_log(context, &listed.meta, listed.log.as_deref()?).ok()?;
    let rules: Vec<RuleRef<'_>> =
        rules.iter().map(|rule| RuleRef { id: rule.id.as_str(), content: rule.content() }).collect();
    let by_id: BTreeMap<String, &RuleRef<'_>> =
        rules.iter().map(|rule| (rule.id.to_lowercase(), rule)).collect();
    let cited = cited(&log.events, &steps(&log.events), &by_id);
    Some(cited.into_iter().map(|(id, _)| id).collect())
}
