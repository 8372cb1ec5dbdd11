//! Everything remembered that may be shown to an agent: valid facts, preferences with their
//! confidence, and episodes.
//!
//! The view excludes drafts, unverified notes, notes with invisible characters, texts that read
//! like instructions to the agent, and notes of the global vault that belong to another project.

use std::collections::{HashMap, HashSet};

use super::sources::{is_a, observations, project};
use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::write::FilePreview;
use crate::error::Result;
use cm_learn::confidence::ConfidenceLevel;
use cm_learn::remember::episodes::{self, LoggedEpisode};
use cm_learn::remember::files::{self, FactLine, MemoryFile, PreferenceLine};
use cm_learn::remember::preferences::evidence;
use cm_learn::remember::render::{self, MemoryPart};
use cm_learn::remember::{source, valid_notes};
use cm_note::finding::FindingCode;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::note::suspicion::suspicion;
use cm_note::note::{Note, NoteKind};
use cm_text::plural::count_is;

/// The facts, preferences and episodes that agents may see.
#[derive(Debug, Default)]
pub struct MemoryView {
    facts: Vec<FactLine>,
    preferences: Vec<PreferenceLine>,
    episodes: Vec<LoggedEpisode>,
    left_out: usize,
}

/// A note, its text, and whether it is still valid.
struct NoteWithText {
    note: Note,
    text: String,
    is_current: bool,
}

impl MemoryView {
    /// Collects the memories of all open vaults. In a dry run, `would_be` contains the
    /// files that would be written to the first vault.
    ///
    /// # Errors
    /// Returns an error if the notes cannot be read.
    pub fn of(context: &Context, would_be: &[FilePreview]) -> Result<Self> {
        let here = project(context);
        let here = here.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut view = Self::default();
        let (mut ids, mut texts) = (HashSet::new(), HashSet::new());
        for (at, open) in context.vaults.iter().enumerate() {
            let seen = seen(context, open, if at == 0 { would_be } else { &[] })?;
            let places: HashMap<String, Option<String>> = seen
                .iter()
                .filter(|seen| matches!(seen.note.kind, NoteKind::Stash | NoteKind::Diary))
                .map(|seen| {
                    (format!("{}:{}", seen.note.kind.name(), seen.note.key()), seen.note.workspace.clone())
                })
                .collect();
            let is_here = |place: Option<&str>| {
                open.level == VaultLevel::Project || source::same_place(place, here.as_deref())
            };
            let mut ordered: Vec<&NoteWithText> = seen.iter().collect();
            // The latest stands first; pinned ones before all.
            ordered.sort_by_key(|seen| {
                let at = seen.note.created.unwrap_or(Instant::from_unix(0));
                (!seen.note.pinned, std::cmp::Reverse(at), seen.note.key().to_owned())
            });
            for seen in ordered {
                let note = &seen.note;
                if note.kind == NoteKind::Episode {
                    let episodes_of_day = episodes::parse(note.path.stem(), Split::of(&seen.text).body());
                    view.episodes.extend(episodes_of_day.into_iter().filter(|episode| {
                        let place =
                            episode.sources.first().map(|(key, _)| places.get(key).cloned().flatten());
                        match place {
                            Some(place) => is_here(place.as_deref()),
                            // Of an entry that names no source nobody knows the project.
                            None => at == 0,
                        }
                    }));
                } else if (is_a(note, "fact") || is_a(note, "preference"))
                    && is_here(note.workspace.as_deref())
                    && (seen.is_current || note.pinned)
                    && !note.is_draft()
                    && !note.is_unverified()
                    && ids.insert(note.key().to_owned())
                    && texts.insert((note.note_type.clone(), note.title.to_lowercase()))
                {
                    view.take(seen);
                }
            }
        }
        view.episodes.retain(|episode| {
            suspicion(&episode.title).or_else(|| suspicion(episode.summary.as_deref()?)).is_none()
        });
        Ok(view)
    }

    fn take(&mut self, seen: &NoteWithText) {
        let note = &seen.note;
        let hidden = note.findings.iter().any(|found| found.code == FindingCode::HiddenCharacter);
        if hidden || suspicion(&note.title).is_some() {
            self.left_out += 1;
            return;
        }
        if is_a(note, "fact") {
            self.facts.push(FactLine { text: note.title.clone(), since: note.created.map(|at| at.day()) });
            return;
        }
        let fields = parse(&Split::of(&seen.text)).fields;
        let found = observations(&fields).map(|observations| evidence(&observations));
        let level = match found {
            _ if note.pinned => ConfidenceLevel::High,
            Some(evidence) => evidence.level,
            // One session showed it.
            None if note.session.is_some() || note.agent.is_some() => ConfidenceLevel::Low,
            None => ConfidenceLevel::of_value(note.confidence.unwrap_or(0.8)),
        };
        self.preferences.push(PreferenceLine { text: note.title.clone(), level, evidence: found });
    }

    /// Renders the section of a rule file; adds a notice if memories were left out.
    pub fn part(&self, context: &Context) -> MemoryPart {
        if self.left_out > 0 {
            let what = count_is(self.left_out, "note");
            context.notice(format!(
                "{what} skipped because of hidden characters or instructions to the agent: `cm validate` shows them"
            ));
        }
        let facts: Vec<String> = self.facts.iter().map(|fact| fact.text.clone()).collect();
        let sure = self.preferences.iter().filter(|preference| preference.level == ConfidenceLevel::High);
        let sure: Vec<String> = sure.map(|preference| preference.text.clone()).collect();
        render::part(&facts, &sure, &episodes::last(self.episodes.clone(), render::MAX_SECTION_EPISODES))
    }

    /// Renders the contents of facts.md, episodes.md and preferences.md.
    pub fn files(&self) -> Vec<MemoryFile> {
        files::files(&self.facts, &episodes::last(self.episodes.clone(), usize::MAX), &self.preferences)
    }
}

/// Returns all notes of a vault; episodes, preferences and the files in `would_be` have their text.
fn seen(context: &Context, open: &OpenVault, would_be: &[FilePreview]) -> Result<Vec<NoteWithText>> {
    let mut notes: Vec<Note> = context.notes_of(open)?.to_vec();
    notes.retain(|note| would_be.iter().all(|file| file.path != note.path));
    notes.extend(would_be.iter().map(|file| open.parse(&file.path, file.after.as_bytes()).note));
    let live = valid_notes(&notes);
    let mut all = Vec::new();
    for (note, live) in notes.into_iter().zip(live) {
        let read = note.kind == NoteKind::Episode || is_a(&note, "preference");
        let planned_text = would_be.iter().find(|file| file.path == note.path);
        let text = match planned_text {
            Some(file) => file.after.clone(),
            None if read => open
                .read(&note.path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default(),
            None => String::new(),
        };
        all.push(NoteWithText { note, text, is_current: live });
    }
    Ok(all)
}
