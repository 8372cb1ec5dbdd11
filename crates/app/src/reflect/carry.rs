//! Commits what was learned from a session: its diary, memories and deltas, in one commit.

use std::cell::RefCell;

use super::memories::{self, Planned};
use super::record::Record;
use super::witness::Gathered;
use super::work::{Proposed, Work};
use crate::curate::{self, Beside, Outcome, curate_beside};
use crate::diary::place::Place;
use crate::error::{Error, Result};
use crate::memory::OpenVault;
use crate::playbook;
use cm_learn::diary::Diary;
use cm_learn::reflect::draft::{Draft, What};
use cm_note::change::Change;
use cm_playbook::curation::Authority;
use cm_playbook::curation::delta::DeltaFile;

/// Result of the commit.
pub struct Carried {
    /// Result of curating the deltas.
    pub outcome: Outcome,
    /// New memory notes.
    pub memories: Vec<Planned>,
    /// Path of the diary note; `None` if the diary is empty.
    pub place: Option<Place>,
    /// Notices for the user.
    pub notices: Vec<String>,
}

impl Work<'_> {
    /// Writes a session's diary, memories and deltas to the vault in one commit.
    ///
    /// # Errors
    /// Returns an error if curation fails, or `done-meanwhile` if another process has reflected on
    /// the session in the meantime.
    pub fn carry(&self, proposed: &Proposed<'_>, gathered: &Gathered) -> Result<Carried> {
        let Proposed { todo, diary, drafts } = proposed;
        let place = if diary.is_empty() { None } else { Some(Place::of(self.memory, diary)?) };
        let deltas = drafts.iter().filter_map(|draft| match &draft.what {
            What::Delta(delta) => Some(delta.clone()),
            What::Memory(_) => None,
        });
        let file = DeltaFile {
            session: Some(diary.session.clone()),
            agent: Some(diary.agent.clone()),
            deltas: deltas.collect(),
        };
        let short: String = diary.session.chars().take(8).collect();
        let options = curate::Options {
            authority: Authority::Automation,
            dry_run: self.terms.dry_run,
            sweep: false,
            op: "reflect",
            subject: Some(format!("Reflect on {} session {short}: {}", diary.agent, diary.title)),
        };
        let (memories, notices) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let changes = |open: &OpenVault| {
            if !self.terms.dry_run
                && !self.terms.again
                && !Record::of(open)?.is_open(&todo.listed, self.asker.is_some())
            {
                return Err(Error::refused(
                    "done-meanwhile",
                    "another process has learned from the session meanwhile",
                ));
            }
            let mut planned = Planner { work: self, open, changes: Vec::new(), ids: Vec::new() };
            notices.borrow_mut().extend(planned.diary(place.as_ref(), diary)?);
            *memories.borrow_mut() = planned.memories(drafts)?;
            Ok((planned.changes, planned.ids))
        };
        let outcome = curate_beside(
            self.memory,
            &file,
            &options,
            &Beside { history: Some(gathered), changes: &changes },
        )?;
        Ok(Carried { outcome, memories: memories.take(), place, notices: notices.take() })
    }
}

/// Collects the changes of a commit other than the deltas.
struct Planner<'a> {
    work: &'a Work<'a>,
    open: &'a OpenVault,
    changes: Vec<Change>,
    ids: Vec<String>,
}

impl Planner<'_> {
    /// Adds the change of the diary note and returns notices. A diary that was edited by hand is
    /// not changed.
    fn diary(&mut self, place: Option<&Place>, diary: &Diary) -> Result<Vec<String>> {
        let Some(place) = place else { return Ok(Vec::new()) };
        match place.change(self.work.memory, self.open, diary) {
            Ok((change, said)) => {
                if change.is_some() {
                    self.ids.push(diary.id.clone());
                }
                self.changes.extend(change);
                Ok(said.into_iter().collect())
            }
            // The person is at work on it.
            Err(error) if error.code == "hand-edited" => {
                Ok(vec![format!("{}; it is left as it is", error.message)])
            }
            Err(error) => Err(error),
        }
    }

    fn memories(&mut self, drafts: &[Draft]) -> Result<Vec<Planned>> {
        let notes = playbook::notes_as_written(self.work.memory, self.open)?;
        let mut said = memories::said(&notes);
        let mut all = Vec::new();
        for draft in drafts {
            let (What::Memory(remembered), Some(origin)) = (&draft.what, draft.origins.first()) else {
                continue;
            };
            let planned = memories::planned(self.work.memory, self.open, &mut said, remembered, origin)?;
            all.extend(planned);
        }
        self.changes.extend(all.iter().map(|planned| planned.change.clone()));
        self.ids.extend(all.iter().map(|planned| planned.id.clone()));
        Ok(all)
    }
}
