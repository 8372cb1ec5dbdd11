//! Turns the patterns that a session takes part in into proposals, with their evidence.

use std::collections::BTreeSet;

use super::pattern::{PatternNote, RecurringPattern};
use super::request::repeated_requests;
use super::streak::TraceStreaks;
use super::trace::SessionTrace;
use super::{co_edit, diagnosis, error_fix, needed_option, prerequisite, remarked_fix, routine, substitute};
use crate::confidence::statement_confidence;
use crate::outcome::feedback::RuleRef;
use crate::reflect::draft::{DraftChange, ProposedMemory, ReflectionDraft};
use crate::trauma::{GuardVerdict, PathContext, decide};
use cm_note::bullet::{BulletKind, Scope, content};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, DeprecateDelta, RuleProposal};
use cm_playbook::curation::history::SessionCounts;

/// A proposal that rests on counts instead of words.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedProposal {
    pub draft: ReflectionDraft,
    /// Beginning of the text that identifies the pattern. A rule with this beginning is the same one.
    pub head: String,
    /// Commands that the pattern names.
    pub commands: Vec<String>,
    /// Sessions for and against the pattern.
    pub counts: SessionCounts,
}

/// Maximum number of fixes that were seen in one session, per session.
const MAX_SESSION_FIXES: usize = 3;
/// Maximum number of facts per session.
const MAX_SESSION_FACTS: usize = 2;

/// Strength of a draft that deprecates a rule about an option that is no longer needed.
const OUTLIVED_STRENGTH: u32 = 60;

/// Returns the patterns in these traces, in a fixed order that does not depend on theirs. Patterns with
/// a command that the guard would not let pass are left out.
pub fn patterns(traces: &[&SessionTrace]) -> Vec<RecurringPattern> {
    let streaks: Vec<TraceStreaks<'_>> = traces.iter().map(|trace| TraceStreaks::of(trace)).collect();
    let mut found = prerequisite::prerequisites(&streaks);
    found.extend(substitute::substitutes(traces, &streaks));
    needed_option::add_needed_options(traces, &streaks, &mut found);
    let remarked = remarked_fix::fixes(traces, &mut found);
    found.extend(remarked);
    let covered: Vec<(BTreeSet<u64>, Vec<String>)> =
        found.iter().map(|one| (one.support.conversations(), one.commands.clone())).collect();
    let is_covered = |one: &RecurringPattern| {
        let own = one.support.conversations();
        covered.iter().any(|(conversations, commands)| {
            own.is_subset(conversations) && one.commands.iter().any(|command| commands.contains(command))
        })
    };
    found.extend(error_fix::error_fixes(&streaks).into_iter().filter(|one| !is_covered(one)));
    let is_told = |head: &str| {
        let tells =
            |one: &RecurringPattern| matches!(&one.note, PatternNote::Fix { text } if text.contains(head));
        found.iter().any(tells)
    };
    let diagnoses: Vec<_> =
        diagnosis::diagnoses(&streaks).into_iter().filter(|one| !is_told(&one.head)).collect();
    found.extend(diagnoses);
    found.extend(routine::before_commits(traces));
    let covered_commands: BTreeSet<String> =
        found.iter().flat_map(|one| one.commands.iter().cloned()).collect();
    found.extend(routine::in_every_session(traces, &covered_commands));
    found.extend(routine::checks(traces, &covered_commands));
    found.extend(co_edit::co_edits(traces));
    found.retain(|one| one.commands.iter().all(|command| is_safe(command)));
    found
}

/// Returns whether the guard would let a command pass, or the command stops a service, which loses nothing.
pub(super) fn is_safe(command: &str) -> bool {
    let path_context = PathContext::new("/home/user/project", "/home/user");
    let stops_service = || {
        let words: Vec<&str> = command.split_whitespace().skip_while(|word| *word == "sudo").collect();
        matches!(words.as_slice(), ["systemctl", "stop", _] | ["service", _, "stop"])
    };
    decide(command, &path_context, &[], &[]).judgement == GuardVerdict::Allow || stops_service()
}

/// Proposes what the session `own` takes part in, given the traces of all sessions of its project,
/// including its own, and what its person asks for again.
pub fn proposals(traces: &[&SessionTrace], own: &SessionTrace) -> Vec<CountedProposal> {
    let (mut fixes, mut facts) = (0, 0);
    let mut proposed = Vec::new();
    for pattern in patterns(traces).into_iter().filter(|one| one.support.is_in(own.conversation)) {
        match pattern.note {
            PatternNote::Fix { .. } if fixes == MAX_SESSION_FIXES => continue,
            PatternNote::Fact { .. } if facts == MAX_SESSION_FACTS => continue,
            PatternNote::Fix { .. } => fixes += 1,
            PatternNote::Fact { .. } => facts += 1,
            PatternNote::Rule { .. } => {}
        }
        proposed.extend(propose_pattern(&pattern, own));
    }
    proposed.extend(repeated_requests(traces, own));
    proposed
}

/// Proposes to deprecate the rules about options that are no longer needed, if the session `own` shows that, too.
pub fn outlived_rules(
    traces: &[&SessionTrace],
    own: &SessionTrace,
    rules: &[RuleRef<'_>],
) -> Vec<ReflectionDraft> {
    let streaks: Vec<TraceStreaks<'_>> = traces.iter().map(|trace| TraceStreaks::of(trace)).collect();
    let mut drafts = Vec::new();
    for option in needed_option::outlived_options(traces, &streaks) {
        let is_of_option = |rule: &&RuleRef<'_>| {
            rule.content.strip_prefix(&option.head).is_some_and(|rest| rest.starts_with(['`', ' ']))
        };
        let Some(rule) = rules.iter().find(is_of_option) else { continue };
        if !option.since.is_in(own.conversation) {
            continue;
        }
        let deprecate = DeprecateDelta {
            id: rule.id.to_owned(),
            reason: Some(option.since.evidence().join("; ")),
            is_withdrawn: true,
            ..DeprecateDelta::default()
        };
        let change = DraftChange::Delta(CurationDelta::Deprecate(deprecate));
        drafts.push(ReflectionDraft::new(change, option.since.origins(own.conversation), OUTLIVED_STRENGTH));
    }
    drafts
}

fn propose_pattern(pattern: &RecurringPattern, own: &SessionTrace) -> Option<CountedProposal> {
    let support = &pattern.support;
    let sessions = support.count();
    let memory = |note_type: &'static str, text: &str| {
        DraftChange::Memory(ProposedMemory {
            note_type,
            text: format!("{text}."),
            observations: sessions,
            confidence: statement_confidence(sessions),
            evidence: support.evidence(),
            is_acknowledged: support.is_acknowledged(),
        })
    };
    let origins = support.origins(own.conversation);
    let (what, strength) = match &pattern.note {
        PatternNote::Fix { text } => (memory("fix", text), 15),
        PatternNote::Fact { text } => (memory("fact", text), 20),
        PatternNote::Rule { text, category } => {
            let first = origins.first();
            let bullet = RuleProposal {
                category: (*category).to_owned(),
                content: content::rule(&format!("{text}.")).ok()?,
                kind: Some(BulletKind::WorkflowRule),
                scope: own.workspace.as_ref().map(|_| Scope::Workspace),
                workspace: own.workspace.as_deref().map(crate::workspace_path::project_name),
                evidence: support.evidence(),
                ..RuleProposal::default()
            };
            let delta = AddDelta {
                bullet,
                reason: Some(format!("the same happened in {sessions} sessions")),
                session: first.map(|origin| origin.session.clone()),
                line: first.map(|origin| origin.line),
                ..AddDelta::default()
            };
            (DraftChange::Delta(CurationDelta::Add(Box::new(delta))), 35 + 10 * sessions as u32)
        }
    };
    Some(CountedProposal {
        draft: ReflectionDraft::new(what, origins, strength),
        head: pattern.head.clone(),
        commands: pattern.commands.clone(),
        counts: support.counts(),
    })
}
