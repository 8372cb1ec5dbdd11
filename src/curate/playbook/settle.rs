//! What feedback makes of bullets once the deltas are carried out: promotions, demotions, inversions.

use super::curation::{Curation, tags};
use super::report::{Inversion, Step};
use super::shelf::stands;
use crate::domain::bullet::content::{self, RuleHash};
use crate::domain::bullet::{BulletFields, BulletKind, BulletType, Maturity, State};
use crate::domain::note::Signal;
use crate::domain::note::check::RULE;
use crate::domain::score::bullet::{Downfall, Verdict, tally, verdict};

/// What an anti-pattern that was a rule begins with.
const AVOID: &str = "AVOID: ";
/// The tags that tell where it comes from.
const INVERTED: [&str; 2] = ["inverted", "anti-pattern"];

impl Curation<'_> {
    /// Gives each bullet that was touched the maturity that its feedback asks for.
    pub(super) fn settle(&mut self) {
        let looked_at: Vec<usize> = if self.request.sweep {
            self.shelf.places().collect()
        } else {
            self.touched.iter().copied().collect()
        };
        for at in looked_at {
            if self.closed(at).is_some() || self.shelf.is_double(at) {
                continue;
            }
            match verdict(self.shelf.get(at), self.request.now, self.request.scoring) {
                Verdict::Stays => {}
                Verdict::Rises(to) => self.promote(at, to),
                Verdict::Falls(why) => self.demote(at, why),
            }
        }
    }

    fn promote(&mut self, at: usize, to: Maturity) {
        // A pin is a person's word that automation leaves the bullet as it is; a person's own mark may raise it.
        if self.is_out_of_reach(at) {
            return;
        }
        let now = self.request.now;
        let tally = tally(self.shelf.get(at), now, self.request.scoring);
        let bullet = self.shelf.get_mut(at);
        let from = std::mem::replace(&mut bullet.maturity, to);
        bullet.fields.promoted_at = Some(now);
        bullet.updated = Some(now);
        let score = tally.score(to, self.request.scoring);
        let reason = format!(
            "score {score} with {} helpful in the last {} days",
            tally.recent_helpful, self.request.scoring.recent_days
        );
        let bullet = self.shelf.get(at);
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        self.report.promotions.push(Step { id, content, from, to, reason });
    }

    fn is_out_of_reach(&self, at: usize) -> bool {
        self.shelf.get(at).pinned && self.request.authority == super::Authority::Automation
    }

    fn demote(&mut self, at: usize, why: Downfall) {
        let (from, content, events) = {
            let bullet = self.shelf.get(at);
            let harmful = bullet.feedback.iter().filter(|event| event.signal == Signal::Harmful).count();
            (bullet.maturity, bullet.content().to_owned(), harmful)
        };
        let reason = match why {
            Downfall::Ratio { ratio } => {
                format!("{:.0} % of its feedback is harm ({events} harmful)", ratio * 100.0)
            }
            Downfall::Score { score } => format!("score {score} after {events} harmful"),
        };
        let was_active = self.shelf.get(at).state == State::Active;
        self.retire(at, &reason, None);
        let id = self.shelf.get(at).id.to_string();
        self.report.demotions.push(Step { id, content, from, to: Maturity::Deprecated, reason });
        // What warns of something and did harm was wrong to warn; its opposite is no rule by that.
        if self.shelf.get(at).bullet_type == BulletType::Rule {
            self.invert(at, was_active);
        }
    }

    /// Makes an anti-pattern of a deprecated rule, or finds the one that there is, and points the rule at it.
    pub(super) fn invert(&mut self, at: usize, active: bool) -> usize {
        let old = self.shelf.get(at).clone();
        let warning = warning(old.content());
        let there = self.shelf.exact(&warning, stands);
        let anti = there.unwrap_or_else(|| {
            let fields = BulletFields {
                why: Some(story(&old)),
                kind: BulletKind::AntiPattern,
                scope_key: old.fields.scope_key.clone(),
                sources: old.fields.sources.clone(),
                derived_from: old.fields.derived_from.clone(),
                search_pointer: old.fields.search_pointer.clone(),
                supersedes: Some(old.id.to_string()),
                ..BulletFields::default()
            };
            let mut anti = self.blank(&warning, &old.category, BulletType::AntiPattern, fields);
            anti.scope = old.scope;
            anti.workspace.clone_from(&old.workspace);
            anti.tags = tags(old.tags.iter().chain(&INVERTED.map(str::to_owned)));
            anti.state = if active { State::Active } else { State::Draft };
            self.shelf.push(anti)
        });
        let to = self.shelf.get(anti).id.to_string();
        self.shelf.get_mut(at).fields.replaced_by = Some(to.clone());
        let content = self.shelf.get(anti).content().to_owned();
        self.report.inversions.push(Inversion { from: old.id.to_string(), to, content });
        anti
    }
}

/// What warns of a rule, within the length of a rule.
pub fn warning(rule: &str) -> String {
    let rule = content::folded(rule);
    let room = RULE.end() - AVOID.chars().count();
    if rule.chars().count() <= room {
        return format!("{AVOID}{rule}");
    }
    let cut: String = rule.chars().take(room - 1).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{AVOID}{cut}…")
}

/// Why the rule fell, in a sentence or two.
fn story(rule: &crate::domain::bullet::Bullet) -> String {
    let mut reasons: Vec<String> = Vec::new();
    let harm = rule.feedback.iter().filter(|event| event.signal == Signal::Harmful);
    let mut count = 0;
    for event in harm {
        count += 1;
        let words = event.reason.as_deref().map(|reason| reason.replace('_', " "));
        for said in [words, event.note.clone()].into_iter().flatten() {
            if !reasons.contains(&said) {
                reasons.push(said);
            }
        }
    }
    if count == 0 {
        let reason = rule.fields.deprecation_reason.as_deref().unwrap_or("no longer followed");
        return format!("This was the rule {} until it was taken back: {reason}.", rule.id);
    }
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut story = format!("This was the rule {} until it did harm {times}", rule.id);
    if !reasons.is_empty() {
        story += &format!(": {}", reasons.join(", "));
    }
    story + "."
}

/// Whether a text is the warning of a rule.
pub fn warns_of(text: &str, rule: &str) -> bool {
    RuleHash::of(text) == RuleHash::of(&warning(rule))
}
