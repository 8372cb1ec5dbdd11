//! Determines which rules are credited for a session's outcome, and with which weight.

use std::collections::HashSet;

use super::resolve::OutcomeSession;
use super::{CreditReason, CreditedRule, Options, UncreditedRule};
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::error::Result;
use crate::sessions::load;
use crate::verbs::playbook::{find_bullet, merged};
use cm_learn::outcome::feedback::{DEFAULT_DERIVED_WEIGHT, RuleFeedback, RuleRef, feedback};
use cm_learn::outcome::steps::steps;
use cm_note::bullet::Bullet;
use cm_note::note::FeedbackSignal;
use cm_playbook::curation::delta::{CurationDelta, FeedbackDelta};
use cm_session::status::SessionStatus;

/// Feedback for rules, and the rules that receive none.
#[derive(Debug, Default)]
pub(super) struct Credits {
    list: Vec<(VaultLevel, CreditedRule, Option<String>)>,
    pub passed: Vec<UncreditedRule>,
}

impl Credits {
    /// Returns the feedback for the rules of one vault as deltas for a curation.
    pub fn deltas(&self, level: VaultLevel) -> Vec<CurationDelta> {
        let of_level = self.list.iter().filter(|(own, ..)| *own == level);
        of_level
            .map(|(_, credited, reason)| {
                let weight = (credited.why == CreditReason::Cited).then_some(credited.weight);
                let judge = FeedbackDelta {
                    id: credited.id.clone(),
                    reason: reason.clone(),
                    weight,
                    is_session_outcome: true,
                    ..FeedbackDelta::default()
                };
                match credited.signal {
                    FeedbackSignal::Harmful => CurationDelta::Harmful(judge),
                    _ => CurationDelta::Helpful(judge),
                }
            })
            .collect()
    }

    pub fn credited(&self) -> impl Iterator<Item = CreditedRule> + use<> {
        self.list.iter().map(|(_, credited, _)| credited.clone()).collect::<Vec<_>>().into_iter()
    }
}

/// Determines the feedback for the named rules, then for the rules that the session cites by ID.
pub(super) fn credits(context: &Context, session: &OutcomeSession, options: &Options) -> Result<Credits> {
    let signal = match options.status {
        SessionStatus::Success => Some(FeedbackSignal::Helpful),
        SessionStatus::Failure => Some(FeedbackSignal::Harmful),
        SessionStatus::Partial | SessionStatus::Mixed | SessionStatus::Unknown => None,
    };
    let mut credits = Credits::default();
    let mut rule_ids: HashSet<String> = HashSet::new();
    for reference in &options.rules {
        let (found, bullet) = find_bullet(context, reference)?;
        let id = bullet.id.to_string();
        if !rule_ids.insert(id.clone()) {
            continue;
        }
        let reason = context.request.caller.reason.clone();
        match (signal, has_explicit_feedback(&bullet, session)) {
            (None, _) => credits.pass(
                id,
                CreditReason::Named,
                format!("a session that ended in {} is no evidence for or against it", options.status.name()),
            ),
            (Some(_), Some(explicit)) if explicit => {
                credits.pass(
                    id,
                    CreditReason::Named,
                    "this session already gave feedback; use `cm mark` to add more".to_owned(),
                );
            }
            (Some(signal), _) => {
                let content = bullet.content().to_owned();
                let credited =
                    CreditedRule { id, content, signal, weight: 1.0, why: CreditReason::Named, line: None };
                credits.list.push((found.open.level, credited, reason));
            }
        }
    }
    if signal.is_some() {
        cited(context, session, options.status, &rule_ids, &mut credits)?;
    }
    Ok(credits)
}

fn cited(
    context: &Context,
    session: &OutcomeSession,
    status: SessionStatus,
    mentioned: &HashSet<String>,
    credits: &mut Credits,
) -> Result<()> {
    let bullets = merged(context)?.bullets;
    let live: Vec<_> = bullets.iter().filter(|vault_bullet| vault_bullet.bullet.is_live()).collect();
    let rule_refs: Vec<RuleRef<'_>> = live
        .iter()
        .map(|vault_bullet| RuleRef {
            id: vault_bullet.bullet.id.as_str(),
            content: vault_bullet.bullet.content(),
        })
        .collect();
    for feedback in cited_feedback(context, session, &rule_refs, status) {
        let vault_bullet = live.iter().find(|vault_bullet| vault_bullet.bullet.id.as_str() == feedback.id);
        let Some(vault_bullet) = vault_bullet.filter(|_| !mentioned.contains(&feedback.id)) else { continue };
        if has_explicit_feedback(&vault_bullet.bullet, session).is_some() {
            credits.pass(feedback.id, CreditReason::Cited, "this session already gave feedback".to_owned());
        } else if vault_bullet.bullet.pinned {
            credits.pass(
                feedback.id,
                CreditReason::Cited,
                "it is pinned, so a citation does not change it".to_owned(),
            );
        } else {
            let reason =
                format!("cited on line {} of a session that ended in {}", feedback.line, status.name());
            let credited = CreditedRule {
                content: vault_bullet.bullet.content().to_owned(),
                id: feedback.id,
                signal: feedback.signal,
                weight: feedback.weight,
                why: CreditReason::Cited,
                line: Some(feedback.line),
            };
            credits.list.push((vault_bullet.level, credited, Some(reason)));
        }
    }
    Ok(())
}

/// Returns feedback inferred from rules cited in the session's log. Explicit marks in the log are
/// excluded, because they are recorded separately.
fn cited_feedback(
    context: &Context,
    session: &OutcomeSession,
    rules: &[RuleRef<'_>],
    status: SessionStatus,
) -> Vec<RuleFeedback> {
    let Some(log) = &session.log else { return Vec::new() };
    let parsed = match load::load_from_log(context, &log.meta, log.log.as_deref().unwrap_or_default()) {
        Ok(parsed) => parsed,
        Err(error) if error.code == load::GONE => {
            context.notice("the session's log no longer exists, so its cited rules are unknown");
            return Vec::new();
        }
        Err(error) => {
            context.notice(format!("the rules cited in the session are unknown: {}", error.message));
            return Vec::new();
        }
    };
    let rule_feedback =
        feedback(&parsed.events, &steps(&parsed.events), rules, status, DEFAULT_DERIVED_WEIGHT);
    rule_feedback.into_iter().filter(|feedback| !feedback.explicit).collect()
}

/// Whether the session's earlier feedback on a rule was explicit; `None` if it gave none.
fn has_explicit_feedback(bullet: &Bullet, session: &OutcomeSession) -> Option<bool> {
    let own = bullet.feedback.iter().filter(|event| event.session.as_deref() == Some(&session.id));
    own.map(|event| event.weight >= 1.0).max()
}

impl Credits {
    fn pass(&mut self, id: String, why: CreditReason, reason: String) {
        self.passed.push(UncreditedRule { id, why, reason, refused: false });
    }
}
