//! Lets the later statement of a person replace an earlier one: the older rule is deprecated in
//! favour of the new one.
//!
//! Pinned rules, and rules that a person added outside of any session, are never replaced.

use super::bullet_index::BulletIndex;
use cm_note::bullet::{Bullet, RuleScope};
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal};

/// Note in the feedback event of a rule that was proposed again.
pub(super) const AGAIN: &str = "proposed again";

/// Whether a later statement of this scope may replace a bullet: it is unpinned, was learned from a
/// session, and holds nowhere else.
pub fn is_replaceable(bullet: &Bullet, scope: &RuleScope<'_>) -> bool {
    let is_learned = !bullet.fields.sources.is_empty() && !bullet.fields.derived_from.evidence.is_empty();
    is_learned && !bullet.pinned && bullet.is_standing() && covers(scope, &bullet.rule_scope())
}

/// Whether a rule with the scope `new` holds wherever one with the scope `old` does.
fn covers(new: &RuleScope<'_>, old: &RuleScope<'_>) -> bool {
    let is_everywhere = new.scope_key.is_none() && new.workspace.is_none();
    is_everywhere || (new.scope, new.scope_key, new.workspace) == (old.scope, old.scope_key, old.workspace)
}

/// Returns when a person last stated or confirmed a bullet. `ended` returns the end of a session;
/// where it is unknown, the bullet's creation counts.
pub fn last_stated(bullet: &Bullet, ended: impl Fn(&str) -> Option<Instant>) -> Option<Instant> {
    let sources = bullet.fields.sources.iter().map(|source| ended(&source.session).or(bullet.created));
    let is_statement = |event: &&Feedback| {
        let again = event.note.as_deref().is_some_and(|note| note.starts_with(AGAIN));
        event.signal == FeedbackSignal::Helpful && (again || event.session.is_none() && event.agent.is_none())
    };
    let events = bullet.feedback.iter().filter(is_statement).map(|event| Some(event.at));
    sources.chain(events).chain([bullet.last_checked]).flatten().max()
}

/// Whether a deprecated bullet was replaced by one that is replaced now, or, if a person states its rule again, by one
/// that no longer stands: then its rule holds again.
pub(super) fn returns(
    bullet_index: &BulletIndex,
    bullet: &Bullet,
    replaced: &[(usize, String)],
    is_stated: bool,
) -> bool {
    let Some(heir) = bullet.fields.replaced_by.as_deref() else { return false };
    let is_replaced = replaced.iter().any(|(at, _)| bullet_index.get(*at).id.as_str() == heir);
    let is_gone = || bullet_index.find(heir).is_some_and(|at| !bullet_index.get(at).is_standing());
    is_replaced || is_stated && is_gone()
}
