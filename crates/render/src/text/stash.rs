//! Text output of `cm stash`.

use super::committed;
use super::list::rows;
use super::short_ids::shown_id;
use super::style::{DIM, ID, STRONG, count, one_line, paint, safe};
use cm_app::verbs::stash::{StashList, StashPage, StashResult};

pub fn stashed(outcome: &StashResult) -> String {
    let commit = committed(outcome.commit.as_deref());
    let mut lines = format!("{}  {}  {commit}\n", paint(ID, &shown_id(&outcome.id)), safe(&outcome.path));
    if outcome.redacted > 0 {
        lines += &format!("{} removed from the text\n", count(outcome.redacted, "secret"));
    }
    lines
}

/// A table with date, id, agent and name.
pub fn listed(outcome: &StashList) -> String {
    if outcome.stashes.is_empty() {
        return "no stashes\n".to_owned();
    }
    let row = |stash: &cm_app::verbs::stash::StashRow| {
        vec![
            stash.created.map(|at| at.day()).unwrap_or_default(),
            one_line(&shown_id(&stash.id)),
            one_line(stash.agent.as_deref().unwrap_or("-")),
            one_line(&stash.title),
        ]
    };
    let table: Vec<Vec<String>> = outcome.stashes.iter().map(row).collect();
    let mut lines = rows(&table, |column, cell| match column {
        0 | 2 => paint(DIM, cell),
        1 => paint(ID, cell),
        _ => cell.to_owned(),
    });
    if outcome.total > outcome.stashes.len() {
        let more = outcome.total - outcome.stashes.len();
        lines += &format!("{}\n", paint(DIM, &format!("… and {more} more")));
    }
    lines
}

/// Metadata of the stash, then its text.
pub fn shown(outcome: &StashPage) -> String {
    let stash = &outcome.stash;
    let day = stash.created.map(|at| at.to_string()).unwrap_or_default();
    let mut head =
        format!("{}  {}  {day}", paint(ID, &shown_id(&stash.id)), paint(STRONG, &safe(&stash.path)));
    for (name, value) in
        [("agent", &stash.agent), ("session", &stash.session), ("workspace", &stash.workspace)]
    {
        if let Some(value) = value {
            head += &format!("  {}", paint(DIM, &format!("{name} {}", safe(value))));
        }
    }
    format!("{head}\n\n{}", safe(&outcome.body))
}
