//! Retires the rules and memories that a person withdrew in a session: "forget the rule about tabs", "we no
//! longer use tabs", "Jenkins is gone since Friday".

use super::later_word::{StatementOrigin, stated_before, withdrawn_memories};
use super::session_processor::{SessionProcessor, SessionProposals};
use super::withdrawn_memory::WithdrawnMemory;
use crate::context::meaning::meaning;
use crate::error::Result;
use crate::verbs::playbook;
use cm_learn::diary::StatementAuthor;
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::reflect::draft::{DraftChange, DraftOrigin, ReflectionDraft};
use cm_learn::reflect::later_word::replaces_rule;
use cm_learn::statement::{Certainty, Withdrawal};
use cm_learn::workspace_path::project_name;
use cm_note::bullet::{Bullet, RuleScope, Scope};
use cm_note::note::Note;
use cm_playbook::curation::delta::{CurationDelta, DeprecateDelta};
use cm_playbook::curation::later_word::is_replaceable;
use cm_playbook::embedding_model::WordVectors;

/// Maximum number of rules and memories that are withdrawn because what they are about no longer exists or
/// is no longer run.
const MAX_GONE: usize = 3;
/// Strength of a draft by which a person withdraws a rule.
const STRENGTH: u32 = 70;

impl SessionProcessor<'_> {
    /// Adds a deprecation for each withdrawn rule, and a retirement for each withdrawn memory, that was learned
    /// from an earlier session of this project. If several may be meant, or only similar ones, or the rule is
    /// pinned, was added by a person or holds elsewhere too, a notice names them instead. Of a topic that no longer
    /// exists or is no longer run, two or three are withdrawn together, too.
    ///
    /// # Errors
    /// Returns an error if the notes of the vault cannot be read.
    pub(super) fn find_withdrawn(
        &self,
        proposed: &mut SessionProposals<'_>,
        withdrawals: &[Withdrawal],
        bullets: &[Bullet],
        notices: &mut Vec<String>,
    ) -> Result<()> {
        for withdrawal in withdrawals {
            let diary = &proposed.diary;
            let (session, agent) = (diary.session.clone(), diary.agent.clone());
            let origin = DraftOrigin { session, agent, line: withdrawal.line };
            // A lasting statement replaces the rules and memories that it contradicts.
            let is_lasting =
                withdrawal.topic.is_none() && proposed.drafts.iter().any(|draft| is_certain(draft, &origin));
            let Some(stated) = proposed.origin_of(&origin).filter(|_| !is_lasting) else { continue };
            let here = stated.workspace.map(project_name);
            let scope = RuleScope {
                scope: here.as_ref().map_or(Scope::Global, |_| Scope::Workspace),
                scope_key: None,
                workspace: here.as_deref(),
            };
            let rules = self.rules_meant(withdrawal, bullets, stated);
            let open = self.context.target();
            let notes = playbook::notes_as_written(self.context, open)?;
            let mut memories = withdrawn_memories(self.context, open, &notes, withdrawal, stated);
            memories.retain(|note| proposed.withdrawn.iter().all(|one| one.id != note.key()));
            let author = StatementAuthor::Person;
            let evidence =
                EvidenceQuote::new(author, &origin.session, origin.line, &withdrawal.quote).to_string();
            let count = rules.len() + memories.len();
            if count == 0 {
                let similar: Vec<&Bullet> = self
                    .standing_rules(bullets, stated)
                    .filter(|rule| withdrawal.may_name(rule.content()))
                    .collect();
                if !similar.is_empty() {
                    notices.push(notice(withdrawal, &similar, &[]));
                }
                continue;
            }
            let is_clear = count == 1 || withdrawal.is_of_all() && count <= MAX_GONE;
            if !is_clear || !rules.iter().all(|rule| is_replaceable(rule, &scope)) {
                notices.push(notice(withdrawal, &rules, &memories));
                continue;
            }
            for rule in rules {
                proposed.drafts.push(deprecation(rule, withdrawal, &origin, &evidence));
            }
            for note in memories {
                proposed.withdrawn.extend(WithdrawnMemory::of(note, origin.line, evidence.clone()));
            }
        }
        Ok(())
    }

    /// Returns the rules in force in the session's project that a withdrawal may refer to. Rules that were stated
    /// after it are left out.
    fn rules_meant<'b>(
        &self,
        withdrawal: &Withdrawal,
        bullets: &'b [Bullet],
        stated: StatementOrigin<'_>,
    ) -> Vec<&'b Bullet> {
        let word_vectors = WordVectors::of(meaning(self.context.target()));
        let is_meant = |bullet: &&Bullet| match withdrawal.topic {
            Some(_) => withdrawal.names(bullet.content()),
            None => replaces_rule(&withdrawal.quote, &bullet.agent_text(), &word_vectors).is_some(),
        };
        let meant = self.standing_rules(bullets, stated).filter(is_meant);
        meant.filter(|bullet| stated_before(self.context, bullet, stated)).collect()
    }

    /// The rules in force in the session's project.
    fn standing_rules<'b>(
        &self,
        bullets: &'b [Bullet],
        stated: StatementOrigin<'_>,
    ) -> impl Iterator<Item = &'b Bullet> + use<'b> {
        let here = stated.workspace.map(project_name);
        let is_here = move |bullet: &&Bullet| bullet.workspace.is_none() || bullet.workspace == here;
        bullets.iter().filter(|bullet| bullet.is_standing()).filter(is_here)
    }
}

fn deprecation(
    rule: &Bullet,
    withdrawal: &Withdrawal,
    origin: &DraftOrigin,
    evidence: &str,
) -> ReflectionDraft {
    let deprecate = DeprecateDelta {
        id: rule.id.to_string(),
        reason: Some(evidence.to_owned()),
        is_withdrawn: true,
        ..DeprecateDelta::default()
    };
    let change = DraftChange::Delta(CurationDelta::Deprecate(deprecate));
    let draft = ReflectionDraft::new(change, vec![origin.clone()], STRENGTH);
    ReflectionDraft { certainty: Some(Certainty::High), quote: Some(withdrawal.quote.clone()), ..draft }
}

fn is_certain(draft: &ReflectionDraft, origin: &DraftOrigin) -> bool {
    draft.certainty == Some(Certainty::High) && draft.origins.contains(origin)
}

fn notice(withdrawal: &Withdrawal, rules: &[&Bullet], memories: &[&Note]) -> String {
    const SHOWN: usize = 3;
    let rules_listed = rules.iter().map(|rule| format!("{} ({})", rule.id, rule.content()));
    let listed = rules_listed.chain(memories.iter().map(|note| format!("{} ({})", note.key(), note.title)));
    let listed: Vec<String> = listed.take(SHOWN).collect();
    let more = if rules.len() + memories.len() > SHOWN { ", …" } else { "" };
    let (what, command) = match (rules, memories) {
        (_, []) => ("a rule", "`cm forget ID --reason TEXT` retires it"),
        ([], _) => ("a memory", "`cm review --reject ID` retires it"),
        _ => (
            "a rule or a memory",
            "`cm forget ID --reason TEXT` retires a rule, `cm review --reject ID` a memory",
        ),
    };
    format!("\"{}\" may withdraw {what}; {command}: {}{more}", withdrawal.quote, listed.join(", "))
}
