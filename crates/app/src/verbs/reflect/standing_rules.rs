//! The rules of a playbook that a session may be judged by: those that are not deprecated.

use cm_learn::outcome::feedback::RuleRef;
use cm_note::bullet::Bullet;

pub(super) fn standing_rules(bullets: &[Bullet]) -> Vec<&Bullet> {
    bullets.iter().filter(|bullet| bullet.is_standing()).collect()
}

/// Ids and texts of rules.
pub(super) fn rule_refs<'a>(rules: &[&'a Bullet]) -> Vec<RuleRef<'a>> {
    rules.iter().map(|rule| RuleRef { id: rule.id.as_str(), content: rule.content() }).collect()
}
