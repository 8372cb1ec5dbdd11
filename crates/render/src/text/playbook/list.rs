//! Text output of `cm playbook list`.

use crate::text::short_ids::ShortIds;
use crate::text::style::{DIM, ID, STRONG, WARN, count, one_line, paint};
use cm_app::verbs::playbook::BulletRow;
use cm_app::verbs::playbook::list::BulletPage;
use cm_note::bullet::{BulletState, BulletType, Maturity};

/// Two lines for each rule, then the total.
pub fn listed(outcome: &BulletPage) -> String {
    let ids = ShortIds::of(outcome.bullets.iter().map(|row| row.id.as_str()));
    let mut lines: String = outcome.bullets.iter().map(|row| rule(row, &ids)).collect();
    let more = match outcome.next {
        Some(next) => format!(", {} shown; continue with --offset {next}", outcome.bullets.len()),
        None if outcome.bullets.is_empty() && outcome.total > 0 => ", none at this offset".to_owned(),
        None => String::new(),
    };
    let rules = match outcome.total {
        0 => "no rules".to_owned(),
        n => count(n, "rule"),
    };
    lines.push_str(&format!("{}{}\n", paint(STRONG, &rules), paint(DIM, &more)));
    lines
}

/// Prefix of anti-patterns.
const AVOID: &str = "✗ ";

/// The id, score, state and category of a rule, then its text.
fn rule(row: &BulletRow, ids: &ShortIds) -> String {
    let facts = format!("{:.2} · {} · {}", row.score.value(), standing(row), one_line(&row.category));
    let content = one_line(&row.content);
    let content = match row.bullet_type {
        BulletType::AntiPattern => paint(WARN, &format!("{AVOID}{content}")),
        BulletType::Rule => content,
    };
    format!("{}  {}\n    {content}\n", paint(ID, &ids.shown(&row.id)), paint(DIM, &facts))
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
