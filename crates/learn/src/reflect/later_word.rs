//! Decides which earlier statements a later one of the same person replaces.

use super::draft::{DraftChange, ReflectionDraft};
use super::rule_category::{bullet_type, category};
use crate::remember::supersession::replaced;
use crate::statement::{Certainty, LastingStatement};
use crate::workspace_path::project_name;
use cm_note::bullet::{BulletKind, Scope, content};
use cm_playbook::conflict::{RuleStatement, takes_place_of};
use cm_playbook::curation::delta::{AddDelta, CurationDelta, RuleProposal};
use cm_playbook::embedding_model::WordVectors;

/// Returns the reason, for display, why the statement `new` replaces the older rule `old`; `None`
/// unless at most one of them can be followed.
pub fn replaces_rule(new: &str, old: &str, word_vectors: &WordVectors<'_>) -> Option<String> {
    takes_place_of(&RuleStatement::of(new), &RuleStatement::of(old), word_vectors)
}

/// Returns the reason, for display, why the statement `new` replaces the older memory `old`, which
/// may also name another value of the same thing; `None` unless at most one of them can be true.
pub fn replaces_memory(new: &str, old: &str, word_vectors: &WordVectors<'_>) -> Option<String> {
    replaces_rule(new, old, word_vectors).or_else(|| replaced(old, new))
}

/// Removes the statements of a session that a later one of it replaces, if that one is certain.
pub fn without_replaced(
    lasting: Vec<LastingStatement>,
    word_vectors: &WordVectors<'_>,
) -> Vec<LastingStatement> {
    let is_replaced = |at: usize, old: &LastingStatement| {
        lasting[at + 1..].iter().any(|new| {
            new.certainty == Certainty::High
                && new.line > old.line
                && replaces_rule(&new.text, &old.text, word_vectors).is_some()
        })
    };
    let places: Vec<bool> = lasting.iter().enumerate().map(|(at, old)| is_replaced(at, old)).collect();
    lasting.into_iter().zip(places).filter(|(_, gone)| !gone).map(|(one, _)| one).collect()
}

/// Turns a draft of a memory into one of a rule with the same text; `None` for other drafts, and if the
/// text is too short or too long for a rule.
pub fn as_rule(draft: &ReflectionDraft, workspace: Option<&str>) -> Option<ReflectionDraft> {
    let DraftChange::Memory(memory) = &draft.what else { return None };
    let origin = draft.origins.first()?;
    let rule = content::rule(&memory.text).ok()?;
    let bullet = RuleProposal {
        category: category(&rule).to_owned(),
        bullet_type: Some(bullet_type(&rule)),
        content: rule,
        kind: Some(BulletKind::WorkflowRule),
        scope: workspace.map(|_| Scope::Workspace),
        workspace: workspace.map(project_name),
        evidence: memory.evidence.clone(),
        ..RuleProposal::default()
    };
    let add = AddDelta {
        bullet,
        reason: Some("the user stated it as lasting".to_owned()),
        session: Some(origin.session.clone()),
        line: Some(origin.line),
        ..AddDelta::default()
    };
    Some(ReflectionDraft { what: DraftChange::Delta(CurationDelta::Add(Box::new(add))), ..draft.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::StatementKind;
    use cm_playbook::embedding_model::NoEmbeddings;

    fn stated(line: u64, text: &str, certainty: Certainty) -> LastingStatement {
        let (text, quote) = (text.to_owned(), text.to_owned());
        LastingStatement { text, quote, line, kind: StatementKind::Rule, certainty, proposals: Vec::new() }
    }

    #[test]
    fn the_later_statement_of_a_session_replaces_the_earlier_one_if_it_is_certain() {
        let left = |last: Certainty| {
            let all = vec![
                stated(1, "We deploy with `make ship`.", Certainty::High),
                stated(5, "Sort imports.", Certainty::High),
                stated(9, "We don't use `make ship` any more, deploy with `just ship`.", last),
            ];
            without_replaced(all, &WordVectors::of(&NoEmbeddings)).len()
        };
        assert_eq!((left(Certainty::High), left(Certainty::Medium)), (2, 3));
    }

    #[test]
    fn another_value_of_the_same_thing_replaces_a_memory() {
        let word_vectors = WordVectors::of(&NoEmbeddings);
        assert!(
            replaces_memory(
                "The staging server is now stage2",
                "The staging server is stage1",
                &word_vectors
            )
            .is_some()
        );
        assert!(
            replaces_memory("The cache runs on Valkey", "The staging server is stage1", &word_vectors)
                .is_none()
        );
    }
}
