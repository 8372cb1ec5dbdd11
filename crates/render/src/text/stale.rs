//! Text output of `cm stale`.

use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, STRONG, count, one_line, paint, safe};
use super::top::{judged, rest};
use cm_app::verbs::stale::StaleResult;
use cm_note::bullet::BulletState;
use cm_note::note::Staleness;

/// Days without feedback, maturity or `draft`, feedback counts, id and rule.
pub fn stale(outcome: &StaleResult) -> String {
    if outcome.total == 0 {
        return format!("no rule without feedback for {}\n{}", days(outcome.days), observations(outcome));
    }
    let head = format!("{} without feedback for {}", count(outcome.total, "rule"), days(outcome.days));
    let mut lines = format!("{}\n", paint(STRONG, &head));
    let table: Vec<Vec<String>> = outcome
        .bullets
        .iter()
        .map(|silent| {
            let row = &silent.row;
            vec![
                format!("{:>5} d", silent.days),
                if row.state == BulletState::Draft { "draft" } else { row.maturity.name() }.to_owned(),
                judged(row.helpful, row.harmful),
                row.id.clone(),
                one_line(&row.content),
            ]
        })
        .collect();
    lines.push_str(&rows(&table, |column, cell| match column {
        1 | 2 => paint(DIM, cell),
        3 => paint(ID, cell),
        _ => cell.to_owned(),
    }));
    if outcome.total > outcome.bullets.len() {
        lines.push_str(&rest(outcome.total, "rule", "--limit"));
    }
    if let Some(first) = outcome.bullets.first() {
        let id = safe(&first.row.id);
        let hint =
            format!("`cm mark {id} --helpful` confirms the first, `cm forget {id} --reason TEXT` retires it");
        lines.push_str(&format!("{}\n", paint(DIM, &hint)));
    }
    lines.push_str(&observations(outcome));
    lines
}

/// Stale observations with the reason, under a heading; empty if there are none.
fn observations(outcome: &StaleResult) -> String {
    if outcome.observations.is_empty() {
        return String::new();
    }
    let head = count(outcome.observations.len(), "stale observation");
    let table: Vec<Vec<String>> = outcome
        .observations
        .iter()
        .map(|one| {
            let why = match one.why {
                Staleness::Condensed => "condensed",
                Staleness::Irrelevant => "irrelevant",
            };
            vec![why.to_owned(), shown_id(&one.id), one_line(&one.title)]
        })
        .collect();
    let paint_cell = |column: usize, cell: &str| match column {
        0 => paint(DIM, cell),
        1 => paint(ID, cell),
        _ => cell.to_owned(),
    };
    format!("{}\n{}", paint(STRONG, &head), rows(&table, paint_cell))
}

fn days(days: f64) -> String {
    if days == 1.0 { "1 day".to_owned() } else { format!("{days} days") }
}
