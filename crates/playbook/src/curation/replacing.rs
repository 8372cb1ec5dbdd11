//! Replaces, deprecates, pins and unpins bullets.

use super::Authority;
use super::adding::deprecated_words;
use super::apply::Curation;
use super::delta::{DeprecateDelta, PinDelta, ReplaceDelta};
use super::report::UnappliedCode;
use cm_note::bullet::{Bullet, BulletState, Maturity, content};
use cm_note::note::suspicion::payload;

impl Curation<'_> {
    /// Whether the bullet at index `at` contradicts an active one.
    pub(super) fn contradicts_live(&self, at: usize) -> bool {
        let bullet = self.bullet_index.get(at);
        let statement = self.word_vectors.embed(&bullet.agent_text());
        let meets = |other: &Bullet| {
            other.id != bullet.id && other.is_live() && other.rule_scope().overlaps(&bullet.rule_scope())
        };
        let elsewhere = |other: &Bullet| other.is_live() && other.rule_scope().overlaps(&bullet.rule_scope());
        !self.bullet_index.opposed(statement.embedded(), &self.word_vectors, meets).is_empty()
            || !self.elsewhere.opposed(statement.embedded(), &self.word_vectors, elsewhere).is_empty()
    }

    pub(super) fn replace(&mut self, replace: &ReplaceDelta) {
        let Some(at) = self.open_to_rewrite(&replace.id) else { return };
        let rule = match content::rule(&replace.content) {
            Ok(rule) => rule,
            Err(error) => return self.refuse(Some(at), UnappliedCode::NotARule, error.to_string()),
        };
        if rule == content::fold_whitespace(self.bullet_index.get(at).content()) {
            return self.skip(Some(at), UnappliedCode::Unchanged, "this rule already has the same text");
        }
        let bullet = self.bullet_index.get(at);
        let (own, agent_text) = (bullet.id.clone(), content::agent_text(&rule, bullet.bullet_type));
        let meets = |other: &Bullet| other.id != own && other.rule_scope().overlaps(&bullet.rule_scope());
        if let Some(other) = self.bullet_index.exact(&agent_text, meets) {
            return match self.bullet_index.get(other).is_standing() {
                true => self.refuse(
                    Some(other),
                    UnappliedCode::Duplicate,
                    "another rule has the same text; merge the two",
                ),
                false => {
                    let reason = deprecated_words(self.bullet_index.get(other));
                    self.refuse(Some(other), UnappliedCode::Deprecated, reason)
                }
            };
        }
        let statement = self.word_vectors.embed(&agent_text);
        let opposed = self
            .bullet_index
            .opposed(statement.embedded(), &self.word_vectors, |other| other.is_standing() && meets(other));
        if let Some((id, reason)) = self.blocking_pattern(&rule, &agent_text) {
            return self.refuse_naming(id, UnappliedCode::Blocked, reason);
        }
        if self.request.authority == Authority::Automation {
            // A rule in use is not given words that as a new one it would have to wait with.
            if let Some(why) = payload(&rule) {
                return self.refuse(Some(at), UnappliedCode::Suspicious, why);
            }
            let live = opposed.into_iter().find(|(with, _)| self.bullet_index.get(*with).is_live());
            if let Some((with, reason)) = live {
                return self.refuse(
                    Some(with),
                    UnappliedCode::Conflict,
                    format!("they contradict each other: {reason}"),
                );
            }
            self.bullet_index.reword(at, rule);
            return self.applied(at, None);
        }
        self.bullet_index.reword(at, rule);
        // New words are to be judged by the sessions that see them.
        if self.bullet_index.get(at).ignored_since_check().next().is_some() {
            self.bullet_index.get_mut(at).last_checked = Some(self.request.now);
        }
        self.applied(at, None);
        for (with, reason) in opposed {
            self.contradict(at, with, reason);
        }
    }

    pub(super) fn deprecate(&mut self, deprecate: &DeprecateDelta) {
        let open = match deprecate.is_withdrawn {
            true => self.open_to_change(&deprecate.id),
            false => self.open_to_rewrite(&deprecate.id),
        };
        let Some(at) = open else { return };
        let heir = match deprecate.replaced_by.as_deref().map(|id| (id, self.bullet_index.find(id))) {
            None => None,
            Some((_, Some(heir))) if heir != at && self.bullet_index.get(heir).is_standing() => {
                Some(self.bullet_index.get(heir).id.to_string())
            }
            Some((id, _)) => {
                return self.refuse(
                    Some(at),
                    UnappliedCode::UnknownBullet,
                    format!("`{id}` is not another rule in use, so it cannot replace this one"),
                );
            }
        };
        if self.bullet_index.get(at).maturity == Maturity::Deprecated {
            return self.skip(Some(at), UnappliedCode::Deprecated, "it is already deprecated");
        }
        let reason = deprecate.reason.clone().unwrap_or_else(|| "no longer followed".to_owned());
        self.retire(at, &reason, heir);
        self.applied(at, None);
    }

    /// Deprecates and retires the bullet at index `at`. Its text and history remain; `heir` is the
    /// id of the bullet that replaces it.
    pub(super) fn retire(&mut self, at: usize, reason: &str, heir: Option<String>) {
        let now = self.request.now;
        let bullet = self.bullet_index.get_mut(at);
        bullet.maturity = Maturity::Deprecated;
        bullet.state = BulletState::Retired;
        bullet.updated = Some(now);
        bullet.fields.deprecation_reason = Some(content::fold_whitespace(reason));
        if heir.is_some() {
            bullet.fields.replaced_by = heir;
        }
    }

    pub(super) fn pin(&mut self, pin: &PinDelta) {
        let Some(at) = self.bullet_index.find(&pin.id) else {
            return self.refuse_naming(
                pin.id.clone(),
                UnappliedCode::UnknownBullet,
                "rule not found".to_owned(),
            );
        };
        let bullet = self.bullet_index.get_mut(at);
        if bullet.pinned {
            return self.skip(Some(at), UnappliedCode::Pinned, "it is already pinned");
        }
        if bullet.maturity == Maturity::Deprecated {
            return self.refuse(Some(at), UnappliedCode::Deprecated, "a deprecated rule cannot be pinned");
        }
        bullet.pinned = true;
        bullet.fields.pinned_reason =
            pin.reason.as_deref().map(content::fold_whitespace).filter(|reason| !reason.is_empty());
        self.applied(at, None);
    }

    pub(super) fn unpin(&mut self, pin: &PinDelta) {
        let Some(at) = self.open_to_change(&pin.id) else { return };
        let bullet = self.bullet_index.get_mut(at);
        if !bullet.pinned {
            return self.skip(Some(at), UnappliedCode::NotPinned, "it is not pinned");
        }
        bullet.pinned = false;
        bullet.fields.pinned_reason = None;
        self.applied(at, None);
    }
}
