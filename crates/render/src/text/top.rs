//! Text output of `cm top`.

use super::list::rows;
use super::style::{BAD, DIM, ID, count, one_line, paint, safe};
use cm_app::verbs::top::TopBullets;

/// Score, maturity, feedback counts, id and rule.
pub fn top(outcome: &TopBullets) -> String {
    if outcome.bullets.is_empty() && outcome.total == 0 {
        return "no active rules\n".to_owned();
    }
    let table: Vec<Vec<String>> = outcome
        .bullets
        .iter()
        .map(|row| {
            vec![
                format!("{:7.2}", row.score.value()),
                row.maturity.name().to_owned(),
                judged(row.helpful, row.harmful),
                row.id.clone(),
                one_line(&row.content),
            ]
        })
        .collect();
    let mut lines = rows(&table, |column, cell| match column {
        0 if cell.trim_start().starts_with('-') => paint(BAD, cell),
        1 | 2 => paint(DIM, cell),
        3 => paint(ID, cell),
        _ => cell.to_owned(),
    });
    if outcome.total > outcome.bullets.len() {
        lines.push_str(&rest(outcome.total, "rule", "cm top"));
    }
    if let Some(first) = outcome.bullets.first() {
        let hint = format!("`cm why {}` shows the evidence for the first", safe(&first.id));
        lines.push_str(&format!("{}\n", paint(DIM, &hint)));
    }
    lines
}

/// Says how many there are in all, and how to see them.
pub fn rest(total: usize, noun: &str, limit: &str) -> String {
    format!("{}\n", paint(DIM, &format!("… of {}: {limit} {total} lists all", count(total, noun))))
}

/// `+3 -1`: counts of helpful and harmful feedback.
pub fn judged(helpful: usize, harmful: usize) -> String {
    format!("+{helpful} -{harmful}")
}
