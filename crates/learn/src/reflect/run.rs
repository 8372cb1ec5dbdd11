//! Summary of a reflection run: its outcome, with counts and reasons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// Notes or diaries were written, and nothing failed.
    Changed,
    /// There was no session to process.
    NothingToDo,
    /// Sessions were processed without a result.
    NothingLearned,
    /// Some sessions failed.
    PartlyFailed,
    /// All sessions failed, or the whole run did.
    Failed,
}

/// Result of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReflectedSession {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: String,
    /// Whether a diary was written.
    pub diary: bool,
    /// Number of drafts.
    pub proposed: usize,
    /// Number of drafts that changed a note.
    pub applied: usize,
    /// Number of drafts that verification or curation rejected.
    pub refused: usize,
    /// Problems that did not stop the work, such as an unusable answer of a model.
    pub notices: Vec<String>,
    /// Reason for the failure, if the session failed.
    pub failure: Option<String>,
}

/// Report of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReflectionRun {
    #[serde(rename = "outcome")]
    pub ending: RunOutcome,
    /// Number of processed sessions.
    pub sessions: usize,
    /// Number of failed sessions.
    pub failed: usize,
    /// Number of sessions left for the next run.
    pub left: usize,
    /// Number of written diaries.
    pub diaries: usize,
    /// Number of drafts.
    pub proposed: usize,
    /// Number of drafts that changed a note.
    pub applied: usize,
    /// Number of rejected drafts.
    pub refused: usize,
    /// Reasons and notices, each once with its count.
    pub reasons: Vec<String>,
}

impl RunOutcome {
    /// Returns `true` if the outcome is reported as a success.
    pub fn is_success(self) -> bool {
        match self {
            Self::Changed | Self::NothingToDo | Self::NothingLearned => true,
            Self::PartlyFailed | Self::Failed => false,
        }
    }

    /// Name of the outcome in messages, such as `nothing learned`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::NothingToDo => "nothing to do",
            Self::NothingLearned => "nothing learned",
            Self::PartlyFailed => "partly failed",
            Self::Failed => "failed",
        }
    }
}

/// Summarizes a run. `stopped` is the reason why sessions were left over, `failure` the error that
/// ended the whole run.
pub fn summarize(
    done: &[ReflectedSession],
    left: usize,
    stopped: Option<&str>,
    failure: Option<&str>,
) -> ReflectionRun {
    let failed = done.iter().filter(|session| session.failure.is_some()).count();
    let sum = |count: fn(&ReflectedSession) -> usize| done.iter().map(count).sum::<usize>();
    let (diaries, applied) = (sum(|session| usize::from(session.diary)), sum(|session| session.applied));
    let worked = done.len() - failed;
    let ending = match (failure, done.len(), failed) {
        (Some(_), _, _) if worked == 0 => RunOutcome::Failed,
        (Some(_), _, _) => RunOutcome::PartlyFailed,
        (None, 0, _) => RunOutcome::NothingToDo,
        (None, all, failed) if all == failed => RunOutcome::Failed,
        (None, _, 1..) => RunOutcome::PartlyFailed,
        (None, _, 0) if applied + diaries > 0 => RunOutcome::Changed,
        (None, _, 0) => RunOutcome::NothingLearned,
    };
    let mut reasons: Vec<String> = failure.into_iter().chain(stopped).map(str::to_owned).collect();
    if left > 0 {
        reasons.push(format!("{left} sessions remain for the next run"));
    }
    let messages = done.iter().flat_map(|session| session.failure.iter().chain(&session.notices));
    for (reason, count) in counted(messages) {
        reasons.push(if count > 1 { format!("{reason} ({count} times)") } else { reason.to_owned() });
    }
    ReflectionRun {
        ending,
        sessions: done.len(),
        failed,
        left,
        diaries,
        proposed: sum(|session| session.proposed),
        applied,
        refused: sum(|session| session.refused),
        reasons,
    }
}

fn counted<'a>(reasons: impl Iterator<Item = &'a String>) -> Vec<(&'a str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for reason in reasons {
        match counts.iter_mut().find(|(other, _)| other == reason) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason, 1)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(applied: usize, failure: Option<&str>) -> ReflectedSession {
        ReflectedSession {
            applied,
            proposed: applied,
            failure: failure.map(str::to_owned),
            ..ReflectedSession::default()
        }
    }

    #[test]
    fn a_run_says_what_it_did_and_nothing_more() {
        let ending = |done: &[ReflectedSession]| summarize(done, 0, None, None).ending;
        assert_eq!(ending(&[]), RunOutcome::NothingToDo);
        assert_eq!(ending(&[done(0, None)]), RunOutcome::NothingLearned);
        assert_eq!(ending(&[done(2, None), done(0, None)]), RunOutcome::Changed);
        assert_eq!(ending(&[ReflectedSession { diary: true, ..done(0, None) }]), RunOutcome::Changed);
        assert_eq!(ending(&[done(2, None), done(0, Some("no answer"))]), RunOutcome::PartlyFailed);
        assert_eq!(ending(&[done(0, Some("no answer"))]), RunOutcome::Failed);
        assert_eq!(summarize(&[], 3, None, Some("the model is not reached")).ending, RunOutcome::Failed);
        assert!(!RunOutcome::Failed.is_success() && !RunOutcome::PartlyFailed.is_success());
    }

    #[test]
    fn reasons_are_reported_once_with_their_count() {
        let run =
            summarize(&[done(0, Some("no answer")), done(0, Some("no answer"))], 2, Some("stopped"), None);
        assert_eq!(run.reasons, ["stopped", "2 sessions remain for the next run", "no answer (2 times)"]);
    }
}
