//! Applies feedback on bullets: each session counts once, and events of unknown sessions have no
//! weight.

use super::Authority;
use super::apply::Curation;
use super::delta::FeedbackDelta;
use super::report::UnappliedCode;
use cm_note::bullet::content;
use cm_note::note::{Feedback, FeedbackSignal, REASONS};

impl Curation<'_> {
    /// Returns why feedback on the bullet at index `at` has no weight, `None` if it counts. The
    /// rules are those of [`uncounted_by`].
    pub(super) fn uncounted(
        &self,
        at: usize,
        signal: FeedbackSignal,
        session: Option<&str>,
    ) -> Option<&'static str> {
        let is_read_session = session.is_none_or(|session| self.request.history.has_seen(session));
        let event = self.event(signal, session.map(str::to_owned));
        uncounted_by(&self.bullet_index.get(at).feedback, &event, is_read_session)
    }

    /// Creates a feedback event by the proposer of this curation, at its time.
    pub(super) fn event(&self, signal: FeedbackSignal, session: Option<String>) -> Feedback {
        let by = &self.request.proposer;
        // A named person is one voice in all sessions; each session without a name is one.
        let own_name = by.own_name.clone().filter(|_| session.is_none());
        Feedback {
            session,
            agent: by.agent.clone(),
            author: by.author.clone().or(own_name),
            ..Feedback::new(self.request.now, signal)
        }
    }

    /// Dates an event that a session itself is evidence of at the end of the session, which may have
    /// been read much later.
    pub(super) fn dated_by_session(&self, event: Feedback) -> Feedback {
        let ended = event.session.as_deref().and_then(|session| self.request.history.ended(session));
        Feedback { at: ended.unwrap_or(event.at).min(event.at), ..event }
    }

    /// Adds a feedback event to the bullet at index `at`. If an equal event exists, the time is
    /// changed so that both count.
    pub(super) fn give(&mut self, at: usize, mut event: Feedback) {
        self.touched.insert(at);
        self.with_feedback.insert(at);
        if event.signal == FeedbackSignal::Harmful && (event.weight > 0.0 || event.invert) {
            self.harmed.insert(at);
        }
        let now = self.request.now;
        let bullet = self.bullet_index.get_mut(at);
        while bullet.feedback.contains(&event) {
            event.at = event.at.plus_second();
        }
        bullet.feedback.push(event);
        bullet.updated = Some(now);
    }

    pub(super) fn judge(&mut self, judge: &FeedbackDelta, signal: FeedbackSignal) {
        let Some(at) = self.open_to_change(&judge.id) else { return };
        let weight = judge.weight.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&weight) {
            return self.refuse(
                Some(at),
                UnappliedCode::BadWeight,
                format!("a weight is between 0 and 1, not {weight}"),
            );
        }
        if judge.invert && self.request.authority == Authority::Automation {
            return self.refuse(
                Some(at),
                UnappliedCode::PersonsOnly,
                "only a person can state that the opposite holds",
            );
        }
        let session = self.session(judge.session.as_deref());
        let is_same_event = |event: &Feedback| event.signal == signal && event.session == session;
        if session.is_some() && self.bullet_index.get(at).feedback.iter().any(is_same_event) {
            return self.skip(
                Some(at),
                UnappliedCode::FeedbackRepeated,
                "this session already gave this feedback",
            );
        }
        let reason =
            judge.reason.as_deref().map(content::fold_whitespace).filter(|reason| !reason.is_empty());
        let listed = reason
            .clone()
            .filter(|reason| REASONS.contains(&reason.as_str()) && signal == FeedbackSignal::Harmful);
        let note = if listed.is_some() { None } else { reason };
        let uncounted = self.uncounted(at, signal, session.as_deref());
        let weight = if uncounted.is_some() { 0.0 } else { weight };
        let invert = judge.invert && signal == FeedbackSignal::Harmful;
        let event = Feedback { weight, reason: listed, note, invert, ..self.event(signal, session) };
        let event = if judge.is_session_outcome { self.dated_by_session(event) } else { event };
        self.give(at, event);
        self.applied(at, uncounted.map(|why| format!("stored without weight: {why}")));
    }
}

/// Returns why a feedback event has no weight, `None` if it counts. Without weight are events of an
/// unknown session (`seen` is false), and events without a session if the same person already gave
/// the same feedback on that day.
pub fn uncounted_by(there: &[Feedback], event: &Feedback, seen: bool) -> Option<&'static str> {
    let today = |old: &Feedback| {
        old.signal == event.signal
            && old.session.is_none()
            && old.author == event.author
            && old.weight > 0.0
            && old.at.day() == event.at.day()
    };
    match (&event.session, seen) {
        (Some(_), true) => None,
        (Some(_), false) => Some("its session is unknown here"),
        (None, _) => {
            there.iter().any(today).then_some("the same person already gave this feedback on this day")
        }
    }
}
