//! Commits what was learned from a session: its diary, memories and deltas, in one commit.

use super::memories::{
    ExistingMemories, MemoryProposal, PlannedMemory, confirming_edits, edges_to_replaced, plan_memory,
};
use super::session_processor::{SessionProcessor, SessionProposals};
use crate::context::open_vault::OpenVault;
use crate::context::provider::LanguageModel;
use crate::error::{Error, Result};
use crate::sessions::diary_location::DiaryLocation;
use crate::sessions::gathered_evidence::GatheredEvidence;
use crate::sessions::reflection_log::{ReflectionLog, SessionReaderKind};
use crate::verbs::curate::{CurationOptions, CurationOutcome, ExtraChangeSet, ExtraChanges, curate_with};
use crate::verbs::note_fields::supersedes_edge;
use crate::verbs::playbook;
use cm_learn::diary::Diary;
use cm_learn::reflect::draft::{DraftChange, DraftOrigin, ReflectionDraft};
use cm_learn::statement::Certainty;
use cm_note::bullet::content::fold_whitespace;
use cm_note::bullet::{Bullet, BulletState};
use cm_note::change::VaultFileChange;
use cm_note::message::CommitOp;
use cm_note::note::compose::EdgeEnd;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::delta::{CurationDelta, DeltaFile, DeltaKind};
use cm_playbook::curation::{CurationResult, SweepScope};
use cm_session::short_id;

pub struct CommitResult {
    /// Changes of the playbook, by delta.
    pub outcome: CurationOutcome,
    /// Memory notes created in the commit.
    pub memories: Vec<PlannedMemory>,
    /// Location of the diary note; `None` if the diary is empty.
    pub location: Option<DiaryLocation>,
    /// Notices for the user.
    pub notices: Vec<String>,
}

impl SessionProcessor<'_> {
    /// Writes a session's diary, memories and deltas to the vault in one commit.
    ///
    /// # Errors
    /// Returns an error if curation fails, or `done-meanwhile` if another process has reflected on
    /// the session in the meantime.
    pub fn commit(
        &self,
        proposed: &SessionProposals<'_>,
        gathered: &GatheredEvidence,
    ) -> Result<CommitResult> {
        let SessionProposals { todo, diary, drafts, .. } = proposed;
        let location = if diary.is_empty() { None } else { Some(DiaryLocation::of(self.context, diary)?) };
        let deltas = drafts.iter().filter_map(|draft| match &draft.what {
            DraftChange::Delta(delta) => Some(delta.clone()),
            DraftChange::Memory(_) => None,
        });
        let file = DeltaFile {
            session: Some(diary.session.clone()),
            agent: Some(diary.agent.clone()),
            deltas: deltas.collect(),
        };
        let short = short_id(&diary.session);
        let subject = format!("Reflect on {} session {short}: {}", diary.agent, diary.title);
        let options = CurationOptions {
            dry_run: self.run_options.dry_run,
            sweep: SweepScope::Drafts,
            ..CurationOptions::by_program(CommitOp::Reflect).with_subject(subject)
        };
        let model = self.model.as_ref().map(LanguageModel::name);
        let changes = |open: &OpenVault, curated: &CurationResult| {
            if !self.run_options.dry_run
                && !self.run_options.reprocess
                && !ReflectionLog::load(open)?.is_open(&todo.listed, SessionReaderKind::of(model.as_deref()))
            {
                return Err(Error::refused(
                    "done-meanwhile",
                    "another process has processed the session in the meantime",
                ));
            }
            let mut planned = ChangePlanner { work: self, open, changes: Vec::new(), ids: Vec::new() };
            let notices = planned.diary(location.as_ref(), diary)?;
            let memories = planned.memories(proposed, curated)?;
            Ok(ExtraChangeSet { changes: planned.changes, ids: planned.ids, result: (memories, notices) })
        };
        let (outcome, (memories, notices)) = curate_with(
            self.context,
            &file,
            &options,
            &ExtraChanges { history: Some(gathered), changes: &changes, may_rewrite: false },
        )?;
        Ok(CommitResult { outcome, memories, location, notices })
    }
}

/// Collects the file changes of a commit that are not changes of the playbook: diary and memories.
struct ChangePlanner<'a> {
    work: &'a SessionProcessor<'a>,
    open: &'a OpenVault,
    changes: Vec<VaultFileChange>,
    ids: Vec<String>,
}

impl ChangePlanner<'_> {
    /// Adds the change of the diary note; returns notices for the user. A diary with manual edits
    /// is not changed.
    fn diary(&mut self, location: Option<&DiaryLocation>, diary: &Diary) -> Result<Vec<String>> {
        let Some(location) = location else { return Ok(Vec::new()) };
        match location.change(self.work.context, self.open, diary) {
            Ok((change, notice)) => {
                if change.is_some() {
                    self.ids.push(diary.id.clone());
                }
                self.changes.extend(change);
                Ok(notice.into_iter().collect())
            }
            // The person is at work on it.
            Err(error) if error.is_hand_edited() => Ok(vec![format!("{}; it is unchanged", error.message)]),
            Err(error) => Err(error),
        }
    }

    /// Adds the changes of new and withdrawn memories, and edges from the new rules that replace one.
    fn memories(
        &mut self,
        proposed: &SessionProposals<'_>,
        curated: &CurationResult,
    ) -> Result<Vec<PlannedMemory>> {
        let (context, open) = (self.work.context, self.open);
        let mut existing = ExistingMemories::of(playbook::notes_as_written(context, open)?);
        let mut all = Vec::new();
        let mut number = 0;
        for draft in &proposed.drafts {
            let Some(origin) = draft.origins.first() else { continue };
            let is_certain = draft.certainty == Some(Certainty::High);
            let statement = proposed.origin_of(origin).filter(|_| is_certain);
            match &draft.what {
                DraftChange::Memory(remembered) => {
                    let stated = draft.certainty;
                    let workspace = proposed.todo.listed.session.meta.workspace.as_deref();
                    let proposal = MemoryProposal { remembered, stated, origin, statement, workspace };
                    all.extend(plan_memory(context, open, &mut existing, proposal)?);
                }
                DraftChange::Delta(_) => {
                    number += 1;
                    self.changes.extend(self.changes_of_fixes(
                        proposed,
                        draft,
                        curated,
                        number,
                        existing.notes(),
                    )?);
                    let Some((statement, end)) = statement.zip(active_rule(curated, number)) else {
                        continue;
                    };
                    let edges = edges_to_replaced(context, open, existing.notes(), &end, statement)?;
                    self.changes.extend(edges);
                }
            }
        }
        self.changes.extend(all.iter().flat_map(|planned| planned.changes.clone()));
        self.changes.extend(proposed.withdrawn.iter().map(|one| one.change(context)));
        self.ids.extend(all.iter().map(|planned| planned.id.clone()));
        self.ids.extend(proposed.withdrawn.iter().map(|one| one.id.clone()));
        Ok(all)
    }
}

impl ChangePlanner<'_> {
    /// Returns the changes of the fixes that the sessions of a counted rule, which the delta with this number
    /// added, led to when the pattern was seen once: the further session confirms them, and the rule supersedes
    /// them.
    fn changes_of_fixes(
        &self,
        proposed: &SessionProposals<'_>,
        draft: &ReflectionDraft,
        curated: &CurationResult,
        number: usize,
        notes: &[Note],
    ) -> Result<Vec<VaultFileChange>> {
        let DraftChange::Delta(CurationDelta::Add(add)) = &draft.what else { return Ok(Vec::new()) };
        let counted = proposed.counted.get(&fold_whitespace(&add.bullet.content));
        let Some(counted) = counted.filter(|counted| !counted.commands.is_empty()) else {
            return Ok(Vec::new());
        };
        let Some(newer) = added_rule(curated, number).map(end_of) else { return Ok(Vec::new()) };
        let is_own = |note: &&Note| {
            let of_session = |origin: &DraftOrigin| note.session.as_deref() == Some(&origin.session);
            note.kind == NoteKind::Memory
                && note.note_type.as_deref() == Some("fix")
                && draft.origins.iter().any(of_session)
                && counted.commands.iter().all(|command| note.title.contains(&format!("`{command}`")))
        };
        let mut changes = Vec::new();
        for note in notes.iter().filter(is_own) {
            let Some(id) = &note.id else { continue };
            if note.is_unverified() {
                let of_other =
                    |quote: &&String| note.session.as_deref().is_none_or(|own| !quote.contains(own));
                let again: Vec<String> = add.bullet.evidence.iter().filter(of_other).cloned().collect();
                let edits = confirming_edits(self.work.context, "Seen again", &again);
                changes.push(VaultFileChange::edit(note.path.clone(), edits));
            }
            let older = EdgeEnd::of_file(id.as_str(), &note.title, &note.path);
            let why = format!("The same happened in further sessions: {}", add.bullet.content);
            let (_, path, text) = supersedes_edge(self.work.context, self.open, (&newer, &older), &why)?;
            changes.push(VaultFileChange::Create { path, text });
        }
        Ok(changes)
    }
}

/// Returns the end of an edge for the rule that the delta with this number added; `None` if it added
/// none or a draft.
pub(crate) fn active_rule(curated: &CurationResult, delta: usize) -> Option<EdgeEnd> {
    added_rule(curated, delta).filter(|rule| rule.state == BulletState::Active).map(end_of)
}

/// Returns the rule that the delta with this number added.
fn added_rule(curated: &CurationResult, delta: usize) -> Option<&Bullet> {
    let added = curated.report.applied.iter().find(|one| one.delta == delta && one.op == DeltaKind::Add)?;
    curated.playbook.bullets.iter().find(|bullet| bullet.id.as_str() == added.id)
}

fn end_of(rule: &Bullet) -> EdgeEnd {
    EdgeEnd::of_file(rule.id.as_str(), rule.content(), &rule.path)
}
