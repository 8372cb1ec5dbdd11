//! Friction in the sessions of the last weeks, and the incidents that rules record.
//!
//! Sessions come from the session index as it is: no log is read.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::error::Result;
use crate::sessions::{SessionAccess, SessionSelection};
use crate::verbs::playbook;
use crate::verbs::session_receipts::{self, FrictionCounts, SessionReceiptRow, session_receipts};
use cm_note::instant::Instant;

/// Number of weeks.
pub const SHOWN_WEEKS: usize = 12;
const WEEK_SECONDS: i64 = 7 * 86_400;

/// Sessions of seven days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrictionWeek {
    /// Time at which the seven days begin.
    pub begins: Instant,
    /// Number of sessions that began in the week and whose log is indexed.
    pub sessions: usize,
    /// Sums over these sessions.
    pub friction: FrictionCounts,
}

/// A command that caused harm, recorded by a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedIncident {
    /// Id of the rule.
    pub bullet: String,
    /// Text of the rule.
    pub content: String,
    /// Kind of damage, such as `hard-reset`.
    pub class: String,
    /// Day, such as `2026-11-01`; null if unknown.
    pub date: Option<String>,
}

/// Friction by week, and incidents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrictionHistory {
    /// The last [`SHOWN_WEEKS`] weeks, the oldest first; the last one ends now.
    pub weeks: Vec<FrictionWeek>,
    /// Incidents, the most recent first.
    pub incidents: Vec<RecordedIncident>,
}

/// Returns the friction of the last weeks and all recorded incidents of the open vaults.
///
/// # Errors
/// Returns an error if the session index or the playbook cannot be read.
pub fn friction_history(context: &Context) -> Result<FrictionHistory> {
    let days = (SHOWN_WEEKS * 7) as f64;
    let which = SessionSelection { days: Some(days), ..SessionSelection::default() };
    let options = session_receipts::Options { which, limit: usize::MAX, offset: 0 };
    let listed = session_receipts(context, &SessionAccess::open_without_refresh(context), &options)?;
    Ok(FrictionHistory { weeks: weeks(&listed.sessions, context.now()), incidents: incidents(context)? })
}

fn weeks(sessions: &[SessionReceiptRow], now: Instant) -> Vec<FrictionWeek> {
    let begins = |week: usize| Instant::from_unix(now.unix() - (SHOWN_WEEKS - week) as i64 * WEEK_SECONDS);
    let empty =
        |week| FrictionWeek { begins: begins(week), sessions: 0, friction: FrictionCounts::default() };
    let mut weeks: Vec<FrictionWeek> = (0..SHOWN_WEEKS).map(empty).collect();
    for session in sessions {
        let (Some(started), Some(friction)) = (session.started, session.friction) else { continue };
        let Some(week) = weeks.iter_mut().rev().find(|week| week.begins <= started) else { continue };
        week.sessions += 1;
        week.friction.interrupts += friction.interrupts;
        week.friction.rejections += friction.rejections;
        week.friction.errors += friction.errors;
    }
    weeks
}

fn incidents(context: &Context) -> Result<Vec<RecordedIncident>> {
    let bullets = playbook::merged(context)?.bullets;
    let recorded = bullets.into_iter().filter_map(|merged| {
        let incident = merged.bullet.fields.incident.as_ref()?;
        Some(RecordedIncident {
            bullet: merged.bullet.id.to_string(),
            content: merged.bullet.content().to_owned(),
            class: incident.class.clone(),
            date: incident.date.clone(),
        })
    });
    let mut recorded: Vec<_> = recorded.collect();
    recorded.sort_by(|a, b| (&b.date, &a.bullet).cmp(&(&a.date, &b.bullet)));
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::session_receipts::RuleCounts;

    fn session(started: i64, errors: usize) -> SessionReceiptRow {
        SessionReceiptRow {
            id: "s".to_owned(),
            agent: String::new(),
            title: None,
            workspace: None,
            started: Some(Instant::from_unix(started)),
            ended: None,
            prompts: None,
            outcome: None,
            friction: Some(FrictionCounts { interrupts: 1, rejections: 0, errors }),
            tokens: 0,
            shown: 0,
            notes: 0,
            rules: RuleCounts::default(),
        }
    }

    #[test]
    fn a_session_counts_in_the_week_in_which_it_began() {
        let now = 1_800_000_000;
        let sessions =
            [session(now - 10, 2), session(now - WEEK_SECONDS - 1, 3), session(now - 100 * 86_400, 9)];
        let weeks = weeks(&sessions, Instant::from_unix(now));
        assert_eq!(weeks.len(), SHOWN_WEEKS);
        let errors: Vec<usize> = weeks.iter().map(|week| week.friction.errors).collect();
        assert_eq!(errors[SHOWN_WEEKS - 2..], [3, 2]);
        assert_eq!(weeks.iter().map(|week| week.sessions).sum::<usize>(), 2);
        assert_eq!(weeks[SHOWN_WEEKS - 1].begins, Instant::from_unix(now - WEEK_SECONDS));
    }
}
