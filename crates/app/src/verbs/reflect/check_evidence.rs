//! Looks for evidence about proposed rules in other sessions, and lets a model reject or refine what
//! several sessions support.

use super::session_processor::{SessionFailure, SessionProcessor, SessionProposals};
use crate::context::provider::ModelFailure;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::gathered_evidence::{GatheredEvidence, evidence_for};
use crate::sessions::logs;
use crate::verbs::diary::session::SessionTranscript;
use cm_learn::recurring::SessionTrace;
use cm_learn::reflect::answer::{RuleAnswer, RuleOpinion, rule_schema};
use cm_learn::reflect::draft::DraftChange;
use cm_learn::reflect::evidence::{RuleValidation, RuleVerdict};
use cm_learn::reflect::package;
use cm_learn::reflect::session_topics::SessionTopics;
use cm_learn::statement::Certainty;
use cm_note::bullet::Bullet;
use cm_note::bullet::content::{fold_whitespace, rule};
use cm_playbook::curation::delta::CurationDelta;

impl SessionProcessor<'_> {
    /// Adds the evidence for the drafts that the session is about.
    pub(super) fn gather_drafts(
        &self,
        gathered: &mut GatheredEvidence,
        transcript: &SessionTranscript,
        own: &SessionTrace,
        bullets: &[Bullet],
    ) {
        let now_status = transcript.diary.verdict.status;
        let ended = |agent: &str, session: &str| match (agent, session) == (&own.agent, &own.session) {
            true => Some(now_status),
            false => self.record.status(agent, session),
        };
        let evidence = SessionEvidence::of(self.context).with_outcomes(&ended);
        gathered.gather_drafts(&evidence, bullets, &SessionTopics::of(&transcript.events, own));
    }

    /// Searches other sessions for evidence about new rules. Removes the rules that the model
    /// rejects and returns their number.
    pub(super) fn check_evidence(
        &self,
        proposed: &mut SessionProposals<'_>,
        traces: &[&SessionTrace],
        notices: &mut Vec<String>,
    ) -> Result<(GatheredEvidence, usize), SessionFailure> {
        let mut gathered = GatheredEvidence::of_session(&proposed.todo.listed.session.meta);
        let mut accepted = Vec::new();
        let drafts = std::mem::take(&mut proposed.drafts);
        let draft_count = drafts.len();
        for mut draft in drafts {
            let is_stated = draft.certainty == Some(Certainty::High);
            if let DraftChange::Delta(CurationDelta::Replace(replace)) = &draft.what
                && is_stated
            {
                gathered.admit(&replace.content);
            }
            let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what else {
                accepted.push(draft);
                continue;
            };
            // What was counted needs no search: its sessions are known.
            if let Some(counted) = proposed.counted.get(&fold_whitespace(&add.bullet.content)) {
                gathered.insert(&add.bullet.content, counted.counts.clone());
                accepted.push(draft);
                continue;
            }
            let project = if draft.certainty.is_some() && proposed.is_of_person { traces } else { &[] };
            let diary = &proposed.diary;
            let own = (diary.agent.as_str(), diary.session.as_str(), diary.verdict.status);
            let found = evidence_for(self.context, &self.record, &add.bullet.content, own, project)?;
            // One session or none is a draft whatever a model says; so is what it accepts. A person's own
            // word needs no model.
            let is_open = found.verdict == RuleVerdict::Refine && found.evidence.sessions > 1 && !is_stated;
            if is_open && !self.is_accepted_by_model(&mut add.bullet.content, &found, notices)? {
                continue;
            }
            gathered.insert(&add.bullet.content, found.evidence);
            if is_stated {
                gathered.admit(&add.bullet.content);
            }
            accepted.push(draft);
        }
        let rejected = draft_count - accepted.len();
        proposed.drafts = accepted;
        Ok((gathered, rejected))
    }

    /// Lets the model judge a rule by its evidence. Replaces the text of a rule that the model accepts
    /// in other words; returns whether it does not reject the rule, also where there is no model or
    /// its answer is useless.
    fn is_accepted_by_model(
        &self,
        content: &mut String,
        found: &RuleValidation,
        notices: &mut Vec<String>,
    ) -> Result<bool, ModelFailure> {
        let Some(language_model) = &self.model else { return Ok(true) };
        let prompt = package::validate(content, found);
        let answer = match language_model.ask::<RuleAnswer>(&prompt, ("verdict", rule_schema()), |_| Ok(())) {
            Ok(answered) => answered.value,
            Err(ModelFailure::Useless(_)) => return Ok(true),
            Err(silent) => return Err(silent),
        };
        match (answer.verdict, answer.refined) {
            (RuleOpinion::Reject, _) => {
                let reason = logs::text(&fold_whitespace(&answer.reason), &self.reader.rules);
                notices.push(format!("the model rejects \"{content}\": {reason}"));
                return Ok(false);
            }
            (RuleOpinion::AcceptWithCaution, Some(refined)) => {
                if let Ok(refined) = rule(&logs::text(&refined, &self.reader.rules)) {
                    *content = refined;
                }
            }
            _ => {}
        }
        Ok(true)
    }
}
