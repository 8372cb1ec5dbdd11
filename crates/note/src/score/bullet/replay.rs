//! Replays the events of a bullet in order of time to compute its maturity, each event judged at
//! its own time.
//!
//! The result does not depend on the order of events in the file, so clones that merge their events
//! agree. Helpful events only raise the maturity; harmful events only lower it, and deprecate if
//! two sessions or persons reported harm.

use std::collections::BTreeSet;

use super::{
    DeprecationReason, FeedbackTally, MIN_LIVE_VALUE, Scoring, above, at_least, event_value, half_life, rise,
};
use crate::bullet::{Bullet, Maturity};
use crate::instant::Instant;
use crate::note::{Feedback, FeedbackSignal};

/// Feedback and properties of a note that determine its maturity.
#[derive(Debug, Clone, Copy)]
pub struct MaturityInput<'a> {
    /// Events, in any order.
    pub feedback: &'a [Feedback],
    /// The note's own half-life in days, as written.
    pub half_life_days: Option<f64>,
    /// Whether the note is pinned; its maturity then never decreases.
    pub pinned: bool,
    /// Time of the last check by a person; earlier harm is ignored.
    pub validated: Option<Instant>,
}

impl<'a> From<&'a Bullet> for MaturityInput<'a> {
    fn from(bullet: &'a Bullet) -> Self {
        Self {
            feedback: &bullet.feedback,
            half_life_days: bullet.fields.half_life_days,
            pinned: bullet.pinned,
            validated: bullet.fields.last_validated_at,
        }
    }
}

/// Maturity of a note after its feedback events are applied one after another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Maturity after the last event.
    pub maturity: Maturity,
    /// Highest maturity reached.
    pub peak: Maturity,
    /// Time at which the maturity last rose; `None` if it never did.
    pub promoted: Option<Instant>,
    /// Reason of the deprecation, if deprecated.
    pub downfall: Option<DeprecationReason>,
}

/// Applies the feedback events in order of time, starting with maturity `from`. Events without
/// weight are ignored, except a person's statement that the opposite of the rule is true.
pub fn replay(track: MaturityInput<'_>, from: Maturity, scoring: &Scoring) -> Replay {
    let mut events: Vec<Feedback> =
        track.feedback.iter().filter(|event| event.weight > 0.0 || states_opposite(event)).cloned().collect();
    events.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
    let mut replay = Replay { maturity: from, peak: from, promoted: None, downfall: None };
    for (event, count) in events.iter().zip(1..) {
        let past = events.get(..count).unwrap_or_default();
        let so_far = MaturityInput { feedback: past, ..track };
        match event.signal {
            FeedbackSignal::Irrelevant | FeedbackSignal::Ignored => {}
            FeedbackSignal::Helpful => replay.help(so_far, event.at, scoring),
            FeedbackSignal::Harmful if track.pinned || track.validated >= Some(event.at) => {}
            FeedbackSignal::Harmful => replay.harm(so_far, event.at, scoring),
        }
        if replay.downfall.is_some() {
            return replay;
        }
    }
    replay
}

/// Sort key: time, then the other fields, so that simultaneous events have a fixed order.
fn order(event: &Feedback) -> (Instant, u8, f64, &Option<String>, &Option<String>, &Option<String>, bool) {
    (event.at, event.signal as u8, event.weight, &event.session, &event.author, &event.note, event.invert)
}

impl Replay {
    fn help(&mut self, track: MaturityInput<'_>, at: Instant, scoring: &Scoring) {
        let tally = FeedbackTally::of(track.feedback, track.half_life_days, at, scoring);
        while let Some(next) = rise(self.maturity, &tally, scoring) {
            self.maturity = next;
            self.promoted = Some(at);
        }
        self.peak = self.peak.max(self.maturity);
    }

    fn harm(&mut self, track: MaturityInput<'_>, at: Instant, scoring: &Scoring) {
        self.downfall = deprecation_of(track, self.maturity, at, scoring);
        if self.downfall.is_some() {
            self.maturity = Maturity::Deprecated;
            return;
        }
        let tally = FeedbackTally::of(track.feedback, track.half_life_days, at, scoring);
        let score = tally.score(self.maturity, scoring).value();
        let below = |least: f64| !at_least(score, least);
        self.maturity = match self.maturity {
            Maturity::Proven
                if below(scoring.proven_score) || at_least(tally.harmful_ratio(), scoring.proven_ratio) =>
            {
                Maturity::Established
            }
            Maturity::Established if below(scoring.established_score) && tally.recent_helpful == 0 => {
                Maturity::Candidate
            }
            other => other,
        };
    }
}

/// Returns why a note with this maturity is deprecated; `None` if it is not. A single session or
/// person cannot deprecate a note, unless a person states that the opposite of the rule is true and
/// its score is below the threshold.
pub(super) fn deprecation_of(
    track: MaturityInput<'_>,
    maturity: Maturity,
    at: Instant,
    scoring: &Scoring,
) -> Option<DeprecationReason> {
    let half_life = half_life(track.half_life_days, scoring);
    let live = |event: &&Feedback| at_least(event_value(event, at, half_life), MIN_LIVE_VALUE);
    let is_shared = distinct_reporters(track.feedback.iter().filter(live)) >= 2;
    if track.pinned || !is_shared && !track.feedback.iter().any(states_opposite) {
        return None;
    }
    let tally = FeedbackTally::of(track.feedback, track.half_life_days, at, scoring);
    let ratio = tally.harmful_ratio();
    if is_shared && above(ratio, scoring.deprecated_ratio) && tally.live >= scoring.deprecated_events {
        return Some(DeprecationReason::Ratio { ratio });
    }
    let score = tally.score(maturity, scoring);
    above(-scoring.prune(), score.value()).then_some(DeprecationReason::Score { score })
}

/// Whether a person states with this event that the opposite of the rule is true.
pub(super) fn states_opposite(event: &Feedback) -> bool {
    event.invert && event.signal == FeedbackSignal::Harmful && event.session.is_none()
}

/// Number of sessions or persons that reported harm. A named person counts once, whatever the
/// number of sessions, because a client can claim any session id.
pub(super) fn distinct_reporters<'e>(events: impl Iterator<Item = &'e Feedback>) -> usize {
    let harmful = events.filter(|event| event.signal == FeedbackSignal::Harmful && event.weight > 0.0);
    let voice = |event: &'e Feedback| {
        (event.author.as_deref(), event.session.as_deref().filter(|_| event.author.is_none()))
    };
    harmful.map(voice).collect::<BTreeSet<_>>().len()
}
