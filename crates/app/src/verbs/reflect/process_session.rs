//! Processes one session: reads its log, writes its diary, collects proposals, checks them against
//! other sessions and commits the result.
//!
//! The vault is locked only for the commit. A model's proposals are checked against the log first.

use std::collections::{HashMap, HashSet};

use super::later_word::{excluded_rules, replaces_rule_of};
use super::queue::QueuedSession;
use super::recorded::{settle_verdicts, without_recorded};
use super::session_drafts::record_statements;
use super::session_processor::{SessionFailure, SessionProcessor, SessionProposals};
use super::session_result::SessionReflection;
use super::standing_rules::{rule_refs, standing_rules};
use crate::context::open::Context;
use crate::context::provider::LanguageModel;
use crate::context::receipts::ShownRules;
use crate::error::Result;
use crate::sessions::logs;
use crate::verbs::diary::session::SessionTranscript;
use crate::verbs::diary::with_related;
use crate::verbs::{playbook, trauma};
use cm_learn::diary::{Diary, DiaryOrigin, StatementAuthor};
use cm_learn::reflect::draft::DraftChange;
use cm_learn::reflect::later_word::as_rule;
use cm_learn::statement::Certainty;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::NoteKind;
use cm_playbook::curation::delta::CurationDelta;

impl SessionProcessor<'_> {
    /// Processes a session: parses its log, writes the diary, derives changes and commits them.
    ///
    /// # Errors
    /// Returns the cause of the failure; nothing is written in that case.
    pub fn process(
        &mut self,
        todo: &QueuedSession,
    ) -> std::result::Result<SessionReflection, SessionFailure> {
        let model_name = self.model.as_ref().map(LanguageModel::name);
        let transcript = self.reader.read(self.context, &todo.listed.session, model_name)?;
        if let Some(language_model) = &self.model {
            language_model.refresh()?;
        }
        let mut notices = Vec::new();
        let diary = self.write_diary(&transcript, &mut notices)?;
        let diary = with_related(self.context, self.access, diary)?;
        let playbook = playbook::as_written(self.context, self.context.target())?;
        let standing = standing_rules(&playbook.bullets);
        let rules = rule_refs(&standing);
        let feedback = self.new_feedback(&transcript, &standing, &rules, todo);
        let (mut drafts, unfounded) =
            self.drafts((todo, &transcript, &diary), &rules, &feedback, &mut notices)?;
        let own = self.traces.add(self.context, &todo.listed, &transcript)?;
        let (recurring, counted) = self.recurring_drafts(&own, &rules, todo);
        drafts.extend(recurring);
        // Logs that come over the network may be made up.
        if transcript.prompts == StatementAuthor::Person {
            drafts.extend(self.outlived_drafts(&own, &standing));
        }
        let mut drafts = without_recorded(self.context, drafts, diary.session.as_str(), &standing);
        drafts.truncate(self.run_options.deltas);
        record_statements(&mut drafts, &transcript);
        let repeated = self.recognize_repetitions(&mut drafts, &transcript, &standing);
        let shown = ShownRules::of_session(self.context, transcript.meta.id.as_str(), &standing);
        let times = times_of(&transcript);
        let is_of_person = transcript.prompts == StatementAuthor::Person;
        let withdrawn = Vec::new();
        let mut proposed = SessionProposals { todo, diary, drafts, counted, times, is_of_person, withdrawn };
        if is_of_person {
            self.find_replaced(&mut proposed, &playbook.bullets);
            self.find_withdrawn(&mut proposed, &transcript.withdrawals, &playbook.bullets, &mut notices)?;
        }
        let draft_count = proposed.drafts.len();
        let traces = self.traces.of_project(&own);
        let (mut gathered, rejected) = self.check_evidence(&mut proposed, &traces, &mut notices)?;
        repeated.iter().for_each(|rule| gathered.admit(rule));
        self.gather_drafts(&mut gathered, &transcript, &own, &playbook.bullets);
        let gathered = gathered.with_shown(shown);
        let committed = self.commit(&proposed, &gathered)?;
        self.mark_memories(&transcript, &rules, todo, &mut notices);
        if !self.run_options.dry_run {
            notices.extend(settle_verdicts(self.context, &proposed, &committed));
            let incidents = trauma::propose(self.context, &transcript.meta, &transcript.events)?;
            notices.extend(
                incidents.iter().map(|shape| format!("`{shape}` did harm: the warning waits in review")),
            );
        }
        let counts = (draft_count + unfounded, unfounded + rejected);
        let reflection = SessionReflection::of_commit(&proposed, counts, notices, committed);
        self.record_result(&proposed, &reflection)?;
        Ok(reflection)
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
            let reason = logs::text(&first.to_string(), &self.reader.rules);
            notices.push(format!("of the model's diary was dropped: {reason}{more}"));
        }
        Ok(diary)
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
}

/// Returns the times of the prompts with lasting statements and withdrawn rules, by line.
fn times_of(transcript: &SessionTranscript) -> HashMap<u64, Instant> {
    let withdrawn = transcript.withdrawals.iter().map(|withdrawal| withdrawal.line);
    let lines: HashSet<u64> =
        transcript.lasting.iter().map(|statement| statement.line).chain(withdrawn).collect();
    let events = transcript.events.iter().filter(|event| lines.contains(&event.line));
    events.filter_map(|event| Some((event.line, event.at?))).collect()
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
