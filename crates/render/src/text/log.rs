//! Text output of `cm log`.

use super::short;
use super::style::{DIM, ID, WARN, one_line, paint, safe};
use crate::layout::CELL;
use cm_app::verbs::log::{Commit, CommitList};

/// One line for each commit.
pub fn logged(outcome: &CommitList) -> String {
    if outcome.commits.is_empty() {
        return "no commits\n".to_owned();
    }
    let mut lines: String = outcome.commits.iter().map(|commit| format!("{}\n", line(commit))).collect();
    if let Some(next) = outcome.next {
        lines.push_str(&format!("{}\n", paint(DIM, &format!("… older commits: --offset {next}"))));
    }
    lines
}

/// Commit id, time, operation, subject and author.
pub fn line(commit: &Commit) -> String {
    let op = commit.op.as_deref().unwrap_or("-");
    let agent = commit.agent.as_ref().map(|agent| format!(" through {}", safe(agent))).unwrap_or_default();
    let reason = commit.reason.as_ref().map(|reason| format!(": {}", safe(reason))).unwrap_or_default();
    format!(
        "{}{CELL}{} {}{CELL}{}{CELL}{}  {}",
        paint(ID, short(&commit.id)),
        commit.at.day(),
        commit.at.minute(),
        paint(WARN, op),
        one_line(&commit.subject),
        paint(DIM, &format!("{}{agent}{reason}", safe(&commit.actor)))
    )
}
