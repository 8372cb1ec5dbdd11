//! Charts of friction in sessions and of recorded incidents, each with a table of the same figures.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{count, note_address};
use cm_app::verbs::friction_history::{self, FrictionWeek, RecordedIncident, SHOWN_WEEKS};
use cm_app::{Context, Result};

/// Width of the drawings, and height of the bars of a week, in their own units.
const WIDTH: usize = 640;
const HEIGHT: usize = 160;
/// Height of the row of a class of incidents.
const ROW: usize = 26;
/// Where the bars of classes begin, and the length of the longest.
const CLASSES: (usize, usize) = (150, 440);

#[derive(Template)]
#[template(path = "charts.html")]
struct ChartsPage {
    shell: Shell,
    weeks: Vec<Week>,
    bars: Vec<Bar>,
    /// Height of a line in the drawing, and its number.
    scale: Vec<(usize, usize)>,
    has_friction: bool,
    classes: Vec<Class>,
    classes_height: usize,
    incidents: Vec<Incident>,
}

struct Week {
    begins: String,
    /// Place of its label.
    x: usize,
    sessions: usize,
    interrupts: usize,
    rejections: usize,
    errors: usize,
}

/// A part of a week's bar.
struct Bar {
    kind: &'static str,
    label: String,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

struct Class {
    name: String,
    count: usize,
    y: usize,
    width: usize,
}

struct Incident {
    address: String,
    content: String,
    class: String,
    date: String,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let history = friction_history::friction_history(context)?;
    let sum =
        |week: &FrictionWeek| week.friction.interrupts + week.friction.rejections + week.friction.errors;
    let most = history.weeks.iter().map(sum).max().unwrap_or(0);
    let classes = classes(&history.incidents);
    render(&ChartsPage {
        shell: Shell::of(context, request, "charts", "Friction"),
        bars: history.weeks.iter().enumerate().flat_map(|(at, week)| bars(at, week, most.max(1))).collect(),
        scale: scale(most),
        has_friction: most > 0,
        weeks: history.weeks.iter().enumerate().map(|(at, week)| shown(at, week)).collect(),
        classes_height: classes.len() * ROW + 4,
        classes,
        incidents: history
            .incidents
            .into_iter()
            .map(|incident| Incident {
                address: note_address(&incident.bullet),
                content: incident.content,
                class: incident.class,
                date: incident.date.unwrap_or_default(),
            })
            .collect(),
    })
}

/// Left edge of a week's bar, and its width.
fn column(at: usize) -> (usize, usize) {
    let step = (WIDTH - 40) / SHOWN_WEEKS;
    (40 + at * step + step / 6, step * 2 / 3)
}

fn shown(at: usize, week: &FrictionWeek) -> Week {
    let (x, width) = column(at);
    Week {
        begins: week.begins.day(),
        x: x + width / 2,
        sessions: week.sessions,
        interrupts: week.friction.interrupts,
        rejections: week.friction.rejections,
        errors: week.friction.errors,
    }
}

/// The bar of a week, from below: errors, refused tools, interruptions.
fn bars(at: usize, week: &FrictionWeek, most: usize) -> Vec<Bar> {
    let (x, width) = column(at);
    let parts = [
        ("errors", "error", week.friction.errors),
        ("refused", "refused tool", week.friction.rejections),
        ("interruptions", "interruption", week.friction.interrupts),
    ];
    let mut below = 0;
    let mut bars = Vec::new();
    for (kind, noun, n) in parts.into_iter().filter(|(_, _, n)| *n > 0) {
        let (from, to) = (below * HEIGHT / most, (below + n) * HEIGHT / most);
        below += n;
        bars.push(Bar {
            kind,
            label: format!("{} in the week from {}", count(n, noun), week.begins.day()),
            x,
            y: HEIGHT + 10 - to,
            width,
            height: (to - from).max(1),
        });
    }
    bars
}

/// Lines at nought, half and the most.
fn scale(most: usize) -> Vec<(usize, usize)> {
    let mut numbers = vec![0, most / 2, most];
    numbers.dedup();
    numbers.into_iter().map(|number| (HEIGHT + 10 - number * HEIGHT / most.max(1), number)).collect()
}

/// Incidents by class, the most frequent first.
fn classes(incidents: &[RecordedIncident]) -> Vec<Class> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    incidents.iter().for_each(|incident| *counts.entry(&incident.class).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let most = counts.first().map_or(1, |(_, count)| *count);
    let class = |(at, (name, count)): (usize, (&str, usize))| Class {
        name: name.replace('-', " "),
        count,
        y: at * ROW,
        width: (count * CLASSES.1 / most).max(2),
    };
    counts.into_iter().enumerate().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_app::verbs::session_receipts::FrictionCounts;
    use cm_note::instant::Instant;

    #[test]
    fn the_parts_of_a_bar_stand_on_each_other_and_fill_the_height_at_most() {
        let friction = FrictionCounts { interrupts: 1, rejections: 2, errors: 7 };
        let week = FrictionWeek { begins: Instant::from_unix(0), sessions: 1, friction };
        let bars = bars(0, &week, 10);
        let kinds: Vec<_> = bars.iter().map(|bar| bar.kind).collect();
        assert_eq!(kinds, ["errors", "refused", "interruptions"]);
        assert_eq!(bars.iter().map(|bar| bar.height).sum::<usize>(), HEIGHT);
        assert_eq!(bars[0].y, bars[1].y + bars[1].height);
        assert_eq!(bars[2].y, 10);
    }
}
