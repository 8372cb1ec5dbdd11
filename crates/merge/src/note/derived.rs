//! The keys of a rule that follow from its feedback: recomputed where both sides added feedback.

use cm_note::bullet::{Bullet, BulletState, Maturity};
use cm_note::frontmatter::edit::Edit;
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::score::Scoring;
use cm_note::score::bullet::{MaturityInput, replay};

/// The versions of a rule, and the merge of its keys.
pub(super) struct RuleVersions {
    pub base: Option<Bullet>,
    pub ours: Bullet,
    pub theirs: Bullet,
    pub merged: Bullet,
}

impl RuleVersions {
    /// Returns the edits that set maturity, promotion and retirement to what the replay of all events
    /// gives. Empty if one side has all events, or if a person retired the rule.
    pub fn edits(&self, scoring: &Scoring) -> Vec<Edit> {
        if same_input(&self.merged, &self.ours) || same_input(&self.merged, &self.theirs) {
            return Vec::new();
        }
        if self.versions().any(|version| is_retired_by_hand(version, scoring)) {
            let deprecated = self.versions().any(|version| version.maturity == Maturity::Deprecated);
            return deprecated
                .then(|| Edit::set_text("maturity", Maturity::Deprecated.name()))
                .into_iter()
                .collect();
        }
        let own = replay((&self.merged).into(), Maturity::Candidate, scoring);
        let floor = self
            .versions()
            .filter(|version| is_unjustified(version, scoring))
            .max_by_key(|version| version.maturity);
        let judged = match floor {
            Some(floor) if harm(&self.merged.feedback) > harm(&floor.feedback) => {
                replay((&self.merged).into(), floor.maturity, scoring)
            }
            _ => own,
        };
        let mut edits = Vec::new();
        let before = self.base.as_ref().and_then(|base| base.fields.promoted_at);
        edits.push(match judged.promoted.or(own.promoted).or(before) {
            Some(promoted) => Edit::set_text("promoted_at", promoted.to_string()),
            None => Edit::Remove { key: "promoted_at".to_owned() },
        });
        match judged.downfall {
            Some(why) => edits.extend([
                Edit::set_text("maturity", Maturity::Deprecated.name()),
                Edit::set_text("state", BulletState::Retired.name()),
                Edit::set_text("deprecation_reason", why.sentence(&self.merged.feedback)),
            ]),
            None => {
                let floor_maturity = floor.map(|floor| floor.maturity).filter(|_| judged == own);
                edits.push(Edit::set_text(
                    "maturity",
                    judged.maturity.max(floor_maturity.unwrap_or_default()).name(),
                ));
                edits.extend(self.back_in_use());
            }
        }
        edits
    }

    fn versions(&self) -> impl Iterator<Item = &Bullet> {
        self.base.iter().chain([&self.ours, &self.theirs])
    }

    /// Returns the edits that undo a retirement by feedback that the feedback of both sides does not
    /// justify.
    fn back_in_use(&self) -> Vec<Edit> {
        let in_use = self.versions().find(|version| version.maturity != Maturity::Deprecated);
        let retired = self.versions().any(|version| version.maturity == Maturity::Deprecated);
        let Some(before) = in_use.filter(|_| retired) else { return Vec::new() };
        let keys = [
            ("deprecation_reason", &before.fields.deprecation_reason),
            ("replaced_by", &before.fields.replaced_by),
        ];
        let restore = |(key, value): (&str, &Option<String>)| match value {
            Some(value) => Edit::set_text(key, value),
            None => Edit::Remove { key: key.to_owned() },
        };
        keys.into_iter().map(restore).chain([Edit::set_text("state", before.state.name())]).collect()
    }
}

/// Whether two versions have the same feedback, in any order, and the same inputs of the replay.
fn same_input(one: &Bullet, other: &Bullet) -> bool {
    let inputs = |bullet| {
        let MaturityInput { half_life_days, pinned, validated, .. } = MaturityInput::from(bullet);
        (half_life_days, pinned, validated)
    };
    let contains = |all: &[Feedback], some: &[Feedback]| some.iter().all(|event| all.contains(event));
    inputs(one) == inputs(other)
        && one.feedback.len() == other.feedback.len()
        && contains(&one.feedback, &other.feedback)
}

/// Whether a version is retired for another reason than its feedback.
fn is_retired_by_hand(bullet: &Bullet, scoring: &Scoring) -> bool {
    !bullet.is_standing() && replay(bullet.into(), Maturity::Candidate, scoring).downfall.is_none()
}

/// Whether a version has a higher maturity than its feedback gives: a person or an import set it.
fn is_unjustified(bullet: &Bullet, scoring: &Scoring) -> bool {
    bullet.maturity != Maturity::Deprecated
        && replay(bullet.into(), Maturity::Candidate, scoring).peak < bullet.maturity
}

fn harm(feedback: &[Feedback]) -> usize {
    Feedback::count(feedback, FeedbackSignal::Harmful)
}
