//! Applies the consequences of feedback after all deltas: promotions, demotions and inversions.

use super::adding::tags;
use super::apply::{Curation, SweepScope};
use super::report::{Inversion, MaturityStep};
use cm_note::bullet::content;
use cm_note::bullet::{Bullet, BulletFields, BulletKind, BulletState, BulletType, Maturity};
use cm_note::note::FeedbackSignal;
use cm_note::note::check::RULE;
use cm_note::note::length::is_too_short;
use cm_note::score::bullet::{DeprecationReason, MaturityChange, is_forbidden, tally, verdict};

/// Prefix of an anti-pattern's text that was created from a harmful rule.
const AVOID: &str = "AVOID: ";
/// Tags that are added to an anti-pattern created from a harmful rule.
const INVERTED: [&str; 2] = ["inverted", "anti-pattern"];

impl Curation<'_> {
    /// Recomputes the maturity of the changed bullets, or of all bullets if requested, and checks
    /// whether drafts now have enough evidence to become active.
    pub(super) fn settle(&mut self) {
        let review_all = self.request.sweep == SweepScope::All;
        let looked_at: Vec<usize> = if review_all {
            self.bullet_index.places().collect()
        } else {
            self.touched.iter().copied().collect()
        };
        for at in looked_at {
            if self.closed(at).is_some() || self.bullet_index.is_double(at) {
                continue;
            }
            let harmed = self.harmed.contains(&at);
            // A helpful or irrelevant event of this curation lowers nothing, whatever came in by a merge before it.
            let may_lower = harmed || review_all || !self.with_feedback.contains(&at);
            let bullet = self.bullet_index.get(at);
            match verdict(bullet.into(), bullet.maturity, harmed, self.request.scoring) {
                MaturityChange::Promoted(to) => self.promote(at, to),
                MaturityChange::Lowered(to) if may_lower => self.lower(at, to),
                MaturityChange::Deprecated(why) if may_lower => self.deprecate_by_feedback(at, why),
                MaturityChange::Unchanged | MaturityChange::Lowered(_) | MaturityChange::Deprecated(_) => {}
            }
            self.recheck_gate(at);
        }
        if self.request.sweep == SweepScope::Drafts {
            for at in self.bullet_index.places() {
                if self.closed(at).is_none() && !self.bullet_index.is_double(at) {
                    self.recheck_gate(at);
                }
            }
        }
    }

    fn lower(&mut self, at: usize, to: Maturity) {
        if self.is_out_of_reach(at) {
            return;
        }
        let now = self.request.now;
        let tally = tally(self.bullet_index.get(at), now, self.request.scoring);
        let bullet = self.bullet_index.get_mut(at);
        let from = std::mem::replace(&mut bullet.maturity, to);
        bullet.updated = Some(now);
        let score = tally.score(from, self.request.scoring);
        let reason = format!("score {score} with {:.0} % harm", tally.harmful_ratio() * 100.0);
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        self.report.demotions.push(MaturityStep { id, content, from, to, reason });
    }

    fn promote(&mut self, at: usize, to: Maturity) {
        // Automation leaves a pinned bullet as it is; a person's own mark may raise it.
        if self.is_out_of_reach(at) {
            return;
        }
        let now = self.request.now;
        let tally = tally(self.bullet_index.get(at), now, self.request.scoring);
        let bullet = self.bullet_index.get_mut(at);
        let from = std::mem::replace(&mut bullet.maturity, to);
        bullet.fields.promoted_at = Some(now);
        bullet.updated = Some(now);
        let score = tally.score(to, self.request.scoring);
        let reason = format!(
            "score {score} with {} helpful in the last {} days",
            tally.recent_helpful, self.request.scoring.recent_days
        );
        let bullet = self.bullet_index.get(at);
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        self.report.promotions.push(MaturityStep { id, content, from, to, reason });
    }

    fn is_out_of_reach(&self, at: usize) -> bool {
        self.bullet_index.get(at).pinned && self.request.authority == super::Authority::Automation
    }

    fn deprecate_by_feedback(&mut self, at: usize, why: DeprecationReason) {
        let bullet = self.bullet_index.get(at);
        let (from, content) = (bullet.maturity, bullet.content().to_owned());
        let reason = why.sentence(&bullet.feedback);
        let was_active = self.bullet_index.get(at).state == BulletState::Active;
        let forbidden = is_forbidden(self.bullet_index.get(at), from, self.request.now, self.request.scoring);
        self.retire(at, &reason, None);
        let id = self.bullet_index.get(at).id.to_string();
        self.report.demotions.push(MaturityStep { id, content, from, to: Maturity::Deprecated, reason });
        // What warns of something and did harm was wrong to warn; its opposite is no rule by that.
        if forbidden && self.bullet_index.get(at).bullet_type == BulletType::Rule {
            self.invert(at, was_active);
        }
    }

    /// Creates an anti-pattern from a deprecated rule, or finds an existing one, and stores its id
    /// in the rule's `replaced_by`. Returns its index.
    pub(super) fn invert(&mut self, at: usize, active: bool) -> usize {
        let old = self.bullet_index.get(at).clone();
        let InvertedRule { text, bullet_type, is_sure } = inverse(old.content());
        let there = self.bullet_index.exact(&content::agent_text(&text, bullet_type), Bullet::is_standing);
        let anti = there.unwrap_or_else(|| {
            let fields = BulletFields {
                why: Some(withdrawal_reason(&old)),
                kind: if bullet_type == BulletType::AntiPattern {
                    BulletKind::AntiPattern
                } else {
                    old.fields.kind
                },
                scope_key: old.fields.scope_key.clone(),
                sources: old.fields.sources.clone(),
                derived_from: old.fields.derived_from.clone(),
                search_pointer: old.fields.search_pointer.clone(),
                supersedes: Some(old.id.to_string()),
                ..BulletFields::default()
            };
            let mut anti = self.opposite_of(&old, &text, bullet_type, fields);
            anti.scope = old.scope;
            anti.workspace.clone_from(&old.workspace);
            let marks = if bullet_type == BulletType::AntiPattern { &INVERTED[..] } else { &INVERTED[..1] };
            let marks: Vec<String> = marks.iter().map(|mark| (*mark).to_owned()).collect();
            anti.tags = tags(old.tags.iter().chain(&marks));
            anti.state = if active && is_sure { BulletState::Active } else { BulletState::Draft };
            self.bullet_index.push(anti)
        });
        let to = self.bullet_index.get(anti).id.to_string();
        self.bullet_index.get_mut(at).fields.replaced_by = Some(to.clone());
        let content = self.bullet_index.get(anti).content().to_owned();
        self.report.inversions.push(Inversion { from: old.id.to_string(), to, content });
        anti
    }
}

/// Anti-pattern written from a rule that did harm.
struct InvertedRule {
    text: String,
    bullet_type: BulletType,
    /// Whether the text needs no review; otherwise the new bullet is a draft.
    is_sure: bool,
}

/// Prefixes of negative rules. Without the prefix, the text states the opposite.
const DENIALS: [&str; 6] = ["never ", "do not ", "don't ", "don’t ", "must not ", "should not "];
/// Words that make the opposite of a rule uncertain, so that it needs review.
const DOUBTFUL: [&str; 10] = [
    " not ",
    " never ",
    " unless ",
    " except ",
    " instead ",
    " rather ",
    " only ",
    " without ",
    " no ",
    "n't ",
];

/// States the opposite of a harmful rule: a negative rule loses its negation and needs review; any
/// other rule becomes a warning.
fn inverse(rule: &str) -> InvertedRule {
    let rule = content::fold_whitespace(rule);
    let lower = rule.to_lowercase();
    let denial = DENIALS.iter().find(|denial| lower.starts_with(*denial));
    if let Some(plain) = denial.and_then(|denial| rule.get(denial.len()..)) {
        let mut chars = plain.chars();
        let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
        let text = format!("{first}{}", chars.as_str());
        if !is_too_short(&text) {
            return InvertedRule { text, bullet_type: BulletType::Rule, is_sure: false };
        }
    }
    let doubtful = denial.is_some()
        || lower.starts_with("avoid")
        || DOUBTFUL.iter().any(|word| lower.contains(word))
        || rule.trim_end_matches('.').contains(". ");
    InvertedRule { text: warning(&rule), bullet_type: BulletType::AntiPattern, is_sure: !doubtful }
}

/// Turns a rule into a warning, "AVOID: …", cut to the maximum length of a rule.
pub fn warning(rule: &str) -> String {
    let rule = content::fold_whitespace(rule);
    let room = RULE.end() - AVOID.chars().count();
    if rule.chars().count() <= room {
        return format!("{AVOID}{rule}");
    }
    let cut: String = rule.chars().take(room - 1).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{AVOID}{cut}…")
}

/// Explains in one or two sentences why a rule was withdrawn.
fn withdrawal_reason(rule: &Bullet) -> String {
    let mut reasons: Vec<String> = Vec::new();
    let harm = rule.feedback.iter().filter(|event| event.signal == FeedbackSignal::Harmful);
    let mut count = 0;
    for event in harm {
        count += 1;
        let words = event.reason.as_deref().map(|reason| reason.replace('_', " "));
        for remark in [words, event.note.clone()].into_iter().flatten() {
            if !reasons.contains(&remark) {
                reasons.push(remark);
            }
        }
    }
    if count == 0 {
        let reason = rule.fields.deprecation_reason.as_deref().unwrap_or("no longer followed");
        return format!("This was the rule {} until it was withdrawn: {reason}.", rule.id);
    }
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let mut text = format!("This was the rule {} until it caused harm {times}", rule.id);
    if !reasons.is_empty() {
        text += &format!(": {}", reasons.join(", "));
    }
    text + "."
}
