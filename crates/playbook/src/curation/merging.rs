//! Merges bullets: the new bullet gets the tags, sources and feedback of the old ones, which refer
//! to it as their replacement.

use super::Authority;
use super::adding::tags;
use super::apply::Curation;
use super::delta::MergeDelta;
use super::report::UnappliedCode;
use cm_note::bullet::content;
use cm_note::bullet::{Bullet, BulletFields, BulletState, DerivedFrom, merge_feedback};
use cm_note::note::Feedback;
use cm_note::note::suspicion::suspicion;

impl Curation<'_> {
    pub(super) fn merge(&mut self, merge: &MergeDelta) {
        let Some(parts) = self.parts(merge) else { return };
        let rule = match content::rule(&merge.content) {
            Ok(rule) => rule,
            Err(error) => return self.refuse(None, UnappliedCode::NotARule, error.to_string()),
        };
        if self.is_done(&parts, &rule) {
            return self.skip(Some(parts[0]), UnappliedCode::Merged, "they are already merged");
        }
        if let Some(ended) = parts.iter().copied().find(|at| !self.bullet_index.get(*at).is_standing()) {
            return self.refuse(
                Some(ended),
                UnappliedCode::Deprecated,
                "it is deprecated and cannot be merged",
            );
        }
        let first = self.bullet_index.get(parts[0]);
        if parts.iter().any(|at| self.bullet_index.get(*at).bullet_type != first.bullet_type) {
            return self.refuse(
                Some(parts[0]),
                UnappliedCode::MixedTypes,
                "a rule cannot be merged with an anti-pattern",
            );
        }
        let agent_text = content::agent_text(&rule, first.bullet_type);
        if let Some(other) =
            self.bullet_index.exact(&agent_text, Bullet::is_standing).filter(|at| !parts.contains(at))
        {
            let reason = "it has the same text already; merge it as well";
            return self.refuse(Some(other), UnappliedCode::Duplicate, reason);
        }
        if let Some((id, reason)) = self.blocking_pattern(&rule, &agent_text) {
            return self.refuse_naming(id, UnappliedCode::Blocked, reason);
        }
        let mut merged = self.merged(&parts, &rule);
        let statement = self.word_vectors.embed(&agent_text);
        let rule_scope = merged.rule_scope();
        let opposed = self.bullet_index.opposed(statement.embedded(), &self.word_vectors, |other| {
            other.is_standing()
                && other.rule_scope().overlaps(&rule_scope)
                && merge.ids.iter().all(|id| other.id.as_str() != id)
        });
        // A draft holds nowhere: contradicting one makes no draft of what was in use.
        let live = opposed.iter().any(|(with, _)| self.bullet_index.get(*with).is_live());
        let doubt = suspicion(&rule).map(str::to_owned);
        let doubt = doubt.or_else(|| live.then(|| "it contradicts another rule".to_owned()));
        if doubt.is_some() {
            merged.state = BulletState::Draft;
        }
        let id = merged.id.to_string();
        let at = self.bullet_index.push(merged);
        let reason = merge.reason.clone().unwrap_or_else(|| "merged with others".to_owned());
        for part in parts {
            self.retire(part, &reason, Some(id.clone()));
        }
        self.applied(at, doubt.map(|doubt| format!("a draft: {doubt}")));
        for (with, reason) in opposed
            .into_iter()
            .filter(|(with, _)| self.bullet_index.get(*with).is_standing())
            .collect::<Vec<_>>()
        {
            self.contradict(at, with, reason);
        }
    }

    /// Returns the indices of the bullets to merge; refuses the delta and returns `None` if a
    /// bullet may not be changed.
    fn parts(&mut self, merge: &MergeDelta) -> Option<Vec<usize>> {
        let mut parts = Vec::new();
        for id in &merge.ids {
            let at = self.open_to_rewrite(id)?;
            if !parts.contains(&at) {
                parts.push(at);
            }
        }
        if parts.len() < 2 {
            self.refuse(parts.first().copied(), UnappliedCode::TooFew, "a merge needs at least two rules");
            return None;
        }
        parts.sort_unstable_by(|a, b| self.bullet_index.get(*a).id.cmp(&self.bullet_index.get(*b).id));
        Some(parts)
    }

    /// Whether an earlier merge already replaced all these bullets by one with this text.
    fn is_done(&self, parts: &[usize], rule: &str) -> bool {
        let heir = |at: &usize| self.bullet_index.get(*at).fields.replaced_by.as_deref();
        let Some(first) = heir(&parts[0]) else { return false };
        parts.iter().all(|at| heir(at) == Some(first))
            && self
                .bullet_index
                .find(first)
                .is_some_and(|at| content::fold_whitespace(self.bullet_index.get(at).content()) == rule)
    }

    /// Creates the merged bullet. It has the fields on which all merged bullets agree, and their
    /// lowest maturity.
    fn merged(&self, parts: &[usize], rule: &str) -> Bullet {
        let of: Vec<&Bullet> = parts.iter().map(|at| self.bullet_index.get(*at)).collect();
        let first = of[0];
        let common = |get: &dyn Fn(&Bullet) -> Option<String>| {
            let one = get(first);
            if of.iter().all(|bullet| get(bullet) == one) { one } else { None }
        };
        let half_life = first.fields.half_life_days;
        let same_half_life = of.iter().all(|bullet| bullet.fields.half_life_days == half_life);
        let fields = BulletFields {
            why: join(of.iter().filter_map(|bullet| bullet.fields.why.clone())),
            kind: first.fields.kind,
            scope_key: common(&|bullet| bullet.fields.scope_key.clone()),
            half_life_days: half_life.filter(|_| same_half_life),
            sources: each_once(of.iter().flat_map(|bullet| bullet.fields.sources.clone())),
            derived_from: DerivedFrom {
                diaries: each_once(of.iter().flat_map(|bullet| bullet.fields.derived_from.diaries.clone())),
                evidence: each_once(of.iter().flat_map(|bullet| bullet.fields.derived_from.evidence.clone())),
            },
            search_pointer: common(&|bullet| bullet.fields.search_pointer.clone()),
            verify: first
                .fields
                .verify
                .clone()
                .filter(|_| of.iter().all(|b| b.fields.verify == first.fields.verify)),
            incident: of.iter().find_map(|bullet| bullet.fields.incident.clone()),
            supersedes: Some(first.id.to_string()),
            pinned_reason: of.iter().find_map(|bullet| bullet.fields.pinned_reason.clone()),
            ..BulletFields::default()
        };
        let mut merged = self.blank(rule, &first.category, first.bullet_type, fields);
        let scope = first.scope;
        let same_scope = of.iter().all(|bullet| bullet.scope == scope)
            && of.iter().all(|bullet| bullet.fields.scope_key == first.fields.scope_key);
        merged.scope = if same_scope { scope } else { cm_note::bullet::Scope::Global };
        merged.workspace = common(&|bullet| bullet.workspace.clone());
        merged.tags = tags(of.iter().flat_map(|bullet| &bullet.tags));
        merged.feedback = feedback(&of);
        merged.maturity = of.iter().map(|bullet| bullet.maturity).min().unwrap_or_default();
        merged.pinned = of.iter().any(|bullet| bullet.pinned);
        let drafts = of.iter().filter(|bullet| bullet.state != BulletState::Active).count();
        let active = match self.request.authority {
            Authority::Person => drafts < of.len(),
            Authority::Automation => drafts == 0,
        };
        merged.state = if active { BulletState::Active } else { BulletState::Draft };
        merged
    }
}

/// Combines the feedback of several bullets, by date and without duplicates.
fn feedback(bullets: &[&Bullet]) -> Vec<Feedback> {
    let mut all = bullets.iter().fold(Vec::new(), |all, bullet| merge_feedback(&all, &bullet.feedback));
    all.sort_by_key(|event: &Feedback| event.at);
    all
}

fn each_once<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut remaining = Vec::new();
    for item in items {
        if !remaining.contains(&item) {
            remaining.push(item);
        }
    }
    remaining
}

fn join(reasons: impl Iterator<Item = String>) -> Option<String> {
    let reasons = each_once(reasons);
    (!reasons.is_empty()).then(|| reasons.join("\n\n"))
}
