//! Text output of `cm playbook list`.

use crate::text::list::rows;
use crate::text::style::{DIM, ID, STRONG, WARN, cut, paint};
use cm_app::verbs::playbook::BulletRow;
use cm_app::verbs::playbook::list::BulletPage;
use cm_note::bullet::{BulletState, BulletType, Maturity};

/// Score, state, id, category and rule; then the total.
pub fn listed(outcome: &BulletPage) -> String {
    let table: Vec<Vec<String>> = outcome.bullets.iter().map(cells).collect();
    let mut lines = rows(&table, |column, cell| match column {
        1 | 3 => paint(DIM, cell),
        2 => paint(ID, cell),
        4 if cell.starts_with(AVOID) => paint(WARN, cell),
        _ => cell.to_owned(),
    });
    let more = match outcome.next {
        Some(next) => format!(", {} shown; continue with --offset {next}", outcome.bullets.len()),
        None => String::new(),
    };
    let count = match outcome.total {
        0 => "no rules".to_owned(),
        1 => "1 rule".to_owned(),
        n => format!("{n} rules"),
    };
    lines.push_str(&format!("{}{}\n", paint(STRONG, &count), paint(DIM, &more)));
    lines
}

/// Prefix of anti-patterns.
const AVOID: &str = "✗ ";

fn cells(row: &BulletRow) -> Vec<String> {
    let avoid = if row.bullet_type == BulletType::AntiPattern { AVOID } else { "" };
    vec![format!("{:6.2}", row.score.value()), standing(row), cut(&row.id, 40), cut(&row.category, 24), {
        format!("{avoid}{}", cut(&row.content, 100))
    }]
}

/// The state if it is not active, else the maturity; followed by `pinned` if pinned.
fn standing(row: &BulletRow) -> String {
    let word = match (row.state, row.maturity) {
        (BulletState::Active, maturity) => maturity.name(),
        (_, Maturity::Deprecated) => Maturity::Deprecated.name(),
        (state, _) => state.name(),
    };
    if row.pinned { format!("{word}, pinned") } else { word.to_owned() }
}
