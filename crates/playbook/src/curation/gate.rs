//! Repeats the evidence gate: a draft becomes active in the curation that adds enough evidence.
//!
//! Drafts remain drafts if they have harmful feedback, contradict an active rule, contain text that
//! resembles instructions to the agent, or if their category is full.

use std::collections::BTreeSet;

use super::apply::Curation;
use super::history::GateDecision;
use super::report::Activation;
use cm_note::bullet::{Bullet, BulletState};
use cm_note::note::suspicion::suspicion;
use cm_note::note::{Feedback, FeedbackSignal};

/// Number of different people who must confirm a draft in sessions other than its own, by helpful
/// feedback or by proposing it again. Feedback without an author counts once per session.
const MIN_CONFIRMING_PEOPLE: usize = 2;

impl Curation<'_> {
    /// Activates the draft at index `at` if its evidence is now sufficient.
    pub(super) fn recheck_gate(&mut self, at: usize) {
        let bullet = self.bullet_index.get(at);
        let found =
            bullet.state == BulletState::Draft && bullet.is_standing() && !self.added_bullets.contains(&at);
        if !found {
            return;
        }
        // Most drafts have no evidence; comparing each with all active rules takes longer.
        let Some(reason) = self.evidence_for(at) else { return };
        if self.is_doubtful(at) || self.contradicts_live(at) {
            return;
        }
        let now = self.request.now;
        let bullet = self.bullet_index.get_mut(at);
        bullet.state = BulletState::Active;
        bullet.updated = Some(now);
        let (id, content) = (bullet.id.to_string(), bullet.content().to_owned());
        self.report.activations.push(Activation { id, content, reason });
    }

    /// Whether a draft stays a draft regardless of evidence: harmful feedback, hidden characters, or a
    /// full category.
    pub(super) fn is_doubtful(&self, at: usize) -> bool {
        let bullet = self.bullet_index.get(at);
        let harm = |event: &Feedback| event.signal == FeedbackSignal::Harmful && event.weight > 0.0;
        let full = |bullet: &Bullet| {
            self.bullet_index.live_in(&bullet.category) >= self.request.limits.max_per_category
        };
        bullet.feedback.iter().any(harm) || suspicion(bullet.content()).is_some() || full(bullet)
    }

    /// Returns the evidence for activating a draft, for display; `None` if the evidence is
    /// insufficient.
    fn evidence_for(&self, at: usize) -> Option<String> {
        let bullet = self.bullet_index.get(at);
        if self.request.history.is_admitted(bullet.content()) {
            return Some("a person stated it as lasting".to_owned());
        }
        let helpful = || {
            bullet
                .feedback
                .iter()
                .filter(|event| event.signal == FeedbackSignal::Helpful && event.weight >= 1.0)
        };
        if helpful().any(|event| event.session.is_none() && event.agent.is_none()) {
            return Some("a person found it helpful".to_owned());
        }
        let own: BTreeSet<&str> =
            bullet.fields.sources.iter().map(|source| source.session.as_str()).collect();
        // Who is named is one voice in however many sessions: a token may claim any session.
        let further: BTreeSet<&str> = helpful()
            .filter(|event| event.session.as_deref().is_some_and(|session| !own.contains(session)))
            .filter_map(|event| event.author.as_deref().or(event.session.as_deref()))
            .collect();
        if further.len() >= MIN_CONFIRMING_PEOPLE {
            return Some(format!("{} further sessions found it helpful", further.len()));
        }
        let evidence = self.request.history.evidence_of_draft(bullet);
        let admitted = matches!(GateDecision::of(&evidence), GateDecision::Active | GateDecision::Certain);
        admitted.then(|| format!("{} sessions succeeded with it and none failed", evidence.successes))
    }
}
