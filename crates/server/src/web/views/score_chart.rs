//! The score of a note over time and its forecast, as a drawing with a text equivalent.

use crate::web::words::count;
use cm_app::verbs::score_history::{FORECAST_DAYS, ScoreDrop, ScoreDropKind, ScoreHistory, ScorePoint};
use cm_note::instant::Instant;

/// Width and height of the drawn area, in the units of the drawing.
const AREA: (f64, f64) = (600.0, 120.0);
/// Width and height of a sparkline, and the free space above and below its line.
const SPARK: (f64, f64, f64) = (80.0, 20.0, 2.0);

/// A drawing of the scores of one note; coordinates are in its own units.
pub(super) struct ScoreChart {
    /// Points of the line from the creation to the present.
    pub(super) past: String,
    /// Points of the line from the present to the end of the forecast.
    pub(super) forecast: String,
    pub(super) now: (String, String),
    /// Height of the score 0.
    pub(super) zero: String,
    /// Horizontal place of the next threshold.
    pub(super) threshold: Option<String>,
    pub(super) first: String,
    pub(super) last: String,
    pub(super) highest: String,
    /// The course and the forecast in words.
    pub(super) summary: String,
    pub(super) rows: Vec<ScoreRow>,
}

/// A row of the table with the same data.
pub(super) struct ScoreRow {
    pub(super) day: String,
    pub(super) score: String,
    pub(super) level: &'static str,
    pub(super) is_forecast: bool,
}

/// Converts times and scores to places in an area with the origin at the top left.
struct Scale {
    first: f64,
    seconds: f64,
    lowest: f64,
    height: f64,
    area: (f64, f64),
}

impl Scale {
    fn of<'p>(points: impl Iterator<Item = &'p ScorePoint> + Clone, area: (f64, f64)) -> Self {
        let times = points.clone().map(|point| point.at.unix() as f64);
        let first = times.clone().fold(f64::INFINITY, f64::min);
        let last = times.fold(f64::NEG_INFINITY, f64::max);
        let lowest = points.clone().map(|point| point.score).fold(0.0, f64::min);
        let highest = points.map(|point| point.score).fold(0.0, f64::max);
        let some = |length: f64| if length > 0.0 { length } else { 1.0 };
        Self { first, seconds: some(last - first), lowest, height: some(highest - lowest), area }
    }

    fn x(&self, at: Instant) -> f64 {
        (at.unix() as f64 - self.first) / self.seconds * self.area.0
    }

    fn y(&self, score: f64) -> f64 {
        (1.0 - (score - self.lowest) / self.height) * self.area.1
    }

    fn line<'p>(&self, points: impl Iterator<Item = &'p ScorePoint>) -> String {
        let place = |point: &ScorePoint| format!("{:.1},{:.1}", self.x(point.at), self.y(point.score));
        points.map(place).collect::<Vec<_>>().join(" ")
    }
}

/// Draws a history; `None` if it has no point.
pub(super) fn of(history: &ScoreHistory) -> Option<ScoreChart> {
    let (first, now) = (history.points.first()?, history.points.last()?);
    let all = history.points.iter().chain(&history.forecast);
    let scale = Scale::of(all.clone(), AREA);
    let row = |is_forecast| {
        move |point: &ScorePoint| ScoreRow {
            day: point.at.day(),
            score: format!("{:.2}", point.score),
            level: point.level,
            is_forecast,
        }
    };
    let past = history.points.iter().map(row(false));
    Some(ScoreChart {
        past: scale.line(history.points.iter()),
        forecast: scale.line([now].into_iter().chain(&history.forecast)),
        now: (format!("{:.1}", scale.x(now.at)), format!("{:.1}", scale.y(now.score))),
        zero: format!("{:.1}", scale.y(0.0)),
        threshold: history.drop.as_ref().map(|drop| format!("{:.1}", scale.x(drop.at))),
        first: first.at.day(),
        last: all.clone().last().map(|point| point.at.day()).unwrap_or_default(),
        highest: format!("{:.2}", all.map(|point| point.score).fold(0.0, f64::max)),
        summary: summary(history, first, now),
        rows: past.chain(history.forecast.iter().map(row(true))).collect(),
    })
}

fn summary(history: &ScoreHistory, first: &ScorePoint, now: &ScorePoint) -> String {
    let mut text = format!("The score is {:.2} ({})", now.score, now.level);
    if first.at != now.at {
        text.push_str(&format!(", from {:.2} ({}) on {}", first.score, first.level, first.at.day()));
    }
    if let Some(end) = history.forecast.last() {
        text.push_str(&format!(
            ". Without feedback or use, it drops to {:.2} by {}",
            end.score,
            end.at.day()
        ));
    }
    match &history.drop {
        Some(drop) => format!("{text}; it {}.", consequence(drop, now.at)),
        None => format!("{text}, and passes no threshold within {FORECAST_DAYS} days."),
    }
}

/// The next threshold in words, such as `falls below “proven” in 6 days (2026-12-01)`.
fn consequence(drop: &ScoreDrop, now: Instant) -> String {
    let what = match drop.kind {
        ScoreDropKind::BelowProven => "falls below “proven”",
        ScoreDropKind::BelowEstablished => "falls below “established”",
        ScoreDropKind::Stale => "becomes stale",
        ScoreDropKind::Fading => "starts to fade",
        ScoreDropKind::Dormant => "becomes dormant",
        ScoreDropKind::Archived => "is archived",
    };
    let when = match days_until(drop, now) {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        days => format!("in {}", count(days, "day")),
    };
    format!("{what} {when} ({})", drop.at.day())
}

/// Whole days from now to a threshold.
fn days_until(drop: &ScoreDrop, now: Instant) -> usize {
    now.days_until(drop.at).round().max(0.0) as usize
}

/// The next threshold in few words, such as `below proven in 6 days`.
pub(super) fn forecast(history: &ScoreHistory) -> Option<String> {
    let (drop, now) = (history.drop.as_ref()?, history.points.last()?.at);
    let what = match drop.kind {
        ScoreDropKind::BelowProven => "below proven",
        ScoreDropKind::BelowEstablished => "below established",
        ScoreDropKind::Stale => "stale",
        ScoreDropKind::Fading => "fading",
        ScoreDropKind::Dormant => "dormant",
        ScoreDropKind::Archived => "archived",
    };
    Some(format!("{what} in {}", count(days_until(drop, now), "day")))
}

/// The past of a score in words, such as `from 0.00 on 2026-05-20 to 4.10`.
pub(super) fn course(history: &ScoreHistory) -> String {
    match (history.points.first(), history.points.last()) {
        (Some(first), Some(now)) if first.at != now.at => {
            format!("from {:.2} on {} to {:.2}", first.score, first.at.day(), now.score)
        }
        (_, Some(now)) => format!("{:.2} since today", now.score),
        _ => String::new(),
    }
}

/// The points of a line of the past scores, 80 wide and 20 high, for a small drawing in a table.
pub(super) fn sparkline(history: &ScoreHistory) -> String {
    let (width, height, free) = SPARK;
    let scale = Scale::of(history.points.iter(), (width, height - 2.0 * free));
    let place = |point: &ScorePoint| format!("{:.1},{:.1}", scale.x(point.at), scale.y(point.score) + free);
    history.points.iter().map(place).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(day: i64, score: f64) -> ScorePoint {
        ScorePoint { at: Instant::from_unix(day * 86_400), score, level: "candidate" }
    }

    fn history(points: Vec<ScorePoint>, forecast: Vec<ScorePoint>) -> ScoreHistory {
        let drop = ScoreDrop { at: Instant::from_unix(20 * 86_400), kind: ScoreDropKind::Stale };
        ScoreHistory { id: "b-1".to_owned(), points, forecast, drop: Some(drop) }
    }

    #[test]
    fn the_line_fills_the_area_and_the_text_says_the_same() {
        let chart = of(&history(vec![point(0, 0.0), point(10, 4.0)], vec![point(30, 2.0)])).unwrap();
        assert_eq!(
            (chart.past.as_str(), chart.forecast.as_str()),
            ("0.0,120.0 200.0,0.0", "200.0,0.0 600.0,60.0")
        );
        assert_eq!((chart.threshold.as_deref(), chart.zero.as_str()), (Some("400.0"), "120.0"));
        assert_eq!(
            chart.summary,
            "The score is 4.00 (candidate), from 0.00 (candidate) on 1970-01-01. Without feedback or use, it \
             drops to 2.00 by 1970-01-31; it becomes stale in 10 days (1970-01-21)."
        );
        assert_eq!(forecast(&history(vec![point(19, 1.0)], Vec::new())).as_deref(), Some("stale in 1 day"));
        assert_eq!(chart.rows.iter().filter(|row| row.is_forecast).count(), 1);
    }

    #[test]
    fn a_score_that_never_changed_and_one_point_are_drawn_too() {
        let chart = of(&history(vec![point(0, 0.0)], Vec::new())).unwrap();
        assert_eq!(chart.past, "0.0,120.0");
        assert_eq!(
            sparkline(&history(vec![point(0, -1.0), point(1, -1.0)], Vec::new())),
            "0.0,18.0 80.0,18.0"
        );
        assert!(of(&history(Vec::new(), Vec::new())).is_none());
    }
}
