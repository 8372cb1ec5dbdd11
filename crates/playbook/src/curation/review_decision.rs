//! A person's decisions on a bullet: accept, reject, confirm or revive.
//!
//! Each is a pure function that returns the changed bullet or the reason why it does not apply.

use cm_note::bullet::{Bullet, BulletState, Maturity, content};
use cm_note::instant::Instant;
use cm_note::score::Scoring;
use cm_note::score::bullet::{DeprecationReason, deprecation_reason};

/// Why a person's review decision cannot be applied to a bullet.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ReviewRefusal {
    /// The bullet is not a draft.
    #[error("not a draft but {is}")]
    NotADraft {
        /// Actual state or maturity of the bullet.
        is: &'static str,
    },
    /// The bullet is already retired.
    #[error("already retired")]
    Retired,
    /// The bullet is neither retired nor deprecated.
    #[error("not retired but {is}")]
    Stands {
        /// Actual state of the bullet.
        is: &'static str,
    },
    /// The bullet's feedback is so harmful that the next curation would deprecate it again.
    #[error("still contradicted by its feedback: {}", refuted(*.0))]
    Falls(DeprecationReason),
}

fn refuted(why: DeprecationReason) -> String {
    match why {
        DeprecationReason::Ratio { ratio } => format!("{:.0} % of its feedback is harmful", ratio * 100.0),
        DeprecationReason::Score { score } => format!("its score is {score}"),
    }
}

/// Checks that a bullet is a draft and not deprecated.
///
/// # Errors
/// The bullet is not a draft.
pub fn is_draft(bullet: &Bullet) -> Result<(), ReviewRefusal> {
    match (bullet.maturity, bullet.state) {
        (Maturity::Deprecated, _) => Err(ReviewRefusal::NotADraft { is: Maturity::Deprecated.name() }),
        (_, BulletState::Draft) => Ok(()),
        (_, state) => Err(ReviewRefusal::NotADraft { is: state.name() }),
    }
}

/// Activates a draft.
///
/// # Errors
/// The bullet is not a draft.
pub fn accept(bullet: &Bullet, now: Instant) -> Result<Bullet, ReviewRefusal> {
    is_draft(bullet)?;
    Ok(Bullet { state: BulletState::Active, updated: Some(now), ..bullet.clone() })
}

/// Retires a bullet; its file remains.
///
/// # Errors
/// The bullet is already retired.
pub fn reject(bullet: &Bullet, reason: &str, now: Instant) -> Result<Bullet, ReviewRefusal> {
    if bullet.state == BulletState::Retired {
        return Err(ReviewRefusal::Retired);
    }
    let mut given_up = bullet.clone();
    given_up.maturity = Maturity::Deprecated;
    given_up.state = BulletState::Retired;
    given_up.updated = Some(now);
    given_up.fields.deprecation_reason = Some(content::fold_whitespace(reason));
    Ok(given_up)
}

/// Records that a person reviewed the bullet at `now` and found it still valid.
pub fn confirm(bullet: &Bullet, now: Instant) -> Bullet {
    Bullet { last_checked: Some(now), ..bullet.clone() }
}

/// Turns a retired or deprecated bullet into a draft with maturity candidate. Its feedback remains.
///
/// # Errors
/// The bullet is neither retired nor deprecated, or its feedback would deprecate it again.
pub fn revive(bullet: &Bullet, now: Instant, scoring: &Scoring) -> Result<Bullet, ReviewRefusal> {
    if bullet.is_standing() {
        return Err(ReviewRefusal::Stands { is: bullet.state.name() });
    }
    let mut revived = bullet.clone();
    revived.maturity = Maturity::Candidate;
    revived.state = BulletState::Draft;
    revived.updated = Some(now);
    revived.fields.deprecation_reason = None;
    revived.fields.replaced_by = None;
    if let Some(why) = deprecation_reason(&revived, now, scoring) {
        return Err(ReviewRefusal::Falls(why));
    }
    // What was reported until now does not retire it a second time.
    revived.fields.last_validated_at = Some(now);
    Ok(revived)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::graph::sample::note;
    use cm_note::note::{Feedback, FeedbackSignal};

    fn now() -> Instant {
        Instant::parse("2026-11-21T12:00:00Z").unwrap()
    }

    fn bullet(state: BulletState, maturity: Maturity) -> Bullet {
        let note = note("playbook/testing/a.md", "A");
        Bullet { state, maturity, ..Bullet::of(&note).unwrap() }
    }

    fn judged(signal: FeedbackSignal, times: usize) -> Bullet {
        let event = |n| Feedback { session: Some(format!("s-{n}")), ..Feedback::new(now(), signal) };
        let feedback = (0..times).map(event).collect();
        Bullet { feedback, ..bullet(BulletState::Retired, Maturity::Deprecated) }
    }

    #[test]
    fn only_a_draft_that_nobody_gave_up_is_accepted() {
        let draft = bullet(BulletState::Draft, Maturity::Candidate);
        let accepted = accept(&draft, now()).unwrap();
        assert_eq!(accepted, Bullet { state: BulletState::Active, updated: Some(now()), ..draft });
        for (state, maturity, is) in [
            (BulletState::Active, Maturity::Candidate, "active"),
            (BulletState::Retired, Maturity::Candidate, "retired"),
            (BulletState::Draft, Maturity::Deprecated, "deprecated"),
        ] {
            assert_eq!(accept(&bullet(state, maturity), now()), Err(ReviewRefusal::NotADraft { is }));
        }
    }

    #[test]
    fn what_is_given_up_keeps_its_words_and_says_why_on_one_line() {
        let rule = bullet(BulletState::Active, Maturity::Proven);
        let given_up = reject(&rule, " holds for\n one project ", now()).unwrap();
        assert!(!given_up.is_standing());
        assert_eq!(given_up.fields.deprecation_reason.as_deref(), Some("holds for one project"));
        assert_eq!((given_up.content(), given_up.updated), (rule.content(), Some(now())));
        assert_eq!(reject(&given_up, "again", now()), Err(ReviewRefusal::Retired));
    }

    #[test]
    fn a_confirmation_is_no_change_of_the_rule() {
        let rule = bullet(BulletState::Active, Maturity::Proven);
        assert_eq!(confirm(&rule, now()), Bullet { last_checked: Some(now()), ..rule });
    }

    #[test]
    fn a_revived_bullet_is_a_draft_with_the_feedback_that_it_had() {
        let mut fallen = judged(FeedbackSignal::Helpful, 2);
        fallen.fields.deprecation_reason = Some("caused an outage".to_owned());
        fallen.fields.replaced_by = Some("b-mt2ssunl-jq6d8j".to_owned());
        let revived = revive(&fallen, now(), &Scoring::default()).unwrap();
        assert_eq!((revived.state, revived.maturity), (BulletState::Draft, Maturity::Candidate));
        assert_eq!((&revived.fields.deprecation_reason, &revived.fields.replaced_by), (&None, &None));
        assert_eq!(revived.feedback, fallen.feedback);
        assert_eq!(
            revive(&revived, now(), &Scoring::default()),
            Err(ReviewRefusal::Stands { is: "draft" }),
            "what stands is not set back to a candidate"
        );
    }

    #[test]
    fn a_bullet_that_would_fall_again_is_not_revived_unless_it_is_pinned() {
        let mut harmful = judged(FeedbackSignal::Harmful, 3);
        let refused = revive(&harmful, now(), &Scoring::default()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "still contradicted by its feedback: 100 % of its feedback is harmful"
        );
        harmful.pinned = true;
        assert!(revive(&harmful, now(), &Scoring::default()).is_ok(), "a pinned bullet never falls");
    }

    #[test]
    fn harm_that_has_faded_does_not_keep_a_bullet_down() {
        let mut harmful = judged(FeedbackSignal::Harmful, 2);
        assert!(matches!(revive(&harmful, now(), &Scoring::default()), Err(ReviewRefusal::Falls(_))));
        harmful.feedback.iter_mut().for_each(|event| event.at = now().minus_days(900.0));
        assert!(revive(&harmful, now(), &Scoring::default()).is_ok());
    }
}
