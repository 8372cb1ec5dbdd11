//! Earlier times of a page: a slider over the history, and links for readers without scripts.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::past::{PARAMETER, with_time, without_time};
use crate::web::response::own_address;
use cm_app::verbs::timeline::{self, TimePoint};
use cm_app::{Context, Result};

/// Number of points on the slider.
const SLIDER_POINTS: usize = 120;

#[derive(Template)]
#[template(path = "past.html")]
struct PastPage {
    shell: Shell,
    /// Path of the page that is shown at the chosen time.
    path: String,
    /// Its other parameters.
    parameters: Vec<(String, String)>,
    /// The oldest first.
    points: Vec<Point>,
    /// Position of the point that the page shows now; the number of points for the present.
    chosen: usize,
    chosen_label: String,
    today: String,
}

struct Point {
    commit: String,
    label: String,
    address: String,
    is_chosen: bool,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let to = own_address(request.query.get("to").unwrap_or("/"));
    let query = to.split_once('?').map_or("", |(_, query)| query);
    let mut parameters: Vec<(String, String)> =
        form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let at = parameters.iter().position(|(name, _)| name == PARAMETER);
    let named_time = at.map(|at| parameters.remove(at).1).filter(|named_time| !named_time.is_empty());
    // A vault without a history has only the present.
    let points = timeline::timeline(context, &timeline::Options { points: SLIDER_POINTS, counts: false });
    let points = points.map_or_else(|_| Vec::new(), |timeline| timeline.points);
    let chosen = match &named_time {
        Some(named_time) => position(context, &points, named_time)?,
        None => points.len(),
    };
    let points: Vec<Point> =
        points.into_iter().enumerate().map(|(at, point)| shown(point, to, at == chosen)).collect();
    let today = without_time(to);
    render(&PastPage {
        path: today.split('?').next().unwrap_or("/").to_owned(),
        chosen_label: points.get(chosen).map_or("now", |point| &point.label).to_owned(),
        shell: Shell::of(context, request, "", "Earlier times"),
        parameters,
        points,
        chosen,
        today,
    })
}

/// The last point that is not newer than the named time.
fn position(context: &Context, points: &[TimePoint], time: &str) -> Result<usize> {
    let read = context.as_of(time)?.read_at();
    let later = read.map_or(points.len(), |read| points.partition_point(|point| point.at <= read.date));
    Ok(later.saturating_sub(1))
}

fn shown(point: TimePoint, to: &str, is_chosen: bool) -> Point {
    Point {
        label: format!("{} · {}", point.at.date_and_time(), point.subject),
        address: with_time(to, &point.commit),
        commit: point.commit,
        is_chosen,
    }
}
