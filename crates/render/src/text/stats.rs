//! Text output of `cm stats`.

use super::list::rows;
use super::style::{DIM, ID, STRONG, count, one_line, paint};

use cm_app::verbs::stats::{PlaybookStats, ScoredRule, VaultStats};
use cm_note::bullet::blocked::BlockKind;

/// One line for each statistic.
pub fn stats(outcome: &VaultStats) -> String {
    let mut lines = format!("{}\n", paint(STRONG, &count(outcome.notes, "note")));
    let mut row = |name: &str, parts: Vec<String>| {
        if !parts.is_empty() {
            lines.push_str(&format!("{}  {}\n", paint(DIM, &format!("{name:>8}")), parts.join(", ")));
        }
    };
    row("kinds", outcome.kinds.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect());
    row("types", outcome.types.iter().map(|(name, n)| format!("{name} {n}")).collect());
    row("status", outcome.status.iter().map(|(status, n)| format!("{} {n}", status.name())).collect());
    row("edges", outcome.edges.iter().map(|(name, n)| format!("{name} {n}")).collect());
    row("orphans", vec![outcome.orphans.to_string()]);
    let tags: Vec<String> = outcome.top_tags.iter().map(|tag| format!("{} {}", tag.tag, tag.notes)).collect();
    row("tags", [vec![outcome.tags.to_string()], tags].concat());
    row(
        "findings",
        outcome.findings.iter().map(|(severity, n)| format!("{severity:?} {n}").to_lowercase()).collect(),
    );
    if outcome.playbook.health.bullets + outcome.playbook.blocked.len() > 0 {
        lines.push_str(&playbook(&outcome.playbook));
    }
    lines
}

/// Statistics of the rules, printed after those of the notes.
fn playbook(stats: &PlaybookStats) -> String {
    let health = &stats.health;
    let live = format!("{} live", health.live);
    let mut lines = format!("\n{}, {live}\n", paint(STRONG, &count(health.bullets, "rule")));
    let mut row = |name: &str, parts: Vec<String>| {
        if !parts.is_empty() {
            lines.push_str(&format!("{}  {}\n", paint(DIM, &format!("{name:>8}")), parts.join(", ")));
        }
    };
    row("scope", health.by_scope.iter().map(|(scope, n)| format!("{} {n}", scope.name())).collect());
    row(
        "maturity",
        health.by_maturity.iter().map(|(maturity, n)| format!("{} {n}", maturity.name())).collect(),
    );
    row("types", health.by_type.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect());
    row("state", health.by_state.iter().map(|(state, n)| format!("{} {n}", state.name())).collect());
    row("scores", health.bands.iter().map(|(band, n)| format!("{} {n}", band.name())).collect());
    row("stale", vec![health.stale.to_string()]);
    let blocked = |(kind, n): (&BlockKind, &usize)| match kind {
        BlockKind::Toxic => format!("toxic {n}"),
        BlockKind::Deprecated => format!("deprecated {n}"),
    };
    row("ignored", Some(stats.ignored).filter(|n| *n > 0).map(|n| n.to_string()).into_iter().collect());
    row("blocked", stats.blocked.iter().map(blocked).collect());
    lines.push_str(&performers("best", &health.top));
    lines.push_str(&performers("at risk", &health.at_risk));
    let merges = health.merge_candidates.iter().map(|pair| (&pair.contents, format!("{:.2}", pair.likeness)));
    lines.push_str(&pairs("merge candidates", merges, health.merge_candidates_total));
    let conflicts = health.conflicts.iter().map(|pair| (&pair.contents, pair.reason.clone()));
    lines.push_str(&pairs("contradictions", conflicts, health.conflicts_total));
    lines
}

/// A heading and the scores of rules; empty if there are none.
fn performers(heading: &str, list: &[ScoredRule]) -> String {
    if list.is_empty() {
        return String::new();
    }
    let table: Vec<Vec<String>> = list
        .iter()
        .map(|one| vec![format!("  {:7.2}", one.score.value()), one_line(&one.id), one_line(&one.content)])
        .collect();
    let painted = rows(&table, |column, cell| if column == 1 { paint(ID, cell) } else { cell.to_owned() });
    format!("{}\n{painted}", paint(STRONG, heading))
}

/// A heading with a count, and pairs of rules; empty if there are none.
fn pairs<'a>(heading: &str, list: impl Iterator<Item = (&'a [String; 2], String)>, total: usize) -> String {
    if total == 0 {
        return String::new();
    }
    let mut lines = format!("{} {total}\n", paint(STRONG, heading));
    for ([one, other], why) in list.take(5) {
        lines.push_str(&format!(
            "  {}\n  {}  {}\n",
            one_line(one),
            one_line(other),
            paint(DIM, &one_line(&why))
        ));
    }
    if total > 5 {
        lines.push_str(&format!("  {}\n", paint(DIM, &format!("… of {total}; --json lists 20"))));
    }
    lines
}
