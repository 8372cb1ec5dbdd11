//! Retires the rules that a person withdrew in a session: "forget the rule about tabs", "we no longer use
//! tabs".

use super::later_word::{StatementOrigin, stated_before};
use super::process_session::{SessionProcessor, SessionProposals};
use crate::context::meaning::meaning;
use cm_learn::diary::StatementAuthor;
use cm_learn::reflect::draft::{DraftChange, DraftOrigin, ReflectionDraft};
use cm_learn::reflect::later_word::replaces_rule;
use cm_learn::reflect::without_model::{evidence, project};
use cm_learn::statement::{Certainty, Withdrawal};
use cm_note::bullet::{Bullet, RuleScope, Scope};
use cm_playbook::curation::bullet_index::is_standing;
use cm_playbook::curation::delta::{CurationDelta, DeprecateDelta};
use cm_playbook::curation::later_word::is_replaceable;
use cm_playbook::embedding_model::WordVectors;

/// Strength of a draft by which a person withdraws a rule.
const STRENGTH: u32 = 70;

impl SessionProcessor<'_> {
    /// Adds a deprecation for each withdrawn rule that was learned from an earlier session of this project. If
    /// several rules may be meant, or the rule is pinned, was added by a person or holds elsewhere too, a notice
    /// names them instead.
    pub(super) fn find_withdrawn(
        &self,
        proposed: &mut SessionProposals<'_>,
        withdrawals: &[Withdrawal],
        bullets: &[Bullet],
        notices: &mut Vec<String>,
    ) {
        for withdrawal in withdrawals {
            let diary = &proposed.diary;
            let (session, agent) = (diary.session.clone(), diary.agent.clone());
            let origin = DraftOrigin { session, agent, line: withdrawal.line };
            // A lasting statement replaces the rules that it contradicts.
            let is_lasting =
                withdrawal.topic.is_none() && proposed.drafts.iter().any(|draft| is_certain(draft, &origin));
            let Some(stated) = proposed.origin_of(&origin).filter(|_| !is_lasting) else { continue };
            let here = stated.workspace.map(project);
            let scope = RuleScope {
                scope: here.as_ref().map_or(Scope::Global, |_| Scope::Workspace),
                scope_key: None,
                workspace: here.as_deref(),
            };
            let meant = self.rules_meant(withdrawal, bullets, stated);
            match meant.as_slice() {
                [] => {}
                [rule] if is_replaceable(rule, &scope) => {
                    let said = (StatementAuthor::Person, origin.session.as_str(), origin.line);
                    let deprecate = DeprecateDelta {
                        id: rule.id.to_string(),
                        reason: Some(evidence(said, &withdrawal.quote)),
                        is_withdrawn: true,
                        ..DeprecateDelta::default()
                    };
                    let change = DraftChange::Delta(CurationDelta::Deprecate(deprecate));
                    let draft = ReflectionDraft::new(change, vec![origin], STRENGTH);
                    let quote = Some(withdrawal.quote.clone());
                    let certainty = Some(Certainty::High);
                    proposed.drafts.push(ReflectionDraft { certainty, quote, ..draft });
                }
                rules => notices.push(notice(withdrawal, rules)),
            }
        }
    }

    /// Returns the rules in force in the session's project that a withdrawal may refer to. Rules that were stated
    /// after it are left out.
    fn rules_meant<'b>(
        &self,
        withdrawal: &Withdrawal,
        bullets: &'b [Bullet],
        stated: StatementOrigin<'_>,
    ) -> Vec<&'b Bullet> {
        let here = stated.workspace.map(project);
        let is_here = |bullet: &Bullet| bullet.workspace.is_none() || bullet.workspace == here;
        let sense = WordVectors::of(meaning(self.memory.target()));
        let is_meant = |bullet: &Bullet| match withdrawal.topic {
            Some(_) => withdrawal.names(bullet.content()),
            None => replaces_rule(&withdrawal.quote, &bullet.agent_text(), &sense).is_some(),
        };
        let standing = bullets.iter().filter(|bullet| is_standing(bullet) && is_here(bullet));
        standing.filter(|bullet| is_meant(bullet) && stated_before(self.memory, bullet, stated)).collect()
    }
}

fn is_certain(draft: &ReflectionDraft, origin: &DraftOrigin) -> bool {
    draft.certainty == Some(Certainty::High) && draft.origins.contains(origin)
}

fn notice(withdrawal: &Withdrawal, rules: &[&Bullet]) -> String {
    const SHOWN: usize = 3;
    let listed: Vec<String> =
        rules.iter().take(SHOWN).map(|rule| format!("{} ({})", rule.id, rule.content())).collect();
    let more = if rules.len() > SHOWN { ", …" } else { "" };
    format!(
        "\"{}\" withdraws a rule; `cm forget ID --reason TEXT` retires it: {}{more}",
        withdrawal.quote,
        listed.join(", ")
    )
}
