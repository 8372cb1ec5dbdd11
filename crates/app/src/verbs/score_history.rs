//! The score of a note over time, computed from its events, and its forecast without further ones.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::playbook::{VaultBullet, constants, merged};
use cm_note::bullet::{Bullet, Maturity};
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::rounding::round_to_four_decimals;
use cm_note::score::bullet::{effective, past_scores, silent_days};
use cm_note::score::{DecayScore, DecayStatus, Scoring};
use cm_store::vault::usage::UsageCounts;

/// Maximum number of points from the creation of a note to the present.
pub const MAX_POINTS: usize = 24;
/// Length of the forecast in days.
pub const FORECAST_DAYS: u32 = 90;
/// Days between two points of the forecast.
const FORECAST_STEP: u32 = 10;

/// Score of a note at one time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScorePoint {
    pub at: Instant,
    /// Effective score of a rule, or decay score of a memory; four decimals.
    pub score: f64,
    /// Maturity of a rule, or status of a memory, at that time.
    pub level: &'static str,
}

/// Consequence of a score that falls without further feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreDropKind {
    /// The score of a proven rule no longer protects it: the next harmful feedback demotes it.
    BelowProven,
    /// The score of an established rule no longer protects it from a demotion by harmful feedback.
    BelowEstablished,
    /// The rule is listed as stale, because it had no feedback for `scoring.stale_days`.
    Stale,
    /// The memory is no longer active.
    Fading,
    /// The memory is no longer fading, and CORE.md leaves it out where space is short.
    Dormant,
    /// The memory is archived.
    Archived,
}

/// The next threshold that a note passes within the forecast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScoreDrop {
    /// First day on which it is passed, in whole days from now.
    pub at: Instant,
    pub kind: ScoreDropKind,
}

/// Scores of a note from its creation to the end of the forecast.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScoreHistory {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Up to 24 points at equal distances, the oldest first; the last one is now.
    pub points: Vec<ScorePoint>,
    /// Scores of the next 90 days without further feedback and use, every ten days.
    pub forecast: Vec<ScorePoint>,
    /// The next threshold within the forecast; null if it passes none.
    pub drop: Option<ScoreDrop>,
}

/// Computes the scores of a rule or a memory.
///
/// Feedback counts from its own time on. Uses of a memory count from the last one on, because
/// earlier ones have no time.
///
/// # Errors
/// A note that is not found, or that is neither a rule nor a memory, and unreadable notes.
pub fn score_history(context: &Context, reference: &str) -> Result<ScoreHistory> {
    let found = find(context, reference)?;
    match (found.note.kind, Bullet::of(&found.note)) {
        (NoteKind::Memory, _) => Ok(of_memory(context, &found)),
        (NoteKind::Bullet, Some(bullet)) => {
            let level = found.open.level;
            let all = merged(context)?.bullets;
            // The merged one has the feedback of both vaults.
            let same = |other: &VaultBullet| other.level == level && other.bullet.path == bullet.path;
            let merged = all.into_iter().find(same).map_or(bullet.clone(), |same| same.bullet);
            Ok(of_rule(&merged, context.now(), &constants(context, level)))
        }
        (kind, _) => {
            Err(Error::usage(format!("{} is a {}, which has no score", found.note.path, kind.name()))
                .hint("rules and memories have a score"))
        }
    }
}

/// Computes the scores of the rules with these ids, in this order. Unknown ids are left out.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn rule_score_histories(context: &Context, ids: &[String]) -> Result<Vec<ScoreHistory>> {
    let bullets = merged(context)?.bullets;
    let history = |id: &String| {
        let found = bullets.iter().find(|of_vault| of_vault.bullet.id.as_str() == id)?;
        Some(of_rule(&found.bullet, context.now(), &constants(context, found.level)))
    };
    Ok(ids.iter().filter_map(history).collect())
}

fn of_rule(bullet: &Bullet, now: Instant, constants: &Scoring) -> ScoreHistory {
    let first = bullet.created.or_else(|| bullet.feedback.iter().map(|event| event.at).min());
    let point =
        |at, score: f64, maturity: Maturity| ScorePoint { at, score: rounded(score), level: maturity.name() };
    let past = past_scores(bullet, &times(first.or(bullet.updated), now), constants).into_iter();
    let score = |at: Instant| effective(bullet, at, constants).value();
    ScoreHistory {
        id: bullet.id.to_string(),
        points: past.map(|past| point(past.at, past.score.value(), past.maturity)).collect(),
        forecast: forecast_times(now).map(|at| point(at, score(at), bullet.maturity)).collect(),
        drop: drop_of_rule(bullet, now, constants),
    }
}

/// Returns the first of a rule's thresholds that it passes. Pinned rules keep their maturity, and
/// rules out of use have nothing to lose.
fn drop_of_rule(bullet: &Bullet, now: Instant, constants: &Scoring) -> Option<ScoreDrop> {
    let in_use = bullet.is_standing();
    let (kind, least) = match bullet.maturity {
        Maturity::Proven => (ScoreDropKind::BelowProven, constants.proven_score),
        Maturity::Established => (ScoreDropKind::BelowEstablished, constants.established_score),
        Maturity::Candidate | Maturity::Deprecated => (ScoreDropKind::Stale, f64::NEG_INFINITY),
    };
    let is_above = |at: Instant| effective(bullet, at, constants).value() >= least;
    let is_fresh = |at: Instant| silent_days(bullet, at) < constants.stale_days;
    let below = first_day(now, &is_above).filter(|_| !bullet.pinned).map(|at| ScoreDrop { at, kind });
    let stale = first_day(now, &is_fresh).map(|at| ScoreDrop { at, kind: ScoreDropKind::Stale });
    below.into_iter().chain(stale).filter(|_| in_use).min_by_key(|drop| drop.at)
}

fn of_memory(context: &Context, found: &ResolvedNote<'_>) -> ScoreHistory {
    let (note, now) = (&found.note, context.now());
    let scores = MemoryScores::of(context, found.open);
    let used = scores.used(note);
    let point = |at: Instant, score: DecayScore| ScorePoint {
        at,
        score: rounded(score.value()),
        level: scores.status(score).name(),
    };
    let past = |at: Instant| {
        let (then, used) = if at == now { (note.clone(), used) } else { as_of(note, used, at) };
        point(at, scores.score_at(&then, used, at))
    };
    let score = |at: Instant| scores.score_at(note, used, at);
    let status = |at: Instant| scores.status(score(at));
    let today = status(now);
    let drop = first_day(now, &|at| status(at) <= today);
    let kind = |at: Instant| match status(at) {
        DecayStatus::Pinned | DecayStatus::Active | DecayStatus::Fading => ScoreDropKind::Fading,
        DecayStatus::Dormant => ScoreDropKind::Dormant,
        DecayStatus::Archived => ScoreDropKind::Archived,
    };
    ScoreHistory {
        id: note.key().to_owned(),
        points: times(note.created.or(note.updated), now).into_iter().map(past).collect(),
        forecast: forecast_times(now).map(|at| point(at, score(at))).collect(),
        drop: drop.map(|at| ScoreDrop { at, kind: kind(at) }),
    }
}

/// Returns a memory and its usage without what happened after this time.
fn as_of(note: &Note, used: UsageCounts, at: Instant) -> (Note, UsageCounts) {
    let mut then = note.clone();
    then.feedback.retain(|event| event.at <= at);
    then.updated = note.updated.filter(|updated| *updated <= at);
    let is_used = used.last.is_some_and(|last| last <= at);
    (then, if is_used { used } else { UsageCounts::default() })
}

/// Returns up to [`MAX_POINTS`] times at equal distances; the last one is `now`.
fn times(first: Option<Instant>, now: Instant) -> Vec<Instant> {
    let days = first.map_or(0.0, |first| first.days_until(now)).max(0.0);
    let steps = MAX_POINTS - 1;
    let at = |step: usize| now.minus_days(days * step as f64 / steps as f64);
    let mut times: Vec<Instant> = (1..=steps).rev().map(at).chain([now]).collect();
    times.dedup();
    times
}

fn forecast_times(now: Instant) -> impl Iterator<Item = Instant> {
    let days = (1..=FORECAST_DAYS).filter(|days| days % FORECAST_STEP == 0);
    days.map(move |days| now.minus_days(-f64::from(days)))
}

/// Returns the first day of the forecast on which a condition that holds now no longer holds.
fn first_day(now: Instant, holds: &dyn Fn(Instant) -> bool) -> Option<Instant> {
    let mut days = (1..=FORECAST_DAYS).map(|days| now.minus_days(-f64::from(days)));
    if holds(now) { days.find(|at| !holds(*at)) } else { None }
}

fn rounded(score: f64) -> f64 {
    round_to_four_decimals(score) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;
    use crate::verbs::decay;
    use crate::verbs::playbook::BulletRow;

    fn rule(number: usize, keys: &str, days: &[&str]) -> String {
        let events: Vec<String> = days
            .iter()
            .map(|day| format!("\n  - {{at: {day}, signal: helpful, session: s-{day}}}"))
            .collect();
        format!(
            "---\nid: b-mt2ssunl-{number:06}\nstate: active\ncategory: testing\ncreated: 2026-01-01\n{keys}\nfeedback:{}\n---\n\nRun check {number} first.\n",
            events.concat()
        )
    }

    #[test]
    fn the_last_point_of_a_rule_is_its_score_and_the_forecast_halves_it() {
        let vault = FixtureVault::new();
        let days = ["2026-02-01", "2026-02-02", "2026-02-03", "2026-02-04", "2026-02-05"];
        vault.put("playbook/testing/a.md", &rule(1, "maturity: established", &days));
        vault.put("playbook/testing/b.md", &rule(2, "", &[]));
        let context = vault.at("2026-02-10");
        let history = score_history(&context, "b-mt2ssunl-000001").unwrap();
        assert_eq!((history.points.len(), history.forecast.len()), (24, 9));
        let bullets = merged(&context).unwrap().bullets;
        let row = BulletRow::of(&bullets[0], context.now(), &Scoring::default());
        let last = history.points.last().unwrap();
        assert_eq!(
            (last.at, last.score, last.level),
            (context.now(), rounded(row.score.value()), "established")
        );
        assert_eq!((history.points[0].score, history.points[0].level), (0.0, "candidate"));
        let end = history.forecast.last().unwrap();
        assert_eq!(end.at, context.now().minus_days(-90.0));
        assert!((end.score - last.score / 2.0).abs() < 1e-3, "the half-life is 90 days");
        // It has no feedback for 90 days from 2026-05-06 on, earlier than its score falls below 2.
        let drop = history.drop.unwrap();
        assert_eq!((drop.at.day().as_str(), drop.kind), ("2026-05-06", ScoreDropKind::Stale));
        let ids = ["b-mt2ssunl-000002", "none", "b-mt2ssunl-000001"].map(str::to_owned);
        let all = rule_score_histories(&context, &ids).unwrap();
        assert_eq!(all.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), [&*ids[0], &*ids[2]]);
        assert_eq!(all[1].points, history.points);
    }

    #[test]
    fn a_proven_rule_names_the_day_on_which_its_score_no_longer_protects_it() {
        let vault = FixtureVault::new();
        let days: Vec<String> = (1..=6).map(|day| format!("2026-02-0{day}")).collect();
        let days: Vec<&str> = days.iter().map(String::as_str).collect();
        vault.put("playbook/testing/a.md", &rule(1, "maturity: proven\nhalf_life_days: 30", &days));
        let history = score_history(&vault.at("2026-02-06"), "b-mt2ssunl-000001").unwrap();
        let drop = history.drop.unwrap();
        assert_eq!(drop.kind, ScoreDropKind::BelowProven);
        assert_eq!(drop.at.day(), "2026-03-01");
    }

    #[test]
    fn a_memory_decays_from_its_last_change_and_fades() {
        let vault = FixtureVault::new();
        let keys = "id: 1f0c2a00-0000-4000-8000-000000000001\ntype: fix\ntitle: Retry\nimportance: 1.0";
        let text = format!("---\n{keys}\ncreated: 2026-01-01\nupdated: 2026-01-01\n---\n\nText.\n");
        vault.put("graph/fixes/a.md", &text);
        vault.put("plain.md", "# Plain\n\nText.\n");
        let context = vault.at("2026-01-11");
        let history = score_history(&context, "Retry").unwrap();
        let listed = decay::decay(&context, &decay::Options { limit: 9, ..Default::default() }).unwrap();
        let last = history.points.last().unwrap();
        assert_eq!(
            (last.score, last.level),
            (rounded(listed.notes[0].score.value()), listed.notes[0].status.name())
        );
        assert!(history.points[0].score > last.score && history.forecast[8].score < last.score);
        assert!(history.drop.is_some());
        assert_eq!(score_history(&context, "plain.md").unwrap_err().code, "usage");
    }
}
