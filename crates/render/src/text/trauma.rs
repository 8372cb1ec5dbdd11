//! Text output of `cm trauma`.

use super::committed;
use super::style::{BAD, DIM, ID, STRONG, count, one_line, paint, safe};
use cm_app::verbs::trauma::{AcceptResult, IncidentScan, ScannedIncident};

/// Each incident with its location and the evidence of harm.
pub fn scanned(scanned: &IncidentScan) -> String {
    let among = format!("{} of {}", count(scanned.sessions, "session"), count(scanned.logs, "log"));
    if scanned.incidents.is_empty() {
        return format!("no destructive command went wrong in {among}\n");
    }
    let head = format!("{} in {among}", count(scanned.incidents.len(), "incident"));
    let mut lines = format!("{}\n", paint(STRONG, &head));
    scanned.incidents.iter().for_each(|one| lines += &incident(one));
    match scanned.incidents.iter().find(|one| one.bullet.is_none()) {
        Some(open) => {
            lines
                + &format!(
                    "`cm trauma accept {}` stores the first as an anti-pattern for `cm guard`\n",
                    open.id
                )
        }
        None => lines,
    }
}

fn incident(one: &ScannedIncident) -> String {
    let day = one.at.map(|at| at.day()).unwrap_or_default();
    let stored_as = one.bullet.as_ref().map(|id| format!("  stored as {id}")).unwrap_or_default();
    let mut lines =
        format!("{}  {day}  {}{stored_as}\n", paint(ID, &one.id), paint(BAD, &one_line(&one.command)));
    lines += &format!("     {}\n", safe(&one.reason));
    for evidence in &one.evidence {
        lines += &format!("     {}\n", one_line(evidence));
    }
    let place = format!("{} {} line {}", one.agent, safe(&one.session), one.line);
    lines + &format!("     {}\n", paint(DIM, &place))
}

/// One line for each stored incident.
pub fn accepted(accepted: &AcceptResult) -> String {
    let mut lines = String::new();
    for incident in &accepted.kept {
        let how = if incident.added { incident.state.name() } else { "already stored" };
        let commit = committed(accepted.commit.as_deref());
        lines += &format!(
            "{}  {}  {how}  {}  {commit}\n",
            incident.id,
            paint(ID, &incident.bullet),
            safe(&incident.path)
        );
    }
    for id in &accepted.before {
        lines += &format!("{id}  is already stored\n");
    }
    lines
}
