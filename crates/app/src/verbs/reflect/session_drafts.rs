//! Derives the proposals of one session: feedback on existing rules, what a model or the rules without
//! a model propose, and what a person states again.

use std::collections::{HashMap, HashSet};

use super::queue::QueuedSession;
use super::redact::{is_redacted, redact_draft};
use super::session_processor::{CountedRule, SessionFailure, SessionProcessor};
use super::standing_rules::rule_refs;
use crate::context::meaning::meaning;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::sessions::logs;
use crate::sessions::reflection_log::hash_key;
use crate::verbs::diary::session::SessionTranscript;
use cm_learn::diary::{Diary, StatementAuthor};
use cm_learn::evidence_quote::EvidenceQuote;
use cm_learn::outcome::feedback::{DEFAULT_DERIVED_WEIGHT, RuleFeedback, RuleRef, feedback};
use cm_learn::recurring::{CountedProposal, SessionTrace, outlived_rules, proposals};
use cm_learn::reflect::answer::{DeltasAnswer, deltas_schema};
use cm_learn::reflect::double_reading::without_double_reading;
use cm_learn::reflect::draft::{DraftChange, ReflectionDraft};
use cm_learn::reflect::later_word::as_rule;
use cm_learn::reflect::relevant_rules::relevant_rules;
use cm_learn::reflect::rounds::ReflectionRounds;
use cm_learn::reflect::said_again::said_again;
use cm_learn::reflect::{SessionInput, package, reflect_on, verify};
use cm_learn::workspace_path::project_name;
use cm_note::bullet::Bullet;
use cm_note::bullet::content::fold_whitespace;
use cm_playbook::curation::delta::{CurationDelta, StatedRule};
use cm_session::event::{EventKind, SessionEvent};

/// Maximum number of existing rules in a model's prompt.
const MAX_PROMPT_RULES: usize = 60;

impl SessionProcessor<'_> {
    /// Returns the feedback on existing rules in the session, without feedback that an earlier run
    /// recorded for the same conversation.
    pub(super) fn new_feedback(
        &self,
        transcript: &SessionTranscript,
        live: &[&Bullet],
        rules: &[RuleRef<'_>],
        todo: &QueuedSession,
    ) -> Vec<RuleFeedback> {
        // How it ended is what its log shows, and no model's word.
        let status = transcript.diary.verdict.status;
        let found = feedback(&transcript.events, &transcript.steps, rules, status, DEFAULT_DERIVED_WEIGHT);
        let ids: HashSet<&str> = todo.conversation.iter().map(|(_, id)| id.as_str()).collect();
        let own = transcript.meta.id.as_str();
        let is_new = |new: &RuleFeedback| {
            let bullet = live.iter().find(|bullet| bullet.id.as_str() == new.id);
            let events = bullet.into_iter().flat_map(|bullet| &bullet.feedback);
            let mut recorded = events.filter(|event| {
                event.session.as_deref().is_some_and(|session| session == own || ids.contains(session))
            });
            // Feedback inferred from the outcome never goes on top of what a person or agent said.
            !recorded.any(|event| !new.explicit || event.signal == new.signal)
        };
        found.into_iter().filter(is_new).collect()
    }

    /// Returns the proposals of the model, or of the rules without a model, and the number of
    /// proposals dropped because the session does not support them.
    pub(super) fn drafts(
        &self,
        (todo, transcript, diary): (&QueuedSession, &SessionTranscript, &Diary),
        rules: &[RuleRef<'_>],
        feedback: &[RuleFeedback],
        notices: &mut Vec<String>,
    ) -> Result<(Vec<ReflectionDraft>, usize), SessionFailure> {
        let lasting = &transcript.lasting;
        let input = SessionInput { diary, feedback, lasting, author: transcript.prompts };
        let by_rules = || reflect_on(&input, &self.earlier, self.run_options.deltas);
        let Some(language_model) = &self.model else {
            return Ok((self.without_repeats(by_rules().drafts, todo), 0));
        };
        // Feedback and the person's own statements are a matter of the log alone.
        let bare = Diary {
            id: diary.id.clone(),
            session: diary.session.clone(),
            agent: diary.agent.clone(),
            workspace: diary.workspace.clone(),
            verdict: transcript.diary.verdict.clone(),
            ..Diary::default()
        };
        let of_log = reflect_on(&SessionInput { diary: &bare, ..input }, &[], self.run_options.deltas).drafts;
        match self.ask_model(language_model, transcript, diary, rules) {
            Ok((of_model, unfounded)) => {
                let (stated, mut drafts): (Vec<_>, Vec<_>) =
                    of_log.into_iter().partition(|draft| draft.new_text().is_some());
                drafts.extend(without_double_reading(of_model, stated));
                drafts.truncate(self.run_options.deltas);
                Ok((self.without_repeats(drafts, todo), unfounded))
            }
            Err(ModelFailure::Useless(why)) => {
                let why = logs::text(&cm_learn::prose::cut(&why, 200), &self.reader.rules);
                notices.push(format!("the proposals were extracted by rules: {why}"));
                Ok((self.without_repeats(by_rules().drafts, todo), 0))
            }
            Err(silent) => Err(silent.into()),
        }
    }

    /// Asks the model for proposals until it returns no new ones. Also returns the number of
    /// dropped ones that the session does not support.
    fn ask_model(
        &self,
        language_model: &LanguageModel,
        transcript: &SessionTranscript,
        diary: &Diary,
        rules: &[RuleRef<'_>],
    ) -> Result<(Vec<ReflectionDraft>, usize), ModelFailure> {
        let quotable = transcript.quotable();
        let ids: HashSet<&str> = rules.iter().map(|rule| rule.id).collect();
        let model = meaning(self.context.target());
        let rules = relevant_rules(rules, diary, &transcript.events, MAX_PROMPT_RULES, model);
        let mut rounds = ReflectionRounds::new(self.run_options.rounds, self.run_options.deltas);
        let mut unfounded = 0;
        while rounds.should_continue() {
            let prompt = package::reflect(diary, &transcript.events, &rules, rounds.so_far());
            let founded = |answer: &DeltasAnswer| {
                let (drafts, refused) = verify::deltas(answer, &ids, &quotable);
                if drafts.is_empty() && !refused.is_empty() {
                    return Err(refused.iter().map(|(at, why)| format!("delta {at}: {why}")).collect());
                }
                Ok(())
            };
            let answer = match language_model.ask(&prompt, ("deltas", deltas_schema()), founded) {
                Ok(answered) => answered.value,
                // What came before it stands.
                Err(ModelFailure::Useless(_)) if rounds.done() > 0 => break,
                Err(failure) => return Err(failure),
            };
            let (drafts, refused) = verify::deltas(&answer, &ids, &quotable);
            unfounded += refused.len();
            rounds.take(drafts);
        }
        Ok((rounds.finish(), unfounded))
    }

    /// Removes proposals that an earlier run made for the same conversation, and redacts secrets in
    /// the rest.
    pub(super) fn without_repeats(
        &self,
        drafts: Vec<ReflectionDraft>,
        todo: &QueuedSession,
    ) -> Vec<ReflectionDraft> {
        let made = self.record.proposal_hashes(&todo.conversation);
        let fresh = drafts.into_iter().filter(|draft| !made.contains(hash_key(&draft.key()).as_str()));
        fresh
            .map(|draft| redact_draft(draft, &self.reader.rules))
            .filter(|draft| !is_redacted(draft))
            .collect()
    }

    /// Returns the proposals that counting over the project's sessions leads to, and the counts of the
    /// proposed rules by rule text with normalized whitespace.
    pub(super) fn recurring_drafts(
        &self,
        own: &SessionTrace,
        rules: &[RuleRef<'_>],
        todo: &QueuedSession,
    ) -> (Vec<ReflectionDraft>, HashMap<String, CountedRule>) {
        let recurring = with_texts_of(proposals(&self.traces.of_project(own), own), rules);
        let counted = recurring.iter().filter_map(counts_of).collect();
        // A fact that a person has deleted since does not come back with the next session.
        let is_repeated = |draft: &ReflectionDraft| {
            matches!(draft.what, DraftChange::Memory(_)) && self.record.has_proposed(&hash_key(&draft.key()))
        };
        let drafts = recurring.into_iter().map(|proposal| proposal.draft);
        let drafts = drafts.filter(|draft| !is_repeated(draft)).collect();
        (self.without_repeats(drafts, todo), counted)
    }

    /// Returns the deprecations of rules of the session's project whose commands pass without what they demand. Rules that a
    /// person stated or confirmed are left to persons.
    pub(super) fn outlived_drafts(&self, own: &SessionTrace, standing: &[&Bullet]) -> Vec<ReflectionDraft> {
        let here = own.workspace.as_deref().map(project_name);
        let is_open = |rule: &&Bullet| rule.workspace == here && is_counted(rule);
        let rules: Vec<&Bullet> = standing.iter().copied().filter(is_open).collect();
        outlived_rules(&self.traces.of_project(own), own, &rule_refs(&rules))
    }

    /// Gives each statement that a person makes again the text of the existing rule, so that it counts
    /// as evidence for that one, and drops counted memories that say no more. Returns these texts.
    pub(super) fn recognize_repetitions(
        &self,
        drafts: &mut Vec<ReflectionDraft>,
        transcript: &SessionTranscript,
        live: &[&Bullet],
    ) -> Vec<String> {
        let model = meaning(self.context.target());
        let existing = |text: &str| said_again(text, transcript.meta.id.as_str(), live, model);
        let mut repeated = Vec::new();
        drafts.retain_mut(|draft| match &mut draft.what {
            DraftChange::Delta(CurationDelta::Add(add)) if draft.certainty.is_some() => {
                if let Some(existing) = existing(&add.bullet.content) {
                    existing.content().clone_into(&mut add.bullet.content);
                    repeated.push(existing.content().to_owned());
                }
                true
            }
            DraftChange::Memory(memory) => match existing(&memory.text) {
                None => true,
                Some(rule) if draft.certainty.is_some() => {
                    let workspace = transcript.meta.workspace.as_deref();
                    let again = as_rule(draft, workspace).and_then(|again| with_text(again, rule.content()));
                    repeated.extend(again.iter().map(|_| rule.content().to_owned()));
                    again.map(|again| *draft = again).is_some()
                }
                Some(_) => false,
            },
            DraftChange::Delta(_) => true,
        });
        repeated
    }
}

/// Whether a rule rests on logs alone, and no person has confirmed it.
fn is_counted(rule: &Bullet) -> bool {
    let evidence = &rule.fields.derived_from.evidence;
    let is_of_log = |quote: &String| {
        EvidenceQuote::parse(quote).is_some_and(|quote| quote.author == StatementAuthor::Log)
    };
    !evidence.is_empty() && evidence.iter().all(is_of_log) && !rule.pinned && rule.last_checked.is_none()
}

/// Gives a draft of a rule another text; `None` for other drafts.
fn with_text(mut draft: ReflectionDraft, text: &str) -> Option<ReflectionDraft> {
    let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what else { return None };
    text.clone_into(&mut add.bullet.content);
    Some(draft)
}

/// Gives each counted rule the text of the existing rule with the same beginning, so that further
/// sessions are evidence for it although the error message that it quotes differs.
fn with_texts_of(mut counted: Vec<CountedProposal>, rules: &[RuleRef<'_>]) -> Vec<CountedProposal> {
    for proposal in &mut counted {
        let DraftChange::Delta(CurationDelta::Add(add)) = &mut proposal.draft.what else { continue };
        if let Some(rule) = rules.iter().find(|rule| rule.content.starts_with(&proposal.head)) {
            rule.content.clone_into(&mut add.bullet.content);
        }
    }
    counted
}

/// Returns the text and the counts of a counted rule; `None` for a memory.
fn counts_of(proposal: &CountedProposal) -> Option<(String, CountedRule)> {
    let DraftChange::Delta(CurationDelta::Add(add)) = &proposal.draft.what else { return None };
    let counted = CountedRule { counts: proposal.counts.clone(), commands: proposal.commands.clone() };
    Some((fold_whitespace(&add.bullet.content), counted))
}

/// Records with each proposed rule what the person typed at that line of the session, and when.
pub(super) fn record_statements(drafts: &mut [ReflectionDraft], transcript: &SessionTranscript) {
    if transcript.prompts != StatementAuthor::Person {
        return;
    }
    let own = transcript.meta.id.as_str();
    for draft in drafts {
        let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what else { continue };
        let Some(line) = add.line.filter(|_| add.session.as_deref() == Some(own)) else { continue };
        let mut events = transcript.events.iter().filter(|event| event.line == line && !event.side);
        let typed = |event: &SessionEvent| matches!(event.kind, EventKind::UserPrompt { .. });
        let Some(at) = events.find(|event| typed(event)).and_then(|event| event.at) else { continue };
        let stated: Vec<&str> = transcript
            .lasting
            .iter()
            .filter(|statement| statement.line == line)
            .map(|statement| statement.quote.as_str())
            .collect();
        let is_evidence = |quote: &&&str| add.bullet.evidence.iter().any(|text| text.contains(**quote));
        if let Some(quote) = stated.iter().find(is_evidence).or(stated.first()) {
            add.stated = Some(StatedRule { at, quote: fold_whitespace(quote) });
        }
    }
}
