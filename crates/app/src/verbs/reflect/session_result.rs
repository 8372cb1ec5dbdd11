//! Describes what processing one session changed.

use schemars::JsonSchema;
use serde::Serialize;

use super::commit::CommitResult;
use super::memories::PlannedMemory;
use super::session_processor::SessionProposals;
use super::withdrawn_memory::WithdrawnMemory;
use crate::verbs::diary::DiaryMethod;
use cm_learn::reflect::draft::{DraftChange, DraftOrigin};
use cm_learn::reflect::run::ReflectedSession;
use cm_playbook::curation::report::CurationReport;
use cm_session::status::SessionStatus;

/// Result of processing one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReflection {
    /// Numbers of proposals and applied changes, with notices.
    #[serde(flatten)]
    pub done: ReflectedSession,
    /// Title of the session, else the beginning of its first prompt.
    pub title: String,
    /// Whether the session succeeded for its user.
    pub status: SessionStatus,
    /// Whether rules or a model wrote the diary; null if there is no diary.
    pub made: Option<DiaryMethod>,
    /// Path of the diary's file; null if no diary was written.
    pub path: Option<String>,
    /// Changes of rules and memories; in a dry run, those that would be made.
    pub learned: Vec<LearnedChange>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// A change of a rule or memory that the session led to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LearnedChange {
    /// Kind of change: `add`, `helpful`, `harmful`, …; for a new memory, its type.
    pub what: String,
    /// Id of the changed note.
    pub id: String,
    /// Text of the rule or memory.
    pub text: String,
    /// Whether the note is a draft that a person must accept.
    pub draft: bool,
    /// Whether the note is unverified: agents see it marked so until a person accepts it.
    pub unverified: bool,
    /// Line of the session's log that supports the change, from 1; null if unknown.
    pub line: Option<u64>,
}

impl SessionReflection {
    /// Describes a committed session. `proposed_count` and `left_out` also count the proposals that
    /// were dropped before the commit.
    pub(super) fn of_commit(
        proposed: &SessionProposals<'_>,
        (proposed_count, left_out): (usize, usize),
        mut notices: Vec<String>,
        committed: CommitResult,
    ) -> Self {
        let CommitResult { outcome, memories, location, notices: commit_notices } = committed;
        let report = outcome.report;
        notices.extend(commit_notices);
        notices.extend(
            report.refused.iter().map(|refusal| format!("{} was refused: {}", refusal.op, refusal.reason)),
        );
        let mut learned = rule_changes(&report, proposed);
        learned.extend(memories.iter().map(LearnedChange::of_memory));
        learned.extend(proposed.withdrawn.iter().map(LearnedChange::of_withdrawn));
        let diary = &proposed.diary;
        Self {
            done: ReflectedSession {
                session: diary.session.clone(),
                agent: diary.agent.clone(),
                diary: location.as_ref().is_some_and(|location| outcome.files.contains(&location.path)),
                proposed: proposed_count,
                applied: learned.len(),
                refused: report.refused.len() + left_out,
                notices,
                failure: None,
            },
            title: diary.title.clone(),
            status: diary.verdict.status,
            made: location.as_ref().map(|_| DiaryMethod::of(diary)),
            path: location.map(|location| location.path.to_string()),
            learned,
            commit: outcome.commit,
        }
    }
}

impl LearnedChange {
    fn of_memory(memory: &PlannedMemory) -> Self {
        Self {
            what: memory.note_type.clone(),
            id: memory.id.clone(),
            text: memory.title.clone(),
            draft: memory.is_draft,
            unverified: memory.is_unverified,
            line: None,
        }
    }

    fn of_withdrawn(memory: &WithdrawnMemory) -> Self {
        let (id, text) = (memory.id.clone(), memory.title.clone());
        Self { line: Some(memory.line), ..Self::of_rule("deprecate", id, text) }
    }

    /// A change of an existing rule without a known line.
    fn of_rule(what: &str, id: String, text: String) -> Self {
        Self { what: what.to_owned(), id, text, draft: false, unverified: false, line: None }
    }
}

/// Lists the applied changes of rules, then credited and replaced rules.
fn rule_changes(report: &CurationReport, proposed: &SessionProposals<'_>) -> Vec<LearnedChange> {
    let deltas = proposed.drafts.iter().filter(|draft| matches!(draft.what, DraftChange::Delta(_)));
    let origins: Vec<Option<&DraftOrigin>> = deltas.map(|draft| draft.origins.first()).collect();
    // Deltas are numbered from 1.
    let line = |delta: usize| origins.get(delta.wrapping_sub(1)).copied().flatten().map(|origin| origin.line);
    let applied = report.applied.iter().map(|change| LearnedChange {
        draft: change.adds_draft(),
        line: line(change.delta),
        ..LearnedChange::of_rule(change.op.name(), change.id.clone(), change.content.clone())
    });
    let credited = report.skipped.iter().filter(|skipped| skipped.credited).map(|skipped| LearnedChange {
        line: line(skipped.delta),
        ..LearnedChange::of_rule("credit", skipped.id.clone().unwrap_or_default(), skipped.reason.clone())
    });
    let replaced = report.replaced.iter().map(|rule| {
        let text = format!("{} ({} replaces it)", rule.content, rule.to);
        LearnedChange::of_rule("deprecate", rule.from.clone(), text)
    });
    applied.chain(credited).chain(replaced).collect()
}
