//! Processes one session: reads its log, writes its diary, collects proposals, checks them against
//! other sessions and commits the result.
//!
//! The vault is locked only for the commit. A model's proposals are checked against the log first.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::commit::CommitResult;
use super::later_word::{StatementOrigin, excluded_rules, replaces_rule_of};
use super::queue::QueuedSession;
use super::recorded::{settle_verdicts, without_recorded};
use super::redact::{is_redacted, redact_draft};
use super::traces::TraceLibrary;
use super::withdrawn_memory::WithdrawnMemory;
use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::provider::{LanguageModel, ModelFailure};
use crate::context::receipts::ShownRules;
use crate::error::{Error, ErrorKind, Result};
use crate::sessions::SessionAccess;
use crate::sessions::evidence::SessionEvidence;
use crate::sessions::gathered_evidence::{GatheredEvidence, evidence_for};
use crate::sessions::logs;
use crate::sessions::reflection_log::{ReflectionLog, hash_key};
use crate::verbs::curate::CurationOutcome;
use crate::verbs::diary::session::{SessionReader, SessionTranscript};
use crate::verbs::diary::{DiaryMethod, with_related};
use crate::verbs::playbook;
use cm_learn::diary::{Diary, DiaryOrigin, StatementAuthor};
use cm_learn::outcome::feedback::{FRACTION, RuleFeedback, RuleRef, feedback};
use cm_learn::recurring::{CountedProposal, SessionTrace, proposals};
use cm_learn::reflect::answer::{DeltasAnswer, RuleAnswer, RuleOpinion, deltas_schema, rule_schema};
use cm_learn::reflect::double_reading::without_double_reading;
use cm_learn::reflect::draft::{DraftChange, DraftOrigin, ReflectionDraft};
use cm_learn::reflect::evidence::RuleVerdict;
use cm_learn::reflect::later_word::as_rule;
use cm_learn::reflect::relevant_rules::relevant_rules;
use cm_learn::reflect::rounds::ReflectionRounds;
use cm_learn::reflect::run::ReflectedSession;
use cm_learn::reflect::said_again::said_again;
use cm_learn::reflect::session_topics::SessionTopics;
use cm_learn::reflect::{SessionInput, package, reflect_on, verify};
use cm_learn::statement::Certainty;
use cm_note::bullet::content::{fold_whitespace, rule};
use cm_note::bullet::{Bullet, BulletState};
use cm_note::instant::Instant;
use cm_note::note::NoteKind;
use cm_playbook::curation::delta::{CurationDelta, StatedRule};
use cm_playbook::curation::history::SessionCounts;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::status::SessionStatus;

/// Maximum number of existing rules in a model's prompt.
const RULES: usize = 60;

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

/// Why a session could not be processed.
#[derive(Debug)]
pub struct SessionFailure {
    pub error: Error,
    /// Whether processing further sessions would fail for the same reason.
    pub is_lasting: bool,
}

impl From<Error> for SessionFailure {
    fn from(error: Error) -> Self {
        let is_lasting = matches!(
            error.kind,
            ErrorKind::Locked | ErrorKind::Interrupted | ErrorKind::Terminated | ErrorKind::Failed
        ) || matches!(error.code, "in-progress" | "invalid-setting" | "git-locked");
        Self { error, is_lasting }
    }
}

/// Limits and mode of a run over several sessions.
#[derive(Debug, Clone, Copy)]
pub struct ReflectLimits {
    /// Do not write anything.
    pub dry_run: bool,
    /// Maximum number of proposed changes per session.
    pub deltas: usize,
    /// Maximum number of times that a model is asked for proposals, per session.
    pub rounds: usize,
    /// Also process sessions that were processed before.
    pub reprocess: bool,
}

/// State that a run shares between the sessions it processes.
pub struct SessionProcessor<'a> {
    pub context: &'a Context,
    pub access: &'a SessionAccess,
    pub reader: SessionReader,
    /// Record of the sessions that earlier runs processed.
    pub record: ReflectionLog,
    /// Client of the language model; `None` if the run uses rules only.
    pub model: Option<LanguageModel>,
    /// Recent diaries, which show patterns across sessions.
    pub earlier: Vec<Diary>,
    /// Traces of the project's sessions, in which patterns are counted.
    pub traces: TraceLibrary,
    pub terms: ReflectLimits,
}

/// What counting found out about a rule.
#[derive(Debug, Clone, Default)]
pub struct CountedRule {
    pub counts: SessionCounts,
    /// Commands that the rule names.
    pub commands: Vec<String>,
}

/// The diary of a session and the changes that it led to.
pub struct SessionProposals<'a> {
    pub todo: &'a QueuedSession,
    pub diary: Diary,
    pub drafts: Vec<ReflectionDraft>,
    /// The rules that were proposed by counting, by rule text with normalized whitespace.
    pub counted: HashMap<String, CountedRule>,
    /// Times of the prompts with lasting statements and withdrawn rules, by line.
    pub times: HashMap<u64, Instant>,
    /// Whether the vault's own person typed the prompts.
    pub is_of_person: bool,
    /// The memories that the person withdrew.
    pub withdrawn: Vec<WithdrawnMemory>,
}

impl SessionProposals<'_> {
    /// Returns when and where the statement of an origin was made; `None` if the session has no times.
    pub fn origin_of(&self, origin: &DraftOrigin) -> Option<StatementOrigin<'_>> {
        let meta = &self.todo.listed.session.meta;
        let at = self.times.get(&origin.line).copied().or(meta.ended)?;
        Some(StatementOrigin { session: meta.id.as_str(), at, workspace: meta.workspace.as_deref() })
    }
}

impl SessionProcessor<'_> {
    /// Processes a session: parses its log, writes the diary, derives changes and commits them.
    ///
    /// # Errors
    /// Returns the cause of the failure; nothing is written in that case.
    pub fn process(
        &mut self,
        todo: &QueuedSession,
    ) -> std::result::Result<SessionReflection, SessionFailure> {
        let transcript = self.reader.read(
            self.context,
            &todo.listed.session,
            self.model.as_ref().map(LanguageModel::name),
        )?;
        if let Some(language_model) = &self.model {
            language_model.refresh()?;
        }
        let mut notices = Vec::new();
        let diary = self.write_diary(&transcript, &mut notices)?;
        let diary = with_related(self.context, self.access, diary)?;
        let playbook = playbook::as_written(self.context, self.context.target())?;
        let live: Vec<&Bullet> = playbook.bullets.iter().filter(|bullet| bullet.is_standing()).collect();
        let known: Vec<RuleRef<'_>> =
            live.iter().map(|bullet| RuleRef { id: bullet.id.as_str(), content: bullet.content() }).collect();
        let words = self.new_feedback(&transcript, &live, &known, todo);
        let (mut drafts, unfounded) =
            self.drafts((todo, &transcript, &diary), &known, &words, &mut notices)?;
        let own = self.traces.add(self.context, &todo.listed, &transcript)?;
        let recurring = with_texts_of(proposals(&self.traces.of_project(&own), &own), &known);
        let counted = recurring.iter().filter_map(counts_of).collect();
        // A fact that a person has deleted since does not come back with the next session.
        let is_repeated = |draft: &ReflectionDraft| {
            matches!(draft.what, DraftChange::Memory(_)) && self.record.has_proposed(&hash_key(&draft.key()))
        };
        let recurring =
            recurring.into_iter().map(|one| one.draft).filter(|draft| !is_repeated(draft)).collect();
        drafts.extend(self.without_repeats(recurring, todo));
        let mut drafts = without_recorded(self.context, drafts, diary.session.as_str(), &live);
        drafts.truncate(self.terms.deltas);
        record_statements(&mut drafts, &transcript);
        let repeated = self.recognize_repetitions(&mut drafts, &transcript, &live);
        let shown = ShownRules::of_session(self.context, transcript.meta.id.as_str(), &live);
        let times = times_of(&transcript);
        let is_of_person = transcript.prompts == StatementAuthor::Person;
        let withdrawn = Vec::new();
        let mut proposed = SessionProposals { todo, diary, drafts, counted, times, is_of_person, withdrawn };
        if is_of_person {
            self.find_replaced(&mut proposed, &playbook.bullets);
            self.find_withdrawn(&mut proposed, &transcript.withdrawals, &playbook.bullets, &mut notices)?;
        }
        let all = proposed.drafts.len();
        let traces = self.traces.of_project(&own);
        let (mut gathered, rejected) = self.check_evidence(&mut proposed, &traces, &mut notices)?;
        repeated.iter().for_each(|rule| gathered.admit(rule));
        self.gather_drafts(&mut gathered, &transcript, &own, &playbook.bullets);
        let gathered = gathered.with_shown(shown);
        let carried = self.commit(&proposed, &gathered)?;
        if !self.terms.dry_run {
            notices.extend(settle_verdicts(self.context, &proposed, &carried));
        }
        let worked = session_result(&proposed, (all + unfounded, unfounded + rejected), notices, carried);
        self.record_result(&proposed, &worked)?;
        Ok(worked)
    }

    fn write_diary(
        &self,
        transcript: &SessionTranscript,
        notices: &mut Vec<String>,
    ) -> std::result::Result<Diary, SessionFailure> {
        let Some(language_model) = &self.model else { return Ok(transcript.diary.clone()) };
        let (diary, refused) = transcript.summarize(language_model, &self.reader.rules)?;
        if let DiaryOrigin::Fallback(why) = &diary.origin {
            notices.push(format!("the diary was extracted by rules: {why}"));
        }
        if let Some(first) = refused.first() {
            let more =
                if refused.len() > 1 { format!(", and {} more", refused.len() - 1) } else { String::new() };
            let said = logs::text(&first.to_string(), &self.reader.rules);
            notices.push(format!("of the model's diary was dropped: {said}{more}"));
        }
        Ok(diary)
    }

    /// Gives each statement that a person makes again the text of the existing rule, so that it counts
    /// as evidence for that one, and drops counted memories that say no more. Returns these texts.
    fn recognize_repetitions(
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

    /// Sets which older rules each certain statement of the person replaces. A memory that replaces a
    /// rule becomes a rule.
    fn find_replaced(&self, proposed: &mut SessionProposals<'_>, bullets: &[Bullet]) {
        let mut drafts = std::mem::take(&mut proposed.drafts);
        for draft in drafts.iter_mut().filter(|draft| draft.certainty == Some(Certainty::High)) {
            let Some(stated) = draft.origins.first().and_then(|origin| proposed.origin_of(origin)) else {
                continue;
            };
            if let DraftChange::Memory(remembered) = &draft.what {
                let text = remembered.text.as_str();
                if !replaces_rule_of(self.context, bullets, text, stated) {
                    continue;
                }
                *draft = as_rule(draft, stated.workspace).unwrap_or_else(|| draft.clone());
            }
            if let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what {
                add.excludes = excluded_rules(self.context, bullets, &add.bullet.content, stated);
            }
        }
        proposed.drafts = drafts;
    }

    /// Returns the feedback on existing rules in the session, without feedback that an earlier run
    /// recorded for the same conversation.
    fn new_feedback(
        &self,
        transcript: &SessionTranscript,
        live: &[&Bullet],
        rules: &[RuleRef<'_>],
        todo: &QueuedSession,
    ) -> Vec<RuleFeedback> {
        // How it ended is what its log shows, and no model's word.
        let status = transcript.diary.verdict.status;
        let words = feedback(&transcript.events, &transcript.steps, rules, status, FRACTION);
        let ids: HashSet<&str> = todo.conversation.iter().map(|(_, id)| id.as_str()).collect();
        let own = transcript.meta.id.as_str();
        let is_new = |word: &RuleFeedback| {
            let bullet = live.iter().find(|bullet| bullet.id.as_str() == word.id);
            let events = bullet.into_iter().flat_map(|bullet| &bullet.feedback);
            let mut said = events.filter(|event| {
                event.session.as_deref().is_some_and(|session| session == own || ids.contains(session))
            });
            // What follows of the outcome never goes on top of what somebody said.
            !said.any(|event| !word.explicit || event.signal == word.signal)
        };
        words.into_iter().filter(is_new).collect()
    }

    /// Returns the proposals of the model, or of the rules without a model, and the number of
    /// proposals dropped because the session does not support them.
    fn drafts(
        &self,
        (todo, transcript, diary): (&QueuedSession, &SessionTranscript, &Diary),
        rules: &[RuleRef<'_>],
        words: &[RuleFeedback],
        notices: &mut Vec<String>,
    ) -> std::result::Result<(Vec<ReflectionDraft>, usize), SessionFailure> {
        let lasting = &transcript.lasting;
        let input = SessionInput { diary, feedback: words, lasting, author: transcript.prompts };
        let by_rules = || reflect_on(&input, &self.earlier, self.terms.deltas);
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
        let of_log = reflect_on(&SessionInput { diary: &bare, ..input }, &[], self.terms.deltas).drafts;
        match self.ask_model(language_model, transcript, diary, rules) {
            Ok((of_model, unfounded)) => {
                let (stated, mut drafts): (Vec<_>, Vec<_>) =
                    of_log.into_iter().partition(|draft| draft.new_text().is_some());
                drafts.extend(without_double_reading(of_model, stated));
                drafts.truncate(self.terms.deltas);
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
    ) -> std::result::Result<(Vec<ReflectionDraft>, usize), ModelFailure> {
        let quotable = transcript.quotable();
        let ids: HashSet<&str> = rules.iter().map(|rule| rule.id).collect();
        let model = meaning(self.context.target());
        let rules = relevant_rules(rules, diary, &transcript.events, RULES, model);
        let mut rounds = ReflectionRounds::new(self.terms.rounds, self.terms.deltas);
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
                Err(trouble) => return Err(trouble),
            };
            let (drafts, refused) = verify::deltas(&answer, &ids, &quotable);
            unfounded += refused.len();
            rounds.take(drafts);
        }
        Ok((rounds.finish(), unfounded))
    }

    /// Removes proposals that an earlier run made for the same conversation, and redacts secrets in
    /// the rest.
    pub fn without_repeats(
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

    /// Adds the evidence for the drafts that the session is about.
    fn gather_drafts(
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
    fn check_evidence(
        &self,
        proposed: &mut SessionProposals<'_>,
        traces: &[&SessionTrace],
        notices: &mut Vec<String>,
    ) -> std::result::Result<(GatheredEvidence, usize), SessionFailure> {
        let mut gathered = GatheredEvidence::of_session(&proposed.todo.listed.session.meta);
        let mut rejected = 0;
        let SessionProposals { diary, drafts, counted, is_of_person, .. } = proposed;
        let is_of_person = *is_of_person;
        let here = (diary.agent.as_str(), diary.session.as_str(), diary.verdict.status);
        let mut kept = Vec::new();
        for mut draft in std::mem::take(drafts) {
            if let DraftChange::Delta(CurationDelta::Replace(replace)) = &draft.what
                && draft.certainty == Some(Certainty::High)
            {
                gathered.admit(&replace.content);
            }
            let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what else {
                kept.push(draft);
                continue;
            };
            // What was counted needs no search: its sessions are known.
            if let Some(counts) = counted.get(&fold_whitespace(&add.bullet.content)) {
                gathered.insert(&add.bullet.content, counts.counts.clone());
                kept.push(draft);
                continue;
            }
            let ran = if draft.certainty.is_some() && is_of_person { traces } else { &[] };
            let said = evidence_for(self.context, &self.record, &add.bullet.content, here, ran)?;
            // One session or none is a draft whatever a model says; so is what it accepts. A person's own
            // word needs no model.
            let is_stated = draft.certainty == Some(Certainty::High);
            let is_open = said.verdict == RuleVerdict::Refine && said.evidence.sessions > 1 && !is_stated;
            if let Some(language_model) = self.model.as_ref().filter(|_| is_open) {
                let prompt = package::validate(&add.bullet.content, &said);
                match language_model.ask::<RuleAnswer>(&prompt, ("verdict", rule_schema()), |_| Ok(())) {
                    Ok(answered) if answered.value.verdict == RuleOpinion::Reject => {
                        let why = logs::text(&fold_whitespace(&answered.value.reason), &self.reader.rules);
                        notices.push(format!("the model rejects \"{}\": {why}", add.bullet.content));
                        rejected += 1;
                        continue;
                    }
                    Ok(answered) => {
                        let refined = answered
                            .value
                            .refined
                            .filter(|_| answered.value.verdict == RuleOpinion::AcceptWithCaution);
                        let refined =
                            refined.and_then(|text| rule(&logs::text(&text, &self.reader.rules)).ok());
                        add.bullet.content = refined.unwrap_or_else(|| add.bullet.content.clone());
                    }
                    Err(ModelFailure::Useless(_)) => {}
                    Err(silent) => return Err(silent.into()),
                }
            }
            gathered.insert(&add.bullet.content, said.evidence);
            if is_stated {
                gathered.admit(&add.bullet.content);
            }
            kept.push(draft);
        }
        *drafts = kept;
        Ok((gathered, rejected))
    }
}

impl From<ModelFailure> for SessionFailure {
    fn from(trouble: ModelFailure) -> Self {
        match trouble {
            ModelFailure::Silent { error, is_lasting } => Self { error, is_lasting },
            ModelFailure::Useless(why) => {
                Self { error: Error::new(ErrorKind::Provider, "model", why), is_lasting: false }
            }
        }
    }
}

/// Records with each proposed rule what the person typed at that line of the session, and when.
fn record_statements(drafts: &mut [ReflectionDraft], transcript: &SessionTranscript) {
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

/// Gives each counted rule the text of the existing rule with the same beginning, so that further
/// sessions are evidence for it although the error message that it quotes differs.
fn with_texts_of(mut counted: Vec<CountedProposal>, rules: &[RuleRef<'_>]) -> Vec<CountedProposal> {
    for one in &mut counted {
        let DraftChange::Delta(CurationDelta::Add(add)) = &mut one.draft.what else { continue };
        if let Some(same) = rules.iter().find(|rule| rule.content.starts_with(&one.head)) {
            same.content.clone_into(&mut add.bullet.content);
        }
    }
    counted
}

/// Gives a draft of a rule another text; `None` for other drafts.
fn with_text(mut draft: ReflectionDraft, text: &str) -> Option<ReflectionDraft> {
    let DraftChange::Delta(CurationDelta::Add(add)) = &mut draft.what else { return None };
    text.clone_into(&mut add.bullet.content);
    Some(draft)
}

/// Returns the times of the prompts with lasting statements and withdrawn rules, by line.
fn times_of(transcript: &SessionTranscript) -> HashMap<u64, Instant> {
    let withdrawn = transcript.withdrawals.iter().map(|withdrawal| withdrawal.line);
    let lines: HashSet<u64> =
        transcript.lasting.iter().map(|statement| statement.line).chain(withdrawn).collect();
    let events = transcript.events.iter().filter(|event| lines.contains(&event.line));
    events.filter_map(|event| Some((event.line, event.at?))).collect()
}

/// Returns the text and the counts of a counted rule; `None` for a memory.
fn counts_of(one: &CountedProposal) -> Option<(String, CountedRule)> {
    let DraftChange::Delta(CurationDelta::Add(add)) = &one.draft.what else { return None };
    let counted = CountedRule { counts: one.counts.clone(), commands: one.commands.clone() };
    Some((fold_whitespace(&add.bullet.content), counted))
}

/// Returns the diaries of the target vault that are at most `days` days old or have no start time.
///
/// # Errors
/// Returns an error if the notes cannot be read.
pub fn recent_diaries(context: &Context, days: f64) -> Result<Vec<Diary>> {
    let since = context.now().minus_days(days);
    let notes = context.notes_of(context.target())?;
    let diaries = notes.iter().filter(|note| note.kind == NoteKind::Diary);
    let read = diaries.filter_map(|note| {
        let bytes = context.target().read(&note.path);
        let bytes =
            bytes.map_err(|error| context.notice(format!("{} cannot be read: {error}", note.path))).ok()?;
        cm_learn::diary::read::read(&String::from_utf8_lossy(&bytes))
    });
    Ok(read.filter(|diary| diary.started.is_none_or(|started| started >= since)).collect())
}

fn session_result(
    proposed: &SessionProposals<'_>,
    (all, left_out): (usize, usize),
    mut notices: Vec<String>,
    carried: CommitResult,
) -> SessionReflection {
    let CommitResult { outcome, memories, place, notices: more } = carried;
    notices.extend(more);
    let CurationOutcome { report, commit, files, .. } = outcome;
    let diary = &proposed.diary;
    let lines: Vec<Option<&DraftOrigin>> = proposed
        .drafts
        .iter()
        .filter(|draft| matches!(draft.what, DraftChange::Delta(_)))
        .map(|draft| draft.origins.first())
        .collect();
    let line = |delta: usize| lines.get(delta.wrapping_sub(1)).copied().flatten().map(|origin| origin.line);
    let changed = report.applied.iter().map(|one| LearnedChange {
        what: one.op.clone(),
        id: one.id.clone(),
        text: one.content.clone(),
        draft: one.op == "add" && one.state == BulletState::Draft,
        unverified: false,
        line: line(one.delta),
    });
    let credited = report.skipped.iter().filter(|passed| passed.credited).map(|passed| LearnedChange {
        what: "credit".to_owned(),
        id: passed.id.clone().unwrap_or_default(),
        text: passed.reason.clone(),
        draft: false,
        unverified: false,
        line: line(passed.delta),
    });
    let mut learned: Vec<LearnedChange> = changed.chain(credited).collect();
    learned.extend(report.replaced.iter().map(|one| LearnedChange {
        what: "deprecate".to_owned(),
        id: one.from.clone(),
        text: format!("{} ({} replaces it)", one.content, one.to),
        draft: false,
        unverified: false,
        line: None,
    }));
    learned.extend(memories.iter().map(|planned| LearnedChange {
        what: planned.note_type.clone(),
        id: planned.id.clone(),
        text: planned.title.clone(),
        draft: planned.is_draft,
        unverified: planned.is_unverified,
        line: None,
    }));
    learned.extend(proposed.withdrawn.iter().map(|one| LearnedChange {
        what: "deprecate".to_owned(),
        id: one.id.clone(),
        text: one.title.clone(),
        draft: false,
        unverified: false,
        line: Some(one.line),
    }));
    let refused = report.refused.iter().map(|passed| format!("{} was refused: {}", passed.op, passed.reason));
    notices.extend(refused);
    let wrote = place.as_ref().is_some_and(|place| files.contains(&place.path));
    SessionReflection {
        done: ReflectedSession {
            session: diary.session.clone(),
            agent: diary.agent.clone(),
            diary: wrote,
            proposed: all,
            applied: learned.len(),
            refused: report.refused.len() + left_out,
            notices,
            failure: None,
        },
        title: diary.title.clone(),
        status: diary.verdict.status,
        made: place.as_ref().map(|_| DiaryMethod::of(diary)),
        path: place.map(|place| place.path.to_string()),
        learned,
        commit,
    }
}
